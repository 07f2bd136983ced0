package page

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/disk"
	"blackboard/tui/cells"
)

// Settings are what a person has set for the screen, in a file of their own: never in one of a
// repository, which others write.
type Settings struct {
	Theme    string
	Mute     []string
	Keys     map[string]string // a key, and the one whose work it does
	Sections []Section
}

// Section is a filter of a run's entries that has a name.
type Section struct{ Name, Filter string }

// keyNames are all keys that do something. They have their room before main, at no cost.
var (
	keyNames = keyRoom[:0]
	keyRoom  [256]string
)

// maxSettings is the longest file of settings, in bytes.
const maxSettings = 64 << 10

// ReadSettings reads a file of settings; without one nothing is set. Its errors name the line.
func ReadSettings(path string) (Settings, error) {
	data, err := disk.Read(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return Settings{}, nil
	}
	var s Settings
	if err == nil {
		s, err = parseSettings(string(data))
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func parseSettings(text string) (Settings, error) {
	s := Settings{Keys: map[string]string{}}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := s.set(line); err != nil {
			return s, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s, nil
}

// set takes a line such as key ctrl+k = K.
func (s *Settings) set(line string) error {
	at := strings.LastIndex(line, " = ") // = is a key too
	if at < 0 {
		return fmt.Errorf("%q is not NAME = VALUE, with blanks around the =", cells.OneLine(line, 60))
	}
	name, value := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+3:])
	what, of, _ := strings.Cut(name, " ")
	switch of = strings.TrimSpace(of); {
	case name == "theme":
		s.Theme = value
		return cells.CheckTheme(value)
	case name == "mute":
		s.Mute = append(s.Mute, strings.Fields(value)...)
		return CheckMutes(s.Mute)
	case what == "section" && of != "" && value != "":
		s.Sections = append(s.Sections, Section{of, value})
		return nil
	case what == "key" && of != "":
		return s.setKey(of, value)
	}
	return fmt.Errorf("%q cannot be set; these can: theme, mute, key KEY, section NAME", cells.OneLine(name, 60))
}

// setKey lets a key do the work of another.
func (s *Settings) setKey(name, as string) error {
	switch _, ok := PressOf(name); {
	case !ok:
		return fmt.Errorf("there is no key %q; keys are such as x, X, ctrl+k, alt+k, f5", cells.OneLine(name, 30))
	case slices.Contains(KeyLeave.Keys(), name):
		return fmt.Errorf("%s always quits", name)
	case !slices.Contains(keyNames, as):
		return fmt.Errorf("no key %q does anything; ? on the screen lists those that do", cells.OneLine(as, 30))
	case s.Keys[name] != "":
		return fmt.Errorf("the key %s is set twice: it does what %s does", name, s.Keys[name])
	}
	s.Keys[name] = as
	return nil
}

// KeyName returns how a key is called on the screen: the person's, if it is set, else its own.
func (a *App) KeyName(b key.Binding) string {
	if name := a.keyOf(b); name != "" {
		return name
	}
	return b.Help().Key
}

// keyOf returns the person's key for what a key does, or "".
func (a *App) keyOf(b key.Binding) string {
	for _, name := range slices.Sorted(maps.Keys(a.Keys)) {
		if slices.Contains(b.Keys(), a.Keys[name]) {
			return name
		}
	}
	return ""
}

// Press returns the message of the key for a binding.
func (a *App) Press(b key.Binding) (msg tea.KeyMsg, ok bool) {
	if name := a.keyOf(b); name != "" {
		return PressOf(name)
	}
	if len(b.Keys()) == 0 {
		return msg, false
	}
	return PressOf(b.Keys()[0])
}

// Meant returns the key whose work a pressed one does.
func (a *App) Meant(msg tea.KeyMsg) tea.KeyMsg {
	if as, ok := a.Keys[msg.String()]; ok {
		msg, _ = PressOf(as)
	}
	return msg
}
