package histories

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board"
)

// TestJudge shows a board with two entries, a signal and a variable to calls that could have led
// to it, and to calls that could not.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	boards := filepath.Join(dir, "home", "boards")
	ctx := context.Background()
	b, err := board.OpenOrCreate(ctx, boards, runName)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, content := range []string{"one", "two"} {
		if _, err := b.Post(ctx, "w", board.Post{Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Signal(ctx, "w", board.Raise{Content: "who?"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Claim(ctx, "w", "s1", board.DefaultLease); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := b.Set(ctx, "w", "v", []byte{byte('1' + i)}, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	one := Op{Kind: "post", Value: "one", Caller: "w", IDs: []string{"e1"}, Out: OK, Call: 1, Return: 2, If: -1}
	two := Op{Kind: "post", Value: "two", Caller: "w", IDs: []string{"e2"}, Out: OK, Call: 3, Return: 4, If: -1}
	who := Op{Kind: "signal", Value: "who?", Caller: "w", IDs: []string{"s1"}, Out: OK, Call: 5, Return: 6, If: -1}
	claim := Op{Kind: "claim", Key: "s1", Caller: "w", IDs: []string{"s1"}, Out: OK, Call: 7, Return: 8, If: -1}
	set := Op{Kind: "var-cas", Key: "v", Value: "1", Got: "1", Ver: 1, If: 0, Caller: "w", Out: OK, Call: 9, Return: 10}
	again := Op{Kind: "var-cas", Key: "v", Value: "2", Got: "2", Ver: 2, If: 1, Caller: "w", Out: OK, Call: 11, Return: 12}
	with := func(o Op, change func(*Op)) Op { change(&o); return o }
	for _, c := range []struct {
		name string
		ops  []Op
		want string // in a problem; "": there is none
	}{
		{"all is well", []Op{one, two, who, claim, set, again}, ""},
		{"an answer is missing", []Op{one, two, who, claim, set, with(again, func(o *Op) { o.Out, o.Ver = Failed, 0 })}, "an answer that nothing explains"},
		{"lost", []Op{one, two, who, claim, set, again, with(one, func(o *Op) { o.Value, o.IDs = "three", []string{"e3"} })}, "lost: e3 is not there"},
		{"changed", []Op{with(one, func(o *Op) { o.Value = "uno" }), two, who, claim, set, again}, `lost: e1 is "one" by w`},
		{"somebody else's", []Op{with(one, func(o *Op) { o.Caller = "x" }), two, who, claim, set, again}, `lost: e1 is "one" by w`},
		{"invented", []Op{one, who, claim, set, again}, "e2 was sent by nobody"},
		{"refused, and there", []Op{one, with(two, func(o *Op) { o.Out, o.IDs = Refused, nil }), who, claim, set, again}, "e2 is there although its call was refused"},
		{"two callers, one id", []Op{one, two, two, who, claim, set, again}, "two callers got the id e2"},
		{"out of order", []Op{two, with(one, func(o *Op) { o.Call, o.Return = 5, 6 }), who, claim, set, again}, "ids of entries are not in the order of the calls"},
		{"half a batch", []Op{with(one, func(o *Op) { o.Kind, o.More, o.Out, o.IDs = "batch", []string{"half"}, Unknown, nil }), two, who, claim, set, again}, "1 of 2 entries of a batch"},
		{"two claims win", []Op{one, two, who, claim, with(claim, func(o *Op) { o.Caller = "x" }), set, again}, "the calls about the signal s1 have no order"},
		{"two callers win a compare-and-set", []Op{one, two, who, claim, set, again, with(again, func(o *Op) { o.Value, o.Got, o.Caller = "3", "3", "x" })}, "the calls about the variable v have no order"},
		{"a stale read", []Op{one, two, who, claim, set, again, {Kind: "var-get", Key: "v", Got: "1", Ver: 1, Caller: "x", Out: OK, Call: 20, Return: 21, If: -1}}, "the calls about the variable v have no order"},
		{"a refusal without a reason", []Op{one, two, who, claim, with(set, func(o *Op) { o.Out, o.Ver = Refused, 0 }), again}, "the calls about the variable v have no order"},
	} {
		h := &History{}
		for i := range c.ops {
			h.Ops = append(h.Ops, numbered(c.ops[i], i+1))
		}
		v := Judge(h, dir)
		found := ""
		for _, p := range v.Problems {
			found += p.String() + "\n"
		}
		if c.want == "" && found != "" || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q is not among the problems: %s", c.name, c.want, found)
		}
	}
	// Loaded again, a history is the same.
	h := &History{Config: Config{Seed: 7, Faults: []string{"kill"}}, Ops: []*Op{numbered(one, 1)}, Faults: []Fault{{"kill", 1, 2}}}
	if err := h.Save(dir); err != nil {
		t.Fatal(err)
	}
	back, err := Load(dir)
	if err != nil || back.Config.Seed != 7 || len(back.Faults) != 1 || len(back.Ops) != 1 || back.Ops[0].Value != "one" {
		t.Errorf("%+v %v", back, err)
	}
	// A damaged file is a problem of its own.
	if err := os.WriteFile(filepath.Join(dir, "home", "other.sqlite3"), []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := Judge(&History{}, dir); v.Files == 0 {
		t.Error("a file that is no database is sound")
	}
}

func numbered(o Op, n int) *Op { o.N = n; return &o }
