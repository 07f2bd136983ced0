package board

import (
	"context"
	"fmt"
	"reflect"
	"slices"
)

// Correct amends an entry: a new one takes its place, with all that amend leaves as it
// is: content, source, type, tags, confidence, duty, links and the question that it
// answers. Its key and what was verified are its own.
//
// Errors: as for Post; fault.Conflict if the entry is superseded already, with the entry
// that did it; fault.Invalid if nothing changes.
func (b *Board) Correct(ctx context.Context, worker, id string, amend func(*Post)) (Posted, error) {
	d, err := b.Entry(ctx, id)
	if err != nil {
		return Posted{}, err
	}
	e := &d.Entry
	if e.Status == Superseded {
		by := ""
		for _, l := range d.Linked {
			if l.Kind == Supersedes {
				by = l.From
			}
		}
		return Posted{}, conflict(fmt.Sprintf("%s is superseded already, by %s", id, by),
			"correct "+by)
	}
	before := Post{Type: e.Type, Content: e.Content, SourceDoc: e.SourceDoc, SourceRef: e.SourceRef,
		Evidence: e.Evidence, Confidence: e.Confidence, Tags: e.Tags, MustSurface: e.MustSurface,
		Supports: e.Supports, Contradicts: e.Contradicts, Addresses: e.Addresses}
	after := before
	for _, list := range []*[]string{&after.Tags, &after.Supports, &after.Contradicts, &after.Addresses} {
		*list = slices.Clone(*list)
	}
	if amend(&after); reflect.DeepEqual(after, before) {
		return Posted{}, invalid("nothing of "+id+" changes", "give what is to be other than it is")
	}
	after.Supersedes = append(after.Supersedes, id)
	return b.Post(ctx, worker, after)
}
