package report

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// hostile are contents that Markdown, HTML or a table would hide, strike or tear apart.
var hostile = []string{
	"The <!-- hidden --> margin was 17.5 percent of turnover in Lisbon",
	"<!-- The whole finding about 42 warehouses in Rotterdam is a comment -->",
	"Before ~~the audit counted 812 invoices from Antwerp~~ afterwards",
	"<s>The guarantee of Deutsche Hafenbank lapses on 2025-03-31</s>",
	"<div hidden>Nine tankers were insured twice for $88 million",
	"```\nunclosed code about the reactor's 660 valves",
	"~~~\nunclosed again: 14 turbines vibrate",
	"| table | row |\n|---|---|\n| pumps | 4,711 |\n| seals | 0.8 s |",
	"# heading\n## another heading\n\nthen 3 paragraphs\n\nwith the clause 7.4(b) on assignment",
	"a `tick and ~~ an opening that nothing closes, 93 crates",
	"</div></details> closing what was never opened, 5 ships",
	"\\<!-- escaped \\~~ marks \\` of 12 samples -->",
	"&lt;s&gt; entities &amp; 77 ampersands",
	"[link](javascript:alert(1)) ![image](x) of 31 votes",
	"日本語の監査では 250 件の不一致が見つかった",
	"> quoted by 2 witnesses\n> and a third",
	"- item one of 8\n- item two\n\n    indented code 99",
	"x",
	"7",
}

// TestAppendix: a report with the appendix carries whatever the run has to surface.
func TestAppendix(t *testing.T) {
	cost.SkipUnlessLong(t)
	ctx := context.Background()
	b := expect.Value(board.OpenOrCreate(ctx, t.TempDir(), "run"))(t)
	defer b.Close()
	var posts []board.Post
	post := func(content string) { posts = append(posts, board.Post{Content: content, MustSurface: true}) }
	for _, h := range hostile {
		post(h)
	}
	for i := range 250 {
		post(fmt.Sprintf("Supplier %d of region %c owes %d.%d million euros since 20%02d-0%d-1%d", i, 'A'+i%26, i*7, i%10, i%30, 1+i%9, i%10))
	}
	for i := range 30 {
		var long strings.Builder
		for j := range 100 {
			fmt.Fprintf(&long, "clause%d%c obligates party%d to deliver %d units. ", j, 'a'+i, j*i, j*31+i)
		}
		post(long.String())
	}
	expect.Value(b.PostBatch(ctx, "reader ~~<!--", posts))(t)
	for i := range 10 {
		s := expect.Value(b.Signal(ctx, "reader", board.Raise{Priority: "high", Content: fmt.Sprintf("Who signed amendment %d of the charter? ~~nobody", i)}))(t)
		if i%2 == 0 {
			expect.Value(b.Waive(ctx, "lead", s.Signal.ID, "out of <!-- scope"))(t)
		}
	}
	text := expect.Value(Appendix(ctx, b))(t)
	for name, report := range map[string]string{"alone": text, "behind a report": "# Report\n\nAll is well.\n\n" + text} {
		s := expect.Value(b.Survival(ctx, documents.New("report.md", report)))(t)
		if s.Checked < 300 || !s.Passed {
			t.Errorf("%s: %d of %d are missing", name, s.Missing, s.Checked)
		}
		for _, r := range s.Items {
			if !r.Present {
				t.Errorf("%s: %s is %s (%v, %v): %.100q", name, r.ID, r.Cause, r.MissingNumbers, r.MissingTokens[:min(5, len(r.MissingTokens))], r.Content)
			}
		}
	}
}
