package kb

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/kb/secret"
)

// refuseSecret refuses a capsule that holds what looks like a secret, and marks the place: knowledge is shared by all agents, written to plain files and exported.
func refuseSecret(c *Capsule) error {
	for _, f := range []struct{ what, text string }{{"the title", c.Title}, {"the body", c.Body}, {"the source", c.Source}, {"what verified it", c.VerifiedBy}, {"the project", c.Project},
		{"a reference", strings.Join(c.Refs, "\n")}, {"a tag", strings.Join(append(slices.Clone(c.Tags), c.DomainTags...), "\n")}} {
		if found := secret.Find(f.text); len(found) > 0 {
			at := found[0]
			where := f.what
			if f.what == "the body" {
				where = fmt.Sprintf("line %d of the body, column %d,", at.Line, at.Column)
			}
			more := ""
			if len(found) > 1 {
				more = fmt.Sprintf(" (and %d more)", len(found)-1)
			}
			return fault.Conflict.New(fmt.Sprintf("%s holds what looks like a secret: %s%s: %s", where, at.Description, more, secret.Masked(f.text[at.Start:at.End])), "say where it is kept instead of what it is", notHere)
		}
	}
	return nil
}
