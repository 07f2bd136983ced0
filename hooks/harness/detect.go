package harness

import (
	"slices"
	"strings"
)

// Variable names the harness of a command. An unknown harness, or an entry that setup
// wrote, sets it.
const Variable = "BOARD_HARNESS"

// Speaking returns the harness whose agent runs this command, by its environment; "" if
// a person may be typing. Of nested harnesses it returns any, because each is an agent.
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

// Read decodes a payload and finds its harness. named and event are the installer's
// names of the two. It fails only if the payload is not a JSON object.
func Read(data []byte, named, event string, env func(string) string) (*Harness, Event, error) {
	p, err := parse(data)
	if err != nil {
		return nil, Event{}, err
	}
	h := detect(p, named, env)
	return h, h.event(p, event), nil
}

// detect finds the harness of a payload. The payload comes before the installer's name,
// because several harnesses also read Claude's configuration. The name comes before the
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

// Borrowed reports whether another harness called the hook that was installed for
// Claude, because it also reads Claude's configuration. It has hooks of its own, so an
// answer here would be a second one.
func (h *Harness) Borrowed(named string) bool { return ByName(named) == claude && h.readsClaude }
