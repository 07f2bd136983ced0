package claims

import (
	"slices"
	"strings"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file says why two texts about one thing may not both be true. Conflicts asks in addition whether they are about
// one thing; here the caller knows that.

// A Text is a text that has been read to be compared with others.
type Text struct {
	*finding
	before map[string][]parse.Word // of a stem: the words right before it
	ids    map[string]bool         // things with numbers for names
	aside  map[string]bool         // stems that are only ruled out: a digest, not a tag
	loose  bool                    // a denial is taken back by what follows it: not until
}

// ReadText reads a text, of a very long one the beginning.
func ReadText(content string) *Text {
	content = strings.ToValidUTF8(content[:min(len(content), MaxContent)], "")
	r := &Text{finding: newFinding(content, ""), before: map[string][]parse.Word{}, aside: map[string]bool{}}
	r.ids = r.numberedNames()
	t, p := parse.Tokenize(content), parse.Word{}
	for i := range t {
		w := parse.Word{}
		if low := t[i].Low; t[i].Kind == parse.WordToken && parse.IsContentWord(low) && parse.SmallNumbers[low] == 0 {
			w = parse.Word{Low: low, Stem: parse.Stem(low)}
			if all := r.before[w.Stem]; p.Low != "" && !slices.Contains(all, p) {
				r.before[w.Stem] = append(all, p)
			}
		}
		p = w
		r.loose = r.loose || t.IsDenial(i) && hasAnyOf(toMark(t, i+1), takesBack)
		if low := t[i].Low; low == "not" && t.At(i-1).Text == "," || low == "instead" || low == "rather" {
			rest := toMark(t, i+1)
			if k := slices.IndexFunc(rest, func(x parse.Token) bool { return parse.IsContentWord(x.Low) }); k >= 0 {
				r.aside[parse.Stem(rest[k].Low)] = true
			}
		}
	}
	return r
}

// takesBack are the words behind a denial that say when something is so.
var takesBack = parse.NewSet("without until unless except only before")

// Shares of a subject that two texts and two figures have in common at least, and two clauses that say the opposite.
const (
	leastShared    = .25
	leastOfFigure  = .4
	leastOpposite  = .45
	leastCondition = .4
)

// HasOtherFigure reports whether two texts have figures of one kind that is no bare number, and none in common.
func (t *Text) HasOtherFigure(o *Text) bool {
	return slices.ContainsFunc(t.Details, func(d parse.Detail) bool {
		if !d.IsFigure() || d.Q != nil && d.Q.Dim == "" && len(d.Q.Noun) == 0 {
			return false
		}
		like := func(e parse.Detail) bool { return d.Kind == e.Kind && (d.T != nil || countsAs(d.Q, e.Q)) }
		return slices.ContainsFunc(o.Details, like) &&
			!slices.ContainsFunc(o.Details, func(e parse.Detail) bool { return like(e) && d.Relate(&e).Agrees() })
	})
}

// Contradicts returns why two texts may not both be true, the surest reason first; nil if nothing says so.
func (t *Text) Contradicts(o *Text) (why []string) {
	both := float64(inBoth(t.Stems, o.Stems))
	shared := subjectOf(float64(len(t.Stems)), float64(len(o.Stems)), both)
	if both == 0 || shared < leastShared || t.isAnother(o) || t.isUnlike(o) {
		return nil // most pairs of many
	}
	same, bound := t.CompareConditions(o.Claim)
	if bound != "" && shared >= leastCondition {
		return []string{bound}
	}
	ev := NewEvidence(nil)
	x := ev.differ(t.finding, o.finding)
	if x.vector[fPeriod] > 0 {
		return nil
	}
	for i, m := range x.of {
		switch {
		case m == nil && (x.sure[i] < leastOpposite || same && turnsWithDenial(x.why[i]) || t.agreesIn(o, x.why[i])),
			m != nil && (x.sure[i] < leastOfFigure || t.marks["earlier"] != o.marks["earlier"] ||
				t.marks["planned"] != o.marks["planned"] || m.isNearly() || m.isOfTwo(t, o)):
		default:
			why = append(why, x.why[i])
		}
	}
	if a, b := t.rulesOut(o), o.rulesOut(t); a != "" && b != "" {
		why = append(why, against(b, a))
	}
	return append(why, ev.otherReleases(t, o)...)
}

// agreesIn reports whether a word that one text alone denies is none on which they differ: it is only ruled out, the
// denial is taken back, or the other text is negative by another word.
func (t *Text) agreesIn(o *Text, why string) bool {
	if !TurnsOnDenial(why) {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimPrefix(why, "“"), "”")
	s := parse.Stem(word)
	return t.loose || o.loose || t.aside[s] || o.aside[s] ||
		len(t.Denials) == 0 && saysNo(t.finding.Claim, o.Claim) ||
		len(o.Denials) == 0 && saysNo(o.finding.Claim, t.Claim)
}

// rulesOut returns a word that a text rules out and another one does not, "" if there is none.
func (t *Text) rulesOut(o *Text) string {
	for i := range o.Words {
		if w := &o.Words[i]; t.aside[w.Stem] && !o.aside[w.Stem] {
			return w.Low
		}
	}
	return ""
}

// isUnlike reports whether one word stands behind words that the other text does not have, so that it names two things:
// the read timeout, the write timeout.
func (t *Text) isUnlike(o *Text) bool {
	for s, mine := range t.before {
		if theirs := o.before[s]; len(theirs) > 0 && !o.knows(mine) && !t.knows(theirs) &&
			!slices.ContainsFunc(mine, func(w parse.Word) bool {
				return slices.ContainsFunc(theirs,
					func(v parse.Word) bool { return v.Stem == w.Stem || AreOpposite(v.Low, w.Low) })
			}) {
			return true
		}
	}
	return false
}

// knows reports whether a text has one of some words.
func (t *Text) knows(words []parse.Word) bool {
	return slices.ContainsFunc(words, func(w parse.Word) bool { return t.Stems[w.Stem] })
}

// isAnother reports whether both texts have things with numbers for names, and none of them in common: batch 11 and 12,
// INV-7 and INV-8.
func (t *Text) isAnother(o *Text) bool {
	return len(t.ids) > 0 && len(o.ids) > 0 && inBoth(t.ids, o.ids) == 0
}

func (t *Text) numberedNames() map[string]bool {
	all := map[string]bool{}
	for kind, numbers := range t.numbered {
		for _, n := range numbers {
			if parse.NumberedThings.Has(kind) {
				all[kind+n] = true
			}
		}
	}
	for k := range t.Details {
		d := &t.Details[k]
		if d.Kind == parse.Identifier && release(d) == "" && strings.ContainsAny(d.Text, "0123456789") {
			all[d.Words[0]] = true
		}
	}
	return all
}

// isNearly reports whether two sizes differ only if a kilobyte has 1024 bytes in one of them.
func (m *Match) isNearly() bool {
	a, b := m.Detail.Q, m.With.Q
	return a != nil && b != nil && a.Dim == "bytes" && max(a.Value, b.Value) < 1.08*min(a.Value, b.Value)
}

// isOfTwo reports whether both texts name something else beside two figures, as much as what they share.
func (m *Match) isOfTwo(t, o *Text) bool {
	own := func(d, e *parse.Detail) (shared, own float64) {
		for _, n := range d.Topic {
			switch {
			case n.Stem[0] == '@' || countsStem(d, n.Stem):
			case e.Topic.Closeness(n.Stem) > 0:
				shared += n.Closeness
			case !t.Stems[n.Stem] || !o.Stems[n.Stem]:
				own += n.Closeness
			}
		}
		return shared, own
	}
	one, mine := own(m.Detail, m.With)
	two, theirs := own(m.With, m.Detail)
	return one+two <= 2*min(mine, theirs)
}

var reRelease = text.NewRegexp(`^v?\d+(\.\d+)+$`)

// release returns an identifier that is a version without zeros at its end, else "".
func release(d *parse.Detail) string {
	if d.Kind != parse.Identifier || !reRelease.MatchString(d.Text) {
		return ""
	}
	v := strings.TrimPrefix(d.Text, "v")
	for strings.HasSuffix(v, ".0") {
		v = strings.TrimSuffix(v, ".0")
	}
	return v
}

// otherReleases returns the versions of one thing that each text has alone.
func (ev *Evidence) otherReleases(t, o *Text) (why []string) {
	own := func(a, b *Text) (all []*parse.Detail) {
		for k := range a.Details {
			d := &a.Details[k]
			if v := release(d); v != "" &&
				!slices.ContainsFunc(b.Details, func(e parse.Detail) bool { return release(&e) == v }) {
				all = append(all, d)
			}
		}
		return all
	}
	for _, d := range own(t, o) {
		for _, e := range own(o, t) {
			if min(ev.alike(d, e), ev.alike(e, d)) >= leastOfFigure {
				why = append(why, d.Text+" and "+e.Text)
			}
		}
	}
	return why
}

// AreOpposite reports whether two words in lower case say the opposite of each other.
func AreOpposite(a, b string) bool {
	return slices.Contains(parse.Antonyms()[parse.Root(a)], parse.Root(b)) || isPrefixed(a, b) || isPrefixed(b, a)
}

// AreAlike reports whether two words in lower case are forms of one, or mean nearly the same.
func AreAlike(a, b string) bool { return parse.Stem(a) == parse.Stem(b) }
