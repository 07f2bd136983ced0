package board

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/kb/secret"
)

// AnyVersion, as ifMatch, matches any version.
const AnyVersion = -1

// Get returns a variable, or fault.NotFound if it is not set.
func (b *Board) Get(ctx context.Context, key string) (Variable, error) {
	if err := record.CheckText("the variable's name", key, MaxName, true); err != nil {
		return Variable{}, err
	}
	return readValue(ctx, b, func(tx *store.Tx) (Variable, error) {
		v, err := getVariable(tx, key)
		if err == nil && v.Value == nil {
			err = noVariable(key)
		}
		return v, err
	})
}

func (b *Board) Variables(ctx context.Context) ([]Variable, error) {
	return readValue(ctx, b, variables)
}

func noVariable(key string) error {
	return notFound(fmt.Sprintf("there is no variable %q on this board", clip(key, 60)), "",
		fault.Do("variable.list", "{} shows those that are set"))
}

// Set gives a variable a JSON value, or fault.Conflict unless it has the version ifMatch; 0: it
// must not exist; AnyVersion: any.
func (b *Board) Set(ctx context.Context, worker, key string, value json.RawMessage,
	ifMatch int64) (Variable, error) {
	if err := record.CheckText("the variable's name", key, MaxName, true); err != nil {
		return Variable{}, err
	}
	if !utf8.Valid(value) {
		return Variable{}, invalid(fmt.Sprintf("the value of %q is not valid UTF-8", clip(key, 60)),
			"convert it to UTF-8 first")
	}
	if !json.Valid(value) {
		return Variable{}, invalid(fmt.Sprintf("the value of %q is not valid JSON", clip(key, 60)),
			`quote strings: '"drafting"'`)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return Variable{}, err
	}
	if err := record.CheckText("the value", compact.String(), MaxContent, true); err != nil {
		return Variable{}, err
	}
	value = compact.Bytes()
	secret.MaskWrite(ctx, func(m *secret.Masker) { value = m.JSON("the value", key, value) })
	return b.setVariable(ctx, worker, key, value, ifMatch)
}

// Delete removes and returns a variable of the version ifMatch (or AnyVersion).
func (b *Board) Delete(ctx context.Context, worker, key string, ifMatch int64) (Variable, error) {
	if err := record.CheckText("the variable's name", key, MaxName, true); err != nil {
		return Variable{}, err
	}
	if _, err := b.reader(); err != nil {
		return Variable{}, err
	}
	return b.setVariable(ctx, worker, key, nil, ifMatch)
}

func (b *Board) setVariable(ctx context.Context, worker, key string, value json.RawMessage,
	ifMatch int64) (Variable, error) {
	if ifMatch < AnyVersion {
		return Variable{}, invalid(fmt.Sprintf("%d is not a version", ifMatch), "",
			fault.Do("variable.list", "{} shows the versions"))
	}
	// a change that fails must not create a run
	if _, err := b.reader(); err != nil && ifMatch > 0 {
		return Variable{}, conflict(fmt.Sprintf("the variable %q does not exist, so it has no "+
			"version %d", key, ifMatch), "set it without a version")
	}
	var out Variable
	err := b.write(ctx, worker, func(w *writer) error {
		old, err := getVariable(w.tx, key)
		if err != nil {
			return err
		}
		have := old.Version
		if old.Value == nil {
			have = 0
		}
		if ifMatch != AnyVersion && ifMatch != have {
			try := fault.Do("variable.get", "read it again ({}) and decide anew", "key", key)
			if have == 0 {
				return conflict(fmt.Sprintf("the variable %q does not exist, so it has no "+
					"version %d", key, ifMatch), "", try)
			}
			return conflict(fmt.Sprintf("the variable %q has version %d, not %d: %s changed it",
				key, have, ifMatch, old.Worker), "", try)
		}
		if value == nil && have == 0 {
			return noVariable(key)
		}
		out = Variable{Key: key, Value: value, Version: old.Version + 1, Updated: w.tx.Now,
			Worker: w.actor}
		verb := record.VerbSet
		if value == nil {
			verb = record.VerbDelete
		}
		if err := w.event(verb, key, record.SetPayload{Value: value, Version: out.Version}); err != nil {
			return err
		}
		if value == nil {
			out = old
		}
		return nil
	})
	return out, err
}

// getVariable returns a variable. One that is not set has no value. A deleted one keeps
// its version, so that versions never repeat.
func getVariable(tx *store.Tx, key string) (Variable, error) {
	v := Variable{Key: key}
	var value string
	var deleted bool
	var updated int64
	err := tx.QueryRow(`SELECT value, version, deleted, updated, worker FROM variables WHERE key = ?`, key).
		Scan(&value, &v.Version, &deleted, &updated, &v.Worker)
	if store.IsNoRows(err) {
		return v, nil
	}
	if err == nil && !deleted {
		v.Value = json.RawMessage(value)
	}
	v.Updated = fromMillis(updated)
	return v, err
}

func variables(tx *store.Tx) ([]Variable, error) {
	return store.All(tx, func(v *Variable) []any {
		return []any{&v.Key, (*[]byte)(&v.Value), &v.Version, store.Time(&v.Updated), &v.Worker}
	}, `SELECT key, value, version, updated, worker FROM variables WHERE deleted = 0 ORDER BY key`)
}
