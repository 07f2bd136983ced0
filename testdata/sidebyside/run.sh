#!/usr/bin/env bash
# Measures the context store side by side with the npm package agent-memory-store 0.0.9 and prints the figures as tables in markdown. What is compared, and how: sidebyside_test.go.
#
#   run.sh [SIZE…]     with so many chunks each, 1000 10000 if none is named; FIGURES.md: 1000 10000 50000 100000 250000
#   run.sh --table     only print the tables of what was measured before
#
# The package is installed into a scratch directory, which is removed at the end with everything else: the stores of 250,000 chunks take a gigabyte, in $TMPDIR. A Node.js of 22.5 or newer is
# installed there too if that on the PATH is older. Needs bash, Go, npm and Node.js; where one is missing it skips, and says so.
#
#   BOARD_SIDEBYSIDE   a directory in whose node_modules the package is already: nothing is installed
#   RESULTS            a file that keeps what was measured; a size that is in it is not measured again, so that what was interrupted can be continued
#   ROUNDS             how many rounds (5)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
results=${RESULTS:-$work/results.txt}
touch "$results"
results=$(cd "$(dirname "$results")" && pwd)/$(basename "$results")

say() { printf 'run.sh: %s\n' "$*" >&2; }

# needs skips if one of some programs is missing.
needs() {
  local need
  for need in "$@"; do
    command -v "$need" >/dev/null || { say "skipped: $need is not on the PATH"; exit 0; }
  done
}

install() {
  needs go
  if [ -n "${BOARD_SIDEBYSIDE:-}" ]; then
    BOARD_SIDEBYSIDE=$(cd "$BOARD_SIDEBYSIDE" && pwd)
    export BOARD_SIDEBYSIDE
    return
  fi
  needs npm node
  say "installing agent-memory-store"
  export BOARD_SIDEBYSIDE=$work/npm
  mkdir "$BOARD_SIDEBYSIDE"
  cp "$here/package.json" "$here/package-lock.json" "$BOARD_SIDEBYSIDE"
  (
    cd "$BOARD_SIDEBYSIDE"
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
    if ! node -e "require('node:sqlite')" 2>/dev/null; then
      say "the Node.js on the PATH is too old ($(node --version)): installing one"
      npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "node-$(node -p 'process.platform + "-" + process.arch')@24" >&2
    fi
  )
}

# measure NAME PATTERN ROUNDS LAST: runs benchmarks, and keeps their figures if they came to the last one.
measure() {
  local name=$1 pattern=$2 rounds=$3 last=$4
  if grep -Eq "^Benchmark$last(-[0-9]+)?[[:space:]]" "$results"; then
    say "$name: measured before"
    return
  fi
  say "$name"
  (cd "$repository" && TMPDIR=$work go test -run '^$' -bench "$pattern" -benchtime "${rounds}x" -timeout 1h ./testdata/sidebyside) | tee "$work/now.txt" >&2
  grep -Eq "^Benchmark$last(-[0-9]+)?[[:space:]]" "$work/now.txt" || { say "$name: nothing was measured"; exit 1; }
  grep '^Benchmark' "$work/now.txt" >>"$results"
}

table() {
  awk '
    function short(x) { return sprintf(x >= 10 ? "%.0f" : x >= 1 ? "%.1f" : x >= 0.1 ? "%.2f" : "%.3f", x) }
    function thousands(n) { return n >= 1000 ? thousands(int(n / 1000)) sprintf(",%03d", n % 1000) : n }
    function see(list, key) { if (!((list, key) in seen)) { seen[list, key] = 1; order[list, ++count[list]] = key } }
    function sort_sizes(i, j, n) { # measured in any order
      for (i = 2; i <= count["size"]; i++) {
        n = order["size", i]
        for (j = i - 1; j > 0 && order["size", j] + 0 > n + 0; j--) order["size", j + 1] = order["size", j]
        order["size", j + 1] = n
      }
    }
    function cell(key) {
      if (!((key, "ratio") in v)) return "–"
      return short(v[key, "ours-ms"]) "; " short(v[key, "theirs-ms"]) "; **" short(v[key, "ratio"]) "** (" short(v[key, "ratio-min"]) "–" short(v[key, "ratio-max"]) ")"
    }
    function raced(key, more) {
      if (!((key, "asked") in v)) return "–"
      more = v[key, "acked"] "; " v[key, "survived"]
      if (v[key, "refused"]) more = more "; " v[key, "refused"] " refused"
      if (v[key, "retried"]) more = more "; " v[key, "retried"] " second tries"
      if (v[key, "torn"]) more = more "; " v[key, "torn"] " torn"
      if (v[key, "not-started"]) more = more "; " v[key, "not-started"] " servers did not start"
      return more
    }
    function print_level(level, title, i, j, line) {
      line = "| " title
      for (i = 1; i <= count["size"]; i++) line = line " | " thousands(order["size", i])
      print line " |"
      gsub(/[^|]+/, " --- ", line)
      sub(/^ --- /, "", line)
      print line "|"
      for (j = 1; j <= count[level]; j++) {
        line = "| " order[level, j]
        gsub(/_/, " ", line)
        for (i = 1; i <= count["size"]; i++) line = line " | " cell("SideBySide/" order["size", i] "/" level order[level, j])
        print line " |"
      }
      print ""
    }
    {
      name = $1
      sub(/^Benchmark/, "", name)
      sub(/-[0-9]+$/, "", name)
      if (!/ratio|asked/) next
      for (i = 3; i < NF; i += 2) v[name, $(i + 1)] = $i + 0
      n = split(name, part, "/")
      if (part[1] == "SideBySide") {
        see("size", part[2])
        if (n == 3) see("", part[3])
        else see(part[3] "/", part[4])
      } else see("race", part[2] "/" part[3])
    }
    END {
      sort_sizes()
      print_level("mcp/", "as MCP servers, ms: ours; theirs; **theirs ÷ ours** (of each round)")
      print_level("", "from the start of a server to the list of its tools")
      print_level("process/", "in process")
      if (!count["race"]) exit
      print "| race: servers/what | changes | ours: acknowledged; there in the end | theirs |"
      print "| --- | --- | --- | --- |"
      for (i = 1; i <= count["race"]; i++) {
        key = "Race/" order["race", i]
        what = order["race", i]
        gsub(/_/, " ", what)
        print "| " what " | " v[key "/ours", "asked"] " | " raced(key "/ours") " | " raced(key "/theirs") " |"
      }
    }' "$results"
}

case ${1:-} in
  --table)
    [ -n "${RESULTS:-}" ] || { say "RESULTS does not name the file with what was measured"; exit 2; }
    table
    exit
    ;;
  -*) sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
[ $# -gt 0 ] || set -- 1000 10000
install
for size in "$@"; do
  BOARD_SIDEBYSIDE_SIZES=$size measure "$size chunks" '^BenchmarkSideBySide$' "${ROUNDS:-5}" "SideBySide/$size/process/write"
done
measure "the race" '^BenchmarkRace$' 1 "Race/16/overwritten/theirs"
table
