#!/usr/bin/env bash
# Publishes a scratch copy under another owner's names: it must build, a release must have the same bytes
# wherever it is made, and its packages must install. What this machine has no program for is skipped.
# QUICK=1, as in CI, makes one release only and leaves out vet.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOFLAGS="${GOFLAGS:-} -p=2"

step() { printf -- '-- %s\n' "$*"; }
fail() { echo "publish: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; return 1; }; }

step "other names, in a scratch copy"
mkdir "$work/one"
git ls-files -co --exclude-standard -z | while IFS= read -r -d '' f; do [ ! -f "$f" ] || printf '%s\0' "$f"; done | tar -c --null -T - | tar -x -C "$work/one"
cd "$work/one"
make -s publish SET="MODULE=github.com/zed/tool REPOSITORY=https://github.com/zed/tool NPM=@zed/board PYPI=zed-board"
! grep -rnE '"blackboard/(board|cmd|embed|hooks|kb|testdata|tui)' --include='*.go' . || fail "these still name the old module"
! grep -rn 'OWNER/board' --include='*.txt' --include='*.md' --include='*.yml' --include=Makefile . || fail "these still name the old repository"
[ -z "$(gofmt -l board cmd embed hooks kb testdata tui)" ] || fail "gofmt would change the copy"
go build -o "$work/publish" ./testdata/publish
[ -n "${QUICK:-}" ] || go vet ./...
go test -vet=off -count=1 -run 'TestImports|TestQuietOnTerminal|TestStart' ./cmd/board

step "two releases, of equal bytes"
host=$(go env GOOS)/$(go env GOARCH)
release() { make -s -C "$1" release VERSION=v1.2.3 TARGETS="$host ${TARGETS:-}" SOURCE_DATE_EPOCH=1700000000; }
[ -n "${QUICK:-}" ] || cp -r "$work/one" "$work/two"
release "$work/one"
if [ -n "${QUICK:-}" ]; then
  cp -r "$work/one" "$work/two"
else
  release "$work/two"
  diff "$work/one/dist/SHA256SUMS" "$work/two/dist/SHA256SUMS" || fail "two releases of the same source differ"
fi

dist=$work/one/dist
cd "$dist"
is() { [ "$("$@" version)" = "board v1.2.3" ] || fail "$* version says $("$@" version)"; }
step checksums
have sha256sum && sha256sum --quiet -c SHA256SUMS
[ "$(wc -l <SHA256SUMS)" = "$(find . -type f ! -name SHA256SUMS | wc -l)" ] || fail "SHA256SUMS does not have every file"
if [ "$(go env GOOS)" = linux ]; then
  step .deb
  if have dpkg-deb; then
    deb=board_1.2.3_$(go env GOARCH).deb
    [ "$(dpkg-deb -f "$deb" Version)" = 1.2.3 ] || fail "$deb has another version"
    dpkg-deb -x "$deb" "$work/deb"
    is "$work/deb/usr/bin/board"
    cmp "$work/deb/usr/share/doc/board/THIRD_PARTY_LICENSES" THIRD_PARTY_LICENSES.txt || fail "$deb has not the licences"
  fi
  step .rpm
  if have rpm && have sha256sum; then
    arch=$(go env GOARCH | sed 's/amd64/x86_64/; s/arm64/aarch64/')
    rpm=board-1.2.3-1.$arch.rpm
    [ "$(rpm -qp --queryformat '%{VERSION}' "$rpm")" = 1.2.3 ] || fail "$rpm has another version"
    rpm -K --nosignature "$rpm" >/dev/null
    sum=$(sha256sum <"board-v1.2.3-linux-$(go env GOARCH)")
    [ "$(rpm -qp --queryformat '[%{FILENAMES} %{FILEDIGESTS}\n]' "$rpm" | sed -n 's#^/usr/bin/board ##p')" = "${sum%% *}" ] || fail "$rpm has another program"
  fi
fi
step formula
have ruby && ruby -c board.rb >/dev/null
step "plugin, registry, licences, image, action, snippets"
(cd "$work/one" && BOARD_TEST_DIST=$dist go test -vet=off -count=1 -v -skip '^TestSet' ./testdata/publish) >"$work/tests" 2>&1 || { cat "$work/tests"; fail "the release's own tests"; }
grep -A1 -E '^ *--- SKIP' "$work/tests" || true
# The programs of others say whether they take it, where they are installed.
if have claude; then HOME=$work claude plugin validate --strict plugin || fail "Claude Code refuses the plugin"; fi
if have codex; then
  mkdir "$work/codex"
  CODEX_HOME=$work/codex codex plugin marketplace add "$dist/plugin" >/dev/null && CODEX_HOME=$work/codex codex plugin add board@board >/dev/null || fail "Codex refuses the plugin"
fi
if have gemini; then HOME=$work gemini extensions validate plugin/gemini || fail "Gemini CLI refuses the extension"; fi
if have mcpb; then unzip -o -q ./*-"$(go env GOOS)-$(go env GOARCH)".mcpb manifest.json -d "$work/mcpb" && mcpb validate "$work/mcpb/manifest.json" || fail "mcpb refuses the bundle"; fi

# reviewed DIR makes a directory with a source and a report that it contradicts.
reviewed() {
  mkdir "$1" && cd "$1"
  echo "Tokens expire after 30 days." >auth.txt
  echo "Tokens expire after 90 days." >report.md
  export BOARD_HOME=$1/home
}
step npm
if have npm; then
  reviewed "$work/npm"
  platform=$(node -p 'process.platform + "-" + process.arch')
  npm install --silent --offline --no-audit --no-fund "$dist/zed-board-$platform-1.2.3.tgz" "$dist/zed-board-1.2.3.tgz"
  is npx --offline board
  code=0; npx --offline board gate -r absent >/dev/null 2>&1 || code=$?
  [ "$code" = 5 ] || fail "npx board ends with $code, not with the exit code of board"
  cat >audit.mts <<'EOT'
import { Board, BoardError, type Entry } from "@zed/board";
const reader = new Board("audit-7", "reader-1");
await reader.start("How long do tokens live?", { sources: ["auth.txt"] });
const found: Entry = await reader.post("Tokens expire after 30 days", { source: "auth.txt:1", quote: "after 30 days", must: true });
const check = await reader.check("report.md");
const failed: string[] = check.steps.filter((s) => !s.passed).map((s) => s.name);
console.log(found.id, check.passed, failed.join());
const unsupported: string[] = check.steps.flatMap((s) => s.trace?.facts ?? []).filter((f) => f.verdict === "unsupported").map((f) => f.text);
if (unsupported.length !== 1 || (await reader.post("Tokens expire", { key: "k" })).checked?.doubted) console.log(unsupported);
try { await reader.show("e9"); } catch (e) { console.log(e instanceof BoardError && e.exitCode); }
EOT
  sed 's/, type Entry//; s/: Entry//; s/: string\[\]//' audit.mts >audit.mjs
  [ "$(PATH=$(dirname "$(command -v node)") node audit.mjs 2>&1 | tr '\n' ' ')" = "e1 false survival 5 " ] || fail "the client says $(node audit.mjs 2>&1)"
  sed -n '/^    import/,$s/^    //p' node_modules/@zed/board/README.md >readme.mjs
  BOARD_HOME=$work/npm/second node readme.mjs 2>/dev/null | grep '^survival false ' >/dev/null || fail "the example of the npm package's page does not run"
  if [ "$(node -p '!!process.features.require_module')" = true ]; then
    [ "$(node -p 'typeof require("@zed/board").Board' 2>/dev/null)" = function ] || fail "require() does not take the npm package"
  fi
  # Types: of the newest compiler, if the registry can be reached.
  if npm install --silent --no-audit --no-fund --no-save typescript @types/node "$dist/zed-board-$platform-1.2.3.tgz" "$dist/zed-board-1.2.3.tgz" >/dev/null 2>&1; then
    npx tsc --noEmit --strict --module nodenext --target es2022 --types node audit.mts || fail "tsc refuses what uses the client"
    for wrong in 'const n: number = (await b.post("x")).id' 'await b.ask("x", { priority: "hgih" })' 'await b.postAll([{ content: "x", sorce: "a" }])'; do
      echo "import { Board } from '@zed/board'; const b = new Board('a', 'b'); $wrong;" >wrong.mts
      ! npx tsc --noEmit --strict --module nodenext --target es2022 --types node wrong.mts >/dev/null || fail "tsc takes $wrong"
    done
    mkdir types && cp node_modules/@zed/board/index.mjs types/
    npx tsc --allowJs --checkJs --strict --declaration --emitDeclarationOnly --module nodenext --target es2022 --types node --outDir types/out types/index.mjs
    # Each may stand for the other: versions of tsc write the same types in other words.
    echo 'import * as made from "./out/index.mjs"; import * as ours from "@zed/board"; export const there: typeof made = ours, back: typeof ours = made;' >types/same.mts
    npx tsc --noEmit --strict --module nodenext --target es2022 --types node types/same.mts || fail "index.d.mts has not the types of index.mjs"
  else
    echo "skipped: tsc cannot be had"
  fi
  rm -r node_modules/@zed/board-*
  said=$(npx --offline board version 2>&1) && fail "npx board works without the package of its platform"
  grep -q "the package @zed/board-$platform is not installed" <<<"$said" || fail "the npm package does not say what is missing: $said"
  if have npx; then
    mkdir "$work/npx" && cd "$work/npx"
    [ "$(npx --yes --offline --package "$dist/zed-board-$platform-1.2.3.tgz" --package "$dist/zed-board-1.2.3.tgz" board version)" = "board v1.2.3" ] || fail "npx does not start it"
  fi
fi
step wheel
if have python3 && python3 -c 'import venv, ensurepip' 2>/dev/null; then
  reviewed "$work/pypi"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$dist" zed-board
  is "$work/venv/bin/board"
  is "$work/venv/bin/zed-board"
  is "$work/venv/bin/python" -m board_client
  cat >audit.py <<'EOT'
from board_client import Board, BoardError, Entry
reader = Board("audit-7", "reader-1")
reader.start("How long do tokens live?", sources=["auth.txt"])
found: Entry = reader.post("Tokens expire after 30 days", "auth.txt:1", "after 30 days", must=True)
check = reader.check("report.md")
print(found["id"], check["passed"], *[s["name"] for s in check["steps"] if not s["passed"]])
unsupported = [f["text"] for s in check["steps"] if "trace" in s for f in s["trace"]["facts"] if f["verdict"] == "unsupported"]
if len(unsupported) != 1 or reader.post("Tokens expire", key="k")["checked"]:
    print(unsupported)
try:
    reader.show("e9")
except BoardError as e:
    print(e.exit_code)
EOT
  [ "$(PATH= "$work/venv/bin/python" audit.py 2>&1 | tr '\n' ' ')" = "e1 False survival 5 " ] || fail "the client says $("$work/venv/bin/python" audit.py 2>&1)"
  "$work/venv/bin/python" -c 'import importlib.metadata as m; print(m.metadata("zed-board").get_payload())' | sed -n '/^    from/,$s/^    //p' >readme.py
  BOARD_HOME=$work/pypi/second "$work/venv/bin/python" readme.py 2>/dev/null | grep '^survival False ' >/dev/null || fail "the example of the wheel's page does not run"
  if "$work/venv/bin/pip" install --quiet --disable-pip-version-check mypy >/dev/null 2>&1; then
    "$work/venv/bin/mypy" --strict audit.py || fail "mypy refuses what uses the client"
    for wrong in 'n: int = b.post("x")["id"]' 'b.ask("x", "hgih")' 'b.post_all([{"content": "x", "sorce": "a"}])'; do
      echo "from board_client import Board; b = Board('a', 'b'); $wrong" >wrong.py
      ! "$work/venv/bin/mypy" --strict wrong.py >/dev/null || fail "mypy takes $wrong"
    done
    "$work/venv/bin/mypy" --strict -p board_client || fail "mypy refuses the client"
  else
    echo "skipped: mypy cannot be had"
  fi
  if have uvx; then is uvx --offline --no-index --find-links "$dist" zed-board; fi
  "$work/venv/bin/pip" uninstall --quiet --yes zed-board
  [ ! -e "$work/venv/bin/board" ] || fail "the wheel's RECORD does not have the program"
fi
cd "$dist"
step "without a network"
# No proxy, and a module cache without the programs of others: what a machine has that has only built.
cache=$(go env GOMODCACHE)
mkdir -p "$work/cache/cache/download/github.com" "$work/cache/github.com"
links() { # links DIR: to all in the cache's DIR that is not there yet, but for those programs
  for e in "$cache/$1"/*; do
    case $e in */goreleaser | */!cyclone!d!x) ;; *) [ -e "$work/cache/$1/${e##*/}" ] || ln -s "$e" "$work/cache/$1/" ;; esac
  done
}
for d in github.com cache/download/github.com cache/download cache .; do links $d; done
code=0
said=$(cd "$work/two" && GOMODCACHE=$work/cache GOPROXY=off SOURCE_DATE_EPOCH=1700000000 "$work/publish" packages v1.2.3 dist 2>&1) || code=$?
[ "$code" = 1 ] || fail "without a network the packages are made, with exit code $code"
for words in 'is incomplete' 'cannot run github.com/goreleaser/nfpm' 'cannot run github.com/CycloneDX' 'try: make sure that the Go module proxy can be reached'; do
  grep -qF "$words" <<<"$said" || fail "without a network it does not say \"$words\": $said"
done
[ ! -e "$work/two/dist/SHA256SUMS" ] || fail "an incomplete release has checksums"
echo "publish: well"
