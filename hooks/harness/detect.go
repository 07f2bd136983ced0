package harness

import (
	"slices"
	"strings"
)

// Variable is where a harness that nobody here knows, or an entry that was set up, says
// whose commands these are.
const Variable = "BOARD_HARNESS"

// Speaking names the harness whose agent a command is run by, as its environment tells
// it; "" if a person may be typing. Of several, one within the other, any: all of them
// are agents.
func Speaking(env func(string) string) string {
	for _, variable := range []string{Variable, "AI_AGENT"} {
		name, _, _ := strings.Cut(strings.TrimSpace(env(variable)), "@") // a version may follow
		if h := ByName(name); h != nil {
			return h.Name
		} else if name = strings.Join(strings.Fields(name), "-"); name != "" {
			return name
		}
	}
	for _, h := range append(slices.Clone(tried), claude) {
		for _, variable := range append(slices.Clone(h.shells), h.variable) {
			if variable != "" && env(variable) != "" {
				return h.Name
			}
		}
	}
	return ""
}

// Read decodes a payload: which harness it is of, and what it tells. named and event are what the
// installer called the two. Decoding never fails once it is a JSON object.
func Read(data []byte, named, event string, env func(string) string) (*Harness, Event, error) {
	p, err := parse(data)
	if err != nil {
		return nil, Event{}, err
	}
	h := detect(p, named, env)
	return h, h.event(p, event), nil
}

// detect says which harness a payload is of. The payload goes before the name that the installer
// gave, since several harnesses read Claude's configuration too; the name goes before the
// environment, which an agent inherits from the agent that started it.
func detect(p object, named string, env func(string) string) *Harness {
	for _, h := range tried {
		if h.sign != nil && h.sign(p) {
			return h
		}
	}
	if h := ByName(named); h != nil {
		return h
	}
	for _, h := range tried {
		if h.variable != "" && env(h.variable) != "" {
			return h
		}
	}
	return claude
}

// Borrowed says that a harness has called what was installed for Claude: it reads Claude's
// configuration besides its own. It has hooks of its own, so that an answer here would be the
// second one.
func (h *Harness) Borrowed(named string) bool { return ByName(named) == claude && h.readsClaude }
