package setup

import (
	"bytes"
	"slices"

	"blackboard/hooks/harness"
)

const (
	Absent   = "absent"   // not set up
	Ready    = "ready"    // as this program writes it
	Shared   = "shared"   // the file is there, set up for other harnesses that read it too
	Outdated = "outdated" // incomplete, of another version, or calls another program
	Broken   = "broken"   // we or the harness cannot read or parse the file
)

type PartState struct {
	Part  string   `json:"part"`  // one of Parts
	State string   `json:"state"` // Absent, Ready, Shared, Outdated or Broken
	Paths []string `json:"paths"` // its files, which may not exist
}

type Status struct {
	Name    string      `json:"name"`     // of the harness
	Title   string      `json:"title"`    // what people call it
	Level   string      `json:"level"`    // harness.User or harness.Project
	Found   bool        `json:"found"`    // it is installed on this machine
	FoundBy []string    `json:"found_by"` // the directories and programs that show it
	Parts   []PartState `json:"parts"`    // the parts that the harness supports
	Untried bool        `json:"untried"`  // known from its documentation only, not tried
}

func (s *Setup) Status(names []string) ([]Status, error) {
	chosen, err := Named(names)
	if err != nil {
		return nil, err
	}
	all := []Status{}
	for _, h := range chosen {
		by := s.foundBy(h)
		st := Status{Name: h.Name, Title: h.Title, Level: s.Level(), Found: len(by) > 0,
			FoundBy: by, Untried: h.Untried}
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

// worse combines the states of a part's files.
func worse(a, b string, first bool) string {
	switch {
	case first || a == b:
		return b
	case a == Broken || b == Broken:
		return Broken
	}
	return Outdated
}

func (s *Setup) trustNow(h *harness.Harness) trusting {
	if !h.Trusts {
		return trusting{}
	}
	path := h.Hooked(&s.Place)
	disk, err := readDisk(path)
	if err != nil {
		return trusting{}
	}
	now := s.trustOf(disk.text, h, path)
	return trusting{now, now}
}

func (s *Setup) stateOf(t target, part string, trust trusting) string {
	disk, err := readDisk(t.path)
	if err != nil {
		return Broken
	}
	present, err := s.present(t, disk.text, disk.exists, trust)
	refused, _ := t.refusedSyntax(disk.text)
	switch {
	case err != nil:
		return Broken
	case !slices.Contains(present, part):
		return Absent
	case refused != "":
		return Broken
	case t.isShared() && !serves(s.manifest.of(disk.real), t.h):
		return Shared
	case t.own != nil && bytes.Equal(disk.text, t.own):
		return Ready
	case t.own != nil:
		return Outdated
	}
	if out, _, err := s.add(t, part, disk.text, trust); err != nil ||
		!bytes.Equal(out, disk.text) {
		return Outdated
	}
	return Ready
}
