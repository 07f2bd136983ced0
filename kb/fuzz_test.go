package kb

import (
	"context"
	"math"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/embedtest"
)

// FuzzQuery: any text that is not blank is a question, in every mode and fusion, and what it finds
// is well-formed.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"refund keys", `"quoted`, "title:x AND NOT (y OR z*)", "'; DROP TABLE capsules; --", "capture-pane capturePane capture_pane", "scripts/foo.py:42 --flag C++", "データベース 数据库",
		"😀👩‍👩‍👧", "\xff\xfe", "a\x00b", "...", "-", "é é", "12345678901234567890.5e-7", strings.Repeat("word ", 3000), strings.Repeat("x", 10_000), "\u202e\u200b\ufeff", "%s%n{{.}}",
	} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(7))
	}
	k := newKB(f, embedtest.NewHash(64))
	for _, s := range []string{"refund keys need care", "C++ and c", "データベースのバックアップ", "capturePane in scripts/foo.py:42 --flag", "😀 emoji", `SELECT "x" FROM t; --`, "naïve café", "12345678901234567890"} {
		put(f, k, Capsule{Title: s, Body: strings.Repeat(s+" ", 40), Tags: []string{"t"}, Source: s})
	}
	old := put(f, k, Capsule{Title: "old", Body: "superseded words"})
	put(f, k, Capsule{Title: "new", Body: "new words", Supersedes: []string{old.ID}})
	modes := []string{ModeAuto, ModeHybrid, ModeBM25, ModeVector}
	f.Fuzz(func(t *testing.T, text string, how uint8) {
		q := Query{Text: text, Mode: modes[how%4], Explain: how/8%2 == 0, NoMMR: how/16%2 == 0, Workspace: "/w", Limit: 1 + int(how/32)}
		res, err := k.Search(context.Background(), q)
		if strings.TrimSpace(text) == "" {
			refused(t, err, fault.Invalid, "nothing to search for")
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if len(res.Hits) > q.Limit || res.Hits == nil || res.Degraded == nil || res.Missing == nil || len(res.Degraded) > 0 || math.IsNaN(res.Evidence) {
			t.Fatalf("%q: %+v", text, res)
		}
		for i, h := range res.Hits {
			if !(h.Score >= 0 && h.Score <= 1) || math.IsNaN(h.BM25Score+h.RRFScore) || h.SupersededBy != "" || i == 0 && h.Score != 1 || strings.ContainsAny(h.Snippet, "\n\r") {
				t.Fatalf("%q: hit %d is %+v", text, i, h)
			}
		}
	})
}
