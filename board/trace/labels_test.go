package trace

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
)

// labelled is a report with what a person inserted into it, and what the board
// supports.
type labelled struct {
	name      string
	report    *documents.Document
	records   []Record
	Inserted  []label
	Supported []label
}

type label struct{ Text, Fact, Kind, Form string }

func loadLabelled(tb testing.TB, name string) labelled {
	tb.Helper()
	dir := filepath.Join("..", "..", "testdata", "trace", name)
	read := func(file string, into any) {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	l := labelled{name: name}
	read("facts.json", &l)
	var board []struct {
		ID, Content, Evidence string
		SourceDoc             string `json:"source_doc"`
		SourceRef             string `json:"source_ref"`
	}
	read("board.json", &board)
	for _, e := range board {
		l.records = append(
			l.records,
			Record{
				ID:   e.ID,
				Text: strings.Join([]string{e.Content, e.Evidence, e.SourceDoc}, "\n\n"),
				Ref:  e.SourceRef,
			},
		)
	}
	var err error
	if l.report, err = documents.Open(filepath.Join(dir, "report.md")); err != nil {
		tb.Fatal(err)
	}
	return l
}

func each(records []Record) Records {
	return func(read func(Record) error) error {
		for _, r := range records {
			if err := read(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// place is where a label's fact stands in the report.
func (l *labelled) place(tb testing.TB, b label) (start, end int) {
	tb.Helper()
	flexible := func(s string) *regexp.Regexp {
		parts := strings.Fields(s)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		return regexp.MustCompile(strings.Join(parts, `\s+`))
	}
	text := l.report.Text()
	m := flexible(b.Text).FindStringIndex(text)
	if m == nil {
		tb.Fatalf("%s: %q is not in the report", l.name, b.Text)
	}
	n := flexible(b.Fact).FindStringIndex(text[m[0]:m[1]])
	if n == nil {
		tb.Fatalf("%s: %q is not in %q", l.name, b.Fact, b.Text)
	}
	return m[0] + n[0], m[0] + n[1]
}

// tally counts labels of one kind, and of them the unsupported.
type tally struct{ n, called int }

func (l *labelled) judge(tb testing.TB, inserted, supported map[string]*tally) (alarms []string) {
	t := newTracer()
	t.readReport(l.report)
	board := each(l.records)
	if err := t.readBoard(board); err != nil {
		tb.Fatal(err)
	}
	t.judge()
	if err := t.derive(board); err != nil {
		tb.Fatal(err)
	}
	claimed := map[*fact]bool{}
	count := func(b label, kind string, into map[string]*tally, want bool) {
		start, end := l.place(tb, b)
		called := false
		var why []string
		for i := range t.facts {
			f := &t.facts[i]
			if f.start < end && f.end > start {
				why = append(
					why,
					fmt.Sprintf(
						"%s %s %s %s %v",
						f.kind,
						l.report.Text()[f.start:f.end],
						f.verdict.Verdict,
						f.verdict.Why,
						f.verdict.Entries,
					),
				)
				if f.verdict.Verdict == Unsupported {
					called, claimed[f] = true, claimed[f] || want
				}
			}
		}
		if into[kind] == nil {
			into[kind] = &tally{}
		}
		into[kind].n++
		if called {
			into[kind].called++
		}
		if called != want && os.Getenv("TRACE_SHOW") == l.name {
			fmt.Printf(
				"%s WRONG inserted=%v %s %q in %q: %q\n",
				l.name,
				want,
				kind,
				b.Fact,
				b.Text,
				why,
			)
		}
	}
	for _, b := range l.Inserted {
		count(b, b.Kind, inserted, true)
	}
	for _, b := range l.Supported {
		count(b, b.Form, supported, false)
	}
	for i := range t.facts {
		if f := &t.facts[i]; f.verdict.Verdict == Unsupported && !claimed[f] {
			alarms = append(alarms, l.report.Text()[f.start:f.end])
		}
	}
	return alarms
}

func sum(m map[string]*tally) (s tally) {
	for _, t := range m {
		s.n, s.called = s.n+t.n, s.called+t.called
	}
	return s
}

// TestLabels holds the figures of the package documentation against reports with
// inserted facts.
func TestLabels(t *testing.T) {
	for _, half := range []struct {
		name           string
		cases          []string
		named, doubted int // at least, at most
	}{
		{"tuned on", []string{"c01", "c02", "c03", "c04", "c05"}, 30, 4},
		{"held out", []string{"c06", "c07", "c08", "c09", "c10"}, 30, 7},
		{"final", []string{"c11", "c12", "c13", "c14", "c15"}, 28, 9},
		{"unseen", []string{"c16", "c17", "c18", "c19", "c20"}, 27, 43},
	} {
		inserted, supported := map[string]*tally{}, map[string]*tally{}
		for _, name := range half.cases {
			l := loadLabelled(t, name)
			alarms := l.judge(t, inserted, supported)
			if os.Getenv("TRACE_SHOW") == name {
				fmt.Printf("%s other alarms: %q\n", name, alarms)
			}
		}
		in, sup := sum(inserted), sum(supported)
		t.Logf(
			"%s: of %d inserted %d named; of %d supported %d doubted",
			half.name,
			in.n,
			in.called,
			sup.n,
			sup.called,
		)
		for _, m := range []map[string]*tally{inserted, supported} {
			for _, kind := range slices.Sorted(maps.Keys(m)) {
				t.Logf("  %-24s %3d, %3d called unsupported", kind, m[kind].n, m[kind].called)
			}
		}
		if in.called < half.named || sup.called > half.doubted {
			t.Errorf("%s: %+v %+v", half.name, in, sup)
		}
	}
}
