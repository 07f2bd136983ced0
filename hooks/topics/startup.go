package topics

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
)

// Default limits of a session's start. Harnesses accept about 10,000 characters.
const (
	DefaultSpecBytes   = 6000
	DefaultTailEntries = 40
	DefaultTailBytes   = 4000
)

// StartupLimits are upper limits of what a session starts with. Zero means the default.
type StartupLimits struct {
	SpecBytes   int // a longer spec is shown in part
	TailEntries int // folded entries of the worklog
	TailBytes   int // their bytes, as Entry.String returns them
}

type Startup struct {
	// CleanRoom means that findings of earlier sessions were left out.
	CleanRoom bool `json:"clean_room"`
	// Spec is the written text of the spec, or the clean room's part of it; "" if there
	// is none. If the spec is too long, it has the goal, the decisions, the open questions
	// and the newest notes.
	Spec string `json:"spec"`
	// Pointer names the file of a spec that is too long.
	Pointer string `json:"pointer"`
	// Worklog is the worklog in short (Fold, Choose), the oldest entry first; empty in
	// a clean room.
	Worklog []Entry `json:"worklog"`
}

// Startup is what a session of a topic starts with. Suppressed is checked first.
func (d *Dir) Startup(t Topic, limits StartupLimits) (Startup, error) {
	most := func(n, standard int) int { return cmp.Or(max(n, 0), standard) }
	s := Startup{CleanRoom: t.CleanRoom(), Worklog: []Entry{}}
	spec, err := d.Spec(t.Name)
	if err != nil {
		return s, err
	}
	if s.Spec = strings.ToValidUTF8(spec.Text, "\uFFFD"); s.CleanRoom {
		s.Spec = CleanRoom(s.Spec)
	}
	s.Spec = notesHere(writtenText(s.Spec, t.Name), d.opt.Branch)
	if room := most(limits.SpecBytes, DefaultSpecBytes); spec.TooLong || len(s.Spec) > room {
		s.Spec, s.Pointer = shorten(s.Spec, room), fmt.Sprintf("The spec of topic %s has "+
			"%d bytes, too many to show here. Read it in %s.", t.Name, spec.Bytes, spec.Path)
		if s.CleanRoom {
			s.Pointer += " It also has findings of earlier sessions: to stay unbiased, " +
				"a review reads " +
				"it only after its own judgement."
		}
	}
	if s.CleanRoom {
		return s, nil
	}
	all, err := d.Tail(t.Name, TailLimits{})
	if err != nil {
		return s, err
	}
	s.Worklog = Choose(d.here(all), most(limits.TailEntries, DefaultTailEntries),
		most(limits.TailBytes, DefaultTailBytes))
	return s, nil
}

// mostElsewhere is how many entries of other branches are shown where this one has none.
const mostElsewhere = 3

// here returns the caller's branch's entries in short; if none, the latest of others, marked.
func (d *Dir) here(all []Entry) []Entry {
	if d.opt.Branch == "" {
		return Fold(all)
	}
	var own, others []Entry
	for _, e := range all {
		if e.Branch == "" || e.Branch == d.opt.Branch {
			own = append(own, e)
		} else {
			e.elsewhere = true
			others = append(others, e)
		}
	}
	if own = Fold(own); len(own) > 0 {
		return own
	}
	others = Fold(others)
	return others[max(0, len(others)-mostElsewhere):]
}

// Suppressed returns why nothing of a topic is to be injected, or "": injection is
// Silenced, or a file beside the topics switches it off. Worklogs are still written.
func (d *Dir) Suppressed(topic string, env func(string) string) string {
	if why := Silenced(env); why != "" {
		return why
	}
	names := []string{noSessionContextFile}
	if CheckName(topic) == nil {
		names = append(names, topic+noContextExt)
	}
	for _, name := range names {
		if name = filepath.Join(d.path, name); disk.Exists(name) {
			return name + " exists"
		}
	}
	return ""
}

// Silenced is why nothing at all is injected, or "": $BOARD_HOOK_CONTEXT is 0 (off, false, no).
func Silenced(env func(string) string) string {
	// The second name is that of the tools before this one.
	for _, name := range []string{"BOARD_HOOK_CONTEXT", "AGENT_HOOK_CONTEXT"} {
		if v := strings.ToLower(strings.TrimSpace(env(name))); slices.Contains([]string{"0",
			"off", "false", "no"}, v) {
			return "$" + name + " is " + v
		}
	}
	return ""
}
