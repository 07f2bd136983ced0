package setup

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/hooks/harness"
)

const (
	Create = "create"
	Modify = "change"
	Remove = "remove"
)

// Change is a planned change of one file.
type Change struct {
	Path   string   // as the harness names it
	Action string   // Create, Modify or Remove
	Before []byte   // its old text; nil if it does not exist
	After  []byte   // its new text; nil if it is removed
	Backup string   // the path of the copy, or ""
	Taken  []string // parts that are removed
	Stay   []string // the paths of copies that stay although nothing of ours does

	disk   *onDisk
	record *record // the file's new record; nil: none
	exact  bool    // the file becomes what it was before setup, so no copy is needed
}

type Work struct {
	Harness string    // its name
	Title   string    // what people call it
	Level   string    // harness.User or harness.Project
	Changes []*Change // in order; empty: nothing to do
	Notes   []string  // hints for the user
	// Approves: a change approves our own hooks, which the harness would ask about.
	Approves bool
	Err      error // if set, nothing is changed

	records []*record // of unchanged files
}

type Request struct {
	Parts     []string // with Uninstall, none means all
	Uninstall bool     // remove them
	NoTrust   bool     // do not approve the hooks of Codex
}

// draft is a file after the changes that are planned so far.
type draft struct {
	disk   *onDisk
	text   []byte
	exists bool
	record *record
}

type planner struct {
	s      *Setup
	r      Request
	chosen []*harness.Harness
	drafts map[string]*draft
}

// Plan plans the changes for these harnesses and writes nothing. Existing parts are
// updated, even if the request does not name them.
func (s *Setup) Plan(names []string, r Request) ([]*Work, error) {
	chosen, err := Named(names)
	if err != nil {
		return nil, err
	}
	p := &planner{s, r, chosen, map[string]*draft{}}
	var all []*Work
	for _, h := range chosen {
		kept := make(map[string]draft, len(p.drafts))
		for path, d := range p.drafts {
			kept[path] = *d
		}
		w := &Work{Harness: h.Name, Title: h.Title, Level: s.Level()}
		if w.Err = p.harness(h, w); w.Err != nil { // its planned changes are dropped
			w.Changes, w.records, w.Notes, w.Approves = nil, nil, nil, false
			maps.DeleteFunc(p.drafts, func(path string, _ *draft) bool {
				_, ok := kept[path]
				return !ok
			})
			for path, d := range kept {
				*p.drafts[path] = d
			}
		}
		all = append(all, w)
	}
	return all, nil
}

func (p *planner) harness(h *harness.Harness, w *Work) error {
	trust := trusting{}
	hooksPath := ""
	if h.Trusts {
		hooksPath = h.Hooked(&p.s.Place)
		d, err := p.draft(hooksPath)
		if err != nil {
			return err
		}
		trust.before = p.s.trustOf(d.text, h, hooksPath)
		if p.r.Uninstall {
			for _, e := range p.s.movedTrust(d.text, h) {
				w.Notes = append(w.Notes, "other hooks follow ours under "+e+
					" and move up by one; approve them again with /hooks in Codex")
			}
		}
	}
	var calls []string // files of the project that name this program
	for _, t := range p.s.targets(h) {
		if t.trust {
			d, err := p.draft(hooksPath)
			if err != nil {
				return err
			}
			if trust.after = p.s.trustOf(d.text, h, hooksPath); p.r.NoTrust {
				maps.DeleteFunc(trust.after, func(key, _ string) bool {
					_, known := trust.before[key]
					return !known
				})
				w.Notes = append(w.Notes, "Codex runs a hook only after you approve it: use "+
					"/hooks in Codex")
			}
		}
		c, err := p.target(t, trust, w)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		w.Changes = append(w.Changes, c)
		if path, ok := strings.CutPrefix(c.Path, p.s.Project+string(filepath.Separator)); ok &&
			!t.pointsTo() && !slices.Contains(t.parts, harness.PartSkill) {
			calls = append(calls, filepath.ToSlash(path))
		}
	}
	p.noPlace(h, w)
	if p.s.Project != "" && !p.r.Uninstall && len(calls) > 0 {
		w.Notes = append(w.Notes, "do not commit "+strings.Join(calls, " and ")+", which names a "+
			"program on this machine; a line in .git/info/exclude keeps it out of git")
	}
	for _, c := range w.Changes {
		if !p.r.Uninstall && isTOML(c.Path) && bytes.Contains(c.After, []byte(trustedHash)) &&
			!p.r.NoTrust && !bytes.Equal(c.Before, c.After) {
			w.Approves = true
			w.Notes = append(w.Notes, "this approves the hooks of board in "+p.s.Short(c.Path)+
				" ("+trustedHash+"), so that Codex runs them without asking you")
		}
	}
	return nil
}

// noPlace notes requested parts for which the harness has no file at this level.
func (p *planner) noPlace(h *harness.Harness, w *Work) {
	if p.r.Uninstall {
		return
	}
	if slices.Contains(p.r.Parts, harness.PartPointer) && h.Instructions(&p.s.Place) == "" {
		w.Notes = append(w.Notes, "it has no instructions file at the user's level, so no "+
			"pointer was added; a project has one")
	}
	if slices.Contains(p.r.Parts, harness.PartMCP) && h.MCP(&p.s.Place) == "" {
		w.Notes = append(w.Notes, "setup cannot add an MCP server to it at this level; add this "+
			"program to its servers by hand")
	}
}

func (p *planner) draft(path string) (*draft, error) {
	disk, err := readDisk(path)
	if err != nil {
		return nil, err
	}
	if d := p.drafts[disk.real]; d != nil {
		return d, nil
	}
	d := &draft{disk: disk, text: disk.text, exists: disk.exists,
		record: p.s.manifest.of(disk.real)}
	p.drafts[disk.real] = d
	return d, nil
}

// wanted returns the parts that a file shall have, given those that it has.
func (p *planner) wanted(t target, present []string) (parts []string) {
	for _, part := range t.parts {
		has, asked := slices.Contains(present, part), slices.Contains(p.r.Parts, part)
		if p.r.Uninstall && has && !asked && len(p.r.Parts) > 0 ||
			!p.r.Uninstall && (has || asked) {
			parts = append(parts, part)
		}
	}
	return parts
}

// taken returns the parts that are removed from a file.
func (p *planner) taken(present, wanted []string) (parts []string) {
	for _, part := range present {
		if p.r.Uninstall && !slices.Contains(wanted, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// target plans one file; nil means no change.
func (p *planner) target(t target, trust trusting, w *Work) (*Change, error) {
	d, err := p.draft(t.path)
	if err != nil {
		return nil, err
	}
	present, err := p.s.present(t, d.text, d.exists, trust)
	if err != nil {
		return nil, err
	}
	if t.isShared() && len(present) > 0 && !serves(d.record, t.h) &&
		!(!p.r.Uninstall && slices.Contains(p.r.Parts, t.parts[0])) {
		return nil, nil // another harness's
	}
	wanted := p.wanted(t, present)
	if t.trust && len(trust.after) == 0 && !slices.Contains(present, harness.PartHooks) {
		wanted = slices.DeleteFunc(wanted,
			func(part string) bool { return part == harness.PartHooks })
	}
	if len(present) == 0 && len(wanted) == 0 {
		return nil, nil
	}
	if t.own != nil {
		return p.ownFile(t, d, present, wanted, w)
	}
	c := &Change{Path: t.path, Before: d.text, disk: d.disk, Taken: p.taken(present, wanted)}
	next := *d
	if t.pointsTo() && len(wanted) == 0 && p.leave(t, d, w) {
		return nil, nil
	}
	if p.r.Uninstall {
		err = p.planRemoval(t, d, &next, present, wanted, trust, c)
	} else {
		err = p.planAddition(t, d, &next, wanted, trust)
	}
	if err != nil {
		return nil, err
	}
	if !next.exists && !d.exists || bytes.Equal(next.text, d.text) && next.exists == d.exists {
		if t.pointsTo() && d.record != nil && !slices.Contains(d.record.Harnesses, t.h.Name) {
			p.serve(d, append(slices.Clone(d.record.Harnesses), t.h.Name), w)
		}
		return nil, nil
	}
	return p.change(t, d, &next, c), nil
}

func (p *planner) planAddition(t target, d, next *draft, wanted []string, trust trusting) error {
	base, exact := d.record.before(d.text)
	out, made, fresh, err := p.addAll(t, d.text, wanted, trust)
	if err != nil || bytes.Equal(out, d.text) {
		return err
	}
	r := &record{Path: d.disk.real, Created: !d.exists}
	switch {
	case exact: // so that what undoes it is known still
		if again, m, _, err := p.addAll(t, base, wanted,
			trusting{after: trust.after}); err == nil {
			out, made, fresh = again, m, true
		}
	case d.record != nil:
		made, fresh = append(made, d.record.Made...), false
	default:
		base = d.text
	}
	if d.record != nil {
		r.Created, r.Backups, r.Harnesses = d.record.Created, d.record.Backups, d.record.Harnesses
	}
	if r.After, r.Made = hashText(out), made; fresh {
		r.Undo = undoing(out, base)
	}
	next.text, next.exists, next.record = out, true, r
	return nil
}

func (p *planner) addAll(t target, b []byte, wanted []string, trust trusting) (out []byte,
	made [][]string, fresh bool, err error) {
	out, made, fresh = b, [][]string{}, true
	for _, part := range wanted {
		var a addition
		if out, a, err = p.s.add(t, part, out, trust); err != nil {
			return nil, nil, false, err
		}
		made, fresh = append(made, a.made...), fresh && a.fresh
	}
	return out, made, fresh, nil
}

// planRemoval plans the removal of parts from a file; those in kept stay.
func (p *planner) planRemoval(t target, d, next *draft, present, kept []string, trust trusting,
	c *Change) (err error) {
	r := d.record
	if base, exact := r.before(d.text); exact {
		if len(kept) == 0 {
			next.text, next.exists, next.record, c.exact = base, !r.Created, nil, true
			return nil
		}
		if out, made, _, err := p.addAll(t, base, kept, trusting{after: trust.after}); err == nil {
			same := *r
			same.After, same.Undo, same.Made = hashText(out), undoing(out, base), made
			next.text, next.record = out, &same
			return nil
		}
	}
	var made [][]string
	if r != nil {
		made = append([][]string{}, r.Made...)
	}
	out := d.text
	for _, part := range present {
		if slices.Contains(kept, part) {
			continue
		}
		if out, err = p.s.strip(t, part, out, trust, made); err != nil {
			return err
		}
	}
	next.text, next.record = out, nil
	switch {
	case len(kept) > 0 && r != nil:
		same := *r
		same.After, same.Undo = hashText(out), nil
		next.record = &same
	case len(kept) == 0 && isBare(t, out) && (r != nil && r.Created || r == nil &&
		len(disk.Glob(d.disk.real, backupMark+"*")) == 0):
		next.exists, next.text = false, nil
	}
	return nil
}

// serves reports whether our file serves a harness; without a record it is assumed to.
func serves(r *record, h *harness.Harness) bool {
	return r == nil || slices.Contains(r.Harnesses, h.Name)
}

// ownFile plans a file that is ours alone. Several harnesses may share it.
func (p *planner) ownFile(t target, d *draft, present, wanted []string, w *Work) (*Change, error) {
	users := []string{}
	if d.record != nil {
		users = slices.Clone(d.record.Harnesses)
	}
	if d.exists && len(present) == 0 {
		return nil, conflict(fmt.Sprintf("%s exists and was not written by setup; "+
			"nothing was changed",
			t.path), "move it away, then set up again")
	}
	c := &Change{Path: t.path, Before: d.text, disk: d.disk, Taken: p.taken(present, wanted)}
	next := *d
	if len(wanted) == 0 {
		if p.leave(t, d, w) {
			return nil, nil
		}
		c.exact = d.record != nil && hashText(d.text) == d.record.After ||
			bytes.Equal(d.text, t.own)
		next.exists, next.text, next.record = false, nil, nil
		return p.change(t, d, &next, c), nil
	}
	r := &record{Path: d.disk.real, Created: true, After: hashText(t.own),
		Version: p.s.version, Harnesses: users}
	if d.record != nil {
		r.Backups = d.record.Backups
	}
	if !slices.Contains(users, t.h.Name) {
		r.Harnesses = append(r.Harnesses, t.h.Name)
	}
	next.text, next.exists, next.record = t.own, true, r
	if d.exists && bytes.Equal(d.text, t.own) {
		*d = next
		w.records = append(w.records, r)
		return nil, nil
	}
	return p.change(t, d, &next, c), nil
}

func (p *planner) change(t target, d, next *draft, c *Change) *Change {
	switch {
	case !d.exists:
		c.Action = Create
	case !next.exists:
		c.Action = Remove
	default:
		c.Action = Modify
	}
	c.After, c.record = next.text, next.record
	if r := next.record; r != nil {
		r.Version = p.s.version
		if !slices.Contains(r.Harnesses, t.h.Name) {
			r.Harnesses = append(r.Harnesses, t.h.Name)
		}
	}
	*d = *next
	return c
}
