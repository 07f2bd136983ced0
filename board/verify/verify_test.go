package verify

import (
	"strings"
	"testing"

	"blackboard/board/documents"
)

const source = `# Tokens

> A *token* is issued by ` + "`auth.go`" + ` and **must not** be stored in
> plain text. It's valid for 8.06 hours, and re-
> issued for "trusted" clients at $5 per seat (a 15% dis-
count). Never share it.

## Limits

The [limit](https://example.com/a?b=1) is 1,200 requests per minute; see x > 5 && !ok.
A session ends after 30 minutes. The worker is started by the daemon.

| Region | Latency |
| ------ | ------- |
| eu-west-1 | 40 ms |

Revenue was $8.06M in Q3 2025. The naïve approach — if any — costs -5 points.
The lock is held by the writer, which is never blocked, until the commit returns.
`

func check(t *testing.T, f Finding) Outcome {
	t.Helper()
	return NewSource(documents.New("doc.md", source)).Check(&f)
}

func TestQuotes(t *testing.T) {
	for _, c := range []struct{ quote, ref, verdict, note string }{
		{quote: "must not be stored in plain text", verdict: Found},
		{quote: "  must not   be stored\nin\tplain text. ", verdict: Found},
		{quote: "A token is issued by auth.go and must not be stored", verdict: Found},
		{quote: "> A *token* is issued by `auth.go` and **must not** be stored in\n> plain text.",
			verdict: Found},
		{quote: "“It’s valid for 8.06 hours”", verdict: Found},
		{quote: "reissued for 'trusted' clients", verdict: Found},
		{quote: "re-issued for \"trusted\" clients at $5 per seat", verdict: Found},
		{quote: "a 15% dis\u00adcount", verdict: Found},
		{quote: "The limit is 1,200 requests per minute", verdict: Found},
		{quote: "the limit is 1,200 requests", verdict: Found},
		{quote: "see x > 5 && !ok", verdict: Found},
		{quote: "eu-west-1 40 ms", verdict: Found},
		{quote: "The [limit](https://example.com/a?b=1) is 1,200", verdict: Found},
		{quote: "The [limit](https://example.com/a?b=2) is 1,200", verdict: Nearly},
		{quote: "| eu-west-1 | 40 ms |", verdict: Found},
		{quote: "The naive approach", verdict: Nearly,
			note: "the source says “naïve”, the quote “naive”"},
		{quote: "The nai\u0308ve approach - if any - costs −5 points", verdict: Found},
		{quote: "A token is issued … valid for 8.06 hours", verdict: Found},
		{quote: "A token is issued [...] must not be stored", verdict: Found},

		{quote: "must be stored in plain text", verdict: Nearly,
			note: "the quote leaves out “not”"},
		{quote: "must … be stored in plain text", verdict: Nearly},
		{quote: "by the writer … until the commit returns", verdict: Nearly,
			note: "the source says “which is never blocked”, the quote “…”"},
		{quote: "It is not valid for 8.06 hours", verdict: Nearly},
		{quote: "It's valid for 8.6 hours", verdict: Nearly,
			note: "the source says “8.06”, the quote “8.6”"},
		{quote: "It's valid for 806 hours", verdict: Nearly},
		{quote: "clients at €5 per seat", verdict: Nearly},
		{quote: "clients at 5 per seat", verdict: Nearly},
		{quote: "seat (a 15 discount)", verdict: Nearly},
		{quote: "limit is 1.200 requests per minute", verdict: Nearly},
		{quote: "limit is 1200 requests per minute", verdict: Nearly},
		{quote: "see x < 5 && !ok", verdict: Nearly},
		{quote: "see x > 5 && ok", verdict: Nearly},
		{quote: "if any costs 5 points", verdict: Nearly},
		{quote: "A session ends after 30 seconds", verdict: Nearly,
			note: "the source says “minutes”, the quote “seconds”"},
		{quote: "Region latency eu-west-2 40 ms", verdict: Nearly},
		{quote: "The daemon is started by the worker", verdict: Nearly},
		{quote: "A token is issued by auth.go and the worker is started by the daemon",
			verdict: Joined},
		{quote: "The worker is started by the daemon\nA token is issued by auth.go", verdict: Found}, // a line each
		{quote: "A token is issued by auth.go\nbe stored in plain text", verdict: Denied},
		{quote: "A token is issued by auth.go\nby the workers", verdict: Nearly},
		{quote: "Limits apply … must not be stored", verdict: Nearly},
		{quote: "Refresh tokens rotate every week on Monday", verdict: Absent},

		{quote: "The limit is 1,200 requests", ref: "line 10", verdict: Found},
		{quote: "The limit is 1,200 requests", ref: "10", verdict: Found},
		{quote: "The limit is 1,200 requests", ref: "Limits", verdict: Found},
		{quote: "The limit is 1,200 requests", ref: "lines 2-4", verdict: Found,
			note: "the reference says lines 2-4; the quote is at line 10"},
		{quote: "It's valid for 8.06 hours", ref: "section Limits", verdict: Found,
			note: "the reference says section Limits; the quote is at line 4"},
		{quote: "It's valid for 8.06 hours", ref: "Tokens", verdict: Found},
		{quote: "A session ends after 30 minutes", ref: "Tokens", verdict: Found}, // a part of it
		{quote: "It's valid for 8.06 hours", ref: "the second paragraph", verdict: Found},
		{quote: "It's valid for 8.06 hours", ref: "p. 7", verdict: Found}, // it has no pages
	} {
		o := check(t, Finding{Evidence: c.quote, SourceRef: c.ref})
		if o.Verdict != c.verdict || c.note != "" && o.Note != c.note {
			t.Errorf(
				"%q at %q: %s (%s), want %s %s",
				c.quote,
				c.ref,
				o.Verdict,
				o.Note,
				c.verdict,
				c.note,
			)
		}
		if o.Verdict == Found &&
			(o.Passage == nil || o.Passage.Line == 0 || o.Passage.Text == "") {
			t.Errorf("%q is found nowhere: %+v", c.quote, o.Passage)
		}
	}
}

// TestCutQuotes holds what a quote must not leave out before or behind it.
func TestCutQuotes(t *testing.T) {
	s := NewSource(documents.New("minutes.md", `Most of the attendants have taken their overtime as free days; three have not.
Nearly all stalls were open by nine. The stalls were swept at noon.
The permit may be continued until 31 March 2026 provided that two points are settled before summer.
The grant may be reclaimed if section 3 is breached and the breach is not remedied within 30 days.
`))
	for _, c := range []struct{ content, quote, verdict string }{
		{"All attendants have taken free days for their overtime.",
			"attendants have taken their overtime as free days", Denied},
		{"Most attendants have taken free days for their overtime.",
			"attendants have taken their overtime as free days", Found},
		{"The stalls were open by nine.", "stalls were open by nine", Denied},
		{"All stalls were open before half past nine.", "stalls were open by nine", Denied},
		{"The stalls were swept at noon.", "stalls were swept at noon", Found},
		{"The permit is continued until the end of March 2026 without reservation.",
			"The permit may be continued until 31 March 2026", Denied},
		{"The permit is continued until 31 March 2026 if two points are settled before summer.",
			"The permit may be continued until 31 March 2026", Found},
		{"Whoever breaks section 3 loses the money at once.",
			"The grant may be reclaimed if section 3 is breached", Denied},
		{"The grant may be reclaimed if a breach of section 3 is not remedied within 30 days.",
			"The grant may be reclaimed if section 3 is breached", Found},
	} {
		o := s.Check(&Finding{Type: "observation", Content: c.content, Evidence: c.quote,
			SourceDoc: "minutes.md"})
		if o.Verdict != c.verdict {
			t.Errorf("%q with %q: %s (%s)", c.content, c.quote, o.Verdict, o.Note)
		}
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		content, note string
		calculated    bool
		related       []string
	}{
		{content: "Revenue in Q3 was $8.06 million"},
		{content: "In e12 we said that 40 ms is the latency of eu-west-1; (1) one region (2) few clients"},
		{content: "Revenue in Q3 was $8.60M", note: "number not in source: $8.60M"},
		{content: "auth.go stores a token for 9 hours by Stripe",
			note: "number not in source: 9 hours; name not in source: Stripe"},
		{content: "load_user in users.go is slow",
			note: "identifier not in source: load_user, users.go"},
		{content: "Tokens end on 2025-03-14", note: "date not in source: 2025-03-14"},
		{content: "The session ends after half an hour, 1,800 seconds, a token after 483.6 minutes"},
		{content: "The latency of eu-west-1 is 0.04 s"},
		{content: "The latency of eu-west-1 is 0.4 s", note: "number not in source: 0.4 s"},
		{content: "A session ends after 30 seconds", note: "number not in source: 30 seconds"},
		{content: "1,200 requests at $5 are $6,000", calculated: true},
		{content: "30 minutes at $5 are $150", calculated: true},
		{content: "30 minutes less 40 ms are 29.9993 minutes", calculated: true},
		{content: "30 minutes less 40 ms are 28.9 minutes", calculated: true,
			note: "number not in source: 28.9 minutes"},
		{content: "1,200 requests at $5 are $7,000", calculated: true,
			note: "number not in source: $7,000"},
		{content: "1,200 plus 300 is 1,500", calculated: true,
			related: []string{"the burst is 300"}},
		{content: "1,200 plus 300 is 1,500", calculated: true,
			note: "number not in source: 300, 1,500"},
	} {
		o := check(t, Finding{Content: c.content, Calculated: c.calculated, Related: c.related})
		if want := map[bool]string{true: Supported,
			false: ValueMissing}[c.note == ""]; o.Verdict != want ||
			o.Note != c.note {
			t.Errorf("%q: %s (%s), want %s (%s)", c.content, o.Verdict, o.Note, want, c.note)
		}
	}
	if o := checkAlone(&Finding{Content: "5 and 5 are 10", Calculated: true,
		Related: []string{"one part is 5"}}); o.Verdict != Supported &&
		!strings.Contains(o.Note, "10") {
		t.Errorf("%+v", o)
	}
}

// TestUnknown holds which names say a file that is not there.
func TestUnknown(t *testing.T) {
	f := newFiles([]File{{Name: "docs/auth.md"}, {Name: "report.txt"}})
	for name, want := range map[string]bool{
		"audit.pdf": true, "docs/audit.pdf": true, `docs\Audit 2025.PDF`: true,
		"audit.pdf, p. 3":    true,
		"auth.md; audit.pdf": true, "`audit.tar.gz`": true, "audit.md:12": true, "backup.7z": true,
		"interview with the CFO": false, "call of 3 May": false,
		"Section 4.2": false, "v1.2": false,
		"Interview with Dr. Wennick": false, "https://example.com/a.html": false, "": false,
		".":                        false,
		"auth.md; docs/report.txt": false, "minutes.": false, "notes.ofthemeeting": false,
		".env": false,
	} {
		if got := f.Unknown(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if newFiles(nil).Unknown(name) {
			t.Errorf("%q is unknown where there are no sources", name)
		}
	}
}

// TestNothingToCheck: a finding without a quote and without a value is not confirmed by a
// source that happens to exist, unless the source says it word for word.
func TestNothingToCheck(t *testing.T) {
	const source = "Tokens never expire.\nKeys are rotated every 90 days.\n"
	for content, want := range map[string]string{
		"Tokens never expire":            Supported,
		"tokens never\nexpire":           Supported,
		"Sessions never expire":          NothingToCheck,
		"Tokens":                         NothingToCheck,
		"Tokens expire at once":          NothingToCheck,
		"Keys are rotated after 90 days": Supported,
		"Keys are rotated after 80 days": ValueMissing,
	} {
		f := Finding{ID: "e1", Content: content, SourceDoc: "auth.md"}
		o := NewSource(documents.New("auth.md", source)).Check(&f)
		if o.Verdict != want {
			t.Errorf("%q: %s, want %s", content, o.Verdict, want)
		}
		if want == NothingToCheck && (Sound(o.Verdict) || Doubted(o.Verdict) || o.Note == "") {
			t.Errorf("%q: %+v", content, o)
		}
	}
	item, _ := (&Finding{ID: "e1"}).item([]Part{{Outcome: Plain(NothingToCheck, "")}})
	var r Result
	r.count(&item)
	if r.judge(); r.Passed || r.Checked != 0 || r.nothingToCheck != 1 {
		t.Errorf("a run with nothing to check: %+v", r)
	}
}

// TestTagsPartWords: cells and paragraphs of HTML are words of their own, what is bold in a word is not.
func TestTagsPartWords(t *testing.T) {
	for text, want := range map[string]string{
		"<tr><td>6</td><td>12 Mar</td><td>10:05</td></tr>": "6 12 mar 10:05",
		"one<br>two<p class=x>three</p>four":               "one two three four",
		"H<sub>2</sub>O and <b>b</b>old":                   "h2o and bold",
	} {
		s := newStream(text)
		var all []string
		for i := range s.words {
			all = append(all, s.word(i))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestTimesOfALine: a line of a log that begins with a day says it of the times in it.
func TestTimesOfALine(t *testing.T) {
	log := "2026-05-29 06:00 KA Handover. P1 runs.\n" +
		"2026-05-29 22:10 PW P2 trips on overload. P3 takes over. Called the night line at 22:25.\n" +
		"2026-05-30 05:40 PW Fitter arrives. Bearing of P2 seized.\n"
	quote := "2026-05-29 22:10 PW P2 trips on overload. P3 takes over. Called the night line at 22:25.\n" +
		"2026-05-30 05:40 PW Fitter arrives."
	for content, want := range map[string]string{
		"When P2 tripped, the night line was called on 29 May 2026 at 22:25; the fitter arrived on 30 May 2026 at 05:40.": Found,
		"When P2 tripped, the night line was called on 29 May 2026 at 22:45; the fitter arrived on 30 May 2026 at 05:40.": Refuted,
	} {
		o := NewSource(documents.New("shift.log", log)).Check(&Finding{ID: "e1", Content: content, Evidence: quote})
		if o.Verdict != want {
			t.Errorf("%q: %s %s, want %s", content, o.Verdict, o.Note, want)
		}
	}
}
