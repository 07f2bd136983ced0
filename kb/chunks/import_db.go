package chunks

import (
	"cmp"
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

// table is a table of the other program: columns that are required, and the optional ones.
type table struct {
	name    string
	record  string // what to call a row
	columns []string
	needed  int
	take    func(src *source, row map[string]any) (why string)
}

var tables = []table{
	{"chunks", "chunk", []string{"id", "topic", "content", "agent", "tags", "importance", "created_at", "updated_at", "expires_at", "embedding"}, 3, (*source).takeChunk},
	{"state", "state", []string{"key", "value", "updated_at"}, 2, (*source).takeState},
}

// readDB reads a copy of the database. A database may have no table of states.
func (src *source) readDB(ctx context.Context) error {
	db, err := sqlite.OpenForeign(ctx, src.path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, t := range tables {
		have, err := db.Columns(ctx, t.name)
		if err != nil {
			return err
		}
		if len(have) == 0 && t.name == "state" {
			continue
		}
		for _, c := range t.columns[:t.needed] {
			if !slices.Contains(have, c) {
				return invalid(fmt.Sprintf("cannot import %s: it has no table %s with a column %s, so it is not of agent-memory-store", src.path, t.name, c),
					"put the right file there", skipImport)
			}
		}
		var columns, selected []string
		for _, c := range t.columns {
			if slices.Contains(have, c) {
				// Read one byte more than the limit, to detect longer values.
				columns, selected = append(columns, c), append(selected, fmt.Sprintf("substr(%s, 1, %d)", sqlite.Quote(c), maxImported+1))
			}
		}
		n := 0
		err = db.Each(ctx, "SELECT "+strings.Join(selected, ", ")+" FROM "+sqlite.Quote(t.name), func(values []any) error {
			n++
			row := make(map[string]any, len(columns))
			for i, c := range columns {
				row[c] = values[i]
			}
			if why := t.take(src, row); why != "" {
				name := cmp.Or(clip(inLine(text(sqlite.Text(values[0]))), 60), fmt.Sprintf("in row %d", n))
				src.refuse(fmt.Sprintf("%s: %s %s", src.path, t.record, name), why)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (src *source) takeChunk(row map[string]any) (why string) {
	in := incomingChunk{vector: blobVector(row["embedding"])}
	in.ID, in.Topic, in.Content, in.Agent, in.Importance = sqlite.Text(row["id"]), sqlite.Text(row["topic"]), sqlite.Text(row["content"]), sqlite.Text(row["agent"]), sqlite.Text(row["importance"])
	in.Tags = storedTags(sqlite.Text(row["tags"]))
	in.setTimes(sqlite.Text(row["created_at"]), sqlite.Text(row["updated_at"]), sqlite.Text(row["expires_at"]))
	if why = in.complete(); why == "" {
		src.chunks = append(src.chunks, in)
	}
	return why
}

func (src *source) takeState(row map[string]any) (why string) {
	v := State{Key: sqlite.Text(row["key"]), Value: json.RawMessage(sqlite.Text(row["value"]))}
	v.Updated, _ = parseTime(sqlite.Text(row["updated_at"]))
	if why = v.complete(); why == "" {
		src.states = append(src.states, v)
	}
	return why
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

// blobVector reads an embedding of originalModel, little-endian, of length 1; nil for others.
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
