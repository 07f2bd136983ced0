package memory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Modes of a scrub.
const (
	ScrubFull      = "full"       // everything that the scope holds
	ScrubKeepNamed = "keep_named" // all but the named entries
	ScrubAll       = "all"        // of a workspace: its other tiers too, and its file
)

// ScrubModes lists them.
var ScrubModes = []string{ScrubFull, ScrubKeepNamed, ScrubAll}

// SampleSize is how many ids a manifest names at most.
const SampleSize = 20

// ScrubQuery says what to remove for good.
type ScrubQuery struct {
	// Scope is a conversation or a channel: the items of its tier, no more. Or the
	// workspace or the account: its tier's items, the journals and core memories of all
	// agents that are kept with it, and by mode its named entries; in the mode ScrubAll,
	// of a workspace, everything that its file holds, and the file.
	Scope Scope
	// Mode is ScrubKeepNamed if it is "".
	Mode string
	// Purge, of a conversation, removes also the working notes of all agents, and the conversation itself.
	Purge bool
}

// Manifest says what a scrub would remove.
type Manifest struct {
	Scope Scope  `json:"scope"`
	Mode  string `json:"mode"`
	Purge bool   `json:"purge"`
	// Counts has all of: live, forgotten (items), private (those of them that are one agent's), named, journal, core, scratch, revisions, conversations.
	Counts map[string]int `json:"counts"`
	// Sample are ids of some of it, sorted.
	Sample []string `json:"sample"`
	// Hash stands for exactly this: every item with its revision, and so on. It is what confirms the scrub.
	Hash string    `json:"hash"`
	At   time.Time `json:"at"`
}

// Empty reports whether there is nothing to remove.
func (m *Manifest) Empty() bool {
	for _, n := range m.Counts {
		if n > 0 {
			return false
		}
	}
	return true
}

// Scrubbed is what a scrub has removed.
type Scrubbed struct {
	Manifest
	// Event is its entry in the log, which no scrub removes.
	Event Event `json:"event"`
	// Notes say what could not be done besides: what was removed may be in the file's bytes for a while.
	Notes []string `json:"notes"`
}

// mayScrub refuses what makes no sense, and who may not.
func (s *Store) mayScrub(q *ScrubQuery) error {
	if q.Mode == "" {
		q.Mode = ScrubKeepNamed
	}
	if !slices.Contains(ScrubModes, q.Mode) {
		return unknown("mode", q.Mode, ScrubModes)
	}
	if err := q.Scope.check(); err != nil {
		return err
	}
	if q.Purge && q.Scope.Tier != Conversation {
		return invalid("only a conversation is purged; a "+q.Scope.Tier+" is scrubbed", "leave the purge out, or name a conversation")
	}
	// What the scope's tier does not take would stand in the hash, and in the log.
	if q.Scope.Tier != Channel {
		q.Scope.Channel = ""
	}
	if q.Scope.Tier != Conversation {
		q.Scope.Conversation = ""
	}
	tiers := []string{q.Scope.Tier}
	if q.Mode == ScrubAll {
		if tiers = []string{Workspace, Channel, Conversation}; q.Scope.Tier != Workspace {
			return invalid("only a workspace is removed as a whole, not a "+q.Scope.Tier, "scrub it in another mode")
		}
	}
	for _, tier := range tiers {
		if err := s.allowed(tier); err != nil {
			return err
		}
	}
	grant := GrantScrubMode(q.Mode)
	if q.Mode != ScrubAll && !slices.Contains(s.opt.Grants, grant) {
		grant = GrantScrub
	}
	return s.granted(grant, "what is scrubbed is gone for good: that is not for every agent")
}

// part is a table of which a scrub takes rows. The same condition says what the manifest lists and what is removed.
type part struct {
	table, where string
	args         []any
	kind         string // SQL: as which the row is counted
	id, stamp    string // SQL: what it is, and in which state
	private      string // SQL: whether it is one agent's item
}

// parts lists what a scrub takes, in an order in which it can be removed.
func (q *ScrubQuery) parts() []part {
	where, args := `tier = ?`, []any{q.Scope.Tier}
	switch {
	case q.Mode == ScrubAll:
		where, args = `1`, nil
	case q.Scope.Tier == Channel:
		where, args = where+` AND channel = ?`, append(args, q.Scope.Channel)
	case q.Scope.Tier == Conversation:
		where, args = where+` AND conversation = ?`, append(args, q.Scope.Conversation)
	}
	revision := part{table: "revisions", kind: `'revisions'`, id: `subject`, stamp: `revision || ' ' || at`, private: `0`}
	ofItems, ofNamed := revision, revision
	ofItems.where, ofItems.args = `subject IN (SELECT id FROM items WHERE `+where+`)`, args
	ofNamed.where = `substr(subject, 1, 6) = 'named:'`
	all := []part{ofItems, {table: "items", where: where, args: args, kind: `CASE WHEN forgotten IS NOT NULL THEN 'forgotten' WHEN archived IS NOT NULL THEN 'archived' ELSE 'live' END`,
		id: `id`, stamp: `revision || ' ' || coalesce(forgotten, '') || ' ' || coalesce(archived, '')`, private: `agent <> ''`}}
	if q.Scope.Tier == Workspace || q.Scope.Tier == Account {
		all = append(all, part{table: "notes", where: `1`, kind: `kind`, id: `id`, stamp: `coalesce(forgotten, '')`, private: `0`})
		if q.Mode != ScrubKeepNamed {
			all = append(all, ofNamed, part{table: "named", where: `1`, kind: `'named'`, id: `'named:' || name`, stamp: `revision || ' ' || updated`, private: `0`})
		}
	}
	notes := part{table: "scratch", where: `1`, kind: `'scratch'`, id: `conversation || '/' || agent || '/' || key`, stamp: `updated`, private: `0`}
	talks := part{table: "conversations", where: `1`, kind: `'conversations'`, id: `ref`, stamp: `status || ' ' || channel`, private: `0`}
	switch {
	case q.Purge:
		ref := []any{q.Scope.Conversation}
		notes.where, notes.args, talks.where, talks.args = `conversation = ?`, ref, `ref = ?`, ref
		all = append(all, notes, talks)
	case q.Mode == ScrubAll:
		all = append(all, notes, talks, part{table: "channels", where: `is_default = 0`, kind: `'channels'`, id: `name`, stamp: `description`, private: `0`})
	}
	return all
}

// ScrubManifest tells what a scrub would remove, and removes nothing. Its hash is what Scrub takes.
func (s *Store) ScrubManifest(ctx context.Context, q ScrubQuery) (Manifest, error) {
	if err := s.mayScrub(&q); err != nil {
		return Manifest{}, err
	}
	f, err := s.file(ctx, q.Scope.Tier, false)
	if errors.Is(err, errNoFile) {
		if err := q.missing(); err != nil {
			return Manifest{}, err
		}
		return s.emptyManifest(q), nil
	}
	if err != nil {
		return Manifest{}, err
	}
	f.finishWipe(ctx)
	var m Manifest
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
		m, err = f.manifest(tx, q)
		return err
	})
	return m, err
}

// missing is the error for a scope that is not there; the workspace, the account and the default channel always are.
func (q *ScrubQuery) missing() error {
	switch {
	case q.Scope.Tier == Conversation:
		return noConversation(q.Scope.Conversation)
	case q.Scope.Tier == Channel && q.Scope.Channel != DefaultChannel:
		return fault.NotFound.New("there is no channel "+q.Scope.Channel, "", channels)
	}
	return nil
}

// emptyManifest is that of a file that nobody has written to yet.
func (s *Store) emptyManifest(q ScrubQuery) Manifest {
	m := Manifest{Scope: q.Scope, Mode: q.Mode, Purge: q.Purge, Counts: map[string]int{}, Sample: []string{}, At: s.now().UTC().Truncate(time.Millisecond)}
	for _, kind := range scrubKinds {
		m.Counts[kind] = 0
	}
	digest := sha256.Sum256(nil)
	m.Hash = scrubHash(digest[:], m.Counts)
	return m
}

// manifest lists what a scrub would remove at the moment of a transaction.
func (f *file) manifest(tx *sqlite.Tx, q ScrubQuery) (Manifest, error) {
	m := f.s.emptyManifest(q)
	m.At = tx.Now
	done, err := f.scrubs(tx)
	if err != nil {
		return m, err
	}
	// Scrubs of this scope so far are part of the hash: what was executed never comes again, even if an import brings the same ids back.
	before := 0
	for _, d := range done {
		if d.Scope == q.Scope {
			before++
		}
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %t %t %q %d\n", q.Scope, q.Mode, q.Purge, f.account, f.s.opt.Workspace, before)
	var ids []string
	for _, p := range q.parts() {
		var kind, id, stamp string
		var private bool
		if err := tx.Each([]any{&kind, &id, &stamp, &private}, func() error {
			m.Counts[kind]++
			if private {
				m.Counts["private"]++
			}
			fmt.Fprintf(digest, "%s %q %q\n", kind, id, stamp)
			if p.table == "items" || p.table == "notes" || p.table == "named" {
				ids = append(ids, id)
			}
			return nil
		}, `SELECT `+p.kind+`, `+p.id+`, `+p.stamp+`, `+p.private+` FROM `+p.table+` WHERE `+p.where+` ORDER BY 2, 3`, p.args...); err != nil {
			return m, err
		}
	}
	slices.Sort(ids)
	m.Sample = append(m.Sample, spread(ids, SampleSize)...)
	m.Hash = scrubHash(digest.Sum(nil), m.Counts)
	if !m.Empty() {
		return m, nil
	}
	switch q.Scope.Tier {
	case Conversation:
		_, err = conversation(tx, q.Scope.Conversation)
	case Channel:
		err = f.checkChannel(tx, q.Scope.Channel)
	}
	return m, err
}

// scrubs returns the manifests that were executed in a file, the oldest first, with the times of their execution.
func (f *file) scrubs(tx *sqlite.Tx) ([]Manifest, error) {
	none := ""
	return sqlite.All(tx, func(m *Manifest) []any {
		return []any{sqlite.JSON(m, "an entry of a scrub in its log that%s", &none), sqlite.Time(&m.At)}
	}, `SELECT data, at FROM events WHERE verb IN (?, ?) ORDER BY n`, VerbScrubbed, VerbPurged)
}

// Scrub removes for good what a manifest says, if that is still exactly what there is: items with their revisions and whatever the search index knows of them. confirm is the manifest's hash.
// It is one transaction, with its entry in the log. There is no way back but an export that was made before.
func (s *Store) Scrub(ctx context.Context, q ScrubQuery, confirm string) (Scrubbed, error) {
	out := Scrubbed{Notes: []string{}}
	if err := s.mayScrub(&q); err != nil {
		return out, err
	}
	confirm = strings.TrimSpace(confirm)
	was, err := parseScrubHash(confirm)
	if err != nil {
		return out, err
	}
	if q.Mode == ScrubAll {
		return s.removeWorkspace(ctx, q, confirm, was)
	}
	f, err := s.file(ctx, q.Scope.Tier, false)
	if errors.Is(err, errNoFile) {
		if err = q.missing(); err == nil {
			err = nothingToScrub(q)
		}
	}
	if err != nil {
		return out, err
	}
	f.finishWipe(ctx)
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if out.Manifest, err = f.confirmed(tx, q, confirm, was); err != nil {
			return err
		}
		if out.Empty() {
			return nothingToScrub(q)
		}
		return f.scrub(tx, q, &out)
	})
	if err != nil {
		return Scrubbed{Notes: []string{}}, err
	}
	return out, nil
}

// confirmed returns the manifest of a scrub, if it is what was confirmed, or there is
// nothing to remove.
func (f *file) confirmed(tx *sqlite.Tx, q ScrubQuery, confirm string, was map[string]int) (Manifest, error) {
	done, err := f.scrubs(tx)
	if err != nil {
		return Manifest{}, err
	}
	for _, d := range done {
		if d.Hash == confirm {
			return Manifest{}, executed(d.At)
		}
	}
	m, err := f.manifest(tx, q)
	if err == nil && !m.Empty() && m.Hash != confirm {
		err = conflict("what would be removed is no longer what was confirmed: "+scrubDifference(was, m.Counts), "run the scrub dry again, look at it, and confirm its hash")
	}
	return m, err
}

func executed(at time.Time) error {
	return conflict("this manifest was executed already at "+at.Format(time.RFC3339), "a dry run of the scrub shows what there is now")
}

func nothingToScrub(q ScrubQuery) error {
	return conflict("there is nothing to remove in "+q.Scope.String(), "nothing needs to be done")
}

// scrub removes what the manifest in out lists. It is called in the transaction that has made the manifest.
func (f *file) scrub(tx *sqlite.Tx, q ScrubQuery, out *Scrubbed) error {
	if err := securely(tx, func() error { return f.scrubRows(tx, q, out) }); err != nil {
		return err
	}
	logged := out.Manifest
	logged.Sample = []string{} // others read the log, and some of the ids are of private things
	data, err := json.Marshal(logged)
	if err != nil {
		return err
	}
	e := Event{At: tx.Now, Actor: f.s.opt.Actor, Verb: VerbScrubbed, Scope: q.Scope.String(), Subject: q.Scope.Tier, Data: data}
	switch {
	case q.Purge:
		e.Verb, e.Subject = VerbPurged, q.Scope.Conversation
	case q.Scope.Tier == Conversation:
		e.Subject = q.Scope.Conversation
	case q.Scope.Tier == Channel:
		e.Subject = q.Scope.Channel
	}
	if err := f.event(tx, e); err != nil {
		return err
	}
	out.Event = e
	return f.wipeAfter(tx, &out.Notes)
}

// securely has what fn removes overwritten with zeros. What was freed before, by changes,
// is not touched by that: see wipe.
func securely(tx *sqlite.Tx, fn func() error) error {
	if _, err := tx.Exec(`PRAGMA secure_delete = ON`); err != nil {
		return err
	}
	defer tx.Exec(`PRAGMA secure_delete = OFF`) // the connection is used again
	return fn()
}

// scrubRows removes the rows, and makes the search index anew.
func (f *file) scrubRows(tx *sqlite.Tx, q ScrubQuery, out *Scrubbed) error {
	for _, p := range q.parts() {
		if _, err := tx.Exec(`DELETE FROM `+p.table+` WHERE `+p.where, p.args...); err != nil {
			return err
		}
	}
	if q.Mode == ScrubAll {
		for _, stmt := range []string{`DELETE FROM consolidated`, `DELETE FROM meta WHERE key LIKE 'consolidated %'`, `UPDATE channels SET description = ''`} {
			if _, err := tx.Exec(stmt); err != nil {
				return err
			}
		}
	}
	if q.Purge { // how far consolidation has come with it
		for _, stmt := range []string{`DELETE FROM consolidated WHERE scope = ?`, `DELETE FROM meta WHERE key = 'consolidated ' || ?`} {
			if _, err := tx.Exec(stmt, q.Scope.String()); err != nil {
				return err
			}
		}
	}
	if out.Counts["live"]+out.Counts["forgotten"] == 0 {
		return nil
	}
	// Segments keep the words of documents that were deleted, now or before.
	return f.ReindexIn(tx)
}
