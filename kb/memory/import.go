package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

type ImportOptions struct {
	DryRun bool
	Force  bool
}

type ImportCounts struct {
	Stored int `json:"stored"` // records that were stored
	// Unchanged exist here already.
	Unchanged int `json:"unchanged"`
	// Kept exist here with other content, which was kept.
	Kept    int `json:"kept"`
	Refused int `json:"refused"` // records that were refused
}

type ImportRefused struct {
	Place  string `json:"place"` // such as items[17]
	Reason string `json:"reason"`
}

type Imported struct {
	DryRun    bool      `json:"dry_run"`
	Workspace string    `json:"workspace"`   // workspace of the document
	Exported  time.Time `json:"exported_at"` // when it was exported
	// by list: channels, conversations, items, named, notes, scratch
	Counts  map[string]ImportCounts `json:"counts"`
	Refused []ImportRefused         `json:"refused"`
	Notes   []string                `json:"notes"`

	unembedded int // items that were stored without an embedding
}

func (out *Imported) count(list string, add ImportCounts) {
	c := out.Counts[list]
	out.Counts[list] = ImportCounts{c.Stored + add.Stored, c.Unchanged + add.Unchanged, c.Kept + add.Kept,
		c.Refused + add.Refused}
}

func (out *Imported) refuse(list string, at int, why string) {
	out.count(list, ImportCounts{Refused: 1})
	out.Refused = append(out.Refused, ImportRefused{Place: store.RecordPlace(list, at), Reason: why})
}

func (out *Imported) note(format string, args ...any) {
	out.Notes = append(out.Notes, fmt.Sprintf(format, args...))
}

// Import reads what Export has written. Records keep their ids, times, access counts,
// sources and whether they were forgotten. What exists here is not changed, so an import
// can be repeated. An invalid record, or one that the caller may not store, is refused
// and the others are stored. If the document itself is invalid, nothing is stored.
//
// Each file is written in one transaction: the workspace's first, then the account's.
func (s *Store) Import(ctx context.Context, r io.Reader, opt ImportOptions) (Imported, error) {
	out := Imported{DryRun: opt.DryRun, Counts: map[string]ImportCounts{},
		Refused: []ImportRefused{}, Notes: []string{}}
	for _, l := range lists {
		out.Counts[l.name] = ImportCounts{}
	}
	im := newImporter(s, opt)
	if err := im.document(&out).Read(ctx, r); err != nil {
		return out, err
	}
	if err := im.validate(ctx, &out); err != nil {
		return out, err
	}
	for _, account := range []bool{false, true} {
		if err := im.file(ctx, account, &out); err != nil {
			return out, err
		}
	}
	im.remark(&out)
	return out, nil
}

// importer imports one document. It checks each record by itself first, and then against the file.
type importer struct {
	s    *Store
	opt  ImportOptions
	now  time.Time
	read map[string][]incoming // by list
	// valid ones, for the account's file by true, in the order of their lists
	valid map[bool][]incoming
}

type incoming struct {
	record
	list *recordList
	nth  int // in the list
	at   place
}

func newImporter(s *Store, opt ImportOptions) *importer {
	return &importer{s: s, opt: opt, now: s.now().UTC(), read: map[string][]incoming{},
		valid: map[bool][]incoming{}}
}

// document reads an export into the lists. An invalid record is refused by itself.
func (im *importer) document(out *Imported) *store.Document {
	d := exportDocument(&out.Exported, &out.Workspace, new([]string)) // the records themselves count
	for _, l := range lists {
		d.Lists = append(d.Lists, store.List{Name: l.name, Take: func(raw []byte, at int) {
			r := l.make("")
			if why := store.ReadRecord(raw, r); why != "" {
				out.refuse(l.name, at, why)
				return
			}
			im.read[l.name] = append(im.read[l.name], incoming{record: r, list: &l, nth: at})
		}})
	}
	d.Unknown = func(name string) { out.note("%q is unknown and was left out", clip(name, 40)) }
	return d
}

// validate refuses the records that are invalid by themselves, and repeated ones.
func (im *importer) validate(ctx context.Context, out *Imported) error {
	for _, l := range lists {
		first := map[string]int{}
		for _, r := range im.read[l.name] {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := r.check(im)
			r.at = r.place()
			if place, twice := first[r.at.key]; err == nil && twice {
				err = errors.New("duplicate of " + store.RecordPlace(l.name, place))
			}
			if err != nil {
				out.refuse(l.name, r.nth, reason(err))
				continue
			}
			first[r.at.key] = r.nth
			account := r.at.scope.Tier == Account
			im.valid[account] = append(im.valid[account], r)
		}
		delete(im.read, l.name) // free the memory
	}
	return nil
}

func reason(err error) string {
	if try := fault.Try(err, nil); try != "" {
		return err.Error() + "; " + try
	}
	return err.Error()
}

// intoFile decides about the records for one file, and stores them unless it is a dry run.
type intoFile struct {
	*importer
	*Imported
	f *file
	// of the file and of the other one, as an id is unique across both; nil: there is none
	tx, other *sqlite.Tx
	tier      string            // of its named entries and notes
	known     map[string]bool   // labels of what is in the file, or will be after this import
	threads   map[string]string // conversations of this import by thread
	scratch   map[string]int    // working notes by conversation and agent
	docs      []index.Doc       // stored items that are not in the index yet
	told      string            // what the last event is about
}

func (im *importer) file(ctx context.Context, account bool, out *Imported) error {
	if len(im.valid[account]) == 0 {
		return nil
	}
	before, tier := *out, Workspace
	if account {
		tier = Account
	}
	run := func(f *file, tx *sqlite.Tx) error { // a transaction may run again
		*out = before
		out.Counts = maps.Clone(before.Counts)
		return im.s.snapshot(ctx, !account, im.s.reachesFile(!account), func(other *sqlite.Tx) error {
			in := &intoFile{importer: im, Imported: out, f: f, tx: tx, other: other, tier: tier,
				known: map[string]bool{}, threads: map[string]string{}, scratch: map[string]int{}}
			for i := range im.valid[account] {
				if err := cmp.Or(ctx.Err(), in.take(&im.valid[account][i])); err != nil {
					return err
				}
			}
			return in.flush(1)
		})
	}
	f, err := im.s.open(ctx, account, !im.opt.DryRun)
	switch {
	case errors.Is(err, errNoFile):
		return run(nil, nil)
	case err != nil:
		return err
	case im.opt.DryRun:
		return f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return run(f, tx) })
	}
	return f.WriteIndex(ctx, func(tx *sqlite.Tx) error { return run(f, tx) })
}

// take decides about a record: it is stored if neither file has one at its place.
func (in *intoFile) take(r *incoming) error {
	owner, err := in.freeThread(r.record)
	if err != nil {
		return err
	}
	list := r.list.name
	have := r.list.make(in.tier)
	is, err := find(in.tx, list, r.at, have)
	if !is && err == nil && list == listItems {
		is, err = find(in.other, list, r.at, have)
	}
	if err != nil {
		return err
	}
	if is {
		in.known[r.at.label] = true
		at := have.place()
		if !in.s.opt.Author && !in.s.visible(at.agent) || in.s.allowed(at.scope.Tier) != nil ||
			sameContent(r.record, have) { // of what the caller may not see, it is only told that the id is taken
			in.count(list, ImportCounts{Unchanged: 1})
			return nil
		}
		in.count(list, ImportCounts{Kept: 1})
		in.note("the %s differs here and was kept", at.label)
		return nil
	}
	why, err := in.lacks(r.record)
	if err != nil {
		return err
	}
	if why != "" {
		in.refuse(list, r.nth, why)
		return nil
	}
	if owner != "" {
		in.note("the %s was imported without its thread, which belongs to %s here", r.at.label, owner)
	}
	in.count(list, ImportCounts{Stored: 1})
	in.known[r.at.label] = true
	return in.store(r)
}

func sameContent(a, b record) bool {
	x, errX := json.Marshal(a.content())
	y, errY := json.Marshal(b.content())
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// find reads a record of a file. One that does not exist yet has the default channel.
func find(tx *sqlite.Tx, list string, at place, into record) (is bool, err error) {
	if c, channel := into.(*channelRecord); channel && tx == nil && at.subject == DefaultChannel {
		c.Name = DefaultChannel
		return true, nil
	}
	err = eachRecord(tx, into.columns(), list+` WHERE `+at.where, func() error {
		is = true
		return nil
	}, at.args...)
	return is, err
}

// freeThread takes the thread off another conversation here that has it, and returns that.
func (in *intoFile) freeThread(r record) (owner string, err error) {
	c, is := r.(*conversationRecord)
	if !is || c.Thread == "" {
		return "", nil
	}
	if owner = in.threads[c.Thread]; owner == "" && in.tx != nil {
		owner, err = sqlite.One[string](in.tx, `SELECT coalesce(max(ref), '') FROM conversations
			WHERE thread = ?`, c.Thread)
	}
	switch owner {
	case "":
		in.threads[c.Thread] = c.Ref
	case c.Ref:
		return "", err
	default:
		c.Thread = ""
	}
	return owner, err
}

// lacks returns why a record that is not here yet cannot be stored, "" if it can.
func (in *intoFile) lacks(r record) (why string, err error) {
	channel := func(name string) (string, error) {
		return in.unless(listChannels, &channelRecord{ChannelInfo: ChannelInfo{Name: name}})
	}
	conversation := func(ref string) (string, error) {
		return in.unless(listConversations, &conversationRecord{ConversationInfo: ConversationInfo{Ref: ref}})
	}
	switch r := r.(type) {
	case *conversationRecord:
		return channel(r.Channel)
	case *itemRecord:
		switch r.Tier {
		case Channel:
			return channel(r.Channel)
		case Conversation:
			return conversation(r.Conversation)
		}
	case *scratchRecord:
		if why, err := conversation(r.Conversation); why != "" || err != nil {
			return why, err
		}
		owner := r.Conversation + " " + r.Agent
		n, counted := in.scratch[owner]
		if !counted && in.tx != nil {
			n, err = sqlite.One[int](in.tx, `SELECT count(*) FROM scratch WHERE conversation = ? AND agent = ?`,
				r.Conversation, r.Agent)
		}
		if n >= MaxScratchKeys {
			return fmt.Sprintf("there are already %d working notes", n), err
		}
		in.scratch[owner] = n + 1
	}
	return "", err
}

// unless returns that a record which another one refers to is missing, "" if it is known.
func (in *intoFile) unless(list string, r record) (string, error) {
	at := r.place()
	if in.known[at.label] {
		return "", nil
	}
	is, err := find(in.tx, list, at, r)
	if is || err != nil {
		in.known[at.label] = is
		return "", err
	}
	return at.label + " not found here or in the document", nil
}

// store stores a record with its event; items are indexed in batches.
func (in *intoFile) store(r *incoming) (err error) {
	it, isItem := r.record.(*itemRecord)
	live := isItem && it.Forgotten == nil
	if live {
		in.unembedded++
	}
	switch {
	case in.opt.DryRun:
		return nil
	case isItem:
		err = insertRow(in.tx, &it.Item)
	default:
		err = r.columns().Add(in.tx, r.list.name)
	}
	if live && err == nil {
		in.docs = append(in.docs, document(&it.Item, nil))
		err = in.flush(5000)
	}
	if err != nil || r.at.subject == in.told {
		return err
	}
	in.told = r.at.subject
	return in.f.event(in.tx, Event{
		Verb: VerbImported, Scope: r.at.scope.String(), Subject: in.told, agent: r.at.agent})
}

// flush adds the stored items to the index, if there are as many.
func (in *intoFile) flush(least int) error {
	if len(in.docs) < least {
		return nil
	}
	err := in.f.Index.Put(in.tx, in.docs...)
	in.docs = in.docs[:0]
	return err
}

func (im *importer) remark(out *Imported) {
	if out.Workspace != "" && im.s.opt.Workspace != "" && out.Workspace != im.s.opt.Workspace && len(im.valid[false]) > 0 {
		out.note("the document is of the workspace %q and was imported into %q",
			clip(out.Workspace, 300), clip(im.s.opt.Workspace, 300))
	}
	if out.unembedded > 0 {
		out.note("%d items have no embedding yet and are found by words; reembedding adds it", out.unembedded)
	}
	if im.opt.DryRun {
		out.note("dry run: nothing was written")
	}
}
