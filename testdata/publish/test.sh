#!/usr/bin/env bash
# Publishes a scratch copy under another owner's names: it must build, a release must have the same bytes
# wherever it is made, and its packages must install. What this machine has no program for is skipped.
# QUICK=1, as in CI, makes one release only and leaves out vet.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOFLAGS=-p=2

step() { printf -- '-- %s\n' "$*"; }
fail() { echo "publish: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; return 1; }; }

step "other names, in a scratch copy"
mkdir "$work/one"
git ls-files -co --exclude-standard -z | while IFS= read -r -d '' f; do [ ! -f "$f" ] || printf '%s\0' "$f"; done | tar -c --null -T - | tar -x -C "$work/one"
cd "$work/one"
make -s publish SET="MODULE=github.com/zed/tool REPOSITORY=https://github.com/zed/tool NPM=@zed/board PYPI=zed-board"
! grep -rnE '"blackboard/(board|cmd|embed|hooks|kb|testdata|tui)' --include='*.go' . || fail "these still name the old module"
! grep -rn 'OWNER/board' --include='*.txt' --include='*.md' --include=Makefile . || fail "these still name the old repository"
[ -z "$(gofmt -l board cmd embed hooks kb testdata tui)" ] || fail "gofmt would change the copy"
go build -o "$work/publish" ./testdata/publish
[ -n "${QUICK:-}" ] || go vet ./...
go test -count=1 -run 'TestImports|TestQuietOnTerminal|TestStart' ./cmd/board

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
if [ "$(go env GOOS)" = linux ]; then
  step .deb
  if have dpkg-deb; then
    deb=board_1.2.3_$(go env GOARCH).deb
    [ "$(dpkg-deb -f "$deb" Version)" = 1.2.3 ] || fail "$deb has another version"
    dpkg-deb -x "$deb" "$work/deb"
    is "$work/deb/usr/bin/board"
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
step npm
if have npm; then
  mkdir "$work/npm" && cd "$work/npm"
  platform=$(node -p 'process.platform + "-" + process.arch')
  npm install --silent --offline --no-audit --no-fund "$dist/zed-board-$platform-1.2.3.tgz" "$dist/zed-board-1.2.3.tgz"
  is npx --offline board
  code=0; npx --offline board gate -r absent >/dev/null 2>&1 || code=$?
  [ "$code" = 5 ] || fail "npx board ends with $code, not with the exit code of board"
  rm -r node_modules/@zed/board-*
  said=$(npx --offline board version 2>&1) && fail "npx board works without the package of its platform"
  grep -q "the package @zed/board-$platform is not installed" <<<"$said" || fail "the npm package does not say what is missing: $said"
fi
step wheel
if have python3 && python3 -c 'import venv, ensurepip' 2>/dev/null; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$dist" zed-board
  is "$work/venv/bin/board"
  "$work/venv/bin/pip" uninstall --quiet --yes zed-board
  [ ! -e "$work/venv/bin/board" ] || fail "the wheel's RECORD does not have the program"
fi
step "without a network"
# An empty module cache and no proxy: what a machine without a network has.
code=0
said=$(cd "$work/two" && GOMODCACHE=$work/empty GOPROXY=off SOURCE_DATE_EPOCH=1700000000 "$work/publish" packages v1.2.3 dist 2>&1) || code=$?
[ "$code" = 1 ] || fail "without a network the packages are made, with exit code $code"
for words in 'is incomplete' 'cannot run github.com/goreleaser/nfpm' 'cannot run github.com/CycloneDX' 'try: make sure that the Go module proxy can be reached'; do
  grep -qF "$words" <<<"$said" || fail "without a network it does not say \"$words\": $said"
done
[ ! -e "$work/two/dist/SHA256SUMS" ] || fail "an incomplete release has checksums"
echo "publish: well"
