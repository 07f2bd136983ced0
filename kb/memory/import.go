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
	"blackboard/kb/memory/exchange"
)

// ImportOptions are the options of Import.
type ImportOptions struct {
	// Tiers to import; nil: all in the document. Others are left out.
	Tiers []string
	// DryRun reports what would be done and changes nothing.
	DryRun bool
	// Force stores what looks like a secret.
	Force bool
}

// ImportCounts counts the records of a list.
type ImportCounts struct {
	Stored int `json:"stored"` // records that were stored
	// Unchanged exist here already.
	Unchanged int `json:"unchanged"`
	// Kept exist here with other content, which was kept.
	Kept    int `json:"kept"`
	Refused int `json:"refused"` // records that were refused
}

// Imported is the result of Import.
type Imported struct {
	DryRun    bool      `json:"dry_run"`
	Workspace string    `json:"workspace"`   // workspace of the document
	Exported  time.Time `json:"exported_at"` // when it was exported
	// by list: channels, conversations, items, named, notes, scratch, revisions
	Counts  map[string]ImportCounts  `json:"counts"`
	Refused []exchange.ImportRefused `json:"refused"`
	Notes   []string                 `json:"notes"`
}

// Import reads what Export has written. Records keep their ids, times, access counts,
// sources and whether they were forgotten. What exists here is not changed, so an import
// can be repeated. An invalid record, or one that the caller may not store, is refused
// and the others are stored. If the document itself is invalid, nothing is stored.
//
// Each file is written in one transaction: the workspace's first, then the account's.
func (s *Store) Import(ctx context.Context, r io.Reader, opt ImportOptions) (Imported, error) {
	out := Imported{DryRun: opt.DryRun, Counts: map[string]ImportCounts{},
		Refused: []exchange.ImportRefused{}, Notes: []string{}}
	for _, name := range exchange.Lists {
		out.Counts[name] = ImportCounts{}
	}
	for _, t := range opt.Tiers {
		if err := s.allowed(t); err != nil {
			return out, err
		}
	}
	doc, err := exchange.Read(ctx, r, exchange.MaxBytes)
	if err != nil {
		return out, err
	}
	out.Workspace, out.Exported = doc.Workspace, doc.Exported
	im := &importer{s: s, opt: opt, now: s.now().UTC(), doc: doc, left: map[string]int{}}
	im.files = [2]importFile{{account: false}, {account: true}}
	out.merge(doc.Refused, doc.Remarks)
	if err := im.check(ctx, &out); err != nil {
		return out, err
	}
	for i := range im.files {
		if err := im.file(ctx, &im.files[i], &out); err != nil {
			return out, err
		}
	}
	slices.SortFunc(out.Refused, exchange.CompareRefused)
	im.remark(&out)
	return out, nil
}

func (out *Imported) merge(refused []exchange.ImportRefused, notes []string) {
	for _, r := range refused {
		c := out.Counts[r.List]
		c.Refused++
		out.Counts[r.List] = c
	}
	out.Refused = append(out.Refused, refused...)
	out.Notes = append(out.Notes, notes...)
}

// importer imports one document. It checks each record by itself first, and then against
// the file.
type importer struct {
	s     *Store
	opt   ImportOptions
	now   time.Time
	doc   *exchange.Document
	files [2]importFile
	left  map[string]int // by tier: records left out
	bare  int            // items stored without an embedding
}

// importFile has the valid records for one file.
type importFile struct {
	account       bool
	channels      []exchange.Incoming[exchange.Channel]
	conversations []exchange.Incoming[exchange.Conversation]
	items         []exchange.Incoming[Item]
	named         []exchange.Incoming[exchange.Named]
	notes         []exchange.Incoming[exchange.Note]
	scratch       []exchange.Incoming[exchange.Scratch]
	revisions     []exchange.Incoming[exchange.Revision]
}

func (f *importFile) empty() bool {
	return len(f.channels)+len(f.conversations)+len(f.items)+len(f.named)+len(f.notes)+len(
		f.scratch)+len(f.revisions) == 0
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

// checkRecords checks the records of a list and passes the valid ones to keep. key
// identifies a record; a second one with the same key is refused.
func checkRecords[T any](out *Imported, list string, all []exchange.Incoming[T],
	check func(*T) (wanted bool, err error), key func(*T) string, keep func(exchange.Incoming[T])) {
	first := map[string]int{}
	for i := range all {
		r := &all[i]
		wanted, err := check(&r.Record)
		if err == nil && !wanted {
			continue
		}
		if err == nil {
			if at, twice := first[key(&r.Record)]; twice {
				err = errors.New("duplicate of " + exchange.Place(list, at))
			}
		}
		if err != nil {
			out.merge([]exchange.ImportRefused{exchange.RefusedAt(list, r.At, reason(err))}, nil)
			continue
		}
		first[key(&r.Record)] = r.At
		keep(*r)
	}
}

// reason returns an error's message with the next step.
func reason(err error) string {
	if try := fault.Try(err, nil); try != "" {
		return err.Error() + "; " + try
	}
	return err.Error()
}

// check checks every record by itself.
func (im *importer) check(ctx context.Context, out *Imported) error {
	workspace := &im.files[0]
	needed := map[string]bool{} // channels of the conversations
	checkRecords(out, exchange.ListConversations, im.doc.Conversations,
		func(r *exchange.Conversation) (bool, error) {
			if !im.wants(Conversation) {
				return false, nil
			}
			err := im.checkConversation(r)
			needed[r.Channel] = true
			return true, err
		}, func(r *exchange.Conversation) string { return r.Ref },
		func(r exchange.Incoming[exchange.Conversation]) {
			workspace.conversations = append(workspace.conversations, r)
		})
	checkRecords(out, exchange.ListChannels, im.doc.Channels,
		func(r *exchange.Channel) (bool, error) {
			if !needed[r.Name] && !im.wants(Channel) {
				return false, nil
			}
			return true, im.checkChannel(r)
		}, func(r *exchange.Channel) string { return r.Name },
		func(r exchange.Incoming[exchange.Channel]) {
			workspace.channels = append(workspace.channels, r)
		})
	items := make([]exchange.Incoming[Item], 0, len(im.doc.Items))
	left := map[string]bool{}
	for _, r := range im.doc.Items {
		items = append(items, exchange.Incoming[Item]{At: r.At, Record: itemOf(&r.Record)})
	}
	checkRecords(out, exchange.ListItems, items, func(it *Item) (bool, error) {
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
	}, func(it *Item) string { return it.ID },
		func(it exchange.Incoming[Item]) { f := im.in(it.Record.Tier); f.items = append(f.items, it) })
	if err := ctx.Err(); err != nil {
		return err
	}
	im.doc.Items = nil // free the memory
	checkRecords(out, exchange.ListNamed, im.doc.Named, func(r *exchange.Named) (bool, error) {
		if checkNamedTier(r.Tier) == nil && !im.wants(r.Tier) {
			return false, nil
		}
		return true, im.checkNamed(r)
	}, func(r *exchange.Named) string { return r.Tier + " " + namedSubject(r.Name) },
		func(r exchange.Incoming[exchange.Named]) {
			f := im.in(r.Record.Tier)
			f.named = append(f.named, r)
		})
	checkRecords(out, exchange.ListNotes, im.doc.Notes, func(r *exchange.Note) (bool, error) {
		if checkNamedTier(r.Tier) == nil && !im.wants(r.Tier) {
			return false, nil
		}
		return true, im.checkNote(r)
	}, func(r *exchange.Note) string { return r.ID },
		func(r exchange.Incoming[exchange.Note]) {
			f := im.in(r.Record.Tier)
			f.notes = append(f.notes, r)
		})
	checkRecords(out, exchange.ListScratch, im.doc.Scratch, func(r *exchange.Scratch) (bool, error) {
		if !im.wants(Conversation) {
			return false, nil
		}
		return true, im.checkScratch(r)
	}, func(r *exchange.Scratch) string { return r.Conversation + " " + r.Key + " " + r.Agent },
		func(r exchange.Incoming[exchange.Scratch]) { workspace.scratch = append(workspace.scratch, r) })
	checkRecords(out, exchange.ListRevisions, im.doc.Revisions,
		func(r *exchange.Revision) (bool, error) {
			if strings.HasPrefix(r.Subject, "named:") {
				if checkNamedTier(r.Tier) == nil && !im.wants(r.Tier) {
					return false, nil
				}
			} else if left[r.Subject] { // left out with its item
				return false, nil
			}
			return true, im.checkRevision(r)
		}, func(r *exchange.Revision) string {
			return fmt.Sprintf("%s %d %s", r.Tier, r.Revision, r.Subject)
		}, func(r exchange.Incoming[exchange.Revision]) {
			f := im.in(r.Record.Tier)
			f.revisions = append(f.revisions, r)
		})
	return ctx.Err()
}

// file imports into one file.
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
		p = &importPlan{im: im, f: f, in: in, elsewhere: elsewhere,
			counts: map[string]ImportCounts{}}
		return p.build(tx)
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

// elsewhere returns the ids of a file's records that the other file has already: an id
// is unique across both.
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

// itemsByID returns the items of a document that a file has.
func itemsByID(tx *sqlite.Tx, items []exchange.Incoming[Item]) (map[string]Item, error) {
	all := map[string]Item{}
	for some := range slices.Chunk(items, 1000) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].Record.ID
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

// remark adds notes about the whole import.
func (im *importer) remark(out *Imported) {
	if out.Workspace != "" && im.s.opt.Workspace != "" && out.Workspace != im.s.opt.Workspace &&
		!im.files[0].empty() {
		out.Notes = append(out.Notes,
			fmt.Sprintf("the document is of the workspace %q and was imported into %q",
				clip(out.Workspace, 300), clip(im.s.opt.Workspace, 300)))
	}
	for _, t := range Tiers {
		if n := im.left[t]; n > 0 {
			out.Notes = append(out.Notes,
				fmt.Sprintf("%d records of the %s tier were left out", n, t))
		}
	}
	if im.bare > 0 {
		out.Notes = append(out.Notes,
			fmt.Sprintf("%d items have no embedding yet and are found by words; reembedding adds it", im.bare))
	}
	if im.opt.DryRun {
		out.Notes = append(out.Notes, "dry run: nothing was written")
	}
}
