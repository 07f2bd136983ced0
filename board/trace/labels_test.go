package trace

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/cost"
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

// span is where a fact stands in its report, whose marks its unit's text has not.
func (t *tracer) span(f *fact) (start, end int) {
	u := &t.units[f.unit]
	var words []string
	for _, w := range strings.Fields(f.text(t)) {
		words = append(words, regexp.QuoteMeta(w))
	}
	best := -1
	all := u.report.Text()[u.At:]
	for _, m := range regexp.MustCompile(strings.Join(words, `[\s*_|-]+`)).FindAllStringIndex(all, -1) {
		if best < 0 || max(m[0]-f.start, f.start-m[0]) < max(best-f.start, f.start-best) {
			best, end = m[0], m[1]
		}
	}
	if best < 0 {
		return u.At + f.start, u.At + f.end
	}
	return u.At + best, u.At + end
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
	if err := t.readNearest(board); err != nil {
		tb.Fatal(err)
	}
	t.conclude()
	claimed := map[*fact]bool{}
	count := func(b label, kind string, into map[string]*tally, want bool) {
		start, end := l.place(tb, b)
		called := false
		var why []string
		for i := range t.facts {
			f := &t.facts[i]
			if from, to := t.span(f); f.kind != KindStatement && from < end && to > start {
				why = append(
					why,
					fmt.Sprintf(
						"%s %s %s %s %v",
						f.kind,
						f.text(t),
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
			alarms = append(alarms, f.text(t))
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
		{"held out", []string{"c06", "c07", "c08", "c09", "c10"}, 30, 6},
		{"final", []string{"c11", "c12", "c13", "c14", "c15"}, 28, 6},
		{"first unseen", []string{"c16", "c17", "c18", "c19", "c20"}, 27, 10},
		{"unseen", []string{"c21", "c22", "c23", "c24", "c25"}, 28, 10},
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

// judgeOne reports whether one of the facts between two places of a report is
// unsupported.
func (l *labelled) judgeOne(tb testing.TB, report *documents.Document, start, end int) bool {
	t := newTracer()
	t.readReport(report)
	board := each(l.records)
	if err := t.readBoard(board); err != nil {
		tb.Fatal(err)
	}
	t.judge()
	if err := t.readNearest(board); err != nil {
		tb.Fatal(err)
	}
	t.conclude()
	return slices.ContainsFunc(t.facts, func(f fact) bool {
		from, to := t.span(&f)
		return from < end && to > start && f.verdict.Verdict == Unsupported
	})
}

// alter changes one digit of a text; which one, and to what, the text decides.
func alter(s string, salt uint32) (string, bool) {
	var at []int
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return s, false
	}
	h := fnv.New32a()
	h.Write([]byte(s))
	n := h.Sum32() + salt*2654435761
	i := at[int(n>>8)%len(at)]
	digit := '0' + (s[i]-'0'+1+byte((n>>16)%9))%10
	if digit == '0' && i == at[0] {
		digit = '5'
		if s[i] == '5' {
			digit = '7'
		}
	}
	return s[:i] + string(rune(digit)) + s[i+1:], true
}

// TestAltered holds that a figure with another digit is called unsupported: what makes
// more figures follow from others must not make any figure follow. TRACE_ALL alters
// each supported figure of all reports, not one in ten.
func TestAltered(t *testing.T) {
	cost.SkipUnlessLong(t)
	every, least := 10, 0.7
	if os.Getenv("TRACE_ALL") != "" {
		every = 1
	}
	called, n := map[string]*tally{}, 0
	for c := 1; c <= 20; c++ {
		l := loadLabelled(t, fmt.Sprintf("c%02d", c))
		for _, b := range l.Supported {
			if n++; n%every != 0 {
				continue
			}
			start, end := l.place(t, b)
			text, ok := alter(l.report.Text()[start:end], 1)
			if !ok {
				continue
			}
			all := l.report.Text()
			altered := documents.New("report.md", all[:start]+text+all[end:])
			if called[b.Form] == nil {
				called[b.Form] = &tally{}
			}
			called[b.Form].n++
			if l.judgeOne(t, altered, start, start+len(text)) {
				called[b.Form].called++
			} else if os.Getenv("TRACE_SHOW") == l.name {
				t.Logf("%s: %q for %q in %q passes", l.name, text, b.Fact, b.Text)
			}
		}
	}
	for _, form := range slices.Sorted(maps.Keys(called)) {
		t.Logf("  %-24s %3d, %3d called unsupported", form, called[form].n, called[form].called)
	}
	if s := sum(called); float64(s.called) < least*float64(s.n) {
		t.Errorf("of %d altered figures %d are called unsupported", s.n, s.called)
	} else {
		t.Logf("of %d altered figures %d are called unsupported", s.n, s.called)
	}
}
