package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Statuses of a conversation: active → idle → archived.
const (
	StatusActive   = "active"   // an agent is at work
	StatusIdle     = "idle"     // it has ended, and can be reviewed
	StatusArchived = "archived" // put away
)

// Statuses lists them.
var Statuses = []string{StatusActive, StatusIdle, StatusArchived}

// ConversationInfo is one exchange with an agent.
type ConversationInfo struct {
	Ref      string     `json:"ref_code"`
	Channel  string     `json:"channel"`
	Thread   string     `json:"thread"` // what the harness calls it
	Agent    string     `json:"agent"`  // who began it
	Status   string     `json:"status"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"`
	Archived *time.Time `json:"archived"`
	Items    int        `json:"items"`   // live ones that the caller may see
	Scratch  int        `json:"scratch"` // the caller's working notes
}

// RefLen is the length of a conversation's ref code.
const RefLen = 11

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// newRef makes a ref code of 65 random bits.
func newRef() string {
	b := make([]byte, RefLen)
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		b[i] = base62[n.Int64()]
	}
	return string(b)
}

// checkRef tells a ref code that cannot be from one that is not there.
func checkRef(ref string) error {
	if len(ref) != RefLen || strings.Trim(ref, base62) != "" {
		return invalid(fmt.Sprintf("%q is no conversation's ref code", clip(ref, 60)), fmt.Sprintf("ref codes are %d letters and digits", RefLen), listTalks)
	}
	return nil
}

// StartConversation begins a conversation in a channel, the default one if none is named.
// If the harness has a name for it, and has begun it before, that one is returned, unless
// it was archived.
func (s *Store) StartConversation(ctx context.Context, channel, thread string) (c ConversationInfo, again bool, err error) {
	if channel == "" {
		channel = DefaultChannel
	}
	if err := checkName("channel", channel); err != nil {
		return c, false, err
	}
	if err := checkLine("the thread", thread, MaxField); err != nil {
		return c, false, err
	}
	if err := s.refuseSecrets("the thread", thread); err != nil {
		return c, false, err
	}
	err = s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		if err := f.checkChannel(tx, channel); err != nil {
			return err
		}
		if thread != "" {
			found, err := conversations(tx, `thread = ?`, thread)
			if err != nil {
				return err
			}
			if len(found) == 1 && found[0].Status != StatusArchived {
				if err := s.takes(tx, &found[0]); err != nil {
					return err
				}
				c, again = found[0], true
				return s.counts(tx, &c)
			}
			// One that was put away gives its thread to the new one.
			if _, err := tx.Exec(`UPDATE conversations SET thread = '' WHERE thread = ?`, thread); err != nil {
				return err
			}
		}
		c = ConversationInfo{Ref: newRef(), Channel: channel, Thread: thread, Agent: s.opt.Agent, Status: StatusActive, Started: tx.Now}
		if _, err := tx.Exec(`INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)`, c.Ref, channel, thread, c.Agent, c.Status, tx.Now.UnixMilli()); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: VerbStarted, Scope: Scope{Tier: Conversation, Conversation: c.Ref}.String(), Subject: c.Ref})
	})
	return c, again, err
}

func conversations(tx *sqlite.Tx, where string, args ...any) ([]ConversationInfo, error) {
	return sqlite.All(tx, func(c *ConversationInfo) []any {
		return []any{&c.Ref, &c.Channel, &c.Thread, &c.Agent, &c.Status, sqlite.Time(&c.Started), sqlite.MaybeTime(&c.Ended), sqlite.MaybeTime(&c.Archived)}
	}, `SELECT ref, channel, thread, agent, status, started, ended, archived FROM conversations WHERE `+where, args...)
}

// conversation returns one by its ref code.
func conversation(tx *sqlite.Tx, ref string) (ConversationInfo, error) {
	if err := checkRef(ref); err != nil {
		return ConversationInfo{}, err
	}
	found, err := conversations(tx, `ref = ?`, ref)
	if err != nil {
		return ConversationInfo{}, err
	}
	if len(found) == 0 {
		return ConversationInfo{}, noConversation(ref)
	}
	return found[0], nil
}

func noConversation(ref string) error {
	return fault.NotFound.New("there is no conversation "+ref+" in this workspace", "", listTalks)
}

// counts adds how much of a conversation the caller sees.
func (s *Store) counts(tx *sqlite.Tx, c *ConversationInfo) error {
	return tx.QueryRow(`SELECT (SELECT count(*) FROM items WHERE tier = 'conversation' AND channel = '' AND conversation = ?1 AND `+isLive+` AND agent IN ('', ?2)),
		(SELECT count(*) FROM scratch WHERE conversation = ?1 AND agent = ?2)`, c.Ref, s.opt.Agent).Scan(&c.Items, &c.Scratch)
}

// Conversation returns a conversation that the caller takes part in.
func (s *Store) Conversation(ctx context.Context, ref string) (c ConversationInfo, err error) {
	if err := checkRef(ref); err != nil {
		return c, err
	}
	err = s.inConversations(ctx, ref, func(f *file, tx *sqlite.Tx) error {
		if c, err = conversation(tx, ref); err != nil {
			return err
		}
		if err := s.takes(tx, &c); err != nil {
			return err
		}
		return s.counts(tx, &c)
	})
	return c, err
}

// inConversations reads in the file that has the conversations.
func (s *Store) inConversations(ctx context.Context, ref string, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, Conversation, false)
	if errors.Is(err, errNoFile) {
		return fault.NotFound.New("there is no conversation "+ref+" in this workspace", "", start)
	}
	if err != nil {
		return err
	}
	return f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) })
}

// Conversations returns those that the caller takes part in, the newest first: of a
// channel if one is named, with the statuses named, by default all that are not archived.
// limit 0 is all.
func (s *Store) Conversations(ctx context.Context, channel string, statuses []string, limit int) ([]ConversationInfo, error) {
	for _, st := range statuses {
		if !slices.Contains(Statuses, st) {
			return nil, unknown("status", st, Statuses)
		}
	}
	if len(statuses) == 0 {
		statuses = []string{StatusActive, StatusIdle}
	}
	if limit <= 0 {
		limit = -1
	}
	all := []ConversationInfo{}
	err := s.reading(ctx, Conversation, func(f *file, tx *sqlite.Tx) (err error) {
		if channel != "" {
			if err := f.checkChannel(tx, channel); err != nil {
				return err
			}
		}
		taken, err := s.taken(tx)
		if err != nil {
			return err
		}
		all, err = conversations(tx, `(?1 = '' OR channel = ?1) AND status IN (SELECT value FROM json_each(?2))
			AND (?4 IS NULL OR ref IN (SELECT value FROM json_each(?4))) ORDER BY started DESC, ref LIMIT ?3`,
			channel, sqlite.List(statuses), limit, taken)
		for i := range all {
			if err == nil {
				err = s.counts(tx, &all[i])
			}
		}
		return err
	})
	return all, err
}

// TagSummary is on what a conversation came to.
const TagSummary = "summary"

// Summarise keeps what a conversation came to in its channel, where the next one begins with it.
func (s *Store) Summarise(ctx context.Context, ref, text string) (Item, error) {
	c, err := s.Conversation(ctx, ref)
	if err != nil {
		return Item{}, err
	}
	r, err := s.Put(ctx, Item{Tier: Channel, Channel: c.Channel, Conversation: ref, Title: "What " + ref + " came to", Content: text,
		Importance: .75, Lifetime: LongTerm, Tags: []string{TagSummary}}, PutOptions{})
	return r.Item, err
}

// Summarised reports whether somebody has said what a conversation came to.
func (s *Store) Summarised(ctx context.Context, ref string) (bool, error) {
	found, _, err := s.List(ctx, ListQuery{Tiers: []string{Channel}, Conversation: ref, Tags: []string{TagSummary}, Limit: 1})
	return len(found) > 0, err
}

// IdleConversation ends an active conversation.
func (s *Store) IdleConversation(ctx context.Context, ref string) (ConversationInfo, error) {
	return s.transition(ctx, ref, StatusIdle, VerbIdle, StatusActive)
}

// ArchiveConversation puts an idle conversation away, with force an active one too. Its
// working notes stay.
func (s *Store) ArchiveConversation(ctx context.Context, ref string, force bool) (ConversationInfo, error) {
	from := []string{StatusIdle}
	if force {
		from = append(from, StatusActive)
	}
	return s.transition(ctx, ref, StatusArchived, VerbArchived, from...)
}

func (s *Store) transition(ctx context.Context, ref, to, verb string, from ...string) (c ConversationInfo, err error) {
	if _, err := s.Conversation(ctx, ref); err != nil {
		return c, err
	}
	err = s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		if c, err = conversation(tx, ref); err != nil {
			return err
		}
		if !slices.Contains(from, c.Status) {
			return badTransition(ref, c.Status, to)
		}
		now := tx.Now
		c.Status = to
		if c.Ended == nil {
			c.Ended = &now
		}
		if to == StatusArchived {
			c.Archived = &now
		}
		if _, err := tx.Exec(`UPDATE conversations SET status = ?, ended = ?, archived = ? WHERE ref = ?`, to, sqlite.Millis(c.Ended), sqlite.Millis(c.Archived), ref); err != nil {
			return err
		}
		if err := s.counts(tx, &c); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: verb, Scope: Scope{Tier: Conversation, Conversation: ref}.String(), Subject: ref})
	})
	return c, err
}
