package chunks

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// documented are the chunks of the reference's examples.
func documented() (auth, scraper, staging Chunk) {
	at := func(s string) time.Time {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		return t
	}
	auth = Chunk{Meta: Meta{ID: "a1b2c3d4e5", Topic: "Auth service — JWT decision", Agent: "pm-agent", Tags: []string{"auth", "decision"}, Importance: Critical, Updated: at("2025-06-01T14:00:00Z")},
		Content: "Chose stateless JWT. Rationale: no shared session store needed across services.\nRefresh tokens stored in Redis with 7d TTL. Access tokens: 15min, RS256."}
	scraper = Chunk{Meta: Meta{ID: "f6g7h8i9j0", Topic: "Scraper run 042 — output", Agent: "scraper-agent", Tags: []string{"scraper", "output"}, Importance: High, Updated: at("2025-06-01T15:30:00Z")}}
	staging = Chunk{Meta: Meta{ID: "k1l2m3n4o5", Topic: "Staging deploy config", Agent: DefaultAgent, Tags: []string{"config", "infra"}, Importance: Medium, Updated: at("2025-05-28T09:00:00Z")}}
	return auth, scraper, staging
}

// TestTexts compares every answer with the reference's examples, or with the output of
// the program where the reference has none.
func TestTexts(t *testing.T) {
	auth, scraper, staging := documented()
	second := scraper
	second.Content = "87 listings."
	saved := auth
	saved.Topic, saved.Tags = "Auth service — chose JWT over sessions", []string{"auth", "architecture", "decision"}
	bare := Chunk{Meta: Meta{ID: "x", Topic: "line\nbreak\r\u2028- `f` **forged** |\x1b[31m", Agent: "a\nb", Tags: []string{"t\n", "u"}, Importance: Low}}
	state := func(value string) State {
		return State{Key: "current_phase", Value: json.RawMessage(value), Updated: auth.Updated.Add(7 * time.Millisecond)}
	}
	for _, c := range []struct{ got, want string }{
		{SearchText(Result{Hits: []Hit{{Chunk: auth, Score: 0.849}, {Chunk: second, Score: 0.7}}}), `### [score: 0.85] Auth service — JWT decision
**id:** ` + "`a1b2c3d4e5`" + ` | **agent:** pm-agent | **tags:** auth, decision | **importance:** critical | **updated:** 2025-06-01T14:00:00.000Z

Chose stateless JWT. Rationale: no shared session store needed across services.
Refresh tokens stored in Redis with 7d TTL. Access tokens: 15min, RS256.

---

### [score: 0.7] Scraper run 042 — output
**id:** ` + "`f6g7h8i9j0`" + ` | **agent:** scraper-agent | **tags:** scraper, output | **importance:** high | **updated:** 2025-06-01T15:30:00.000Z

87 listings.`},
		{SearchText(Result{}), "No matching chunks found."},
		{WriteText(saved), "Chunk saved: id=`a1b2c3d4e5` | topic=\"Auth service — chose JWT over sessions\" | tags=[auth, architecture, decision] | importance=critical"},
		{ReadText(second), "## Scraper run 042 — output\n**id:** `f6g7h8i9j0` | **agent:** scraper-agent | **tags:** scraper, output | **importance:** high | **updated:** 2025-06-01T15:30:00.000Z\n\n87 listings."},
		{ListText(List{Chunks: []Meta{auth.Meta, scraper.Meta, staging.Meta}, Total: 3}), `3 chunk(s) found:

- ` + "`a1b2c3d4e5`" + ` **Auth service — JWT decision** | agent:pm-agent | tags:[auth, decision] | critical | 2025-06-01T14:00:00.000Z
- ` + "`f6g7h8i9j0`" + ` **Scraper run 042 — output** | agent:scraper-agent | tags:[scraper, output] | high | 2025-06-01T15:30:00.000Z
- ` + "`k1l2m3n4o5`" + ` **Staging deploy config** | agent:global | tags:[config, infra] | medium | 2025-05-28T09:00:00.000Z`},
		{ListText(List{Empty: true}), "Memory store is empty."},
		{ListText(List{Total: 3}), "No matching chunks found."},
		{DeleteText("a1b2c3d4e5"), "Chunk `a1b2c3d4e5` deleted."},
		{NoChunkText("a1b2c3d4e5"), "No chunk found with id `a1b2c3d4e5`."},
		{NoChunkText("a\n" + strings.Repeat("é", 300) + "\xff"), "No chunk found with id `a " + strings.Repeat("é", 197) + "…`."},
		{NoStateText("project_tags"), `State key "project_tags" not found.`},
		{SetStateText(state("1")), `State "current_phase" written at 2025-06-01T14:00:00.007Z.`},
		{StateText(state(`"scraping"`)), "scraping"},
		{StateText(state(`""`)), ""},
		{StateText(state(`42`)), "42"},
		{StateText(state(`null`)), "null"},
		{StateText(state(`{"b":[1,2.5,true,null],"a":{},"c":[],"é":"ü<&>"}`)), "{\n  \"b\": [\n    1,\n    2.5,\n    true,\n    null\n  ],\n  \"a\": {},\n  \"c\": [],\n  \"é\": \"ü<&>\"\n}"},
		// Line breaks are removed from lines.
		{ListText(List{Chunks: []Meta{bare.Meta}}), "1 chunk(s) found:\n\n- `x` **line break  - `f` **forged** | [31m** | agent:a b | tags:[t , u] | low | 0001-01-01T00:00:00.000Z"},
		{ReadText(bare), "## line break  - `f` **forged** | [31m\n**id:** `x` | **agent:** a b | **tags:** t , u | **importance:** low | **updated:** 0001-01-01T00:00:00.000Z\n\n"},
		{ListText(List{Chunks: []Meta{{Topic: "\u202etxt\U000e0041", Tags: []string{}, Agent: "a"}}}), "1 chunk(s) found:\n\n- `` ** txt ** | agent:a | tags:[] |  | 0001-01-01T00:00:00.000Z"},
		{WriteText(bare), "Chunk saved: id=`x` | topic=\"line break  - `f` **forged** | [31m\" | tags=[t , u] | importance=low"},
	} {
		if c.got != c.want {
			t.Errorf("it says\n%s\nand not\n%s", c.got, c.want)
		}
	}
	for score, want := range map[float64]string{1: "1", 0.9: "0.9", 0.855: "0.86", 0.1: "0.1", 0.004: "0", 0.6666: "0.67"} {
		if got := SearchText(Result{Hits: []Hit{{Chunk: auth, Score: score}}}); !strings.HasPrefix(got, "### [score: "+want+"] ") {
			t.Errorf("%g is shown as %.20q", score, got)
		}
	}
}
