package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// TestTable holds what the kinds mean outside: programs depend on it.
func TestTable(t *testing.T) {
	want := map[Kind]string{
		Failure: "failure 1 500 -32603", Usage: "usage 2 400 -32602", Invalid: "invalid 2 400 -32602", NotFound: "not_found 5 404 -32602",
		Conflict: "conflict 6 409 -32603", Timeout: "timeout 1 504 -32603", Denied: "denied 1 403 -32602", Busy: "busy 1 503 -32603",
		Full: "disk_full 1 507 -32603", ReadOnly: "read_only 1 500 -32603", Corrupt: "corrupt 1 500 -32603", BadIndex: "corrupt 1 500 -32603",
		Newer: "newer_file 1 500 -32603", Gone: "conflict 6 410 -32603", NoModel: "no_model 1 404 -32603", BadModel: "bad_model 1 500 -32603",
		Closed: "failure 1 503 -32603", Away: "database_away 1 503 -32603",
	}
	names := map[string]bool{}
	for i := range kinds {
		k := Kind(i)
		if got := fmt.Sprint(k.Code(), " ", k.Exit(), " ", k.Status(), " ", k.RPC()); got != want[k] {
			t.Errorf("%v: %s, want %s", k, got, want[k])
		}
		if names[k.Error()] || KindNamed(k.Error()) != k {
			t.Errorf("%v is the name of two kinds", k)
		}
		names[k.Error()] = true
	}
	if len(want) != len(kinds) {
		t.Errorf("%d kinds, want %d", len(kinds), len(want))
	}
	if KindNamed("unheard of") != Failure {
		t.Error("an unknown name is a kind")
	}
}

func TestError(t *testing.T) {
	err := NotFound.New("there is no x", "look elsewhere")
	for _, e := range []error{err, fmt.Errorf("line 3: %w", err), With(err, "y"), fmt.Errorf("%w: z", NotFound)} {
		if !errors.Is(e, NotFound) || errors.Is(e, Invalid) || KindOf(e) != NotFound {
			t.Errorf("%v is of the kind %v", e, KindOf(e))
		}
	}
	if KindOf(nil) != Failure || KindOf(fs.ErrExist) != Failure || len(Next(fs.ErrExist)) > 0 {
		t.Error("an error of others has a kind, or a next step")
	}
	file := &Error{Kind: Full, File: "/x", Msg: "could not be written", Cause: fs.ErrExist}
	if file.Error() != "/x could not be written" || !errors.Is(file, fs.ErrExist) || !errors.Is(file, Full) {
		t.Errorf("%v", file)
	}
	// The outermost kind is the one that counts: a caller may know better.
	if got := With(file, "make room"); KindOf(got) != Full || got.Error() != file.Error() || Try(got, nil) != "make room" || !errors.Is(got, fs.ErrExist) {
		t.Errorf("%v, kind %v, try %q", got, KindOf(got), Try(got, nil))
	}
	if outer := (&Error{Kind: NotFound, Cause: file}); KindOf(outer) != NotFound {
		t.Errorf("the kind is %v, of the cause", KindOf(outer))
	}
}

func TestSteps(t *testing.T) {
	words := func(s Step) string {
		if s.Op == "unheard.of" {
			return ""
		}
		text := s.Op
		for _, name := range s.Names() {
			text += " " + name + "=" + s.Args[name]
		}
		return text
	}
	err := Conflict.New("x is taken", "wait", Do("kb.get", "{} shows {it}", "id", "k1", "all", ""), Do("unheard.of", "{} helps"), Give("force", "", "{} keeps both"))
	if got, want := Try(err, words), "wait; kb.get all= id=k1 shows {it};  force= keeps both"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	either := Steps("wait", Give("force", "", "or take it with {}"), Do("unheard.of", "{} helps"), Step{Text: "or give up"})
	if got, want := Say(either, words), "wait, or take it with  force=, or give up"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Say(either[1:], nil); got != "give up" {
		t.Errorf("the first that is left: %q", got)
	}
	if got := Try(err, nil); got != "wait" {
		t.Errorf("without words: %q", got)
	}
	data, _ := json.Marshal(Next(err))
	want := `[{"text":"wait"},{"op":"kb.get","args":{"all":"","id":"k1"},"text":"{} shows {it}"},{"op":"unheard.of","text":"{} helps"},{"args":{"force":""},"text":"{} keeps both"}]`
	if string(data) != want {
		t.Errorf("%s\nwant %s", data, want)
	}
	var back []Step
	if json.Unmarshal(data, &back) != nil || Say(back, words) != Try(err, words) {
		t.Errorf("%v came back", back)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}} {
		if got := Clip(c.s, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}
