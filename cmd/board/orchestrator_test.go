package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// An orchestration is a data home in which one of the example orchestrators works, and where it
// leaves its report.
type orchestration struct {
	documents string
	home      string
	report    string
	command   []string
	env       []string
}

// orchestrations returns the example as a shell script, in Python and as a Go program, each over
// the documents in a data home of its own. Scripts are left out where their interpreter is
// missing, and if tests are to be quick.
func orchestrations(t *testing.T, program, documents string) map[string]*orchestration {
	t.Helper()
	all := map[string]*orchestration{"go": {command: []string{program}}}
	for _, script := range []struct{ name, program, file string }{{"shell", "bash", "orchestrate.sh"}, {"python", "python3", "orchestrate.py"}} {
		program, err := exec.LookPath(script.program)
		switch {
		case err != nil:
			t.Logf("%s is not installed: %s is NOT tested here", script.program, script.file)
		case cost.Quick():
			t.Logf("set BOARD_TEST_LONG=1 to test %s too", script.file)
		default:
			all[script.name] = &orchestration{command: []string{program, filepath.Join(repo(t), "testdata", "orchestrator", script.file)}}
		}
	}
	if o := all["python"]; o != nil {
		text, _ := helpPage("python")
		dir := t.TempDir()
		snippetFile(t, dir, "board_client.py", text)
		o.env = []string{"PYTHONPATH=" + dir}
	}
	for _, o := range all {
		o.documents, o.home = documents, t.TempDir()
		o.report = filepath.Join(o.home, "report.md")
	}
	return all
}

// buildOrchestrator builds the Go program, with the race detector if the test has it.
func buildOrchestrator(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "orchestrator.exe") // a name that Windows runs too
	build := exec.Command("go", "build", fmt.Sprintf("-race=%t", cost.Race), "-o", program, "./testdata/orchestrator")
	build.Dir = repo(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the orchestrator: %v\n%s", err, out)
	}
	return program
}

// orchestratorEnv is the environment for commands in a data home; no daemon, no model, and none of
// the names that a shell around the test may have set.
func orchestratorEnv(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BOARD_") })
	return append(env, "BOARD_HOME="+home, "BOARD_DAEMON=off", "BOARD_MODEL_DIR="+filepath.Join(home, "none"))
}

// run has the orchestrator make a run, checks its exit code, and returns what it printed, standard
// error included.
func (o *orchestration) run(t *testing.T, run string, want int) string {
	t.Helper()
	cmd := exec.Command(o.command[0], append(o.command[1:], o.documents, run, o.report)...)
	cmd.Env = append(orchestratorEnv(o.home), o.env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("exit code %d, not %d\n%s", got, want, out)
	}
	return string(out)
}

// snapshot is the board that the orchestrator left.
func (o *orchestration) snapshot(t *testing.T, run string) *board.Snapshot {
	t.Helper()
	b := expect.Value(board.Open(t.Context(), filepath.Join(o.home, "boards"), run))(t)
	defer b.Close()
	s := expect.Value(b.Snapshot(t.Context()))(t)
	return s
}

// text is the report, with its lines sorted and ids made equal: the workers run at the same time,
// so their posts come in any order.
func (o *orchestration) text(t *testing.T) string {
	t.Helper()
	return strings.Join(steady(readText(t, o.report)), "\n")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text := expect.Value(os.ReadFile(name))(t)
	return string(text)
}

var unsteady = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\b[es]\d+(\.[0-9a-z]{3}\b)? *\b`), "ID "},
	{regexp.MustCompile(`\bk[0-9a-z]{9}\b`), "CAPSULE"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`\S*report(-[23])?\.md(:\d+)?`), "REPORT"}, // the order of findings differs, and with it the lines
	{regexp.MustCompile(` \(\d+ open questions? that .*\)`), ""},   // the gate may open before or after the other answers
	{regexp.MustCompile(`\d+ of \d+ facts`), "all facts"},          // ids are facts, and which are of two digits differs
	{regexp.MustCompile(`(workers    \d+): .*`), "$1"},             // the last to post is the first
}

// steady returns the lines of a text, sorted, with what differs from run to run made equal.
func steady(text string) []string {
	for _, u := range unsteady {
		text = u.re.ReplaceAllString(text, u.to)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}

// findings are the entries and signals of a board with all that does not depend on who was first,
// sorted.
func findings(s *board.Snapshot) string {
	contents := map[string]string{}
	for _, e := range s.Entries {
		contents[e.ID] = e.Content
	}
	for _, g := range s.Signals {
		contents[g.ID] = g.Content
	}
	var all []string
	for _, e := range s.Entries {
		links := []string{}
		for _, to := range slices.Concat(e.Contradicts, e.Addresses, e.Supports, e.Supersedes) {
			links = append(links, contents[to])
		}
		all = append(all, fmt.Sprintf("%s %s %s %q @ %s %s %q %v %v %v %s → %q",
			e.Worker, e.Type, e.Status, e.Content, e.SourceDoc, e.SourceRef, e.Evidence, *e.Confidence, e.MustSurface, e.Tags, e.Key, links))
	}
	for _, g := range s.Signals {
		all = append(all, fmt.Sprintf("%s %s %s %q from %q: %q %q %s %s", g.Worker, g.Priority, g.Status, g.Content, contents[g.Origin], contents[g.AddressedBy], g.Reason, g.ClosedBy, g.Key))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// lasts is what holds beyond a run over the documents.
const lasts = `A limit on a rack's line holds for its backups too, unless their port has the class "bulk"`

// checkEnd checks what a run that went through has to leave: an open gate, a report that carries
// everything, and one capsule that is found.
func (o *orchestration) checkEnd(t *testing.T, run string) {
	t.Helper()
	b := expect.Value(board.Open(t.Context(), filepath.Join(o.home, "boards"), run))(t)
	defer b.Close()
	if v, err := b.Gate(t.Context(), board.Policy{RequireSource: true}); err != nil || !v.Open {
		t.Errorf("the gate: %v, %+v", err, v.Reasons)
	}
	report := expect.Value(documents.Open(o.report))(t)
	if s, err := b.Survival(t.Context(), report); err != nil || !s.Passed || s.Checked != 11 {
		t.Errorf("survival: %v, %+v", err, s)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	k := expect.Value(kb.OpenExisting(t.Context(), o.home, kb.Options{}))(t)
	defer k.Close()
	found, err := k.Search(t.Context(), kb.Query{Text: "backups of a rack under a limit"})
	if err != nil || found.Total != 1 || len(found.Hits) != 1 {
		t.Fatalf("the knowledge base: %v, %+v", err, found)
	}
	c := found.Hits[0].Capsule
	got := fmt.Sprint(c.Kind, c.Scope, c.DomainTags, c.Tags, c.Title, c.Body, c.Source, *c.Confidence, c.VerifiedBy, c.Refs[0], c.Refs[2])
	want := fmt.Sprint("gotcha", "domain", []string{"backup"}, []string{"lasting"}, lasts, lasts+".\n\nEvidence:\n> For next time: "+lasts+".",
		"mail.txt:10", 0.9, "lead", "run:"+run, "worker:network")
	if got != want {
		t.Errorf("the capsule: %s\nnot %s", got, want)
	}
}

// TestOrchestrator runs the worked example in testdata/orchestrator, in shell, Python and Go.
func TestOrchestrator(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build the orchestrator with")
	}
	program := buildOrchestrator(t)
	documents := filepath.Join(repo(t), "testdata", "orchestrator", "documents")
	t.Run("all leave the same", func(t *testing.T) {
		t.Parallel()
		orchestratorsAgree(t, program, documents)
	})
	t.Run("the second run begins with what the first has learned", func(t *testing.T) {
		t.Parallel()
		for name, o := range orchestrations(t, program, documents) {
			for _, run := range []string{"first", "second"} {
				out := o.run(t, run, 0)
				for _, worker := range []string{"operations", "network", "move"} {
					begins := strings.Contains(out, "worker "+worker+" begins with: [gotcha] "+lasts)
					if want := run == "second"; begins != want {
						t.Errorf("%s, the %s run: %s begins with what was learned: %t, want %t\n%s",
							name, run, worker, begins, want, out)
					}
				}
			}
		}
	})
	t.Run("no folder", func(t *testing.T) {
		for name, o := range orchestrations(t, program, filepath.Join(documents, "runbook.md")) {
			if out := o.run(t, "none", 2); !strings.Contains(out, "FOLDER [RUN] [REPORT]") {
				t.Errorf("%s does not say how it is called:\n%s", name, out)
			}
			if runs, err := board.RunNames(filepath.Join(o.home, "boards")); err != nil || len(runs) != 0 {
				t.Errorf("%s has made a run: %v %v", name, runs, err)
			}
		}
	})
	for _, c := range []struct {
		name, document, from, to string
		content                  string // an entry that must be on the board, and in the report
		exit                     int
		says                     string // what must be printed
	}{
		{"a higher limit", "changes.md", "80 MB/s", "160 MB/s", "At 160 MB/s a full backup of 5380 GB takes 9.3 hours, and the move leaves 12: it fits; it needs 125 MB/s", 0, ""},
		{"a larger disk", "storage.csv", "2680", "3680", "At 80 MB/s a full backup of 6380 GB takes 22.2 hours, and the move leaves 12: it does not fit; it needs 148 MB/s", 0, ""},
		{"a longer window", "runbook.md", "05:00. At", "05:12. At", "The backup ended after 05:12 in 2 of 13 nights, for the first time on 2026-11-05", 0, ""},
		{"nobody decides", "move-plan.md", " Solveig Aas asks the insurer and has the answer by 2027-01-08; without it the lorry does not leave.", "", "", 3, "Are the disks insured"},
		{"nobody can answer", "move-plan.md", "Full backup: 12 hours", "A full backup", "", 3, "Does a full backup at 80 MB/s fit"},
		{"nothing to find", "mail.txt", "working days", "days", "", 1, "mail.txt"},
		{"no document", "contract.txt", "", "", "", 1, "contract.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			changed := changedDocuments(t, documents, c.document, c.from, c.to)
			for name, o := range orchestrations(t, program, changed) {
				if name != "go" && !cost.Long() {
					continue // that all do the same is told above
				}
				t.Run(name, func(t *testing.T) {
					if out := o.run(t, "changed", c.exit); !strings.Contains(out, c.says) {
						t.Errorf("it does not say %q:\n%s", c.says, out)
					}
					if c.exit != 0 {
						if _, err := os.Stat(o.report); err == nil {
							t.Error("there is a report all the same")
						}
						return
					}
					o.checkEnd(t, "changed")
					if !slices.ContainsFunc(o.snapshot(t, "changed").Entries, func(e board.Entry) bool { return e.Content == c.content }) {
						t.Errorf("it did not find %q, but\n%s", c.content, findings(o.snapshot(t, "changed")))
					}
					if !strings.Contains(o.text(t), c.content) {
						t.Errorf("the report does not say %q", c.content)
					}
				})
			}
		})
	}
}

// orchestratorsAgree checks that all leave the same findings and the same report, that a second
// run of the same name adds nothing, whichever of them it is, and that the same name with other
// documents is refused.
func orchestratorsAgree(t *testing.T, program, documents string) {
	all := orchestrations(t, program, documents)
	first := map[string]string{}
	for name, o := range all {
		out := o.run(t, "backup", 0)
		if !strings.Contains(out, "10 of 11 items present") {
			t.Errorf("%s: the draft did not lack the open question:\n%s", name, out)
		}
		for _, want := range []string{"check of backup: passed", "16 findings stand in their sources", "11 of 11 items present", " facts supported"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, out)
			}
		}
		o.checkEnd(t, "backup")
		s := o.snapshot(t, "backup")
		if len(s.Entries) != 16 || len(s.Signals) != 4 {
			t.Errorf("%s: %d entries, %d signals", name, len(s.Entries), len(s.Signals))
		}
		for _, e := range s.Entries {
			if e.SourceRef == "" || e.Evidence == "" || !strings.Contains(readText(t, filepath.Join(documents, e.SourceDoc)), e.Evidence) {
				t.Errorf("%s: %s is quoted from %s %q, which does not have %q", name, e.ID, e.SourceDoc, e.SourceRef, e.Evidence)
			}
		}
		first[name] = findings(s) + "\n\n" + o.text(t)
	}
	for name, left := range first {
		if left != first["go"] {
			t.Errorf("%s leaves\n%s\n\nand the Go program\n%s", name, left, first["go"])
		}
	}
	changed := changedDocuments(t, documents, "changes.md", "80 MB/s", "160 MB/s")
	for home, o := range all {
		seq := o.snapshot(t, "backup").Seq
		for name, by := range all {
			again := &orchestration{documents: documents, home: o.home, report: o.report, command: by.command, env: by.env}
			again.run(t, "backup", 0)
			again.checkEnd(t, "backup")
			if got := again.snapshot(t, "backup"); got.Seq != seq || findings(got)+"\n\n"+again.text(t) != first[home] {
				t.Errorf("%s again, on what %s left: %d events, not %d:\n%s", name, home, got.Seq, seq, findings(got))
			}
		}
		o.documents = changed
		if out := o.run(t, "backup", 6); !strings.Contains(out, "network/limit") {
			t.Errorf("%s: the conflict does not name the key:\n%s", home, out)
		}
	}
}

// changedDocuments returns a copy of the documents in which one has another text in one place, or
// is missing if from is empty.
func changedDocuments(t *testing.T, documents, name, from, to string) string {
	t.Helper()
	dir := t.TempDir()
	expect.OK(t, os.CopyFS(dir, os.DirFS(documents)))
	file := filepath.Join(dir, name)
	if from == "" {
		expect.OK(t, os.Remove(file))
		return dir
	}
	text := readText(t, file)
	if strings.Count(text, from) != 1 {
		t.Fatalf("%s has %q %d times", name, from, strings.Count(text, from))
	}
	expect.OK(t, os.WriteFile(file, []byte(strings.Replace(text, from, to, 1)), 0o600))
	return dir
}

// TestOrchestratorREADME runs the commands of testdata/orchestrator/README.md, as they stand
// there, and holds the transcript in it against what they print.
func TestOrchestratorREADME(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipShort(t)
	t.Parallel()
	for _, name := range []string{"bash", "go", "python3"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s command: the README's commands are NOT run here", name)
		}
	}
	readme := readText(t, filepath.Join(repo(t), "testdata", "orchestrator", "README.md"))
	commands, transcript := fenced(readme, "sh"), fenced(readme, "text")
	if strings.Count(commands, "\n") < 4 || strings.Count(transcript, "\n") < 20 {
		t.Fatalf("the README shows too little:\n%s\n%s", commands, transcript)
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = repo(t)
	cmd.Env = append(orchestratorEnv(t.TempDir()), "TMPDIR="+t.TempDir())
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), talk.String())
	}
	printed := steady(out.String())
	for _, line := range steady(transcript) {
		i, ok := slices.BinarySearch(printed, line)
		if !ok {
			t.Errorf("the README shows this line, which was not printed: %q", line)
			continue
		}
		printed = slices.Delete(printed, i, i+1)
	}
	if t.Failed() {
		t.Logf("printed was:\n%s", out.String())
	}
}

// fenced returns the text of all code blocks of one language.
func fenced(markdown, language string) string {
	var b strings.Builder
	in := false
	for line := range strings.Lines(markdown) {
		switch {
		case strings.HasPrefix(line, "```"):
			in = strings.TrimSpace(line) == "```"+language
		case in:
			b.WriteString(line)
		}
	}
	return b.String()
}
