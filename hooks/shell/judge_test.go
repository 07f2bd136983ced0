package shell

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// history is one labelled history: what a worker did, and what is true of a claim of his.
type history struct {
	ID, Claim, Cwd, Label, Why string
	Events                     []struct {
		Kind, Path, Command, Cwd string
		Exit                     *int
	}
}

// TestHistories judges histories that were labelled by somebody who did not know the code.
// tune was open to its author. unread was not until it was judged, once: 56 of 60 were right.
// Its four misses, true claims in rare forms, were mended after that. unread2 was judged once,
// then: 59 of 60, and nothing was changed for it.
func TestHistories(t *testing.T) {
	for _, set := range []struct {
		name  string
		floor float64
	}{{"tune", .97}, {"unread", .97}, {"unread2", .97}} {
		f := expect.Value(os.Open(filepath.Join("testdata", "ran", set.name+".jsonl")))(t)
		defer f.Close()
		right, all := 0, 0
		for lines := bufio.NewScanner(f); lines.Scan(); all++ {
			var h history
			expect.OK(t, json.Unmarshal(lines.Bytes(), &h))
			var seen []Seen
			for _, e := range h.Events {
				dir := e.Cwd
				if dir == "" {
					dir = h.Cwd
				}
				seen = append(seen, Seen{Command: e.Command, Path: e.Path, Dir: dir, Exit: e.Exit})
			}
			claim := Claim{Command: h.Claim, Dir: h.Cwd}
			if got := Judge(claim, seen); got.Verdict == h.Label {
				right++
			} else {
				t.Logf("%s: %s, labelled %s: %s (%s)", h.ID, got.Verdict, h.Label, h.Why, got.Why)
			}
		}
		t.Logf("%s: %d of %d", set.name, right, all)
		if float64(right) < set.floor*float64(all) {
			t.Errorf("%s: %d of %d are right", set.name, right, all)
		}
	}
}

// TestForms: a true claim is taken in whatever form a harness runs it, and one whose exit code
// is lost, or that does less, in none.
func TestForms(t *testing.T) {
	zero := 0
	for _, c := range []struct{ claim, passed, not string }{
		{"go test ./...", `
go test ./...
cd /repo && go test ./...
bash -lc 'go test ./...'
bash -lc "cd /repo && go test ./..."
/bin/zsh -lc 'go test ./...'
bash -eo pipefail -c 'go test ./... | tail -5; echo done'
timeout 600 go test ./...
timeout -k 5 600s go test ./...
env CGO_ENABLED=0 go test ./...
GOFLAGS=-mod=mod CI=1 true && go test ./...
go test ./... 2>&1
go test ./... > /tmp/out.log 2>&1
set -o pipefail && go test ./... 2>&1 | tail -40
set -euo pipefail; go test ./... 2>&1 | tee out.log | tail -3; echo ok
set -e; go vet ./...; go test ./...; echo done
go test ./... 2>&1 | tee test.log; exit ${PIPESTATUS[0]}
go test ./... 2>&1 | tail; test ${PIPESTATUS[0]} -eq 0
go test ./... > log; rc=$?; tail -5 log; exit $rc
go test ./... || { echo failed; exit 1; }
go test ./... || exit 1; echo fine
if go test ./...; then echo ok; else echo bad; exit 1; fi
if ! go test ./...; then exit 1; fi
(go test ./...)
{ go test ./...; }
time go test ./...
nice -n 19 go test ./...
nohup go test ./...
sudo -E go test ./...
sudo -u dev -- go test ./...
docker compose exec -T app go test ./...
docker run --rm -v "$PWD":/src -w /src golang:1.26 go test ./...
docker exec -it app bash -c 'cd /src && go test ./...'
kubectl exec -n ci deploy/app -c app -- go test ./...
go test -v -race -count=1 -timeout 5m ./...
go -C /repo test ./...
out=$(go test ./... 2>&1) || { echo "$out"; exit 1; }
go test ./...; [ $? -eq 0 ] || exit 1; echo ok
bash <<'EOF'
eval "go test ./..."
f() { go test ./...; }; f
echo start; go test ./...
git status; cd . && go test ./...
strace -f go test ./...
make lint && go test ./... && echo ok
direnv exec . go test ./...
go test ./... ./cmd/...
script -qec 'go test ./...' /dev/null`, `
go test ./... | tail -40
go test ./... || true
go test ./... || echo failed
go test ./...; echo $?
go test ./... &
echo "go test ./..."
# go test ./...
go test ./... -run TestX
go test -short ./...
go test ./store/...
go test -run '^$' ./...
go list ./...
cd /srv/other && go test ./...
cd web && go test ./...
(cd web && go test ./...)
ssh host 'cd /repo && go test ./...'
if [ -f go.mod ]; then go test ./...; fi
alias go=true; go test ./...
go() { true; }; go test ./...
GOFLAGS=-run=None go test ./...
trap 'exit 0' EXIT; go test ./...
printf 'go test ./...' > run.sh
exit 0; go test ./...
docker run -d golang go test ./...
git commit -m 'go test ./...'
go test ./... ; exit 0
watch -n 5 go test ./...
echo $(go test ./...)
cat <<'EOF'`},
		{"npm test", `
npm test
npm t
npm run test
npm test --silent
npm test -- --coverage --ci
CI=1 npm test
npm --prefix /repo test
npm ci && npm test
npm test 2>&1`, `
npm test -- --grep login
npm run test:unit
npm run build
npm test -w web
npm install
npm test; true
cd web && npm test`},
		{"pytest", `
pytest
pytest -q
pytest -vv -x --tb=short
python -m pytest
python3 -m pytest -q
uv run pytest
uv run --frozen pytest -q
poetry run pytest
.venv/bin/pytest
pytest -n auto
pytest .
pytest --cov=src --cov-report=term
source .venv/bin/activate && pytest`, `
pytest tests/test_a.py
pytest -k login
pytest -m 'not slow'
pytest --collect-only
pytest --lf
pytest --version
PYTEST_ADDOPTS='-k x' pytest
pytest --deselect a::b`},
		{"pytest tests/api", "pytest tests/api/\npytest -v tests/api tests/web\npytest", "pytest tests/web\npytest tests/api/test_a.py"},
		{"make test", "make test\nmake -j8 test\nmake lint test\nmake -C /repo test\nmake test V=1", "make\nmake -n test\nmake test TESTS=a\nmake tests\nmake -i test"},
		{"cargo test", "cargo test\ncargo t\ncargo +nightly test\ncargo test --workspace -- --nocapture\ncargo test --all-features", "cargo test --lib\ncargo test parse\ncargo test -p core\ncargo test --no-run\ncargo check"},
		{"mvn verify", "mvn verify\n./mvnw -B -ntp clean verify", "mvn verify -DskipTests\nmvn test"},
		{"./gradlew test", "./gradlew test\n./gradlew clean test --no-daemon\ngradle test", "./gradlew test --tests A\n./gradlew build -x test"},
		{"./scripts/test.sh", "./scripts/test.sh\nbash /repo/scripts/test.sh\nbash scripts/test.sh\nsh ./scripts/test.sh", "cat scripts/test.sh\nbash -n scripts/test.sh\nchmod +x scripts/test.sh\n./other/test.sh"},
		{"go vet ./... && go test ./...", "go vet ./... && go test ./...\nset -e; go vet ./...; go test ./...", "go test ./...\ngo vet ./...\ngo vet ./...; go test ./..."},
		{"go test -race ./...", "go test -race ./...", "go test ./..."},
		{"npx tsc --noEmit", "npx tsc --noEmit\nyarn tsc --noEmit\nnode_modules/.bin/tsc --noEmit\ntsc --noEmit -p tsconfig.json\npnpm exec tsc --noEmit", "npx tsc\nnpx tsc --noEmit --watch"},
		{"bundle exec rspec", "bundle exec rspec\nrspec\nbin/rspec --format progress", "bundle exec rspec spec/a_spec.rb\nbundle install"},
		{"terraform -chdir=infra plan", "terraform -chdir=infra plan\ncd infra && terraform plan -no-color", "terraform plan\nterraform -chdir=infra plan -target=x"},
	} {
		claim := Claim{c.claim, "/repo"}
		if why := claim.Check(); why != "" {
			t.Errorf("%s: %s", c.claim, why)
		}
		for _, line := range strings.Split(strings.TrimSpace(c.passed), "\n") {
			if strings.HasSuffix(line, "<<'EOF'") {
				line += "\n" + c.claim + "\nEOF"
			}
			if f := Judge(claim, []Seen{{Command: line, Dir: "/repo", Exit: &zero}}); f.Verdict != HasPassed {
				t.Errorf("%s, run as %q: %s (%s)", c.claim, line, f.Verdict, f.Why)
			}
		}
		for _, line := range strings.Split(strings.TrimSpace(c.not), "\n") {
			if strings.HasSuffix(line, "<<'EOF'") {
				line += "\n" + c.claim + "\nEOF"
			}
			if f := Judge(claim, []Seen{{Command: line, Dir: "/repo", Exit: &zero}}); f.Verdict != NotFound {
				t.Errorf("%s, run as %q: %s", c.claim, line, f.Verdict)
			}
		}
	}
}
