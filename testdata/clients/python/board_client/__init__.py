# Python: a client for board, typed and without dependencies

# The package of board on PyPI brings it. Without that: `board help python >board_client.py`.
# It starts the command board for each call and reads its JSON: `board help json`. What it
# calls again, and when: `board help output`. Python 3.8 or newer.

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
from typing import (Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict,
                    Union)

Flag = Union[str, float, bool, Sequence[str], None]
Priority = Literal["critical", "high", "medium", "low"]


class Finding(TypedDict, total=False):
    """One of post_all: content, and what else it has. A link may be "@key" of another one."""

    content: str
    type: str
    source: str
    source_doc: str
    source_ref: str
    quote: str
    evidence: str
    confidence: Optional[float]
    must_surface: bool
    drop_duty: str
    tags: List[str]
    supports: List[str]
    contradicts: List[str]
    supersedes: List[str]
    addresses: List[str]
    key: str
    worker: str


class Entry(TypedDict):
    """A finding. `board help json post` has its further fields, and those of all below."""

    id: str
    content: str
    type: str
    status: str
    source_doc: str
    source_ref: str
    evidence: str
    confidence: Optional[float]
    worker: str
    tags: List[str]
    must_surface: bool
    supports: List[str]
    contradicts: List[str]
    supersedes: List[str]
    addresses: List[str]
    key: str


class Checked(TypedDict):
    """What came of holding a finding against its source: `board help verify`."""

    id: str
    content: str
    worker: str
    doubted: bool
    verdict: str
    note: str


class Ran(TypedDict):
    """What hooks saw of a command that a worker says to have run."""

    worker: str
    entry: str
    command: str
    verdict: Literal["passed", "failed", "stale", "untold", "not found", "unseen"]
    holds: bool
    why: str


class Posted(Entry):
    """An entry, and what came of posting it. existing: its key was used before, and nothing was
    written. checked is None if it names no source, or the run has none; so is ran without ran=."""

    existing: bool
    checked: Optional[Checked]
    ran: Optional[Ran]


class Question(TypedDict):
    id: str
    content: str
    priority: Priority
    status: str
    worker: str
    addressed_by: str
    reason: str
    claimed_by: str


class Expected(TypedDict):
    worker: str
    status: str
    reason: str


class Done(Expected):
    """A worker that is done, and what came of the commands that it says to have run."""

    ran: List[Ran]


class State(TypedDict):
    run: str
    goal: str
    seq: int
    expected: List[Expected]


class Reason(TypedDict):
    rule: str
    id: str
    priority: str
    content: str
    worker: str


class Verdict(TypedDict):
    open: bool
    reasons: List[Reason]


class Place(TypedDict):
    file: str
    line: int
    text: str


class Fact(TypedDict):
    """A fact of a report; source is the place that has it, where no entry does."""

    report: str
    line: int
    text: str
    kind: str
    verdict: Literal["supported", "derived", "source", "unsupported"]
    cause: str
    entries: List[str]
    source: Optional[Place]
    why: str


class Trace(TypedDict):
    passed: bool
    unsupported: int
    facts: List[Fact]


class SurvivalItem(TypedDict):
    """An entry or question that a report has to carry."""

    id: str
    why: str
    content: str
    present: bool
    unsure: bool
    cause: str
    missing_tokens: List[str]
    missing_numbers: List[str]


class Survival(TypedDict):
    passed: bool
    missing: int
    items: List[SurvivalItem]


class Verify(TypedDict):
    passed: bool
    doubted: int
    items: List[Checked]


class Citation(TypedDict):
    report: str
    line: int
    handle: str
    id: str
    verdict: Literal["good", "stale", "foreign", "forged"]
    why: str


class Details(TypedDict, total=False):
    """What a step has under its own name, unless it was skipped."""

    gate: Verdict
    verify: Verify
    conflicts: Dict[str, Any]
    survival: Survival
    trace: Trace
    ran: List[Ran]
    citations: List[Citation]


class Step(Details):
    """One step of a check."""

    name: Literal["gate", "verify", "conflicts", "survival", "trace", "ran", "citations"]
    passed: bool
    skipped: bool
    why: str
    headline: str
    warnings: List[str]


class Check(TypedDict):
    passed: bool
    steps: List[Step]


class Digest(TypedDict):
    text: str
    tokens: int
    omitted_must: List[str]


class Exported(TypedDict):
    file: str
    format: str
    entries: int
    signals: int


class Variable(TypedDict):
    key: str
    value: Any
    version: int


class Capsule(TypedDict):
    """What the knowledge base keeps."""

    id: str
    kind: str
    title: str
    body: str
    source: str
    tags: List[str]
    refs: List[str]


class Hit(Capsule):
    score: float


class Item(TypedDict):
    entry: Entry
    existing: bool


class Brief(TypedDict):
    block: str


class Answer(TypedDict):
    """What any command prints. A command has those of these keys that its method reads."""

    state: State
    entry: Entry
    existing: bool
    checked: Optional[Checked]
    ran: Any  # Ran of a post, List[Ran] of done
    posted: List[Item]
    entries: List[Entry]
    signal: Question
    signals: List[Question]
    expected: List[Expected]
    verdict: Verdict
    check: Check
    digest: Digest
    export: Exported
    variable: Variable
    capsule: Capsule
    stored: List[Capsule]
    hits: List[Hit]
    brief: Brief


class BoardError(Exception):
    """What a command could not do, and what to do next: .code, .exit_code, .next_step."""

    def __init__(self, exit_code: int, error: Dict[str, str]) -> None:
        super().__init__("; try: ".join(filter(None, (error["message"], error["try"]))))
        self.exit_code, self.code, self.next_step = exit_code, error["code"], error["try"]


def program() -> str:
    """Return the command board that was installed with this Python, or that of $PATH."""
    name = "board.exe" if os.name == "nt" else "board"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    return beside if os.path.exists(beside) else "board"


def unstarted(program: str, cwd: Any, e: OSError) -> Dict[str, str]:
    """Return the error of a command that could not be started, or not there."""
    if cwd is not None and not os.path.isdir(cwd):
        return {"code": "not_found", "message": f"there is no directory {cwd}", "try": "another cwd"}
    return {"code": "no_program", "message": f"{program} cannot be started: {e.strerror}",
            "try": "install board (pip install its package, or put its binary into $PATH), or "
                   "name it: Board(run, worker, program=…)"}


def posted(answer: Answer) -> Posted:
    """Return the entry of an answer, with what came of it."""
    return {**answer["entry"], "existing": answer["existing"], "checked": answer.get("checked"),
            "ran": answer.get("ran")}


class Board:
    """A run, as one worker sees it."""

    def __init__(self, run: str, worker: str, program: str = program(),
                 cwd: Union[str, "os.PathLike[str]", None] = None) -> None:
        """cwd is where the command runs: files are named from there, board.yaml is found there."""
        self.program, self.cwd = program, cwd
        self.env = dict(os.environ, BOARD_RUN=run, BOARD_WORKER=worker)

    def call(self, args: Sequence[str], flags: Mapping[str, Flag] = {}, text: str = "",
             answers: Tuple[int, ...] = ()) -> Answer:
        """Run any command. Exit codes in answers are results, not errors.

        {"must": True} is --must; {"tag": ["a", "b"]} is --tag a --tag b.
        """
        line = [self.program, *args, "--json"]
        for name, value in flags.items():
            flag = "--" + name.rstrip("_").replace("_", "-")  # type_ is --type
            for v in [value] if isinstance(value, (str, int, float)) else value or ():
                if v is not False:
                    line.append(flag if v is True else f"{flag}={v}")
        for pause in (0.2, 1, 5, None):
            try:
                done = subprocess.run(line, input=text, capture_output=True, encoding="utf-8",
                                      env=self.env, cwd=self.cwd)
            except OSError as e:
                raise BoardError(127, unstarted(self.program, self.cwd, e)) from e
            if done.returncode in (0, *answers):
                sys.stderr.write(done.stderr)  # notes, such as that a run was created
                answer: Answer = json.loads(done.stdout)
                return answer
            try:  # the error is the last line; notes may stand before it
                error = json.loads(done.stderr.splitlines()[-1])["error"]
            except (IndexError, KeyError, ValueError):
                message = done.stderr or f"exit code {done.returncode}"
                error = {"code": "failure", "message": message, "try": ""}
            if error["code"] not in ("busy", "database_away", "timeout") or pause is None:
                raise BoardError(done.returncode, error)
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def start(self, goal: str = "", expect: Sequence[str] = (), sources: Sequence[str] = (),
              **flags: Flag) -> State:
        """Create the run, or join it: the workers that the gate waits for, and the files that
        quotes are checked against."""
        given = {"goal": goal or None, "expect": expect, "sources": sources, **flags}
        return self.call(["start"], given)["state"]

    # A text that begins with a dash is a text. With a key, a call that is repeated writes
    # nothing the second time. Further flags of each command: board COMMAND --help.

    def post(self, text: str, source: Optional[str] = None, quote: Optional[str] = None,
             must: bool = False, key: Optional[str] = None, **flags: Flag) -> Posted:
        """Post a finding. source is FILE:LINE, "DOC @ PLACE" or a URL; quote is verbatim.

        The entry comes with "checked", "ran" (of ran="go test ./...") and "existing"."""
        given = {"source": source, "quote": quote, "must": must, "key": key, **flags}
        return posted(self.call(["post", "-"], given, text))

    def post_all(self, posts: Sequence[Finding], **flags: Flag) -> List[Entry]:
        """Post all or none: [{"content": "…", "source": "auth.go:42", "quote": "…"}, …]"""
        lines = "\n".join(map(json.dumps, posts))
        return [p["entry"] for p in self.call(["post"], {"batch": True, **flags}, lines)["posted"]]

    def correct(self, entry: str, text: Optional[str] = None, source: Optional[str] = None,
                quote: Optional[str] = None, **flags: Flag) -> Posted:
        """Amend an entry; what is not given is taken over. Return the new one."""
        words = [] if text is None else ["-"]
        given = {"source": source, "quote": quote, **flags}
        return posted(self.call(["correct", entry, *words], given, text or ""))

    def ask(self, question: str, priority: Priority = "medium", key: Optional[str] = None,
            **flags: Flag) -> Question:
        """Raise a question; critical and high ones keep the gate closed."""
        return self.call(["ask", "-"], {"priority": priority, "key": key, **flags}, question)["signal"]

    def claim(self, question: Optional[str] = None, **flags: Flag) -> Optional[Question]:
        """Claim a question, or the most urgent free one. None: it is taken, or none is free."""
        try:
            return self.call(["claim", *filter(None, [question])], flags)["signal"]
        except BoardError as e:
            if e.exit_code == 6:
                return None
            raise

    def answer(self, question: str, text: str, source: Optional[str] = None, quote: Optional[str] = None,
               must: bool = False, key: Optional[str] = None, **flags: Flag) -> Posted:
        """Answer a question with a finding, as post takes it."""
        given = {"source": source, "quote": quote, "must": must, "key": key, **flags}
        return posted(self.call(["answer", question, "-"], given, text))

    def waive(self, question: str, reason: str, **flags: Flag) -> Question:
        """Leave a question open, for a reason that stays on record."""
        return self.call(["waive", question], {"reason": reason, **flags})["signal"]

    def questions(self, **flags: Flag) -> List[Question]:
        return self.call(["signals"], flags)["signals"]

    def expect(self, *workers: str, **flags: Flag) -> List[Expected]:
        """Name workers that the gate waits for; drop="reader-2", reason="…" ends that."""
        return self.call(["expect", *workers], flags)["expected"]

    def done(self, *workers: str, **flags: Flag) -> List[Done]:
        """Say that this worker has finished, or those that are named. ran=["go test ./..."] says
        what passed; "ran" of each worker is what hooks saw of that."""
        answer = self.call(["done", *workers], flags)
        ran: List[Ran] = answer.get("ran") or []
        return [{**e, "ran": [r for r in ran if r["worker"] == e["worker"]]}
                for e in answer["expected"]]

    def show(self, id: str) -> Answer:
        """Return one entry or question whole, with its links and history."""
        return self.call(["show", id])

    def query(self, words: str = "", **flags: Flag) -> List[Entry]:
        """Return entries, the newest first; order="best" puts the best match first."""
        return self.call(["query", *words.split()], flags)["entries"]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a variable of the run."""
        return self.call(["state", "get", key], {"default": json.dumps(default)})["variable"]["value"]

    def set(self, key: str, value: Any, **flags: Flag) -> Variable:
        """Set a variable of the run; if_match=VERSION only if nobody else has."""
        return self.call(["state", "set", key, "-"], flags, json.dumps(value))["variable"]

    def gate(self, wait: Optional[str] = None, **flags: Flag) -> Verdict:
        """Return the verdict. wait="10m" waits until the gate is open, at most so long."""
        given = {"wait": wait is not None, "timeout": wait, **flags}
        return self.call(["gate"], given, answers=(3,))["verdict"]

    def digest(self, budget: int = 0, **flags: Flag) -> Digest:
        """Return the findings as markdown, for the writer of a report."""
        return self.call(["digest"], {"budget": budget, **flags})["digest"]

    def check(self, *reports: str, sources: Sequence[str] = (), **flags: Flag) -> Check:
        """Return the result of all checks. Its "passed" is the verdict.

        An invented figure fails it only if a policy says `trace: {max_unsupported: 0}`: that of
        policy="FILE", or board.yaml in cwd or above. step["trace"]["facts"] has the figures.
        """
        given = {"sources": sources, **flags}
        return self.call(["check", *reports], given, answers=(3, 4))["check"]

    def export(self, file: str, **flags: Flag) -> Exported:
        """Write the run to a .jsonl, .md or .html file."""
        return self.call(["export"], {"output": file, **flags})["export"]

    # The knowledge base: what earlier runs have left, and what later ones shall have.

    def brief(self, task: str, **flags: Flag) -> str:
        """Return what is known about a task, as text for a prompt; "" for nothing."""
        return self.call(["kb", "brief"], {"task": task, **flags})["brief"]["block"]

    def search(self, question: str, **flags: Flag) -> List[Hit]:
        return self.call(["kb", "search", "-"], flags, question)["hits"]

    def remember(self, text: str, title: str, **flags: Flag) -> Capsule:
        """Store what is verified; source="auth.go:42" says where it can be checked."""
        return self.call(["kb", "remember", "-"], {"title": title, **flags}, text)["capsule"]

    def learn(self, text: str, **flags: Flag) -> List[Capsule]:
        """Store the LEARNING: lines of a worker's answer; return the new capsules."""
        return self.call(["kb", "learn", "-"], flags, text)["stored"]

    def promote(self, entry: str, **flags: Flag) -> Capsule:
        """Make a capsule from an entry."""
        return self.call(["kb", "promote", entry], flags)["capsule"]


# An example: two workers, a question, and a report that is held against it all.
if __name__ == "__main__":
    with open("auth.txt", "w", encoding="utf-8") as source:
        source.write("Tokens expire after 30 days.\nNobody rotates the keys.\n")
    reader, writer = Board("from-python", "reader"), Board("from-python", "writer")
    reader.start("How long do tokens live?", sources=["auth.txt"])
    found = reader.post("Tokens expire after 30 days", "auth.txt:1", "expire after 30 days",
                        must=True, key="reader/1")
    reader.ask("Who rotates the keys?", "high", key="reader/2", origin=found["id"])
    print("gate open:", writer.gate()["open"])
    if question := writer.claim():
        writer.answer(question["id"], "Nobody rotates the keys", "auth.txt:2", must=True,
                      key="writer/1")
    print("gate open:", writer.gate(wait="1m")["open"])
    with open("report.md", "w", encoding="utf-8") as report:
        report.write("Tokens expire after 30 days. Nobody rotates the keys.\n")
    print("report passed:", writer.check("report.md")["passed"])
