package topics

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what a session starts with, unless StartupLimits say otherwise: harnesses take about 10,000 characters.
const (
	DefaultSpecBytes   = 6000
	DefaultTailEntries = 40
	DefaultTailBytes   = 4000
)

// StartupLimits are the bounds of what a session starts with. Zero means the default.
type StartupLimits struct {
	SpecBytes   int // longest spec that is shown
	TailEntries int // most folded entries of the worklog
	TailBytes   int // most bytes of them, as they are told (Entry.String)
	// Full shows all of a review topic too (FullContext).
	Full bool
}

// Startup is what a session of a topic starts with.
type Startup struct {
	// CleanRoom says that what earlier sessions found was left out.
	CleanRoom bool `json:"clean_room"`
	// Spec is what somebody has written in the spec, or what a clean room has of it; "" if there
	// is nothing. Of one that is too long it has the goal, the decisions and the open questions.
	Spec string `json:"spec"`
	// Pointer stands for a spec that is too long, and says where it is.
	Pointer string `json:"pointer"`
	// Worklog is what the worklog comes to (Fold, Choose), the oldest entry first. A clean room has none.
	Worklog []Entry `json:"worklog"`
}

// Startup returns what a session of a topic starts with. Whether anything is to be injected at all says Suppressed.
func (d *Dir) Startup(t Topic, limits StartupLimits) (Startup, error) {
	most := func(n, standard int) int { return cmp.Or(max(n, 0), standard) }
	s := Startup{CleanRoom: t.CleanRoom() && !limits.Full, Worklog: []Entry{}}
	spec, err := d.Spec(t.Name)
	if err != nil {
		return s, err
	}
	if s.Spec = strings.ToValidUTF8(spec.Text, "\uFFFD"); s.CleanRoom {
		s.Spec = CleanRoom(s.Spec)
	}
	s.Spec = written(s.Spec, t.Name)
	if room := most(limits.SpecBytes, DefaultSpecBytes); spec.TooLong || len(s.Spec) > room {
		s.Spec, s.Pointer = outline(s.Spec, room/2), fmt.Sprintf("The spec of the topic %s has %d bytes, too many to be shown here. It is in %s.", t.Name, spec.Bytes, spec.Path)
		if s.CleanRoom {
			s.Pointer += " It also holds what earlier sessions found: a review that is to be unbiased does not read it before it has judged."
		}
	}
	if s.CleanRoom {
		return s, nil
	}
	all, err := d.Tail(t.Name, TailLimits{})
	if err != nil {
		return s, err
	}
	s.Worklog = Choose(Fold(all), most(limits.TailEntries, DefaultTailEntries), most(limits.TailBytes, DefaultTailBytes))
	return s, nil
}

// Suppressed says why nothing of a topic is to be injected into a session, "" if it is to be: it is Silenced, or a file beside the topics says so. Worklogs are
// written all the same.
func (d *Dir) Suppressed(topic string, env func(string) string) string {
	if why := Silenced(env); why != "" {
		return why
	}
	names := []string{silentFile}
	if CheckName(topic) == nil {
		names = append(names, topic+noContextExt)
	}
	for _, name := range names {
		if name = filepath.Join(d.path, name); exists(name) {
			return name + " is there"
		}
	}
	return ""
}

// Silenced says why nothing at all is to be injected, "" if that is up to the topic: $BOARD_HOOK_CONTEXT is 0 (or off, false, no).
func Silenced(env func(string) string) string {
	for _, name := range []string{"BOARD_HOOK_CONTEXT", "AGENT_HOOK_CONTEXT"} { // the second is that of the tools of before
		if v := strings.ToLower(strings.TrimSpace(env(name))); slices.Contains([]string{"0", "off", "false", "no"}, v) {
			return "$" + name + " is " + v
		}
	}
	return ""
}

// FullContext says whether $BOARD_HOOK_CONTEXT asks for everything: review topics then start without a clean room.
func FullContext(env func(string) string) bool {
	return strings.EqualFold(strings.TrimSpace(env("BOARD_HOOK_CONTEXT")), "full")
}
