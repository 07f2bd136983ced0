package setup

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"blackboard/hooks/harness"
)

// target is a file of one harness that has parts of ours.
type target struct {
	h     *harness.Harness
	path  string
	parts []string
	own   []byte // the content, if the file is ours alone
	trust bool   // the part hooks is the trust of Codex, not the hooks themselves
}

// targets returns a harness's files at the place's level.
func (p *place) targets(h *harness.Harness) []target {
	var all []target
	put := func(path, part string, own []byte, trust bool) {
		if path == "" {
			return
		}
		if i := slices.IndexFunc(all, func(t target) bool { return t.path == path }); i >= 0 {
			all[i].parts, all[i].trust = append(all[i].parts, part), all[i].trust || trust
			return
		}
		all = append(all, target{h, path, []string{part}, own, trust})
	}
	if h.Own != nil {
		put(h.Own(&p.Place), harness.PartHooks, p.ownHooksFile(h), false)
	} else {
		put(h.Hooked(&p.Place), harness.PartHooks, nil, false)
	}
	if h.Trusts {
		put(p.trustFile(h), harness.PartHooks, nil, true)
	}
	put(h.MCP(&p.Place), harness.PartMCP, nil, false)
	put(filepath.Join(h.Skills(&p.Place), harness.ServerName, "SKILL.md"), harness.PartSkill, p.skillFile(), false)
	put(h.Instructions(&p.Place), harness.PartPointer, nil, false)
	return all
}

// trusting has the trust in the hooks of a hooks.json, before and after a change.
type trusting struct{ before, after map[string]string }

// present returns the parts of ours that a text has.
func (p *place) present(t target, b []byte, there bool, trust trusting) (parts []string,
	err error) {
	if t.own != nil {
		if there && p.isOwnFile(t.path, b) {
			return t.parts, nil
		}
		return nil, nil
	}
	if t.pointsTo() {
		if found, err := findPointer(b, t.path); err != nil || found == nil {
			return nil, err
		}
		return t.parts, nil
	}
	if isTOML(t.path) {
		meaning, _, err := parseTOML(b)
		if err != nil {
			return nil, parseError(err, t.path)
		}
		if t.trust {
			states := subtable(meaning, "hooks", stateTable)
			for key := range trust.before {
				if states[key] != nil {
					parts = []string{harness.PartHooks}
				}
			}
		}
		// at a project's level the file of the trust is the user's, and so is the server in it
		if program, _ := p.codexServer(meaning); program != "" &&
			slices.Contains(t.parts, harness.PartMCP) {
			parts = append(parts, harness.PartMCP)
		}
		return parts, nil
	}
	d, err := parseJSON(b)
	if err != nil {
		return nil, parseError(err, t.path)
	}
	if slices.Contains(t.parts, harness.PartHooks) && len(p.ownHooks(d.root, t.h)) > 0 {
		parts = append(parts, harness.PartHooks)
	}
	if slices.Contains(t.parts, harness.PartMCP) && p.serverIn(d.root, t.h) != "" {
		parts = append(parts, harness.PartMCP)
	}
	return parts, nil
}

// refusedSyntax is syntax the harness does not accept in its settings, or "", and its line.
func (t target) refusedSyntax(b []byte) (what string, line int) {
	if t.isShared() || isTOML(t.path) {
		return "", 0
	}
	return refusedSyntax(b, t.h.Refuses)
}

// add adds or updates one part, and refuses a text that the harness cannot read.
func (p *place) add(t target, part string, b []byte, trust trusting) ([]byte, addition, error) {
	if what, line := t.refusedSyntax(b); what != "" {
		return nil, addition{}, fileError(
			fmt.Sprintf("%s has %s in line %d, which %s cannot read; nothing was changed",
				t.path, what, line, t.h.Title),
			"remove it, then set up again")
	}
	switch {
	case t.pointsTo():
		return addPointer(b, t.path)
	case t.trust && part == harness.PartHooks:
		return setTrust(b, t.path, trust.before, trust.after)
	case isTOML(t.path):
		return p.addCodexServer(b, t.path)
	case part == harness.PartHooks:
		return p.addHooks(b, t.h, t.path)
	}
	return p.addServer(b, t.h, t.path)
}

func (p *place) strip(t target, part string, b []byte, trust trusting, made [][]string) ([]byte,
	error) {
	switch {
	case t.pointsTo():
		return stripPointer(b, t.path)
	case t.trust && part == harness.PartHooks:
		out, _, err := setTrust(b, t.path, trust.before, nil)
		return out, err
	case isTOML(t.path):
		return p.stripCodexServer(b, t.path)
	case part == harness.PartHooks:
		return p.stripHooks(b, t.h, t.path, made)
	}
	return p.stripServer(b, t.h, t.path, made)
}

// isBare reports whether a text has nothing left worth keeping.
func isBare(t target, b []byte) bool {
	b = bytes.TrimPrefix(b, bom)
	if isAllBlank(b) {
		return true
	}
	if isTOML(t.path) {
		return false
	}
	d, err := parseJSON(b)
	if err != nil || kindOf(d.root) != '{' || !isAllBlank(d.root.BeforeExtra) ||
		!isAllBlank(d.root.AfterExtra) {
		return false
	}
	all := members(d.root)
	for i := range all {
		if !slices.ContainsFunc(ordered(t.h.Header), func(m pair) bool {
			return m.key == textOf(&all[i].Name) && fmt.Sprint(m.value) == word(&all[i].Value)
		}) {
			return false
		}
	}
	_, _, after := inside(d.root)
	return len(all) > 0 || isAllBlank(*after)
}
