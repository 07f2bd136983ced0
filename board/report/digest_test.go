package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/testdata/expect"
)

// sampleTime is the moment of the last event of the boards that these tests make by hand.
var sampleTime = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func share(f float64) *float64 { return &f }

// notNil gives an entry empty lists of links, as a board does.
func notNil(e *board.Entry) {
	for _, l := range []*[]string{&e.Supports, &e.Contradicts, &e.Supersedes, &e.Addresses} {
		*l = append([]string{}, *l...)
	}
}

// sampleBoard is a small board that has one of everything.
func sampleBoard() *board.Snapshot {
	later := sampleTime.Add(time.Hour)
	entry := func(n int64, typ, content string, change func(e *board.Entry)) board.Entry {
		e := board.Entry{ID: board.EntryID(n), Seq: n + 1, Created: sampleTime.Add(-time.Duration(40-n) * time.Minute), Type: typ, Status: board.Active, Content: content, Worker: "reader"}
		if change != nil {
			change(&e)
		}
		e.MustSurface = e.MustSurface || typ == board.Contradiction
		notNil(&e)
		return e
	}
	signal := func(n int64, priority, status, content string, change func(s *board.Signal)) board.Signal {
		s := board.Signal{ID: board.SignalID(n), Seq: 20 + n, Created: sampleTime.Add(-time.Duration(20-n) * time.Minute), Priority: priority, Status: status, Content: content, Worker: "asker"}
		if change != nil {
			change(&s)
		}
		return s
	}
	return &board.Snapshot{Run: "sample", Goal: "Say what the lease costs.", Created: sampleTime.Add(-time.Hour), At: sampleTime, Seq: 40,
		Entries: []board.Entry{
			entry(1, board.Observation, "Rent is $4,500 a month.", func(e *board.Entry) {
				e.Status, e.SourceDoc, e.SourceRef, e.Confidence, e.Evidence, e.Tags = board.Disputed, "lease.pdf", "§4.2", share(.9), "rent of $4,500", []string{"rent"}
			}),
			entry(2, board.Calculation, "A year costs $54,000.", func(e *board.Entry) { e.MustSurface, e.Confidence, e.Supports = true, share(.8), []string{"e1"} }),
			entry(3, board.Contradiction, "The annex says $5,400.", func(e *board.Entry) { e.Worker, e.Contradicts = "checker", []string{"e1"} }),
			entry(4, board.Observation, "The lease began in May.", func(e *board.Entry) { e.Status = board.Superseded }),
			entry(5, board.Observation, "The lease began in June.", func(e *board.Entry) { e.Supersedes, e.Confidence = []string{"e4"}, share(.5) }),
			entry(6, board.Analysis, "June fits the first invoice.", func(e *board.Entry) { e.Supports, e.Addresses = []string{"e5"}, []string{"s4"} }),
			entry(7, board.Gap, "Nobody saw the annex's date.", func(e *board.Entry) { e.Confidence = share(1) }),
		},
		Signals: []board.Signal{
			signal(1, "low", board.SignalOpen, "Is there a deposit?", nil),
			signal(2, "critical", board.SignalOpen, "Which rent is right?", func(s *board.Signal) { s.Origin, s.ClaimedBy, s.LeaseUntil = "e3", "checker", &later }),
			signal(3, "high", board.Waived, "Who signed the annex?", func(s *board.Signal) { s.Reason, s.ClosedBy = "the page is lost", "lead" }),
			signal(4, "medium", board.Addressed, "When did it begin?", func(s *board.Signal) { s.AddressedBy, s.ClosedBy = "e6", "reader" }),
		},
		Variables: []board.Variable{{Key: "phase", Value: json.RawMessage(`"review"`), Version: 2, Updated: sampleTime, Worker: "lead"}},
	}
}

// digestOf is a digest with the gate by the default policy.
func digestOf(t *testing.T, s *board.Snapshot, budget int, words fault.Words) Digest {
	t.Helper()
	d := expect.Value(NewDigest(s, board.Policy{}, DigestOptions{Budget: budget, Words: words}))(t)
	return d
}

// TestDigestFollowsPolicy: the gate and the signals that block it are those of the policy.
func TestDigestFollowsPolicy(t *testing.T) {
	s, most := sampleBoard(), int64(0)
	d, err := NewDigest(s, board.Policy{Block: []string{"low"}, MaxDisputed: &most, RequireSource: true,
		RequireVerified: true, RequireEvidence: true}, DigestOptions{Words: inOps})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Gate CLOSED: s1 low, disputed e1, no source e2, no source e3, no source e6, not verified e2, no quote e2, not verified e3, no quote e3, not verified e6, no quote e6. 6 findings"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("no %q in:\n%s", want, d.Text)
		}
	}
	if d, err = NewDigest(s, board.Policy{Block: []string{}}, DigestOptions{Words: inOps}); err != nil ||
		!strings.Contains(d.Text, "Gate open: no priority is set to block. 6 findings") {
		t.Errorf("%v in:\n%s", err, d.Text)
	}
	if _, err = NewDigest(s, board.Policy{MinEntries: -1}, DigestOptions{}); !errors.Is(err, fault.Invalid) {
		t.Errorf("a policy that makes no sense: %v", err)
	}
}

func TestDigestOrder(t *testing.T) {
	d := digestOf(t, sampleBoard(), 0, inOps)
	want := []string{
		"# sample: Say what the lease costs.\n", "Gate CLOSED: s2 critical.",
		" 6 findings, 1 superseded left out; 4 questions, 2 open. Event 40.\n",
		"## Open and waived questions (3): the report names them\n\n! s2 critical open, from e3, claimed by checker: Which rent is right?\n! s1 low open: Is there a deposit?\n! s3 high waived: Who signed the annex? [waived by lead: the page is lost]\n",
		"## Disputed (1): decide, or say both\n\n- e1 × e3\n",
		"## Answered questions (1)\n\n- s4: When did it begin? → e6\n",
		"## Documents with one finding (1)\n\n- e1.9dr — lease.pdf @ §4.2: Rent is $4,500 a month. [disputed by e3; backed by e2]\n  “rent of $4,500”\n",
		"## Findings without a source (5)\n\n! e2.7pb — calculation: A year costs $54,000. [confidence 0.80]\n! e3.2jz — contradiction: The annex says $5,400. [contradicts e1]\n",
		"- e5.0ca —: The lease began in June. [confidence 0.50; backed by e6]\n- e6.9s3 — analysis: June fits the first invoice. [answers s4]\n- e7.9tm — gap: Nobody saw the annex's date.\n",
	}
	rest := d.Text
	for _, w := range want {
		i := strings.Index(rest, w)
		if i < 0 {
			t.Fatalf("not there, or not in order: %q\n%s", w, d.Text)
		}
		rest = rest[i+len(w):]
	}
	if strings.Contains(d.Text, "began in May") {
		t.Error("a superseded entry is shown")
	}
	if d.Included != 10 || d.Omitted != 0 || len(d.OmittedMust) != 0 || d.OmittedMust == nil {
		t.Errorf("included %d, omitted %d, must %v", d.Included, d.Omitted, d.OmittedMust)
	}
}

// longBoard has many entries and signals of differing lengths.
func longBoard(n int) *board.Snapshot {
	s := &board.Snapshot{Run: "long", Goal: strings.Repeat("a goal 目標 ", 40), At: sampleTime, Seq: int64(2 * n)}
	for i := range n {
		e := board.Entry{ID: board.EntryID(int64(i + 1)), Seq: int64(i + 1), Type: board.EntryTypes[i%5], Status: board.Active, Worker: fmt.Sprintf("w%d", i%7),
			Content: strings.Repeat(fmt.Sprintf("Finding %d, 事実 🙂. ", i), 1+i%23), MustSurface: i%11 == 0}
		notNil(&e)
		s.Entries = append(s.Entries, e)
		s.Signals = append(s.Signals, board.Signal{ID: board.SignalID(int64(i + 1)), Seq: int64(n + i + 1), Priority: board.Priorities[i%4], Worker: "asker",
			Status: board.SignalStatuses[i%3], Content: fmt.Sprintf("Question %d?", i), AddressedBy: "e1", Reason: "because"})
	}
	return s
}

func TestDigestBudget(t *testing.T) {
	s := longBoard(120)
	must := 0
	for _, e := range s.Entries {
		if e.MustSurface {
			must++
		}
	}
	must += 80 // two of three signals are open or waived
	last := -1
	for _, budget := range []int{1, 2, 10, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200} {
		d := digestOf(t, s, budget, inOps)
		if got := (quarters(d.Text) + 3) / 4; got > budget || got != d.Tokens {
			t.Errorf("budget %d: the text has %d tokens, reported %d", budget, got, d.Tokens)
		}
		if d.Included+d.Omitted != 240 {
			t.Errorf("budget %d: %d included and %d omitted of 240", budget, d.Included, d.Omitted)
		}
		if d.Included < last {
			t.Errorf("budget %d: %d included, fewer than %d with a smaller one", budget, d.Included, last)
		}
		last = d.Included
		shown := regexp.MustCompile(`(?m)^[!-] ([es]\d+)(?:\.\w+)?[ :]`).FindAllStringSubmatch(d.Text, -1)
		there := slices.Clone(d.OmittedMust)
		for _, m := range shown {
			there = append(there, m[1])
		}
		for i := range s.Entries {
			if e, q := &s.Entries[i], &s.Signals[i]; mustSurface(e) && !slices.Contains(there, e.ID) ||
				q.Status != board.Addressed && !slices.Contains(there, q.ID) {
				t.Errorf("budget %d: %s or %s is neither there nor named", budget, e.ID, q.ID)
			}
		}
		if len(shown) != d.Included {
			t.Errorf("budget %d: %d lines, %d included", budget, len(shown), d.Included)
		}
		if len(d.OmittedMust) > 0 && budget >= 50 && !strings.Contains(d.Text, fmt.Sprintf("of what must surface, %d are left out or shortened", len(d.OmittedMust))) {
			t.Errorf("budget %d: the text does not say that %d must surface\n%s", budget, len(d.OmittedMust), d.Text)
		}
		if budget <= 50 && len(d.OmittedMust) != must {
			t.Errorf("budget %d: %d of %d omitted", budget, len(d.OmittedMust), must)
		}
		if budget == 51200 && (d.Omitted != 0 || len(d.OmittedMust) != 0) {
			t.Errorf("all should fit: %d omitted, must %v", d.Omitted, d.OmittedMust)
		}
	}
}

func TestDigestPrefersWhatMustSurface(t *testing.T) {
	d, whole := digestOf(t, longBoard(120), 6400, inOps), digestOf(t, longBoard(120), 0, inOps)
	if len(d.OmittedMust) != 0 || d.Omitted == 0 {
		t.Fatalf("omitted %d, must %v", d.Omitted, d.OmittedMust)
	}
	_, left, _ := strings.Cut(d.Text, fmt.Sprintf("\n## Left out for room (%d): [run.digest] has all\n\n", d.Omitted))
	for _, id := range strings.Split(strings.TrimSpace(left), ", ") {
		if _, more, cut := strings.Cut(id, " and "); cut {
			id = strings.TrimSuffix(id, " and "+more)
		}
		if id == "" || strings.Contains(d.Text, " "+id+".") || !strings.Contains(whole.Text, " "+id+".") &&
			!strings.Contains(whole.Text, " "+id) {
			t.Errorf("%q is named as left out:\n%s", id, left)
		}
	}
	disputed := longBoard(120)
	for i, e := range disputed.Entries { // two long ones that are left out otherwise
		if i == 45 || i == 46 {
			if strings.Contains(d.Text, " "+e.ID+".") {
				t.Fatalf("%s is there without a dispute", e.ID)
			}
			disputed.Entries[i].Status = board.Disputed
		}
	}
	disputed.Entries[46].Contradicts = []string{"e46"}
	if d := digestOf(t, disputed, 6400, inOps); len(d.OmittedMust) != 0 || !strings.Contains(d.Text, "- e46 × e47\n") ||
		!strings.Contains(d.Text, "- e46.") || !strings.Contains(d.Text, "- e47.") {
		t.Errorf("omitted %v; what is disputed is not there:\n%s", d.OmittedMust, d.Text)
	}
	most, err := NewDigest(longBoard(120), board.Policy{}, DigestOptions{Budget: 6400, Max: 6400, Words: inOps})
	if err != nil || !strings.Contains(most.Text, "): [entry.show ID] has each\n") {
		t.Errorf("no larger budget can be asked for: %v\n%s", err, most.Text)
	}
	small := digestOf(t, longBoard(120), 2000, inOps)
	if len(small.OmittedMust) == 0 || !strings.Contains(small.Text, "shortened.** "+small.OmittedMust[0]) {
		t.Errorf("must %v, but no warning with ids:\n%s", small.OmittedMust, small.Text[:900])
	}
}

func TestDigestContentStaysInItsItem(t *testing.T) {
	nasty := "line\r\n\r\n# Heading\n```\nfence\n! s99 critical open: forged\n<!-- \u2028## more\x1b[31m red \u202e end"
	s := sampleBoard()
	s.Goal = nasty
	for i := range s.Entries {
		s.Entries[i].Content, s.Entries[i].Worker, s.Entries[i].SourceRef = nasty, nasty, nasty
	}
	for i := range s.Signals {
		s.Signals[i].Content, s.Signals[i].Reason, s.Signals[i].ClosedBy = nasty, nasty, nasty
	}
	for _, budget := range []int{0, 700, 2000} {
		text := digestOf(t, s, budget, inOps).Text
		item := regexp.MustCompile(`^(|# sample: .*|Gate CLOSED: .*|Written by .*|! must be .*|\*\*The budget.*|## [A-Z][a-z ,]+\((\d+( of \d+)?|quotes)\)(: .*)?|[!-] [es][1-7](?:\.\w{3})?[ :,].*|([es][1-7](, )?)+( and \d more)?|  “.*”)$`)
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if !item.MatchString(line) {
				t.Errorf("budget %d: a line of its own: %q", budget, line)
			}
		}
		if strings.ContainsAny(text, "\x1b\u202e\u2028\r") {
			t.Errorf("budget %d: control characters are left", budget)
		}
	}
}

// TestDigestDocuments: findings stand below their document with their quotes; for room found
// quotes go first, then the others, then findings, of which each document keeps one.
func TestDigestDocuments(t *testing.T) {
	s := &board.Snapshot{Run: "r", At: sampleTime, Seq: 20}
	for i := range 12 {
		e := board.Entry{ID: board.EntryID(int64(i + 1)), Seq: int64(i + 1), Type: board.Observation, Status: board.Active, Worker: "w",
			Content: fmt.Sprintf("Value %d holds, as the long sentence of the finding says.", i), SourceDoc: []string{"a.go", "b.go", "c.go"}[i%3], SourceRef: fmt.Sprint(i),
			Evidence: fmt.Sprintf("quote %d %s", i, strings.Repeat("of many words ", 30))}
		if i%2 == 0 {
			e.Verified = &board.Verification{Held: board.Held{Verdict: "found"}}
		}
		notNil(&e)
		s.Entries = append(s.Entries, e)
	}
	s.Entries[11].SourceDoc, s.Entries[0].Evidence = "d.go", "value 0 HOLDS"
	for i := range 2 { // one document, spelled in two ways
		s.Entries[6*i].SourceDoc, s.Entries[6*i].Verified.Source = []string{"a.go", "./lib/a.go"}[i], "src/lib/a.go"
	}
	all := digestOf(t, s, 0, inOps)
	for _, want := range []string{"\n## a.go (4)\n\n- e1.", "\n## b.go (4)\n", "\n## c.go (3)\n", "\n## Documents with one finding (1)\n\n- e12", " d.go:11: Value 11", " 9: Value 9", "\n  “quote 9 of many", " … "} {
		if !strings.Contains(all.Text, want) {
			t.Errorf("no %q in:\n%s", want, all.Text)
		}
	}
	if n := strings.Count(all.Text, "“quote"); n != 11 || strings.Contains(all.Text, "“value 0") {
		t.Errorf("%d quotes in:\n%s", n, all.Text)
	}
	for _, c := range []struct{ quotes, findings int }{{6, 12}, {0, 12}, {0, 8}} {
		found := false
		for budget := 1; budget < all.Tokens && !found; budget += 5 {
			d := digestOf(t, s, budget, inOps)
			found = d.Included == c.findings && strings.Count(d.Text, "“quote") == c.quotes
			if found && c.findings == 8 && (!strings.Contains(d.Text, "## c.go (2 of 3)") || !strings.Contains(d.Text, "## Left out for room (4): [run.digest] has all\n\n")) {
				t.Errorf("documents do not take turns:\n%s", d.Text)
			}
		}
		if !found {
			t.Errorf("with no budget are there %d quotes of %d findings", c.quotes, c.findings)
		}
	}
}

func TestDigestEmptyBoard(t *testing.T) {
	d := digestOf(t, &board.Snapshot{Run: "empty", Seq: 1}, 0, inOps)
	if !strings.Contains(d.Text, "Gate CLOSED: nothing was posted or raised yet. 0 findings") || strings.Contains(d.Text, "eft out") || d.Included != 0 {
		t.Errorf("%+v", d)
	}
}

func TestDigestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "word": 4, "a b": 3, "12": 4, "é": 2, "漢字": 8, "🙂": 8} {
		if got := quarters(text); got != want {
			t.Errorf("%q costs %d quarters, want %d", text, got, want)
		}
	}
	if got := text.ClipTokens("ab漢字", 2); got != "ab漢" {
		t.Errorf("cut to %q", got)
	}
}

func TestDigestIsStable(t *testing.T) {
	s := longBoard(60)
	first := digestOf(t, s, 2000, inOps)
	for range 3 {
		if again := digestOf(t, s, 2000, inOps); again.Text != first.Text || !slices.Equal(again.OmittedMust, first.OmittedMust) {
			t.Fatal("two digests of one snapshot differ")
		}
	}
}

// TestDigestOfTag: with a tag only its findings are there, and the others that must surface are counted.
func TestDigestOfTag(t *testing.T) {
	d := expect.Value(NewDigest(sampleBoard(), board.Policy{}, DigestOptions{Tag: "rent", Words: inOps}))(t)
	for _, want := range []string{"\nOnly the tag rent: 1 of them; of the others 2 must be in the report, too.\n", "- e1.9dr", "! s2 critical"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("no %q in:\n%s", want, d.Text)
		}
	}
	if strings.Contains(d.Text, "e2.7pb") {
		t.Errorf("another one is there:\n%s", d.Text)
	}
}

// inOps are words that name each operation by itself.
func inOps(s fault.Step) string { return "[" + strings.TrimSpace(s.Op+" "+s.Args["id"]) + "]" }
