package setup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks/harness"
)

// This file is about Codex: configured in TOML, it runs no hook that is not trusted there, by its
// place in its file and a hash of what it does.

const (
	stateTable  = "state"
	trustedHash = "trusted_hash"
)

// trustFile is the file with the trust: always the user's, even for a project's hooks.
func (p *place) trustFile(h *harness.Harness) string {
	user := p.Place
	user.Project = ""
	return h.MCP(&user)
}

func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// trustOf returns the trust that our hooks in a hooks.json need: each key with its hash.
func (p *place) trustOf(b []byte, h *harness.Harness, path string) map[string]string {
	trust := map[string]string{}
	d, err := parseJSON(b)
	if err != nil {
		return trust
	}
	for _, f := range p.ownHooks(d.root, h) {
		trust[path+":"+snake(f.event)+":"+strconv.Itoa(f.place[0])+":"+
			strconv.Itoa(f.place[1])] = hashOf(f)
	}
	return trust
}

// hashOf is the SHA-256 of a hook as compact JSON with sorted names: Codex's format.
func hashOf(f foundHook) string {
	timeout, _ := strconv.Atoi(word(at(f.handler, "timeout")))
	timeout = cmp.Or(timeout, 600)
	if f.event == "SessionEnd" || f.event == "Interrupt" {
		timeout = min(timeout, 3)
	}
	handler := map[string]any{"async": word(at(f.handler, "async")) == "true",
		"command": textOf(f.command()), "timeout": timeout, "type": "command"}
	if s := at(f.handler, "statusMessage"); s != nil {
		handler["statusMessage"] = textOf(s)
	}
	if n, err := strconv.Atoi(word(at(f.handler, "additionalContextLimit"))); err == nil {
		handler["additionalContextLimit"] = n
	}
	identity := map[string]any{"event_name": snake(f.event), "hooks": []any{handler}}
	if m := at(f.group, "matcher"); m != nil && f.event != "UserPromptSubmit" &&
		f.event != "Stop" && f.event != "SessionEnd" {
		identity["matcher"] = textOf(m)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(identity) // strings and numbers cannot fail
	sum := sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// setTrust moves a config.toml's trust from the old hooks to the new. Settings beside a hash stay.
func setTrust(b []byte, path string, before, after map[string]string) ([]byte, addition, error) {
	add := addition{fresh: true}
	meaning, tables, err := parseTOML(b)
	if err != nil {
		return nil, add, parseError(err, path)
	}
	states := subtable(meaning, "hooks", stateTable)
	// one after the other, since two that follow each other share an empty line
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[key]; stays || states[key] == nil {
			continue
		}
		t := findTable(tables, "hooks", stateTable, key)
		if t == nil {
			return nil, add, inlineTrust(path)
		}
		add.fresh = false
		b = apply(b, cutTable(b, t))
		if meaning, tables, err = parseTOML(b); err != nil {
			return nil, add, parseError(err, path)
		}
		states = subtable(meaning, "hooks", stateTable)
	}
	var edits []edit
	var blocks [][]string
	for _, key := range slices.Sorted(maps.Keys(after)) {
		line := trustedHash + " = " + quoteJSON(after[key])
		switch {
		case states[key] == nil:
			blocks = append(blocks, []string{"[hooks." + stateTable + "." +
				quoteJSON(key) + "]", line})
		case subtable(states, key)[trustedHash] == after[key]:
			add.fresh = false
		default:
			add.fresh = false
			t := findTable(tables, "hooks", stateTable, key)
			if t == nil {
				return nil, add, inlineTrust(path)
			}
			if i := slices.IndexFunc(t.values,
				func(v value) bool { return v.key == trustedHash }); i >= 0 {
				edits = append(edits, edit{t.values[i].start,
					t.values[i].end - t.values[i].start, line})
			} else {
				edits = append(edits, edit{endOfLine(b, t.start), 0, line + lineEnd(b)})
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	edits = append(edits, appendTables(b, blocks)...)
	return checkedTOML(b, edits, add, path)
}

// checkedTOML makes the edits, and refuses a result that has such a table in another form already.
func checkedTOML(b []byte, edits []edit, add addition, path string) ([]byte, addition, error) {
	out := apply(b, edits...)
	if _, _, err := parseTOML(out); err != nil {
		return nil, add, inlineTrust(path)
	}
	return out, add, nil
}

func inlineTrust(path string) error {
	return conflict(path+" has its hooks or servers in a form that setup cannot extend; "+
		"nothing was changed", "use [tables] with headers there", fault.Give("no_trust", "",
		"or set up with {} and approve the hooks with /hooks in Codex"))
}

// codexServer is our MCP server's program in a config.toml, or ""; foreign: it is not ours.
func (p *place) codexServer(meaning map[string]any) (program string, foreign bool) {
	entry, there := subtable(meaning, "mcp_servers")[harness.ServerName]
	if !there {
		return "", false
	}
	m, _ := entry.(map[string]any)
	command, _ := m["command"].(string)
	args, _ := m["args"].([]any)
	if len(args) != 1 || args[0] != "mcp" || !isProgram(command, p.binary) {
		return "", true
	}
	return command, false
}

func (p *place) addCodexServer(b []byte, path string) ([]byte, addition, error) {
	add := addition{fresh: true}
	meaning, tables, err := parseTOML(b)
	if err != nil {
		return nil, add, parseError(err, path)
	}
	line := "command = " + quoteJSON(p.binary)
	program, foreign := p.codexServer(meaning)
	switch {
	case foreign:
		return nil, add, foreignServer(path)
	case program == "":
		return checkedTOML(b,
			appendTables(b, [][]string{{"[mcp_servers." + harness.ServerName +
				"]", line, `args = ["mcp"]`,
				"env = { " + harness.Variable + " = " + quoteJSON("codex") + " }",
				passedOn(nil)}}), add, path)
	}
	add.fresh = false
	passed, missing := passedVariables(meaning)
	if program == p.binary && len(missing) == 0 {
		return b, add, nil
	}
	t := findTable(tables, "mcp_servers", harness.ServerName)
	if t == nil {
		return nil, add, inlineTrust(path)
	}
	var edits []edit
	for _, v := range t.values {
		switch {
		case v.key == "command" && len(missing) > 0 && passed == nil:
			edits = append(edits, edit{v.start, v.end - v.start, line + "\n" + passedOn(nil)})
		case v.key == "command":
			edits = append(edits, edit{v.start, v.end - v.start, line})
		case v.key == passedKey && len(missing) > 0:
			edits = append(edits, edit{v.start, v.end - v.start, passedOn(passed)})
		}
	}
	if !slices.ContainsFunc(t.values, func(v value) bool { return v.key == "command" }) {
		return nil, add, inlineTrust(path)
	}
	return checkedTOML(b, edits, add, path)
}

// passedKey lists the variables of its own environment that Codex passes on to a server.
// Without it, a server has little more than $HOME and $PATH.
const passedKey = "env_vars"

// passedOn is the line that passes on ours, behind those that are passed already.
func passedOn(passed []string) string {
	var names []string
	for _, name := range append(slices.Clone(passed), harness.ServerVariables...) {
		if name = quoteJSON(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return passedKey + " = [" + strings.Join(names, ", ") + "]"
}

// passedVariables returns what is passed on to our server, and what of ours is not. A
// value in the entry itself needs none passed.
func passedVariables(meaning map[string]any) (passed, missing []string) {
	entry := subtable(meaning, "mcp_servers", harness.ServerName)
	list, _ := entry[passedKey].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			passed = append(passed, name)
		}
	}
	for _, name := range harness.ServerVariables {
		if !slices.Contains(passed, name) && subtable(entry, "env")[name] == nil {
			missing = append(missing, name)
		}
	}
	return passed, missing
}

func (p *place) stripCodexServer(b []byte, path string) ([]byte, error) {
	meaning, tables, err := parseTOML(b)
	if err != nil {
		return nil, parseError(err, path)
	}
	if program, _ := p.codexServer(meaning); program == "" {
		return b, nil
	}
	t := findTable(tables, "mcp_servers", harness.ServerName)
	if t == nil {
		return nil, inlineTrust(path)
	}
	return apply(b, cutTable(b, t)), nil
}

// movedTrust returns the events in which other hooks follow ours. Without ours they
// move up, and Codex asks about them again.
func (p *place) movedTrust(b []byte, h *harness.Harness) (events []string) {
	d, err := parseJSON(b)
	if err != nil {
		return nil
	}
	for _, f := range p.ownHooks(d.root, h) {
		if f.index < len(elements(f.list))-1 && !slices.Contains(events, f.event) {
			events = append(events, f.event)
		}
	}
	return events
}

// switchedOff returns why Codex does not run a hook of ours, or "".
func switchedOff(states map[string]any, key, hash string) string {
	state := subtable(states, key)
	switch {
	case state == nil:
		return "not trusted"
	case state["enabled"] == false:
		return "switched off"
	case state[trustedHash] != hash:
		return fmt.Sprintf("changed since it was trusted (%v)", state[trustedHash])
	}
	return ""
}

// passed checks that Codex's server gets what the hooks get.
func (c *checker) passed(path string, meaning map[string]any) {
	home, _ := subtable(meaning, "mcp_servers", harness.ServerName, "env")["BOARD_HOME"].(string)
	c.otherHome(path, home)
	if _, missing := passedVariables(meaning); len(missing) > 0 {
		c.report(ProblemHome, harness.PartMCP, path,
			"set up the MCP server of Codex again, which passes them on",
			"Codex gives the MCP server no environment of its own, so it may work in another data "+
				"home than the hooks: %s does not pass on %s", c.s.Short(path),
			strings.Join(missing, ", "))
	}
}

func (c *checker) codex() {
	path := c.s.trustFile(c.h)
	text, _ := disk.Read(path, maxFile) // what is not there says nothing
	meaning, _, err := parseTOML(text)
	if err != nil {
		return
	}
	features := subtable(meaning, "features")
	if features["memories"] == true {
		c.report(ProblemMemories, harness.PartHooks, path,
			"set memories = false in [features] if one memory is to hold",
			"Codex keeps memories of its own beside this one, and they may differ: %s",
			c.s.Short(path))
	}
	if features["hooks"] == false || features["codex_hooks"] == false {
		c.report(harness.ProblemDisabled, harness.PartHooks, path,
			"remove hooks = false from [features]", "hooks are disabled in Codex by %s",
			c.s.Short(path))
	}
	if program, _ := c.s.codexServer(meaning); program != "" {
		c.passed(path, meaning)
	}
	reasons := map[string][]string{}
	for key, hash := range c.s.trustNow(c.h).after {
		if why := switchedOff(subtable(meaning, "hooks", stateTable), key, hash); why != "" {
			parts := strings.Split(key, ":")
			reasons[why] = append(reasons[why], parts[len(parts)-3])
		}
	}
	for why, events := range reasons {
		slices.Sort(events)
		c.report(harness.ProblemTrust, harness.PartHooks, path, "set up Codex again, or approve "+
			"them with /hooks there",
			"Codex does not run these hooks because they are %s: %s", why,
			strings.Join(events, ", "))
	}
}
