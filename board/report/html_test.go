package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func htmlOf(t *testing.T, s *board.Snapshot, burn []board.BurnPoint) string {
	t.Helper()
	var b bytes.Buffer
	expect.OK(t, HTML(&b, s, board.Policy{}, burn, nil))
	return b.String()
}

// sampleBurn is the burndown of the sample board: its signals are raised, two are closed, and one of
// them is open again for a while.
func sampleBurn() []board.BurnPoint {
	return []board.BurnPoint{{Seq: 2, Open: [4]int64{0, 0, 0, 1}}, {Seq: 3, Open: [4]int64{1, 0, 0, 1}},
		{Seq: 4, Open: [4]int64{1, 1, 0, 1}}, {Seq: 5, Open: [4]int64{1, 1, 1, 1}}, {Seq: 6, Open: [4]int64{1, 1, 0, 1}},
		{Seq: 7, Open: [4]int64{1, 0, 0, 1}}, {Seq: 8, Open: [4]int64{1, 0, 1, 1}}, {Seq: 9, Open: [4]int64{1, 0, 0, 1}}}
}

var voidTags = []string{"meta", "input", "rect", "line"}

// checkHTML holds what a validator would say first: tags are balanced, ids are there once, every
// link inside the page has its target, and nothing comes from outside.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	body := regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(page, "")
	var open []string
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`<(/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z0-9:-]+(?:="[^"<]*")?)*)\s*(/?)>`).FindAllStringSubmatch(body, -1) {
		closing, tag, attrs := m[1] != "", m[2], m[3]
		switch {
		case closing && (len(open) == 0 || open[len(open)-1] != tag):
			t.Fatalf("</%s> closes %v", tag, open)
		case closing:
			open = open[:len(open)-1]
		case m[4] == "" && !slices.Contains(voidTags, tag):
			open = append(open, tag)
		}
		seen := map[string]bool{}
		for _, a := range regexp.MustCompile(`\s([a-zA-Z0-9:-]+)(?:="([^"]*)")?`).FindAllStringSubmatch(attrs, -1) {
			if seen[a[1]] {
				t.Errorf("<%s%s> has %s twice", tag, attrs, a[1])
			}
			seen[a[1]] = true
			if a[1] == "id" {
				if ids[a[2]] {
					t.Errorf("the id %s is there twice", a[2])
				}
				ids[a[2]] = true
			}
			if a[1] == "src" || strings.HasPrefix(a[1], "on") || a[1] == "style" {
				t.Errorf("<%s%s>: no attribute %s is in the template", tag, attrs, a[1])
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
	if n := strings.Count(body, "<"); n != len(regexp.MustCompile(`</?[a-zA-Z!]`).FindAllString(body, -1)) {
		t.Error("a < begins no tag")
	}
	for _, m := range regexp.MustCompile(`(href|aria-labelledby|for)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		for id := range strings.FieldsSeq(m[2]) {
			id, local := strings.CutPrefix(id, "#")
			if m[1] == "href" && !local {
				t.Errorf("a link leads outside: %s", id)
			}
			if !ids[id] {
				t.Errorf("%s has no target", m[0])
			}
		}
	}
	for _, outside := range []string{"http://", "https://", "url(", "@import"} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}

func TestHTMLHasEverything(t *testing.T) {
	page := htmlOf(t, sampleBoard(), sampleBurn())
	checkHTML(t, page)
	for _, want := range []string{
		"<!DOCTYPE html>", "<h1>sample</h1>", "Say what the lease costs.", "Gate closed: 1 open question blocks synthesis",
		`id="s2"`, `claimed by checker until 2026-03-04 13:00 UTC`, "Waived by lead: the page is lost", "Answered by e6: June fits the first invoice.",
		`arose from <a href="#e3">e3</a>`, `contradicted by <a href="#e3">e3</a>`, `contradicts <a href="#e1">e1</a>`, `supported by <a href="#e2">e2</a>`,
		`superseded by <a href="#e5">e5</a>`, `raised <a href="#s2">s2</a>`, `answered by <a href="#e6">e6</a>`, `answers <a href="#s4">s4</a>`,
		"rent of $4,500</blockquote>", "lease.pdf @ §4.2", `<span class="tag">rent</span>`, "90 %", "<code>&#34;review&#34;</code>",
		`<path class="critical"`, "<b>critical</b> 1 now, 1 at most", "<b>medium</b> 0 now, 1 at most", "Most questions open at once: 4, at event 5.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if n, utc := strings.Count(page, "</time>"), strings.Count(page, " UTC</time>"); n == 0 || n != utc {
		t.Errorf("%d times, of which %d say that they are UTC", n, utc)
	}
	open := sampleBoard()
	open.Signals = nil
	page = htmlOf(t, open, nil)
	checkHTML(t, page)
	for _, want := range []string{"Gate open", "No question was ever raised."} {
		if !strings.Contains(page, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if page := htmlOf(t, &board.Snapshot{Run: "empty"}, nil); !strings.Contains(page, "Gate closed: 1 reason") || !strings.Contains(page, "nothing was posted or raised yet") {
		t.Error("an empty board has no page")
	} else {
		checkHTML(t, page)
	}
}

func TestHTMLIsSafe(t *testing.T) {
	nasty := `"'><script>alert(1)</script><img src=x onerror=alert(2)>` + "`${1}`\x1b[31m\u202e</style><!-- {{.}} javascript:alert(3) https://x.example/?a=1&b"
	s := sampleBoard()
	s.Goal = nasty
	for i := range s.Entries {
		e := &s.Entries[i]
		e.Content, e.Worker, e.SourceDoc, e.SourceRef, e.Evidence, e.Tags = nasty, nasty, nasty, nasty, nasty, []string{nasty}
	}
	for i := range s.Signals {
		g := &s.Signals[i]
		g.Content, g.Worker, g.Reason, g.ClosedBy, g.ClaimedBy = nasty, nasty, nasty, nasty, nasty
	}
	value, _ := json.Marshal(nasty)
	s.Variables = []board.Variable{{Key: nasty, Value: value, Worker: nasty}}
	page := htmlOf(t, s, sampleBurn())
	if n := strings.Count(page, "<script>"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, bad := range []string{"<img", "\x1b", "\u202e", "</style><!--"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	checkHTML(t, strings.ReplaceAll(page, "https://x.example", ""))
}

func TestHTMLIsBounded(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	s := longBoard(100_000)
	page := htmlOf(t, s, nil)
	if len(page) > 12<<20 {
		t.Errorf("%d bytes for 100,000 entries", len(page))
	}
	for _, want := range []string{"98,000 of 100,000 are not on this page", "2,000 of 9,091", "made without the whole log"} {
		if !strings.Contains(page, want) {
			t.Errorf("missing: %s", want)
		}
	}
	checkHTML(t, page)
	big := longBoard(300)
	for i := range big.Entries {
		big.Entries[i].Content = strings.Repeat("x", board.MaxContent)
	}
	page = htmlOf(t, big, nil)
	if len(page) > 12<<20 || !strings.Contains(page, "204 of 300 are not on this page") {
		t.Errorf("%d bytes for 300 long entries", len(page))
	}
}

func TestHTMLTimeline(t *testing.T) {
	const signals = 3000
	var burn []board.BurnPoint
	for i := range int64(signals) {
		p := board.BurnPoint{Seq: 3*i + 2}
		p.Open[i%4] = 1
		if burn = append(burn, p); i < signals-1 { // the last one stays open
			burn = append(burn, board.BurnPoint{Seq: p.Seq + 2})
		}
	}
	if newHTMLTimeline(burn, 1) != nil {
		t.Error("a picture of a time before the first signal")
	}
	line := newHTMLTimeline(burn, 3*signals+1)
	if line == nil {
		t.Fatal("there is no timeline")
	}
	for _, l := range line.Layers {
		if n := strings.Count(l.Path, "H"); n > 2*timelinePoints+1 {
			t.Errorf("%s: %d steps", l.Priority, n)
		}
		if want := map[string]int64{"low": 1}[l.Priority]; l.Now != want || l.Peak != 1 {
			t.Errorf("%s: %d now, %d at most", l.Priority, l.Now, l.Peak)
		}
	}
	if !line.Thinned || line.Peak != 1 || len(line.Layers) != 4 {
		t.Errorf("thinned %v, peak %d, %d layers", line.Thinned, line.Peak, len(line.Layers))
	}
}

func TestHTMLTimelineSteps(t *testing.T) {
	points := []board.BurnPoint{{}, {Seq: 2, Open: [4]int64{1, 0, 0, 1}}, {Seq: 6, Open: [4]int64{0, 0, 0, 1}}}
	if got, want := svgSteps(points, 0, 8, 2), "M0.0 100.00H250.0V50.00H750.0V100.00H1000V100.00H0.0Z"; got != want {
		t.Errorf("critical: %s\nwant %s", got, want)
	}
	if got, want := svgSteps(points, 3, 8, 2), "M0.0 100.00H250.0V0.00H750.0V50.00H1000V100.00H750.0V50.00H250.0V100.00H0.0Z"; got != want {
		t.Errorf("low: %s\nwant %s", got, want)
	}
	for _, c := range []struct{ most, count, want int64 }{{1, 4, 1}, {4, 4, 1}, {5, 4, 2}, {17, 4, 5}, {64, 4, 20}, {727, 5, 200}, {0, 4, 1}} {
		if got := niceStep(c.most, c.count); got != c.want {
			t.Errorf("niceStep(%d, %d) is %d, want %d", c.most, c.count, got, c.want)
		}
	}
	if got := fmt.Sprint(svgPercent(1, 8)); got != "12.50%" {
		t.Errorf("percent: %s", got)
	}
}
