package setup

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/harness"
)

// This file adds hooks to a harness's JSON file and removes them.

// foundHook is a hook of ours in a file.
type foundHook struct {
	event   string // under which it stands
	program string
	// list is the array to remove it from: the event's, or that of a group with other
	// hooks
	list    *node
	index   int // in list
	handler *node
	group   *node // nil in a flat list
	place   [2]int
}

// command returns the string of the hook's command line.
func (f *foundHook) command() *node { return f.handler.at("command") }

// ownHooks returns our hooks in a file, in its order.
func (p *place) ownHooks(root *node, h *harness.Harness) (all []foundHook) {
	events := root.at(h.Below...)
	if events == nil || events.kind != '{' {
		return nil
	}
	for _, m := range events.items {
		for g, e := range m.value.items {
			if h.Flat {
				if f, ok := p.ownFound(e.value); ok {
					f.event, f.list, f.index, f.place = m.key, m.value, g, [2]int{g, 0}
					all = append(all, f)
				}
				continue
			}
			handlers := e.value.at("hooks")
			if handlers == nil || handlers.kind != '[' {
				continue
			}
			var ours []foundHook
			for i, it := range handlers.items {
				if f, ok := p.ownFound(it.value); ok {
					f.event, f.list, f.index, f.group, f.place = m.key, handlers,
						i, e.value, [2]int{g, i}
					ours = append(ours, f)
				}
			}
			if len(ours) == 1 && len(handlers.items) == 1 { // the whole group is ours
				ours[0].list, ours[0].index = m.value, g
			}
			all = append(all, ours...)
		}
	}
	return all
}

func (p *place) ownFound(handler *node) (foundHook, bool) {
	program, _, ok := ownHook(handler.at("command").text(), p.binary)
	return foundHook{program: program, handler: handler}, ok
}

// addition describes what adding a part changed in a text.
type addition struct {
	undo  []edit     // takes it back, if nothing but items was put in
	made  [][]string // the paths of the containers and members that were not there before
	fresh bool       // nothing of ours was there before
}

// addHooks adds and updates our hooks in a text. An existing hook that calls the right
// program stays as it is, with all changes by the user.
func (p *place) addHooks(b []byte, h *harness.Harness, path string) ([]byte, addition, error) {
	add, hooks := addition{fresh: true}, h.Hooks()
	for {
		root, err := parseJSON(b)
		if err != nil {
			return nil, add, parseError(err, path)
		}
		kept := map[string]foundHook{}
		extra := -1
		all := p.ownHooks(root, h)
		for i, f := range all {
			_, named, _ := ownHook(f.command().text(), p.binary)
			_, twice := kept[f.event]
			if twice || named != f.event ||
				!slices.ContainsFunc(hooks, func(hook harness.Hook) bool {
					return hook.Event == f.event
				}) {
				extra = i
				break
			}
			kept[f.event] = f
		}
		if extra >= 0 {
			f := all[extra]
			b, add.fresh = apply(b, sortEdits(remove(b, f.list, f.index))), false
			continue
		}
		edits, err := p.missingHooks(b, root, h, kept, &add, path)
		if err != nil {
			return nil, add, err
		}
		add.fresh = add.fresh && len(kept) == 0
		edits = sortEdits(edits)
		add.undo = inverse(b, edits)
		return apply(b, edits), add, nil
	}
}

// missingHooks returns the edits that add the missing hooks.
func (p *place) missingHooks(b []byte, root *node, h *harness.Harness, kept map[string]foundHook,
	add *addition, path string) (edits []edit, err error) {
	st := styleOf(b, root)
	events := root.at(h.Below...)
	if events != nil && events.kind != '{' {
		return nil, fileError(fmt.Sprintf("%s of %s is %s, not an object; nothing was changed",
			strings.Join(h.Below, "."), path, events.kindName(b)),
			"correct the file, then set up again")
	}
	if root != nil && root.kind != '{' {
		return nil, fileError(fmt.Sprintf("%s holds %s, not an object; nothing was changed", path,
			root.kindName(b)), "correct the file, then set up again")
	}
	var fresh []any // events that have no list yet
	for _, hook := range h.Hooks() {
		line := p.hookCommand(hook.Event, h.Name)
		if f, ok := kept[hook.Event]; ok {
			if c := f.command(); f.program != p.binary {
				edits = append(edits, edit{c.start, c.end - c.start, quoteJSON(line)})
			}
			continue
		}
		element := ordered(h.Entry(line, hook))
		if group := (object{{"hooks", []any{element}}}); !h.Flat && hook.Tools != "" {
			element = append(object{{"matcher", hook.Tools}}, group...)
		} else if !h.Flat {
			element = group
		}
		list, _ := events.member(hook.Event)
		switch {
		case list == nil:
			fresh = append(fresh, pair{hook.Event, []any{element}})
			add.made = append(add.made, append(slices.Clone(h.Below), hook.Event))
		case list.kind != '[':
			return nil, fileError(fmt.Sprintf("%s of %s is %s, not an array; nothing was changed",
				hook.Event, path, list.kindName(b)), "correct the file, then set up again")
		default:
			edits = append(edits, st.insert(b, list, []any{element})...)
		}
	}
	if len(fresh) == 0 {
		return edits, nil
	}
	if events != nil {
		return append(edits, st.insert(b, events, fresh)...), nil
	}
	var members []any
	for _, m := range ordered(h.Header) {
		if _, i := root.member(m.key); i < 0 {
			members = append(members, m)
			add.made = append(add.made, []string{m.key})
		}
	}
	if len(h.Below) == 0 { // the events stand at the top
		members = append(members, fresh...)
	} else {
		var o object
		for _, m := range fresh {
			o = append(o, m.(pair))
		}
		members = append(members, pair{h.Below[0], o})
		add.made = append(add.made, h.Below)
	}
	return append(edits, st.insertTop(b, root, members)...), nil
}

// insertTop adds members to a text's top object, and creates it if needed.
func (s style) insertTop(b []byte, root *node, members []any) []edit {
	if root != nil {
		return s.insert(b, root, members)
	}
	var o object
	for _, m := range members {
		o = append(o, m.(pair))
	}
	put := s.render(o, "") + s.nl
	if len(b) > len(bom) && !strings.HasSuffix(string(b), "\n") { // behind a comment
		put = s.nl + put
	}
	return []edit{{len(b), 0, put}}
}

// stripHooks removes all our hooks from a text, and containers that become empty: those
// in made, or, if made is nil, any.
func (p *place) stripHooks(b []byte, h *harness.Harness, path string, made [][]string) ([]byte,
	error) {
	for {
		root, err := parseJSON(b)
		if err != nil {
			return nil, parseError(err, path)
		}
		all := p.ownHooks(root, h)
		if len(all) == 0 {
			return b, nil
		}
		f := all[len(all)-1]
		b = apply(b, sortEdits(remove(b, f.list, f.index)))
		b = prune(b, append(slices.Clone(h.Below), f.event), made)
		if len(h.Below) > 0 {
			b = prune(b, h.Below, made)
		}
		for _, m := range ordered(h.Header) {
			b = pruneHeader(b, m, made)
		}
	}
}

// prune removes an empty container from a text: one of made, or, if made is nil, any.
func prune(b []byte, path []string, made [][]string) []byte {
	if made != nil && !slices.ContainsFunc(made,
		func(m []string) bool { return slices.Equal(m, path) }) {
		return b
	}
	root, err := parseJSON(b)
	if err != nil {
		return b
	}
	parent := root.at(path[:len(path)-1]...)
	n, i := parent.member(path[len(path)-1])
	if n == nil || len(n.items) > 0 || n.kind == 'x' || n.kind == '"' ||
		!isAllBlank(b[n.start+1:n.end-1]) {
		return b
	}
	return apply(b, sortEdits(remove(b, parent, i)))
}

// pruneHeader removes a member that we added, if the file has nothing else.
func pruneHeader(b []byte, m pair, made [][]string) []byte {
	root, err := parseJSON(b)
	if err != nil || root == nil || len(root.items) != 1 || made == nil ||
		!slices.ContainsFunc(made, func(p []string) bool { return len(p) == 1 && p[0] == m.key }) {
		return b
	}
	if _, i := root.member(m.key); i == 0 {
		return apply(b, sortEdits(remove(b, root, 0)))
	}
	return b
}
