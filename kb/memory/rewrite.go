package memory

import (
	"cmp"
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

const MaxRewriteBytes = 64 << 20

const SourceConsolidation = "consolidation"

// Rewrite replaces the items of a group by one item, which is derived from the first.
type Rewrite struct {
	Group      string        `json:"group,omitempty"` // its name in answers
	Items      []RewriteItem `json:"items" jsonschema:"what it replaces"`
	Title      string        `json:"title,omitempty"`
	Content    string        `json:"content"`
	Importance *float64      `json:"importance,omitempty" min:"0" max:"1" jsonschema:"default the greatest of the items'"`
	Tags       *[]string     `json:"tags,omitempty" jsonschema:"default those of all items"`
}

// RewriteItem is a replaced item, as it was read.
type RewriteItem struct {
	ID       string `json:"id"`
	Revision int    `json:"revision" jsonschema:"that you read"`
}

type Rewritten struct {
	Item     Item     `json:"item"`     // the new item
	Replaced []string `json:"replaced"` // ids of the old items
}

type Refused struct {
	From string `json:"from"` // name of the group
	Why  string `json:"why"`
}

// ReadRewrites reads the output of Groups, with a title and a content added.
func ReadRewrites(r io.Reader) ([]Rewrite, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxRewriteBytes+1))
	if err != nil {
		return nil, err
	}
	const form = `give the JSON of the groups that a plan of consolidation lists, with a title and a content added to each group to rewrite: {"v":1,"groups":[…]}`
	if len(raw) > MaxRewriteBytes {
		return nil, invalid(fmt.Sprintf("the rewrites have more than %d MB",
			MaxRewriteBytes>>20), "leave out the groups without a content, or apply them in parts")
	}
	var in struct {
		V      *int      `json:"v"`
		Groups []Rewrite `json:"groups"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		what := "the rewrites cannot be read: " + clip(err.Error(), 200)
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			what = "the rewrites are not an object with groups; found: " + wrong.Value
			if wrong.Field != "" {
				what = fmt.Sprintf("the rewrites have a %s for %q", wrong.Value, wrong.Field)
			}
		}
		return nil, invalid(what, form)
	}
	switch {
	case in.V == nil:
		return nil, invalid(`the rewrites have no version: "v":1 is missing`, form)
	case *in.V != 1:
		return nil, invalid(fmt.Sprintf(
			"the rewrites have version %d; this program reads version 1", *in.V),
			"list the groups again with this program")
	case in.Groups == nil:
		return nil, invalid("the rewrites have no groups", form)
	}
	return in.Groups, nil
}

// ApplyRewrites replaces the items of each group by one item. It skips groups without a content.
//
// Each group is one transaction. A group that cannot be applied is refused with the
// reason, for example if an item has changed since it was read, or an earlier group has
// replaced it, and the others continue. err is about the file; rewrites before it stay applied.
func (s *Store) ApplyRewrites(ctx context.Context, groups []Rewrite) (
	done []Rewritten, refused []Refused, skipped int, err error) {
	done, refused = []Rewritten{}, []Refused{}
	for i := range groups {
		rw := &groups[i]
		if strings.TrimSpace(rw.Content) == "" {
			skipped++
			continue
		}
		var got Rewritten
		err := rw.check()
		if err == nil {
			got, err = s.rewrite(ctx, rw)
		}
		switch _, ok := fault.Refused(err); {
		case ok:
			name := cmp.Or(inline(rw.Group, 60), fmt.Sprintf("group %d", i+1))
			refused = append(refused, Refused{name, reason(err)})
		case err != nil:
			return done, refused, skipped, err
		default:
			done = append(done, got)
		}
	}
	return done, refused, skipped, nil
}

func (rw *Rewrite) check() error {
	switch n := len(rw.Items); {
	case n == 0:
		return invalid("it has no items",
			"keep the items to replace, with their ids and revisions")
	case n > GroupMost:
		return invalid(fmt.Sprintf("it has %d items; at most %d can be merged", n, GroupMost),
			"split it into two")
	}
	for i, it := range rw.Items {
		if err := checkID(it.ID); err != nil {
			return err
		}
		if slices.ContainsFunc(rw.Items[:i], func(o RewriteItem) bool { return o.ID == it.ID }) {
			return invalid(it.ID+" is listed twice", "list it once")
		}
	}
	return nil
}

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
	var warnings []string // the item shows that it has no embedding
	v, err := store.Vector(ctx, s.opt.Embedder, embeddingText(&it), &warnings)
	if err != nil {
		return out, err
	}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		now := make([]Item, len(rw.Items))
		for i, r := range rw.Items {
			it, err := s.reread(tx, r.ID)
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
			_, err := s.ownConversation(tx, it.Conversation)
			if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Denied) {
				// the conversation was purged or belongs to others; the item stays
				it.Conversation = ""
			}
		}
		if err := f.checkPlace(tx, &it); err != nil {
			return err
		}
		it.Created, it.Accessed, it.Revision = tx.Now, tx.Now, 1
		out = Rewritten{Item: it, Replaced: make([]string, len(now))}
		if err := f.add(tx, &out.Item, v, &warnings, VerbPut,
			"rewritten from "+items(len(now))); err != nil {
			return err
		}
		for i := range now {
			if err := f.forget(tx, &now[i], RuleConsolidated, out.Item.ID, ""); err != nil {
				return err
			}
			out.Replaced[i] = now[i].ID
		}
		return nil
	})
	return out, err
}

func otherScope(a, b *Item) error {
	return conflict(fmt.Sprintf("%s is in %s, and %s in %s", a.ID, a.Scope(), b.ID, b.Scope()),
		"all items of a group are in one scope: make one group for each")
}

// become builds the item that replaces others, if they are unchanged since they were listed.
func (s *Store) become(rw *Rewrite, was []Item, now time.Time) (Item, error) {
	for i, r := range rw.Items {
		if err := checkActive(&was[i]); err != nil {
			return Item{}, err
		}
		if was[i].Revision != r.Revision {
			return Item{}, conflict(fmt.Sprintf(
				"%s is at revision %d, not %d: it has changed since the groups were listed", r.ID,
				was[i].Revision, r.Revision), "list the groups again")
		}
		if was[i].hasExpired(now) {
			return Item{}, conflict(r.ID+" has expired", "list the groups again")
		}
	}
	first := &was[0]
	it := Item{Tier: first.Tier, Channel: first.Channel, Conversation: first.Conversation,
		Agent: first.Agent, Title: rw.Title, Content: rw.Content, Curator: s.curator(),
		Source:     SourceConsolidation,
		Importance: first.Importance, Lifetime: first.Lifetime, Expires: first.Expires,
		Accesses: first.Accesses, Accessed: first.Accessed, Tags: first.Tags,
		DerivedFrom: first.DerivedFrom}
	for i := range was[1:] {
		o := &was[i+1]
		if o.Scope() != first.Scope() {
			return it, otherScope(first, o)
		}
		if o.Agent != first.Agent {
			return it, conflict("some of the items are private to an agent and others are not",
				"make one group for each")
		}
		if o.Conversation != it.Conversation {
			it.Conversation = "" // they come from several conversations
		}
		if o.DerivedFrom != it.DerivedFrom {
			it.DerivedFrom = ""
		}
		it.absorb(o) // it lasts as long and counts as much as all of them together
	}
	if rw.Importance != nil {
		it.Importance = *rw.Importance
	}
	if rw.Tags != nil {
		it.Tags = slices.Clone(*rw.Tags)
	}
	it.DerivedFrom = cmp.Or(it.DerivedFrom, "memory:"+first.ID) // otherwise it is the common source
	if err := it.normalise(); err != nil {
		return it, err
	}
	return it, refuseSecret(&it)
}
