package learn

import (
	"strings"

	"blackboard/board/text"
	"blackboard/kb"
)

// This file makes capsules of the texts of learnings, and detects empty ones.

var (
	inlineLabel = text.NewRegexp(
		"^(?:\\*\\*|__|`)?(?:\\[([^\\]]{1,40})\\]|\\(([^)]{1,40})\\)|([A-Za-z][A-Za-z " +
			"_-]{1,14})(?:\\*\\*|__)?[:：])(?:\\*\\*|__|`)?[:：]?[ \\t]+")
	aboutLines = text.NewRegexp(
		`^(lines?|markers?|prefix)\b(.*\b(collected|asked|please|finish|the end|follow)\b| like (this|these|the)\b)`)
	noLearning = text.NewRegexp(
		`(?i)^[^\pL]*(n/?a|tbd|no|none( (besides|beyond|so far|this time|to|new|of (the )?(others?|these|those|them|above))\b.*)?|no (new |more |further )?(learnings?|lessons|findings)\b.*|nothing( (new|more|else|further|to|special|worth)\b.*)?)[^\pL\d]*$`)
	// as a brief shows a capsule
	toldBefore = text.NewRegexp(`\((k[0-9a-z]{9})(?:, (?:confidence|source|verified)[^()]*)?\)`)
)

// saysNone reports whether a short text says that there is nothing to learn.
func saysNone(text string) bool {
	return len(text) < 100 && wordCount(text) <= 8 && noLearning.MatchString(text)
}

// takeText makes a learning of a text, which may begin with a label, or refuses it.
func (l *learner) takeText(from, label, text string, how int) {
	if strings.Count(text, "**")%2 == 1 { // the other half stood before LEARNING
		text = strings.TrimSuffix(text, "**")
	}
	kind, tags := parseLabel(label)
	if m := inlineLabel.FindStringSubmatch(text); m != nil && label == "" {
		if k, t := parseLabel(m[1] + m[2] + m[3]); k != "" {
			kind, tags, text = k, t, text[len(m[0]):]
		}
	}
	c := kb.Capsule{Tags: tags}
	text = cutMetadata(text, &c)
	told := toldBefore.FindStringSubmatch(text)
	switch {
	case saysNone(text):
	case strings.ContainsAny(label, "<|") || isPlaceholder(text):
		l.notePlaceholder(from, text)
	case label == "" && aboutLines.MatchString(text):
		l.unsure(from, "%q is talk about learnings, not one", clip(text, 60))
	case label != "" && kind == "":
		l.refuseKind(from, label)
	case told != nil:
		l.unsure(from, "%q repeats %s, which is stored already", clip(text, 60), told[1])
	case how == sure || wordCount(text) >= learnWords:
		if c.Kind = kind; kind == "" {
			c.Kind = roleKind(l.workerRole, text)
		}
		said, _, _ := strings.Cut(text, "\n```")
		c.Title, c.Body = strings.TrimRight(TitleOf(said), ":"), text
		l.add(from, c)
	case how == likely && text != "":
		l.unsure(from, "%q is too short: the minimum is %d words",
			clip(text, 60), learnWords)
	}
}

var placeholder = text.NewRegexp(`<[^<>]*>|\{\{?[^{}]*\}\}?|…|\.{3}`)

// isPlaceholder reports whether a text is a form: prompts show <what you learned>.
func isPlaceholder(text string) bool {
	left := placeholder.ReplaceAllString(text, " ")
	return left != text && wordCount(left) < learnWords
}
