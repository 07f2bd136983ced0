package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// action is the text of action.yml in `board help ci`.
func action(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../cmd/board/pages/ci.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n  name: board check\n")
	text, _, ok := strings.Cut(text, "\n\n")
	if !ok {
		t.Fatal("the page has no action.yml")
	}
	return "  name: board check\n" + text
}

// TestGitLab: the text for GitLab is one job in valid YAML.
func TestGitLab(t *testing.T) {
	page, err := os.ReadFile("../../cmd/board/pages/ci.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n  check:\n")
	var jobs map[string]struct{ Script []string }
	if err := yaml.Unmarshal([]byte("  check:\n"+text), &jobs); err != nil ||
		len(jobs["check"].Script) != 2 {
		t.Errorf("%v: %v", jobs, err)
	}
}

// TestAction runs the script of the action against a release that a server here has. The
// program in it is a script that prints its arguments.
func TestAction(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "shasum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	var a struct {
		Runs struct {
			Using string
			Steps []struct {
				Run, Shell string
				Env        map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(action(t)), &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 1 || a.Runs.Steps[0].Shell != "bash" ||
		len(a.Runs.Steps[0].Env) != 5 {
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
