package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/verify"
	"blackboard/embed"
	"blackboard/testdata/expect"
	"blackboard/testdata/nobody"
)

const quoted = "Tokens never expire."

// newRun makes a run whose e1 stands in its source, and whose e2 does not if it quotes
// wrongly.
func newRun(t *testing.T, wrong bool) (*board.Board, Input) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "auth.md")
	expect.OK(t, os.WriteFile(source, []byte("# Auth\n\n"+quoted+"\n\nKeys rotate every 90 days.\n"),
		0o644))
	b := expect.Value(board.OpenOrCreate(t.Context(), dir, "r"))(t)
	t.Cleanup(func() { b.Close() })
	quote := "Keys rotate every 90 days."
	if wrong {
		quote = "Keys rotate every 30 days."
	}
	for _, p := range []board.Post{
		{Content: "tokens never expire", SourceDoc: "auth.md",
			Evidence: quoted, MustSurface: true},
		{Content: "keys rotate " + quote[12:25], SourceDoc: "auth.md", Evidence: quote},
	} {
		expect.Value(b.Post(t.Context(), "reader-1", p))(t)
	}
	return b, Input{Sources: []verify.File{{Name: "auth.md", Path: source}}, Worker: "ci"}
}

func report(text string) []*documents.Document {
	return []*documents.Document{documents.New("report.md", text)}
}

// said is each step with what became of it.
func said(r Result) string {
	var out []string
	for _, s := range r.Steps {
		what := "passed"
		switch {
		case !s.Passed:
			what = "failed"
		case len(s.Warnings) > 0:
			what = "warned"
		}
		if s.Skipped {
			what += "/skipped"
		}
		out = append(out, s.Name+" "+what)
	}
	return strings.Join(out, ", ")
}

func run(t *testing.T, b *board.Board, f Policy, in Input) Result {
	t.Helper()
	r := expect.Value(Run(t.Context(), b, f, in))(t)
	passed := !slices.ContainsFunc(r.Steps, func(s Step) bool { return !s.Passed })
	if r.Passed != passed || r.Run != "r" || r.Seq == 0 {
		t.Errorf("%+v", r)
	}
	return r
}

func TestRun(t *testing.T) {
	const good = "Tokens never expire, and keys rotate every 90 days."
	none, some := 0, 5
	for _, c := range []struct {
		name  string
		wrong bool
		text  string
		f     Policy
		want  string
	}{
		{"all holds", false, good, Policy{},
			"gate passed, verify passed, conflicts passed, survival passed, trace passed"},
		{"a wrong quote", true, "Tokens never expire, and keys rotate every 30 days.",
			Policy{},
			"gate passed, verify failed, conflicts passed, survival passed, trace passed"},
		{"one may be wrong", true, "Tokens never expire, and keys rotate every 30 days.",
			Policy{Verify: VerifyPolicy{MaxDoubted: 1}},
			"gate passed, verify warned, conflicts passed, survival passed, trace passed"},
		{"an invented figure", false, good + " It costs $4,210 a year.", Policy{},
			"gate passed, verify passed, conflicts passed, survival passed, trace warned"},
		{"none may be invented", false, good + " It costs $4,210 a year.",
			Policy{Trace: TracePolicy{MaxUnsupported: &none}},
			"gate passed, verify passed, conflicts passed, survival passed, trace failed"},
		{"some may", false, good + " It costs $4,210 a year.",
			Policy{Trace: TracePolicy{MaxUnsupported: &some}},
			"gate passed, verify passed, conflicts passed, survival passed, trace warned"},
		{"a finding is lost", false, "Nothing to say.", Policy{Steps: []string{"survival"}},
			"survival failed"},
		{"nothing to check", false, "Nothing to say.", Policy{Steps: []string{"trace"}},
			"trace passed/skipped"},
		{"too few items", false, good, Policy{Steps: []string{"survival"},
			Survival: SurvivalPolicy{MinItems: 2}}, "survival failed"},
		{"no report", false, "", Policy{},
			"gate passed, verify passed, conflicts passed, survival passed/skipped, trace passed/skipped"},
		{"no report that is listed", false, "", Policy{Reports: []string{"out"}},
			"gate passed, verify passed, conflicts passed, survival failed/skipped, trace failed/skipped"},
		{"a worker is not done", false, good,
			Policy{Gate: board.Policy{Expect: []string{"reader-2"}}},
			"gate failed, verify passed, conflicts passed, survival passed, trace passed"},
		{"no model", false, good, Policy{Steps: []string{"survival"},
			Survival: SurvivalPolicy{MinCosine: 0.9}}, "survival warned"},
	} {
		b, in := newRun(t, c.wrong)
		if c.text != "" {
			in.Reports = report(c.text)
		}
		r := run(t, b, c.f, in)
		if got := said(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got, want := r.GateAlone() && !r.Passed, c.name == "a worker is not done"; got != want {
			t.Errorf("%s: the gate alone failed: %v", c.name, got)
		}
		if s := r.WorstFirst()[0]; s.Passed != r.Passed {
			t.Errorf("%s: %s comes first", c.name, s.Name)
		}
	}
}

// TestVerdictsBeforeGate: a gate that asks for verified entries sees what the same
// check verified.
func TestVerdictsBeforeGate(t *testing.T) {
	b, in := newRun(t, false)
	f := Policy{Gate: board.Policy{RequireVerified: true}, Steps: []string{"gate", "verify"}}
	if got := said(run(t, b, f, in)); got != "gate passed, verify passed" {
		t.Error(got)
	}
	b, in = newRun(t, false)
	in.Worker = ""
	if got := said(run(t, b, f, in)); got != "gate passed, verify passed" {
		t.Error(got)
	}
	if v, err := b.Gate(t.Context(), f.Gate); err != nil || v.Open {
		t.Errorf("verdicts were written: %+v, %v", v, err)
	}
}

// TestMaxListed: what is left out of the items still counts.
func TestMaxListed(t *testing.T) {
	b, in := newRun(t, true)
	in.MaxListed = 1
	f := Policy{Gate: board.Policy{RequireVerified: true}, Steps: []string{"gate", "verify"}}
	r := run(t, b, f, in)
	v := r.Step(Verify).Verify
	if len(v.Items) != 1 || v.Items[0].ID != "e2" || v.Checked != 2 || v.Recorded != 2 {
		t.Errorf("%+v", v)
	}
	if got := said(r); got != "gate passed, verify failed" {
		t.Error(got)
	}
}

// TestDoubtedNotRecorded: the gate knows all verdicts, also where they cannot be written.
func TestDoubtedNotRecorded(t *testing.T) {
	if dir := os.Getenv("CHECK_TEST_READONLY"); dir != "" {
		checkReadOnly(t, dir)
		return
	}
	b, in := newRun(t, true)
	b.Close()
	dir := filepath.Dir(in.Sources[0].Path)
	expect.OK(t, os.Chmod(filepath.Join(dir, "r.sqlite3"), 0o444))
	if os.Geteuid() != 0 {
		checkReadOnly(t, dir)
		return
	}
	expect.OK(t, os.Chmod(filepath.Join(dir, "r.sqlite3-lock"), 0o444))
	for d := dir; d != filepath.Clean(os.TempDir()); d = filepath.Dir(d) {
		expect.OK(t, os.Chmod(d, 0o755))
	}
	nobody.Run(t, "TestDoubtedNotRecorded", "CHECK_TEST_READONLY="+dir)
}

func checkReadOnly(t *testing.T, dir string) {
	b := expect.Value(board.Open(t.Context(), dir, "r"))(t)
	defer b.Close()
	source := verify.File{Name: "auth.md", Path: filepath.Join(dir, "auth.md")}
	f := Policy{Gate: board.Policy{RequireVerified: true}, Steps: []string{"gate", "verify"}}
	r := run(t, b, f, Input{Sources: []verify.File{source}, Worker: "ci", MaxListed: 1})
	if v := r.Step(Verify).Verify; v.NotRecorded == "" {
		t.Errorf("%+v", v)
	}
	if got := said(r); got != "gate passed, verify failed" {
		t.Error(got)
	}
	in := Input{Worker: "ci", Dir: dir, Reports: []*documents.Document{document(t, "report.md", "Nothing")}}
	r = run(t, b, Policy{}, in)
	if err := Record(t.Context(), b, &r, &in); err != nil {
		t.Errorf("the verdict of a check depends on its record: %v", err)
	}
}

func TestWithoutSources(t *testing.T) {
	b, in := newRun(t, false)
	in.Sources = nil
	if got := said(run(t, b, Policy{}, in)); !strings.Contains(got, "verify passed/skipped") {
		t.Error(got)
	}
	// who names it wants it done
	for _, f := range []Policy{{Steps: []string{"verify"}}, {Sources: []string{"docs"}}} {
		if got := said(run(t, b, f, in)); !strings.Contains(got, "verify failed/skipped") {
			t.Error(got)
		}
	}
}

// TestRegisteredSources: trace looks in them too, without a flag.
// TestRemedy: what is to be done fits the verdict, and leaves no duty and no question open.
func TestRemedy(t *testing.T) {
	for _, c := range []struct {
		verdict string
		first   string // the text of the first step
		args    []string
	}{
		{verify.Nearly, "read the source", []string{"quote"}},
		{verify.Unknown, "name the directory of its source, too: {}", []string{"source"}},
		{verify.Ambiguous, "name the source by its path: {}", []string{"source"}},
		{verify.NothingToCheck, "give a quote: {}", []string{"quote"}},
	} {
		clear, next := Remedy(&verify.ItemResult{ID: "e3", MustSurface: true,
			Addresses: []string{"s1", "s2"}, Part: verify.Part{Outcome: verify.Plain(c.verdict, "")}})
		if clear == "" || next[0].Text != c.first {
			t.Errorf("%s: %q, %+v", c.verdict, clear, next)
			continue
		}
		correct := next[len(next)-1]
		for _, arg := range c.args {
			if _, ok := correct.Args[arg]; !ok {
				t.Errorf("%s: no %s in %+v", c.verdict, arg, correct)
			}
		}
		if correct.Op != "entry.correct" || correct.Args["id"] != "e3" {
			t.Errorf("%s: %+v", c.verdict, correct)
		}
	}
}

func TestRegisteredSources(t *testing.T) {
	b, in := newRun(t, false)
	expect.OK(t, os.WriteFile(in.Sources[0].Path,
		[]byte("Tokens never expire.\n\nSessions of Acme Gateway end after 17 minutes.\n"),
		0o644))
	expect.Value(b.AddSources(t.Context(), "ci", in.Sources, false))(t)
	in.Sources, in.Reports = nil, report("Sessions of Acme Gateway end after 17 minutes.")
	r := run(t, b, Policy{Steps: []string{"trace"}}, in)
	if s := r.Step("trace"); s.Trace.Unsupported > 0 || s.Trace.SourceOnly == 0 {
		t.Errorf("%+v", s.Trace)
	}
}

func TestNoRun(t *testing.T) {
	b := expect.Value(board.OpenOrCreate(t.Context(), t.TempDir(), "r"))(t)
	defer b.Close()
	if _, err := Run(t.Context(), b, Policy{}, Input{}); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// oneDirection gives all texts the same vector.
type oneDirection struct{}

func (oneDirection) Model() embed.Model { return embed.Model{Name: "one"} }

func (oneDirection) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i := range out {
		out[i] = embed.Vector{1, 0}
	}
	return out, nil
}

func TestMeaning(t *testing.T) {
	b, in := newRun(t, false)
	in.Reports, in.Model = report("Credentials stay valid for good."), oneDirection{}
	f := Policy{Steps: []string{"survival"}}
	if got := said(run(t, b, f, in)); got != "survival failed" {
		t.Error(got)
	}
	f.Survival.MinCosine = 0.9
	if got := said(run(t, b, f, in)); got != "survival passed" {
		t.Error(got)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a.md", "b.md", "docs/c.md"} {
		os.MkdirAll(filepath.Dir(at(name)), 0o755)
		expect.OK(t, os.WriteFile(at(name), []byte(name), 0o644))
	}
	f := Policy{Reports: []string{at("a.md")}, Sources: []string{at("docs")}}
	in, err := Open(&f, nil, nil)
	if err != nil || len(in.Reports) != 1 || in.Reports[0].Name != at("a.md") ||
		len(in.Sources) != 1 {
		t.Errorf("%+v, %v", in, err)
	}
	in, err = Open(&f, []string{at("b.md")}, []string{at("a.md")})
	if err != nil || len(in.Reports) != 1 || in.Reports[0].Name != at("b.md") ||
		in.Sources[0].Path != at("a.md") {
		t.Errorf("what is named does not go before the policy: %+v, %v", in, err)
	}
	f.Reports = []string{at("none.md")}
	if in, err = Open(&f, nil, nil); err != nil || !strings.Contains(in.Missing, "none.md") {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err = Open(&f, []string{at("none.md")}, nil); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err = Open(&f, []string{at("a.md")}, []string{at("none")}); !errors.Is(err,
		fault.NotFound) {
		t.Error(err)
	}
}
