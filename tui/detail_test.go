package tui

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestDetail(t *testing.T) {
	h := openAudit(t)
	h.press("G", "enter")
	h.goldens("entry")
	h.wants("if claims.Exp", "auth.go", "supported by", "contradicted by", "raised")
	h.press("tab", "enter") // along the second link, to the contradiction
	h.wants("e3", "contradiction", "→ contradicts")
	h.press("enter")
	h.wants("audit-7 › e1 › e3 › e1")
	h.press("esc", "esc", "tab", "enter")
	h.wants("who rotates"[1:], "→ arose from")
	h.goldens("signal")
	h.press("esc", "esc")
	h.wants("Entries, newest first")
	h.press("2", "f", "G", "enter")
	h.wants("waived", "out of scope")
	h.golden("signal-waived")
}

func TestSourceFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "auth.go"), []byte("package auth\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "-c.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(context.Background(), Config{Files: dir})
	for _, c := range []struct {
		doc, ref string
		name     string // "": an error
		line     int
	}{
		{"auth.go", "L42", "auth.go", 42}, {"auth.go", "line 7", "auth.go", 7}, {"auth.go", "12-20", "auth.go", 12}, {"auth.go", ":3", "auth.go", 3},
		{"auth.go:9", "", "auth.go", 9}, {"auth.go", "§ 3.1", "auth.go", 0}, {"auth.go", "", "auth.go", 0}, {"auth.go", "the 3rd paragraph", "auth.go", 0},
		{"-c.go", "", "-c.go", 0}, {filepath.Join(dir, "auth.go"), "p. 4, lines 8 to 9", "auth.go", 8},
		{"", "L1", "", 0}, {"gone.go", "L1", "", 0}, {"https://example.org/x", "", "", 0}, {".", "", "", 0},
	} {
		path, line, err := a.sourceFile(c.doc, c.ref)
		switch {
		case c.name == "" && err == nil:
			t.Errorf("%q %q: %s is opened", c.doc, c.ref, path)
		case c.name != "" && (err != nil || path != filepath.Join(dir, c.name) || line != c.line):
			t.Errorf("%q %q: %s line %d, %v", c.doc, c.ref, path, line, err)
		}
	}
}

func TestParseLinks(t *testing.T) {
	l, err := parseLinks("supports e1, e2 contradicts e3; addresses s1,s2 Supersedes e9")
	if err != nil || len(l.Supports) != 2 || l.Contradicts[0] != "e3" || len(l.Addresses) != 2 || l.Supersedes[0] != "e9" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := parseLinks("e1"); err == nil {
		t.Error("ids without a kind are taken")
	}
}
