package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
)

// object is any JSON object. Its methods treat a value that is missing, null or of
// another type as absent.
type object map[string]any

// parse decodes a payload: one JSON object, after any number of byte order marks.
// Numbers keep all digits.
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
		return nil, errors.New("the payload is not a JSON object")
	}
	return o, nil
}

// str returns the first non-empty text of these keys.
func (o object) str(keys ...string) string {
	for _, k := range keys {
		if s, ok := o[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// obj returns the first object of these keys, also one inside a text; nil if there is
// none.
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

// list returns the list of a key.
func (o object) list(key string) []any {
	l, _ := o[key].([]any)
	return l
}

// boolean returns the boolean of a key; known is false if it has none.
func (o object) boolean(key string) (value, known bool) {
	value, known = o[key].(bool)
	return value, known
}

// number returns the first number of these keys, without its fraction. A number outside
// of int64 is absent.
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

// has reports whether a key has a non-empty text.
func (o object) has(key string) bool { return o.str(key) != "" }

// transcript returns the path of the harness's transcript, with slashes.
func (o object) transcript() string {
	return strings.ReplaceAll(o.str("transcript_path"), `\`, "/")
}

// textOf returns any value as text: a text unchanged, blocks of text one below the other,
// anything else as JSON.
func textOf(v any) string {
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
			return textOf(content)
		}
	}
	return compact(v)
}

// compact returns a value as JSON on one line, "" for an empty value.
func compact(v any) string {
	s := string(bytes.TrimSpace(encodeJSON(v)))
	if s == "null" || s == "{}" || s == "[]" {
		return ""
	}
	return s
}

// encodeJSON returns a value as JSON with a line end, without the escapes for web pages.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// a value that was read from JSON, or is made of texts, always can be
	if err := enc.Encode(v); err != nil {
		return []byte("{}\n")
	}
	return b.Bytes()
}
