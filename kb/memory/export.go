package memory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// ExportOptions say what an export has.
type ExportOptions struct {
	// Tiers are those to export; nil: all that the caller reaches.
	Tiers []string
	// Forgotten adds what is forgotten or expired, and what items and named entries said before they were changed.
	Forgotten bool
	// Everything adds what belongs to any agent alone: private items, journals and core memories, working notes. It is for a person's backup, and takes one.
	Everything bool
}

// Exported is what an export has.
type Exported struct {
	SchemaVersion int            `json:"schema_version"`
	At            time.Time      `json:"exported_at"`
	Workspace     string         `json:"workspace"`
	Tiers         []string       `json:"tiers"`
	Counts        map[string]int `json:"counts"` // by list
	Bytes         int64          `json:"bytes"`
}

// Export writes what is remembered as one JSON document, one record a line, as of one moment: what everybody may see, and the caller's own. Import reads it. Embeddings are not in it;
// Reembed makes them. An error may come after a part was written.
func (s *Store) Export(ctx context.Context, w io.Writer, opt ExportOptions) (Exported, error) {
	out := Exported{SchemaVersion: SchemaVersion, At: s.now().UTC().Truncate(time.Millisecond), Tiers: []string{}, Counts: map[string]int{}}
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
		return out, fault.Denied.New("what belongs to other agents alone is exported by a person, not by an agent", "", forAuthor, fault.Give("everything", "", "leave {} out: what the caller may read is exported without it"))
	}
	if slices.ContainsFunc(out.Tiers, func(t string) bool { return t != Account }) {
		out.Workspace = s.opt.Workspace
	}
	s.Flush(ctx) // accesses so far are part of it
	count := &countingWriter{w: w}
	x := &exporter{s: s, opt: opt, out: &out, w: bufio.NewWriterSize(count, 1<<16)}
	x.enc = json.NewEncoder(&x.line)
	x.enc.SetEscapeHTML(false)
	// Both files are read at one moment each, which are next to each other.
	err := x.in(ctx, false, func(workspace *sqlite.Tx) error {
		return x.in(ctx, true, func(account *sqlite.Tx) error {
			x.files = []exportFile{{tx: workspace, tier: Workspace}, {tx: account, tier: Account, account: true}}
			x.files = slices.DeleteFunc(x.files, func(f exportFile) bool { return f.tx == nil })
			for i := range x.files {
				var err error
				if x.files[i].taken, err = s.taken(x.files[i].tx); err != nil {
					return err
				}
			}
			return x.write()
		})
	})
	if err == nil {
		err = x.w.Flush()
	}
	out.Bytes = count.n
	return out, err
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

type exportFile struct {
	tx      *sqlite.Tx
	tier    string // of its named entries and notes
	account bool
	taken   any // the conversations that the caller takes part in
}

type exporter struct {
	s     *Store
	opt   ExportOptions
	out   *Exported
	w     *bufio.Writer
	line  bytes.Buffer // of enc
	enc   *json.Encoder
	files []exportFile // those that are there
}

// in runs fn on a snapshot of a file; without one if no tier of it is exported, or nobody has written to it.
func (x *exporter) in(ctx context.Context, account bool, fn func(*sqlite.Tx) error) error {
	if !slices.ContainsFunc(x.out.Tiers, func(t string) bool { return (t == Account) == account }) {
		return fn(nil)
	}
	f, err := x.s.open(ctx, account, false)
	if errors.Is(err, errNoFile) {
		return fn(nil)
	}
	if err != nil {
		return err
	}
	return f.Read(ctx, fn) // it uses no index, so there is none to make anew
}

func (x *exporter) has(tier string) bool { return slices.Contains(x.out.Tiers, tier) }

func (x *exporter) write() error {
	x.w.WriteString("{\n") // what goes wrong here is said by Flush
	for _, field := range []struct {
		name  string
		value any
	}{{"schema_version", SchemaVersion}, {"exported_at", x.out.At}, {"workspace", x.out.Workspace}, {"tiers", x.out.Tiers}} {
		x.w.WriteString(`"` + field.name + `": `)
		if err := x.encode(field.value); err != nil {
			return err
		}
		x.w.WriteString(",\n")
	}
	lists := map[string]func(*exportFile, func(any) error) error{listChannels: x.channels, listConversations: x.conversations, listItems: x.items, listNamed: x.named,
		listNotes: x.notes, listScratch: x.scratch, listRevisions: x.revisions}
	for i, name := range exportLists {
		if i > 0 {
			x.w.WriteString(",\n")
		}
		x.w.WriteString(`"` + name + `": [`)
		n := 0
		for j := range x.files {
			if err := lists[name](&x.files[j], func(record any) error {
				x.w.WriteString([]string{"\n", ",\n"}[min(n, 1)])
				n++
				return x.encode(record)
			}); err != nil {
				return err
			}
		}
		x.w.WriteString([]string{"]", "\n]"}[min(n, 1)])
		x.out.Counts[name] = n
	}
	_, err := x.w.WriteString("\n}\n")
	return err
}

// encode writes a value without the line's end that an encoder gives it.
func (x *exporter) encode(value any) error {
	x.line.Reset()
	if err := x.enc.Encode(value); err != nil {
		return err
	}
	_, err := x.w.Write(bytes.TrimSuffix(x.line.Bytes(), []byte("\n")))
	return err
}

// channels are the workspace's, if the caller reaches them; those of the conversations alone, if the tier itself is not exported.
func (x *exporter) channels(f *exportFile, add func(any) error) error {
	if f.account || !x.s.Reaches(Channel) || !x.has(Channel) && !x.has(Conversation) {
		return nil
	}
	var r channelRecord
	return f.tx.Each([]any{&r.Name, &r.Description, &r.IsDefault, sqlite.Time(&r.Created)}, func() error { return add(r) },
		`SELECT name, description, is_default, created FROM channels WHERE ? OR name IN (SELECT channel FROM conversations) ORDER BY created, name`, x.has(Channel))
}

func (x *exporter) conversations(f *exportFile, add func(any) error) error {
	if f.account || !x.has(Conversation) {
		return nil
	}
	all, err := conversations(f.tx, `?1 IS NULL OR ref IN (SELECT value FROM json_each(?1)) ORDER BY started, ref`, f.taken)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := add(conversationRecord{c.Ref, c.Channel, c.Thread, c.Agent, c.Status, c.Started, c.Ended, c.Archived}); err != nil {
			return err
		}
	}
	return nil
}

// which says in SQL which items of a file are exported.
func (x *exporter) which(f *exportFile) (string, []any) {
	where := `tier IN (SELECT value FROM json_each(?))`
	args := []any{sqlite.List(slices.DeleteFunc(slices.Clone(x.out.Tiers), func(t string) bool { return (t == Account) != f.account }))}
	if !x.opt.Everything {
		where, args = where+` AND agent IN ('', ?)`, append(args, x.s.opt.Agent)
	}
	if f.taken != nil {
		where, args = where+` AND (tier <> 'conversation' OR conversation IN (SELECT value FROM json_each(?)))`, append(args, f.taken)
	}
	if !x.opt.Forgotten {
		where, args = where+` AND forgotten IS NULL AND (expires IS NULL OR expires > ?)`, append(args, x.out.At.UnixMilli())
	}
	return where, args
}

func (x *exporter) items(f *exportFile, add func(any) error) error {
	where, args := x.which(f)
	// Numbers alone: the items themselves are not held all at once.
	order, err := sqlite.Column[int64](f.tx, `SELECT n FROM items WHERE `+where+` ORDER BY created, id`, args...)
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
		if err := add(namedRecord(n)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) notes(f *exportFile, add func(any) error) error {
	if !x.has(f.tier) {
		return nil
	}
	r := noteRecord{Tier: f.tier}
	return f.tx.Each(r.columns(), func() error { return add(r) },
		`SELECT id, agent, kind, content, created, forgotten FROM notes WHERE (?1 OR agent = ?2) AND (?3 OR forgotten IS NULL) ORDER BY created, id`,
		x.opt.Everything, x.s.opt.Agent, x.opt.Forgotten)
}

func (x *exporter) scratch(f *exportFile, add func(any) error) error {
	if f.account || !x.has(Conversation) {
		return nil
	}
	var r scratchRecord
	return f.tx.Each([]any{&r.Conversation, &r.Agent, &r.Key, &r.Shared, (*[]byte)(&r.Value), sqlite.Time(&r.Created), sqlite.Time(&r.Updated)}, func() error { return add(r) },
		`SELECT conversation, agent, key, shared, value, created, updated FROM scratch WHERE ?1 OR agent = ?2
			AND (?3 IS NULL OR conversation IN (SELECT value FROM json_each(?3))) ORDER BY conversation, agent, key`, x.opt.Everything, x.s.opt.Agent, f.taken)
}

// revisions are those of what is exported.
func (x *exporter) revisions(f *exportFile, add func(any) error) error {
	if !x.opt.Forgotten {
		return nil
	}
	where, args := x.which(f)
	r := revisionRecord{Tier: f.tier}
	return f.tx.Each([]any{&r.Subject, &r.Revision, sqlite.Time(&r.At), &r.Actor, (*[]byte)(&r.Before)}, func() error { return add(r) },
		`SELECT subject, revision, at, actor, before FROM revisions WHERE subject IN (SELECT id FROM items WHERE `+where+`) OR substr(subject, 1, 6) = 'named:' AND ? ORDER BY subject, revision`,
		append(args, x.has(f.tier))...)
}
