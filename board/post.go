package board

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/text"
	"blackboard/kb/secret"
)

type Posted struct {
	Entry    Entry `json:"entry"`
	Existing bool  `json:"existing"` // the key was used before; this is the entry of that time
	// signals that are open again: it supersedes their answer, and does not address them
	Reopened []string `json:"reopened,omitempty"`
	*record.Correction
}

// Post puts one entry on the board with its links and their effects, or nothing.
//
// Errors: fault.Invalid for bad fields, links to itself and cycles of supersedes;
// fault.NotFound for a link to an id that does not exist; fault.Conflict if the key was
// used for other content.
func (b *Board) Post(ctx context.Context, worker string, p Post) (Posted, error) {
	out, err := b.PostBatch(ctx, worker, []Post{p})
	if err != nil {
		return Posted{}, err
	}
	return out[0], nil
}

// PostBatch puts many entries on the board in one transaction: all or none. Posts may
// link to each other by @key, to later ones too, and to earlier entries of the run.
func (b *Board) PostBatch(ctx context.Context, worker string, posts []Post) ([]Posted, error) {
	return b.postAll(ctx, worker, posts, nil)
}

// postAll is PostBatch. With a correction, the one post takes the place of the entry that it names.
func (b *Board) postAll(ctx context.Context, worker string, posts []Post, c *record.Correction) ([]Posted, error) {
	posts = slices.Clone(posts)
	if len(posts) > MaxBatch {
		return nil, invalid(fmt.Sprintf("the batch has %d posts; at most %d are allowed at once",
			len(posts), MaxBatch), "split it")
	}
	if len(posts) == 0 {
		return nil, invalid("the batch is empty", "give one JSON object per line")
	}
	for i := range posts {
		posts[i].Sources = slices.Clone(posts[i].Sources)
		posts[i].PutFirst()
	}
	maskPosts(ctx, posts)
	if err := prepareBatch(worker, posts); err != nil {
		return nil, err
	}
	// not created yet, and a post that fails must not create it
	if _, err := b.reader(); err != nil {
		if err := b.checkNoLinks(posts); err != nil {
			return nil, err
		}
	}
	out := make([]Posted, len(posts))
	err := b.write(ctx, worker, func(w *writer) error {
		if err := w.postAll(posts, out, c); err != nil || c == nil || out[0].Existing {
			return err
		}
		e, err := w.moveLinks(c.Corrects, out[0].Entry.ID)
		if err == nil {
			out[0].Entry = *e
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (b *Board) checkNoLinks(posts []Post) error {
	for i := range posts {
		for _, kind := range LinkKinds {
			for _, id := range posts[i].Links().Of(kind) {
				key, named := strings.CutPrefix(id, "@")
				if named && !slices.ContainsFunc(posts, func(p Post) bool { return p.Key == key }) {
					return fault.Prefix(at(i, len(posts)), noSuchKey(key))
				} else if !named {
					return notFound(fmt.Sprintf("%sthere is no %s: run %s has no entries yet",
						at(i, len(posts)), id, b.run), "post without links first")
				}
			}
		}
	}
	return nil
}

func at(i, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("post %d of the batch: ", i+1)
}

// prepareBatch fills in defaults and checks what can be checked without the board.
func prepareBatch(worker string, posts []Post) error {
	keys := map[string]int{}
	for i := range posts {
		p := &posts[i]
		if p.Worker == "" {
			p.Worker = worker
		}
		plain := []*string{&p.Content, &p.Evidence}
		for i := range p.Sources {
			plain = append(plain, &p.Sources[i].Evidence)
		}
		for _, s := range plain {
			if strings.IndexByte(*s, 0) < 0 { // which is refused below
				*s = text.Plain(*s)
			}
		}
		if err := p.Prepare(); err != nil {
			return fault.Prefix(at(i, len(posts)), err)
		}
		p.MustSurface = p.MustSurface || len(p.Contradicts) > 0 // not for what older logs say
		if p.Key != "" {
			if j, dup := keys[p.Key]; dup {
				return invalid(fmt.Sprintf("posts %d and %d of the batch have the same key %q", j+1,
					i+1, clip(p.Key, 60)), "give each post its own key")
			}
			keys[p.Key] = i
		}
	}
	after := make([][]int, len(posts)) // supersedes edges within the batch
	for i := range posts {
		for _, kind := range LinkKinds {
			for _, id := range posts[i].Links().Of(kind) {
				key, local := strings.CutPrefix(id, "@")
				if !local {
					continue
				}
				j, ok := keys[key]
				switch {
				case kind == Addresses:
					return invalid(at(i,
						len(posts))+id+" is an entry; only questions can be answered",
						"ids of questions look like s3")
				case !ok: // that of an earlier post, or of none: resolve says
				case i == j:
					return invalid(at(i, len(posts))+fmt.Sprintf("%s links to itself", id),
						"name another post of the batch, or an entry that was there before")
				case kind == Supersedes:
					after[i] = append(after[i], j)
				}
			}
		}
	}
	if c := cycle(after); c != nil {
		names := make([]string, len(c))
		for k, i := range c {
			names[k] = "@" + posts[i].Key
		}
		return invalid("these posts supersede each other in a cycle: "+strings.Join(names, " → "),
			"keep the link from the newer to the older one only")
	}
	return nil
}

// cycle returns the nodes of a cycle in a graph of adjacency lists, with the first node
// again at the end; nil if there is none.
func cycle(graph [][]int) []int {
	const onPath, done = 1, 2
	state, path := make([]int, len(graph)), []int{}
	var walk func(node int) []int
	walk = func(node int) []int {
		switch state[node] {
		case onPath:
			return append(path[slices.Index(path, node):], node)
		case done:
			return nil
		}
		state[node], path = onPath, append(path, node)
		for _, next := range graph[node] {
			if found := walk(next); found != nil {
				return found
			}
		}
		state[node], path = done, path[:len(path)-1]
		return nil
	}
	for node := range graph {
		if found := walk(node); found != nil {
			return found
		}
	}
	return nil
}

// postAll writes prepared posts and fills in out; it may run again in another transaction.
func (w *writer) postAll(posts []Post, out []Posted, c *record.Correction) error {
	posts = slices.Clone(posts) // links are resolved in them
	clear(out)
	byKey := map[string]int64{}
	ids := make([]int64, len(posts))
	next, err := nextID(w.tx, "entries")
	if err != nil {
		return err
	}
	// First every post gets its id, so that links can point forward.
	for i := range posts {
		p := &posts[i]
		if p.Key != "" {
			old, err := entryByKey(w.tx, p.Key)
			if err != nil {
				return err
			}
			if old != nil {
				out[i] = Posted{Entry: *old, Existing: true}
				ids[i], _ = ParseEntryID(old.ID)
				byKey[p.Key] = ids[i]
				continue
			}
		}
		ids[i] = next
		next++
		if p.Key != "" {
			byKey[p.Key] = ids[i]
		}
	}
	// Then all links are resolved: no row is there yet, so no guessed id matches one.
	for i := range posts {
		err := w.resolve(&posts[i], ids[i], byKey)
		if err == nil && out[i].Existing {
			err = checkSame(&posts[i], &out[i].Entry)
		}
		if err != nil {
			return fault.Prefix(at(i, len(posts)), err)
		}
	}
	if err := w.takeDuties(posts, ids, out); err != nil {
		return err
	}
	linked := false
	for i := range posts {
		if out[i].Existing {
			continue
		}
		payload := record.PostPayload{Post: posts[i], Correction: c}
		payload.Worker = "" // the actor says it
		if err := w.eventBy(posts[i].Worker, record.VerbPost, EntryID(ids[i]), payload); err != nil {
			return err
		}
		out[i].Entry = posts[i].Entry(EntryID(ids[i]), w.seq, time.UnixMilli(w.at).UTC())
		linked = linked || posts[i].Links().Count() > 0
	}
	// Effects come after all rows, in the posts' order, in their workers' names.
	actor := w.actor
	for i := range posts {
		if out[i].Existing {
			continue
		}
		w.actor, w.reopened = posts[i].Worker, nil
		if err := w.applyEffects(&posts[i], ids[i]); err != nil {
			return fault.Prefix(at(i, len(posts)), err)
		}
		out[i].Reopened = w.reopened
	}
	w.actor = actor
	for i := range posts {
		if !out[i].Existing && linked { // else it is as it was sent
			e, err := getEntry(w.tx, ids[i])
			if err != nil {
				return err
			}
			out[i].Entry = *e
		}
		for j, id := range out[i].Reopened { // a later post may have answered it anew
			n, _ := ParseSignalID(id)
			if s, err := getSignal(w.tx, n); err != nil {
				return err
			} else if s.Status != SignalOpen {
				out[i].Reopened[j] = ""
			}
		}
		out[i].Reopened = slices.DeleteFunc(out[i].Reopened, func(id string) bool { return id == "" })
	}
	return nil
}

// checkSame returns fault.Conflict if a post under a used key has other content: returning the old
// entry would then lose what is new.
func checkSame(p *Post, old *Entry) error {
	differs := ""
	switch {
	case p.Content != old.Content:
		differs = "another content"
	case p.Type != old.Type:
		differs = "the type " + old.Type
	case p.SourceDoc != old.SourceDoc || p.SourceRef != old.SourceRef:
		differs = "another source"
	case !slices.Equal(p.Sources, old.Sources):
		differs = "another source"
	case p.Evidence != old.Evidence:
		differs = "other evidence"
	// a link may have brought the duty
	case p.MustSurface != old.MustSurface && len(p.Contradicts) == 0 &&
		(p.MustSurface || len(old.Supersedes)+len(old.Contradicts) == 0):
		differs = map[bool]string{true: "must-surface", false: "no must-surface"}[old.MustSurface]
	case (p.Confidence == nil) != (old.Confidence == nil) || p.Confidence != nil &&
		*p.Confidence != *old.Confidence:
		differs = "another confidence"
	case !slices.Equal(p.Tags, old.Tags):
		differs = "other tags"
	}
	for _, kind := range LinkKinds {
		for _, id := range p.Links().Of(kind) {
			if !slices.Contains(old.Of(kind), id) {
				differs = "no link that " + kind + " " + id
			}
		}
	}
	if differs == "" {
		return nil
	}
	return conflict(fmt.Sprintf("the key %q was used for %s, with %s", clip(p.Key, 60), old.ID,
		differs),
		"use a new key", fault.Give("supersedes", old.ID, "or {} if this replaces it"))
}

func nextID(tx *store.Tx, table string) (n int64, err error) {
	err = tx.QueryRow(`SELECT coalesce(max(id), 0) + 1 FROM ` + table).Scan(&n)
	return n, err
}

func noSuchKey(key string) error {
	return notFound(fmt.Sprintf("no post of this run has the key %q", clip(key, 60)),
		"@key names a post by its key, of the same batch or an earlier one; others are named by id")
}

// resolve replaces @key links by ids and checks that every target exists.
func (w *writer) resolve(p *Post, self int64, byKey map[string]int64) error {
	links := p.Links()
	for _, kind := range LinkKinds {
		var seen []string
		for _, id := range links.Of(kind) {
			if key, named := strings.CutPrefix(id, "@"); named {
				n, ok := byKey[key]
				if id = EntryID(n); !ok { // it is that of an earlier post
					e, err := entryByKey(w.tx, key)
					if err != nil {
						return err
					} else if e == nil {
						return noSuchKey(key)
					}
					id = e.ID
				}
			} else if err := w.checkTarget(kind, id, self); err != nil {
				return err
			}
			if !slices.Contains(seen, id) {
				seen = append(seen, id)
			}
		}
		*links.List(kind) = seen
	}
	p.SetLinks(*links)
	return nil
}

// checkTarget checks that a link of this kind from entry self may point at id.
func (w *writer) checkTarget(kind, id string, self int64) error {
	table, parse := "entries", ParseEntryID
	if kind == Addresses {
		table, parse = "signals", ParseSignalID
	}
	n, err := parse(id)
	if err != nil {
		return err
	}
	if kind != Addresses && n == self {
		return invalid(fmt.Sprintf("%s would link to itself", id),
			"name the entry that was there before")
	}
	var one int
	err = w.tx.QueryRow(`SELECT 1 FROM `+table+` WHERE id = ?`, n).Scan(&one)
	if store.IsNoRows(err) {
		what := map[string]string{"entries": "entry", "signals": "question"}[table]
		return notFound(fmt.Sprintf("there is no %s %s on this board", what, id), "",
			fault.Do("entry.list", "{} lists entries"), fault.Do("signal.list", "{} lists questions"))
	}
	return err
}

// Correct amends an entry: a new one takes its place, with all that amend leaves as it is in
// the post: content, source, type, tags, confidence, duty, links and the question that it
// answers. What supports or contradicts the entry does so to the new one. It has the key that amend
// gives it, and no verdict yet. What changed is on record, with the reason if there is one. A retry
// is safe as in Post.
//
// Errors: as for Post; fault.Conflict if the entry is superseded already, with the entry
// that did it; fault.Invalid if nothing changes.
func (b *Board) Correct(ctx context.Context, worker, id, reason string, amend func(*Entry, *Post) error) (Posted, error) {
	maskText(ctx, theReason, &reason)
	if err := record.CheckText(theReason, reason, MaxField, false); err != nil {
		return Posted{}, err
	}
	d, err := b.Entry(ctx, id)
	if err != nil {
		return Posted{}, err
	}
	e := &d.Entry
	before := e.AsPost()
	before.Key, before.Supersedes = "", nil
	after := before
	after.Sources = slices.Clone(before.Sources)
	for _, list := range []*[]string{&after.Tags, &after.Supports, &after.Contradicts, &after.Addresses} {
		*list = slices.Clone(*list)
	}
	if err := amend(e, &after); err != nil {
		return Posted{}, err
	}
	after.PutFirst()
	if e.Status == Superseded {
		if err := b.checkRepeats(ctx, &d, after.Key); err != nil {
			return Posted{}, err
		}
	}
	before.Key = after.Key // which is the new entry's own
	changed := before.Differs(&after)
	if len(changed) == 0 {
		return Posted{}, invalid("nothing of "+id+" changes", "give what is to be other than it is")
	}
	after.Supersedes = append(after.Supersedes, id)
	c := &record.Correction{Corrects: id, Changed: changed, Reason: strings.TrimSpace(reason)}
	out, err := b.postAll(ctx, worker, []Post{after}, c)
	if err != nil {
		return Posted{}, err
	}
	out[0].Correction = c
	return out[0], nil
}

// moveLinks gives a correction the links to the entry that it corrects: what supports it, and what
// contradicts it and was not settled, so that a dispute stays. It returns the correction.
func (w *writer) moveLinks(corrected, by string) (*Entry, error) {
	old, err := ParseEntryID(corrected)
	if err != nil {
		return nil, err
	}
	n, err := ParseEntryID(by)
	if err != nil {
		return nil, err
	}
	links, err := backlinks(w.tx, old, `l.kind IN ('supports', 'contradicts') AND l.src <> ? AND e.status <> 'superseded'`, n)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		src, err := ParseEntryID(l.From)
		if err != nil {
			return nil, err
		}
		if l.Kind == Contradicts {
			if err := w.checkNotSettled(min(src, old), max(src, old), ""); errors.Is(err, fault.Conflict) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		e, err := getEntry(w.tx, src)
		if err != nil {
			return nil, err
		}
		if err := w.addLink(src, l.Kind, by, e, ""); err != nil {
			return nil, err
		}
	}
	return getEntry(w.tx, n)
}

// checkRepeats returns nil if an entry with the key supersedes the entry: a correction that is made
// again, which Post answers. Else it says by what the entry is superseded.
func (b *Board) checkRepeats(ctx context.Context, d *EntryDetail, key string) error {
	by := ""
	for _, l := range d.Linked {
		if l.Kind == Supersedes {
			by = l.From
			s, err := b.Entry(ctx, by)
			if err != nil || key != "" && s.Entry.Key == key {
				return err
			}
		}
	}
	return conflict(fmt.Sprintf("%s is superseded already, by %s", d.Entry.ID, by), "correct "+by)
}

// Names of texts in notes about what was masked.
const (
	theReason = "the reason"
	theNote   = "the note"
)

// forReaders is what a reason is for that ends in the report.
const forReaders = "it is what the reader of the report will see"

// maskText masks what looks like a secret in a text that a write is about to store; see
// [secret.Writing] for how a caller keeps it.
func maskText(ctx context.Context, what string, text *string) {
	secret.MaskWrite(ctx, func(m *secret.Masker) { m.Text(what, text) })
}

// needReason masks a reason, and refuses one that says nothing. give says what it is for.
func needReason(ctx context.Context, reason *string, what, give string) error {
	maskText(ctx, theReason, reason)
	if strings.TrimSpace(*reason) == "" {
		return invalid(what+" needs a reason", "", fault.Give("reason", "", "give {}: "+give))
	}
	return record.CheckText(theReason, *reason, MaxField, true)
}

// maskPosts masks posts, which belong to the caller of the write.
func maskPosts(ctx context.Context, posts []Post) {
	secret.MaskWrite(ctx, func(m *secret.Masker) {
		for i := range posts {
			maskPost(&posts[i], m, at(i, len(posts)))
		}
	})
}

func maskPost(p *Post, m *secret.Masker, where string) {
	m.Text(where+"the content", &p.Content)
	m.Text(where+"the source document", &p.SourceDoc)
	m.Text(where+"the source reference", &p.SourceRef)
	m.Text(where+"the evidence", &p.Evidence)
	for i := 1; i < len(p.Sources); i++ {
		c, nth := &p.Sources[i], fmt.Sprintf("%ssource %d", where, i+1)
		m.Text(nth, &c.SourceDoc)
		m.Text(nth, &c.SourceRef)
		m.Text(nth, &c.Evidence)
	}
	p.PutFirst() // as it is masked
	m.Text(where+"the reason to drop the duty", &p.DropDuty)
	p.Tags = slices.Clone(p.Tags)
	for i := range p.Tags {
		m.Text(where+"a tag", &p.Tags[i])
	}
}
