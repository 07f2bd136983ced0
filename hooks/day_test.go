package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// day is a working day in one clone: its events in their order, as Claude Code sends them.
type day struct {
	*world
	events int
	pages  []page
	author *memory.Store
	spent  map[string]int // tokens by session
}

// page is a text that a session was given.
type page struct{ what, text string }

// billing is what is remembered in a service that bills: by tier and importance, the oldest first.
var billing = []struct {
	tier       string
	importance float64
	text       string
}{
	{memory.Account, .75, "Answers short and in English, no emoji"},
	{memory.Account, 1, "Never push to a remote without asking first"},
	{memory.Account, .5, "Table-driven tests in Go, one file for each package"},
	{memory.Account, .25, "The editor is Helix: no settings for other editors"},
	{memory.Account, .25, "Away on Fridays"},
	{memory.Workspace, .5, "Invoice exports are kept in the bucket for 30 days"},
	{memory.Workspace, .5, "tally needs Go 1.22 to build"},
	{memory.Workspace, .5, "Credit notes are exported as negative invoices"},
	{memory.Workspace, 1, "Every amount is a whole number of minor units: a float in money code broke the invoice run in March"},
	{memory.Workspace, .75, "The auditors' tool Kestrel reads our CSV exports: it wants semicolons and CRLF line ends"},
	{memory.Workspace, .5, "The export has to stream: the largest tenant has 2.1 million invoice lines"},
	{memory.Workspace, .25, "The coffee order for the office goes to Mira on Mondays"},
	{memory.Workspace, .25, "The badge in the README points at the old CI, nobody minds"},
	{memory.Workspace, .5, "The staging database is read-only after 18:00 UTC"},
	{memory.Workspace, .5, "Proration counts days in the tenant's time zone, not in UTC: decided with Ines in September"},
	{memory.Workspace, .75, "Invoice totals are rounded half to even, two tenants' tax law asks for it"},
	{memory.Workspace, .5, "The webhook signer reads its key from the vault at billing/hooks"},
	{memory.Workspace, .25, "Tenant Lumen asked for dunning letters as PDF, no date yet"},
	{memory.Workspace, .5, "Dunning mails are off for tenants in trial"},
	{memory.Workspace, .5, "The nightly job locks the table of invoices for four minutes at 02:00 UTC"},
	{memory.Workspace, .25, "The dashboard of queue depth lies under Billing / Queues"},
	{memory.Workspace, .5, "Ines's verdict on the first CSV export: the header row was written once for each page, not acceptable"},
	{memory.Workspace, .5, "Invoice exports are kept in the bucket for 90 days now, since the audit in October"},
	{memory.Workspace, .5, "tally builds with Go 1.24 now"},
	{memory.Workspace, .5, "Credit notes are no longer exported as negative invoices: they have a column for the kind"},
}

// capsules are 15, four of which can help on this day.
var capsules = [][2]string{
	{"encoding/csv writes LF unless UseCRLF is set",
		"Set Writer.UseCRLF = true and Comma = ';' before the first row; Flush, then check Error()."},
	{"A PostgreSQL cursor lives in one transaction",
		"DECLARE CURSOR outside a transaction block fails with SQLSTATE 25P01; begin a read-only transaction, FETCH 1000 at a time."},
	{"AddDate overflows at the end of a month",
		"time.AddDate(0, 1, 0) on 31 January gives 3 March; count days in the location of the tenant instead."},
	{"Retention of export files is a lifecycle rule of the bucket",
		"Retention of exports is set in terraform/bucket.tf, lifecycle_rule; the page docs/export.md repeats the number."},
	{"tmux: capture-pane needs -S -", "Use capture-pane -p -S - to read the whole scrollback."},
	{"Docker layers cache by order", "Copy go.mod and go.sum before the sources, or each build downloads all modules."},
	{"git rebase --onto moves a branch",
		"git rebase --onto main topic feature moves what is on feature and not on topic."},
	{"jq -s reads all inputs into one array", "With -s one program sees all the values of a stream."},
	{"terraform force-unlock after a crash",
		"A lock of the state stays after a crash: terraform force-unlock ID, once nobody runs."},
	{"Readiness probes are not liveness probes", "A failing readiness probe only takes the pod from the service."},
	{"Redis evicts by sampling", "allkeys-lru looks at five keys and evicts the oldest of them."},
	{"OAuth refresh tokens rotate", "The old refresh token is void after its first use; keep the new one."},
	{"S3 multipart parts are at least 5 MiB", "All parts but the last must have 5 MiB or more."},
	{"CSS grid children overflow without min-width 0", "Set min-width: 0 on the child."},
	{"SQLite takes one writer", "Use WAL and a busy timeout; begin immediate for a write."},
}

// reason says why a careful colleague hands over the lines with a text.
type reason struct{ text, why string }

var (
	always = []reason{
		{"board notes", "fixed: the frame"}, {"Verified means", "fixed: the rules"}, {"`board kb search`",
			"fixed: the rules"},
		{"Plain, short sentences", "always: how to write"}, {"Never push", "critical for everybody"},
		{"whole number of minor units", "critical in this project"}, {"I pair with", "always: who the agent is"},
		{"Table-driven tests", "a habit of the author, for the tests of today"},
		{"Answers short", "a habit of the author"},
		{"The gate is closed", "what keeps the run open"}, {"has not finished yet", "who is waited for"},
		{"s1 critical: Does the export have the tax rate", "the question that closes the gate"},
	}
	ofExport = append([]reason{
		{"Kestrel", "the reader of the export"}, {"The export has to stream", "a demand on the export"},
		{"Ines's verdict", "what was wrong with the first export"},
		{"Credit notes are no longer", "a fact about what is exported"}, {"90 days now", "a fact about the exports"},
		{"header row of the export is right", "the agent's own journal, about this"},
		{"Wrote the first writer", "the agent's own journal, about this"},
		{"Goal: Export invoices", "what this is for"}, {"file for each tenant", "a note of this branch"},
		{"header row is written by the writer", "a decision of this branch"}, {"Next: credit notes", "what comes next"},
		{"/export", "work of this branch"}, {"go build", "work of this branch"}, {"/store", "work of this branch"},
		{"first writer of CSV exports", "what was kept"}, {"git commit", "what was kept"},
		{"UseCRLF", "what makes the failing test green"},
	}, always...)
	reasons = map[string][]reason{
		"start": ofExport, "compaction": ofExport,
		"other branch": append([]reason{
			{"Proration counts days", "the rule that is broken"}, {"rounded half to even", "a rule for the same amounts"},
			{"Goal: Tenants far from UTC", "what this is for"}, {"Auckland", "a note of this branch"},
			{"/proration", "the test that fails"}}, always...),
		"resumed": {{"board notes", "fixed: the frame"}, {"byte order mark", "new since the session ended"},
			{"Next: credit notes", "new since the last page"}},
		"review": {{"board notes", "fixed: the frame"}, {"Verified means", "fixed: the rules"},
			{"`board kb search`", "fixed: the rules"}, {"A review: judge afresh", "why there is nothing else"},
			{"Goal: Export invoices", "what is to be judged"}, {"The gate is closed", "what keeps the run open"},
			{"has not finished yet", "who is waited for"}, {"s1 critical", "the question that closes the gate"}},
		"subagent": {{"board notes", "fixed: the frame"}, {"Goal: Can the CSV export", "what the run is for"},
			{"The gate is closed", "what keeps the run open"}, {"has not finished yet", "who is waited for"},
			{"s1 critical", "the question that closes the gate"}},
		"cursor": {{"board notes", "fixed: the frame"}, {"PostgreSQL cursor", "it prevents the failure to come"},
			{"DECLARE CURSOR", "it prevents the failure to come"}},
		"credit notes": {{"board notes", "fixed: the frame"}, {"no longer exported as negative", "the fact that holds"}},
	}
)

// judged counts the tokens of a page that have no reason, and logs each line with its own. A
// heading is as good as the lines below it.
func (d *day) judged(p page) (noise, all int) {
	d.t.Logf("## %s, %d tokens", p.what, tokens(p.text))
	for line := range strings.Lines(p.text) {
		line, why := strings.TrimSuffix(line, "\n"), "NOISE"
		if strings.Trim(line, "| ") == "" || strings.HasPrefix(line, "#") || line == "| ## Notes" {
			why = "a heading"
		}
		for _, r := range reasons[p.what] {
			if why == "NOISE" && strings.Contains(line, r.text) {
				why = r.why
			}
		}
		if all += len(line) + 1; why == "NOISE" {
			noise += len(line) + 1
		}
		d.t.Logf("  %-110s ← %s", line, why)
	}
	return noise / tokenBytes, all / tokenBytes
}

// send sends an event; what names the text that it may be answered with.
func (d *day) send(what, session, event string, fields map[string]any) {
	d.now = d.now.Add(7 * time.Minute)
	d.events++
	p := map[string]any{"session_id": session, "tool_use_id": fmt.Sprint("t", d.events)}
	for k, v := range fields {
		p[k] = v
	}
	if got := d.tell(event, p); got != "" {
		d.spent[session] += tokens(got)
		d.pages = append(d.pages, page{what, got})
	}
}

func (d *day) start(what, session, source string) {
	d.send(what, session, "SessionStart", map[string]any{"source": source})
}

func (d *day) prompt(what, session, text string) {
	d.send(what, session, "UserPromptSubmit", map[string]any{"prompt": text})
}

func (d *day) run(session, command string, fails string) {
	event, p := "PostToolUse", map[string]any{"tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_response": map[string]any{"stdout": "ok"}}
	if fails != "" {
		event, p["error"] = "PostToolUseFailure", "Exit code 1\n"+fails
	}
	d.send("", session, event, p)
}

func (d *day) edit(session, file string) {
	d.send("", session, "PostToolUse", map[string]any{"tool_name": "Edit",
		"tool_input": map[string]any{"file_path": d.project + "/" + file, "old_string": "a", "new_string": "b"}})
}

func (d *day) end(session string) {
	d.send("", session, "SessionEnd", map[string]any{"reason": "prompt_input_exit"})
}

func (d *day) stop(session string) {
	d.send("", session, "Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "Done."})
}

// on switches to a branch, and pins its topic.
func (d *day) on(branch, topic, goal string) {
	d.branch(branch)
	if _, err := d.topicsDir().Use(d.t.Context(), topic, goal); err != nil {
		d.t.Fatal(err)
	}
}

func (d *day) note(topic, text string) {
	if _, err := d.topicsDir().Note(d.t.Context(), topic, text); err != nil {
		d.t.Fatal(err)
	}
}

func (d *day) put(tier string, importance float64, text string) {
	d.t.Helper()
	d.now = d.now.Add(time.Hour)
	if _, err := d.author.Put(d.t.Context(), memory.Item{Tier: tier, Content: text, Importance: importance},
		memory.PutOptions{}); err != nil {
		d.t.Fatal(err)
	}
}

// prepare is what the days before have left.
func (d *day) prepare() {
	t, err := d.t, error(nil)
	d.author, err = memory.Open(d.home, memory.Options{Workspace: real(t, d.project), Author: true,
		Reason: "test", Now: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.author.Close() })
	for _, it := range billing {
		d.put(it.tier, it.importance, it.text)
	}
	m := d.remembers(1)
	for _, n := range [][2]string{{memory.Journal,
		"Wrote the first writer for the CSV export; streaming from the database comes next"},
		{memory.Journal, "I am sure that the header row of the export is right now and that it can be merged"},
		{memory.Core, "I pair with the billing team and leave a line in the changelog for each visible change"}} {
		expect.Value(m.SaveNote(t.Context(), n[0], "", n[1], false))(t)
	}
	expect.Value(d.author.EditNamed(t.Context(), "VOICE", "",
		"Plain, short sentences. British spelling in texts for users.", 0))(t)
	k, err := kb.Open(t.Context(), d.home, kb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { openBoards.Wait(); k.Close() })
	for _, c := range capsules {
		expect.Value(k.Remember(t.Context(), kb.Capsule{Kind: "gotcha", Scope: "universal", Title: c[0], Body: c[1]},
			kb.RememberOptions{}))(t)
	}
	d.searcher = k
	b, err := board.Create(t.Context(), filepath.Join(d.home, "boards"), "tally-q4",
		"Can the CSV export go to the auditors this week?", "lead", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	expect.Value(b.Expect(t.Context(), "lead", []string{"claude", "checker"}, false))(t)
	expect.Value(b.Signal(t.Context(), "checker", board.Raise{Priority: "critical",
		Content: "Does the export have the tax rate of each credit note, or only the amount?"}))(t)
	const wrongDays = "--- FAIL: TestDaysAuckland (0.00s)\n    proration_test.go:14: got 31 want 30\nFAIL"
	d.on("fix-proration", "fix-proration",
		"Tenants far from UTC are not charged a day too much or too little when a plan changes")
	d.start("", "y1", "startup")
	d.note("fix-proration", "Auckland is the tenant that complains: invoice 8841")
	d.run("y1", "go test ./internal/proration/", wrongDays)
	d.end("y1")
	d.on("export-csv", "export-csv", "Export invoices as CSV for the auditors, streamed, without loading all rows")
	d.start("", "y2", "startup")
	d.note("export-csv", "The auditors get a file for each tenant, not one for all")
	d.note("export-csv", "Decision: the header row is written by the writer, once, before the first page")
	d.edit("y2", "internal/export/csv.go")
	d.run("y2", "go build ./...", "./internal/export/csv.go:9:2: declared and not used: w")
	d.edit("y2", "internal/export/csv.go")
	d.run("y2", "go build ./...", "")
	d.run("y2", "git commit -qam 'A first writer of CSV exports\n\nCo-Authored-By: Helper <h@example.com>'", "")
	d.run("y2", "go test ./internal/export/",
		"--- FAIL: TestRowsEndWithCRLF (0.00s)\n    csv_test.go:21: line 1 ends with \"\\n\"\nFAIL")
	d.end("y2")
	d.now = d.now.Add(15 * time.Hour)
	d.events, d.pages, d.spent = 0, nil, map[string]int{}
}

// TestDay: a day of 60 events in a service that bills, on two branches, with a compaction, a
// subagent, a resumed session and a review. Each line that a session is given has a reason that
// was written before; at most a tenth of the tokens is noise, and no session has more than its budget.
func TestDay(t *testing.T) {
	d := &day{world: newWorld(t), spent: map[string]int{}}
	d.env["BOARD_WORKER"] = "claude"
	d.now = time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	d.prepare()

	d.env["BOARD_RUN"] = "tally-q4"
	d.start("start", "s1", "startup")
	d.prompt("", "s1", "Let us go on with the CSV export: rows with semicolons and CRLF for the auditors' tool, and the test green first")
	d.send("", "s1", "PreToolUse", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "git log"}})
	d.run("s1", "git log --oneline -5", "")
	d.run("s1", "cat internal/export/csv.go", "")
	d.edit("s1", "internal/export/csv.go")
	d.edit("s1", "internal/export/csv_test.go")
	d.run("s1", "go test ./internal/export/", "--- FAIL: TestRowsEndWithCRLF (0.00s)\nFAIL")
	d.prompt("", "s1", "the test of the CRLF line ends still fails, why does encoding/csv not write them?")
	d.edit("s1", "internal/export/csv.go")
	d.run("s1", "go test ./internal/export/", "")
	d.run("s1", "git commit -qam 'Rows end with CRLF, fields are parted by semicolons'", "")
	d.stop("s1")
	d.prompt("cursor", "s1", "Now stream: read the invoice lines through a PostgreSQL cursor instead of loading them all")
	d.send("subagent", "s1", "SubagentStart", map[string]any{"agent_id": "a1", "agent_type": "Explore"})
	d.run("s1", "grep -rn 'FROM invoice_lines' internal", "")
	d.send("", "s1", "SubagentStop", map[string]any{"agent_id": "a1", "agent_type": "Explore", "stop_hook_active": false})
	d.edit("s1", "internal/store/lines.go")
	d.run("s1", "go test ./internal/store/", "--- FAIL: TestLinesStream\n    lines_test.go:33: SQLSTATE 25P01\nFAIL")
	d.edit("s1", "internal/store/lines.go")
	d.run("s1", "go test ./internal/store/", "")
	d.run("s1", "git commit -qam 'Invoice lines are read through a cursor'", "")
	d.stop("s1")
	d.prompt("retention", "s1", "thanks. How long do we keep the export files in the bucket? Put the retention into docs/export.md")
	d.edit("s1", "docs/export.md")
	d.stop("s1")
	d.send("", "s1", "PreCompact", map[string]any{"trigger": "auto"})
	d.start("compaction", "s1", "compact")
	d.prompt("", "s1", "go on: the header row once for the file, not once for each page")
	d.edit("s1", "internal/export/csv.go")
	d.run("s1", "go vet ./internal/export", "./internal/export/csv.go:31:2: declared and not used: header")
	d.edit("s1", "internal/export/csv.go")
	d.run("s1", "go vet ./internal/export", "")
	d.run("s1", "go test ./internal/export/ ./internal/store/", "")
	d.stop("s1")
	d.note("export-csv", "Next: credit notes, their kind has a column of its own")
	d.end("s1")

	delete(d.env, "BOARD_RUN")
	d.on("fix-proration", "fix-proration", "")
	d.start("other branch", "s2", "startup")
	d.prompt("", "s2", "The tenant in Auckland is charged a day too much when the plan changes on the 31st: find out why")
	d.run("s2", "cat internal/proration/proration.go", "")
	d.run("s2", "go test ./internal/proration/", "--- FAIL: TestDaysAuckland (0.00s)\nFAIL")
	d.edit("s2", "internal/proration/proration.go")
	d.run("s2", "go test ./internal/proration/", "")
	d.prompt("", "s2", "good, commit it. And how do we round invoice totals?")
	d.run("s2", "git commit -qam 'Days of a plan are counted in the time zone of the tenant'", "")
	d.stop("s2")
	d.end("s2")

	d.put(memory.Workspace, .75, "Kestrel wants a UTF-8 byte order mark before the header row of a CSV export")
	d.env["BOARD_RUN"] = "tally-q4"
	d.on("export-csv", "export-csv", "")
	d.start("resumed", "s1", "resume")
	d.prompt("credit notes", "s1", "where were we? I think that only the credit notes are left")
	d.edit("s1", "internal/export/credit.go")
	d.run("s1", "go test ./internal/export/", "--- FAIL: TestCreditNoteKind (0.00s)\nFAIL")
	d.edit("s1", "internal/export/credit.go")
	d.run("s1", "go test ./internal/export/", "")
	d.run("s1", "git commit -qam 'Credit notes have a column for the kind'", "")
	d.stop("s1")
	d.end("s1")

	d.branch("review/export-csv") // its topic is still pinned
	d.start("review", "s3", "startup")
	d.prompt("", "s3", "Review the diff of export-csv against main. Be strict about the header row and the credit notes")
	d.run("s3", "go test ./internal/export/", "")
	d.stop("s3")
	if d.end("s3"); d.events != 60 {
		t.Errorf("%d events", d.events)
	}

	noise, all, found := 0, 0, map[string]string{}
	for _, p := range d.pages {
		n, of := d.judged(p)
		noise, all = noise+n, all+of
		if found[p.what] = p.text; n*10 > of {
			t.Errorf("%s: %d of %d tokens are noise", p.what, n, of)
		}
	}
	t.Logf("noise %d of %d tokens; by session %v", noise, all, d.spent)
	if noise*10 > all {
		t.Errorf("%d of %d tokens are noise", noise, all)
	}
	for page, wants := range map[string][]string{
		"start": {"s1 critical", "TestRowsEndWithCRLF", "Kestrel", "UseCRLF"}, "compaction": {"Kestrel",
			"(ok, 3 times, 2 failed before)"},
		"other branch": {"Proration counts days", "TestDaysAuckland"}, "resumed": {"byte order mark", "Next: credit notes"},
		"review": {"judge afresh", "s1 critical", "Goal: Export"}, "cursor": {"SQLSTATE 25P01"},
		"subagent":     {"Can the CSV export go"},
		"credit notes": {"column for the kind”, replaces m"}} {
		for _, want := range wants {
			if !strings.Contains(found[page], want) {
				t.Errorf("%s: %q is missing in\n%s", page, want, found[page])
			}
		}
	}
	log, err := os.ReadFile(RecallPath(d.home))
	for _, want := range []string{"left out: of medium importance, and not about a topic",
		"left out: a newer note says otherwise", "left out: a journal entry about something else",
		"left out: given in this session; evidence", "left out: weak; evidence", "given: the session has had", cleanRoom} {
		if err != nil || !strings.Contains(string(log), want) {
			t.Errorf("the log does not say %q, %v", want, err)
		}
	}
	if strings.Contains(string(log), "…") {
		t.Error("the log is cut")
	}
	for session, n := range d.spent {
		if n > Depths[0].SessionBudget {
			t.Errorf("session %s has %d tokens", session, n)
		}
	}
}
