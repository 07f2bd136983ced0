package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
	"blackboard/testdata/kbtest"
)

// screenFor is the knowledge base of a data home as the screen has it, without a daemon, and with
// a model or without (nil).
func screenFor(t *testing.T, home string, model embed.Embedder) (*screenKnowledge, *bytes.Buffer) {
	t.Helper()
	dir := filepath.Join(home, "no model")
	if model != nil {
		dir = t.TempDir()
	}
	env := map[string]string{"BOARD_HOME": home, "BOARD_DAEMON": daemon.Off, "BOARD_MODEL_DIR": dir}
	var said bytes.Buffer
	p := &program{&base.Program{Env: func(k string) string { return env[k] }, Err: &said}}
	src := daemon.NewSource(daemon.SourceConfig{Home: home, Env: p.Env, Mode: daemon.Off, ModelDir: dir,
		OpenModel: func(ctx context.Context, dir string) (embed.Embedder, func() error, error) {
			if model == nil {
				e, err := minilm.Open(ctx, dir)
				return e, func() error { return nil }, err
			}
			return model, func() error { return nil }, nil
		}})
	return &screenKnowledge{p: p, source: src, home: home, knowledgeHome: home, worker: "tester"}, &said
}

// TestScreenSearches: whoever searches on the screen gets what everybody gets.
func TestScreenSearches(t *testing.T) {
	kbtest.TestSearcher(t, func(t *testing.T, home string, model embed.Embedder) kb.Searcher {
		s, _ := screenFor(t, home, model)
		t.Cleanup(s.close)
		return s
	})
}

// TestScreenKnowledge: the file is opened once and kept, follows what others do to it, and what
// there is to say is said at the end alone.
func TestScreenKnowledge(t *testing.T) {
	ctx, home := t.Context(), t.TempDir()
	s, said := screenFor(t, home, nil)
	if st := s.status(ctx, false); st.Capsules != -1 || st.Daemon != "off" || st.Model != "" {
		t.Errorf("without a knowledge base: %+v", st)
	}
	if _, err := os.Stat(kb.Path(home)); err == nil {
		t.Error("looking at the status has made a knowledge base")
	}
	if _, err := s.knowledge(ctx, false); err == nil {
		t.Error("a knowledge base is opened that is not there")
	}
	k := expect.Value(s.knowledge(ctx, true))(t)
	r := expect.Value(k.Remember(ctx, kb.Capsule{Kind: "fact", Scope: "universal", Title: "Keys rotate by hand", Body: "The runbook says how.", Source: "runbook"}, kb.RememberOptions{}))(t)
	old := expect.Value(k.Remember(ctx, kb.Capsule{Kind: "fact", Scope: "universal", Title: "Backups go to tape", Body: "They did once.", Source: "shelf"}, kb.RememberOptions{}))(t)
	if _, err := k.Retire(ctx, old.Capsule.ID, "there is no tape"); err != nil { // what is retired is not counted
		t.Fatal(err)
	}
	k.Close()
	find := func(text string) int {
		t.Helper()
		res := expect.Value(s.Search(ctx, kb.Query{Text: text}))(t)
		return len(res.Hits)
	}
	if n := find("runbook"); n != 1 {
		t.Errorf("%d hits", n)
	}
	if st := s.status(ctx, false); st.Capsules != -1 {
		t.Errorf("%d capsules were counted, less than %s after the last time", st.Capsules, statusEvery)
	}
	s.again = time.Time{}
	if st := s.status(ctx, false); st.Capsules != 1 {
		t.Errorf("%d capsules", st.Capsules)
	}
	if _, opened, err := s.open.Open(ctx, home, kb.Options{}); err != nil || opened {
		t.Errorf("it was not kept open: opened %t, %v", opened, err)
	}

	// An edit by hand is picked up by a later search, though the file stays open.
	path := filepath.Join(kb.Sidecars(home), r.Capsule.ID+".md")
	data := expect.Value(os.ReadFile(path))(t)
	expect.OK(t, os.WriteFile(path, bytes.Replace(data, []byte("says how"), []byte("explains the ceremony"), 1), 0o600))
	s.sync = time.Time{}
	if n := find("ceremony"); n != 1 {
		t.Errorf("the edit is found %d times", n)
	}
	at := time.Now().Add(-time.Minute)
	expect.OK(t, errors.Join(os.WriteFile(path, []byte("no capsule"), 0o600), os.Chtimes(path, at, at)))
	s.sync = time.Time{}
	find("ceremony")
	if said.Len() > 0 {
		t.Errorf("said while the screen is shown: %q", said)
	}
	s.close()
	if !strings.Contains(said.String(), "quarantine") {
		t.Errorf("said at the end: %q", said)
	}
}

// TestScreenModel: a model that cannot be used leaves the words; one that is asked for by name is
// refused.
func TestScreenModel(t *testing.T) {
	s, _ := screenFor(t, t.TempDir(), nil)
	defer s.close()
	dir := filepath.Join(s.home, "no model") // but a directory
	expect.OK(t, os.Mkdir(dir, 0o700))
	k := expect.Value(s.knowledge(t.Context(), true))(t)
	defer k.Close()
	c := kb.Capsule{Kind: "fact", Scope: "universal", Title: "Keys rotate by hand", Body: "The runbook says how.", Source: "runbook"}
	expect.Value(k.Remember(t.Context(), c, kb.RememberOptions{NoEmbedding: true}))(t)
	res, err := s.Search(t.Context(), kb.Query{Text: "runbook"})
	if err != nil || len(res.Hits) != 1 || res.Mode != kb.ModeBM25 || len(res.Degraded) == 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := s.Search(t.Context(), kb.Query{Text: "runbook", Mode: kb.ModeVector}); err == nil {
		t.Error("a search by meaning without a model has an answer")
	}
	if st := s.status(t.Context(), false); st.Model != filepath.Base(dir) {
		t.Errorf("the model is called %q", st.Model)
	}
}

// TestScreenMemory: a person at the screen has a person's rights, also when looking with an
// agent's eyes, and sees how it stands with what an item was derived from.
func TestScreenMemory(t *testing.T) {
	ctx := t.Context()
	k, _ := screenFor(t, t.TempDir(), nil)
	defer k.close()
	ws := t.TempDir()
	open := k.p.screenMemory(k, ws)
	for _, agent := range []string{"", "reader"} {
		s := expect.Value(open(ctx, agent))(t)
		it := expect.Value(s.Put(ctx, memory.Item{Tier: memory.Workspace, Content: "the runbook of " + agent, DerivedFrom: "runbook.md"}, memory.PutOptions{}))(t)
		if it.Item.Curator != memory.CuratorAuthor {
			t.Errorf("as %q it is put by the %s", agent, it.Item.Curator)
		}
		got, err := s.Read(ctx, memory.Query{Tiers: []string{memory.Workspace}})
		if err != nil || len(got.Slices) == 0 || len(got.Slices[0].Hits) == 0 || got.Slices[0].Hits[0].Derived != "not there any more" {
			t.Errorf("%+v, %v: it was derived from a file that is not there", got, err)
		}
		s.Close()
	}
}

func TestScreenEditor(t *testing.T) {
	path := os.Getenv("PATH")
	for _, c := range []struct {
		editor string
		line   int
		want   []string
	}{
		{"vi", 12, []string{"+12", "/r.md"}},
		{"/usr/bin/nvim -p", 12, []string{"+12", "/r.md"}},
		{"emacsclient -t", 1, []string{"+1", "/r.md"}},
		{"hx", 12, []string{"/r.md:12"}},
		{"code -w", 12, []string{"-g", "/r.md:12"}},
		{"ed", 12, []string{"/r.md"}},
		{"vim", 0, []string{"/r.md"}},
	} {
		p := &program{&base.Program{Env: func(k string) string { return map[string]string{"EDITOR": c.editor, "VISUAL": ""}[k] }}}
		cmd := expect.Value(p.screenEditor("/r.md", c.line))(t)
		if want := append([]string{"sh", "-c", c.editor + ` "$@"`, "sh"}, c.want...); !slices.Equal(cmd.Args, want) {
			t.Errorf("%s at line %d: %q, not %q", c.editor, c.line, cmd.Args, want)
		}
	}
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if _, err := p.screenEditor("r.md", 1); err == nil {
		t.Error("there is no editor, and no error")
	}
	for _, name := range []string{"nano", "vi"} { // of both, vi
		expect.OK(t, os.WriteFile(filepath.Join(bin, name), nil, 0o700))
		if cmd, err := p.screenEditor("/r.md", 3); err != nil || !slices.Equal(cmd.Args[2:], []string{name + ` "$@"`, "sh", "+3", "/r.md"}) {
			t.Errorf("%v, %v: %s is there", cmd, err, name)
		}
	}
	t.Setenv("PATH", path)
	p.Env = func(k string) string { return map[string]string{"EDITOR": "cat"}[k] }
	dir := t.TempDir()
	t.Chdir(dir)
	expect.OK(t, os.WriteFile("-r.md", []byte("text"), 0o600))
	cmd := expect.Value(p.screenEditor("-r.md", 1))(t)
	if out, err := cmd.Output(); err != nil || string(out) != "text" {
		t.Errorf("%q, %v: a name that looks like a flag", out, err)
	}
}
