package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
)

// object is a JSON object that may hold anything. Its methods take whatever is missing, null or of another type for absent.
type object map[string]any

// parse reads a payload: one JSON object, after any number of byte order marks. Numbers keep their digits.
func parse(data []byte) (object, error) {
	for bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		data = data[3:]
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("the payload is no JSON object")
	}
	return o, nil
}

// str is the first of the keys that has a text which is not empty.
func (o object) str(keys ...string) string {
	for _, k := range keys {
		if s, ok := o[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// obj is the first of the keys that has an object, or a text that is one; nil if none does.
func (o object) obj(keys ...string) object {
	for _, k := range keys {
		if m := asObject(o[k]); m != nil {
			return m
		}
	}
	return nil
}

func asObject(v any) object {
	switch v := v.(type) {
	case map[string]any:
		return v
	case string:
		if strings.HasPrefix(strings.TrimLeft(v, " \t\r\n"), "{") {
			if m, err := parse([]byte(v)); err == nil {
				return m
			}
		}
	}
	return nil
}

// list is the list of a key.
func (o object) list(key string) []any {
	l, _ := o[key].([]any)
	return l
}

// boolean is the truth of a key; known is false if it has none.
func (o object) boolean(key string) (value, known bool) {
	value, known = o[key].(bool)
	return value, known
}

// number is the first of the keys that has a number. One that is no int64 is absent; fractions are cut off.
func (o object) number(keys ...string) (int64, bool) {
	for _, k := range keys {
		if n, ok := o[k].(json.Number); ok {
			if i, err := n.Int64(); err == nil {
				return i, true
			}
			if f, err := n.Float64(); err == nil && math.Abs(f) < 1<<53 {
				return int64(f), true
			}
		}
	}
	return 0, false
}

// has says whether a key is there with a text.
func (o object) has(key string) bool { return o.str(key) != "" }

// transcript is the path of the harness's own record, with slashes.
func (o object) transcript() string {
	return strings.ReplaceAll(o.str("transcript_path"), `\`, "/")
}

// text tells any value as a text: a text as it is, blocks of text one below the other, else JSON.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var parts []string
		for _, b := range v {
			block, ok := b.(map[string]any)
			if !ok {
				return compact(v)
			}
			s, ok := block["text"].(string)
			if !ok {
				return compact(v)
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		if content, ok := v["content"].([]any); ok {
			return text(content)
		}
	}
	return compact(v)
}

// compact is a value as JSON on one line, "" for what says nothing.
func compact(v any) string {
	s := string(bytes.TrimSpace(encodeJSON(v)))
	if s == "null" || s == "{}" || s == "[]" {
		return ""
	}
	return s
}

// encodeJSON is a value as JSON with the line's end, and without the escapes that are for web pages.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // a value that was read from JSON, or is made of texts, always can be
		return []byte("{}\n")
	}
	return b.Bytes()
}
