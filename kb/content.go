package kb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// contentSum returns the SHA-256, in hex, of the capsule's file without Ingested. Decay, retrieval
// and embedding are not in the file, so upkeep does not change it.
func (c *Capsule) contentSum() (string, error) {
	said := *c
	said.Ingested = nil
	data, err := EncodeSidecar(&said, nil)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// checkContent compares each capsule with its last event. It returns fault.Corrupt for the first
// that was changed without an event. Events of older versions have no sum to compare.
func (k *KB) checkContent(ctx context.Context) error {
	return k.db.Read(ctx, func(tx *sqlite.Tx) error {
		for after := int64(0); ; {
			page, err := capsulesWhere(tx, `n > ? ORDER BY n LIMIT ?`, after, contentPage)
			if err != nil || len(page) == 0 {
				return err
			}
			if err := k.checkPage(tx, page); err != nil {
				return err
			}
			after = page[len(page)-1].n
		}
	})
}

const contentPage = 1000 // capsules that are compared at once

func (k *KB) checkPage(tx *sqlite.Tx, page []Capsule) error {
	ids := make([]string, len(page))
	for i := range page {
		ids[i] = page[i].ID
	}
	last := map[string]string{}
	var id, content string
	if err := tx.Each([]any{&id, &content}, func() error {
		last[id] = content
		return nil
	}, `SELECT capsule, content FROM events WHERE seq IN (SELECT max(seq) FROM events
		WHERE capsule IN (SELECT value FROM json_each(?)) GROUP BY capsule)`,
		sqlite.List(ids)); err != nil {
		return err
	}
	for i := range page {
		want := last[page[i].ID]
		if have, err := page[i].contentSum(); err != nil {
			return err
		} else if want != "" && want != have {
			return sqlite.Fault(fault.Corrupt, k.db.Path(), fmt.Sprintf("has a capsule %s that differs from its "+
				"last event: it was changed past the program", page[i].ID), nil, fault.Do("kb.history",
				"{} shows what was done to it", "id", page[i].ID))
		}
	}
	return nil
}
