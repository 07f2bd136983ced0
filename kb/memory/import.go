package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// ImportOptions are the options of Import.
type ImportOptions struct {
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

// ImportRefused is a record that was refused.
type ImportRefused struct {
	Place  string `json:"place"` // such as items[17]
	Reason string `json:"reason"`
}

// Imported is the result of Import.
type Imported struct {
	DryRun    bool      `json:"dry_run"`
	Workspace string    `json:"workspace"`   // workspace of the document
	Exported  time.Time `json:"exported_at"` // when it was exported
	// by list: channels, conversations, items, named, notes, scratch
	Counts  map[string]ImportCounts `json:"counts"`
	Refused []ImportRefused         `json:"refused"`
	Notes   []string                `json:"notes"`
}

// Decisions about a record.
const (
	fateRefused = iota
	fateStored
	fateUnchanged
	fateKept
)

// count counts a decision, and records why something is refused or kept.
func (out *Imported) count(list string, at, what int, why string) {
	c := out.Counts[list]
	switch what {
	case fateStored:
		c.Stored++
	case fateUnchanged:
		c.Unchanged++
	case fateKept:
		c.Kept++
		if why != "" {
			out.Notes = append(out.Notes, why)
		}
	case fateRefused:
		c.Refused++
		out.Refused = append(out.Refused,
			ImportRefused{Place: store.RecordPlace(list, at), Reason: why})
	}
	out.Counts[list] = c
}

// plus adds what became of the records of one file.
func (out *Imported) plus(p *Imported) {
	for list, n := range p.Counts {
		c := out.Counts[list]
		out.Counts[list] = ImportCounts{c.Stored + n.Stored, c.Unchanged + n.Unchanged,
			c.Kept + n.Kept, c.Refused + n.Refused}
	}
	out.Refused, out.Notes = append(out.Refused, p.Refused...), append(out.Notes, p.Notes...)
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
	for _, name := range lists {
		out.Counts[name] = ImportCounts{}
	}
	im := newImporter(s, opt)
	if err := im.document(&out).Read(ctx, r); err != nil {
		return out, err
	}
	for _, l := range im.lists {
		if err := l.validate(ctx, &out); err != nil {
			return out, err
		}
	}
	for _, account := range []bool{false, true} {
		if err := im.file(ctx, account, &out); err != nil {
			return out, err
		}
	}
	im.remark(&out)
	return out, nil
}

// importer imports one document. It checks each record by itself first, and then against
// the file.
type importer struct {
	s          *Store
	opt        ImportOptions
	now        time.Time
	lists      []importList // in the order of the names
	items      *listOf[itemRecord]
	unembedded int // items stored without an embedding
}

// importList is a list of a document.
type importList interface {
	add(raw []byte, at int) (why string)
	validate(ctx context.Context, out *Imported) error
	has(account bool) bool
	run(p *filePlan) error
}

// document reads an export into the lists. An invalid record is refused by itself.
func (im *importer) document(out *Imported) *store.Document {
	d := exportDocument(&out.Exported, &out.Workspace, new([]string)) // the records themselves count
	for i, name := range lists {
		d.Lists = append(d.Lists, store.List{Name: name, Take: func(raw []byte, at int) {
			if why := im.lists[i].add(raw, at); why != "" {
				out.count(name, at, fateRefused, why)
			}
		}})
	}
	d.Unknown = func(name string) {
		out.Notes = append(out.Notes, fmt.Sprintf("%q is unknown and was left out", clip(name, 40)))
	}
	return d
}

// listOf says how the records of a list are validated, compared with what is here, and
// stored.
type listOf[T any] struct {
	name string
	// check normalises a record and says what is wrong with it by itself.
	check func(*T) error
	// key identifies a record; a second one with the same key is refused.
	key func(*T) string
	// tier says in whose file a record is.
	tier func(*T) string
	// plan reads what a file has of these records, and returns what decides about one.
	plan func(*filePlan, []incoming[T]) (func(*T) (what int, why string), error)
	// store stores a record with its event.
	store func(*filePlan, *T) error

	read  []incoming[T]
	valid map[bool][]incoming[T] // for the account's file by true
}

// incoming is a record with its index in its list.
type incoming[T any] struct {
	at     int
	record T
}

func (l *listOf[T]) add(raw []byte, at int) (why string) {
	r := incoming[T]{at: at}
	if why = store.ReadRecord(raw, &r.record); why == "" {
		l.read = append(l.read, r)
	}
	return why
}

func (l *listOf[T]) has(account bool) bool { return len(l.valid[account]) > 0 }

func (l *listOf[T]) validate(ctx context.Context, out *Imported) error {
	first := map[string]int{}
	l.valid = map[bool][]incoming[T]{}
	for i := range l.read {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &l.read[i]
		err := l.check(&r.record)
		key := l.key(&r.record)
		if at, twice := first[key]; err == nil && twice {
			err = errors.New("duplicate of " + store.RecordPlace(l.name, at))
		}
		if err != nil {
			out.count(l.name, r.at, fateRefused, reason(err))
			continue
		}
		first[key] = r.at
		account := l.tier(&r.record) == Account
		l.valid[account] = append(l.valid[account], *r)
	}
	l.read = nil // free the memory
	return nil
}

func (l *listOf[T]) run(p *filePlan) error {
	decide, err := l.plan(p, l.valid[p.account])
	for i := 0; i < len(l.valid[p.account]) && err == nil; i++ {
		r := l.valid[p.account][i]
		what, why := decide(&r.record)
		p.out.count(l.name, r.at, what, why)
		if what == fateStored && !p.im.opt.DryRun {
			err = l.store(p, &r.record)
		}
	}
	return err
}

// reason returns an error's message with the next step.
func reason(err error) string {
	if try := fault.Try(err, nil); try != "" {
		return err.Error() + "; " + try
	}
	return err.Error()
}

// filePlan decides about the records for one file, given what the file has, and stores
// them unless it is a dry run.
type filePlan struct {
	im        *importer
	f         *file
	tx        *sqlite.Tx // nil: the file does not exist
	account   bool
	elsewhere map[string]Item // ids in the other file: an id is unique across both
	out       Imported

	knownChannels, knownConversations map[string]bool // names and refs that are in the file, or will be after this import
	told                              map[string]bool // conversations with an event for their working notes
	docs                              []index.Doc     // stored items that are not in the index yet
	unembedded                        int             // items without an embedding
}

// file imports into one file.
func (im *importer) file(ctx context.Context, account bool, out *Imported) error {
	if !slices.ContainsFunc(im.lists, func(l importList) bool { return l.has(account) }) {
		return nil
	}
	elsewhere, err := im.elsewhere(ctx, account)
	if err != nil {
		return err
	}
	var p *filePlan
	run := func(f *file, tx *sqlite.Tx) error { // a transaction may run again
		p = &filePlan{im: im, f: f, tx: tx, account: account, elsewhere: elsewhere,
			out:           Imported{Counts: map[string]ImportCounts{}},
			knownChannels: map[string]bool{DefaultChannel: true}, knownConversations: map[string]bool{},
			told: map[string]bool{}}
		for _, l := range im.lists {
			if err := l.run(p); err != nil {
				return err
			}
		}
		return p.flush()
	}
	f, err := im.s.open(ctx, account, !im.opt.DryRun)
	switch {
	case errors.Is(err, errNoFile):
		err = run(nil, nil)
	case err != nil:
	case im.opt.DryRun:
		err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return run(f, tx) })
	default:
		err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error { return run(f, tx) })
	}
	if err == nil {
		out.plus(&p.out)
		im.unembedded += p.unembedded
	}
	return err
}

// elsewhere returns the items of one file's records that the other file has already.
func (im *importer) elsewhere(ctx context.Context, account bool) (all map[string]Item, err error) {
	if !im.items.has(account) || !im.s.reachesFile(!account) {
		return nil, nil
	}
	f, err := im.s.open(ctx, !account, false)
	if errors.Is(err, errNoFile) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		all, err = itemsByID(tx, im.items.valid[account])
		return err
	})
	return all, err
}

// insert stores a row and its event.
func (p *filePlan) insert(table string, row store.Columns, scope Scope, subject,
	agent string) error {
	if err := row.Add(p.tx, table); err != nil {
		return err
	}
	return p.event(scope, subject, agent)
}

func (p *filePlan) event(scope Scope, subject, agent string) error {
	return p.f.event(p.tx, Event{
		Verb: VerbImported, Scope: scope.String(), Subject: subject, agent: agent})
}

// flush adds the stored items to the index.
func (p *filePlan) flush() error {
	if len(p.docs) == 0 {
		return nil
	}
	err := p.f.Index.Put(p.tx, p.docs...)
	p.docs = p.docs[:0]
	return err
}

// itemsByID returns the items of a document that a file has.
func itemsByID(tx *sqlite.Tx, items []incoming[itemRecord]) (map[string]Item, error) {
	all := map[string]Item{}
	for some := range slices.Chunk(items, 1000) {
		found, err := itemsWhere(tx, `id IN (SELECT value FROM json_each(?))`,
			keysOf(some, func(r *itemRecord) string { return r.ID }))
		if err != nil {
			return nil, err
		}
		for _, it := range found {
			all[it.ID] = it
		}
	}
	return all, nil
}

// keysOf lists one field of the records as JSON, for a query.
func keysOf[T any](all []incoming[T], key func(*T) string) string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = key(&all[i].record)
	}
	return sqlite.List(out)
}

// remark adds notes about the whole import.
func (im *importer) remark(out *Imported) {
	note := func(format string, args ...any) {
		out.Notes = append(out.Notes, fmt.Sprintf(format, args...))
	}
	if out.Workspace != "" && im.s.opt.Workspace != "" && out.Workspace != im.s.opt.Workspace &&
		slices.ContainsFunc(im.lists, func(l importList) bool { return l.has(false) }) {
		note("the document is of the workspace %q and was imported into %q",
			clip(out.Workspace, 300), clip(im.s.opt.Workspace, 300))
	}
	if im.unembedded > 0 {
		note("%d items have no embedding yet and are found by words; reembedding adds it", im.unembedded)
	}
	if im.opt.DryRun {
		note("dry run: nothing was written")
	}
}
