package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// onPage is what the page on CI shows below a line, with its indentation.
func onPage(t *testing.T, begin string) string {
	t.Helper()
	page, err := os.ReadFile("../../cmd/board/pages/ci.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), "\n"+begin+"\n")
	if !ok {
		t.Fatalf("the page has no %q", begin)
	}
	text, _, _ = strings.Cut(text, "\n\n")
	return begin + "\n" + text
}

// TestGitLab plays the runner of GitLab: the job's script, against a release of this directory's.
func TestGitLab(t *testing.T) {
	var jobs map[string]struct {
		Script    []string
		Variables map[string]string
	}
	if err := yaml.Unmarshal([]byte(onPage(t, "  check:")), &jobs); err != nil || len(jobs["check"].Script) != 2 {
		t.Fatalf("%v: %v", jobs, err)
	}
	dist, _ := made(t)
	c, dir := served(t, dist), reviewed(t, dist)
	job := jobs["check"]
	cmd := exec.Command("sh", "-e", "-c", strings.Join(job.Script, "\n"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "BOARD_HOME="+t.TempDir(), "no_proxy=127.0.0.1", "BIN="+filepath.Base(one(t, filepath.Join(dist, "board-v*-"+runtime.GOOS+"-"+runtime.GOARCH))),
		"URL="+strings.ReplaceAll(job.Variables["URL"], c.repository, c.url))
	out, err := cmd.CombinedOutput()
	junit, _ := os.ReadFile(filepath.Join(dir, "check.xml"))
	if cmd.ProcessState.ExitCode() != 4 || !bytes.Contains(junit, []byte("<failure")) {
		t.Errorf("%v: %s\n%s", err, out, junit)
	}
}

// TestPreCommit: the hook's command fails as the report does.
func TestPreCommit(t *testing.T) {
	var file struct {
		Repos []struct {
			Repo  string
			Hooks []struct{ ID, Name, Entry, Language string }
		}
	}
	if err := yaml.Unmarshal([]byte(onPage(t, "  repos:")), &file); err != nil || len(file.Repos) != 1 || len(file.Repos[0].Hooks) != 1 {
		t.Fatalf("%+v: %v", file, err)
	}
	hook := file.Repos[0].Hooks[0]
	if hook.ID == "" || hook.Name == "" || hook.Language != "system" {
		t.Errorf("%+v", hook)
	}
	dist, binary := made(t)
	env, dir := pathWith(t, binary), reviewed(t, dist)
	for code, line := range []string{"board import run.jsonl --run audit", 4: hook.Entry} {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); line != "" && cmd.ProcessState.ExitCode() != code {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// reviewed is a checkout with a run, and a report that its sources contradict.
func reviewed(t *testing.T, dist string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	env := append(os.Environ(), "BOARD_HOME="+t.TempDir(), "BOARD_DAEMON=off")
	script := `mkdir docs && echo "Tokens expire after 30 days." >docs/auth.md
echo "Tokens expire after 90 days." >report.md
"$1" post "Tokens expire after 30 days" --source auth.md:1 --quote "expire after 30 days" --must --run audit --worker w
"$1" export --run audit --output run.jsonl`
	cmd := exec.Command("sh", "-e", "-c", script, "sh", one(t, filepath.Join(dist, "board-v*-"+runtime.GOOS+"-"+runtime.GOARCH)))
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// mirror is where a release is served from instead of the repository.
type mirror struct{ repository, url string }

func served(t *testing.T, dist string) mirror {
	t.Helper()
	c, err := readChoices("../..")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/releases/download/v1.2.3/", http.FileServer(http.Dir(dist))))
	t.Cleanup(server.Close)
	return mirror{c.Repository, server.URL}
}

// TestActionForReal plays GitHub's runner with a release's own binary: annotations, the summary,
// SARIF, and the exit code.
func TestActionForReal(t *testing.T) {
	dist, _ := made(t)
	c, dir := served(t, dist), reviewed(t, dist)
	runner := map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS]
	arch := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	summary, output := filepath.Join(dir, "summary.md"), filepath.Join(dir, "output")
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", strings.ReplaceAll(readAction(t).Runs.Steps[0].Run, c.repository, c.url))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "RUNNER_OS="+runner, "RUNNER_ARCH="+arch, "VERSION=v1.2.3", "SHA256=", "RUN=run.jsonl", "REPORT=report.md",
		"ARGS=--sources docs", "SARIF=true", "GITHUB_STEP_SUMMARY="+summary, "GITHUB_OUTPUT="+output, "BOARD_DAEMON=off", "no_proxy=127.0.0.1")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 4 || !bytes.Contains(out, []byte("\n::error file=report.md,line=1")) {
		t.Errorf("%v: %s", err, out)
	}
	for name, wants := range map[string]string{summary: "survival", output: "exit-code=4", filepath.Join(dir, "board.sarif"): `"uri": "report.md"`} {
		if text, err := os.ReadFile(name); err != nil || !bytes.Contains(text, []byte(wants)) {
			t.Errorf("%s has no %s: %v\n%s", name, wants, err, text)
		}
	}
	if sarif := readJSON(t, filepath.Join(dir, "board.sarif")); sarif["version"] != "2.1.0" {
		t.Errorf("%v", sarif)
	}
}

// actionFile is action.yml as GitHub's runner reads it.
type actionFile struct {
	Runs struct {
		Using string
		Steps []struct {
			Run, Shell, If, Uses string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) (a actionFile) {
	t.Helper()
	text, err := actionFiles.ReadFile("action/action.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAction runs the script of the action against a release that a server here has. The
// program in it is a script that prints its arguments.
func TestAction(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "shasum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 2 || a.Runs.Steps[0].Shell != "bash" ||
		len(a.Runs.Steps[0].Env) != 6 || !strings.HasPrefix(a.Runs.Steps[1].Uses, "github/codeql-action/upload-sarif@") {
		t.Fatalf("not the action that this test knows: %+v", a)
	}
	const program = "#!/bin/sh\necho \"$BOARD_HOME\" | grep -q home && echo \"ran: $*\"\n[ \"$1\" = import ] || exit 4\n"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(program)))
	const name = "board-v1.2.3-linux-arm64"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/releases/download/v1.2.3/" + name:
			fmt.Fprint(w, program)
		case "/releases/download/v1.2.3/SHA256SUMS":
			fmt.Fprintf(w, "%064d  %s.cdx.json\n%s  %s\n", 0, name, sum, name)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	c, err := readChoices("../..")
	if err != nil {
		t.Fatal(err)
	}
	script := strings.ReplaceAll(a.Runs.Steps[0].Run, c.Repository, server.URL)
	if script == a.Runs.Steps[0].Run {
		t.Fatalf("the action does not download from %s", c.Repository)
	}
	for _, tc := range []struct {
		what, version, arch, sha string
		code                     int
		says                     string
	}{
		{"as the release says", "v1.2.3", "ARM64", "", 4, "ran: check report.md --run ci --format github --summary sum mary --sources docs"},
		{"the checksum given", "v1.2.3", "ARM64", sum, 4, "ran: import run.jsonl --run ci\n"},
		{"another checksum", "v1.2.3", "ARM64", strings.Repeat("0", 64), 1, "::error::" + name + " has another checksum"},
		{"no such release", "v9.9.9", "ARM64", "", 1, "::error::cannot download"},
		{"no checksum", "v1.2.3", "X64", "", 1, "::error::cannot download"},
		{"no such platform", "v1.2.3", "RISCV", "", 1, "::error::board has no release for Linux on RISCV"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "step.sh")
			if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", path)
			cmd.Dir = t.TempDir()
			cmd.Env = append(
				os.Environ(),
				"RUNNER_OS=Linux",
				"RUNNER_ARCH="+tc.arch,
				"TMPDIR="+t.TempDir(),
				"GITHUB_STEP_SUMMARY=sum mary",
				"VERSION="+tc.version,
				"SHA256="+tc.sha,
				"RUN=run.jsonl",
				"REPORT=report.md",
				"ARGS=--sources docs",
				"SARIF=false",
				"GITHUB_OUTPUT="+filepath.Join(t.TempDir(), "output"),
				"no_proxy=127.0.0.1",
				"NO_PROXY=127.0.0.1",
			)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tc.code ||
				!strings.Contains(string(out), tc.says) {
				t.Errorf("exit code %d, not %d with %q:\n%s", code, tc.code, tc.says, out)
			}
			if tc.code == 1 && strings.Contains(string(out), "ran:") {
				t.Errorf("the program ran:\n%s", out)
			}
		})
	}
}
