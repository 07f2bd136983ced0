package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Scratch is a working note of an agent in a conversation. It is found by its key only.
type Scratch struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Created time.Time       `json:"created"`
	Updated time.Time       `json:"updated"`
	Agent   string          `json:"agent"`  // its owner
	Shared  bool            `json:"shared"` // all participants of the conversation may read it
}

// MaxScratch is the most bytes of a working note, and MaxScratchKeys the most keys of an
// agent in a conversation.
const (
	MaxScratch     = 256 << 10
	MaxScratchKeys = 1000
)

// WriteScratch sets a working note of the caller, private or shared. The value is JSON.
func (s *Store) WriteScratch(ctx context.Context, ref, key string, value json.RawMessage,
	shared bool) (Scratch, error) {
	if err := checkName("working note", key); err != nil {
		return Scratch{}, err
	}
	if len(value) > MaxScratch {
		return Scratch{}, invalid(fmt.Sprintf("the value has %d bytes; at most %d are allowed",
			len(value), MaxScratch), "keep it in a file and store the path")
	}
	var b bytes.Buffer
	if !utf8.Valid(value) || json.Compact(&b, value) != nil {
		return Scratch{}, invalid("the value is not JSON", `write a text "in quotes"`)
	}
	if err := s.refuseSecrets("the key", key, "the value", textIn(value)); err != nil {
		return Scratch{}, err
	}
	if _, err := s.Conversation(ctx, ref); err != nil {
		return Scratch{}, err
	}
	out := Scratch{Agent: s.opt.Agent, Shared: shared, Key: key, Value: json.RawMessage(b.Bytes())}
	err := s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		c, err := readConversation(tx, ref)
		if err != nil {
			return err
		}
		if c.Status == StatusArchived {
			return conflict("the conversation "+ref+
				" is archived: its working notes cannot be changed", "", startStep)
		}
		var n, mine int
		if err := tx.QueryRow(`SELECT count(*), coalesce(sum(key = ?3), 0) FROM scratch
			WHERE conversation = ?1
			AND agent = ?2`, ref, s.opt.Agent, key).Scan(&n, &mine); err != nil {
			return err
		}
		if mine == 0 && n >= MaxScratchKeys {
			return conflict(fmt.Sprintf("there are already %d working notes", n),
				"clear those that are not needed")
		}
		out.Updated = tx.Now
		return tx.QueryRow(`INSERT INTO scratch VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
			ON CONFLICT DO UPDATE
			SET value = excluded.value, updated = excluded.updated,
			shared = excluded.shared RETURNING created`,
			ref, s.opt.Agent, key, b.String(), tx.Now.UnixMilli(), shared).Scan(
			sqlite.Time(&out.Created))
	})
	return out, err
}

// ReadScratch returns a working note of the caller, or else the latest that another
// agent has shared under that key.
func (s *Store) ReadScratch(ctx context.Context, ref, key string) (Scratch, error) {
	all, err := s.scratch(ctx, ref, key)
	if err != nil {
		return Scratch{}, err
	}
	if len(all) == 0 {
		return Scratch{}, fault.NotFound.New(
			fmt.Sprintf("working note %s not found in %s", clip(key, 60), ref), "",
			fault.Do("memory.scratch.list", "{} lists the caller's", "conversation", ref))
	}
	return all[0], nil
}

// ListScratch returns the caller's working notes in a conversation by key, then those
// that others share.
func (s *Store) ListScratch(ctx context.Context, ref string) ([]Scratch, error) {
	return s.scratch(ctx, ref, "")
}

func (s *Store) scratch(ctx context.Context, ref, key string) ([]Scratch, error) {
	if err := checkRef(ref); err != nil {
		return nil, err
	}
	all := []Scratch{}
	err := s.inConversations(ctx, ref, func(f *file, tx *sqlite.Tx) error {
		c, err := readConversation(tx, ref)
		if err == nil {
			err = s.checkParticipant(tx, &c)
		}
		if err != nil {
			return err
		}
		all, err = sqlite.All(tx, func(n *Scratch) []any {
			return []any{&n.Agent, &n.Shared, &n.Key, (*[]byte)(&n.Value), sqlite.Time(&n.Created),
				sqlite.Time(&n.Updated)}
		}, `SELECT agent, shared, key, value, created, updated FROM scratch
			WHERE conversation = ?1 AND (agent = ?2 OR shared) AND (?3 = '' OR key = ?3)
			ORDER BY agent <> ?2, key, updated DESC`, ref, s.opt.Agent, key)
		return err
	})
	return all, err
}

// ClearScratch deletes the caller's working notes in a conversation, or one of them, and
// returns how many there were. It works in an archived conversation too.
func (s *Store) ClearScratch(ctx context.Context, ref, key string) (int, error) {
	if _, err := s.Conversation(ctx, ref); err != nil {
		return 0, err
	}
	var n int64
	err := s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		res, err := tx.Exec(`DELETE FROM scratch WHERE conversation = ?1 AND agent = ?2
			AND (?3 = '' OR key = ?3)`, ref, s.opt.Agent, key)
		if err != nil {
			return err
		}
		if n, err = res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return f.event(tx, Event{
			Verb: VerbCleared, Scope: Scope{Tier: Conversation, Conversation: ref}.String(),
			Subject: ref, Other: key, agent: s.opt.Agent})
	})
	return int(n), err
}
