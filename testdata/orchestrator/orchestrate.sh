#!/usr/bin/env bash
# An orchestrator. It begins with what earlier runs have learned. Three workers read a
# folder of documents, put what they find on a board, and answer each other's questions.
# When the gate is open, a report is written, all is checked from the documents to the
# report, and what will be of use after the run goes to the knowledge base.
#
#   orchestrate.sh FOLDER [RUN] [REPORT]     RUN: made from the time; REPORT: report.md
#
# The same RUN again goes on where it stopped, and posts nothing twice. Documents that have changed need a new RUN: a key belongs to what was first said under it.
# Needs `board` in $PATH. Exit codes are those of board: 0 done, 2 a wrong command line, 3 a question is left that keeps the gate closed, 4 a check failed:
# the report lacks something, or a quote is wrong, 6 a key was used for another content, 1 anything else.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 1 ] || [ $# -gt 3 ] || ! [ -d "$1" ]; then
  sed -n '7s/^# *//p' "$0" >&2
  exit 2
fi
folder=$1 report=${3:-report.md}

# What is yours: the question, who works on it (worker.sh), where a person's decisions
# stand, and what the lessons are about.
question="Why did the nightly backup miss its window, and what must change before the move?"
workers=(operations network move)
decisions=move-plan.md
domain=backup

export BOARD_RUN=${2:-$domain-$(date +%Y%m%d-%H%M%S)} BOARD_WORKER=lead # who and where, for every board command from here on

say() { printf '\n== %s\n' "$*"; }

# expect CODES COMMAND… runs a command whose exit code is an answer, such as that of a closed gate, and leaves it in $code. Any other code ends the run.
expect() {
  local codes=" $1 "
  shift
  code=0
  "$@" || code=$?
  [[ $codes == *" $code "* ]] || exit "$code"
}

# start TASK has all workers begin a task at the same time, each under its own name; gather waits for them.
# A worker that fails does not stop the others, but it ends the run, with the first exit code. So does a signal, and it ends the workers too.
start() {
  local name
  pids=()
  for name in "${workers[@]}"; do
    BOARD_WORKER=$name bash "$here/worker.sh" "$1" "$name" "$folder" &
    pids+=("$!")
  done
  trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT
}

gather() {
  local pid failed=0 code
  for pid in "${pids[@]}"; do
    code=0
    wait "$pid" || code=$?
    [ "$failed" != 0 ] || failed=$code
  done
  trap - EXIT
  [ "$failed" = 0 ] || exit "$failed"
}

# required e, required s: what the digest says the report must have, findings or questions.
required() { awk -v mark="! $1" 'index($0, mark) == 1 { print "- " substr($0, index($0, ": ") + 2) " [" $2 "]" }' <<<"$digest"; }

say "What earlier runs have learned about the question goes into the prompt of each worker"
board new "$BOARD_RUN" --goal "$question" --exists-ok
board expect "${workers[@]}" # the gate is closed until each has said that it is done
KNOWN=$(board kb brief "$question")
export KNOWN
echo "${KNOWN:-earlier runs have learned nothing about it}"

say "Three workers read the folder, each its own documents, and ask what these do not answer"
start find
gather
board signals

say "May the report be written? Exit code 3 means no"
expect "0 3" board gate
echo "(exit code $code)"

say "The workers answer each other's questions. What is critical decides all else: if it is open when they are done, the run ends here"
start answer
gather
board gate --block critical # 3 ends the run here. Where people answer too: --wait --timeout 30m
board signals

say "What nobody's documents answer is a person's decision: here, what the plan itself says about its open question"
ids=$(board signals --status open --priority critical --priority high -q) # by itself, since a failure within "for" would go unnoticed
for id in $ids; do
  asked=$(board show "$id" | sed -n 's/^  | //p')
  reason=$(awk -v asked="Open: $asked " 'index($0, asked) == 1 { print substr($0, length(asked) + 1) }' "$folder/$decisions")
  [ -z "$reason" ] || board waive "$id" "$reason"
done
board verify --sources "$folder" # 4 ends the run here: a quote does not stand in its document
board gate --require-source --require-verified # 3 ends the run here: a question is left, or a finding that must surface names no source

say "The draft of the report. A model would write it from this digest; here it is the findings, as they are, without what was left open"
digest=$(board export --format md --budget 8000)
{
  printf '# %s\n\n## Findings\n\n' "$question"
  required e
} >"$report"
expect "0 4" board survival "$report"
echo "(exit code $code)"

say "The report is mended: it says what was left open, and why. One check of all, from the documents to the report"
{
  printf '\n## Left open\n\n'
  required s
} >>"$report"
board check "$report" --sources "$folder" # 4 ends the run here: a quote is wrong, or the report still lacks something

say "What holds beyond the run goes to the knowledge base, and the next run begins with it. Exit code 6: it is there already"
ids=$(board query --tag lasting -q)
for id in $ids; do
  expect "0 6" board kb promote "$id" --kind gotcha --scope domain --domain "$domain" --verified-by "$BOARD_WORKER"
done

say "The end: $report is written, and the run is there to look at (board show e1, board tui)"
board show
