package learn

import (
	"slices"
	"strconv"
	"strings"

	"blackboard/board/text"
	"blackboard/kb"
)

// This file reads the metadata of a learning: its kind, in a label, and what follows
// the text, as in (source: foo.py:42, confidence: 0.9). People and models write it
// without a fixed format, so the parser must not take a sentence for metadata.

// A decision is a principle, and stays known as a decision by its tag.
var kindNames = map[string]string{
	"decision": "principle", "lesson": "principle", "rule": "principle", "tip": "recipe",
	"howto": "recipe", "how_to": "recipe",
	"bug": "gotcha", "pitfall": "gotcha", "warning": "gotcha", "antipattern": "anti_pattern",
}

// parseLabel reads a label: a kind, "" if none is named, perhaps with tags around it.
func parseLabel(label string) (kind string, tags []string) {
	for _, name := range strings.FieldsFunc(label, func(r rune) bool {
		return r == ',' ||
			r == ';' || r == '/'
	}) {
		name = strings.Trim(strings.TrimSpace(name), "*`")
		k := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
		if other := kindNames[k]; other != "" {
			if k == "decision" {
				tags = append(tags, k)
			}
			k = other
		}
		switch {
		case kind == "" && slices.Contains(kb.Kinds, k):
			kind = k
		case name != "":
			tags = append(tags, name)
		}
	}
	return kind, tags
}

// roleKind guesses: reviewers warn, planners decide, executors tell recipes, others facts.
func roleKind(role, text string) string {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch {
	case role == "reviewer" || role == "re_reviewer":
		return "gotcha"
	case role == "planner":
		return "principle"
	case role == "executor" && slices.Contains([]string{"run", "use", "call", "set", "pass",
		"install", "start", "export"}, first):
		return "recipe"
	}
	return "fact"
}

var (
	metaGroup = text.NewRegexp(`[ \t]*[(\[]([^()\[\]]*)[)\]]\.?$`)
	metaKey   = text.NewRegexp(
		`(?i)\b(source|confidence|tags?|domains?|domain_tags|verified[_ -]by)[ \t]*[:=][ \t]*`)
)

// cutMetadata takes what stands in brackets at the end, as in (source: foo.py:42, confidence: 0.9).
func cutMetadata(text string, c *kb.Capsule) string {
	head := text[:max(0, len(text)-metaTail)]
	text = text[len(head):]
	for range 8 {
		text = strings.TrimRight(text, " \t\n,;|—–")
		m := metaGroup.FindStringSubmatchIndex(text)
		if m == nil || !readMetadata(text[m[2]:m[3]], c) {
			break
		}
		text = text[:m[0]]
	}
	return head + text
}

// metaTail is how many bytes at the end of a text may hold metadata.
const metaTail = 2000

// readMetadata reads pairs of keys and values, all or none: else the whole was a sentence.
func readMetadata(s string, c *kb.Capsule) bool {
	keys := metaKey.FindAllStringSubmatchIndex(s, -1)
	if len(keys) == 0 || strings.TrimSpace(s[:keys[0][0]]) != "" {
		return false
	}
	got := *c
	for i, k := range keys {
		end := len(s)
		if i+1 < len(keys) {
			end = keys[i+1][0]
		}
		key, value := strings.ToLower(s[k[2]:k[3]]), strings.Trim(s[k[1]:end], " \t\n,;|`\"'")
		if value == "" || strings.Count(value, " ") > 8 { // a value of so many words is a sentence
			return false
		}
		switch {
		case key == "source":
			got.Source = value
		case key == "confidence":
			v, ok := parseFraction(value)
			if !ok {
				return false
			}
			got.Confidence = &v
		case strings.HasPrefix(key, "verified"):
			got.VerifiedBy = value
		case strings.HasPrefix(key, "tag"):
			got.Tags = append(slices.Clone(got.Tags), splitTags(value)...)
		default:
			got.DomainTags = append(slices.Clone(got.DomainTags), splitTags(value)...)
		}
	}
	*c = got
	return true
}

// parseFraction reads 0.9 or 90%, as both are written for how sure one is; false for anything else.
func parseFraction(s string) (float64, bool) {
	s, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(s, 64)
	if percent {
		v /= 100
	}
	return v, err == nil
}

func splitTags(s string) (tags []string) {
	for _, t := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '\n' }) {
		if t = strings.TrimLeft(strings.Trim(strings.TrimSpace(t), "`\"'."), "#"); t != "" {
			tags = append(tags, t)
		}
	}
	return tags
}
