# Python: a client for board, without dependencies

# Save it with `board help python >board_client.py`. It starts the command board for each
# call and reads its JSON: `board help json`. What it retries: `board help output`.

import json
import os
import subprocess
import sys
import time


class BoardError(Exception):
    """What a command could not do, and what to do next: .code, .exit_code, .next_step."""

    def __init__(self, exit_code, error):
        super().__init__("; try: ".join(filter(None, (error["message"], error["try"]))))
        self.exit_code, self.code, self.next_step = exit_code, error["code"], error["try"]


class Board:
    """A run, as one worker sees it."""

    def __init__(self, run, worker, program="board"):
        self.program = program
        self.env = dict(os.environ, BOARD_RUN=run, BOARD_WORKER=worker)

    def call(self, *args, text=None, answers=(), **flags):
        """Run a command. Exit codes in answers are results, not errors.

        must_surface=True is --must-surface; tag=["a", "b"] is --tag a --tag b.
        """
        line = [self.program, *args, "--json"]
        for name, value in flags.items():
            for v in value if isinstance(value, list) else [value]:
                if v is not None and v is not False:
                    line.append("--" + name.replace("_", "-") + ("" if v is True else f"={v}"))
        for pause in (0.2, 1, 5, None):
            done = subprocess.run(line, input=text or "", capture_output=True, encoding="utf-8", env=self.env)
            if done.returncode in (0, *answers):
                sys.stderr.write(done.stderr)  # notes, such as that a run was created
                return json.loads(done.stdout)
            try:  # the error is the last line; notes may stand before it
                error = json.loads(done.stderr.splitlines()[-1])["error"]
            except (IndexError, KeyError, ValueError):
                error = {"code": "failure", "message": done.stderr or f"exit code {done.returncode}", "try": ""}
            if error["code"] not in ("busy", "database_away", "timeout") or pause is None:
                raise BoardError(done.returncode, error)
            time.sleep(pause)

    def new(self, goal, exists_ok=True, **flags):
        """Create the run. One that exists is not changed: a program may start again."""
        return self.call("new", goal=goal, exists_ok=exists_ok, **flags)["state"]

    # With a key, a call that is repeated writes nothing the second time.

    def post(self, text, key, **flags):
        return self.call("post", "-", text=text, key=key, **flags)["entry"]

    def signal(self, text, key, **flags):
        return self.call("signal", "-", text=text, key=key, **flags)["signal"]

    def claim(self, signal=None, **flags):
        """Claim a signal, or the most urgent free one. None: it is taken, or none is free."""
        try:
            return self.call("claim", *([signal] if signal else []), **flags)["signal"]
        except BoardError as e:
            if e.exit_code == 6:
                return None
            raise

    def address(self, signal, text, key, **flags):
        return self.call("address", signal, "-", text=text, key=key, **flags)["entry"]

    def waive(self, signal, reason, **flags):
        """Leave a question open, for a reason that stays on record."""
        return self.call("waive", signal, reason=reason, **flags)["signal"]

    def gate(self, wait=None, **flags):
        """Return the verdict. wait="10m" waits until the gate is open, at most so long."""
        return self.call("gate", answers=(3,), wait=wait is not None, timeout=wait, **flags)["verdict"]

    def query(self, words="", **flags):
        """Return entries, the newest first; order="best" puts the best match first."""
        return self.call("query", *words.split(), **flags)["entries"]

    def expect(self, *workers, **flags):
        return self.call("expect", *workers, **flags)["expected"]

    def done(self, **flags):
        return self.call("done", **flags)["expected"]

    def survival(self, report, **flags):
        return self.call("survival", report, answers=(4,), **flags)["survival"]

    def check(self, *reports, **flags):
        """Return the result of all checks. Its "passed" is the verdict."""
        return self.call("check", *reports, answers=(3, 4), **flags)["check"]

    def digest(self, **flags):
        """Return the findings as markdown, for the writer of a report; budget=4000 limits it."""
        return self.call("export", format="md", **flags)["digest"]["text"]

    def export(self, file, **flags):
        """Write the run to a .jsonl, .md or .html file."""
        return self.call("export", output=file, **flags)["export"]

    # The knowledge base: what earlier runs have left, and what later ones shall have.

    def brief(self, task, **flags):
        """Return what is known about a task, as text for a prompt; "" for nothing."""
        return self.call("kb", "brief", task=task, **flags)["brief"]["block"]

    def learn(self, text, **flags):
        """Store the LEARNING: lines of a worker's answer; return the new capsules."""
        return self.call("kb", "learn", "-", text=text, **flags)["stored"]

    def promote(self, entry, **flags):
        """Make a capsule from an entry."""
        return self.call("kb", "promote", entry, **flags)["capsule"]


if __name__ == "__main__":  # an example: a finding, a question and its answer
    reader, writer = Board("from-python", "reader"), Board("from-python", "writer")
    reader.new("How long do tokens live?")
    found = reader.post("Tokens never expire", "reader/1", source_doc="auth.go", must_surface=True)
    reader.signal("Who rotates the keys?", "reader/2", priority="high", origin=found["id"])
    print("gate open:", writer.gate()["open"])
    if question := writer.claim():
        writer.address(question["id"], "Nobody rotates the keys", "writer/1", source_doc="cron.log")
    print("gate open:", writer.gate(wait="1m")["open"])
    with open("report.md", "w", encoding="utf-8") as report:
        report.write("Tokens never expire. Nobody rotates the keys.\n")
    print("report passed:", writer.check("report.md")["passed"])
