package board

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/sqlite"
)

// Post is a finding to be put on the board.
type Post struct {
	Type        string   `json:"type"` // default: observation
	Content     string   `json:"content"`
	SourceDoc   string   `json:"source_doc,omitempty"`
	SourceRef   string   `json:"source_ref,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	MustSurface bool     `json:"must_surface,omitempty"` // always on for contradictions
	// Links name entries (e12), signals (s3) and, within one batch, other posts by their key (@key).
	Supports    []string `json:"supports,omitempty"`
	Contradicts []string `json:"contradicts,omitempty"`
	Supersedes  []string `json:"supersedes,omitempty"`
	Addresses   []string `json:"addresses,omitempty"`
	// Key makes a retry safe: posting the same content under a key that was used returns the entry of the first time.
	Key string `json:"key,omitempty"`
	// Worker overrides the batch's worker.
	Worker string `json:"worker,omitempty"`
}

func (p *Post) links() *Links {
	return &Links{Supports: p.Supports, Contradicts: p.Contradicts, Supersedes: p.Supersedes, Addresses: p.Addresses}
}

// Posted is the answer to a post.
type Posted struct {
	Entry    Entry `json:"entry"`
	Existing bool  `json:"existing"` // the key was used before; this is the entry of that time
}

// Post puts one entry on the board, with its links and their effects, or nothing.
//
// Errors: ErrInvalid for bad fields, self-links and cycles of supersedes; ErrNotFound for a link to an id that does not exist;
// ErrConflict when the key was used for another content.
func (b *Board) Post(ctx context.Context, worker string, p Post) (Posted, error) {
	out, err := b.PostBatch(ctx, worker, []Post{p})
	if err != nil {
		return Posted{}, err
	}
	return out[0], nil
}

// PostBatch puts many entries on the board in one transaction: all or none. Posts may link to each other, forward too, by @key.
func (b *Board) PostBatch(ctx context.Context, worker string, posts []Post) ([]Posted, error) {
	posts = slices.Clone(posts)
	if len(posts) > MaxBatch {
		return nil, invalid(fmt.Sprintf("the batch has %d posts; at most %d are taken at once", len(posts), MaxBatch), "split it")
	}
	if len(posts) == 0 {
		return nil, invalid("the batch is empty", "give one JSON object per line")
	}
	if err := prepareBatch(worker, posts); err != nil {
		return nil, err
	}
	if _, err := b.reader(); err != nil { // not made yet, and not to be made by a post that will fail
		if err := b.linksIntoNothing(posts); err != nil {
			return nil, err
		}
	}
	out := make([]Posted, len(posts))
	err := b.write(ctx, worker, func(w *writer) error { return w.postAll(posts, out) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (b *Board) linksIntoNothing(posts []Post) error {
	for i := range posts {
		for _, kind := range LinkKinds {
			for _, id := range posts[i].links().Of(kind) {
				if !strings.HasPrefix(id, "@") {
					return notFound(fmt.Sprintf("%sthere is no %s: run %s has no entries yet", at(i, len(posts)), id, b.run), "post without links first")
				}
			}
		}
	}
	return nil
}

// at names a post of a batch in an error.
func at(i, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("post %d of the batch: ", i+1)
}

// prepareBatch fills defaults and checks everything that can be checked without the board.
func prepareBatch(worker string, posts []Post) error {
	keys := map[string]int{}
	for i := range posts {
		p := &posts[i]
		if p.Worker == "" {
			p.Worker = worker
		}
		if err := p.prepare(); err != nil {
			return prefixed(at(i, len(posts)), err)
		}
		if p.Key != "" {
			if j, dup := keys[p.Key]; dup {
				return invalid(fmt.Sprintf("posts %d and %d of the batch have the same key %q", j+1, i+1, clip(p.Key, 60)), "give each post its own key")
			}
			keys[p.Key] = i
		}
	}
	after := make([][]int, len(posts)) // supersedes edges within the batch
	for i := range posts {
		for _, kind := range LinkKinds {
			for _, id := range posts[i].links().Of(kind) {
				key, local := strings.CutPrefix(id, "@")
				if !local {
					continue
				}
				j, ok := keys[key]
				switch {
				case !ok:
					return notFound(at(i, len(posts))+fmt.Sprintf("no post of this batch has the key %q", clip(key, 60)), "@key names another post of the same batch; entries that exist are named by id")
				case kind == Addresses:
					return invalid(at(i, len(posts))+id+" is an entry; only signals can be addressed", "ids of signals look like s3")
				case i == j:
					return invalid(at(i, len(posts))+fmt.Sprintf("%s links to itself", id), "")
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
		return invalid("these posts supersede each other in a cycle: "+strings.Join(names, " → "), "keep the link from the newer to the older one only")
	}
	return nil
}

// cycle returns the nodes of one cycle of a graph given as adjacency lists, its first node repeated at the end, or nil.
func cycle(graph [][]int) []int {
	state := make([]int, len(graph)) // 0 unseen, 1 on the path, 2 done
	type step struct{ node, next int }
	for start := range graph {
		if state[start] != 0 {
			continue
		}
		path := []step{{start, 0}}
		state[start] = 1
		for len(path) > 0 {
			top := &path[len(path)-1]
			if top.next == len(graph[top.node]) {
				state[top.node] = 2
				path = path[:len(path)-1]
				continue
			}
			next := graph[top.node][top.next]
			top.next++
			switch state[next] {
			case 0:
				state[next] = 1
				path = append(path, step{next, 0})
			case 1:
				var nodes []int
				for _, s := range path {
					if len(nodes) > 0 || s.node == next {
						nodes = append(nodes, s.node)
					}
				}
				return append(nodes, next)
			}
		}
	}
	return nil
}

// prepare fills the defaults of one post and checks its fields.
func (p *Post) prepare() error {
	if p.Type == "" {
		p.Type = Observation
	}
	if !slices.Contains(EntryTypes, p.Type) {
		return unknown("type", p.Type, EntryTypes)
	}
	p.MustSurface = p.MustSurface || p.Type == Contradiction
	for _, f := range []struct {
		what, text string
		max        int
		required   bool
	}{
		{"the content", p.Content, MaxContent, true},
		{"the source document", p.SourceDoc, MaxField, false},
		{"the source reference", p.SourceRef, MaxField, false},
		{"the evidence", p.Evidence, MaxContent, false},
		{"the key", p.Key, MaxField, false},
		{"the worker's name", p.Worker, MaxName, true},
	} {
		if err := checkText(f.what, f.text, f.max, f.required); err != nil {
			return err
		}
	}
	if c := p.Confidence; c != nil && (math.IsNaN(*c) || *c < 0 || *c > 1) {
		return invalid(fmt.Sprintf("confidence %v is not between 0 and 1", *c), "0 is a guess, 1 is certain")
	}
	var err error
	if p.Tags, err = cleanTags(p.Tags); err != nil {
		return err
	}
	links := p.links()
	if n := links.Count(); n > MaxLinks {
		return invalid(fmt.Sprintf("the entry has %d links; at most %d are taken", n, MaxLinks), "")
	}
	for _, kind := range LinkKinds {
		if err := cleanLinks(kind, links.of(kind)); err != nil {
			return err
		}
	}
	p.Supports, p.Contradicts, p.Supersedes, p.Addresses = links.Supports, links.Contradicts, links.Supersedes, links.Addresses
	return nil
}

func cleanTags(tags []string) ([]string, error) {
	out := []string{}
	for _, t := range tags {
		t = strings.TrimSpace(t)
		if t == "" || slices.Contains(out, t) {
			continue
		}
		if err := checkText("a tag", t, MaxName, true); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	if len(out) > MaxTags {
		return nil, invalid(fmt.Sprintf("the entry has %d tags; at most %d are taken", len(out), MaxTags), "")
	}
	return out, nil
}

// cleanLinks checks the form of the ids and drops repetitions.
func cleanLinks(kind string, ids *[]string) error {
	out := []string{}
	for _, id := range *ids {
		id = strings.TrimSpace(id)
		if !strings.HasPrefix(id, "@") {
			parse := ParseEntryID
			if kind == Addresses {
				parse = ParseSignalID
			}
			if _, err := parse(id); err != nil {
				return prefixed("--"+kind+": ", err)
			}
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	*ids = out
	return nil
}

// prefixed adds a place to the message of an Error and keeps its kind and hint.
func prefixed(prefix string, err error) error {
	if e, ok := err.(*Error); ok && prefix != "" {
		return &Error{e.Kind, prefix + e.Msg, e.Hint}
	}
	return err
}

// postAll writes prepared posts and fills out.
func (w *writer) postAll(posts []Post, out []Posted) error {
	byKey := map[string]int64{}
	ids := make([]int64, len(posts))
	next, err := nextID(w.tx, "entries")
	if err != nil {
		return err
	}
	// First every post gets its id, old or new, so that links can point forward.
	for i := range posts {
		p := &posts[i]
		if p.Key != "" {
			old, err := entryByKey(w.tx, p.Key)
			if err != nil {
				return err
			}
			if old != nil {
				if old.Content != p.Content || old.Type != p.Type {
					return conflict(at(i, len(posts))+fmt.Sprintf("the key %q was used for %s with another content", clip(p.Key, 60), old.ID),
						"use a new key, or `--supersedes "+old.ID+"` if this replaces it")
				}
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
	for i := range posts {
		if out[i].Existing {
			continue
		}
		if err := w.resolve(&posts[i], ids[i], byKey); err != nil {
			return prefixed(at(i, len(posts)), err)
		}
		if err := w.insertEntry(&posts[i], ids[i], "", nil); err != nil {
			return err
		}
	}
	// Effects come after all rows are there, in the order of the posts.
	for i := range posts {
		if out[i].Existing {
			continue
		}
		if err := w.effects(&posts[i], ids[i]); err != nil {
			return prefixed(at(i, len(posts)), err)
		}
	}
	for i := range posts {
		if !out[i].Existing {
			e, err := getEntry(w.tx, ids[i])
			if err != nil {
				return err
			}
			out[i].Entry = *e
		}
	}
	return nil
}

func nextID(tx *sqlite.Tx, table string) (n int64, err error) {
	err = tx.QueryRow(`SELECT coalesce(max(id), 0) + 1 FROM ` + table).Scan(&n)
	return n, err
}

// resolve replaces @key links by ids and checks that every target exists.
func (w *writer) resolve(p *Post, self int64, byKey map[string]int64) error {
	links := p.links()
	for _, kind := range LinkKinds {
		var seen []string
		for _, id := range links.Of(kind) {
			if key, local := strings.CutPrefix(id, "@"); local {
				id = EntryID(byKey[key])
			} else if err := w.target(kind, id, self); err != nil {
				return err
			}
			if !slices.Contains(seen, id) {
				seen = append(seen, id)
			}
		}
		*links.of(kind) = seen
	}
	p.Supports, p.Contradicts, p.Supersedes, p.Addresses = links.Supports, links.Contradicts, links.Supersedes, links.Addresses
	return nil
}

// target checks that a link of the given kind from entry self may point at id.
func (w *writer) target(kind, id string, self int64) error {
	table, parse := "entries", ParseEntryID
	if kind == Addresses {
		table, parse = "signals", ParseSignalID
	}
	n, err := parse(id)
	if err != nil {
		return err
	}
	if kind != Addresses && n == self {
		return invalid(fmt.Sprintf("%s would link to itself", id), "name the entry that was there before")
	}
	var one int
	err = w.tx.QueryRow(`SELECT 1 FROM `+table+` WHERE id = ?`, n).Scan(&one)
	if sqlite.IsNoRows(err) {
		what := map[string]string{"entries": "entry", "signals": "signal"}[table]
		return notFound(fmt.Sprintf("there is no %s %s on this board", what, id), "`board query` lists entries, `board signals` lists signals")
	}
	return err
}

// insertEntry writes the row, tags, links and event of a prepared, resolved post.
func (w *writer) insertEntry(p *Post, id int64, externalID string, extra map[string]json.RawMessage) error {
	payload := postPayload{Post: *p, ExternalID: externalID, Extra: extra}
	payload.Worker = "" // the actor says it
	actor := w.actor
	w.actor = p.Worker
	err := w.event(verbPost, EntryID(id), payload)
	w.actor = actor
	if err != nil {
		return err
	}
	return w.entryRow(p, id, externalID, w.seq, w.at)
}

// entryRow writes the rows of an entry whose event seq is in the log.
func (w *writer) entryRow(p *Post, id int64, externalID string, seq, created int64) error {
	tags, err := json.Marshal(p.Tags)
	if err != nil {
		return err
	}
	_, err = w.tx.Exec(`INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, seq, created, p.Type, Active, p.Content, p.SourceDoc, p.SourceRef, p.Evidence, p.Confidence, p.Worker, string(tags), p.MustSurface,
		orNull(p.Key), orNull(externalID))
	if err != nil {
		return err
	}
	for _, t := range p.Tags {
		if _, err := w.tx.Exec(`INSERT INTO entry_tags VALUES (?, ?)`, t, id); err != nil {
			return err
		}
	}
	for _, kind := range LinkKinds {
		for _, target := range p.links().Of(kind) {
			if err := w.linkRow(id, kind, target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) linkRow(src int64, kind, target string) error {
	dst, err := targetID(kind, target)
	if err != nil {
		return err
	}
	_, err = w.tx.Exec(`INSERT INTO links SELECT ?, ?, count(*), ? FROM links WHERE src = ? AND kind = ?`, src, kind, dst, src, kind)
	return err
}

func targetID(kind, id string) (int64, error) {
	if kind == Addresses {
		return ParseSignalID(id)
	}
	return ParseEntryID(id)
}

// effects applies what the links of a posted entry do to their targets.
func (w *writer) effects(p *Post, id int64) error {
	for _, kind := range LinkKinds {
		for _, target := range p.links().Of(kind) {
			dst, err := targetID(kind, target)
			if err != nil {
				return err
			}
			if err := w.effect(id, kind, dst); err != nil {
				return err
			}
		}
	}
	return nil
}

// effect applies one link: contradicts disputes an active entry, supersedes retires one, addresses answers an open signal.
func (w *writer) effect(src int64, kind string, dst int64) error {
	by := byPayload{By: EntryID(src)}
	switch kind {
	case Contradicts:
		return w.setStatus(dst, Active, Disputed, verbDispute, by)
	case Supersedes:
		if err := w.setStatus(dst, "", Superseded, verbSupersede, by); err != nil {
			return err
		}
		return w.settle(dst, by)
	case Addresses:
		return w.closeSignal(dst, Addressed, verbAddress, addressPayload{By: EntryID(src)})
	}
	return nil
}

// setStatus moves an entry to a status if it has the status from (any other one, if from is empty), and logs it.
func (w *writer) setStatus(id int64, from, to, verb string, payload any) error {
	res, err := w.tx.Exec(`UPDATE entries SET status = ? WHERE id = ? AND status <> ? AND (? = '' OR status = ?)`, to, id, to, from, from)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return w.event(verb, EntryID(id), payload)
}

// settle ends the disputes that a superseded entry had begun: a disputed entry is active again
// once no entry that still stands contradicts it.
func (w *writer) settle(superseded int64, by byPayload) error {
	rows, err := w.tx.Query(`SELECT t.id FROM links l JOIN entries t ON t.id = l.dst
		WHERE l.src = ? AND l.kind = 'contradicts' AND t.status = 'disputed' AND NOT EXISTS (
			SELECT 1 FROM links o JOIN entries e ON e.id = o.src
			WHERE o.dst = t.id AND o.kind = 'contradicts' AND e.status <> 'superseded')
		ORDER BY t.id`, superseded)
	if err != nil {
		return err
	}
	ids, err := scanIDs(rows)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.setStatus(id, Disputed, Active, verbSettle, by); err != nil {
			return err
		}
	}
	return nil
}

// Link adds links to an entry that is on the board already, with their effects.
//
// Errors: as for Post, and ErrConflict when the entry is superseded or has that link.
func (b *Board) Link(ctx context.Context, worker, entry string, links Links) (Entry, error) {
	src, err := ParseEntryID(entry)
	if err != nil {
		return Entry{}, err
	}
	if links.Count() == 0 {
		return Entry{}, invalid("no link is given", "say what the entry does: --supports, --contradicts, --supersedes or --addresses")
	}
	for _, kind := range LinkKinds {
		if err := cleanLinks(kind, links.of(kind)); err != nil {
			return Entry{}, err
		}
	}
	var out Entry
	err = b.write(ctx, worker, func(w *writer) error {
		e, err := getEntry(w.tx, src)
		if err != nil {
			return err
		}
		for _, kind := range LinkKinds {
			for _, target := range links.Of(kind) {
				if err := w.addLink(src, kind, target, e); err != nil {
					return err
				}
			}
		}
		e, err = getEntry(w.tx, src)
		if err == nil {
			out = *e
		}
		return err
	})
	return out, err
}

func (w *writer) addLink(src int64, kind, target string, e *Entry) error {
	if err := w.target(kind, target, src); err != nil {
		return err
	}
	if slices.Contains(e.Of(kind), target) {
		return conflict(fmt.Sprintf("%s %s %s already", e.ID, kind, target), "")
	}
	dst, err := targetID(kind, target)
	if err != nil {
		return err
	}
	if kind == Supersedes {
		var one int
		err := w.tx.QueryRow(`WITH RECURSIVE older(id) AS (
				VALUES (?) UNION SELECT l.dst FROM links l JOIN older o ON l.src = o.id AND l.kind = 'supersedes')
			SELECT 1 FROM older WHERE id = ?`, dst, src).Scan(&one)
		if err == nil {
			return invalid(fmt.Sprintf("%s supersedes %s already, directly or through others: this link would close a cycle", target, e.ID),
				"post a new entry that supersedes both")
		} else if !sqlite.IsNoRows(err) {
			return err
		}
	}
	if e.Status == Superseded {
		return conflict(e.ID+" is superseded and cannot gain links", "link the entry that superseded it: `board show "+e.ID+"`")
	}
	if err := w.event(verbLink, e.ID, linkPayload{Kind: kind, Target: target}); err != nil {
		return err
	}
	if err := w.linkRow(src, kind, target); err != nil {
		return err
	}
	return w.effect(src, kind, dst)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
