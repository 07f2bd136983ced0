package board

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/kb/secret"
)

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
	return checkText(theReason, *reason, MaxField, true)
}

// maskPosts masks posts, which belong to the caller of the write.
func maskPosts(ctx context.Context, posts []Post) {
	secret.MaskWrite(ctx, func(m *secret.Masker) {
		for i := range posts {
			posts[i].mask(m, at(i, len(posts)))
		}
	})
}

func (p *Post) mask(m *secret.Masker, where string) {
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
	p.putFirst() // as it is masked
	m.Text(where+"the reason to drop the duty", &p.DropDuty)
	p.Tags = slices.Clone(p.Tags)
	for i := range p.Tags {
		m.Text(where+"a tag", &p.Tags[i])
	}
}
