package board

import (
	"context"
	"fmt"
	"reflect"
	"slices"
)

// Correct amends an entry: a new one takes its place, with all that amend leaves as it is in
// the post: content, source, type, tags, confidence, duty, links and the question that it
// answers. Its key and what was verified are its own. A retry is safe as in Post.
//
// Errors: as for Post; fault.Conflict if the entry is superseded already, with the entry
// that did it; fault.Invalid if nothing changes.
func (b *Board) Correct(ctx context.Context, worker, id string, amend func(*Entry, *Post) error) (Posted, error) {
	d, err := b.Entry(ctx, id)
	if err != nil {
		return Posted{}, err
	}
	e := &d.Entry
	before := e.asPost()
	before.Key, before.Supersedes = "", nil
	after := before
	after.Sources = slices.Clone(before.Sources)
	for _, list := range []*[]string{&after.Tags, &after.Supports, &after.Contradicts, &after.Addresses} {
		*list = slices.Clone(*list)
	}
	if err := amend(e, &after); err != nil {
		return Posted{}, err
	}
	after.putFirst()
	if e.Status == Superseded {
		if err := b.repeats(ctx, &d, after.Key); err != nil {
			return Posted{}, err
		}
	}
	if reflect.DeepEqual(after, before) {
		return Posted{}, invalid("nothing of "+id+" changes", "give what is to be other than it is")
	}
	after.Supersedes = append(after.Supersedes, id)
	return b.Post(ctx, worker, after)
}

// repeats is nil if an entry with the key supersedes the entry: a correction that is made
// again, which Post answers. Else it says by what the entry is superseded.
func (b *Board) repeats(ctx context.Context, d *EntryDetail, key string) error {
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
