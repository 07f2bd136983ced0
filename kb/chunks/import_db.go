package chunks

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// table is one of the other program's tables. The first columns are required, the others
// are optional.
type table struct {
	name    string
	record  string // what to call a row
	columns []string
	needed  int
}

var (
	chunkTable = table{"chunks", "chunk", []string{"id", "topic", "content", "agent", "tags", "importance", "created_at", "updated_at", "expires_at", "embedding"}, 3}
	stateTable = table{"state", "state", []string{"key", "value", "updated_at"}, 2}
)

// openDB opens a copy of the database and reads all of it once, so that damage is found
// before anything is written. It returns the number of rows.
func (src *source) openDB(ctx context.Context) (rows int, err error) {
	if src.db, err = sqlite.OpenForeign(ctx, src.path); err != nil {
		return 0, err
	}
	src.columns = map[string][]string{}
	for _, t := range []table{chunkTable, stateTable} {
		have, err := src.db.Columns(ctx, t.name)
		if err != nil {
			return 0, err
		}
		if len(have) == 0 && t.name == stateTable.name {
			continue
		}
		for _, c := range t.columns[:t.needed] {
			if !slices.Contains(have, c) {
				return 0, invalid(fmt.Sprintf("cannot import %s: it has no table %s with a column %s, so it is not of agent-memory-store", src.path, t.name, c),
					"put the right file there", skipImport)
			}
		}
		src.columns[t.name] = slices.DeleteFunc(slices.Clone(t.columns), func(c string) bool { return !slices.Contains(have, c) })
	}
	err = src.eachRow(ctx, func(incomingChunk) error { rows++; return nil }, func(State) error { rows++; return nil }, func(string, string) { rows++ })
	return rows, err
}

// eachRow calls chunk and state with every valid row of the database.
func (src *source) eachRow(ctx context.Context, chunk func(incomingChunk) error, state func(State) error, refuse func(from, why string)) error {
	if err := src.readTable(ctx, chunkTable, func(row map[string]any, from string) error {
		in := incomingChunk{vector: blobVector(row["embedding"])}
		in.ID, in.Topic, in.Content, in.Agent, in.Importance = sqlite.Text(row["id"]), sqlite.Text(row["topic"]), sqlite.Text(row["content"]), sqlite.Text(row["agent"]), sqlite.Text(row["importance"])
		in.Tags = storedTags(sqlite.Text(row["tags"]))
		in.setTimes(sqlite.Text(row["created_at"]), sqlite.Text(row["updated_at"]), sqlite.Text(row["expires_at"]))
		if why := in.complete(); why != "" {
			refuse(from, why)
			return nil
		}
		return chunk(in)
	}); err != nil {
		return err
	}
	return src.readTable(ctx, stateTable, func(row map[string]any, from string) error {
		v := State{Key: sqlite.Text(row["key"]), Value: json.RawMessage(sqlite.Text(row["value"]))}
		v.Updated, _ = parseTime(sqlite.Text(row["updated_at"]))
		if why := v.complete(); why != "" {
			refuse(from, why)
			return nil
		}
		return state(v)
	})
}

// readTable calls fn with every row of a table, by column, and with the row's name.
func (src *source) readTable(ctx context.Context, t table, fn func(row map[string]any, from string) error) error {
	columns := src.columns[t.name]
	if len(columns) == 0 {
		return nil
	}
	selected := make([]string, len(columns))
	for i, c := range columns {
		// Read one byte more than the limit, to detect longer values.
		selected[i] = fmt.Sprintf("substr(%s, 1, %d)", sqlite.Quote(c), maxImported+1)
	}
	n := 0
	var failed error // an error of fn, which is not about the source
	err := src.db.Each(ctx, "SELECT "+strings.Join(selected, ", ")+" FROM "+sqlite.Quote(t.name), func(values []any) error {
		n++
		row := make(map[string]any, len(columns))
		for i, c := range columns {
			row[c] = values[i]
		}
		name := clip(inLine(text(sqlite.Text(values[0]))), 60)
		if name == "" {
			name = fmt.Sprintf("in row %d", n)
		}
		failed = fn(row, fmt.Sprintf("%s: %s %s", src.path, t.record, name))
		return failed
	})
	if failed != nil {
		return failed
	}
	return sourceError(src.path, err)
}

// storedTags reads a JSON list of tags. Any other text is split at commas.
func storedTags(s string) []string {
	if s = strings.TrimSpace(s); s == "" || s == "null" {
		return nil
	}
	var list []any
	if json.Unmarshal([]byte(s), &list) != nil {
		return strings.Split(strings.Trim(s, "[]"), ",")
	}
	var tags []string
	for _, t := range list {
		if t != nil {
			tags = append(tags, fmt.Sprint(t))
		}
	}
	return tags
}

// blobVector reads an embedding of originalModel: 384 little-endian 32-bit numbers of length 1. It
// returns nil for anything else.
func blobVector(v any) embed.Vector {
	b, ok := v.([]byte)
	if !ok || len(b) != 4*originalModel.Dim {
		return nil
	}
	out := make(embed.Vector, originalModel.Dim)
	sum := 0.0
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		sum += float64(out[i]) * float64(out[i])
	}
	if !(math.Abs(sum-1) < 0.01) { // also refuses NaN; the model makes vectors of length 1
		return nil
	}
	return out
}
