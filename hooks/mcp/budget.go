package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"blackboard/board/op"

	"github.com/google/jsonschema-go/jsonschema"
)

// Budgets of answers, in tokens as package text counts them.
const (
	usualTokens = 4_000  // anything else
	mostTokens  = 20_000 // that max_tokens can ask for
	leastTokens = 200    // an answer has at any rate
	errorTokens = 1_000  // of a message
	echoTokens  = 500    // of what the caller has said itself, or claims
)

// maxTokens is the argument for a longer answer, of the tools with a budget.
const maxTokens = "max_tokens"

func (t *tool) takeMaxTokens(in *jsonschema.Schema) {
	most := float64(mostTokens)
	in.Properties[maxTokens] = &jsonschema.Schema{Type: "integer", Maximum: &most,
		Description: "of the answer"}
	if t.Tool != "board_digest" {
		in.Properties[maxTokens].Extra = map[string]any{op.Rare: true}
	}
	in.PropertyOrder = append(in.PropertyOrder, maxTokens)
}

// roomFor is how many tokens an answer may have, by the arguments of the call.
func (t *tool) roomFor(args json.RawMessage) int {
	var asked struct {
		MaxTokens float64 `json:"max_tokens"`
	}
	if t.Budget == 0 {
		return usualTokens
	}
	if !bytes.Contains(args, []byte(maxTokens)) || json.Unmarshal(args, &asked) != nil ||
		asked.MaxTokens == 0 {
		return t.Budget
	}
	return max(leastTokens, min(int(asked.MaxTokens), mostTokens))
}

// Room sets the budget of the answer, as the caller names it, and returns how many of its tokens are left for the
// document itself, at least least. The maker of a document counts 4 bytes to a token.
func (c *call) Room(budget, least int) int {
	const beside = 40 // tokens of what is said with it
	c.room = max(leastTokens, min(budget, mostTokens))
	return max(least, c.room*9/10-beside)
}

// cut says how much of what others wrote an answer shows.
type cut struct {
	c       *call
	runes   int  // of one text
	items   int  // of one list
	longest *int // bytes of the longest text that was shown
}

const (
	readableRunes = 240 // what a text keeps while a list can become shorter
	leastRunes    = 100 // what it keeps at any rate
	readableItems = 8
)

// fitted calls write with smaller and smaller limits until the text is within the budget of the call: first long texts
// lose their ends, then lists.
func fitted[Out any](c *call, write func(k cut) (Out, string)) (out Out, text string) {
	k := cut{c, 4 * c.room, 1 << 30, new(int)}
	for {
		*k.longest = 0
		out, text = write(k)
		cost := tokens(text)
		if c.json || cost <= c.room || k.items == 0 {
			return out, text // bounded does the rest, and boundedData
		}
		k = k.less(c.room, cost, longestList(reflect.ValueOf(out)))
	}
}

// less returns smaller limits for an answer that costs more tokens than there is room for: in proportion, and at most
// nine tenths of what was shown, so that fitted comes to an end.
func (k cut) less(room, cost, items int) cut {
	share := func(n int) int { return min(n*room/cost, n*9/10) }
	runes, items := min(k.runes, *k.longest), min(k.items, items)
	switch {
	case runes > readableRunes:
		k.runes = max(readableRunes, share(runes))
	case items > readableItems:
		k.items = max(readableItems, share(items))
	case runes > leastRunes:
		k.runes = max(leastRunes, share(runes))
	default:
		k.items = share(items)
	}
	return k
}

// longestList is the length of the longest list in an answer.
func longestList(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			n = longestList(v.Elem())
		}
	case reflect.Slice:
		n = v.Len()
		for i := 0; i < v.Len() && v.Index(i).Kind() == reflect.Struct; i++ {
			n = max(n, longestList(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n = max(n, longestList(v.Field(i)))
		}
	}
	return n
}

// text returns the beginning of a text, with a note where the rest is: a tool and its argument. Without a tool, or
// where it is not served, it is the tool that was called, if it can be asked for more.
func (k cut) text(s, tool, arg string) string {
	const worth = 60 // characters that a mark would take
	*k.longest = max(*k.longest, len(s))
	end := 0
	for range k.runes {
		if end >= len(s) {
			return s
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	left := utf8.RuneCountInString(s[end:])
	if left <= worth {
		return s
	}
	where := ""
	switch {
	case tool != "" && k.c.offers(tool) && (k.c.req == nil || k.c.req.Params.Name != tool):
		where = "; " + tool + " " + arg
	case k.c.grows:
		where = "; " + maxTokens
	}
	return strings.TrimSpace(s[:end]) + fmt.Sprintf("… (%d more%s)", left, where)
}

// bounded keeps any text within its answer's budget. Fitted answers come through unchanged.
func (c *call) bounded(text string) string {
	const end = "\n… (the answer was longer)"
	if tokens(text) <= c.room {
		return text
	}
	return clipTokens(text, max(0, c.room-tokens(end))) + end
}

func (c *call) boundedData(body []byte) []byte {
	if tokens(string(body)) <= c.room {
		return body
	}
	return shrunk(body, c.room)
}

// shrunk is data with shorter texts and lists: the same fields, within the same schema.
func shrunk(body []byte, room int) []byte {
	v, err := decodeAny(body)
	if err != nil {
		return body
	}
	for runes, items := 1000, 128; ; runes, items = max(runes/2, 70), items/2 {
		short, err := marshal(trimmed(v, runes, items, 0))
		if err != nil || items == 0 || tokens(string(short)) <= room {
			return short
		}
	}
}

// decodeAny reads JSON whose numbers keep all their digits.
func decodeAny(body []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// trimmed is a JSON value with so many runes of a text, and so many members of a list.
func trimmed(v any, runes, items, depth int) any {
	const fields, deepest = 40, 12 // no answer has as many of its own
	switch v := v.(type) {
	case string:
		if utf8.RuneCountInString(v) > runes {
			return string([]rune(v)[:runes]) + "…"
		}
	case json.Number:
		if len(v) > runes {
			return nil
		}
	case []any:
		if depth > deepest {
			return nil
		}
		out := make([]any, min(len(v), items))
		for i := range out {
			out[i] = trimmed(v[i], runes, items, depth+1)
		}
		return out
	case map[string]any:
		if depth > deepest || len(v) > fields {
			return map[string]any{}
		}
		out := make(map[string]any, len(v))
		for name, member := range v {
			if len(name) <= runes {
				out[name] = trimmed(member, runes, items, depth+1)
			}
		}
		return out
	}
	return v
}
