package memory

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/memory/exchange"
)

// ExportOptions are the options of Export.
type ExportOptions struct {
	// Tiers to export; nil: all that the caller can reach.
	Tiers []string
	// Forgotten adds forgotten and expired items, and earlier versions of items and
	// named entries.
	Forgotten bool
	// Everything adds what belongs to single agents: private items, journals, core
	// memories and working notes. Only a person may use it, for a backup.
	Everything bool
}

// Exported is the result of Export.
type Exported struct {
	SchemaVersion int            `json:"schema_version"` // the version of the file's format
	At            time.Time      `json:"exported_at"`
	Workspace     string         `json:"workspace"`
	Tiers         []string       `json:"tiers"`
	Counts        map[string]int `json:"counts"` // records by list
	Bytes         int64          `json:"bytes"`
}

// Export writes the memory as one JSON document, one record a line, as of one moment:
// what everybody may see and what belongs to the caller. Import reads it. It has no
// embeddings; Reembed makes them. An error may come after a part was written.
func (s *Store) Export(ctx context.Context, w io.Writer, opt ExportOptions) (Exported, error) {
	out := Exported{SchemaVersion: exchange.SchemaVersion,
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
	x := &exporter{s: s, opt: opt, out: &out, w: exchange.NewWriter(w)}
	// Each file is read on one snapshot; the two snapshots are taken one after the
	// other.
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
			return x.write()
		})
	})
	if err == nil {
		err = x.w.Close()
	}
	out.Bytes = x.w.Bytes()
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
	w     *exchange.Writer
	files []exportFile // the files that exist
}

// in runs fn on a snapshot of a file; with nil if none of its tiers is exported or it
// does not exist.
func (x *exporter) in(ctx context.Context, account bool, fn func(*sqlite.Tx) error) error {
	if !slices.ContainsFunc(x.out.Tiers,
		func(t string) bool { return (t == Account) == account }) {
		return fn(nil)
	}
	f, err := x.s.open(ctx, account, false)
	if errors.Is(err, errNoFile) {
		return fn(nil)
	}
	if err != nil {
		return err
	}
	return f.Read(ctx, fn) // the index is not needed, so do not rebuild it
}

func (x *exporter) has(tier string) bool { return slices.Contains(x.out.Tiers, tier) }

func (x *exporter) write() error {
	if err := x.w.Header(x.out.At, x.out.Workspace, x.out.Tiers); err != nil {
		return err
	}
	lists := map[string]func(*exportFile, func(any) error) error{
		exchange.ListChannels: x.channels, exchange.ListConversations: x.conversations,
		exchange.ListItems: x.items, exchange.ListNamed: x.named, exchange.ListNotes: x.notes,
		exchange.ListScratch: x.scratch, exchange.ListRevisions: x.revisions}
	for _, name := range exchange.Lists {
		n, err := x.w.List(name, func(add func(any) error) error {
			for i := range x.files {
				if err := lists[name](&x.files[i], add); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		x.out.Counts[name] = n
	}
	return nil
}

// channels yields the workspace's channels, or only those of the exported conversations
// if the tier is not exported.
func (x *exporter) channels(f *exportFile, add func(any) error) error {
	if f.account || !x.s.Reaches(Channel) || !x.has(Channel) && !x.has(Conversation) {
		return nil
	}
	var r exchange.Channel
	return f.tx.Each([]any{&r.Name, &r.Description, &r.IsDefault, sqlite.Time(&r.Created)},
		func() error { return add(r) },
		`SELECT name, description, is_default, created FROM channels
			WHERE ? OR name IN (SELECT channel FROM conversations)
			ORDER BY created, name`, x.has(Channel))
}

func (x *exporter) conversations(f *exportFile, add func(any) error) error {
	if f.account || !x.has(Conversation) {
		return nil
	}
	all, err := readConversations(f.tx,
		`?1 IS NULL OR ref IN (SELECT value FROM json_each(?1)) ORDER BY started, ref`, f.taken)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := add(conversationRecord(&c)); err != nil {
			return err
		}
	}
	return nil
}

// which returns the SQL condition for the items of a file that are exported.
func (x *exporter) which(f *exportFile) (string, []any) {
	where := `tier IN (SELECT value FROM json_each(?))`
	args := []any{sqlite.List(slices.DeleteFunc(
		slices.Clone(x.out.Tiers), func(t string) bool { return (t == Account) != f.account }))}
	if !x.opt.Everything {
		where, args = where+` AND agent IN ('', ?)`, append(args, x.s.opt.Agent)
	}
	if f.taken != nil {
		where, args = where+` AND (tier <> 'conversation' OR conversation IN (SELECT value
			FROM json_each(?)))`, append(args, f.taken)
	}
	if !x.opt.Forgotten {
		where, args = where+` AND forgotten IS NULL AND (expires IS NULL OR expires > ?)`,
			append(args, x.out.At.UnixMilli())
	}
	return where, args
}

func (x *exporter) items(f *exportFile, add func(any) error) error {
	where, args := x.which(f)
	// Only numbers, so that not all items are in memory at once.
	order, err := sqlite.Column[int64](
		f.tx, `SELECT n FROM items WHERE `+where+` ORDER BY created, id`, args...)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(order, 500) {
		byN, err := itemsByN(f.tx, some)
		if err != nil {
			return err
		}
		for _, n := range some {
			if err := add(recordOf(byN[n])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *exporter) named(f *exportFile, add func(any) error) error {
	if !x.has(f.tier) {
		return nil
	}
	all, err := namedIn(f.tx, f.tier)
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := add(exchange.Named(n)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) notes(f *exportFile, add func(any) error) error {
	if !x.has(f.tier) {
		return nil
	}
	r := exchange.Note{Tier: f.tier}
	return f.tx.Each(noteColumns(&r), func() error { return add(r) },
		`SELECT id, agent, kind, content, created, forgotten FROM notes WHERE (?1 OR agent = ?2)
			AND (?3 OR forgotten IS NULL) ORDER BY created, id`,
		x.opt.Everything, x.s.opt.Agent, x.opt.Forgotten)
}

func (x *exporter) scratch(f *exportFile, add func(any) error) error {
	if f.account || !x.has(Conversation) {
		return nil
	}
	var r exchange.Scratch
	return f.tx.Each([]any{&r.Conversation, &r.Agent, &r.Key, &r.Shared, (*[]byte)(&r.Value),
		sqlite.Time(&r.Created), sqlite.Time(&r.Updated)}, func() error { return add(r) },
		`SELECT conversation, agent, key, shared, value, created, updated FROM scratch
			WHERE ?1 OR agent = ?2
			AND (?3 IS NULL OR conversation IN (SELECT value FROM json_each(?3)))
			ORDER BY conversation, agent, key`, x.opt.Everything, x.s.opt.Agent, f.taken)
}

// revisions yields the earlier versions of what is exported.
func (x *exporter) revisions(f *exportFile, add func(any) error) error {
	if !x.opt.Forgotten {
		return nil
	}
	where, args := x.which(f)
	r := exchange.Revision{Tier: f.tier}
	return f.tx.Each([]any{&r.Subject, &r.Revision, sqlite.Time(&r.At), &r.Actor,
		(*[]byte)(&r.Before)}, func() error { return add(r) },
		`SELECT subject, revision, at, actor, before FROM revisions WHERE subject IN (SELECT id
			FROM items WHERE `+where+`) OR substr(subject, 1, 6) = 'named:' AND ?
			ORDER BY subject, revision`,
		append(args, x.has(f.tier))...)
}

func conversationRecord(c *ConversationInfo) exchange.Conversation {
	return exchange.Conversation{Ref: c.Ref, Channel: c.Channel, Thread: c.Thread, Agent: c.Agent,
		Status: c.Status, Started: c.Started, Ended: c.Ended, Archived: c.Archived}
}

func recordOf(it *Item) exchange.Item {
	return exchange.Item{ID: it.ID, Tier: it.Tier, Channel: it.Channel,
		Conversation: it.Conversation, Agent: it.Agent, Title: it.Title, Content: it.Content,
		Curator: it.Curator, Source: it.Source, Importance: it.Importance, Lifetime: it.Lifetime,
		Tags: it.Tags, Accesses: it.Accesses, Created: it.Created, Updated: it.Updated,
		Accessed: it.Accessed, Expires: it.Expires, DerivedFrom: it.DerivedFrom,
		Revision: it.Revision, Archived: it.Archived, Forgotten: it.Forgotten, Rule: it.Rule,
		ReplacedBy: it.ReplacedBy, Why: it.Why}
}

func itemOf(r *exchange.Item) Item {
	return Item{ID: r.ID, Tier: r.Tier, Channel: r.Channel, Conversation: r.Conversation,
		Agent: r.Agent, Title: r.Title, Content: r.Content, Curator: r.Curator, Source: r.Source,
		Importance: r.Importance, Lifetime: r.Lifetime, Tags: r.Tags, Accesses: r.Accesses,
		Created: r.Created, Updated: r.Updated, Accessed: r.Accessed, Expires: r.Expires,
		DerivedFrom: r.DerivedFrom, Revision: r.Revision, Archived: r.Archived,
		Forgotten: r.Forgotten, Rule: r.Rule, ReplacedBy: r.ReplacedBy, Why: r.Why}
}

// noteColumns returns the destinations of a note's columns.
func noteColumns(r *exchange.Note) []any {
	return []any{&r.ID, &r.Agent, &r.Kind, &r.Content, sqlite.Time(&r.Created),
		sqlite.MaybeTime(&r.Forgotten)}
}
