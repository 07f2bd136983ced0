"""Workers of orchestrate.py, as stand-ins for agents.

==== YOUR AGENT GOES HERE ====
find and answer become calls of your agent, with what `board help agents` prints, what is
known from earlier runs, and the documents that it is to read. The methods below look for
patterns instead, so that the example needs no model and comes out the same each time. What
they post they find in the documents. Each finding has its source, a verbatim quote, and a
key, so that a retry posts nothing twice.
"""

import math
import os
import re
import sys


class NotFound(Exception):
    """A document does not have what a worker looks for."""


class Worker:
    def __init__(self, board, name, folder, known):
        self.board, self.name, self.folder = board, name, folder
        self.known = known  # what earlier runs have learned: it belongs in an agent's prompt

    def find(self):
        for line in self.known.splitlines():
            if line.startswith("- "):
                print(f"worker {self.name} begins with: {line[2:]}", file=sys.stderr)
        self.findings()

    def answer(self):
        """Claim and answer the open questions that the worker's documents answer."""
        for signal in self.board.questions(status="open"):
            try:
                says = self.says(signal["content"])
            except NotFound:
                says = None  # the question is for another
            if says and self.board.claim(signal["id"]):  # unless another has it
                text, source = says
                self.board.answer(signal["id"], text, must=True, confidence=0.9, **source)
        self.board.done()  # the gate waits for it no longer

    def lines(self, document):
        with open(os.path.join(self.folder, document), encoding="utf-8") as file:
            return file.read().splitlines()

    def look(self, document, pattern):
        """Return the match of the first line that matches, and its source."""
        for number, line in enumerate(self.lines(document), 1):
            if found := re.search(pattern, line):
                return found, cite(document, number, line)
        raise NotFound(f"worker {self.name}: no line of {document} matches {pattern}")

    def post(self, key, text, source, confidence, **flags):
        return self.board.post(text, key=f"{self.name}/{key}", confidence=confidence, **source, **flags)["id"]

    def ask(self, key, priority, origin, question):
        self.board.ask(question, priority, f"{self.name}/{key}", origin=origin)


def cite(document, place, quote):
    return {"source_doc": document, "source_ref": place, "evidence": quote}


class Operations(Worker):
    """Holds the log against the runbook."""

    def window(self):
        return self.look("runbook.md", r"^Window: [0-9:]+ to ([0-9:]+)")

    def findings(self):
        found, source = self.window()
        ends = found[1]
        self.post("window", f"The nightly backup has to end by {ends}", source, 1)
        found, source = self.look("runbook.md", r"^Rate: ([0-9]+) MB/s")
        plans = found[1]
        planned = self.post("planned", f"The runbook plans the backup with {plans} MB/s", source, 0.7)
        nights = [line.split() for line in self.lines("backup.log")[1:]]
        late = [n for n in nights if n[2] > ends]
        if not late:
            return
        first = late[0][0]
        slow = [float(n[4]) for n in nights if n[0] >= first]
        _, source = self.look("backup.log", f"^{first} ")
        text = f"The backup ended after {ends} in {len(late)} of {len(nights)} nights, for the first time on {first}"
        self.post("late", text, source, 1, type="calculation", must_surface=True)
        mean = sum(slow) / len(slow)
        text = f"The log has {mean:.0f} MB/s on average since {first}, where the runbook plans with {plans} MB/s"
        rate = self.post("rate", text, source, 0.9, contradicts=planned)
        self.ask("cause", "high", rate, f"What has slowed the backup down since {first}?")

    def says(self, question):
        if not (asked := re.match(r"How many of the last ([0-9]+) nights", question)):
            return None
        ends = self.window()[0][1]
        quote = self.lines("backup.log")[1:][-int(asked[1]):]
        nights = [line.split() for line in quote]
        within = [n[0] for n in nights if n[2] <= ends]
        last = f", {within[-1]} being the last" if within else ""
        text = f"{len(within)} of the last {len(nights)} nights had a backup that ended within its window{last}"
        return text, cite("backup.log", f"the last {asked[1]} lines", "\n".join(quote))


class Network(Worker):
    """Reads the changes and the mail about them."""

    def findings(self):
        found, source = self.look("changes.md", r"^- ([0-9-]+) (CHG-[0-9]+): .* limited to ([0-9]+) MB/s")
        since, change, rate = found.groups()
        text = f"{change} limits the line of the rack to {rate} MB/s since {since}"
        limit = self.post("limit", text, source, 1, must_surface=True)
        question = f"Does a full backup at {rate} MB/s fit into the time that the move leaves for it?"
        self.ask("full", "critical", limit, question)
        found, source = self.look("mail.txt", r"^Lifting the limit takes (.*[0-9]+ working days)")
        self.post("lifting", f"Lifting the limit takes {found[1]}", source, 0.8, must_surface=True)
        found, source = self.look("mail.txt", r"^For next time: (.*)$")
        self.post("lasting", found[1], source, 0.9, tag="lasting")

    def says(self, question):
        if not (asked := re.match(r"What has slowed the backup down since ([0-9-]+)", question)):
            return None
        changes = enumerate(self.lines("changes.md"), 1)
        before = [(n, line) for n, line in changes if line.startswith("- ") and line[2:] < asked[1]]
        if not before:
            return None
        number, line = before[-1]
        return f"The last change before {asked[1]} is of {line[2:]}", cite("changes.md", number, line)


class Move(Worker):
    """Reads the plan of the move, the lease and the list of disks."""

    def volumes(self):
        rows = self.lines("storage.csv")[1:]
        gb = sum(float(row.split(",")[1]) for row in rows)
        return len(rows), gb, cite("storage.csv", f"2-{len(rows) + 1}", "\n".join(rows))

    def findings(self):
        found, source = self.look("move-plan.md", r"^Date: the lorry leaves on ([0-9-]+)")
        self.post("date", f"The lorry leaves on {found[1]}", source, 1, must_surface=True)
        found, source = self.look("move-plan.md", r"^Before: ([0-9]+) nights in a row")
        text = f"The move waits for {found[1]} nights in a row whose backup ends within its window"
        before = self.post("before", text, source, 1, must_surface=True)
        question = f"How many of the last {found[1]} nights had a backup that ended within its window?"
        self.ask("nights", "medium", before, question)
        number, gb, source = self.volumes()
        self.post("volumes", f"The {number} volumes hold {gb:.0f} GB", source, 1, type="calculation")
        ours, source = self.look("move-plan.md", r"^Lease: .* until ([0-9-]+)")
        text = f"The move plan counts on the old room until {ours[1]}"
        lease = self.post("lease", text, source, 0.6)
        ends, source = self.look("contract.txt", r"lease ends on ([0-9-]+)")
        if ends[1] != ours[1]:
            text = f"The lease ends on {ends[1]} by the contract, not on {ours[1]} as the move plan has it"
            self.post("contract", text, source, 1, contradicts=lease)
        found, source = self.look("move-plan.md", r"^Open: ([^?]*[?])")
        text = f"The move plan leaves a question open: {found[1]}"
        self.ask("open", "high", self.post("open", text, source, 1, type="gap"), found[1])

    def says(self, question):
        if not (asked := re.match(r"Does a full backup at ([0-9]+) MB/s fit", question)):
            return None
        rate = int(asked[1])
        hours = int(self.look("move-plan.md", r"^Full backup: ([0-9]+) hours")[0][1])
        _, gb, source = self.volumes()
        needs = math.ceil(gb * 1000 / hours / 3600)
        fits = "does not fit" if rate < needs else "fits"
        text = (f"At {rate} MB/s a full backup of {gb:.0f} GB takes {gb * 1000 / rate / 3600:.1f} hours, "
                f"and the move leaves {hours}: it {fits}; it needs {needs} MB/s")
        return text, source


WORKERS = {"operations": Operations, "network": Network, "move": Move}
