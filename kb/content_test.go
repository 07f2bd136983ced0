package kb

import (
	"errors"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// TestContentIsChecked: a capsule that was changed past the program is found, and everything
// that the program itself does agrees with its events.
func TestContentIsChecked(t *testing.T) {
	k := newKB(t, nil)
	ctx := t.Context()
	c := put(t, k, Capsule{Kind: "fact", Scope: "universal", Title: "Tokens never expire", Body: "since v2",
		Tags: []string{"auth"}, Source: "auth.go:42"})
	expect.Value(k.Edit(ctx, c.ID, func(c *Capsule) error {
		c.Title = "Tokens expire after a day"
		return nil
	}, EditOptions{}))(t)
	expect.OK(t, k.Check(ctx))
	expect.OK(t, k.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE capsules SET body = 'since v3' WHERE id = ?`, c.ID)
		return err
	}))
	if err := k.Check(ctx); !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), c.ID) {
		t.Errorf("a change past the program is not found: %v", err)
	}
	if f := examine(t, k)["content"]; f.State != StateBroken {
		t.Errorf("the doctor says %+v", f)
	}
}
