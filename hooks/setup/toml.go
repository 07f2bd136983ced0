package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// This file changes tables and values of TOML texts. Every other byte stays.

type table struct {
	path       []string
	start, end int // from the line of its header to the end of its last value's line
	values     []value
}

// value is a key with its value: text[start:end].
type value struct {
	key        string
	start, end int
}

// parseTOML parses a text and returns its values and the positions of its tables.
func parseTOML(b []byte) (map[string]any, []table, error) {
	meaning := map[string]any{}
	body := bytes.TrimPrefix(b, bom)
	offset := len(b) - len(body)
	if err := toml.Unmarshal(body, &meaning); err != nil {
		return nil, nil, err
	}
	var tables []table
	p := unstable.Parser{}
	p.Reset(body)
	for p.NextExpression() {
		e := p.Expression()
		var keys []string
		last := 0
		for k := e.Key(); k.Next(); {
			keys, last = append(keys, string(k.Node().Data)), offset+int(k.Node().Raw.Offset)
		}
		if e.Kind != unstable.KeyValue {
			tables = append(tables,
				table{path: keys, start: max(offset, bytes.LastIndexByte(b[:last], '\n')+1),
					end: endOfLine(b, last)})
		} else if len(tables) > 0 {
			t := &tables[len(tables)-1]
			from := offset + int(e.Raw.Offset)
			t.end = endOfLine(b, from+int(e.Raw.Length))
			t.values = append(t.values, value{strings.Join(keys, "."), from,
				from + int(e.Raw.Length)})
		}
	}
	return meaning, tables, p.Error()
}

// edit replaces text[at:at+cut].
type edit struct {
	at, cut int
	put     string
}

// apply makes the edits, which are sorted by position and do not overlap.
func apply(b []byte, edits ...edit) []byte {
	var out bytes.Buffer
	i := 0
	for _, e := range edits {
		out.Write(b[i:e.at])
		out.WriteString(e.put)
		i = e.at + e.cut
	}
	out.Write(b[i:])
	return out.Bytes()
}

// endOfLine returns the position after the line end that follows i.
func endOfLine(b []byte, i int) int {
	if end := bytes.IndexByte(b[i:], '\n'); end >= 0 {
		return i + end + 1
	}
	return len(b)
}

// subtable returns the table at a path of names, or nil.
func subtable(m map[string]any, path ...string) map[string]any {
	for _, key := range path {
		m, _ = m[key].(map[string]any)
	}
	return m
}

func findTable(tables []table, path ...string) *table {
	for i := range tables {
		if slices.Equal(tables[i].path, path) {
			return &tables[i]
		}
	}
	return nil
}

// appendTables is the edit that appends tables, given as lines, each after an empty line.
func appendTables(b []byte, tables [][]string) []edit {
	if len(tables) == 0 {
		return nil
	}
	nl := lineEnd(b)
	var put strings.Builder
	text := len(bytes.TrimPrefix(b, bom)) > 0
	bare := text && !bytes.HasSuffix(b, []byte("\n"))
	if bare {
		put.WriteString(nl)
	}
	for i, lines := range tables {
		if text || i > 0 {
			put.WriteString(nl)
		}
		put.WriteString(strings.Join(lines, nl) + nl)
	}
	out := put.String()
	if bare { // the text has no line end at its end, and keeps to it
		out = strings.TrimSuffix(out, nl)
	}
	return []edit{{len(b), 0, out}}
}

// cutTable returns the edit that removes a table and the empty line before it.
func cutTable(b []byte, t *table) edit {
	from, end := t.start, t.end
	for _, empty := range []string{"\r\n", "\n"} {
		before := bytes.TrimSuffix(b[:from], []byte(empty))
		if len(before) < from && (len(before) == 0 || before[len(before)-1] == '\n') {
			from = len(before)
			break
		}
	}
	// what is left has no line end at its end either
	if end == len(b) && !bytes.HasSuffix(b, []byte("\n")) {
		from -= len(b[:from]) - len(bytes.TrimSuffix(bytes.TrimSuffix(b[:from], []byte("\n")),
			[]byte("\r")))
	}
	return edit{from, end - from, ""}
}
