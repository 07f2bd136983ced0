#!/usr/bin/env bash
# Sets up real harnesses with `board setup` in a home directory of their own, has each take one turn against a model server that only answers on this machine, and checks that
#
#   - what the server received has the goal of the topic (which is given when a session starts) and the capsule that the prompt asks for (which is given with the prompt),
#   - the worklog has the tool call that the model made,
#   - a worker that says it ran the tests and did not is kept at the gate, and one that ran them is not (board done --ran),
#   - after `board setup --uninstall` every file that was there before is byte for byte what it was, and none of ours is left.
#
# usage: real-harnesses.sh [claude|codex|gemini|opencode|pi|qwen]…
#
# A harness that is not on $PATH is skipped. They come from npm: @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai @earendil-works/pi-coding-agent @qwen-code/qwen-code (Node 22).
# $BOARD_SHARED is the folder with examples/mock-model.mjs; default: beside the repository. $BOARD is the program; default: it is built. KEEP=1 keeps the directories and says where.
set -uo pipefail
repo=$(cd "$(dirname "$0")/../.." && pwd)
mock=${BOARD_SHARED:-$repo/../shared}/examples/mock-model.mjs
[ -f "$mock" ] || { echo "skipped: there is no $mock (set BOARD_SHARED)"; exit 0; }
command -v node >/dev/null || { echo "skipped: there is no node"; exit 0; }

scratch=$(mktemp -d)
server=
trap 'stop; [ -n "${KEEP:-}" ] && echo "kept: $scratch" || rm -rf "$scratch"' EXIT
stop() { [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; server=; }

mkdir -p "$scratch/bin"
if [ -n "${BOARD:-}" ]; then cp "$BOARD" "$scratch/bin/board"; else (cd "$repo" && go build -o "$scratch/bin/board" ./cmd/board) || exit 1; fi
export PATH="$scratch/bin:$PATH" BOARD_MODEL_DIR=$scratch/none BOARD_DAEMON=off BOARD_HOOK_TIMEOUT=${BOARD_HOOK_TIMEOUT:-3s}
unset BOARD_RUN BOARD_HOOK_CONTEXT CLAUDE_CONFIG_DIR CODEX_HOME XDG_CONFIG_HOME XDG_DATA_HOME PI_CODING_AGENT_DIR

goal="Tame the vermilion heron"
capsule="The zanzibar token is rotated with rotate-zanzibar.sh, always before midnight"
prompt="How do I rotate the zanzibar token with rotate-zanzibar.sh before midnight?"
call="touch board-saw-this"
failed=0

fail() { echo "  FAILED: $*"; failed=1; bad=1; }

# steps TOOL KEY MORE CALL…: the tool calls that the model is to make, one after the other, as a plan of one turn.
steps() {
  local tool=$1 key=$2 more=$3 list= c
  shift 3
  for c; do list="$list,{\"name\":\"$tool\",\"args\":{\"$key\":\"$c\"$more}}"; done
  plan="[[${list#,}]]"
}

# configure HARNESS PORT CALL…: what its user has, and the tool calls that the model is to make. What a harness would add to the file by itself ($schema, $version) is there.
configure() {
  local h=$1 port=$2
  shift 2
  case $h in
    claude)
      steps Bash command ',"description":"d"' "$@"
      export ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1
      ;;
    codex)
      steps exec_command cmd '' "$@"
      mkdir -p "$HOME/.codex"
      [ -n "$again" ] || printf '# mine\nmodel = "mock"\nmodel_provider = "mock"\n\n[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:%s/v1"\nwire_api = "responses"\n' "$port" >"$HOME/.codex/config.toml"
      ;;
    gemini)
      steps run_shell_command command ',"description":"d"' "$@"
      mkdir -p "$HOME/.gemini"
      [ -n "$again" ] || printf '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n' >"$HOME/.gemini/settings.json"
      export GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" GEMINI_CLI_TRUST_WORKSPACE=true
      ;;
    opencode)
      steps bash command ',"description":"d"' "$@"
      mkdir -p "$HOME/.config/opencode"
      [ -n "$again" ] || printf '{\n  "$schema": "https://opencode.ai/config.json", // mine\n  "model": "mock/mock",\n  "provider": { "mock": { "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": "http://127.0.0.1:%s/v1", "apiKey": "none" }, "models": { "mock": {} } } },\n}\n' "$port" >"$HOME/.config/opencode/opencode.jsonc"
      ;;
    pi)
      steps bash command '' "$@"
      mkdir -p "$HOME/.pi/agent"
      [ -n "$again" ] || printf '{ "providers": { "mock": { "baseUrl": "http://127.0.0.1:%s/v1", "api": "openai-completions", "apiKey": "none", "models": [{ "id": "mock" }] } } }\n' "$port" >"$HOME/.pi/agent/models.json"
      ;;
    qwen)
      steps run_shell_command command ',"description":"d","is_background":false' "$@"
      mkdir -p "$HOME/.qwen"
      [ -n "$again" ] || printf '{\n\t"security": { "auth": { "selectedType": "openai" } },\n\t"$version": 4\n}\n' >"$HOME/.qwen/settings.json"
      export OPENAI_API_KEY=none OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_MODEL=mock
      ;;
  esac
}

turn() {
  case $1 in
    claude) claude -p "$prompt" --allowedTools Bash ;;
    codex) codex exec --skip-git-repo-check --sandbox danger-full-access "$prompt" ;;
    gemini) gemini --yolo -p "$prompt" ;;
    opencode) opencode run "$prompt" ;;
    pi) pi --provider mock --model mock -p "$prompt" ;;
    qwen) qwen --yolo -p "$prompt" ;;
  esac
}

# serve HARNESS DIR PORT CALL…: configures the harness and starts the model server.
serve() {
  local h=$1 dir=$2 port=$3
  shift 3
  configure "$h" "$port" "$@"
  MOCK_PLAN=$plan node "$mock" "$port" "$dir/received.jsonl" >"$dir/server.log" 2>&1 &
  server=$!
  for _ in $(seq 50); do grep -q mock "$dir/server.log" && break; sleep 0.1; done
}

# take HARNESS LOG: one turn, and the end of the server.
take() {
  (turn "$1") </dev/null >"$2" 2>&1 &
  local pid=$! left=120
  while kill -0 "$pid" 2>/dev/null && [ $((left--)) -gt 0 ]; do sleep 1; done
  kill "$pid" 2>/dev/null && fail "the turn did not end within two minutes"
  wait "$pid" 2>/dev/null
  stop
}

# proof HARNESS DIR WORKER CODE CALL…: a turn of a worker of a run whose gate asks for the tests, and the exit code that the gate then has.
proof() {
  local h=$1 dir=$2 who=$3 want=$4
  shift 4
  printf 'exit 0\n' >test.sh
  printf 'gate:\n  require_ran: ["sh test.sh"]\n' >board.yaml
  board start "$who" >/dev/null 2>&1 && board expect "$who" --run "$who" >/dev/null 2>&1 && board post "It is mended" --run "$who" --worker "$who" >/dev/null 2>&1 || fail "no run for $who"
  export BOARD_RUN=$who BOARD_WORKER=$who
  again=1 serve "$h" "$dir" "$port" "$@"
  take "$h" "$dir/$who.log"
  unset BOARD_RUN BOARD_WORKER
  board gate --run "$who" >"$dir/$who.gate" 2>&1
  local got=$?
  [ "$got" = "$want" ] || { fail "the gate for the $who worker ended with $got, not $want: $(cat "$dir/$who.gate")"; board watch --since 0 --timeout 0s --run "$who" | sed 's/^/  | /'; }
  echo "  $who: $(grep -v '^policy' "$dir/$who.gate" | head -2 | tr -s ' \n' ' ')"
  rm -f test.sh board.yaml
}

# sums DIR: what each file holds and each link leads to. Ours in the data home are no part of the configuration.
sums() { (cd "$1" && find . \( -type f -exec sha256sum {} + \) -o \( -type l -printf 'link %l %p\n' \) | sort -k 2); }

try() {
  local h=$1 dir=$scratch/$1 bad= again=
  if ! command -v "$h" >/dev/null; then echo "$h: skipped, it is not on \$PATH"; return; fi
  echo "$h: $("$h" --version </dev/null 2>&1 | grep -Eo '[0-9]+[.][0-9.]+' | head -1)"
  mkdir -p "$dir/home" "$dir/project"
  export HOME=$dir/home BOARD_HOME=$dir/data BOARD_SPEC_ROOT=$dir/specs
  local port=$((20000 + RANDOM % 20000))
  serve "$h" "$dir" "$port" "$call"

  cd "$dir/project" && git init -q -b feature . || exit 1
  printf '# heron\n\nGoal: %s\n' "$goal" | board topic edit --file - >/dev/null 2>&1 || fail "the topic was not made" # the branch's: a named one would be given what is known about it at once
  board kb remember "$capsule. Seen in three places." --title "zanzibar token: rotate before midnight with rotate-zanzibar.sh" --kind recipe --scope universal --source notes.md:1 --confidence 0.9 --no-embed >/dev/null 2>&1 || fail "the capsule was not made"
  board kb calibrate >/dev/null 2>&1 || fail "the gate was not calibrated"

  # Set up and taken away again, before the harness itself writes anything.
  sums "$HOME" >"$dir/before"
  board setup "$h" --mcp --skill --yes >"$dir/setup.log" 2>&1 || fail "board setup: $(tail -3 "$dir/setup.log")"
  [ "$(sums "$HOME")" != "$(cat "$dir/before")" ] || fail "board setup changed nothing"
  board setup "$h" --uninstall --yes >"$dir/uninstall.log" 2>&1 || fail "board setup --uninstall: $(tail -3 "$dir/uninstall.log")"
  sums "$HOME" | diff "$dir/before" - >"$dir/left" || fail "taken away at once, the home directory differs: $(cat "$dir/left")"

  board setup "$h" --mcp --skill --yes >"$dir/setup.log" 2>&1 || fail "board setup: $(tail -3 "$dir/setup.log")"
  sums "$HOME" >"$dir/set"
  board setup "$h" --check >"$dir/check.log" 2>&1 || fail "board setup --check: $(cat "$dir/check.log")"
  take "$h" "$dir/turn.log"
  grep -q "$goal" "$dir/received.jsonl" || fail "the model did not receive the goal of the topic"
  grep -q "zanzibar token: rotate before midnight" "$dir/received.jsonl" || fail "the model did not receive the capsule"
  grep -rq "board-saw-this" "$dir/specs" || fail "the worklog has no line of the tool call"
  local done="$scratch/bin/board done --ran 'sh test.sh'" # by its path: some run commands in a login shell
  proof "$h" "$dir" liar 3 "$done"
  proof "$h" "$dir" honest 0 "sh test.sh 2>&1" "$done"
  board setup "$h" --uninstall --yes >"$dir/uninstall.log" 2>&1 || fail "board setup --uninstall: $(tail -3 "$dir/uninstall.log")"
  sums "$HOME" >"$dir/after"
  # The harness writes files of its own; those that were there before have to be the same, and ours to be gone.
  comm -23 <(sort "$dir/before") <(sort "$dir/after") >"$dir/lost"
  [ ! -s "$dir/lost" ] || fail "files differ from what they were before: $(cat "$dir/lost")"
  comm -12 <(comm -13 <(sort "$dir/before") <(sort "$dir/set")) <(sort "$dir/after") >"$dir/ours"
  [ ! -s "$dir/ours" ] || fail "files of ours are left: $(cat "$dir/ours")"
  if [ -z "$bad" ]; then echo "  ok: goal, capsule, worklog, and the home directory as it was"; else
    tail -5 "$dir/turn.log" | sed 's/^/  | /'
    tail -3 "$dir/data/log/hooks.log" 2>/dev/null | sed 's/^/  log: /'
  fi
}

[ $# -gt 0 ] || set -- claude codex gemini opencode pi qwen
for h; do try "$h"; done
exit $failed
