#!/usr/bin/env python3
"""An orchestrator. The script orchestrate.sh and the Go program do the same.

It begins with what earlier runs have learned. Three workers read a folder of documents,
put what they find on a board, and answer each other's questions. When the gate is open, a
report is written and checked against the documents, and what will be of use after the run
goes to the knowledge base.

    orchestrate.py FOLDER [RUN] [REPORT]     RUN: made from the time; REPORT: report.md

The same RUN again goes on where it stopped, and posts nothing twice. Documents that have
changed need a new RUN: a key belongs to the text that was first posted under it. Exit codes
are those of board: 0 done, 2 a wrong command line, 3 a question keeps the gate closed, 4 a
check failed, 6 a key was used for another text, 1 anything else.

It needs board in $PATH, and its client in $PYTHONPATH: board help python >board_client.py
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # no directories of the interpreter among the examples

from board_client import Board, BoardError
import worker

# What is yours: the question, who works on it (worker.py), where a person's decisions
# stand, and what the lessons are about.
QUESTION = "Why did the nightly backup miss its window, and what must change before the move?"
DECISIONS = "move-plan.md"
DOMAIN = "backup"


class Closed(Exception):
    """The gate is closed."""


class Failed(Exception):
    """A check failed."""


def say(text):
    print(f"\n== {text}", flush=True)


def fan_out(task):
    """Have all workers do a task at the same time.

    One that fails does not stop the others, but its error ends the run.
    """
    with ThreadPoolExecutor(len(worker.WORKERS)) as pool:
        jobs = [pool.submit(task, *names) for names in worker.WORKERS.items()]
    for job in jobs:
        job.result()


def gate(lead, **flags):
    """Print the gate's verdict, and return whether it is open."""
    verdict = lead.gate(**flags)
    print("gate:", "open" if verdict["open"] else "CLOSED")
    for reason in verdict["reasons"]:
        print(f"  {reason['id'] or reason['worker']}  {reason['content']}")
    return verdict["open"]


def required(digest, mark):
    """What a digest says the report must have: findings, or questions."""
    lines = ""
    for line in digest.splitlines():
        if line.startswith(mark):
            head, _, says = line.partition(": ")
            lines += f"- {says} [{head.split()[1]}]\n"
    return lines


def main(folder, run, report):
    lead = Board(run, "lead")

    say("What earlier runs have learned about the question goes into each worker's prompt")
    lead.start(QUESTION)
    lead.expect(*worker.WORKERS)  # the gate is closed until each is done
    known = lead.brief(QUESTION)
    print(known or "earlier runs have learned nothing about it")

    say("Three workers read the folder, and ask what their documents do not answer")
    fan_out(lambda name, agent: agent(Board(run, name), name, folder, known).find())
    gate(lead)

    say("The workers answer each other's questions. A critical one that is left ends the run")
    fan_out(lambda name, agent: agent(Board(run, name), name, folder, known).answer())
    if not gate(lead, block="critical"):
        raise Closed

    say("A person decides what no document answers: here, what the plan says about it")
    with open(os.path.join(folder, DECISIONS), encoding="utf-8") as plan:
        lines = plan.read().splitlines()
    for signal in lead.questions(status="open", priority=["critical", "high"]):
        begin = f"Open: {signal['content']} "
        for line in lines:
            if line.startswith(begin):
                lead.waive(signal["id"], line[len(begin):])
    if not lead.call(["verify"], {"sources": folder}, answers=(4,))["verify"]["passed"]:
        raise Failed
    if not gate(lead, require_source=True, require_verified=True):
        raise Closed

    say("The report. A model would write it from the digest; here it is the findings")
    digest = lead.digest(budget=8000)["text"]
    text = f"# {QUESTION}\n\n## Findings\n\n" + required(digest, "! e")
    write(report, text)
    survival = lead.call(["survival", report], answers=(4,))["survival"]
    print(f"{report}: {survival['checked'] - survival['missing']} of {survival['checked']} items present")
    if not survival["passed"]:  # it forgets what was left open
        write(report, text + "\n## Left open\n\n" + required(digest, "! s"))
    check = lead.check(report, sources=folder)
    print(f"check of {run}: {'passed' if check['passed'] else 'FAILED'}")
    for step in check["steps"]:
        print(f"  {step['name']}: {step['headline']}")
    if not check["passed"]:
        raise Failed

    say("What holds beyond the run goes to the knowledge base")
    for entry in lead.query(tag="lasting"):
        try:
            lead.promote(entry["id"], kind="gotcha", scope="domain", domain=DOMAIN, verified_by="lead")
        except BoardError as e:
            if e.exit_code != 6:  # 6: it is there already
                raise
    print(f"{report} is written; board show --run {run}")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    args = sys.argv[1:]
    if not 1 <= len(args) <= 3 or not os.path.isdir(args[0]):
        sys.exit(print("usage: orchestrate.py FOLDER [RUN] [REPORT]", file=sys.stderr) or 2)
    args += [None, time.strftime(DOMAIN + "-%Y%m%d-%H%M%S"), "report.md"][len(args):]
    try:
        main(*args)
    except Closed:
        sys.exit(3)
    except Failed:
        sys.exit(4)
    except BoardError as e:
        print(f"orchestrate.py: {e}", file=sys.stderr)
        sys.exit(e.exit_code)
    except (OSError, worker.NotFound) as e:
        sys.exit(f"orchestrate.py: {e}")
