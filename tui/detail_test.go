package tui

import (
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
