package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// ImportOptions say what an import takes.
type ImportOptions struct {
	// Tiers are those to import; nil: all that are in the document. What is in others is left out.
	Tiers []string
	// DryRun tells what would be done, and does nothing.
	DryRun bool
	// Force takes what looks like a secret.
	Force bool
}

// ImportCounts say what became of the records of a list.
type ImportCounts struct {
	Stored int `json:"stored"`
	// Unchanged are here already.
	Unchanged int `json:"unchanged"`
	// Kept are here already and say something else, which is kept.
	Kept    int `json:"kept"`
	Refused int `json:"refused"`
}

// Imported is what an import has done, or would do.
type Imported struct {
	DryRun    bool                    `json:"dry_run"`
	Workspace string                  `json:"workspace"` // that the document is of
	Exported  time.Time               `json:"exported_at"`
	Counts    map[string]ImportCounts `json:"counts"` // by list: channels, conversations, items, named, notes, scratch, revisions
	Refused   []ImportRefused         `json:"refused"`
	Notes     []string                `json:"notes"`
}

// Import reads what Export has written. Everything comes as it was: ids, times, access counts, who noted it, what was forgotten. What is here already stays as it is, so importing twice is
// importing once. A record that is wrong, or not the caller's to bring, is refused and the others are taken; nothing is written of a document that is wrong as a whole.
//
// Each file is written in one transaction: what is in a workspace's tiers first, then the account's.
func (s *Store) Import(ctx context.Context, r io.Reader, opt ImportOptions) (Imported, error) {
	out := Imported{DryRun: opt.DryRun, Counts: map[string]ImportCounts{}, Refused: []ImportRefused{}, Notes: []string{}}
	for _, name := range exportLists {
		out.Counts[name] = ImportCounts{}
	}
	for _, t := range opt.Tiers {
		if err := s.allowed(t); err != nil {
			return out, err
		}
	}
	doc, err := readDocument(ctx, r, maxImport)
	if err != nil {
		return out, err
	}
	out.Workspace, out.Exported = doc.workspace, doc.at
	im := &importer{s: s, opt: opt, now: s.now().UTC(), doc: doc, left: map[string]int{}}
	im.files = [2]importFile{{account: false}, {account: true}}
	out.merge(doc.refused, doc.remarks)
	if err := im.check(ctx, &out); err != nil {
		return out, err
	}
	for i := range im.files {
		if err := im.file(ctx, &im.files[i], &out); err != nil {
			return out, err
		}
	}
	slices.SortFunc(out.Refused, compareRefused)
	im.remark(&out)
	return out, nil
}

func (out *Imported) merge(refused []ImportRefused, notes []string) {
	for _, r := range refused {
		c := out.Counts[r.list]
		c.Refused++
		out.Counts[r.list] = c
	}
	out.Refused = append(out.Refused, refused...)
	out.Notes = append(out.Notes, notes...)
}

// importer takes a document apart: each record is checked by itself first, then against the file that it goes into.
type importer struct {
	s     *Store
	opt   ImportOptions
	now   time.Time
	doc   *exportDocument
	files [2]importFile
	left  map[string]int // by tier: records that were left out
	bare  int            // items that were stored without an embedding
}

// importFile has what goes into one file and is sound by itself.
type importFile struct {
	account       bool
	channels      []incoming[channelRecord]
	conversations []incoming[conversationRecord]
	items         []incoming[Item]
	named         []incoming[namedRecord]
	notes         []incoming[noteRecord]
	scratch       []incoming[scratchRecord]
	revisions     []incoming[revisionRecord]
}

func (f *importFile) empty() bool {
	return len(f.channels)+len(f.conversations)+len(f.items)+len(f.named)+len(f.notes)+len(f.scratch)+len(f.revisions) == 0
}

// wants reports whether a tier is to be imported, and counts the record if not.
func (im *importer) wants(tier string) bool {
	if im.opt.Tiers == nil || slices.Contains(im.opt.Tiers, tier) {
		return true
	}
	im.left[tier]++
	return false
}

func (im *importer) in(tier string) *importFile {
	if tier == Account {
		return &im.files[1]
	}
	return &im.files[0]
}

// sift checks the records of a list and gives the sound ones to keep. Two that are about the same thing are one too many: key names it.
func sift[T any](out *Imported, list string, all []incoming[T], check func(*T) (wanted bool, err error), key func(*T) string, keep func(incoming[T])) {
	first := map[string]int{}
	for i := range all {
		r := &all[i]
		wanted, err := check(&r.rec)
		if err == nil && !wanted {
			continue
		}
		if err == nil {
			if at, twice := first[key(&r.rec)]; twice {
				err = errors.New("it is there already, as " + place(list, at))
			}
		}
		if err != nil {
			out.merge([]ImportRefused{refusedAt(list, r.at, reason(err))}, nil)
			continue
		}
		first[key(&r.rec)] = r.at
		keep(*r)
	}
}

// reason is what an error says, with the next step.
func reason(err error) string {
	if try := fault.Try(err, nil); try != "" {
		return err.Error() + "; " + try
	}
	return err.Error()
}

// check looks at every record by itself.
func (im *importer) check(ctx context.Context, out *Imported) error {
	workspace := &im.files[0]
	needed := map[string]bool{} // channels that conversations are in
	sift(out, listConversations, im.doc.conversations, func(r *conversationRecord) (bool, error) {
		if !im.wants(Conversation) {
			return false, nil
		}
		err := im.checkConversation(r)
		needed[r.Channel] = true
		return true, err
	}, func(r *conversationRecord) string { return r.Ref }, func(r incoming[conversationRecord]) { workspace.conversations = append(workspace.conversations, r) })
	sift(out, listChannels, im.doc.channels, func(r *channelRecord) (bool, error) {
		if !needed[r.Name] && !im.wants(Channel) {
			return false, nil
		}
		return true, im.checkChannel(r)
	}, func(r *channelRecord) string { return r.Name }, func(r incoming[channelRecord]) { workspace.channels = append(workspace.channels, r) })
	items := make([]incoming[Item], 0, len(im.doc.items))
	left := map[string]bool{}
	for _, r := range im.doc.items {
		items = append(items, incoming[Item]{r.at, r.rec.item()})
	}
	sift(out, listItems, items, func(it *Item) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if slices.Contains(Tiers, it.Tier) && !im.wants(it.Tier) {
			left[it.ID] = true
			return false, nil
		}
		record := recordOf(it)
		sound, err := im.checkItem(&record)
		*it = sound
		return true, err
	}, func(it *Item) string { return it.ID }, func(it incoming[Item]) { f := im.in(it.rec.Tier); f.items = append(f.items, it) })
	if err := ctx.Err(); err != nil {
		return err
	}
	im.doc.items = nil // each is held once
	sift(out, listNamed, im.doc.named, func(r *namedRecord) (bool, error) {
		if checkNamedTier(r.Tier) == nil && !im.wants(r.Tier) {
			return false, nil
		}
		return true, im.checkNamed(r)
	}, func(r *namedRecord) string { return r.Tier + " " + namedSubject(r.Name) }, func(r incoming[namedRecord]) { f := im.in(r.rec.Tier); f.named = append(f.named, r) })
	sift(out, listNotes, im.doc.notes, func(r *noteRecord) (bool, error) {
		if checkNamedTier(r.Tier) == nil && !im.wants(r.Tier) {
			return false, nil
		}
		return true, im.checkNote(r)
	}, func(r *noteRecord) string { return r.ID }, func(r incoming[noteRecord]) { f := im.in(r.rec.Tier); f.notes = append(f.notes, r) })
	sift(out, listScratch, im.doc.scratch, func(r *scratchRecord) (bool, error) {
		if !im.wants(Conversation) {
			return false, nil
		}
		return true, im.checkScratch(r)
	}, func(r *scratchRecord) string { return r.Conversation + " " + r.Key + " " + r.Agent }, func(r incoming[scratchRecord]) { workspace.scratch = append(workspace.scratch, r) })
	sift(out, listRevisions, im.doc.revisions, func(r *revisionRecord) (bool, error) {
		if strings.HasPrefix(r.Subject, "named:") {
			if checkNamedTier(r.Tier) == nil && !im.wants(r.Tier) {
				return false, nil
			}
		} else if left[r.Subject] { // it goes with its item
			return false, nil
		}
		return true, im.checkRevision(r)
	}, func(r *revisionRecord) string { return fmt.Sprintf("%s %d %s", r.Tier, r.Revision, r.Subject) }, func(r incoming[revisionRecord]) { f := im.in(r.rec.Tier); f.revisions = append(f.revisions, r) })
	return ctx.Err()
}

// file does one file.
func (im *importer) file(ctx context.Context, in *importFile, out *Imported) error {
	if in.empty() {
		return nil
	}
	elsewhere, err := im.elsewhere(ctx, in)
	if err != nil {
		return err
	}
	var p *importPlan
	plan := func(f *file, tx *sqlite.Tx) (err error) {
		p = &importPlan{im: im, f: f, in: in, elsewhere: elsewhere, counts: map[string]ImportCounts{}}
		return p.make(tx)
	}
	f, err := im.s.open(ctx, in.account, !im.opt.DryRun)
	switch {
	case errors.Is(err, errNoFile):
		err = plan(nil, nil)
	case err != nil:
	case im.opt.DryRun:
		err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return plan(f, tx) })
	default:
		err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			if err := plan(f, tx); err != nil {
				return err
			}
			return p.store(tx)
		})
	}
	if err != nil {
		return err
	}
	for list, n := range p.counts {
		c := out.Counts[list]
		c.Stored, c.Unchanged, c.Kept = c.Stored+n.Stored, c.Unchanged+n.Unchanged, c.Kept+n.Kept
		out.Counts[list] = c
	}
	out.merge(p.refused, p.notes)
	for i := range p.items {
		if p.items[i].Forgotten == nil {
			im.bare++
		}
	}
	return nil
}

// elsewhere returns those of a file's ids that are in the other file already: an id is one thing, wherever it is.
func (im *importer) elsewhere(ctx context.Context, in *importFile) (map[string]Item, error) {
	all := map[string]Item{}
	if len(in.items) == 0 || !im.s.reachesFile(!in.account) {
		return all, nil
	}
	f, err := im.s.open(ctx, !in.account, false)
	if errors.Is(err, errNoFile) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		all, err = itemsByID(tx, in.items)
		return err
	})
	return all, err
}

// itemsByID returns those items that a file has of a document.
func itemsByID(tx *sqlite.Tx, items []incoming[Item]) (map[string]Item, error) {
	all := map[string]Item{}
	for some := range slices.Chunk(items, 1000) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].rec.ID
		}
		found, err := itemsWhere(tx, `id IN (SELECT value FROM json_each(?))`, sqlite.List(ids))
		if err != nil {
			return nil, err
		}
		for _, it := range found {
			all[it.ID] = it
		}
	}
	return all, nil
}

// remark says what is to be said of the whole.
func (im *importer) remark(out *Imported) {
	if out.Workspace != "" && im.s.opt.Workspace != "" && out.Workspace != im.s.opt.Workspace && !im.files[0].empty() {
		out.Notes = append(out.Notes, fmt.Sprintf("the document is of the workspace %q, and was brought into %q", clip(out.Workspace, 300), clip(im.s.opt.Workspace, 300)))
	}
	for _, t := range Tiers {
		if n := im.left[t]; n > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%d records of the %s tier were left out", n, t))
		}
	}
	if im.bare > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d items have no embedding yet and are found by their words: reembedding gives them one", im.bare))
	}
	if im.opt.DryRun {
		out.Notes = append(out.Notes, "nothing was written: this was a dry run")
	}
}
