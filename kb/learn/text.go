package learn

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/text"
	"blackboard/kb"
)

// This file reads learnings as people and models write them: LEARNING: lines and lists
// below a heading, with bullets, emphasis, numbers and labels, over several lines.
// Quotes, code blocks and examples of the format do not count. A text is read once,
// line by line, because a transcript may be large.

const (
	marks    = `^((?:[ \t]*(?:[-*+•▪◦]|\p{So}\x{FE0F}?|\d+[.)]|#{1,6}|\[[ xX]\])[ \t]+)*[ \t]*)`
	emphasis = `([*_]{0,3})`
)

var (
	learnFence = text.NewRegexp("^[ \\t]*(?:[-*+] +)?(`{3,}|~{3,})[ \\t]*([^`]*)$")
	// bullets, emphasis, LEARNING with a number, a label, a colon or a dash, the text
	learnStart = text.NewRegexp(marks + emphasis +
		`(?:(?:Key|My|New|Main)[ \t]+)?((?i:learnings?))(?:[ \t]*#?\d+)?(?:[ \t]*\(([^)]*)\)|[ \t]*\[([^\]]*)\]|[ \t]+([A-Za-z][A-Za-z _-]{0,30}?))?` + emphasis +
		`(?:[ \t]*[:：]|[ \t]+([-–—])[ \t])` + emphasis + `[ \t]*(.*)$`)
	// the same of a heading: emphasis, the word, what they are from or about, a colon
	learnHead = text.NewRegexp(marks + emphasis +
		`(?:(?i:key|my|new|main|other|more)[ \t]+)?((?i:learnings?)(?:[ \t]*#?\d+)?|(?i:lessons learned|what (?:I|we)(?:'ve| have)? learned|takeaways))` +
		`([ \t]+(?i:from|of|for|in|on|about|so far|and|&|/)(?:[ \t][^:：]{0,60})?|[ \t]*\([^)]*\))?` + emphasis + `([:：]?)` + emphasis + `$`)
	learnTail = text.NewRegexp(
		`(?:[.!?][ \t]+(?:(?:Key|My|New|Main)[ \t]+)?(?:[Ll]earnings|What (?:I|we) (?:have )?learned)|(?i:^\W*(?:here(?: is|'s| are)|I|I've|these are)\b.{0,60}\b(?:learned|learnings)))[:：]$`)
	learnMention = text.NewRegexp(`\bLEARNING\b[^:：\n]{0,40}[:：]`)
	learnGlued   = text.NewRegexp(`[.!?][ \t]+LEARNING(?:[ \t]*\(([^)]*)\))?[:：][ \t]*`)
	otherWord    = text.NewRegexp(marks + emphasis +
		`(?:(?i:lessons?(?: learned)?|takeaways?|learned|learnt|what (?:I|we)(?: have)? learned|note to self)|TIL|Gotcha|Pitfall)` + emphasis + `[:：]` + emphasis + `(.*)$`)
	// "Write them in this form:", but not "Here is what I learned, in the format you want:"
	learnForm = text.NewRegexp(
		`(?i)(\b(emit|write|print|output|add|report|use|end|finish|close|begin|append|list)\b.*\b(form|format|lines?|like|syntax|template)\b.*|^\W*(for |an )?example\b.*):\W*$`)
	firstPerson  = text.NewRegexp(`\b(I|I'm|my|My|[Hh]ere (is|are))\b`)
	listItem     = text.NewRegexp(`^([-*+•▪◦]|\d+[.)])[ \t]+`)
	underline    = text.NewRegexp(`^[ \t]*(={3,}|-{3,})$`)
	keyValueLine = text.NewRegexp(`^[ \t]*[\w][\w ./-]{0,40}:[ \t]`) // "retries: 3", which continues no sentence and whose neighbours are no learnings
	detail       = text.NewRegexp(`^(?i:fix|why|because|instead|workaround|evidence|reason)[:：]`)
)

const talk = "it may be a quote or talk; to mark a learning, begin the line with LEARNING:"

// How sure a learning is.
const (
	guess  = iota // "learning:" in prose
	likely        // an item of a list, or "Learning:"
	sure          // "LEARNING:"
)

type scan struct {
	l         *learner
	pane      *pane // of a terminal; nil for a message
	frame     int
	open      bool   // a learning goes on
	from      string // where it began
	label     string
	certainty int // guess, likely or sure
	indent    int
	text      strings.Builder
	firm      int           // how much of it is sure; 0: all
	last      string        // its last line
	more      bool          // a backslash: the next line belongs to it, however it stands
	section   *learnSection // the section of learnings that is being read; nil outside
	gap       bool          // a blank line within an item
	before    string        // the last line that was neither blank nor a learning's
	above     string        // the same, if it is the line right above
	base      int           // the indent of the text
	shown     bool          // code, which is indented
	fence     string        // what closes the code block
	fenceAt   string
	code      *strings.Builder // of a block that may hold a reflector's list
}

// learnSection is the text below a heading such as "Learnings:".
type learnSection struct {
	from  string
	depth int  // of the heading; 0 if it has no #
	one   bool // "Learning 4": a paragraph is one, too
	items int
}

func (s *scan) readLine(line, from string) {
	if strings.Contains(line, "\x1b") {
		line = ansi.ReplaceAllString(line, "")
	}
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	if s.pane != nil {
		text, frame, agent := s.pane.take(line)
		if line = text; frame != s.frame || !agent {
			s.finish()
			s.frame, s.section = frame, nil
		}
		if !agent {
			s.mention(line, from, "it is quoted, or it was said by the user or a tool")
			s.before, s.above = line, line
			return
		}
	}
	var f []string // most lines are none, and the expression costs more than a look for a word
	if strings.Contains(line, "```") || strings.Contains(line, "~~~") {
		f = learnFence.FindStringSubmatch(line)
	}
	switch {
	case s.fence != "":
		s.readFenced(line, from, f)
	case line == "":
		if s.gap = s.open && s.certainty == likely && s.section != nil; !s.gap {
			s.finish()
		}
		s.above = ""
	case f != nil && s.open && strings.HasSuffix(s.last, ":"): // what it announces is the code
		s.fence = f[1]
		s.text.WriteString("\n" + line)
	case f != nil:
		s.finish()
		s.section, s.fence, s.fenceAt, s.code = nil, f[1], from, nil
		if lang, _, _ := strings.Cut(strings.ToLower(f[2]), " "); lang == "" ||
			lang == "json" || lang == "jsonc" {
			s.code = new(strings.Builder)
		}
		s.before, s.above = line, line
	default:
		s.readText(line, from)
		s.gap = false
	}
}

// readText reads a line of text: it begins a learning, goes on with one, or is a heading or prose.
func (s *scan) readText(line, from string) {
	indent := indentOf(line)
	text := line[indent:]
	var start *start
	var below *learnSection
	word := strings.Contains(line, "earn") || strings.Contains(line, "EARN")
	if word || strings.Contains(line, "akeaway") {
		if below = parseHeading(line, false); below == nil {
			start = startOf(line)
		}
	}
	if (text[0] == '=' || text[0] == '-') && underline.MatchString(line) {
		below = parseHeading(s.above, true)
	}
	if start == nil && below == nil {
		if glue, ok := s.continuation(line, indent); ok {
			s.append(line, glue)
			return
		}
	}
	s.finish()
	s.shown = (s.shown || s.above == "") && s.section == nil &&
		s.before != "" && indent >= s.base+4 &&
		!listItem.MatchString(strings.TrimLeft(s.before, " \t"))
	if s.shown {
		s.mention(line, from, "it is in indented code")
		return
	}
	s.base = indent
	item := ""
	if s.section != nil {
		item = listItem.FindString(text)
	}
	switch {
	case below != nil:
		below.from = from
		s.section = below
	case start != nil:
		if s.section != nil && item == "" {
			s.section = nil
		}
		s.start(start, line, from, indent)
		return
	case s.section != nil && item != "":
		s.section.items++
		s.begin(from, "", text[len(item):], line, indent, likely)
		return
	case s.section != nil:
		s.readParagraph(line, from, indent)
	default:
		s.mention(line, from, talk)
	}
	s.before, s.above = line, line
}

type start struct {
	word, label, text string
}

// startOf reads a line that begins a learning. In small letters, a label must be a kind.
func startOf(line string) *start {
	m := learnStart.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	st := &start{word: m[3], label: m[4] + m[5] + m[6], text: m[10]}
	if kind, _ := parseLabel(st.label); st.label != "" && kind == "" &&
		(st.word != "LEARNING" || m[8] != "") {
		return nil
	}
	// no emphasis is open: what stands behind the colon is the text's
	if m[2] == "" || m[7] != "" {
		st.text = m[9] + st.text
	}
	return st
}

// start begins a learning, unless it only shows the form.
func (s *scan) start(st *start, line, from string, indent int) {
	how := likely
	switch {
	case st.word == "LEARNING":
		how = sure
	case st.word == strings.ToLower(st.word):
		how = guess
	}
	switch {
	case learnForm.MatchString(s.before) && !firstPerson.MatchString(s.before):
		s.l.unsure(from, "it only shows the format of %q",
			clip(strings.TrimSpace(s.before), 60))
	case how == guess && keyValueLine.MatchString(s.above):
		s.l.unsure(from, "%q is among settings", clip(strings.TrimSpace(line), 60))
		s.before, s.above = line, line
	default:
		s.begin(from, st.label, st.text, line, indent, how)
	}
}

// parseHeading reads a line above learnings; it must be marked: with #, emphasis, a colon.
func parseHeading(line string, marked bool) *learnSection {
	if len(line) > 160 {
		return nil
	}
	m := learnHead.FindStringSubmatch(line)
	if m == nil {
		if learnTail.MatchString(line) || strings.TrimSpace(line) == "<learnings>" {
			return &learnSection{}
		}
		return nil
	}
	word := strings.TrimRight(strings.ToLower(m[3]), " \t#0123456789")
	b := &learnSection{depth: strings.Count(m[1], "#"), one: word == "learning"}
	// which a terminal may show in bold
	marked = marked || b.depth > 0 || m[2] != "" || m[6] != "" || !b.one && m[4] == ""
	// "LEARNING (gotcha):" begins one
	if !marked || b.one && m[4] != "" {
		return nil
	}
	return b
}

// readParagraph reads a line below a heading that is no item: words, a heading, the learning.
func (s *scan) readParagraph(line, from string, indent int) {
	text := line[indent:]
	depth := len(text) - len(strings.TrimLeft(text, "#"))
	first := s.section.items == 0
	switch {
	case s.section.depth > 0 && depth > s.section.depth, first &&
		strings.HasSuffix(strings.TrimRight(text, "*_ "), ":"):
		return
	case first && depth == 0 && s.section.one:
		s.begin(from, "", text, line, indent, likely)
	case first && depth == 0 && !saysNone(text):
		s.l.unsure(from, "%q is below a heading at %s and is not a list",
			clip(text, 60), s.section.from)
	default:
		s.mention(line, from, talk)
	}
	s.section = nil
}

// continuation says whether a line belongs to the learning that is open, and what stands between.
func (s *scan) continuation(line string, indent int) (glue string, ok bool) {
	text := line[indent:]
	switch item := listItem.MatchString(text); {
	case !s.open:
		return "", false
	case s.gap:
		return " ", indent > s.indent
	case item && indent > s.indent:
		return "\n", true
	case item && !s.more:
		return "", false
	}
	glue, broken := s.pane.broken(s.frame, s.last, line)
	switch {
	case s.more, !broken && (indent > s.indent || s.text.Len() == 0 || detail.MatchString(text)):
		return " ", true
	case broken && strings.ContainsRune("#>|<", rune(text[0])), !broken && !continuesSentence(s.last, text):
		return "", false
	case s.firm == 0:
		s.firm = s.text.Len()
	case s.text.Len() > maxSentence: // it was none, and what looked like its rest was not
		text := s.text.String()[:s.firm]
		s.text.Reset()
		s.text.WriteString(text)
		return "", false
	}
	return glue, true
}

// continuesSentence says whether a line looks like the rest of the sentence before it.
func continuesSentence(last, next string) bool {
	r, _ := utf8.DecodeRuneInString(next)
	starts := unicode.IsLetter(r) && !unicode.IsUpper(r) || strings.ContainsRune("`('\"@$/&~", r)
	return starts && !endsSentence(last) && (!keyValueLine.MatchString(next) ||
		readMetadata(next, new(kb.Capsule)))
}

func endsSentence(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"')]*_` "))
	return strings.ContainsRune(".!?。！？", r)
}

// mention reports what looks like a learning and does not count.
func (s *scan) mention(line, from, why string) {
	if strings.Contains(line, "LEARNING") {
		if at := learnMention.FindStringSubmatchIndex(line); at != nil && !saysNone(line[at[1]:]) {
			s.l.unsure(from, "%q: %s", clip(strings.TrimSpace(line), 60), why)
		}
		return
	}
	if len(line) < 100 && strings.HasSuffix(line, ":") && strings.Contains(line, "earnings") {
		s.l.unsure(from, "%q may be the heading of a list: write Learnings: above it",
			clip(strings.TrimSpace(line), 60))
	} else if strings.IndexByte(line[:min(len(line), 40)], ':') > 0 {
		if m := otherWord.FindStringSubmatch(line); m != nil && wordCount(m[5]) >= learnWords {
			s.l.unsure(from, "%q: %s", clip(strings.TrimSpace(line), 60), why)
		}
	}
}

// readFenced reads a line of a code block, which may be a reflector's list.
func (s *scan) readFenced(line, from string, f []string) {
	closes := f != nil && f[2] == "" && strings.HasPrefix(f[1], s.fence)
	if s.open {
		if s.text.Len() <= kb.MaxBody {
			s.text.WriteString("\n" + line)
		}
		if closes {
			s.fence = ""
			s.finish()
		}
		return
	}
	if closes {
		if s.code != nil {
			s.l.readDocument([]byte(s.code.String()), s.fenceAt, s.l.workerRole == "reflector")
		}
		s.fence, s.before = "", ""
		return
	}
	if !strings.HasPrefix(strings.TrimSpace(line), `"`) { // not a string of JSON
		s.mention(line, from, "it is in the code block that begins at "+s.fenceAt)
	}
	if s.code != nil && s.code.Len() < maxLearnDocument {
		s.code.WriteString(line + "\n")
	}
}

func (s *scan) begin(from, label, text, line string, indent, how int) {
	s.open, s.from, s.label, s.indent, s.certainty, s.firm = true, from, label, indent, how, 0
	s.append(text, "")
	s.last, s.above = line, ""
}

func (s *scan) append(line, glue string) {
	s.last = line
	line, s.more = strings.CutSuffix(line, `\`)
	if glue != "" || s.text.Len() == 0 {
		line = strings.TrimSpace(line)
	}
	if s.text.Len() > kb.MaxBody { // Check will say so
		return
	}
	if s.text.Len() > 0 && line != "" {
		s.text.WriteString(glue)
	}
	s.text.WriteString(line)
}

// finish takes the open learnings: two may be on one line.
func (s *scan) finish() {
	for label, text := s.label, s.text.String(); s.open; {
		m := learnGlued.FindStringSubmatchIndex(text)
		if s.open = m != nil; m == nil {
			s.l.takeText(s.from, label, text, s.certainty)
			break
		}
		s.l.takeText(s.from, label, text[:m[0]+1], s.certainty)
		if label = ""; m[2] >= 0 {
			label = text[m[2]:m[3]]
		}
		text = text[m[1]:]
	}
	s.open, s.more, s.gap = false, false, false
	s.text.Reset()
}

// end takes what is open, unless the text was cut: then the last sentence may go on.
func (s *scan) end(cut bool) {
	if cut && s.open && !endsSentence(s.last) {
		s.l.unsure(s.from, "the message ends in the middle of %q", clip(s.text.String(), 60))
		s.open = false
	}
	s.finish()
	// an answer that was cut short, or a last fence without its end
	if s.fence != "" && s.code != nil {
		s.l.readDocument([]byte(s.code.String()), s.fenceAt, s.l.workerRole == "reflector")
	}
}
