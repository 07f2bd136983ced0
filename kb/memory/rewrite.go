package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

// Limits of what ApplyRewrites reads.
const (
	MaxRewriteBytes = 64 << 20
	MaxRewrites     = 10_000 // groups
)

// SourceConsolidation is the source of an item that was rewritten from others.
const SourceConsolidation = "consolidation"

// Rewrite is what an agent makes of a group: one item in the place of several.
type Rewrite struct {
	Group      string        `json:"group"` // what it is called in answers
	Items      []RewriteItem `json:"items"` // the first of them is what the new one is derived from
	Title      string        `json:"title"`
	Content    string        `json:"content"`
	Importance *float64      `json:"importance"` // null: the greatest of the items'
	Tags       []string      `json:"tags"`       // null: those of all items
}

// RewriteItem is an item that is replaced, as it was read.
type RewriteItem struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
}

// Rewritten is a rewrite that was done.
type Rewritten struct {
	Item     Item     `json:"item"`     // the new one
	Replaced []string `json:"replaced"` // ids
	Pass     string   `json:"pass"`     // id for Undo
}

// Refused is a rewrite that cannot be done, and why.
type Refused struct {
	From string `json:"from"` // the group
	Why  string `json:"why"`
}

// ApplyRewrites reads what Groups has given, {"v":1,"groups":[…]}, with a title and a content added to groups, and puts one item in the place of each such group's. A group without content is
// left as it is. Each group is a change of its own: the new item is there and the others are forgotten, or nothing of it is. One that cannot be done is refused with the reason, as when one of
// its items was changed since it was read, and the others go on. err is about the input as a whole, or the file; what was done until then is done.
func (s *Store) ApplyRewrites(ctx context.Context, r io.Reader) (done []Rewritten, refused []Refused, err error) {
	done = []Rewritten{}
	var all []*Rewrite
	if all, refused, err = readRewrites(r); err != nil {
		return done, []Refused{}, err
	}
	for _, rw := range all {
		got, err := s.rewrite(ctx, rw)
		switch _, ok := fault.Refused(err); {
		case ok:
			refused = append(refused, Refused{rw.Group, reason(err)})
		case err != nil:
			return done, refused, err
		default:
			done = append(done, got)
		}
	}
	return done, refused, nil
}

// readRewrites reads the groups that have content and could be done by what they say.
func readRewrites(r io.Reader) (all []*Rewrite, refused []Refused, err error) {
	refused = []Refused{}
	raw, err := io.ReadAll(io.LimitReader(r, MaxRewriteBytes+1))
	if err != nil {
		return nil, nil, err
	}
	const form = `give the groups that a plan of the consolidation lists as JSON, with a title and a content added to each group that is to be rewritten: {"v":1,"groups":[…]}`
	if len(raw) > MaxRewriteBytes {
		return nil, nil, invalid(fmt.Sprintf("the rewrites have more than %d MB", MaxRewriteBytes>>20), "leave out the groups without content, or apply them in parts")
	}
	var in struct {
		V      *int              `json:"v"`
		Groups []json.RawMessage `json:"groups"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		what := "the rewrites cannot be read: " + clip(err.Error(), 200)
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			what = "the rewrites are no object with groups, but hold " + wrong.Value + " in its place"
			if wrong.Field != "" {
				what = fmt.Sprintf("the rewrites have %s as %q", wrong.Value, wrong.Field)
			}
		}
		return nil, nil, invalid(what, form)
	}
	switch {
	case in.V == nil:
		return nil, nil, invalid(`the rewrites name no version: "v":1 is missing`, form)
	case *in.V != 1:
		return nil, nil, invalid(fmt.Sprintf("the rewrites are of version %d; this program reads version 1", *in.V), "let the groups be listed again, by this program")
	case in.Groups == nil:
		return nil, nil, invalid("the rewrites have no groups", form)
	case len(in.Groups) > MaxRewrites:
		return nil, nil, invalid(fmt.Sprintf("there are %s groups; at most %s are taken", spelled(len(in.Groups)), spelled(MaxRewrites)), "apply them in parts")
	}
	by := map[string][]*Rewrite{} // groups by the items that they have
	bad := map[*Rewrite]error{}
	var order []*Rewrite
	for i, raw := range in.Groups {
		rw := &Rewrite{}
		err := rw.read(raw)
		if err == nil && strings.TrimSpace(rw.Content) == "" {
			continue
		}
		rw.Group = inline(rw.Group, 60)
		if rw.Group == "" {
			rw.Group = fmt.Sprintf("group %d", i+1)
		}
		order = append(order, rw)
		if err == nil {
			err = rw.check()
		}
		if err != nil {
			bad[rw] = err
			continue
		}
		for _, it := range rw.Items {
			by[it.ID] = append(by[it.ID], rw)
		}
	}
	for _, rw := range order {
		err := bad[rw]
		for _, it := range rw.Items {
			if l := by[it.ID]; err == nil && len(l) > 1 {
				other := l[0]
				if other == rw {
					other = l[1]
				}
				err = invalid(fmt.Sprintf("%s is also in %s", it.ID, other.Group), "it can be replaced once: name it in one of them")
			}
		}
		if err != nil {
			refused = append(refused, Refused{rw.Group, reason(err)})
			continue
		}
		all = append(all, rw)
	}
	return all, refused, nil
}

// read reads one group. One that says something in a field that there is not has probably lost its content to a slip of the pen.
func (rw *Rewrite) read(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, rw); err != nil {
		return invalid("it cannot be read: "+clip(err.Error(), 200), "see what the groups were like when they were listed")
	}
	if strings.TrimSpace(rw.Content) != "" {
		return nil
	}
	var strict struct {
		Rewrite
		Scope          string `json:"scope"`
		Items          any    `json:"items"`
		Contradictions any    `json:"contradictions"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&strict); err != nil {
		return invalid("it has no content, but "+strings.TrimPrefix(clip(err.Error(), 100), "json: "), `the new text goes into "title" and "content"`)
	}
	return nil
}

// check says what is wrong with a group by itself.
func (rw *Rewrite) check() error {
	switch n := len(rw.Items); {
	case n == 0:
		return invalid("it names no items", "keep the items that the new one replaces, with their ids and revisions")
	case n > GroupMost:
		return invalid(fmt.Sprintf("it names %d items; at most %d become one", n, GroupMost), "make two of it")
	}
	for i, it := range rw.Items {
		if err := checkID(it.ID); err != nil {
			return err
		}
		if slices.ContainsFunc(rw.Items[:i], func(o RewriteItem) bool { return o.ID == it.ID }) {
			return invalid(it.ID+" is there twice", "name it once")
		}
	}
	return nil
}

// rewrite does one group.
func (s *Store) rewrite(ctx context.Context, rw *Rewrite) (out Rewritten, err error) {
	var f *file
	was := make([]Item, len(rw.Items))
	for i, it := range rw.Items {
		in, found, err := s.find(ctx, it.ID)
		if err != nil {
			return out, err
		}
		if f != nil && in != f {
			return out, otherScope(&was[0], found)
		}
		f, was[i] = in, *found
	}
	it, err := s.become(rw, was, f.Now())
	if err != nil {
		return out, err
	}
	var warnings []string // that it has no embedding shows in the item
	v, err := store.Vector(ctx, s.opt.Embedder, embeddingText(&it), &warnings)
	if err != nil {
		return out, err
	}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		now := make([]Item, len(rw.Items))
		for i, r := range rw.Items {
			it, err := s.again(tx, r.ID)
			if err != nil {
				return err
			}
			if err := s.mayChange(it); err != nil {
				return err
			}
			now[i] = *it
		}
		it, err := s.become(rw, now, tx.Now)
		if err != nil {
			return err
		}
		if it.Tier != Conversation && it.Conversation != "" {
			c, err := conversation(tx, it.Conversation)
			if err == nil {
				err = s.takes(tx, &c)
			}
			if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Denied) {
				it.Conversation = "" // it was purged, or is others', and what came from it has stayed
			}
		}
		if err := f.checkPlace(tx, &it); err != nil {
			return err
		}
		it.Created, it.Accessed, it.Revision = tx.Now, tx.Now, 1
		out = Rewritten{Item: it, Replaced: make([]string, len(now)), Pass: newPassID()}
		if err := f.add(tx, &out.Item, v, &warnings, VerbPut, "rewritten from "+items(len(now))); err != nil {
			return err
		}
		for i := range now {
			if err := f.forget(tx, &now[i], RuleConsolidated, out.Item.ID, ""); err != nil {
				return err
			}
			out.Replaced[i] = now[i].ID
			if err := f.keepStep(tx, out.Pass, it.Scope().String(), i, OpRewrite, now[i].ID, out.Item.ID, &trace{}); err != nil {
				return err
			}
		}
		return endPass(tx, out.Pass)
	})
	return out, err
}

func otherScope(a, b *Item) error {
	return conflict(fmt.Sprintf("%s is in %s, and %s in %s", a.ID, a.Scope(), b.ID, b.Scope()), "one item is in one scope: make a group of each")
}

// become makes the item that takes the place of others, if they are as they were when they were listed.
func (s *Store) become(rw *Rewrite, was []Item, now time.Time) (Item, error) {
	for i, r := range rw.Items {
		if err := unlessGone(&was[i]); err != nil {
			return Item{}, err
		}
		if was[i].Revision != r.Revision {
			return Item{}, conflict(fmt.Sprintf("%s is at revision %d, not %d: somebody has changed it since the groups were listed", r.ID, was[i].Revision, r.Revision), "let them be listed again")
		}
		if was[i].hasExpired(now) {
			return Item{}, conflict(r.ID+" has expired", "let the groups be listed again")
		}
	}
	first := &was[0]
	it := Item{Tier: first.Tier, Channel: first.Channel, Conversation: first.Conversation, Agent: first.Agent, Title: rw.Title, Content: rw.Content, Curator: s.curator(), Source: SourceConsolidation,
		Importance: first.Importance, Lifetime: first.Lifetime, Expires: first.Expires, Accesses: first.Accesses, Accessed: first.Accessed, Tags: first.Tags, DerivedFrom: first.DerivedFrom}
	for i := range was[1:] {
		o := &was[i+1]
		if o.Scope() != first.Scope() {
			return it, otherScope(first, o)
		}
		if o.Agent != first.Agent {
			return it, conflict("some of the items are everybody's, and others one agent's alone", "make a group of each")
		}
		if o.Conversation != it.Conversation {
			it.Conversation = "" // they came from several
		}
		if o.DerivedFrom != it.DerivedFrom {
			it.DerivedFrom = ""
		}
		it.absorb(o) // it lasts as long, and counts as much, as they did together
	}
	if rw.Importance != nil {
		it.Importance = *rw.Importance
	}
	if rw.Tags != nil {
		it.Tags = slices.Clone(rw.Tags)
	}
	if it.DerivedFrom == "" { // else it is what all of them are derived from
		it.DerivedFrom = "memory:" + first.ID
	}
	if err := it.normalise(); err != nil {
		return it, err
	}
	return it, refuseSecret(&it)
}
