package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"blackboard/cmd/board/base"
	"blackboard/cmd/board/memorycmd"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// TestDerivedFile: what is said of a file that an item was derived from, and what is not taken for
// one.
func TestDerivedFile(t *testing.T) {
	ws := t.TempDir()
	long, now := time.Now().Add(-time.Hour), time.Now()
	for name, at := range map[string]time.Time{"old.go": long, "new.go": now, "Makefile": now, "a dir/with blank.md": now} {
		name = filepath.Join(ws, filepath.FromSlash(name))
		expect.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		expect.OK(t, os.WriteFile(name, nil, 0o600))
		expect.OK(t, os.Chtimes(name, at, at))
	}
	const derivedGone, derivedChanged, notChecked = "not there any more", "changed since", "not checked"
	r := memorycmd.NewResolver(&base.Program{}, ws, nil)
	for from, want := range map[string]string{
		"old.go": "", "old.go:12": "", "old.go:12:3": "", "old.go#L3-L9": "", "./old.go": "",
		"new.go": derivedChanged, "new.go:12": derivedChanged, "new.go:12-20": derivedChanged, "new.go#L3": derivedChanged, "Makefile:3": derivedChanged, "a dir/with blank.md": derivedChanged,
		filepath.Join(ws, "new.go"): derivedChanged, "a dir/../new.go": derivedChanged,
		"gone.go": derivedGone, "gone.go:3": derivedGone, "dir/gone.md#L3": derivedGone, filepath.Join(ws, "gone.go"): derivedGone,
		// What may be a file, and is none that is looked at.
		"Anna": notChecked, "gone": notChecked, "TICKET-12": notChecked, "v1.2.3": notChecked, "../new.go": notChecked, "/etc/gone.conf": notChecked, "../../gone.md": notChecked,
		// No files.
		"a talk with Anna": "", "golang/go#123": "", "https://example.com/x.html": "", "mailto:a@example.com": "", "git:abc.def": "",
		"a dir": "", "": "", ".": "", "..": "", "*.go": "", "12:30": "",
	} {
		if got := r.Resolve(t.Context(), &memory.Item{Tier: memory.Workspace, DerivedFrom: from, Created: now.Add(-time.Minute)}); got != want {
			t.Errorf("%q: %q, not %q", from, got, want)
		}
	}
	if got := r.Resolve(t.Context(), &memory.Item{Tier: memory.Account, DerivedFrom: "gone.go"}); got != notChecked {
		t.Errorf("a path in the account, which has no workspace: %q", got)
	}
}
