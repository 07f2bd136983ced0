package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Modes of a scrub.
const (
	ScrubFull      = "full"       // everything in the scope
	ScrubKeepNamed = "keep_named" // all but the named entries
	ScrubAll       = "all"        // of a workspace: all its tiers and its file
)

var ScrubModes = []string{ScrubFull, ScrubKeepNamed, ScrubAll}

const SampleSize = 20

// ScrubQuery says what to delete for good.
type ScrubQuery struct {
	// Scope is a conversation or a channel: the items of its tier. Or it is the
	// workspace or the account: the items of its tier, the journals and core memories
	// that all agents keep there, and, depending on the mode, its named entries. With
	// ScrubAll on a workspace, it is the whole file.
	Scope Scope
	// default: ScrubKeepNamed
	Mode string
	// Purge deletes a conversation itself too, and the working notes of all agents in it.
	Purge bool
	// Of limits the scrub of a workspace or the account to what is one agent's: its private
	// items, journal and core memories, and in a workspace its working notes. "": all.
	Of string
}

// Manifest lists what a scrub would delete.
type Manifest struct {
	Scope Scope  `json:"scope"`
	Mode  string `json:"mode"`  // full, keep_named or all
	Purge bool   `json:"purge"` // whether the conversation is deleted too
	// Counts has all of: live, forgotten (items), private (those of them that are
	// private), named, journal, core, scratch, revisions, conversations.
	Counts map[string]int `json:"counts"`
	// Sample has some of the ids, sorted.
	Sample []string `json:"sample"`
	// Hash identifies exactly this content: every item with its revision, and so on. It
	// confirms the scrub.
	Hash string    `json:"hash"`
	At   time.Time `json:"at"`
	Of   string    `json:"of"` // the agent whose own it is; "": all
}

func (m *Manifest) Empty() bool {
	for _, n := range m.Counts {
		if n > 0 {
			return false
		}
	}
	return true
}

type Scrubbed struct {
	Manifest
	Event Event `json:"event"`
	// Notes say what could not be done: deleted content may stay in the file's bytes for a while.
	Notes []string `json:"notes"`
}

func (s *Store) mayScrub(q *ScrubQuery) error {
	q.Mode = cmp.Or(q.Mode, ScrubKeepNamed)
	if !slices.Contains(ScrubModes, q.Mode) {
		return unknown("mode", q.Mode, ScrubModes)
	}
	if err := q.Scope.check(); err != nil {
		return err
	}
	if q.Purge && q.Scope.Tier != Conversation {
		return invalid("only a conversation can be purged; a "+q.Scope.Tier+" is scrubbed",
			"leave out the purge, or name a conversation")
	}
	if q.Of != "" && (q.Mode != ScrubKeepNamed || q.Scope.Tier != Workspace && q.Scope.Tier != Account) {
		return invalid("what is one agent's is scrubbed in the workspace or the account alone, and "+
			"named entries are the author's", "name workspace or account, and no mode")
	}
	q.Scope = q.Scope.plain()
	tiers := []string{q.Scope.Tier}
	if q.Mode == ScrubAll {
		if tiers = []string{Workspace, Channel, Conversation}; q.Scope.Tier != Workspace {
			return invalid("only a workspace can be removed as a whole, not a "+q.Scope.Tier,
				"use another mode")
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
	return s.requireGrant(grant, "a scrub deletes for good and needs a grant")
}

// part is a table from which a scrub deletes rows, as its manifest says.
type part struct {
	table, where string
	args         []any
	kind         string // SQL: the kind to count a row as
	id, stamp    string // SQL: its id and its state
}

// parts lists what a scrub deletes, in an order that respects references.
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
	own, ofAgent := `1`, []any(nil)
	if q.Of != "" {
		own, ofAgent = `agent = ?`, []any{q.Of}
		where, args = where+` AND `+own, append(args, q.Of)
	}
	const ofRevision = `revision || ' ' || at`
	all := []part{
		{"revisions", `subject IN (SELECT id FROM items WHERE ` + where + `)`, args, `'revisions'`, `subject`, ofRevision},
		{"items", where, args,
			`CASE WHEN forgotten IS NOT NULL THEN 'forgotten' WHEN archived IS NOT NULL THEN 'archived' ELSE 'live' END`,
			`id`, `revision || ' ' || coalesce(forgotten, '') || ' ' || coalesce(archived, '')`}}
	if q.Scope.Tier == Workspace || q.Scope.Tier == Account {
		all = append(all, part{"notes", own, ofAgent, `kind`, `id`, `coalesce(forgotten, '')`})
		if q.Mode != ScrubKeepNamed {
			all = append(all,
				part{"revisions", `substr(subject, 1, 6) = 'named:'`, nil, `'revisions'`, `subject`, ofRevision},
				part{"named", `1`, nil, `'named'`, `'named:' || name`, `revision || ' ' || updated`})
		}
	}
	notes := part{"scratch", own, ofAgent, `'scratch'`, `conversation || '/' || agent || '/' || key`, `updated`}
	talks := part{"conversations", `1`, nil, `'conversations'`, `ref`, `status || ' ' || channel`}
	switch {
	case q.Purge:
		ref := []any{q.Scope.Conversation}
		notes.where, notes.args, talks.where, talks.args = `conversation = ?`, ref, `ref = ?`, ref
		all = append(all, notes, talks)
	case q.Of != "":
		all = append(all, notes)
	case q.Mode == ScrubAll:
		all = append(all, notes, talks,
			part{"channels", `is_default = 0`, nil, `'channels'`, `name`, `description`})
	}
	return all
}

// ScrubManifest returns what a scrub would delete, and deletes nothing. Scrub takes its hash.
func (s *Store) ScrubManifest(ctx context.Context, q ScrubQuery) (Manifest, error) {
	if err := s.mayScrub(&q); err != nil {
		return Manifest{}, err
	}
	m := s.emptyManifest(q)
	f, err := s.scrubFile(ctx, &q)
	if f == nil || err != nil {
		return m, err
	}
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
		m, err = f.manifest(tx, q)
		return err
	})
	return m, err
}

// scrubFile returns a scrub's file, nil if there is none, after a wipe that is still due.
func (s *Store) scrubFile(ctx context.Context, q *ScrubQuery) (*file, error) {
	f, err := s.file(ctx, q.Scope.Tier, false)
	if errors.Is(err, errNoFile) {
		return nil, q.missing()
	}
	if err == nil {
		f.FinishWipe(ctx)
	}
	return f, err
}

// missing is the error for an unknown scope, unless that always exists.
func (q *ScrubQuery) missing() error {
	switch {
	case q.Scope.Tier == Conversation:
		return noConversation(q.Scope.Conversation)
	case q.Scope.Tier == Channel && q.Scope.Channel != DefaultChannel:
		return fault.NotFound.New("channel "+q.Scope.Channel, "", showChannels)
	}
	return nil
}

// scrubKinds are what a manifest counts; private items are counted twice.
var scrubKinds = []string{
	"live", "forgotten", "private", "named", "journal", "core", "scratch", "revisions",
	"conversations", "archived"}

const scrubDigits = 32

func scrubHash(content hash.Hash) string {
	return hex.EncodeToString(content.Sum(nil))[:scrubDigits]
}

func checkScrubHash(hash string) error {
	switch {
	case hash == "":
		return invalid("the hash of a dry run is missing; it confirms what to delete", "",
			showScrub)
	case len(hash) != scrubDigits || strings.Trim(hash, "0123456789abcdef") != "":
		return invalid(fmt.Sprintf("%q is not the hash of a manifest, which has %d hex digits",
			clip(hash, 60), scrubDigits), "", showScrub)
	}
	return nil
}

func (s *Store) emptyManifest(q ScrubQuery) Manifest {
	m := Manifest{Scope: q.Scope, Mode: q.Mode, Purge: q.Purge, Of: q.Of, Counts: map[string]int{},
		Sample: []string{}, At: s.now().UTC().Truncate(time.Millisecond)}
	for _, kind := range scrubKinds {
		m.Counts[kind] = 0
	}
	m.Hash = scrubHash(sha256.New())
	return m
}

func (f *file) manifest(tx *sqlite.Tx, q ScrubQuery) (Manifest, error) {
	m := f.s.emptyManifest(q)
	m.At = tx.Now
	done, err := f.scrubs(tx)
	if err != nil {
		return m, err
	}
	// With earlier scrubs in it, a hash is never valid again, even after an import.
	before := 0
	for _, d := range done {
		if d.Scope == q.Scope {
			before++
		}
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %t %t %q %d\n", q.Scope, q.Mode, q.Purge, f.account,
		f.s.opt.Workspace, before)
	if q.Of != "" {
		fmt.Fprintf(digest, "of %q\n", q.Of)
	}
	var ids []string
	for _, p := range q.parts() {
		var kind, id, stamp string
		var private bool
		isPrivate := `0`
		if p.table == "items" {
			isPrivate = `agent <> ''`
		}
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
		}, `SELECT `+p.kind+`, `+p.id+`, `+p.stamp+`, `+isPrivate+` FROM `+p.table+` WHERE `+
			p.where+` ORDER BY 2, 3`, p.args...); err != nil {
			return m, err
		}
	}
	slices.Sort(ids)
	m.Sample = append(m.Sample, ids[:min(len(ids), SampleSize)]...)
	m.Hash = scrubHash(digest)
	if !m.Empty() {
		return m, nil
	}
	switch q.Scope.Tier {
	case Conversation:
		_, err = readConversation(tx, q.Scope.Conversation)
	case Channel:
		err = f.checkChannel(tx, q.Scope.Channel)
	}
	return m, err
}

// scrubs returns the manifests that were executed in a file, the oldest first, with their times.
func (f *file) scrubs(tx *sqlite.Tx) ([]Manifest, error) {
	none := ""
	return sqlite.All(tx, func(m *Manifest) []any {
		return []any{sqlite.JSON(m, "an entry of a scrub in its log that%s", &none),
			sqlite.Time(&m.At)}
	}, `SELECT data, at FROM events WHERE verb IN (?, ?) ORDER BY n`, VerbScrubbed, VerbPurged)
}

// Scrub deletes what a manifest lists, if nothing has changed since: items with their revisions and
// everything in the search index about them. confirm is the manifest's hash. It is one transaction,
// with an event. It cannot be undone, except by importing an earlier export.
func (s *Store) Scrub(ctx context.Context, q ScrubQuery, confirm string) (Scrubbed, error) {
	out := Scrubbed{Notes: []string{}}
	if err := s.mayScrub(&q); err != nil {
		return out, err
	}
	confirm = strings.TrimSpace(confirm)
	if err := checkScrubHash(confirm); err != nil {
		return out, err
	}
	if q.Mode == ScrubAll {
		return s.removeWorkspace(ctx, q, confirm)
	}
	f, err := s.scrubFile(ctx, &q)
	if err == nil && f == nil {
		err = nothingToScrub(q)
	}
	if err != nil {
		return out, err
	}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if out.Manifest, err = f.confirmed(tx, q, confirm); err != nil {
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

// confirmed returns the manifest if confirm is its hash or it is empty.
func (f *file) confirmed(tx *sqlite.Tx, q ScrubQuery, confirm string) (Manifest, error) {
	done, err := f.scrubs(tx)
	if err != nil {
		return Manifest{}, err
	}
	for _, d := range done {
		if d.Hash == confirm {
			return Manifest{}, conflict("this manifest was already executed at "+
				d.At.Format(time.RFC3339), "a dry run of the scrub shows the current content")
		}
	}
	m, err := f.manifest(tx, q)
	if err == nil && !m.Empty() && m.Hash != confirm {
		err = conflict("the content has changed since the confirmed dry run, or the hash is of "+
			"another scope or mode", "repeat the dry run, review it, and confirm its hash")
	}
	return m, err
}

func nothingToScrub(q ScrubQuery) error {
	return conflict("nothing to delete in "+q.Scope.String(), "nothing to do")
}

// scrub deletes what the manifest in out lists, in the transaction that made the manifest.
func (f *file) scrub(tx *sqlite.Tx, q ScrubQuery, out *Scrubbed) error {
	if err := f.Wipe(tx, &out.Notes, func() error { return f.scrubRows(tx, q, out) }); err != nil {
		return err
	}
	verb := VerbScrubbed
	if q.Purge {
		verb = VerbPurged
	}
	return f.scrubEvent(tx, out, Event{Verb: verb, Scope: q.Scope.String(),
		Subject: cmp.Or(q.Scope.Conversation, q.Scope.Channel, q.Scope.Tier)})
}

func (f *file) scrubEvent(tx *sqlite.Tx, out *Scrubbed, e Event) (err error) {
	logged := out.Manifest
	logged.Sample = []string{} // others read the log, and some ids are private
	if e.Data, err = json.Marshal(logged); err != nil {
		return err
	}
	e.At, e.Actor = tx.Now, f.s.opt.Actor
	out.Event = e
	return f.event(tx, e)
}

func (f *file) scrubRows(tx *sqlite.Tx, q ScrubQuery, out *Scrubbed) error {
	for _, p := range q.parts() {
		if _, err := tx.Exec(`DELETE FROM `+p.table+` WHERE `+p.where, p.args...); err != nil {
			return err
		}
	}
	if q.Purge { // and its watermark
		if _, err := tx.Exec(`DELETE FROM consolidated WHERE scope = ?`,
			q.Scope.String()); err != nil {
			return err
		}
	}
	if out.Counts["live"]+out.Counts["archived"]+out.Counts["forgotten"] == 0 {
		return nil
	}
	return f.ReindexIn(tx)
}
