package topics

import (
	"slices"
	"strings"
	"sync"

	"blackboard/board/lazyregexp"
	"blackboard/board/words"
)

// Words that tell what a section, or a line with a label, is about.
const (
	neutralWords = `aim aims base branch commit commits component components constraint constraints criteria file files goal goals head link links module modules mr objective objectives path
		paths pr purpose range ref refs repo repository requirement requirements scope target targets task tasks ticket tickets title topic url urls`
	biasedWords = `analysis answer answers approval approve approved assessment blocker blockers bug bugs cause causes comment comments conclusion conclusions concern concerns confirmed
		decision decisions defect defects done earlier evidence fact facts feedback finding findings fixed history hypotheses hypothesis issues known learned learning learnings lgtm log nit nits
		note notes observation observations opinion outcome outcomes previous prior problem problems progress rating recommendation recommendations regressions reject rejected resolved result
		results risk risks score severity status suggestion suggestions summary unresolved verdict verdicts verified vulnerabilities vulnerability worklog`
	// companions stand beside words of either kind: "Files to review", "Goal of this change".
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
	for as, list := range []string{companion: companions, neutral: neutralWords, biased: biasedWords} {
		for _, w := range strings.Fields(list) {
			m[w] = bias(as)
		}
	}
	return m
})

// judge says what a heading or a label is: biased if one of its words is, neutral if nothing but neutral words and their companions are in it. So "Path traversal" is not neutral.
func judge(text string) bias {
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

// onlyBiased says whether a text has no word but biased ones and their companions: "Verified facts", "LGTM".
func onlyBiased(text string) bool {
	return judge(text) == biased && !slices.ContainsFunc(words.Split(text, ""), func(w string) bool { return biases()[w] != biased && biases()[w] != companion })
}

// CleanRoom returns what of a spec does not say what earlier sessions found, so that a review judges for itself. What is not known to be neutral is left out:
//
//	title         the first heading, if it is of level 1 and has no biased word
//	sections      with a neutral heading (Goal, Out of scope, Files to review, Acceptance criteria…), and their subsections, unless those have a biased word; never those with a
//	              biased word in their heading (Verified facts, Findings, Verdict, Inline comments, Notes, Status…), nor anything below them
//	lines         elsewhere, only those with a neutral label, "Goal: …", to the end of their paragraph; in a neutral section, all but those with a biased label, "Verdict: …", and what follows
//	              them up to the next heading or neutral label. A line that is all bold, or ends in a colon, is a label too
//	front matter  as lines with labels
//
// Comments of HTML go, and the ticks of boxes are taken out. It goes by headings and labels: a finding that is told in the section on the goal stays there.
func CleanRoom(spec string) string {
	text := withoutComments(strings.ReplaceAll(spec, "\r\n", "\n"))
	var r room
	lines := readMarkdown(r.frontMatter(text))
	for i := range lines {
		switch l := &lines[i]; {
		case l.code:
			r.keep(l.text, r.keeping())
		case l.level > 0:
			r.heading(l)
		case l.under:
			r.keep(l.text, r.headed)
		case strings.TrimSpace(l.text) == "":
			if r.label == keptParagraph {
				r.label = noLabel
			}
			r.keep("", true)
		default:
			r.line(l.text)
		}
	}
	return strings.Trim(manyBlank.ReplaceAllString(strings.Join(r.out, "\n"), "\n\n"), "\n")
}

var manyBlank = lazyregexp.New(`\n{3,}`)

// room is how far a spec has been read.
type room struct {
	out      []string
	sections []section // that the line is in, the outermost first
	label    labelled
	begun    bool // a heading was seen
	headed   bool // the last one was kept
}

type section struct {
	level int
	what  bias
	title bool
}

// labelled is what the last label decides, until the next heading.
type labelled uint8

const (
	noLabel       labelled = iota
	keptParagraph          // to the end of the paragraph
	keptBlock              // to the next label
	leftOut                // to the next neutral label
)

func (r *room) keep(line string, keep bool) {
	if keep {
		r.out = append(r.out, ticked.ReplaceAllString(line, "$1[ ]"))
	}
}

// ticked is a box that is ticked: that says what was judged already.
var ticked = lazyregexp.New(`^(\s*(?:[-*+]|\d+[.)])\s+)\[[xX]\]`)

// section is what the line is in; before all headings, and below the title, it is unknown.
func (r *room) section() section {
	if len(r.sections) == 0 {
		return section{}
	}
	return r.sections[len(r.sections)-1]
}

func (r *room) keeping() bool {
	switch r.label {
	case keptParagraph, keptBlock:
		return true
	case leftOut:
		return false
	}
	return r.section().what == neutral
}

func (r *room) heading(l *mdLine) {
	for len(r.sections) > 0 && r.section().level >= l.level {
		r.sections = r.sections[:len(r.sections)-1]
	}
	above := r.section()
	s := section{level: l.level, what: judge(l.heading)}
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
	r.keep(l.text, r.headed)
}

// line keeps or leaves out a line that is neither blank nor a heading nor code.
func (r *room) line(text string) {
	in := r.section().what
	key, value, listed, ok := label(text)
	if in == biased || !ok {
		r.keep(text, r.keeping())
		return
	}
	switch judge(key) {
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
	r.keep(text, r.keeping())
}

var (
	labelForm = lazyregexp.New(`^(\pL[\pL\pM\pN /&+_()-]{0,60}?)\s*(?::|\s[-–—]\s)\s*(.*)$`)
	htmlTag   = lazyregexp.New(`</?[A-Za-z][^>]*>`)
	emphasis  = strings.NewReplacer("**", "", "__", "", "`", "")
)

// label splits a line "Label: value". A line that is bold as a whole, or has nothing but biased words, is a label without a value.
func label(line string) (key, value string, listed, ok bool) {
	text, listed := unmarked(line)
	text = strings.TrimSpace(text)
	plain := strings.TrimSpace(emphasis.Replace(htmlTag.ReplaceAllString(text, "")))
	if m := labelForm.FindStringSubmatch(plain); m != nil && !strings.HasPrefix(m[2], "//") { // no address
		return m[1], m[2], listed, true
	}
	bold := len(plain) < len(text) && len(plain) <= 60 && strings.ContainsAny(text[:1], "*_<") && strings.ContainsAny(text[len(text)-1:], "*_>")
	if plain != "" && (bold || onlyBiased(plain)) {
		return plain, "", listed, true
	}
	return "", "", listed, false
}

// frontMatter keeps the neutral lines of a block between two lines of ---, and returns the text without it.
func (r *room) frontMatter(text string) string {
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
		if key, _, found := strings.Cut(line, ":"); found && key != "" && !strings.ContainsAny(key[:1], " \t-") {
			kept = judge(key) == neutral
		}
		r.keep(line, kept)
	}
	r.keep("", true)
	return after
}
