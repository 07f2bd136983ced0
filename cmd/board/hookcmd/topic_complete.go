package hookcmd

import (
	"slices"

	"blackboard/cmd/board/base"
	"blackboard/hooks/topics"
)

// topicFlagValues are the values of a topic command's flag.
func (p *program) topicFlagValues(name string, words []string) []string {
	switch name {
	case "topic", "t":
		return p.topicNames(words, topics.Kinds...)
	case "session": // a session's topic tells its id, but for ids that are no file names
		var ids []string
		for _, topic := range p.topicNames(words, topics.KindSession) {
			ids = append(ids, topic[len(topics.SessionTopic("x"))-1:])
		}
		return ids
	}
	return nil
}

// topicArgValues are the arguments of a topic command.
func (p *program) topicArgValues(command string, words, rest []string) []string {
	switch command {
	case "topic use":
		return p.topicNames(words, topics.KindNamed, topics.KindReview)
	case "topic show", "topic edit", "topic wipe", "topic archive":
		if len(base.Positional(rest)) == 0 {
			return p.topicNames(words, topics.Kinds...)
		}
	}
	return nil
}

// topicNames are the topics of the completed line, of the given kinds.
func (p *program) topicNames(words []string, kinds ...string) (names []string) {
	dir := p.Env("BOARD_WORKSPACE")
	for i, w := range words {
		switch name, value, hasValue := base.CutFlag(w); {
		case name != "workspace":
		case hasValue:
			dir = value
		case i+1 < len(words):
			dir = words[i+1]
		}
	}
	h, err := p.topicsOf(dir, "")
	if err != nil {
		return nil
	}
	all, _ := h.List()
	for i := range all {
		if slices.Contains(kinds, all[i].Kind) && len(names) < base.MaxCandidates {
			names = append(names, all[i].Name)
		}
	}
	return names
}
