package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Statuses of a conversation: active → idle → archived. A reopened one is active again.
const (
	StatusActive   = "active"   // an agent is at work
	StatusIdle     = "idle"     // ended; can be reviewed
	StatusArchived = "archived" // closed
)

var Statuses = []string{StatusActive, StatusIdle, StatusArchived}

// ConversationInfo is one exchange with an agent.
type ConversationInfo struct {
	Ref      string     `json:"ref_code"`
	Channel  string     `json:"channel"`
	Thread   string     `json:"thread"` // the harness's id for it
	Agent    string     `json:"agent"`  // the agent that started it
	Status   string     `json:"status"` // active, idle or archived
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"` // when it became idle; null: it is active
	Archived *time.Time `json:"archived"`
	Items    int        `json:"items"`   // active items that the caller may see
	Scratch  int        `json:"scratch"` // working notes of the caller
}

const RefLen = 11

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// newRef returns a ref code with 65 random bits.
func newRef() string {
	b := make([]byte, RefLen)
	for i := range b {
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // crypto/rand does not fail
		b[i] = base62[n.Int64()]
	}
	return string(b)
}

func checkRef(ref string) error {
	if len(ref) != RefLen || strings.Trim(ref, base62) != "" {
		return invalid(fmt.Sprintf("%q is not a ref code of a conversation", clip(ref, 60)),
			fmt.Sprintf("ref codes are %d letters and digits", RefLen), showConversations)
	}
	return nil
}

// StartConversation starts a conversation in a channel (default: the default one), or returns, with
// again, the one that the harness's thread has unless it is archived.
func (s *Store) StartConversation(ctx context.Context, channel, thread string) (
	c ConversationInfo, again bool, err error) {
	channel = cmp.Or(channel, DefaultChannel)
	if err := cmp.Or(checkName("channel", channel), checkLine("the thread", thread, MaxField),
		s.refuseSecrets("the thread", thread)); err != nil {
		return c, false, err
	}
	err = s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		if err := f.checkChannel(tx, channel); err != nil {
			return err
		}
		if thread != "" {
			found, err := readConversations(tx, `thread = ?`, thread)
			if err != nil {
				return err
			}
			if len(found) == 1 && found[0].Status != StatusArchived {
				c, again = found[0], true
				return cmp.Or(s.checkParticipant(tx, &c), s.countVisible(tx, &c))
			}
			// An archived conversation gives its thread to the new one.
			if _, err := tx.Exec(`UPDATE conversations SET thread = '' WHERE thread = ?`,
				thread); err != nil {
				return err
			}
		}
		c = ConversationInfo{Ref: newRef(), Channel: channel, Thread: thread, Agent: s.opt.Agent,
			Status: StatusActive, Started: tx.Now}
		if err := c.columns().Add(tx, "conversations"); err != nil {
			return err
		}
		return f.talkEvent(tx, VerbStarted, c.Ref, "", "")
	})
	return c, again, err
}

func readConversations(tx *sqlite.Tx, where string, args ...any) ([]ConversationInfo, error) {
	return sqlite.All(tx, func(c *ConversationInfo) []any { return c.columns().Dest("") },
		`SELECT `+new(ConversationInfo).columns().Names("", "")+` FROM conversations WHERE `+
			where, args...)
}

// talkEvent logs what was done with a conversation, to other. agent owns what is private.
func (f *file) talkEvent(tx *sqlite.Tx, verb, ref, other, agent string) error {
	return f.event(tx, Event{Verb: verb, Subject: ref, Other: other, agent: agent,
		Scope: Scope{Tier: Conversation, Conversation: ref}.String()})
}

func (s *Store) ownConversation(tx *sqlite.Tx, ref string) (ConversationInfo, error) {
	c, err := readConversation(tx, ref)
	if err == nil {
		err = s.checkParticipant(tx, &c)
	}
	return c, err
}

func readConversation(tx *sqlite.Tx, ref string) (ConversationInfo, error) {
	if err := checkRef(ref); err != nil {
		return ConversationInfo{}, err
	}
	found, err := readConversations(tx, `ref = ?`, ref)
	if err != nil {
		return ConversationInfo{}, err
	}
	if len(found) == 0 {
		return ConversationInfo{}, noConversation(ref)
	}
	return found[0], nil
}

func noConversation(ref string) error {
	return fault.NotFound.New("conversation "+ref+" not found in this workspace", "",
		showConversations)
}

func (s *Store) countVisible(tx *sqlite.Tx, c *ConversationInfo) error {
	return tx.QueryRow(`SELECT (SELECT count(*) FROM items WHERE tier = 'conversation'
		AND channel = '' AND conversation = ?1 AND `+isLive+` AND agent IN ('', ?2)),
		(SELECT count(*) FROM scratch WHERE conversation = ?1
		AND agent = ?2)`, c.Ref, s.opt.Agent).Scan(&c.Items, &c.Scratch)
}

func (s *Store) Conversation(ctx context.Context, ref string) (c ConversationInfo, err error) {
	if err := checkRef(ref); err != nil {
		return c, err
	}
	err = s.inConversations(ctx, ref, func(f *file, tx *sqlite.Tx) error {
		if c, err = s.ownConversation(tx, ref); err != nil {
			return err
		}
		return s.countVisible(tx, &c)
	})
	return c, err
}

// inConversations runs fn on a snapshot. Without the file, ref is not found.
func (s *Store) inConversations(ctx context.Context, ref string,
	fn func(*file, *sqlite.Tx) error) error {
	return s.readingOr(ctx, Conversation, fault.NotFound.New("conversation "+ref+" not found in this workspace", "",
		startStep), fn)
}

// Conversations returns those that the caller takes part in, the newest first: of a channel if one
// is named, with the named statuses, by default all but the archived. limit 0 means all.
func (s *Store) Conversations(ctx context.Context, channel string, statuses []string, limit int) (
	[]ConversationInfo, error) {
	if err := oneOf("status", Statuses, statuses...); err != nil {
		return nil, err
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
		taken, err := s.conversationRefs(tx)
		if err != nil {
			return err
		}
		all, err = readConversations(tx,
			`(?1 = '' OR channel = ?1) AND status IN (SELECT value FROM json_each(?2))
			AND (?4 IS NULL OR ref IN (SELECT value FROM json_each(?4))) ORDER BY started DESC, ref
			LIMIT ?3`,
			channel, sqlite.List(statuses), limit, taken)
		for i := range all {
			if err == nil {
				err = s.countVisible(tx, &all[i])
			}
		}
		return err
	})
	return all, err
}

// TagSummary marks the summary of a conversation.
const TagSummary = "summary"

// TagWorklog marks a summary that only has lines of a worklog.
const TagWorklog = "worklog"

// Summarise stores the summary in its channel, where the next conversation starts with it.
func (s *Store) Summarise(ctx context.Context, ref, title, text string, tags ...string) (
	Item, error) {
	title = cmp.Or(title, "What "+ref+" came to")
	c, err := s.Conversation(ctx, ref)
	if err != nil {
		return Item{}, err
	}
	r, err := s.Put(ctx, Item{
		Tier: Channel, Channel: c.Channel, Conversation: ref, Title: title, Content: text,
		Importance: .75, Lifetime: LongTerm, Tags: append([]string{TagSummary}, tags...)}, PutOptions{})
	return r.Item, err
}

func (s *Store) IdleConversation(ctx context.Context, ref string) (ConversationInfo, error) {
	return s.transition(ctx, ref, StatusIdle, VerbIdle, StatusActive)
}

// ArchiveConversation archives an idle conversation, with force an active one; its notes stay.
func (s *Store) ArchiveConversation(ctx context.Context, ref string, force bool) (
	ConversationInfo, error) {
	from := []string{StatusIdle}
	if force {
		from = append(from, StatusActive)
	}
	return s.transition(ctx, ref, StatusArchived, VerbArchived, from...)
}

// ReopenConversation makes it active again and restores the items archived with it.
func (s *Store) ReopenConversation(ctx context.Context, ref string) (ConversationInfo, error) {
	return s.transition(ctx, ref, StatusActive, VerbReopened, StatusIdle, StatusArchived)
}

func (f *file) restoreArchived(tx *sqlite.Tx, ref string) error {
	all, err := itemsWhere(tx,
		`tier = ? AND channel = '' AND conversation = ? AND archived IS NOT NULL AND lifetime = ? AND why = ?`,
		Conversation, ref, LifeConversation, whyEnded)
	for i := range all {
		if err == nil {
			err = f.revive(tx, &all[i], nil, "its conversation was reopened", nil)
		}
	}
	return err
}

func (s *Store) transition(ctx context.Context, ref, to, verb string, from ...string) (
	c ConversationInfo, err error) {
	if _, err := s.Conversation(ctx, ref); err != nil { // before a file is made
		return c, err
	}
	err = s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		if c, err = readConversation(tx, ref); err != nil {
			return err
		}
		if !slices.Contains(from, c.Status) {
			return badTransition(ref, c.Status, to)
		}
		now := tx.Now
		c.Status = to
		switch {
		case to == StatusActive:
			c.Ended, c.Archived = nil, nil
			if err := f.restoreArchived(tx, ref); err != nil {
				return err
			}
		case c.Ended == nil:
			c.Ended = &now
		}
		if to == StatusArchived {
			c.Archived = &now
		}
		if _, err := tx.Exec(`UPDATE conversations SET status = ?, ended = ?, archived = ?
			WHERE ref = ?`, to, sqlite.Millis(c.Ended), sqlite.Millis(c.Archived), ref); err != nil {
			return err
		}
		if err := s.countVisible(tx, &c); err != nil {
			return err
		}
		return f.talkEvent(tx, verb, ref, "", "")
	})
	return c, err
}

func badTransition(ref, from, to string) error {
	msg := fmt.Sprintf("invalid status transition: the conversation %s is %s and cannot become %s",
		ref, from, to)
	if from == to {
		msg = fmt.Sprintf("the conversation %s is already %s", ref, from)
	}
	switch {
	case from == StatusActive && to == StatusArchived:
		return conflict(msg, "",
			fault.Do("memory.conversation.idle", "end it first ({})", "ref", ref),
			fault.Give("force", "", "or archive it as it is with {}"))
	case from == StatusArchived:
		return conflict(msg, "",
			fault.Do("memory.conversation.reopen", "{} restores it", "ref", ref), startStep)
	}
	return conflict(msg, "",
		fault.Do("memory.conversation.show", "{} shows its status", "ref", ref))
}

// Conversations are read and written by those who take part: the agent that started it, those
// invited by a participant, those with a grant, and the author. Invitations are events in the log.

func (s *Store) inAllConversations() bool {
	return s.opt.Author || slices.Contains(s.opt.Grants, GrantConversations)
}

func (s *Store) checkParticipant(tx *sqlite.Tx, c *ConversationInfo) error {
	proven := s.opt.Agent != "" && !s.opt.Unproven
	if s.inAllConversations() || proven && c.Agent == s.opt.Agent ||
		slices.Contains(s.opt.Grants, GrantConversation(c.Ref)) {
		return nil
	}
	if proven {
		let, err := sqlite.One[bool](tx,
			`SELECT count(*) > 0 FROM events WHERE subject = ? AND verb = ? AND other = ?`,
			c.Ref, VerbInvited, s.opt.Agent)
		if err != nil || let {
			return err
		}
	}
	return fault.Denied.New("the conversation "+c.Ref+" belongs to others",
		"it needs the grant \""+GrantConversation(c.Ref)+"\"",
		fault.Do("memory.conversation.invite", "a participant can invite with {}", "ref",
			c.Ref, "agent", "AGENT"))
}

// conversationRefs returns the caller's conversations as a JSON list for SQL; nil means all.
func (s *Store) conversationRefs(tx *sqlite.Tx) (any, error) {
	if s.inAllConversations() {
		return nil, nil
	}
	refs, err := sqlite.Column[string](
		tx, `SELECT ref FROM conversations WHERE ?1 <> '' AND agent = ?1
		OR ref IN (SELECT subject FROM events WHERE verb = ?2 AND other = ?1 AND ?1 <> '')
		OR 'conversation:' || ref IN (SELECT value FROM json_each(?3))`,
		map[bool]string{false: s.opt.Agent}[s.opt.Unproven], VerbInvited,
		sqlite.List(s.opt.Grants))
	return sqlite.List(refs), err
}

// conversationScopes returns the caller's conversations as scopes; nil means all.
func (s *Store) conversationScopes(tx *sqlite.Tx) ([]string, error) {
	taken, err := s.conversationRefs(tx)
	if err != nil || taken == nil {
		return nil, err
	}
	return sqlite.Column[string](tx, `SELECT 'conversation:' || value FROM json_each(?)`, taken)
}

func (s *Store) mayKnow(tx *sqlite.Tx, it *Item) (bool, error) {
	if !s.visible(it.Agent) || s.allowed(it.Tier) != nil {
		return false, nil
	}
	if it.Tier != Conversation || s.inAllConversations() {
		return true, nil
	}
	c, err := readConversation(tx, it.Conversation)
	return err == nil && s.checkParticipant(tx, &c) == nil, err
}

func (s *Store) Invite(ctx context.Context, ref string, agents ...string) (
	ConversationInfo, error) {
	for _, agent := range agents {
		if err := checkAgent(agent); err != nil {
			return ConversationInfo{}, err
		}
	}
	c, err := s.Conversation(ctx, ref)
	if err != nil {
		return c, err
	}
	return c, s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		for _, agent := range agents {
			if err := f.talkEvent(tx, VerbInvited, ref, agent, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
