package chunks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/secret"
)

type State struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Updated time.Time       `json:"updated_at"`
}

// State returns a value, else fault.NotFound, whose message is the tool's answer.
func (s *Store) State(ctx context.Context, key string) (State, error) {
	out := State{Key: text(key)}
	err := s.reading(ctx, func(_ *file, tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT value, updated FROM state WHERE key = ?`, out.Key).Scan((*[]byte)(&out.Value), sqlite.Time(&out.Updated))
	})
	if err == nil && out.Value == nil || sqlite.IsNoRows(err) {
		return out, noState(out.Key)
	}
	return out, err
}

// SetState sets the value of a key, any JSON. Numbers and the order of fields stay as written.
func (s *Store) SetState(ctx context.Context, key string, value json.RawMessage) (State, error) {
	out := State{Key: text(key)}
	if err := checkKey(out.Key); err != nil {
		return out, err
	}
	if len(value) > MaxValue {
		return out, invalid(fmt.Sprintf("the value has %d bytes; at most %d are allowed", len(value), MaxValue), "keep what is large in a chunk or a file, and name it here")
	}
	var err error
	if out.Value, err = plainJSON(value); err != nil {
		return out, invalid(fmt.Sprintf("the value is not JSON: %v", err), "give a string, a number, true, false, null, a list or an object")
	}
	secret.MaskWrite(ctx, func(m *secret.Masker) { out.Value = m.JSON("the value", out.Key, out.Value) })
	err = s.writing(ctx, func(_ *file, tx *sqlite.Tx) error {
		out.Updated = tx.Now
		return putState(tx, &out)
	})
	return out, err
}

func checkKey(key string) error {
	if strings.TrimSpace(key) == "" {
		return invalid("the key is blank", "name the value, such as current_phase")
	}
	return checkLength("the key", key, MaxKey, "shorten it")
}

func putState(tx *sqlite.Tx, v *State) error {
	_, err := tx.Exec(`INSERT INTO state VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated = excluded.updated`, v.Key, string(v.Value), v.Updated.UnixMilli())
	return err
}

// plainJSON formats a value as JSON.stringify does; numbers stay as written.
func plainJSON(value []byte) (json.RawMessage, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, bytes.ToValidUTF8(value, []byte("\ufffd"))); err != nil {
		return nil, err
	}
	return jsonText().ReplaceAllFunc(compact.Bytes(), plainString), nil
}

var jsonText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// plainString is plainJSON for a string, which is valid.
func plainString(literal []byte) []byte {
	if !bytes.ContainsRune(literal, '\\') {
		return literal
	}
	var s string
	_ = json.Unmarshal(literal, &s)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
