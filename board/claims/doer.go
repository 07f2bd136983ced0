package claims

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims/parse"
)

// This file finds statements that say of somebody else what a claim says of one person.

// anotherDid returns of whom a statement says what a claim says of somebody else, and that as a reason; nil
// if it does not. Each of them names one person, as who does something.
func (ev *Evidence) anotherDid(c, e *parse.Claim) (other *parse.Detail, why string) {
	if !c.English || !e.English || e.Cells != nil {
		return nil, ""
	}
	d, x := ev.doer(c), ev.doer(e)
	if d == nil || x == nil || hasAnyWord(e, d) || hasAnyWord(c, x) || hasName(e, d) || ev.explained(d, x) ||
		abbreviatedIn(d, e.Text) || abbreviatedIn(x, c.Text) {
		return nil, ""
	}
	all, both := ev.shared(c, e)
	for _, w := range d.Words {
		all -= ev.weight(parse.Stem(w))
	}
	if sharedStems(c, e) < fewestShared || both < sameDeed*all {
		return nil, ""
	}
	return x, fmt.Sprintf("%s, not %s, is who did it", x.Text, d.Text)
}

// doneByOther returns why a window says of somebody else what a claim says of one person, who is not named
// near it.
func (ev *Evidence) doneByOther(c *parse.Claim, w *Window) string {
	if ev.isLong() || ev.Part {
		return ""
	}
	for _, e := range w.Claims {
		if x, why := ev.anotherDid(c, e); x != nil && !slices.ContainsFunc(ev.paragraph(w), func(e *parse.Claim) bool {
			return hasAnyWord(e, ev.doer(c))
		}) {
			return why
		}
	}
	return ""
}

// sameDeed is the share of a claim that a statement has at least that says it of somebody else.
const sameDeed = .5

// doer returns the only person that a claim names, if it names them as who does something; nil otherwise.
func (ev *Evidence) doer(c *parse.Claim) (who *parse.Detail) {
	for k := range c.Details {
		d := &c.Details[k]
		if d.Kind != parse.Name || !ev.isProper(d) && !initialled(c, d) {
			continue
		}
		if who != nil || !acts(c, d) && !leads(c.Tokens(), d) {
			return nil
		}
		who = d
	}
	return who
}

// leads reports whether nothing but a title or an office stands before a name: account manager Sanne de Wilt.
func leads(t parse.Tokens, d *parse.Detail) bool {
	return d.FirstToken <= 3 && !slices.ContainsFunc(t[:d.FirstToken], func(x parse.Token) bool {
		return x.Kind != parse.WordToken || x.Low != "the" && parse.Stopwords.Has(x.Low)
	})
}

// initialled reports whether an initial stands before a name: R. Fenn.
func initialled(c *parse.Claim, d *parse.Detail) bool {
	t := c.Tokens()
	initial := t.At(d.FirstToken - 2)
	return t.At(d.FirstToken-1).Text == "." && len(initial.Text) == 1 && initial.HasCapital()
}

// otherInColumn returns why a row of a table has somebody else where a claim has the name that stands in that column
// of another row; "" if it does not.
func (ev *Evidence) otherInColumn(c, row *parse.Claim) string {
	for k := range c.Details {
		d := &c.Details[k]
		if d.Kind != parse.Name || d.Weak || row.Cells == nil || hasAnyWord(row, d) {
			continue
		}
		for _, i := range ev.stems[parse.Stem(d.Words[len(d.Words)-1])] {
			other := ev.Claims[i]
			if other.Source != row.Source || len(other.Cells) != len(row.Cells) {
				continue
			}
			for n, cell := range other.Cells {
				at := row.Cells[n]
				if strings.EqualFold(cell.Text, d.Text) && at.Header == cell.Header && at.Text != cell.Text && isName(at.Text) &&
					!strings.Contains(c.Text, at.Text) {
					return fmt.Sprintf("“%s” is %s, not %s", at.Header, at.Text, d.Text)
				}
			}
		}
	}
	return ""
}

// isName reports whether the text of a cell may be somebody's name: words with capitals.
func isName(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && len(words) <= mostOfName && !slices.ContainsFunc(words, func(w string) bool {
		return !unicode.IsUpper([]rune(w)[0]) || strings.ContainsAny(w, "0123456789")
	})
}

const mostOfName = 3
