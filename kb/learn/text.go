package learn

import (
	"strings"
	"unicode"

	"blackboard/board/lazyregexp"
	"blackboard/kb"
)

// This file reads LEARNING: lines, as people and models write them: with bullets, emphasis, numbers and labels, over several lines. What is quoted, stands in a
// code block or shows the form is not meant. A text is gone through once, line by line, since a transcript may be large.

var (
	ansi       = lazyregexp.New(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))`)
	learnFence = lazyregexp.New("^[ \\t]*(?:[-*+] +)?(`{3,}|~{3,})[ \\t]*([^`]*)$")
	// bullets and emphasis, LEARNING with a number, a label in brackets or bare, the colon, the text
	learnStart   = lazyregexp.New(`^((?:[ \t]*(?:[-*+•●⏺▪◦]|\d+[.)]|#{1,6})[ \t]+)*[ \t]*)(?:\*\*|__)?LEARNING(?:[ \t]*#?\d+)?(?:[ \t]*\(([^)]*)\)|[ \t]*\[([^\]]*)\]|[ \t]+([A-Za-z][A-Za-z _-]{0,30}))?(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*(.*)$`)
	learnMention = lazyregexp.New(`\bLEARNING\b[^:：\n]{0,40}[:：]`)
	// "Write them in this form:", "Example:", but not "Here is what I learned, in the format you want:"
	learnForm   = lazyregexp.New(`(?i)(\b(emit|write|print|output|add|report|use)\b.*\b(form|format|lines?|like|syntax|template)\b.*|^\W*(for )?example):\W*$`)
	firstPerson = lazyregexp.New(`\b(I|I'm|my|My|[Hh]ere (is|are))\b`)
	listItem    = lazyregexp.New(`^([-*+•]|\d+[.)])[ \t]`)
)

// A scan is what is known of the lines before, as far as the next one depends on them.
type scan struct {
	l       *learner
	open    bool   // a learning goes on
	from    string // where it began
	label   string
	indent  int
	text    strings.Builder
	more    bool   // a backslash: the next line belongs to it, however it stands
	before  string // the last line that was not blank
	fence   string // what closes the code block
	fenceAt string
	code    *strings.Builder // of a block that may hold a reflector's list
}

func (s *scan) line(line, from string) {
	if strings.Contains(line, "\x1b") {
		line = ansi.ReplaceAllString(line, "")
	}
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	var f, m []string // most lines are neither, and the expressions cost more than a look for a word
	if strings.Contains(line, "```") || strings.Contains(line, "~~~") {
		f = learnFence.FindStringSubmatch(line)
	}
	if s.fence != "" {
		s.fenced(line, from, f)
		return
	}
	word := strings.Contains(line, "LEARNING")
	if word {
		m = learnStart.FindStringSubmatch(line)
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if s.open && m == nil && f == nil && line != "" && (s.more || indent > s.indent) {
		s.append(strings.TrimSpace(line))
		return
	}
	s.finish()
	if line == "" {
		return
	}
	if f != nil {
		s.fence, s.fenceAt, s.code = f[1], from, nil
		if lang, _, _ := strings.Cut(strings.ToLower(f[2]), " "); lang == "" || lang == "json" || lang == "jsonc" {
			s.code = new(strings.Builder)
		}
	} else if m != nil && learnForm.MatchString(s.before) && !firstPerson.MatchString(s.before) {
		s.l.refuse(from, "it shows the form that %q asks for", clip(strings.TrimSpace(s.before), 60))
	} else if m != nil {
		s.open, s.from, s.label, s.indent = true, from, m[2]+m[3]+m[4], indent
		s.append(m[5])
	} else if word && learnMention.MatchString(line) {
		s.l.refuse(from, "it is quoted, or talk about learnings: one begins its line with LEARNING:")
	}
	if m == nil {
		s.before = line
	}
}

// fenced reads a line of a code block. Nothing in it is meant as a LEARNING: line, but the whole may be a reflector's list.
func (s *scan) fenced(line, from string, f []string) {
	if f != nil && f[2] == "" && strings.HasPrefix(f[1], s.fence) {
		if s.code != nil {
			s.l.document([]byte(s.code.String()), s.fenceAt, s.l.role == "reflector")
		}
		s.fence, s.before = "", ""
		return
	}
	if strings.Contains(line, "LEARNING") && learnMention.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), `"`) { // not a string of JSON
		s.l.refuse(from, "it stands in a code block, which begins at %s", s.fenceAt)
	}
	if s.code != nil && s.code.Len() < maxLearnDocument {
		s.code.WriteString(line + "\n")
	}
}

func (s *scan) append(line string) {
	line, s.more = strings.CutSuffix(line, `\`)
	switch line = strings.TrimSpace(line); {
	case s.text.Len() > kb.MaxBody: // Check will say so
		return
	case s.text.Len() > 0 && listItem.MatchString(line):
		s.text.WriteByte('\n')
	case s.text.Len() > 0 && line != "":
		s.text.WriteByte(' ')
	}
	s.text.WriteString(line)
}

func (s *scan) finish() {
	if s.open {
		s.l.words(s.from, s.label, s.text.String())
	}
	s.open, s.more = false, false
	s.text.Reset()
}

func (s *scan) end() {
	s.finish()
	if s.fence != "" && s.code != nil { // an answer that was cut short, or a last fence without its end
		s.l.document([]byte(s.code.String()), s.fenceAt, s.l.role == "reflector")
	}
}

var (
	inlineLabel = lazyregexp.New(`^(?:\*\*|__)?(?:\[([^\]]{1,40})\]|\(([^)]{1,40})\)|([A-Za-z][A-Za-z _-]{1,14})(?:\*\*|__)?[:：])(?:\*\*|__)?[:：]?[ \t]+`)
	aboutLines  = lazyregexp.New(`^(lines?|markers?|prefix)\b`)
)

// words makes a capsule of what a LEARNING: line says. Without a label the text may begin with one, as in "LEARNING: [gotcha] …"; if that names no kind, it is text.
func (l *learner) words(from, label, text string) {
	if strings.Count(text, "**")%2 == 1 { // the other half stood before LEARNING
		text = strings.TrimSuffix(text, "**")
	}
	kind, tags := labelKind(label)
	if m := inlineLabel.FindStringSubmatch(text); m != nil && label == "" {
		if k, t := labelKind(m[1] + m[2] + m[3]); k != "" {
			kind, tags, text = k, t, text[len(m[0]):]
		}
	}
	c := kb.Capsule{Tags: tags}
	text = cutMetadata(text, &c)
	switch {
	case strings.ContainsAny(label, "<|") || isPlaceholder(text):
		l.refusePlaceholder(from, text)
		return
	case label == "" && aboutLines.MatchString(text):
		l.refuse(from, "%q is talk about learnings, not one", clip(text, 60))
		return
	case label != "" && kind == "":
		l.refuseKind(from, label)
		return
	}
	if c.Kind = kind; kind == "" {
		c.Kind = roleKind(l.role, text)
	}
	c.Title, c.Body = TitleOf(text), text
	l.add(from, c)
}

var placeholder = lazyregexp.New(`<[^<>]*>|\{\{?[^{}]*\}\}?|…|\.{3}`)

// isPlaceholder reports whether a text is the form of a learning, not one: prompts show <what you learned>, and models say it again. A learning may have a <name>
// in it.
func isPlaceholder(text string) bool {
	left := placeholder.ReplaceAllString(text, " ")
	return left != text && wordCount(left) < learnWords
}
