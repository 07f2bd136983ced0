#!/usr/bin/env bash
# Makes the README's pictures from real screens: runs the program in a terminal of its own (tmux), in a data home of its own, types, waits for what must come, and draws what is seen.
#
#   make.sh [--out DIR] [--optional]   make the pictures, beside this script or in DIR; --optional: it is no failure if tmux is missing
#   make.sh --fill DIR                 only make a data home to try things on, in DIR, which must be empty or new
#
# Needs bash 5 and Go, and for the pictures tmux 3.2 or newer.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
out=$here
optional=
fill_only=
# What no picture may show: where it was made, and by whom.
private_paths=("$repository" "$HOME")
private_names=("$(id -un)" "$(uname -n)")

fail() {
  printf 'make.sh: %s\n' "$*" >&2
  exit 1
}

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --optional) optional=yes ;;
    --out | --fill)
      [ $# -gt 1 ] && [ -n "$2" ] || usage
      if [ "$1" = --out ]; then out=$2; else fill_only=$2; fi
      shift
      ;;
    *) usage ;;
  esac
  shift
done

# shellcheck source=fill.sh
. "$here/fill.sh"

work=$(mktemp -d)
private_paths+=("$work")
server=board-screens-$$
terminal() { TMUX_TMPDIR=$work tmux -L "$server" -f /dev/null "$@"; }
cleanup() {
  terminal kill-server 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

# build makes the programs, and takes the caller's settings out of their way.
build() {
  local name
  mkdir "$work/bin"
  (cd "$repository" && CGO_ENABLED=0 go build -trimpath -o "$work/bin/" ./cmd/board ./testdata/screens/svg)
  for name in "${!BOARD_@}" "${!XDG_@}" "${!TMUX@}" NO_COLOR; do
    unset "$name"
  done
  export PATH=$work/bin:$PATH HOME=$work/home BOARD_DAEMON=off BOARD_RUN=sessions-audit TZ=UTC LC_ALL=C.UTF-8 COLORTERM=truecolor
  mkdir "$HOME"
}

# start WIDTHxHEIGHT COMMAND… runs a command in a new terminal, without a prompt. What it leaves stays on the screen.
start() {
  size=$1
  terminal start-server \; set-option -g exit-empty off \; set-option -g status off \; set-option -g remain-on-exit on \; set-option -g escape-time 0 \; \
    set-option -g default-terminal tmux-256color \; new-session -d -s screen -x "${size%x*}" -y "${size#*x}" "${@:2}"
}

stop() { terminal kill-session -t screen; }

# captured prints the screen with its styles, as testdata/screens/svg reads it; seen prints it as text.
captured() { terminal capture-pane -e -p -N -t screen; }
seen() { terminal capture-pane -p -t screen; }

# missing TEXT says that a text did not come, and shows what did.
missing() {
  local text
  text=$(seen)
  fail "\"$1\" did not come; on the screen is:"$'\n'"$text"
}

# settle waits until the screen shows something and has not changed for a while; something that always moves is waited for no longer than 5 seconds.
settle() {
  local i now before=
  for ((i = 0; i < 50; i++)); do
    now=$(captured)
    if [ -n "${now//[[:space:]]/}" ] && [ "$now" = "$before" ]; then return; fi
    before=$now
    sleep 0.1
  done
}

# discreet NAME SCREEN fails if a captured screen shows what is private. A path may go on in the next line.
discreet() {
  local text word
  text=$(sed $'s/\e\\[[0-9;:]*m//g' <<<"$2")
  for word in "${private_paths[@]}"; do
    if [ ${#word} -gt 1 ] && grep -qF -e "$word" <<<"${text//$'\n'/}"; then fail "the picture $1 would show the path $word:"$'\n'"$text"; fi
  done
  for word in "${private_names[@]}"; do
    if [ -n "$word" ] && grep -qwF -e "$word" <<<"$text"; then fail "the picture $1 would show the name $word:"$'\n'"$text"; fi
  done
}

# draw NAME TITLE SCREEN… makes a picture of screens of the terminal's size. It must stay small: it lies in the repository.
draw() {
  local bytes
  svg -columns "${size%x*}" -rows "${size#*x}" -title "$2" -hold "${hold:-8}" -o "$work/$1.svg" "${@:3}"
  bytes=$(wc -c <"$work/$1.svg")
  [ "$bytes" -le 150000 ] || fail "$1.svg has $bytes bytes, of 150000 at most: show less"
  mkdir -p "$out"
  mv "$work/$1.svg" "$out/$1.svg"
  printf '%s.svg: screens %d, bytes %d\n' "$1" $(($# - 2)) "$bytes"
}

# record NAME WIDTHxHEIGHT TITLE UNTIL COMMAND… makes an animation of what a command shows until a text comes, two minutes at most. The screen is looked at about five times a
# second, and shown at half the speed, so that it can be read.
record() {
  local name=$1 title=$3 until=$4 i now before= began tenths frames=()
  start "$2" sh -c '"$@"; exec sleep 600' sh "${@:5}"
  began=${EPOCHREALTIME/[.,]/} # in microseconds
  for ((i = 0; i < 600; i++)); do
    now=$(captured)
    if [ -n "${now//[[:space:]]/}" ] && [ "$now" != "$before" ]; then
      discreet "$name" "$now"
      tenths=$(((${EPOCHREALTIME/[.,]/} - began) / 100000 * 2))
      printf '%s\n' "$now" >"$work/$name-$i"
      frames+=("$work/$name-$i@$((tenths / 10)).$((tenths % 10))")
      before=$now
    fi
    if grep -qF -e "$until" <<<"$now"; then
      stop
      draw "$name" "$title" "${frames[@]}"
      return
    fi
    sleep 0.2
  done
  missing "$until"
}

# walk NAME WIDTHxHEIGHT TITLE STEP… makes an animation of `board tui`: each step is keys as tmux names them, with spaces between, and is shown for two seconds.
walk() {
  local name=$1 title=$3 key step now at=0 frames=()
  start "$2" board tui --worker lead
  shift 3
  for step in "" "$@"; do
    for key in $step; do
      terminal send-keys -t screen -- "$key"
      settle
    done
    settle
    now=$(captured)
    discreet "$name" "$now"
    printf '%s\n' "$now" >"$work/$name-$at"
    frames+=("$work/$name-$at@$at.0")
    at=$((at + 2))
  done
  stop
  hold=2 draw "$name" "$title" "${frames[@]}"
}

if [ -n "$fill_only" ]; then
  if [ -n "$(ls -A "$fill_only" 2>/dev/null)" ]; then fail "$fill_only is not empty: name a directory that is, or a new one"; fi
  fill_only=$(umask 077 && mkdir -p "$fill_only" && cd "$fill_only" && pwd)
  build
  export BOARD_HOME=$fill_only BOARD_WORKSPACE=$fill_only/workspace
  fill
  printf 'export BOARD_HOME=%q BOARD_WORKSPACE=%q BOARD_RUN=%q\n' "$BOARD_HOME" "$BOARD_WORKSPACE" "$BOARD_RUN"
  exit
fi

if ! command -v tmux >/dev/null; then
  if [ -n "$optional" ]; then
    echo "skipped: tmux is not installed"
    exit
  fi
  fail "tmux is not installed: install tmux 3.2 or newer (--optional does without the pictures)"
fi
build
export BOARD_HOME=$work/data BOARD_WORKSPACE=$work/workspace # before the terminal is started, which hands on what it finds
record demo 100x30 "board demo: a run of three workers, from the first finding to the report that carries all of them, and to the run that begins with them" "everything else" board demo

fill
walk tui-walk 120x34 "board tui: what blocks, who contradicts whom, what has changed since a moment, and the knowledge base" \
  "2" "Enter" "Escape : d i s p u t e d" "Enter Enter" "Escape Escape 1" "{" "{" "=" "Escape L" "K s i g n i n g Space k e y"
