#!/usr/bin/env bash
# One worker, as a stand-in for an agent: it reads the documents that it was given, posts what it finds there, and asks or answers.
#
#   worker.sh find|answer NAME FOLDER     with BOARD_RUN, BOARD_WORKER and KNOWN set: what earlier runs have learned
#
# ==== YOUR AGENT GOES HERE ====
# With an agent, all below is a call or two, much like these. `board help agents` prints what to tell it about the board.
#
#   find)    your-agent "$(board help agents) $KNOWN The question is: … Read runbook.md and backup.log, and nothing else." ;;
#   answer)  your-agent "$(board help agents) $KNOWN Look at the open questions (board signals), and answer those that your documents answer." ;;
#
# The functions below look for patterns instead, so that the example needs no model and comes out the same each time. What they post they find in the
# documents: another number there is another finding here. Each finding has its source, a verbatim quote, and a key, so that a retry posts nothing twice.
set -euo pipefail

task=$1 name=$2 folder=$3

# look DOCUMENT PATTERN finds the first line that matches, for what is posted next: $quote is the line, ${found[1]} what the first parentheses match.
look() {
  local number=0
  while IFS= read -r quote; do
    number=$((number + 1))
    if [[ $quote =~ $2 ]]; then
      doc=$1 place=$number found=("${BASH_REMATCH[@]}")
      return
    fi
  done <"$folder/$1"
  echo "worker $name: no line of $1 matches $2" >&2
  return 1
}

# cite DOCUMENT PLACE QUOTE names the source of what is posted next, where it is not one line.
cite() { doc=$1 place=$2 quote=$3; }

# post KEY TEXT FLAG… posts a finding, and prints its id.
post() { board post "$2" --key "$name/$1" --source-doc "$doc" --source-ref "$place" --evidence "$quote" -q "${@:3}"; }

# ask KEY QUESTION FLAG… raises what the worker's own documents do not answer.
ask() { board signal "$2" --key "$name/$1" -q "${@:3}" >/dev/null; }

# The log against the runbook.
operations_find() {
  local ends planned late nights first rate entry
  look runbook.md '^Window: [0-9:]+ to ([0-9:]+)'
  ends=${found[1]}
  post window "The nightly backup has to end by $ends" --confidence 1
  look runbook.md '^Rate: ([0-9]+) MB/s'
  planned=${found[1]}
  entry=$(post planned "The runbook plans the backup with $planned MB/s" --confidence 0.7)
  read -r late nights first rate < <(awk -v ends="$ends" 'NR == 1 { next } { n++ } $3 > ends { late++; if (first == "") first = $1 }
    first != "" { sum += $5; slow++ } END { printf "%d %d %s %.0f\n", late, n, (first == "" ? "-" : first), (slow ? sum / slow : 0) }' "$folder/backup.log")
  [ "$late" -gt 0 ] || return 0
  look backup.log "^$first "
  post late "The backup ended after $ends in $late of $nights nights, for the first time on $first" --type calculation --must-surface --confidence 1
  entry=$(post rate "The log has $rate MB/s on average since $first, where the runbook plans with $planned MB/s" --contradicts "$entry" --confidence 0.9)
  ask cause "What has slowed the backup down since $first?" --priority high --origin "$entry"
}

# The changes and the mail about them.
network_find() {
  local limit entry
  look changes.md '^- ([0-9-]+) (CHG-[0-9]+): .* limited to ([0-9]+) MB/s'
  limit=${found[3]}
  entry=$(post limit "${found[2]} limits the line of the rack to $limit MB/s since ${found[1]}" --must-surface --confidence 1)
  ask full "Does a full backup at $limit MB/s fit into the time that the move leaves for it?" --priority critical --origin "$entry"
  look mail.txt '^Lifting the limit takes (.*[0-9]+ working days)'
  post lifting "Lifting the limit takes ${found[1]}" --must-surface --confidence 0.8
  look mail.txt '^For next time: (.*)$'
  post lasting "${found[1]}" --tag lasting --confidence 0.9
}

# The plan of the move, the lease and the disks.
move_find() {
  local ours ends entry rows
  look move-plan.md '^Date: the lorry leaves on ([0-9-]+)'
  post date "The lorry leaves on ${found[1]}" --must-surface --confidence 1
  look move-plan.md '^Before: ([0-9]+) nights in a row'
  entry=$(post before "The move waits for ${found[1]} nights in a row whose backup ends within its window" --must-surface --confidence 1)
  ask nights "How many of the last ${found[1]} nights had a backup that ended within its window?" --priority medium --origin "$entry"
  rows=$(tail -n +2 "$folder/storage.csv")
  cite storage.csv "2-$(($(wc -l <<<"$rows") + 1))" "$rows"
  post volumes "$(awk -F, '{ sum += $2 } END { printf "The %d volumes hold %d GB", NR, sum }' <<<"$rows")" --type calculation --confidence 1
  look move-plan.md '^Lease: .* until ([0-9-]+)'
  ours=${found[1]}
  entry=$(post lease "The move plan counts on the old room until $ours" --confidence 0.6)
  look contract.txt 'lease ends on ([0-9-]+)'
  ends=${found[1]}
  [ "$ends" = "$ours" ] || post contract "The lease ends on $ends by the contract, not on $ours as the move plan has it" --contradicts "$entry" --confidence 1
  look move-plan.md '^Open: ([^?]*[?])'
  entry=$(post open "The move plan leaves a question open: ${found[1]}" --type gap --confidence 1)
  ask open "${found[1]}" --priority high --origin "$entry"
}

# NAME_answer QUESTION sets $answer and its source, or fails: then the question is for another.
operations_answer() {
  local nights ends
  [[ $1 =~ ^'How many of the last '([0-9]+)' nights' ]] || return 1
  nights=${BASH_REMATCH[1]}
  look runbook.md '^Window: [0-9:]+ to ([0-9:]+)' || return 1
  ends=${found[1]}
  cite backup.log "the last $nights lines" "$(tail -n +2 "$folder/backup.log" | tail -n "$nights")"
  answer=$(awk -v ends="$ends" '$3 <= ends { n++; last = ", " $1 " being the last" }
    END { printf "%d of the last %d nights had a backup that ended within its window%s", n, NR, last }' <<<"$quote")
}

network_answer() {
  local since
  [[ $1 =~ ^'What has slowed the backup down since '([0-9-]+) ]] || return 1
  since=${BASH_REMATCH[1]}
  cite changes.md "$(awk -v since="$since" '/^- / && $2 < since { last = NR } END { print last + 0 }' "$folder/changes.md")" ""
  [ "$place" -gt 0 ] || return 1
  quote=$(sed -n "${place}p" "$folder/changes.md")
  answer="The last change before $since is of ${quote#- }"
}

move_answer() {
  local rate hours rows
  [[ $1 =~ ^'Does a full backup at '([0-9]+)' MB/s fit' ]] || return 1
  rate=${BASH_REMATCH[1]}
  look move-plan.md '^Full backup: ([0-9]+) hours' || return 1
  hours=${found[1]}
  rows=$(tail -n +2 "$folder/storage.csv")
  cite storage.csv "2-$(($(wc -l <<<"$rows") + 1))" "$rows"
  answer=$(awk -F, -v rate="$rate" -v hours="$hours" '{ gb += $2 } END {
    needs = gb * 1000 / hours / 3600
    if (needs > int(needs)) needs = int(needs) + 1
    printf "At %d MB/s a full backup of %d GB takes %.1f hours, and the move leaves %d: ", rate, gb, gb * 1000 / rate / 3600, hours
    printf "it %s; it needs %d MB/s", (rate < needs ? "does not fit" : "fits"), needs }' <<<"$rows")
}

case $task in
  find)
    sed -n "s/^- /worker $name begins with: /p" <<<"$KNOWN" >&2
    "${name}_find" >/dev/null
    ;;
  answer)
    ids=$(board signals --status open -q)
    for id in $ids; do
      question=$(board show "$id" | sed -n 's/^  | //p')
      "${name}_answer" "$question" || continue
      code=0
      board claim "$id" -q >/dev/null || code=$?
      case $code in
        0) ;;
        6) continue ;; # somebody else has it, or it is closed by now
        *) exit "$code" ;;
      esac
      board address "$id" "$answer" --source-doc "$doc" --source-ref "$place" --evidence "$quote" --must-surface --confidence 0.9 -q >/dev/null
    done
    board done >/dev/null # itself; the gate waits for it no longer
    ;;
  *)
    sed -n '4s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
