package topics

import (
	"slices"
	"strings"
	"sync"

	"blackboard/board/text"
	"blackboard/board/words"
)

// Words by which a heading or label is classified.
const (
	neutralWords = `aim aims base branch commit commits component components constraint
		constraints criteria file files goal goals head link links module modules mr objective
		objectives path paths pr purpose range ref refs repo repository requirement requirements
		scope target targets task tasks ticket tickets title topic url urls`
	biasedWords = `analysis answer answers approval approve approved assessment blocker blockers
		bug bugs cause causes comment comments conclusion conclusions concern concerns confirmed
		decision decisions defect defects done earlier evidence fact facts feedback finding
		findings fixed history hypotheses hypothesis issues known learned learning learnings lgtm
		log nit nits note notes observation observations opinion outcome outcomes previous prior
		problem problems progress rating recommendation recommendations regressions reject
		rejected resolved result results risk risks score severity status suggestion suggestions
		summary unresolved verdict verdicts verified vulnerabilities vulnerability worklog`
	// companions go with words of either kind: "Files to review", "Goal of this change".
	companions = `a acceptance an and be change changes code for in is it merge my non number of on or our out pull request review reviewed so success the this to under what with`
)

type bias uint8

const (
	unknown bias = iota
	companion
	neutral
	biased
)

var biases = sync.OnceValue(func() map[string]bias {
	m := map[string]bias{}
	for as, list := range []string{companion: companions,
		neutral: neutralWords, biased: biasedWords} {
		for _, w := range strings.Fields(list) {
			m[w] = bias(as)
		}
	}
	return m
})

// classify says what a heading or label is: biased if any word is biased, neutral if it
// has only neutral words and companions. So "Path traversal" is not neutral.
func classify(text string) bias {
	out, strange := unknown, false
	for _, w := range words.Split(text, "") {
		switch biases()[w] {
		case biased:
			return biased
		case neutral:
			out = neutral
		case unknown:
			strange = true
		}
	}
	if strange {
		return unknown
	}
	return out
}

// onlyBiased reports a text of biased words and companions alone: "Verified facts", "LGTM".
func onlyBiased(text string) bool {
	return classify(text) == biased && !slices.ContainsFunc(words.Split(text, ""),
		func(w string) bool { return biases()[w] != biased && biases()[w] != companion })
}

// CleanRoom returns a spec without the findings of earlier sessions, so that a review
// judges for itself. It keeps only what is known to be neutral:
//
//	title         the first heading, if it has level 1 and no biased word
//	sections      with a neutral heading (Goal, Out of scope, Files to review, Acceptance
//	              criteria…), and their subsections without a biased word. A section with a
//	              biased word in its heading (Verified facts, Findings, Verdict, Notes,
//	              Status…) is left out with everything below it
//	lines         in a neutral section: all lines, except those with a biased label
//	              ("Verdict: …") and what follows, up to the next heading or neutral label.
//	              Elsewhere: only those with a neutral label ("Goal: …"), to the end of
//	              their paragraph. A line that is all bold or ends in a colon is a label too
//	front matter  as lines with labels
//
// HTML comments are dropped and ticked boxes are unticked. Only headings and labels are
// read, so a finding inside the section on the goal stays.
func CleanRoom(spec string) string {
	text := withoutComments(strings.ReplaceAll(spec, "\r\n", "\n"))
	var r cleaner
	lines := readMarkdown(r.frontMatter(text))
	for i := range lines {
		switch l := &lines[i]; {
		case l.code:
			r.write(l.text, r.keeps())
		case l.level > 0:
			r.heading(l)
		case l.underline:
			r.write(l.text, r.headed)
		case strings.TrimSpace(l.text) == "":
			if r.label == keptParagraph {
				r.label = noLabel
			}
			r.write("", true)
		default:
			r.line(l.text)
		}
	}
	return strings.Trim(manyBlank.ReplaceAllString(strings.Join(r.out, "\n"), "\n\n"), "\n")
}

var manyBlank = text.NewRegexp(`\n{3,}`)

type cleaner struct {
	out      []string
	sections []section // those around the line, the outermost first
	label    labelEffect
	begun    bool // a heading was seen
	headed   bool // the last heading was kept
}

type section struct {
	level int
	what  bias
	title bool
}

// labelEffect is the effect of the last label, until the next heading.
type labelEffect uint8

const (
	noLabel       labelEffect = iota
	keptParagraph             // to the end of the paragraph
	keptBlock                 // to the next label
	leftOut                   // to the next neutral label
)

func (r *cleaner) write(line string, keep bool) {
	if keep {
		r.out = append(r.out, tickedBox.ReplaceAllString(line, "$1[ ]"))
	}
}

// tickedBox matches a ticked box, which shows what was judged already.
var tickedBox = text.NewRegexp(`^(\s*(?:[-*+]|\d+[.)])\s+)\[[xX]\]`)

// section is the section around the line; unknown before the first heading and below the title.
func (r *cleaner) section() section {
	if len(r.sections) == 0 {
		return section{}
	}
	return r.sections[len(r.sections)-1]
}

func (r *cleaner) keeps() bool {
	switch r.label {
	case keptParagraph, keptBlock:
		return true
	case leftOut:
		return false
	}
	return r.section().what == neutral
}

func (r *cleaner) heading(l *mdLine) {
	for len(r.sections) > 0 && r.section().level >= l.level {
		r.sections = r.sections[:len(r.sections)-1]
	}
	above := r.section()
	s := section{level: l.level, what: classify(l.heading)}
	switch {
	case !r.begun && l.level == 1 && !onlyBiased(l.heading) && s.what != neutral:
		r.headed = s.what != biased
		s.what, s.title = unknown, true
	case above.what == biased:
		s.what = biased
	case s.what == unknown && !above.title:
		s.what = above.what
	}
	r.sections, r.label, r.begun = append(r.sections, s), noLabel, true
	if !s.title {
		r.headed = s.what == neutral
	}
	r.write(l.text, r.headed)
}

// line keeps or drops a line that is not blank, not a heading and not code.
func (r *cleaner) line(text string) {
	in := r.section().what
	key, value, listed, ok := label(text)
	if in == biased || !ok {
		r.write(text, r.keeps())
		return
	}
	switch classify(key) {
	case biased:
		r.label = leftOut
	case neutral:
		switch {
		case in == neutral:
			r.label = noLabel
		case value == "":
			r.label = keptBlock
		default:
			r.label = keptParagraph
		}
	default:
		if in != neutral && !listed && r.label != leftOut {
			r.label = noLabel
		}
	}
	r.write(text, r.keeps())
}

var (
	labelForm = text.NewRegexp(`^(\pL[\pL\pM\pN /&+_()-]{0,60}?)\s*(?::|\s[-–—]\s)\s*(.*)$`)
	htmlTag   = text.NewRegexp(`</?[A-Za-z][^>]*>`)
	emphasis  = strings.NewReplacer("**", "", "__", "", "`", "")
)

// label splits "Label: value". A line all bold, or all biased, is a label without a value.
func label(line string) (key, value string, listed, ok bool) {
	text, listed := stripMarkers(line)
	text = strings.TrimSpace(text)
	plain := strings.TrimSpace(emphasis.Replace(htmlTag.ReplaceAllString(text, "")))
	// "//" after the colon: an address
	if m := labelForm.FindStringSubmatch(plain); m != nil && !strings.HasPrefix(m[2], "//") {
		return m[1], m[2], listed, true
	}
	bold := len(plain) < len(text) && len(plain) <= 60 && strings.ContainsAny(text[:1], "*_<") &&
		strings.ContainsAny(text[len(text)-1:], "*_>")
	if plain != "" && (bold || onlyBiased(plain)) {
		return plain, "", listed, true
	}
	return "", "", listed, false
}

// frontMatter keeps the neutral lines between two lines of ---, and returns the text after them.
func (r *cleaner) frontMatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	block, after, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return text
	}
	kept := false
	for line := range strings.SplitSeq(block, "\n") {
		if key, _, found := strings.Cut(line, ":"); found && key != "" &&
			!strings.ContainsAny(key[:1], " \t-") {
			kept = classify(key) == neutral
		}
		r.write(line, kept)
	}
	r.write("", true)
	return after
}
