package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/kb/store"
)

// After JournalWindow an entry of the journal is expired: still listed, and marked.
const JournalWindow = 7 * 24 * time.Hour

// Kinds of notes.
const (
	Journal = "journal" // what happened; counts for a week
	Core    = "core"    // who the agent is; does not expire
)

// ownTiers are the tiers of notes and named entries, noteKinds the kinds of notes.
var ownTiers, noteKinds = []string{Workspace, Account}, []string{Journal, Core}

// Note is an entry of an agent's journal or one of its core memories. It is private to the agent.
type Note struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Kind  string `json:"memory_type"` // journal or core
	// workspace, or account for notes that follow the agent everywhere
	Tier    string    `json:"tier"`
	Content string    `json:"content"`
	Created time.Time `json:"created"`
	Expired bool      `json:"expired"` // whether it has expired
	// ExpiresAround is the day on which a journal entry expires; "": never.
	ExpiresAround string `json:"expires_around"`
}

// setExpiry fills in the expiry of a note: a journal entry is expired after the window.
func (n *Note) setExpiry(now time.Time) {
	if n.Kind == Journal {
		n.Expired = n.Created.Before(now.Add(-JournalWindow))
		n.ExpiresAround = n.Created.Add(JournalWindow).Format(time.DateOnly)
	}
}

// noteTier checks the tier of notes; the default is the workspace, without one the account.
func (s *Store) noteTier(tier string) (string, error) {
	switch {
	case tier != "":
		return tier, oneOf("tier of a journal", ownTiers, tier)
	case s.opt.Workspace == "":
		return Account, nil
	}
	return Workspace, nil
}

// ownNotes begins the error that notes need an agent.
const ownNotes = "journals and core memories belong to an agent"

func (s *Store) needAgent(what string) error {
	if s.opt.Agent == "" {
		return invalid(what+", and the caller has no name", "",
			fault.Give("agent", "", "name the agent with {}, or $BOARD_WORKER"))
	}
	return nil
}

// SaveNote writes to the caller's journal or core memories. force stores what looks like a secret.
func (s *Store) SaveNote(ctx context.Context, kind, tier, content string, force bool) (
	Note, error) {
	tier, wrong := s.noteTier(tier)
	err := cmp.Or(oneOf("kind of note", noteKinds, kind), s.needAgent(ownNotes), wrong)
	if err != nil {
		return Note{}, err
	}
	if content, err = s.noteText(content, force); err != nil {
		return Note{}, err
	}
	n := noteRecord{Note: Note{
		ID: store.NewID('j'), Agent: s.opt.Agent, Kind: kind, Tier: tier, Content: content}}
	err = s.writing(ctx, tier, func(f *file, tx *sqlite.Tx) error {
		n.Created = tx.Now
		n.setExpiry(tx.Now)
		if err := n.columns().Add(tx, "notes"); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: kind, Scope: tier, Subject: n.ID, agent: n.Agent})
	})
	return n.Note, err
}

// noteText normalises the text of a note, and refuses what looks like a secret unless it is forced.
func (s *Store) noteText(content string, force bool) (string, error) {
	content = strings.TrimSpace(content)
	err := checkContent(content)
	if err == nil && !force && !s.opt.KeepSecrets {
		err = refuseSecret(&Item{Content: content})
	}
	return content, err
}

// Notes returns the caller's notes of a kind ("": both), newest first; limit 0: all.
func (s *Store) Notes(ctx context.Context, kind string, limit int) ([]Note, error) {
	err := s.needAgent(ownNotes)
	if kind != "" {
		err = cmp.Or(oneOf("kind of note", noteKinds, kind), err)
	}
	if err != nil {
		return nil, err
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	all := []Note{}
	for _, tier := range ownTiers {
		if !s.Reaches(tier) {
			continue
		}
		if err := s.reading(ctx, tier, func(_ *file, tx *sqlite.Tx) error {
			found, err := notesWhere(tx, tier,
				`agent = ?1 AND (?2 = '' OR kind = ?2) AND forgotten IS NULL
				ORDER BY created DESC, n DESC`, s.opt.Agent, kind)
			all = append(all, found...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b Note) int { return b.Created.Compare(a.Created) })
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	for i := range all {
		all[i].setExpiry(now)
	}
	return all, nil
}

// NoteCounts is how many notes an agent has.
type NoteCounts struct {
	Core    int `json:"core"`    // for good
	Journal int `json:"journal"` // also those that are expired
}

// CountNotes counts the caller's notes, none for a person.
func (s *Store) CountNotes(ctx context.Context) (c NoteCounts, err error) {
	if s.opt.Agent == "" {
		return c, nil
	}
	all, err := s.Notes(ctx, "", 0)
	for i := range all {
		if all[i].Kind == Core {
			c.Core++
		}
	}
	c.Journal = len(all) - c.Core
	return c, err
}

func notesWhere(tx *sqlite.Tx, tier, where string, args ...any) ([]Note, error) {
	return sqlite.All(tx, func(n *Note) []any {
		return []any{&n.Tier, &n.ID, &n.Agent, &n.Kind, &n.Content, sqlite.Time(&n.Created)}
	}, `SELECT '`+tier+`', id, agent, kind, content, created FROM notes WHERE `+where, args...)
}

const (
	noteKept      = `forgotten IS NULL`
	noteForgotten = `forgotten IS NOT NULL`
)

func isNote(id string) bool { return strings.HasPrefix(id, "j") }

func (s *Store) restoreNote(ctx context.Context, id string) (n Note, err error) {
	f, _, err := s.findNote(ctx, id, noteForgotten)
	if err != nil {
		return n, err
	}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		n, err = f.markNote(tx, id, VerbRestored, noteForgotten)
		return err
	})
	return n, err
}

// findNote returns a note of the caller that satisfies the condition, and its file.
func (s *Store) findNote(ctx context.Context, id, condition string) (f *file, n Note, err error) {
	if err := checkID(id); err != nil {
		return nil, n, err
	}
	for _, tier := range ownTiers {
		if s.opt.Agent == "" || !s.Reaches(tier) {
			continue
		}
		var found []Note
		if err := s.reading(ctx, tier, func(in *file, tx *sqlite.Tx) (err error) {
			f = in
			found, err = notesWhere(tx, tier, `id = ? AND agent = ? AND `+condition, id, s.opt.Agent)
			return err
		}); err != nil {
			return nil, n, err
		}
		if len(found) > 0 {
			return f, found[0], nil
		}
	}
	return nil, n, notFound(id)
}

func (f *file) markNote(tx *sqlite.Tx, id, verb, condition string) (n Note, err error) {
	tier, to, why := Workspace, any(nil), ""
	if f.account {
		tier = Account
	}
	if verb == VerbForgotten {
		to, why = tx.Now.UnixMilli(), RuleAsked
	}
	if changed, err := tx.Changes(`UPDATE notes SET forgotten = ? WHERE id = ? AND agent = ? AND `+condition,
		to, id, f.s.opt.Agent); err != nil || changed == 0 {
		return n, cmp.Or(err, notFound(id))
	}
	found, err := notesWhere(tx, tier, `id = ?`, id)
	if err != nil {
		return n, err
	}
	return found[0], f.event(tx, Event{
		Verb: verb, Scope: tier, Subject: id, Why: why, agent: f.s.opt.Agent})
}

// item is a note as an item, which only its agent sees.
func (n *Note) item() Item {
	return Item{ID: n.ID, Tier: n.Tier, Agent: n.Agent, Content: n.Content, Curator: CuratorAgent,
		Source: n.Agent, Importance: 0.5, Lifetime: LongTerm, Tags: []string{n.Kind},
		Created: n.Created, Updated: n.Created, Accessed: n.Created, Revision: 1}
}

// updateNote changes the text of a note of the caller; a note has nothing else.
func (s *Store) updateNote(ctx context.Context, id string, opt UpdateOptions,
	fn func(*Item) error) (Stored, error) {
	out := Stored{Warnings: []string{}}
	f, n, err := s.findNote(ctx, id, noteKept)
	if err != nil {
		return out, err
	}
	now := n.item()
	if err := fn(&now); err != nil {
		return out, err
	}
	out.Item = now
	if n.Content, err = s.noteText(now.Content, opt.Force); err != nil {
		return out, err
	}
	return out, f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.Exec(`UPDATE notes SET content = ? WHERE id = ? AND agent = ? AND `+noteKept,
			n.Content, id, s.opt.Agent); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: VerbUpdated, Scope: n.Tier, Subject: id, agent: s.opt.Agent})
	})
}

// OwnNotes is the name of the slice that has the caller's journal and core memories.
const OwnNotes = "own"

// shareShown is the least share of a question's words with which a note is shown.
const shareShown = 0.3

// readNotes adds the caller's notes that have shareShown of the question's words, the best first.
func (s *Store) readNotes(ctx context.Context, q *Query, res *Result) error {
	notes, err := s.Notes(ctx, "", 0)
	share, own := words.ShareOf(q.Text), Slice{Tier: OwnNotes, Hits: []Hit{}}
	for i := range notes {
		if at := share(notes[i].Content); at >= shareShown {
			it := notes[i].item()
			h := Hit{Item: it, Score: at, Evidence: at, Weak: at < words.AnswerShare, said: it.statement(),
				Replaces: []string{}}
			h.Frame = h.frame(s.now())
			own.Hits = append(own.Hits, h)
		}
	}
	slices.SortStableFunc(own.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	if len(own.Hits) > 0 {
		res.Slices = append(res.Slices, own)
	}
	return err
}

// AgentContext returns a block with the caller's core memories and its journal of the
// last week, the oldest first; "" if there are none. Each is one line. If the budget of
// tokens (0: DefaultBudget) is too small, the newest are included, and leftOut counts
// the others. Agents' prompts contain the block: its format is a contract, to the byte.
func (s *Store) AgentContext(ctx context.Context, budget int) (
	block string, leftOut int, err error) {
	if budget, err = checkBudget(budget); err != nil {
		return "", 0, err
	}
	all, err := s.Notes(ctx, "", 0)
	if err != nil {
		return "", 0, err
	}
	section := func(heading string, say func(n *Note, most int) string, kept func(*Note) bool) *docSection {
		sec := &docSection{Heading: heading, Own: true}
		var of []*Note
		for i := range all {
			if n := &all[i]; kept(n) {
				of, sec.Lines = append(of, n), append(sec.Lines, say(n, MaxContent))
			}
		}
		sec.Shorten = func(i, most int) string { return say(of[i], most) }
		return sec
	}
	core := section("## Core Memories (permanent)", func(n *Note, most int) string {
		return "- " + inline(n.Content, most) + "\n"
	}, func(n *Note) bool { return n.Kind == Core })
	journal := section("## Recent Journal Entries", func(n *Note, most int) string {
		return "- [" + n.Created.Format(time.DateOnly) + "] " + inline(n.Content, most) + "\n"
	}, func(n *Note) bool { return n.Kind == Journal && !n.Expired })
	sections := []*docSection{core, journal}
	// Neither may take all the room: the journal has a third of it at first.
	left := budget
	for _, part := range []struct {
		sec  *docSection
		most int
	}{{journal, budget / 3}, {core, budget}, {journal, budget}} {
		before := part.sec.Kept
		fitSections([]*docSection{part.sec}, min(part.most, left))
		for _, line := range part.sec.Lines[before:part.sec.Kept] {
			left -= tokensOf(line)
		}
	}
	for _, sec := range sections {
		leftOut += len(sec.Lines) - sec.Kept
		if sec.Kept > 0 {
			kept := slices.Clone(sec.Lines[:sec.Kept])
			slices.Reverse(kept)
			block += "\n" + sec.Heading + "\n" + strings.Join(kept, "")
		}
	}
	if block == "" {
		return "", leftOut, nil
	}
	return "# Your Private Memory\n" + strings.TrimSuffix(block, "\n"), leftOut, nil
}

// Scratch is a working note of an agent in a conversation. It is found by its key only.
type Scratch struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Created time.Time       `json:"created"`
	Updated time.Time       `json:"updated"`
	Agent   string          `json:"agent"`  // its owner
	Shared  bool            `json:"shared"` // all participants of the conversation may read it
}

// Limits of a working note, in bytes, and of an agent's keys in a conversation.
const (
	MaxScratch     = 256 << 10
	MaxScratchKeys = 1000
)

func scratchValue(value json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	if !utf8.Valid(value) || json.Compact(&b, value) != nil {
		return nil, invalid("the value is not JSON", `write a text "in quotes"`)
	}
	if b.Len() > MaxScratch {
		return nil, invalid(fmt.Sprintf("the value has %d bytes; at most %d are allowed", b.Len(), MaxScratch),
			"keep it in a file and store the path")
	}
	return b.Bytes(), nil
}

// WriteScratch sets a working note of the caller, private or shared. The value is JSON.
func (s *Store) WriteScratch(ctx context.Context, ref, key string, value json.RawMessage,
	shared bool) (Scratch, error) {
	if err := checkName("working note", key); err != nil {
		return Scratch{}, err
	}
	value, err := scratchValue(value)
	if err != nil {
		return Scratch{}, err
	}
	if err := s.refuseSecrets("the key", key, "the value", textIn(value)); err != nil {
		return Scratch{}, err
	}
	if _, err := s.Conversation(ctx, ref); err != nil {
		return Scratch{}, err
	}
	out := Scratch{Agent: s.opt.Agent, Shared: shared, Key: key, Value: value}
	err = s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
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
			ref, s.opt.Agent, key, string(value), tx.Now.UnixMilli(), shared).Scan(
			sqlite.Time(&out.Created))
	})
	return out, err
}

// ReadScratch returns a working note of the caller, else the latest shared by another.
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

// ListScratch returns the caller's working notes by key, then shared ones.
func (s *Store) ListScratch(ctx context.Context, ref string) ([]Scratch, error) {
	return s.scratch(ctx, ref, "")
}

func (s *Store) scratch(ctx context.Context, ref, key string) ([]Scratch, error) {
	if err := checkRef(ref); err != nil {
		return nil, err
	}
	all := []Scratch{}
	err := s.inConversations(ctx, ref, func(f *file, tx *sqlite.Tx) error {
		_, err := s.ownConversation(tx, ref)
		if err != nil {
			return err
		}
		var r scratchRecord
		return eachRecord(tx, r.columns(), `scratch WHERE conversation = ?1
			AND (agent = ?2 OR shared) AND (?3 = '' OR key = ?3)
			ORDER BY agent <> ?2, key, updated DESC`, func() error {
			all = append(all, r.Scratch)
			return nil
		}, ref, s.opt.Agent, key)
	})
	return all, err
}

// ClearScratch deletes the caller's working notes, or one, and returns how many.
func (s *Store) ClearScratch(ctx context.Context, ref, key string) (int, error) {
	if _, err := s.Conversation(ctx, ref); err != nil {
		return 0, err
	}
	var n int64
	err := s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) (err error) {
		if n, err = tx.Changes(`DELETE FROM scratch WHERE conversation = ?1 AND agent = ?2
			AND (?3 = '' OR key = ?3)`, ref, s.opt.Agent, key); err != nil || n == 0 {
			return err
		}
		return f.talkEvent(tx, VerbCleared, ref, key, s.opt.Agent)
	})
	return int(n), err
}
