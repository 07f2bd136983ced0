package board

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/board/verify"
)

// Post is a finding to be put on the board.
type Post struct {
	// default: observation; contradiction if it contradicts something
	Type       string   `json:"type"`
	Content    string   `json:"content"`
	SourceDoc  string   `json:"source_doc,omitempty"`
	SourceRef  string   `json:"source_ref,omitempty"`
	Evidence   string   `json:"evidence,omitempty"`
	Sources    []Cited  `json:"sources,omitempty"` // all, if there are several
	Confidence *float64 `json:"confidence,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	// always set for contradictions, and for posts that supersede a must-surface entry
	MustSurface bool `json:"must_surface,omitempty"`
	// why it need not surface, although an entry that it supersedes had to
	DropDuty string `json:"drop_duty,omitempty"`
	// Links name entries (e12) or signals (s3), and other posts of the same batch by key
	// (@key).
	Supports    []string `json:"supports,omitempty"`
	Contradicts []string `json:"contradicts,omitempty"`
	Supersedes  []string `json:"supersedes,omitempty"`
	Addresses   []string `json:"addresses,omitempty"`
	// Key makes a retry safe: posting the same content under the same key returns the
	// entry of the first post.
	Key string `json:"key,omitempty"`
	// Worker overrides the batch's worker.
	Worker string `json:"worker,omitempty"`
}

func (p *Post) links() *Links {
	return &Links{Supports: p.Supports, Contradicts: p.Contradicts, Supersedes: p.Supersedes,
		Addresses: p.Addresses}
}

// SetLinks sets all links of the post.
func (p *Post) SetLinks(l Links) {
	p.Supports, p.Contradicts, p.Supersedes, p.Addresses = l.Supports, l.Contradicts, l.Supersedes,
		l.Addresses
}

// Cited is one of several sources of a finding.
type Cited = verify.Cited

// alone is the first source, or the only one.
func (p *Post) alone() Cited {
	return Cited{SourceDoc: p.SourceDoc, SourceRef: p.SourceRef, Evidence: p.Evidence}
}

// Cite adds a source behind those that the post has.
func (p *Post) Cite(c Cited) {
	if len(p.Sources) == 0 {
		p.Sources = []Cited{p.alone()}
	}
	p.Sources = append(p.Sources, c)
}

// putFirst keeps the fields of the first source and the list of all alike: a post that gives
// the list alone gets the fields from it, else they count. One source is no list.
func (p *Post) putFirst() {
	if len(p.Sources) == 0 {
		return
	}
	if p.alone() == (Cited{}) {
		first := p.Sources[0]
		p.SourceDoc, p.SourceRef, p.Evidence = first.SourceDoc, first.SourceRef, first.Evidence
	}
	p.Sources[0] = p.alone()
	if len(p.Sources) == 1 {
		p.Sources = nil
	}
}

// Posted is the answer to a post.
type Posted struct {
	Entry    Entry `json:"entry"`
	Existing bool  `json:"existing"` // the key was used before; this is the entry of that time
	// signals that are open again: it supersedes their answer, and does not address them
	Reopened []string `json:"reopened,omitempty"`
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
// link to each other by @key, to later ones too.
func (b *Board) PostBatch(ctx context.Context, worker string, posts []Post) ([]Posted, error) {
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
		posts[i].putFirst()
	}
	maskPosts(ctx, posts)
	if err := prepareBatch(worker, posts); err != nil {
		return nil, err
	}
	// not created yet, and a post that fails must not create it
	if _, err := b.reader(); err != nil {
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
					return notFound(fmt.Sprintf("%sthere is no %s: run %s has no entries yet",
						at(i, len(posts)), id, b.run), "post without links first")
				}
			}
		}
	}
	return nil
}

// at names a post of the batch in an error.
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
		if err := p.prepare(); err != nil {
			return prefixed(at(i, len(posts)), err)
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
			for _, id := range posts[i].links().Of(kind) {
				key, local := strings.CutPrefix(id, "@")
				if !local {
					continue
				}
				j, ok := keys[key]
				switch {
				case !ok:
					return notFound(at(i,
						len(posts))+fmt.Sprintf("no post of this batch has the key %q",
						clip(key, 60)), "@key names another post of the same batch; entries "+
						"that exist are named by id")
				case kind == Addresses:
					return invalid(at(i,
						len(posts))+id+" is an entry; only signals can be addressed",
						"ids of signals look like s3")
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

// prepare fills in the defaults of one post and checks its fields.
func (p *Post) prepare() error {
	switch {
	case p.Type == "" && len(p.Contradicts) > 0:
		p.Type = Contradiction
	case p.Type == "":
		p.Type = Observation
	}
	p.Type = strings.ToLower(p.Type)
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
		{"the reason to drop the duty", p.DropDuty, MaxField, false},
		{"the worker's name", p.Worker, MaxName, true},
	} {
		if err := checkText(f.what, f.text, f.max, f.required); err != nil {
			return err
		}
	}
	p.putFirst()
	if n := len(p.Sources); n > MaxSources {
		return invalid(fmt.Sprintf("the entry has %d sources; at most %d are allowed", n, MaxSources),
			"cite what it rests on most, and let a second entry have the rest")
	}
	for i, c := range p.Sources {
		nth := fmt.Sprintf(" of source %d", i+1)
		if err := cmp.Or(checkText("the document"+nth, c.SourceDoc, MaxField, i > 0),
			checkText("the reference"+nth, c.SourceRef, MaxField, false),
			checkText("the evidence"+nth, c.Evidence, MaxContent, false)); err != nil {
			return err
		}
	}
	if p.DropDuty != "" && p.MustSurface {
		return invalid("an entry that must surface itself takes the duty over: it cannot drop it",
			"leave one out")
	}
	if c := p.Confidence; c != nil && (math.IsNaN(*c) || *c < 0 || *c > 1) {
		return invalid(fmt.Sprintf("confidence %v is not between 0 and 1", *c),
			"0 is a guess, 1 is certain")
	}
	var err error
	if p.Tags, err = cleanTags(p.Tags); err != nil {
		return err
	}
	links := p.links()
	if n := links.Count(); n > MaxLinks {
		return invalid(fmt.Sprintf("the entry has %d links; at most %d are allowed", n, MaxLinks),
			"link what matters most, and let a second entry have the rest")
	}
	for _, kind := range LinkKinds {
		if err := cleanLinks(kind, links.of(kind)); err != nil {
			return err
		}
	}
	p.SetLinks(*links)
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
		return nil, invalid(fmt.Sprintf("the entry has %d tags; at most %d are allowed", len(out),
			MaxTags), "keep those that somebody would look for")
	}
	return out, nil
}

// cleanLinks checks the form of ids and drops repeated ones.
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
				return prefixed(kind+": ", err)
			}
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	*ids = out
	return nil
}

// prefixed puts a place before the message of an error. It keeps the kind and the next
// steps.
func prefixed(prefix string, err error) error {
	if e, ok := fault.Refused(err); ok && prefix != "" {
		return e.Kind.New(prefix+e.Msg, "", e.Next...)
	}
	return err
}
