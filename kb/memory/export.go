package memory

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

type ExportOptions struct {
	Tiers     []string
	Forgotten bool
	// Everything adds what belongs to single agents: private items, journals, core
	// memories and working notes. Only a person may use it, for a backup.
	Everything bool
}

type Exported struct {
	SchemaVersion int            `json:"schema_version"` // the version of the file's format
	At            time.Time      `json:"exported_at"`
	Workspace     string         `json:"workspace"`
	Tiers         []string       `json:"tiers"`
	Counts        map[string]int `json:"counts"` // records by list
	Bytes         int64          `json:"bytes"`
}

// Export writes the memory as one JSON document, one record a line, as of one moment: what
// everybody may see and what belongs to the caller. Import reads it. It has no embeddings, which
// Reembed makes, and no earlier versions. An error may come after a part was written.
func (s *Store) Export(ctx context.Context, w io.Writer, opt ExportOptions) (Exported, error) {
	out := Exported{SchemaVersion: ExportVersion,
		At: s.now().UTC().Truncate(time.Millisecond), Tiers: []string{}, Counts: map[string]int{}}
	for _, t := range opt.Tiers {
		if err := s.allowed(t); err != nil {
			return out, err
		}
	}
	for _, t := range Tiers {
		if opt.Tiers == nil && s.Reaches(t) || slices.Contains(opt.Tiers, t) {
			out.Tiers = append(out.Tiers, t)
		}
	}
	if opt.Everything && !s.opt.Author {
		return out, fault.Denied.New("only a person may export what belongs to other agents", "",
			forAuthor, fault.Give("everything", "",
				"leave out {}: then what the caller may read is exported"))
	}
	if slices.ContainsFunc(out.Tiers, func(t string) bool { return t != Account }) {
		out.Workspace = s.opt.Workspace
	}
	s.Flush(ctx) // the export has the accesses so far
	x := &exporter{s: s, opt: opt, out: &out}
	err := x.in(ctx, false, func(workspace *sqlite.Tx) error {
		return x.in(ctx, true, func(account *sqlite.Tx) error {
			x.files = []exportFile{{tx: workspace, tier: Workspace},
				{tx: account, tier: Account, account: true}}
			x.files = slices.DeleteFunc(x.files, func(f exportFile) bool { return f.tx == nil })
			for i := range x.files {
				var err error
				if x.files[i].taken, err = s.conversationRefs(x.files[i].tx); err != nil {
					return err
				}
			}
			return x.write(bufio.NewWriterSize(w, 1<<16))
		})
	})
	return out, err
}

type exportFile struct {
	tx      *sqlite.Tx
	tier    string // of the named entries and notes
	account bool
	taken   any // conversations of the caller
}

type exporter struct {
	s     *Store
	opt   ExportOptions
	out   *Exported
	files []exportFile // the files that exist
}

// in runs fn on a snapshot of a file; with nil if none of its tiers is exported.
func (x *exporter) in(ctx context.Context, account bool, fn func(*sqlite.Tx) error) error {
	return x.s.snapshot(ctx, account, slices.ContainsFunc(x.out.Tiers,
		func(t string) bool { return (t == Account) == account }), fn)
}

// snapshot runs fn on a snapshot of a file, with nil if it is not wanted or does not exist.
func (s *Store) snapshot(ctx context.Context, account, wanted bool, fn func(*sqlite.Tx) error) error {
	if !wanted {
		return fn(nil)
	}
	f, err := s.open(ctx, account, false)
	if errors.Is(err, errNoFile) {
		return fn(nil)
	}
	if err != nil {
		return err
	}
	return f.Read(ctx, fn)
}

func (x *exporter) has(tier string) bool { return slices.Contains(x.out.Tiers, tier) }

func (x *exporter) write(w *bufio.Writer) (err error) {
	d := exportDocument(&x.out.At, &x.out.Workspace, &x.out.Tiers)
	for _, l := range lists {
		d.Lists = append(d.Lists, store.List{Name: l.name, Each: func(add func(any) error) error {
			for k := range x.files {
				f := &x.files[k]
				r := l.make(f.tier)
				if where, args := x.which(l.name, f); where != "" {
					err := eachRecord(f.tx, r.columns(), l.name+` WHERE `+where,
						func() error { return add(r) }, args...)
					if err != nil {
						return err
					}
				}
			}
			return nil
		}})
	}
	x.out.Counts, x.out.Bytes, err = d.Write(w)
	return errors.Join(err, w.Flush())
}

// which returns the condition and order of a file's records in a list; "" for none.
func (x *exporter) which(list string, f *exportFile) (where string, args []any) {
	everything, agent := x.opt.Everything, x.s.opt.Agent
	switch {
	case list == listItems:
		tiers := slices.DeleteFunc(slices.Clone(x.out.Tiers), func(t string) bool { return (t == Account) != f.account })
		return `tier IN (SELECT value FROM json_each(?1)) AND (?2 OR agent IN ('', ?3))
			AND (tier <> 'conversation' OR ?4 IS NULL OR conversation IN (SELECT value FROM json_each(?4)))
			AND (?5 OR forgotten IS NULL AND (expires IS NULL OR expires > ?6)) ORDER BY n`,
			[]any{sqlite.List(tiers), everything, agent, f.taken, x.opt.Forgotten, x.out.At.UnixMilli()}
	case list == listNamed && x.has(f.tier):
		return `TRUE ORDER BY name`, nil
	case list == listNotes && x.has(f.tier):
		return `(?1 OR agent = ?2) AND (?3 OR forgotten IS NULL) ORDER BY created, id`,
			[]any{everything, agent, x.opt.Forgotten}
	case f.account:
	case list == listChannels && x.s.Reaches(Channel) && (x.has(Channel) || x.has(Conversation)):
		// only those of the exported conversations if the tier is not exported
		return `?1 OR name IN (SELECT channel FROM conversations) ORDER BY created, name`,
			[]any{x.has(Channel)}
	case list == listConversations && x.has(Conversation):
		return `?1 IS NULL OR ref IN (SELECT value FROM json_each(?1)) ORDER BY started, ref`, []any{f.taken}
	case list == listScratch && x.has(Conversation):
		return `(?1 OR agent = ?2) AND (?3 IS NULL OR conversation IN (SELECT value FROM json_each(?3)))
			ORDER BY conversation, agent, key`, []any{everything, agent, f.taken}
	}
	return "", nil
}
