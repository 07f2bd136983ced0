package topics

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
	"blackboard/board/words"
)

// writtenText is what people or agents wrote in a spec: no template's title, empty labels or
// headings, or notes that a later one repeats.
func writtenText(spec, topic string) string {
	lines := readMarkdown(spec)
	keep := make([]bool, len(lines))
	// below is the next kept heading's level (7: text, 0: nothing); next is the next line.
	below, next := 0, ""
	seen := map[string]bool{}
	for i, l := range slices.Backward(lines) {
		text := strings.TrimSpace(l.text)
		switch {
		case l.code:
			keep[i], below = true, 7
		case text == "":
			keep[i] = true
			continue
		case l.underline:
		case l.level == 1 && l.heading == topic:
		case l.level > 0:
			if below > l.level || l.level == 1 {
				keep[i], below = true, l.level
			}
		case emptyLabel.MatchString(text):
			keep[i] = below == 7 && !templateLabel.MatchString(next)
		default:
			goesOn := i+1 < len(lines) && strings.HasPrefix(lines[i+1].text, "  ")
			if m := noteLine.FindStringSubmatch(l.text); m != nil && !goesOn {
				if seen[m[1]] {
					continue
				}
				seen[m[1]] = true
			}
			keep[i], below = true, 7
		}
		next = text
	}
	var out []string
	for i, l := range lines {
		if l.underline { // it goes with its heading
			keep[i] = i > 0 && keep[i-1]
		}
		if keep[i] {
			out = append(out, l.text)
		}
	}
	return strings.TrimSpace(manyBlank.ReplaceAllString(strings.Join(out, "\n"), "\n\n"))
}

var (
	emptyLabel    = text.NewRegexp(`^(?:Goal|Scope):$`)
	templateLabel = text.NewRegexp(`^(?:Goal|Scope):`)
	noteLine      = text.NewRegexp(`^- \d{4}-\d\d-\d\d \d\d:\d\d (.+)$`)
	// branchMark is what Note writes before a note of a branch.
	branchMark = text.NewRegexp(`^(- \d{4}-\d\d-\d\d \d\d:\d\d )\[([^\]\s]+)\] `)
)

// notes calls do with each note of a spec: its lines from begin to end.
func notes(lines []string, do func(begin, end int)) {
	for i := 0; i < len(lines); i++ {
		if !noteLine.MatchString(lines[i]) {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.HasPrefix(lines[end], "  ") {
			end++
		}
		do(i, end)
		i = end - 1
	}
}

// otherNotes begins the line about notes that are not shown.
const otherNotes = "(notes of other branches:"

// notesHere drops and counts other branches' notes. A note without a mark belongs to all.
func notesHere(spec, branch string) string {
	if branch == "" {
		return spec
	}
	lines := strings.Split(spec, "\n")
	var others []string
	gone := map[int]bool{}
	notes(lines, func(begin, end int) {
		m := branchMark.FindStringSubmatch(lines[begin])
		switch {
		case m == nil:
		case m[2] == branch:
			lines[begin] = m[1] + lines[begin][len(m[0]):]
		default:
			for i := begin; i < end; i++ {
				gone[i] = true
			}
			others = append(others, m[2])
		}
	})
	var kept []string
	for i, l := range lines {
		if !gone[i] {
			kept = append(kept, l)
		}
	}
	if n := len(others); n > 0 {
		slices.Sort(others)
		kept = append(kept, fmt.Sprintf(otherNotes+" %d, of %s)", n,
			strings.Join(slices.Compact(others), ", ")))
	}
	return strings.Join(kept, "\n")
}

// shorten returns of a spec that is too long the goal, decisions and open questions, in half
// of the room, and the newest notes, each whole, in the rest.
func shorten(spec string, most int) string {
	first := outline(spec, most/2)
	lines := strings.Split(spec, "\n")
	var all []string
	notes(lines, func(begin, end int) { all = append(all, strings.Join(lines[begin:end], "\n")) })
	left, from := most-len(first)-len("## Notes, the newest 99999 of 99999\n\n"), len(all)
	for from > 0 && len(all[from-1])+1 <= left {
		from--
		left -= len(all[from]) + 1
	}
	if from == len(all) {
		return first
	}
	return strings.TrimSpace(fmt.Sprintf("%s\n\n## Notes, the newest %d of %d\n%s", first,
		len(all)-from, len(all), strings.Join(all[from:], "\n")))
}

// outline is the most important of a spec that is too long: goal, decisions, open questions, in
// whole sections or labelled paragraphs, as many as fit.
func outline(spec string, most int) string {
	var parts []string
	var part []string
	in, size := 0, 0 // in: the level of the section that is taken; 7: a paragraph
	end := func() {
		text := strings.TrimSpace(strings.Join(part, "\n"))
		if part = nil; text != "" && size+len(text)+2 <= most {
			parts, size = append(parts, text), size+len(text)+2
		}
		in = 0
	}
	for _, l := range readMarkdown(spec) {
		if in == 7 && strings.TrimSpace(l.text) == "" || l.level > 0 && in > 0 && l.level <= in {
			end()
		}
		if in == 0 {
			if key, _, _, ok := label(l.text); l.level > 0 && essential(l.heading) {
				in = l.level
			} else if l.level == 0 && !l.code && ok && essential(key) {
				in = 7
			}
		}
		if in > 0 {
			part = append(part, l.text)
		}
	}
	end()
	return strings.Join(parts, "\n\n")
}

// essential reports whether a heading or label is about what a session must know first.
func essential(heading string) bool {
	return slices.ContainsFunc(words.Split(heading, ""), func(w string) bool {
		return slices.Contains(strings.Fields("goal goals objective decision decisions "+
			"question questions"), w)
	})
}

// genericHeading reports a heading or label that only names the sort of text below.
func genericHeading(heading string) bool {
	return classify(heading) == neutral ||
		onlyBiased(heading)
}

// Query is a search query about a topic: its spec's words without generic headings, its name and
// branch if people chose them; "" without spec text.
func (t Topic) Query(spec, branch string) string {
	var out []string
	for _, l := range readMarkdown(writtenText(notesHere(spec, branch), t.Name)) {
		text := l.text
		if strings.HasPrefix(text, otherNotes) {
			continue
		}
		if m := noteLine.FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		switch key, value, _, ok := label(text); {
		case l.level > 0:
			if text = l.heading; genericHeading(text) {
				text = ""
			}
		case l.underline:
			text = ""
		case ok && !l.code && genericHeading(key):
			text = value
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.TrimSpace(t.NameWords(branch) + "\n" + strings.Join(out, "\n"))
}

// NameWords are the words of a topic's and branch's names if people chose them; else "".
func (t Topic) NameWords(branch string) string {
	var named []string
	if t.Kind == KindNamed || t.Kind == KindReview {
		named = append(named, t.Name)
	}
	branch = branch[strings.LastIndexByte(branch, '/')+1:]
	for _, w := range words.Split(branch, "") {
		if !strings.ContainsAny(w, "0123456789") { // the number of a ticket
			named = append(named, w)
		}
	}
	return strings.Join(named, " ")
}
