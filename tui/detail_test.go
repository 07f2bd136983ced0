package tui

import (
	"testing"
	"time"
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

// TestLocalTime: times are those of the reader's zone, and say its distance from UTC; the widest
// one fits into 80 columns.
func TestLocalTime(t *testing.T) {
	time.Local = time.FixedZone("", 20700)
	t.Cleanup(func() { time.Local = time.UTC })
	h := openAudit(t)
	h.press("G", "enter")
	h.wants("by reader-1 · 38m ago · 2026-01-02 20:11:05+05:45", "2026-01-02 20:11:05+05:45  event 3")
	h.golden("entry-local")
	h.press("esc", "[")
	h.wants("2026-01-02 20:")
	h = openFilledMemory(t)
	h.press("/")
	h.typeText("chunk fees")
	h.press("enter", "enter")
	h.wants("2026-01-01 14:45+05:45, 30h ago")
	h.golden("memory-item-local")
}
