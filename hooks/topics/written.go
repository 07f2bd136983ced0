package topics

import (
	"slices"
	"strings"

	"blackboard/board/lazyregexp"
	"blackboard/board/words"
)

// written is what somebody has written in a spec: without the template's title and labels that
// nothing follows, headings of nothing, and notes that say the same as a later one.
func written(spec, topic string) string {
	lines := readMarkdown(spec)
	keep := make([]bool, len(lines))
	// The level of the kept heading that comes next, 7: text does, 0: nothing; and the next line.
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
		case l.under:
		case l.level == 1 && l.heading == topic:
		case l.level > 0:
			if below > l.level || l.level == 1 {
				keep[i], below = true, l.level
			}
		case emptyLabel.MatchString(text):
			keep[i] = below == 7 && !templateLabel.MatchString(next)
		default:
			if m := noteLine.FindStringSubmatch(l.text); m != nil && !continued(lines, i) {
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
		if l.under { // it goes with its heading
			keep[i] = i > 0 && keep[i-1]
		}
		if keep[i] {
			out = append(out, l.text)
		}
	}
	return strings.TrimSpace(manyBlank.ReplaceAllString(strings.Join(out, "\n"), "\n\n"))
}

var (
	emptyLabel    = lazyregexp.New(`^(?:Goal|Scope):$`)
	templateLabel = lazyregexp.New(`^(?:Goal|Scope):`)
	noteLine      = lazyregexp.New(`^- \d{4}-\d\d-\d\d \d\d:\d\d (.+)$`)
)

// continued says whether the item of a list goes on in the next line.
func continued(lines []mdLine, i int) bool {
	return i+1 < len(lines) && strings.HasPrefix(lines[i+1].text, "  ")
}

// outline is what matters most of a spec that is too long to be shown: its goal, decisions and open
// questions, each section or labelled paragraph whole, as many as fit.
func outline(spec string, most int) string {
	var parts []string
	var part []string
	in, size := 0, 0 // the level of the section that is taken; 7: a paragraph
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
			if key, _, _, ok := label(l.text); l.level > 0 && central(l.heading) {
				in = l.level
			} else if l.level == 0 && !l.code && ok && central(key) {
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

// central says whether a heading or label is about what a session must know first.
func central(heading string) bool {
	return slices.ContainsFunc(words.Split(heading, ""), func(w string) bool {
		return slices.Contains(strings.Fields("goal goals objective decision decisions question questions"), w)
	})
}

// sortOnly reports whether a heading or label says only what sort of thing follows it.
func sortOnly(heading string) bool { return judge(heading) == neutral || onlyBiased(heading) }

// About is what a topic is about, as a question to what is known: the words of its spec, of its
// name and of the branch, if they are somebody's. No heading or label that says only what sort of
// thing follows it is among them. It is "" if nobody has written a spec.
func (t Topic) About(spec, branch string) string {
	var out []string
	for _, l := range readMarkdown(written(spec, t.Name)) {
		text := l.text
		if m := noteLine.FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		switch key, value, _, ok := label(text); {
		case l.level > 0:
			if text = l.heading; sortOnly(text) {
				text = ""
			}
		case l.under:
			text = ""
		case ok && !l.code && sortOnly(key):
			text = value
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.TrimSpace(t.Named(branch) + "\n" + strings.Join(out, "\n"))
}

// Named is what the names of a topic and of the branch say, if they are somebody's; "" else.
func (t Topic) Named(branch string) string {
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
