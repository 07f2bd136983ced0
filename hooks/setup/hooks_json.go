package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"blackboard/hooks/harness"
)

// This file adds hooks to a harness's JSON file and removes them.

// foundHook is a hook of ours in a file.
type foundHook struct {
	event   string // under which it stands
	program string
	// list is the array that has it: the event's, or that of a group with other hooks
	list    *hujson.Value
	index   int // in list
	handler *hujson.Value
	group   *hujson.Value // nil in a flat list
	place   [2]int
}

func (f *foundHook) command() *hujson.Value { return at(f.handler, "command") }

// ownHooks returns our hooks in a file, in its order.
func (p *place) ownHooks(root *hujson.Value, h *harness.Harness) (all []foundHook) {
	events := members(at(root, h.Below...))
	for m := range events {
		event, list := textOf(&events[m].Name), &events[m].Value
		entries := elements(list)
		for g := range entries {
			if h.Flat {
				if f, ok := p.ownFound(&entries[g]); ok {
					f.event, f.list, f.index, f.place = event, list, g, [2]int{g, 0}
					all = append(all, f)
				}
				continue
			}
			handlers := at(&entries[g], "hooks")
			inGroup := elements(handlers)
			var ours []foundHook
			for i := range inGroup {
				if f, ok := p.ownFound(&inGroup[i]); ok {
					f.event, f.list, f.index, f.group, f.place = event, handlers, i,
						&entries[g], [2]int{g, i}
					ours = append(ours, f)
				}
			}
			if len(ours) == 1 && len(inGroup) == 1 { // the whole group is ours
				ours[0].list, ours[0].index = list, g
			}
			all = append(all, ours...)
		}
	}
	return all
}

func (p *place) ownFound(handler *hujson.Value) (foundHook, bool) {
	program, _, ok := ownHook(textOf(at(handler, "command")), p.binary)
	return foundHook{program: program, handler: handler}, ok
}

type addition struct {
	made  [][]string // the paths of the containers and members that were not there before
	fresh bool       // nothing of ours was there before
}

// addHooks adds and updates our hooks in a text. An existing hook that calls the right
// program stays as it is, with all changes by the user.
func (p *place) addHooks(b []byte, h *harness.Harness, path string) ([]byte, addition, error) {
	add := addition{fresh: true}
	d, err := parseJSON(b)
	if err != nil {
		return nil, add, parseError(err, path)
	}
	kept := map[string]foundHook{}
	for again := true; again; {
		clear(kept)
		again = false
		for _, f := range p.ownHooks(d.root, h) {
			_, named, _ := ownHook(textOf(f.command()), p.binary)
			_, twice := kept[f.event]
			if twice || named != f.event || !slices.ContainsFunc(h.Hooks(),
				func(hook harness.Hook) bool { return hook.Event == f.event }) {
				remove(f.list, f.index)
				again, add.fresh = true, false
				break
			}
			kept[f.event] = f
		}
	}
	if err := p.missingHooks(d, h, kept, &add, path); err != nil {
		return nil, add, err
	}
	add.fresh = add.fresh && len(kept) == 0
	return d.bytes(), add, nil
}

func (p *place) missingHooks(d *doc, h *harness.Harness, kept map[string]foundHook,
	add *addition, path string) error {
	events, st := at(d.root, h.Below...), d.style()
	if k := kindOf(events); k != 0 && k != '{' {
		return fileError(fmt.Sprintf("%s of %s is %s, not an object; nothing was changed",
			strings.Join(h.Below, "."), path, kindName(events)),
			"correct the file, then set up again")
	}
	if k := kindOf(d.root); k != 0 && k != '{' {
		return fileError(fmt.Sprintf("%s holds %s, not an object; nothing was changed", path,
			kindName(d.root)), "correct the file, then set up again")
	}
	var fresh object // events that have no list yet
	for _, hook := range h.Hooks() {
		line := p.hookCommand(hook.Event, h.Name)
		if f, ok := kept[hook.Event]; ok {
			if f.program != p.binary {
				f.command().Value = hujson.Literal(quoteJSON(line))
			}
			continue
		}
		element := ordered(h.Entry(line, hook))
		if group := (object{{"hooks", []any{element}}}); !h.Flat && hook.Tools != "" {
			element = append(object{{"matcher", hook.Tools}}, group...)
		} else if !h.Flat {
			element = group
		}
		list, _ := member(events, hook.Event)
		switch kindOf(list) {
		case 0:
			fresh = append(fresh, pair{hook.Event, []any{element}})
			add.made = append(add.made, append(slices.Clone(h.Below), hook.Event))
		case '[':
			st.insert(list, element)
		default:
			return fileError(fmt.Sprintf("%s of %s is %s, not an array; nothing was changed",
				hook.Event, path, kindName(list)), "correct the file, then set up again")
		}
	}
	switch {
	case len(fresh) == 0:
	case events != nil:
		st.insert(events, anys(fresh)...)
	default:
		var top object
		for _, m := range ordered(h.Header) {
			if _, i := member(d.root, m.key); i < 0 {
				top = append(top, m)
				add.made = append(add.made, []string{m.key})
			}
		}
		if len(h.Below) > 0 { // else the events stand at the top
			fresh = object{{h.Below[0], fresh}}
			add.made = append(add.made, h.Below)
		}
		d.insertTop(st, append(top, fresh...))
	}
	return nil
}

// stripHooks removes our hooks, and containers that become empty: those in made; nil: any.
func (p *place) stripHooks(b []byte, h *harness.Harness, path string, made [][]string) ([]byte,
	error) {
	d, err := parseJSON(b)
	if err != nil {
		return nil, parseError(err, path)
	}
	for {
		all := p.ownHooks(d.root, h)
		if len(all) == 0 {
			return d.bytes(), nil
		}
		f := all[len(all)-1]
		remove(f.list, f.index)
		d.prune(append(slices.Clone(h.Below), f.event), made)
		if len(h.Below) > 0 {
			d.prune(h.Below, made)
		}
		for _, m := range ordered(h.Header) { // which is ours if nothing else is left
			if all := members(d.root); len(all) == 1 && textOf(&all[0].Name) == m.key &&
				slices.ContainsFunc(made, func(p []string) bool { return slices.Equal(p, []string{m.key}) }) {
				remove(d.root, 0)
			}
		}
	}
}

// prune removes an empty container from a text: one of made, or, if made is nil, any.
func (d *doc) prune(path []string, made [][]string) {
	if made != nil && !slices.ContainsFunc(made,
		func(m []string) bool { return slices.Equal(m, path) }) {
		return
	}
	parent := at(d.root, path[:len(path)-1]...)
	c, i := member(parent, path[len(path)-1])
	if c == nil {
		return
	}
	if _, values, after := inside(c); after != nil && len(values) == 0 && isAllBlank(*after) {
		remove(parent, i)
	}
}
