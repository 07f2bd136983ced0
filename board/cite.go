package board

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"blackboard/board/documents"
	"blackboard/board/store"
	"blackboard/board/text"
)

// Verdicts on a handle in a report.
const (
	CiteGood    = "good"
	CiteStale   = "stale"   // the entry is superseded, or was corrected
	CiteForeign = "foreign" // it is one of another run
	CiteForged  = "forged"  // no entry has it
)

// Citation is a handle of an entry in a report.
type Citation struct {
	Report  string `json:"report"`
	Line    int    `json:"line"`
	Handle  string `json:"handle"`  // e12.7kq, or e12 of [e12]
	ID      string `json:"id"`      // the entry that it names
	Verdict string `json:"verdict"` // good, stale, foreign or forged
	Why     string `json:"why"`     // of one that is not good
}

// Handle is how a report cites an entry so that it cannot be made up: its id, and a check code
// of three characters that follows from the run, the id and the text.
func Handle(run, id, content string) string {
	const letters = "abcdefghjkmnpqrstvwxyz"
	sum := sha256.Sum256([]byte(run + "\x00" + id + "\x00" + content))
	return fmt.Sprintf("%s.%d%c%c", id, sum[0]%10, letters[int(sum[1])%len(letters)],
		(letters + "0123456789")[int(sum[2])%(len(letters)+10)])
}

// handles matches them. The digit after the dot tells one from the name of a file.
var handles = text.NewRegexp(`\b(e[1-9][0-9]*)(\.[0-9][a-z][a-z0-9])\b`)

// withoutCodes copies reports without handles' codes: to compare words, e12.7kq is e12.
func withoutCodes(reports []*documents.Document) []*documents.Document {
	out := make([]*documents.Document, len(reports))
	for i, d := range reports {
		out[i] = d.Blanked(func(text string) (spans [][2]int) {
			for _, m := range handles.FindAllStringSubmatchIndex(text, -1) {
				spans = append(spans, [2]int{m[4], m[5]})
			}
			return spans
		})
	}
	return out
}

// bracketed matches ids in brackets, one or several.
var bracketed = text.NewRegexp(`\[(e[1-9][0-9]*(?:[,; ]+e[1-9][0-9]*)*)\]`)

// Citations checks the handles in reports, and ids in brackets such as [e12]. If a report has no handle with a
// code, and none of its ids is an entry's, it means something else by them, and they are left out.
func (m *Moment) Citations(reports ...*documents.Document) ([]Citation, error) {
	all := []Citation{}
	for _, d := range reports {
		var found []Citation
		cites := false
		for at, line := range d.Lines() {
			for _, h := range handles.FindAllStringSubmatch(line, -1) {
				found = append(found, Citation{Report: d.Name, Line: d.Line(at), Handle: h[0], ID: h[1]})
				cites = true
			}
			for _, list := range bracketed.FindAllStringSubmatch(line, -1) {
				for _, id := range strings.FieldsFunc(list[1], func(r rune) bool { return strings.ContainsRune(",; ", r) }) {
					found = append(found, Citation{Report: d.Name, Line: d.Line(at), Handle: id, ID: id})
				}
			}
		}
		var numbers []int64
		for i := range found {
			if n, err := ParseEntryID(found[i].ID); err == nil { // else no entry has it
				numbers = append(numbers, n)
			}
		}
		entries, err := selectEntries(m.tx, `FROM entries e WHERE e.id IN (`+theseIDs+`)`, store.List(numbers))
		if err != nil {
			return nil, err
		}
		byID := map[string]*Entry{}
		for i := range entries {
			byID[entries[i].ID] = &entries[i]
		}
		for i := range found {
			m.judgeCitation(&found[i], byID[found[i].ID])
			cites = cites || found[i].Verdict != CiteForged
		}
		if cites {
			all = append(all, found...)
		}
	}
	return all, nil
}

// judgeCitation sets the verdict on a handle. e is the entry with its id, nil if there is none.
func (m *Moment) judgeCitation(c *Citation, e *Entry) {
	plain := c.Handle == c.ID
	switch {
	case e == nil:
		c.Verdict, c.Why = CiteForged, "no entry has it"
	case !plain && Handle(m.b.run, c.ID, e.Content) != c.Handle:
		c.Verdict, c.Why = CiteForged, c.ID+" has another check code"
	case e.Status != Superseded:
		c.Verdict = CiteGood
	default:
		c.Verdict, c.Why = CiteStale, c.ID+" is superseded"
		n, _ := ParseEntryID(c.ID)
		if by, err := backlinks(m.tx, n, `l.kind = 'supersedes'`); err == nil && len(by) > 0 {
			c.Why += " by " + by[len(by)-1].From
		}
	}
	if c.Verdict == CiteForged && !plain {
		if run := m.b.findCitedRun(m.ctx, c); run != "" {
			c.Verdict, c.Why = CiteForeign, "it is one of the run "+run
		}
	}
}

// findCitedRun returns the name of another run that has an entry with this handle. It looks at the
// first 100 runs that it can open; "" if none of them has it.
func (b *Board) findCitedRun(ctx context.Context, c *Citation) string {
	const most = 100
	names, err := RunNames(b.dir)
	if err != nil {
		return ""
	}
	for _, name := range names[:min(len(names), most)] {
		if name == b.run {
			continue
		}
		other, err := Open(ctx, b.dir, name)
		if err != nil {
			continue
		}
		d, err := other.Entry(ctx, c.ID)
		other.Close()
		if err == nil && Handle(name, c.ID, d.Entry.Content) == c.Handle {
			return name
		}
	}
	return ""
}
