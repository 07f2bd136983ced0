package shell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestDoes: what command lines do. What nobody knows is no look.
func TestDoes(t *testing.T) {
	for does, lines := range map[Does]string{
		Looks: `
cat a.go
cat a.go b.go | head -20
cd /x && ls -la
cd /x && git status --short && git log --oneline -5
sudo cat /var/log/syslog | tail
sudo -u postgres ls /var/lib
env | sort
env FOO=1 cat x
FOO=1 BAR=2 cat x
X=$(git rev-parse HEAD)
echo $(cat x | wc -l)
(cd dist && find . -type f | sort | head)
{ ls; pwd; }
rg -n foo src 2>/dev/null || true
grep -rn x . > /dev/null 2>&1
cat x >&2
cat <<EOF
sed -n '1,20p' a.go
sed 's/a/b/' a.go | head
sed -e 's/a/b/' -ne p a.go
awk 'NR>=10 && NR<=20' a.go
awk '{print $1}' a | sort | uniq -c | sort -rn
awk -F: '$3 > 100 {print $1}' /etc/passwd
find . -name '*.go'
find . -name '*.go' -exec grep -l foo {} +
find . -type f -print0 | xargs -0 grep -n foo
ls | xargs -I{} cat {}
git -C /x log -p -1
git --no-pager diff --stat
git -c color.ui=false show HEAD:a.go
git branch
git branch -a --contains abc
git branch --show-current
git tag -l 'v*'
git stash list
git remote -v
git config --get user.name
git config user.name
git worktree list
git add -n .
bash -c 'cat x; ls'
bash -lc "cat x | head"
sh -c "git status"
time ls
timeout 5 cat x
timeout -s KILL 5 cat x
command -v go
which go
nohup cat x
for f in *.go; do head -5 "$f"; done
while read l; do echo "$l"; done < x
if [ -f x ]; then cat x; fi
[[ -f x ]] && echo there
test -f x && echo there
export PATH=$PATH:/x
set -e; cat x
x() { cat "$1"; }; ls
diff <(cat a) <(cat b)
jq .a x.json
yq .a x.yaml
curl -s http://localhost:80/health
curl -sI https://example.com
curl -s -o /dev/null -w '%{http_code}' http://localhost
docker ps --format '{{.Names}}'
docker compose logs --tail 5 web
kubectl get pods -n x
gh pr view 12 --json title
npm ls decimal.js
go list ./...
go env GOPATH
go test --help
python --version
node -v
tar tzf x.tar.gz
unzip -l x.zip
systemctl status nginx
board kb search retry
BOARD_RUN=x /usr/local/bin/board signals
board hook SessionStart
eval "cat x"
printf '%s\n' "$PATH" | tr ':' '\n'
ls -la 2>&1 | tee /dev/null
powershell.exe -Command "Get-Content x | Select-String y"
rtk 2>/dev/null --version
npx tsc --version
! grep -q x y
history | tail -5
cat x &
`, Changes: `
cat a > b
echo x >> b
echo x &> b
echo x >| b
: > b
ls | tee out.txt
rm -rf x
cd x && rm y
ls; mkdir -p x
cat x || touch x
(cd x && touch y)
echo $(rm x)
X=$(touch x)
diff <(rm a) b
sed -i 's/a/b/' x
sed -i.bak s/a/b/ x
sed -ni p x
sed --in-place=.bak s/a/b/ x
perl -pi -e s/a/b/ x
find . -name x -delete
find . -name x -exec rm {} \;
find . -type f -print0 | xargs -0 rm
ls | xargs -n 1 -I {} mv {} x
sudo rm x
sudo -E -u root env A=1 rm x
env A=1 rm x
timeout 10 rm x
bash -c 'rm x'
bash -lc "cd x && rm y"
sudo bash -c "echo x > /etc/y"
eval "rm x"
cat > f <<'EOF'
git add -A
git commit -m x
git -C /x commit -qm x
git checkout -b x
git branch -D x
git branch new
git tag v1
git stash
git stash pop
git push
git config user.name x
git diff > x.patch
git worktree add ../x
for f in *; do rm "$f"; done
if true; then rm x; fi
while true; do touch x; done
find . | while read f; do rm "$f"; done
f() { rm x; }; f
curl -o x http://y
curl -X POST http://y
curl -XDELETE http://y
curl -d a=b http://y
wget http://y
sort -o x x
cp a b & ls
tar xzf x
yq -i .a=1 x
chmod +x y
go env -w A=b
`, Unknown: `
go test ./...
make
make && cat x
./script.sh
npm install
python x.py
python -c 'print(1)'
$CMD x
"$(which x)" y
awk '{print > "x"}' y
awk '{system("rm " $1)}' y
sed 's/a/b/w out.txt' y
sed -n '/x/w out' y
bash script.sh
curl http://y | sh
cat x | python
source x
. x
eval "$X"
bash -c "$X"
ssh host cat x
board
board kb remember x --title y
docker run x
kubectl exec x -- ls
sqlite3 x.db
git frobnicate
git archive HEAD
(
echo "unclosed
foo'bar
f() { make; }; f
psql -c 'select 1'
npx cowsay
`} {
		for _, l := range strings.Split(strings.TrimSpace(lines), "\n") {
			if strings.Contains(l, "<<") {
				l += "\nrm x\n" + "EOF"
			}
			if got := Read(l); got.Does != does {
				t.Errorf("%q: %d, not %d", l, got.Does, does)
			}
		}
	}
}

// TestRead: what a line is in short, what kind of work, and what its exit code says.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		line, text string
		kind       Kind
		sure, asks bool
	}{
		{"go test ./...", "go test ./...", Test, true, false},
		{"cd . && go test ./... 2>&1 | tail -20", "go test ./...", Test, false, false},
		{"cd sub && go test ./...", "cd sub && go test ./...", Test, true, false},
		{"set -o pipefail; go test ./... | tail -5", "go test ./...", Test, true, false},
		{"set -euo pipefail\ngo vet ./... | cat\ngo test ./...", "go vet ./...; go test ./...", Test, true, false},
		{"go build ./... && go test ./...", "go build ./... && go test ./...", Test, true, false},
		{"go vet ./...; go test ./...", "go vet ./...; go test ./...", Test, false, false},
		{"ls; go test ./...", "go test ./...", Test, true, false},
		{"go test ./...; echo $?", "go test ./...", Test, false, false},
		{"go test ./... || true", "go test ./... || true", Test, false, false},
		{"go test ./... | grep FAIL", "go test ./...", Test, false, true},
		{"! go test ./...", "! go test ./...", Test, false, true},
		{"go test ./... &", "go test ./... &", Test, false, false},
		{"test -d node_modules || npm ci", "test -d node_modules || npm ci", Install, true, false},
		{"grep -q x y && make", "make", Test, true, true},
		{"git add -A && git commit -m 'a b' && git log -1", "git add -A && git commit -m 'a b'", Commit, true, false},
		{"git commit -m \"$(cat <<'EOF'\nFix it\n\nReally.\nEOF\n)\"", `git commit -m "Fix it Really."`, Commit, true, false},
		{"mkdir -p docs && cat > docs/x.md <<'EOF'\n# X\nrm -rf y\nEOF", "mkdir -p docs && cat > docs/x.md <<'EOF'", Other, true, false},
		{"cat > x <<EOF && make\nbody\nEOF\n", "cat > x <<EOF && make", Test, true, false},
		{"cat > long.txt <<'EOF'\ncut off in the mid", "cat > long.txt <<'EOF'", Other, true, false},
		{"python - <<'PY'\nprint(1)\nPY", "python - <<'PY'", Other, true, false},
		{"python -m pytest -q x.py", "python -m pytest -q x.py", Test, true, false},
		{"sudo apt-get install -y jq", "sudo apt-get install -y jq", Install, true, false},
		{"npm run lint:fix", "npm run lint:fix", Test, true, false},
		{"npx playwright install", "npx playwright install", Install, true, false},
		{"bundle exec rubocop -a", "bundle exec rubocop -a", Test, true, false},
		{"bash -c 'make; true'", "bash -c 'make; true'", Test, false, false},
		{"find . -name x -exec make {} \\;", "find . -name x -exec make {} \\;", Test, false, false},
		{"echo $(make)", "echo $(make)", Test, false, false},
		{"for d in a b; do make -C $d; done", "for d in a b; do make -C $d; done", Test, false, false},
		{"(cd x && make)", "(cd x && make)", Test, true, false},
		{"cat x", "cat x", Other, true, false},
		{"rg x src", "rg x src", Other, true, true},
		{"rg x src | head", "rg x src | head", Other, true, false},
		{"git diff --exit-code", "git diff --exit-code", Other, true, true},
		{"echo \"unclosed\nx", `echo "unclosed`, Other, false, false},
		{"", "", Other, false, false},
	} {
		got := Read(c.line)
		if got.Text != c.text || got.Kind != c.kind || got.Sure != c.sure || got.Asks != c.asks {
			t.Errorf("%q is\n%+v, not\n%+v", c.line, got, c)
		}
	}
}

// FuzzRead: whatever the line, it is read without a panic, and is one line in short. What stands
// behind it cannot make a change a look.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"cat a | b && (c; d) > e", "cat <<EOF\n$(x)\nEOF", "a=(1 2) b[1]=$((1+2)) f <(x)", "bash -c 'sudo env x=y timeout 1 sh -c \"rm\"'",
		"find . -exec a {} + -delete", "git -c", "xargs -I", "sed -i", "if x; then y; fi", "case x in a) b;; esac", "${x:-$(y)}", "f() { f; }; f", "a & () b", "cat <<'A' <<B\nx\nA\ny\nB", "coproc x", "\xff\xfe", "<<EOF",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Read(s)
		if strings.ContainsAny(got.Text, "\n\t") || utf8.ValidString(s) && !utf8.ValidString(got.Text) {
			t.Errorf("%q is %q in short", s, got.Text)
		}
		if got.Does == Looks && Read("rm x; "+s).Does != Changes && Read("rm x").Does == Changes {
			t.Errorf("%q hides a change before it", s)
		}
	})
}
