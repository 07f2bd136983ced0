package setup

import (
	"bytes"
	"slices"

	"blackboard/hooks/harness"
)

// States of a part.
const (
	Absent   = "absent"   // nothing of ours is there
	Ready    = "ready"    // it is as this program would write it
	Outdated = "outdated" // it is incomplete, of another version, or calls another program
	Broken   = "broken"   // the file cannot be read or understood, by us or by the harness
)

// PartState is how it stands with one part.
type PartState struct {
	Part  string   `json:"part"`  // one of Parts
	State string   `json:"state"` // Absent, Ready, Outdated or Broken
	Paths []string `json:"paths"` // the files that it is in, or would be
}

// Status is how it stands with a harness.
type Status struct {
	Name    string      `json:"name"`         // of the harness
	Title   string      `json:"title"`        // what people call it
	Level   string      `json:"level"`        // harness.User or harness.Project
	Found   bool        `json:"found"`        // it is installed on this machine
	FoundBy []string    `json:"found_by"`     // what shows so: directories and programs
	Records bool        `json:"records_only"` // nothing can be put into its prompts
	Parts   []PartState `json:"parts"`        // those that the harness can have
	Untried bool        `json:"untried"`      // nobody has seen it do what its documentation says
}

// Status looks at the harnesses of these names.
func (s *Setup) Status(names []string) ([]Status, error) {
	chosen, err := Named(names)
	if err != nil {
		return nil, err
	}
	all := []Status{}
	for _, h := range chosen {
		by := s.foundBy(h)
		st := Status{Name: h.Name, Title: h.Title, Level: s.Level(), Found: len(by) > 0, FoundBy: by, Records: h.Records(), Untried: h.Untried}
		trust := s.trustNow(h)
		for _, part := range Parts {
			ps := PartState{Part: part, State: Absent, Paths: []string{}}
			for _, t := range s.targets(h) {
				if slices.Contains(t.parts, part) {
					ps.Paths = append(ps.Paths, t.path)
					ps.State = worse(ps.State, s.stateOf(t, part, trust), len(ps.Paths) == 1)
				}
			}
			if len(ps.Paths) > 0 {
				st.Parts = append(st.Parts, ps)
			}
		}
		all = append(all, st)
	}
	return all, nil
}

// worse joins the states of the files that a part lies in.
func worse(a, b string, first bool) string {
	switch {
	case first || a == b:
		return b
	case a == Broken || b == Broken:
		return Broken
	}
	return Outdated
}

// trustNow is the trust that the hooks need which there are.
func (s *Setup) trustNow(h *harness.Harness) trusting {
	if !h.Trusts {
		return trusting{}
	}
	path := h.Hooked(&s.Place)
	disk, err := look(path)
	if err != nil {
		return trusting{}
	}
	now := s.trustOf(disk.text, h, path)
	return trusting{now, now}
}

func unreadable(t target, b []byte) bool {
	what, _ := t.unread(b)
	return what != ""
}

func (s *Setup) stateOf(t target, part string, trust trusting) string {
	disk, err := look(t.path)
	if err != nil {
		return Broken
	}
	present, err := s.present(t, disk.text, disk.exists, trust)
	switch {
	case err != nil:
		return Broken
	case !slices.Contains(present, part):
		return Absent
	case unreadable(t, disk.text):
		return Broken
	case t.own != nil && bytes.Equal(disk.text, t.own):
		return Ready
	case t.own != nil:
		return Outdated
	}
	if out, _, err := s.add(t, part, disk.text, trust); err != nil || !bytes.Equal(out, disk.text) {
		return Outdated
	}
	return Ready
}
