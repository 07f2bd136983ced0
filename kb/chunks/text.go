package chunks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The exact answers of the tools. Topics stay on their line; contents are not changed.

func SearchText(r Result) string {
	if len(r.Hits) == 0 {
		return "No matching chunks found."
	}
	all := make([]string, len(r.Hits))
	for i := range r.Hits {
		h := &r.Hits[i]
		score := strconv.FormatFloat(math.Round(h.Score*100)/100, 'f', -1, 64)
		all[i] = fmt.Sprintf("### [score: %s] %s\n%s\n\n%s", score, inLine(h.Topic), metaLine(&h.Meta), h.Content)
	}
	return strings.Join(all, "\n\n---\n\n")
}

func WriteText(c Chunk) string {
	return fmt.Sprintf("Chunk saved: id=`%s` | topic=\"%s\" | tags=[%s] | importance=%s", inLine(c.ID), inLine(c.Topic), tagText(c.Tags), c.Importance)
}

func ReadText(c Chunk) string {
	return fmt.Sprintf("## %s\n%s\n\n%s", inLine(c.Topic), metaLine(&c.Meta), c.Content)
}

// ListText returns the answer of list_context. Its count is that of the listed chunks, not of all.
func ListText(l List) string {
	switch {
	case l.Empty:
		return "Memory store is empty."
	case len(l.Chunks) == 0:
		return "No matching chunks found."
	}
	var b strings.Builder
	b.Grow(128 * len(l.Chunks)) // about the final length
	fmt.Fprintf(&b, "%d chunk(s) found:\n", len(l.Chunks))
	for i := range l.Chunks {
		c := &l.Chunks[i]
		for _, s := range [...]string{"\n- `", inLine(c.ID), "` **", inLine(c.Topic), "** | agent:", inLine(c.Agent), " | tags:[", tagText(c.Tags), "] | ", c.Importance, " | ", TimeText(c.Updated)} {
			b.WriteString(s)
		}
	}
	return b.String()
}

func DeleteText(id string) string { return fmt.Sprintf("Chunk `%s` deleted.", inLine(id)) }

func NoChunkText(id string) string {
	return fmt.Sprintf("No chunk found with id `%s`.", clip(inLine(text(id)), 200))
}

// StateText returns the answer of get_state: a string unchanged, anything else as formatted JSON.
func StateText(v State) string {
	var s string
	if len(v.Value) > 0 && v.Value[0] == '"' && json.Unmarshal(v.Value, &s) == nil {
		return s
	}
	var out bytes.Buffer
	if json.Indent(&out, v.Value, "", "  ") != nil {
		return string(v.Value)
	}
	return out.String()
}

func NoStateText(key string) string {
	return fmt.Sprintf("State key \"%s\" not found.", clip(inLine(text(key)), MaxKey))
}

func SetStateText(v State) string {
	return fmt.Sprintf("State \"%s\" written at %s.", inLine(v.Key), TimeText(v.Updated))
}

func metaLine(m *Meta) string {
	return fmt.Sprintf("**id:** `%s` | **agent:** %s | **tags:** %s | **importance:** %s | **updated:** %s", inLine(m.ID), inLine(m.Agent), tagText(m.Tags), m.Importance, TimeText(m.Updated))
}

func tagText(tags []string) string { return inLine(strings.Join(tags, ", ")) }

// TimeText returns a time as JavaScript formats it: UTC, with milliseconds.
func TimeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// inLine replaces line breaks and other control and invisible characters by spaces.
func inLine(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r >= 0xe0000 && r <= 0xe007f {
			return ' '
		}
		return r
	}, s)
}
