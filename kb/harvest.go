package kb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"blackboard/kb/secret"
)

// This file finds in a worklog what may be worth remembering. A worklog has one JSON object a line, appended by hooks. What is understood of it, under
// any of these names, at the top, or in tool_input, tool_response, tool_output, tool_info, input or result:
//
//	tool      tool, tool_name, toolName
//	command   command, command_line, cmd: a string, or a list of words
//	about     description: what the agent says the command is for
//	file      file, file_path, filePath, path; edited, unless the tool only reads
//	outcome   exit_code, exitCode, exit, returncode (a number); ok, success (true or false); is_error, isError (true or false);
//	          status (ok, success, completed, passed; error, failed, failure, timeout); error, error_message (not empty: failed);
//	          hook_event_name, event, kind (ends with Failure: failed; PostToolUse, AfterTool: passed, unless the
//	          response is a mere text, as Codex gives it for both)
//	text      error, error_message, stderr, output, stdout, text, result, tool_response (a string)
//	place     cwd
//
// An entry that tells no outcome counts neither as a success nor as a failure. Times are not needed: the order of the lines is.

// Limits of a harvest.
const (
	MaxCandidates = 20
	harvestWindow = 30      // entries after a failure in which a success explains it
	harvestError  = 3       // times that an error must have come
	harvestRun    = 4       // times that a command must have succeeded
	harvestText   = 8 << 10 // bytes of a command, and of an output at its beginning and at its end
	harvestKeys   = 10_000  // different commands and errors that are counted
)

// Candidate is a capsule that a worklog suggests. Nobody has judged it.
type Candidate struct {
	Capsule  Capsule  `json:"capsule"`
	Why      string   `json:"why"`
	Evidence []string `json:"evidence"` // "line 12: failed: go test ./..."

	strength float64
	first    int // line
}

// HarvestSet is what a worklog suggests, the strongest first.
type HarvestSet struct {
	Lines      int         `json:"lines"`
	Entries    int         `json:"entries"`
	Failures   int         `json:"failures"`
	NotJSON    int         `json:"not_json"` // lines that are no JSON object
	Candidates []Candidate `json:"candidates"`
	Left       int         `json:"left"`    // weaker candidates that are not among them
	Refused    []Refused   `json:"refused"` // what was not read
}

// Harvest reads a worklog. It finds a command that failed and later passed, and what was changed between; an error that came again and again; and a
// command that was run again and again. It writes nothing.
func Harvest(r io.Reader) (HarvestSet, error) {
	h := harvester{errs: map[string]*trouble{}, fixes: map[string]*fix{}, runs: map[string]*habit{}}
	set := HarvestSet{Candidates: []Candidate{}, Refused: []Refused{}}
	in := newLineReader(r)
	long := 0
	for in.next() {
		if in.long {
			if long++; long <= 20 {
				set.Refused = append(set.Refused, Refused{From: fmt.Sprintf("line %d", in.n), Why: "the line is longer than 1 MB"})
			}
			continue
		}
		if strings.TrimSpace(in.text) == "" {
			continue
		}
		var m map[string]any
		if json.Unmarshal([]byte(in.text), &m) != nil || m == nil {
			set.NotJSON++
			continue
		}
		set.Entries++
		w := readWork(m)
		w.line, w.seq = in.n, set.Entries
		if w.outcome == failed {
			set.Failures++
		}
		h.take(&w)
	}
	set.Lines = in.n
	if long > 20 {
		set.Refused = append(set.Refused, Refused{From: "the rest", Why: fmt.Sprintf("%d more lines are longer than 1 MB", long-20)})
	}
	if in.cut() {
		set.Refused = append(set.Refused, Refused{From: fmt.Sprintf("after line %d", in.n), Why: "the rest was not read: at most 256 MB are"})
	}
	if h.full {
		set.Refused = append(set.Refused, Refused{From: "counting", Why: fmt.Sprintf("more than %d different commands or errors: later ones were not counted", harvestKeys)})
	}
	if in.err != nil {
		return set, fmt.Errorf("reading the worklog: %w", in.err)
	}
	all := h.candidates()
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.first, b.first), strings.Compare(a.Capsule.Title, b.Capsule.Title))
	})
	set.Left = max(0, len(all)-MaxCandidates)
	set.Candidates = append(set.Candidates, all[:len(all)-set.Left]...)
	for i := range set.Candidates { // what was typed in a terminal may hold a key
		c := &set.Candidates[i]
		c.Capsule.Title, c.Capsule.Body, c.Why = secret.Mask(c.Capsule.Title), secret.Mask(c.Capsule.Body), secret.Mask(c.Why)
		for j := range c.Evidence {
			c.Evidence[j] = secret.Mask(c.Evidence[j])
		}
	}
	return set, nil
}

type outcome uint8

const (
	untold outcome = iota
	passed
	failed
)

// work is one entry of a worklog.
type work struct {
	line, seq            int
	tool, command, about string
	file, cwd, text      string
	outcome              outcome
}

// readWork reads an entry, whatever of the names it uses.
func readWork(m map[string]any) (w work) {
	places := []map[string]any{m}
	for _, k := range []string{"tool_input", "tool_info", "input", "tool_response", "tool_output", "result", "error"} {
		switch v := m[k].(type) {
		case map[string]any:
			places = append(places, v)
		case string: // Cursor: an object in a string
			var inner map[string]any
			if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
				places = append(places, inner)
			}
		}
	}
	get := func(names ...string) any {
		for _, n := range names {
			for _, p := range places {
				if v := p[n]; v != nil && v != "" {
					return v
				}
			}
		}
		return nil
	}
	text := func(names ...string) string {
		for _, n := range names {
			for _, p := range places {
				if s, _ := p[n].(string); s != "" {
					return strings.ToValidUTF8(s, "�")
				}
			}
		}
		return ""
	}
	w.tool, w.about, w.cwd = text("tool", "tool_name", "toolName"), text("description"), text("cwd")
	w.file = text("file", "file_path", "filePath", "path")
	switch v := get("command", "command_line", "cmd").(type) {
	case string:
		w.command = strings.ToValidUTF8(v, "�")
	case []any: // ["bash", "-lc", "make test"]
		var words []string
		for _, e := range v {
			s, _ := e.(string)
			words = append(words, s)
		}
		if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
			words = words[2:]
		}
		w.command = strings.ToValidUTF8(strings.Join(words, " "), "�")
	}
	w.command = strings.TrimSpace(strings.ReplaceAll(firstBytes(w.command, harvestText), "\x00", ""))
	if m := patchFile.FindStringSubmatch(w.command); m != nil { // Codex: a patch is the command of its tool
		w.command, w.file = "", m[1]
	}
	var errText string
	switch v := get("error", "error_message").(type) {
	case string:
		errText = v
	case map[string]any:
		errText, _ = v["message"].(string)
	case bool:
		if v {
			w.outcome = failed
		}
	}
	for _, s := range []string{errText, text("stderr"), text("output", "stdout"), text("text", "result", "tool_response", "llmContent")} {
		w.text += firstBytes(s, harvestText) + "\n"
		if n := len(s); n > harvestText { // what went wrong often stands at the end
			w.text += strings.ToValidUTF8(s[max(harvestText, n-harvestText):], "") + "\n"
		}
	}
	w.outcome = max(w.outcome, readOutcome(get, text, errText))
	return w
}

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func readOutcome(get func(...string) any, text func(...string) string, errText string) outcome {
	is := func(good bool) outcome {
		if good {
			return passed
		}
		return failed
	}
	switch v := get("exit_code", "exitCode", "exit", "returncode").(type) {
	case float64:
		return is(v == 0)
	case string:
		if n, err := strconv.Atoi(v); err == nil {
			return is(n == 0)
		}
	}
	if v, ok := get("ok", "success").(bool); ok {
		return is(v)
	}
	if v, ok := get("is_error", "isError").(bool); ok {
		return is(!v)
	}
	switch strings.ToLower(text("status", "outcome")) {
	case "ok", "success", "succeeded", "completed", "passed", "pass", "done":
		return passed
	case "error", "failed", "failure", "fail", "timeout", "denied":
		return failed
	}
	if m := exitLine.FindStringSubmatch(text("llmContent", "error", "tool_response")); m != nil { // Gemini
		return is(m[1] == "0")
	}
	event := text("hook_event_name", "event", "kind")
	switch {
	case errText != "", strings.HasSuffix(event, "Failure"):
		return failed
	case text("tool_response") != "": // Codex tells successes and failures alike, and no exit code
	case strings.EqualFold(event, "PostToolUse"), event == "AfterTool":
		return passed
	}
	return untold
}

var (
	exitLine  = regexp.MustCompile(`(?m)^Exit [Cc]ode:? (\d+)$`)
	patchFile = regexp.MustCompile(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$`)
)

// reads says whether a tool only looks at a file.
func (w *work) reads() bool {
	t := strings.ToLower(w.tool)
	return slices.ContainsFunc([]string{"read", "view", "grep", "glob", "list", "ls", "search", "fetch", "open", "find", "cat"}, func(s string) bool { return strings.HasPrefix(t, s) || strings.HasSuffix(t, "_"+s) })
}

// A trouble is an error that may come again.
type trouble struct {
	count, first, last int
	example            string
	where              []string // commands or tools
	lines              []string
	fixed              bool // a fix is known
}

// An attempt is a command that failed and has not passed since.
type attempt struct {
	key         string // its family
	first, last work
	times       int
	edits       []string // since it failed last
	setup       []string // commands that passed since then and may have changed something
	lines       []string
}

// A fix is a failure and what was different when it passed.
type fix struct {
	attempt
	passed work
	again  int
}

// A habit is a command that is run again and again.
type habit struct {
	passed, failed, first int
	last                  work
	lines                 []string
}

type harvester struct {
	open  []*attempt
	errs  map[string]*trouble
	fixes map[string]*fix
	runs  map[string]*habit
	full  bool
}

// room says whether one more may be counted.
func (h *harvester) room(n int) bool {
	h.full = h.full || n >= harvestKeys
	return n < harvestKeys
}

func (h *harvester) take(w *work) {
	h.open = slices.DeleteFunc(h.open, func(a *attempt) bool { return w.seq-a.last.seq > harvestWindow })
	if w.outcome == failed {
		h.trouble(w)
	}
	if w.command == "" {
		if w.file != "" && w.outcome != failed && !w.reads() {
			for _, a := range h.open {
				a.edits = once(a.edits, inPlace(w.file, w.cwd), 8)
			}
		}
		return
	}
	key := familyOf(w.command)
	if w.outcome == passed && setsUp(w.command) {
		for _, a := range h.open {
			if a.key != key {
				a.setup = once(a.setup, oneLine(w.command, 200), 3)
			}
		}
	}
	if key == "" {
		return
	}
	switch w.outcome {
	case failed:
		h.failed(w, key)
	case passed:
		h.passed(w, key)
	}
	if w.outcome == untold {
		return
	}
	whole := commandKey(w.command)
	b := h.runs[whole]
	if b == nil {
		if !h.room(len(h.runs)) {
			return
		}
		b = &habit{first: w.line}
		h.runs[whole] = b
	}
	if w.outcome == failed {
		b.failed++
		return
	}
	b.passed++
	b.last = *w
	b.lines = once(b.lines, fmt.Sprintf("line %d: passed: %s", w.line, oneLine(w.command, 80)), 8)
}

func (h *harvester) trouble(w *work) {
	e := errorLine(w.text)
	if e == "" || dullError.MatchString(e) {
		return
	}
	key := vague(e)
	t := h.errs[key]
	if t == nil {
		if !h.room(len(h.errs)) {
			return
		}
		t = &trouble{first: w.line, example: e}
		h.errs[key] = t
	}
	t.count++
	t.last = w.line
	where := oneLine(w.command, 80)
	if where == "" {
		where = oneLine(w.tool, 80)
	}
	t.where = once(t.where, where, 3)
	t.lines = once(t.lines, fmt.Sprintf("line %d: failed: %s: %s", w.line, where, oneLine(e, 120)), 8)
}

func (h *harvester) failed(w *work, key string) {
	line := fmt.Sprintf("line %d: failed: %s: %s", w.line, oneLine(w.command, 80), oneLine(errorLine(w.text), 120))
	for _, a := range h.open {
		if a.key == key && a.last.cwd == w.cwd {
			a.last, a.edits, a.setup = *w, nil, nil
			a.times++
			a.lines = once(a.lines, line, 4)
			return
		}
	}
	if len(h.open) < 100 {
		h.open = append(h.open, &attempt{key: key, first: *w, last: *w, times: 1, lines: []string{line}})
	}
}

func (h *harvester) passed(w *work, key string) {
	h.open = slices.DeleteFunc(h.open, func(a *attempt) bool {
		if a.key != key || a.last.cwd != w.cwd {
			return false
		}
		if len(a.edits)+len(a.setup) == 0 && shown(a.last.command) == shown(w.command) {
			return true // it passed by itself: nothing to learn of it
		}
		id := key + "\x00" + vague(errorLine(a.last.text))
		if f := h.fixes[id]; f != nil {
			f.again++
		} else if h.room(len(h.fixes)) {
			h.fixes[id] = &fix{attempt: *a, passed: *w}
		}
		return true
	})
}

// candidates makes capsules of what was counted. Their confidence is that of a guess: what came before is not always the cause.
func (h *harvester) candidates() (out []Candidate) {
	half, less := 0.5, 0.4
	for _, f := range h.fixes {
		e := errorLine(f.last.text)
		if t := h.errs[vague(e)]; t != nil {
			t.fixed = true
		}
		was, is := shown(f.last.command), shown(f.passed.command)
		title := fmt.Sprintf("`%s` failed", oneLine(was, 60))
		body := fmt.Sprintf("`%s` failed", clip(was, 600))
		if f.times > 1 {
			body += fmt.Sprintf(" %d times", f.times)
		}
		if e != "" {
			title += ": " + e
			body += ": " + e
		}
		body += "\nIt passed after this:"
		why := "it failed, and passed after "
		var changes []string
		if was != is {
			body += fmt.Sprintf("\n- the command was changed to `%s`", clip(is, 600))
			changes = append(changes, "another form of the command")
		}
		if len(f.edits) > 0 {
			body += "\n- edited: " + strings.Join(f.edits, ", ")
			changes = append(changes, fmt.Sprintf("edits of %s", strings.Join(f.edits, ", ")))
		}
		for _, s := range f.setup {
			body += fmt.Sprintf("\n- `%s` was run", s)
			changes = append(changes, "`"+s+"`")
		}
		strength := 6 + float64(min(f.times, 5)) + 2*float64(min(f.again, 3))
		if was != is {
			strength += 2 // says more than an edit, whose content is not here
		}
		lines := append(slices.Clone(f.lines), fmt.Sprintf("line %d: passed: %s", f.passed.line, oneLine(f.passed.command, 80)))
		out = append(out, Candidate{
			Capsule: harvested("gotcha", title, body, f.first.line, f.passed.line, f.last.command, &half), Why: clip(why+strings.Join(changes, " and "), 300),
			Evidence: lines, strength: strength, first: f.first.line,
		})
	}
	for _, t := range h.errs {
		if t.count < harvestError || t.fixed {
			continue
		}
		body := fmt.Sprintf("This error came %d times: %s\nIt came from:", t.count, t.example)
		for _, w := range t.where {
			body += "\n- `" + w + "`"
		}
		out = append(out, Candidate{
			Capsule: harvested("gotcha", "Recurring error: "+t.example, body, t.first, t.last, t.where[0], &less), Why: fmt.Sprintf("the same error came %d times", t.count),
			Evidence: t.lines, strength: float64(min(t.count, 10)), first: t.first,
		})
	}
	for _, b := range h.runs {
		if b.passed < harvestRun {
			continue
		}
		cmd := shown(b.last.command)
		title := "Command in use: `" + oneLine(cmd, 80) + "`"
		if about := oneLine(b.last.about, 60); about != "" {
			title = about + ": `" + oneLine(cmd, 80) + "`"
		}
		body := fmt.Sprintf("`%s`\nIt was run with success %d times", clip(cmd, 1200), b.passed)
		if b.failed > 0 {
			body += fmt.Sprintf(", and failed %d times", b.failed)
		}
		if b.last.cwd != "" {
			body += ", in " + oneLine(b.last.cwd, 300)
		}
		out = append(out, Candidate{
			Capsule: harvested("recipe", title, body+".", b.first, b.last.line, cmd, &half), Why: fmt.Sprintf("the same command was run with success %d times", b.passed),
			Evidence: b.lines, strength: float64(min(b.passed, 16)) / 2, first: b.first,
		})
	}
	return out
}

func harvested(kind, title, body string, from, to int, command string, confidence *float64) Capsule {
	tags := []string{"harvested"}
	if words := argWords(mainPart(command)); len(words) > 0 {
		if p := program(words[0]); p != "" && len(p) <= MaxTag && !strings.ContainsAny(p, ",\n\x00") {
			tags = append(tags, p)
		}
	}
	body = strings.Map(func(r rune) rune { // it will be shown in a terminal
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, ansi.ReplaceAllString(body, ""))
	return Capsule{Kind: kind, Title: cutTitle(plainLine(title)), Body: body, Tags: tags, Source: fmt.Sprintf("worklog, lines %d to %d", from, to), Confidence: confidence}
}

// RememberLine is the command that stores the capsule, for a POSIX shell.
func (c Candidate) RememberLine() string {
	k := c.Capsule
	line := "board kb remember"
	add := func(flag, value string) {
		if value = strings.ReplaceAll(value, "\x00", ""); value != "" {
			line += " --" + flag + "=" + quote(value)
		}
	}
	add("title", k.Title)
	add("kind", k.Kind)
	add("scope", k.Scope)
	add("tags", strings.Join(k.Tags, ","))
	add("domain", strings.Join(k.DomainTags, ","))
	add("source", k.Source)
	if k.Confidence != nil {
		add("confidence", strconv.FormatFloat(*k.Confidence, 'g', -1, 64))
	}
	add("verified-by", k.VerifiedBy)
	for _, r := range k.Refs {
		add("ref", r)
	}
	add("project", k.Project)
	add("workspace", k.Workspace)
	for _, s := range k.Supersedes {
		add("supersedes", s)
	}
	add("body", k.Body)
	return line
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:,@%+-]+$`)

// quote makes one word of a shell of s. Within single quotes a shell changes nothing, so only they need care.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// once appends s unless it is there, or there are enough.
func once(list []string, s string, limit int) []string {
	if s == "" || len(list) >= limit || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func oneLine(s string, n int) string {
	return clip(plainLine(s), n)
}

// inPlace names a file from the working directory, if it is below it.
func inPlace(file, cwd string) string {
	if rel, err := filepath.Rel(cwd, file); err == nil && cwd != "" && !strings.HasPrefix(rel, "..") {
		return oneLine(rel, 200)
	}
	return oneLine(file, 200)
}

var (
	errorWords = regexp.MustCompile(`(?i)\berror\b|error:|\w(Error|Exception)\b|fatal|panic:|undefined|undeclared|cannot|can't|could ?n[o']t|unable to|not found|no such|denied|refused|unknown|missing|timed out|unexpected|invalid|unresolved|conflict|declared and not used`)
	noError    = regexp.MustCompile(`(?i)\b(0|no) errors?\b|^\s*Traceback|^exit (code|status)|^Exit Code`)
	dullError  = regexp.MustCompile(`(?i)^(FAIL(ED)?|errors?|failed|(process )?(exit(ed)?|failed)( with)?( status| code)*:? ?-?\d*|command failed.*|make(\[\d+\])?: .*Error \d+|npm ERR! code \w+|the command failed)[.:]?$`)
)

// errorLine picks the line of an output that says what is wrong: the first that sounds like it, else the last.
func errorLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		if len(line) > 2000 {
			line = strings.ToValidUTF8(line[:2000], "")
		}
		line = oneLine(ansi.ReplaceAllString(line, ""), 300)
		if line == "" || dullError.MatchString(line) || noError.MatchString(line) {
			continue
		}
		if errorWords.MatchString(line) {
			return line
		}
		last = line
	}
	return last
}

var (
	tempPath   = regexp.MustCompile(`(/private)?(/var/folders|/var/tmp|/tmp)/[^\s'":;,)]*`)
	hashLike   = regexp.MustCompile(`\b(0x)?[0-9a-fA-F]*\d[0-9a-fA-F]*\b`)
	numberLike = regexp.MustCompile(`\d+`)
)

// vague replaces what differs from one time to the next: temporary paths, hashes, numbers.
func vague(s string) string {
	s = tempPath.ReplaceAllString(s, "TMP")
	s = hashLike.ReplaceAllStringFunc(s, func(h string) string {
		if len(h) >= 7 {
			return "N"
		}
		return h
	})
	return strings.Join(strings.Fields(numberLike.ReplaceAllString(s, "N")), " ")
}

var (
	separators = regexp.MustCompile(`&&|\|\||[;\n]`)
	pipes      = regexp.MustCompile(`\|&?`)
	assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)
	redirect   = regexp.MustCompile(`^\d*[<>]`)
	inline     = regexp.MustCompile(`<<| -c |\s-e\s`)
	setup      = strings.Fields(`install i add get tidy sync update upgrade generate migrate init up start restart pull checkout merge rebase clean build chmod chown mkdir
		ln rm mv cp kill login enable apply reset`)
	trivial = strings.Fields(`ls cd cat pwd echo printf grep rg egrep find fd head tail less more wc which type true false sleep date whoami env printenv export history clear tree
		stat file du df ps awk sed test [ mkdir rm cp mv touch sort uniq cut tr tee diff xargs jq yes man help id uname hostname set source . command basename dirname realpath exit return :`)
	trivialGit = strings.Fields(`status log diff show branch add commit stash rev-parse blame remote fetch ls-files grep reflog describe config tag switch checkout restore`)
	wrappers   = strings.Fields(`sudo time env nice nohup exec command timeout`)
	goesOn     = strings.Fields(`run exec -m compose tool x r`)
)

// mainPart is the first part of a command line that is not trivial, without what is set and redirected around it; "" if there is none.
func mainPart(command string) string {
	if inline.MatchString(command) {
		command = strings.TrimSpace(separators.Split(cdPrefix.ReplaceAllString(command, ""), 2)[0])
		if words := argWords(command); len(words) == 0 || slices.Contains(trivial, program(words[0])) {
			return ""
		}
		return command
	}
	for _, part := range separators.Split(command, 40) {
		for _, p := range pipes.Split(part, 10) {
			words := argWords(p)
			if len(words) == 0 || slices.Contains(trivial, program(words[0])) || program(words[0]) == "git" && len(words) > 1 && slices.Contains(trivialGit, words[1]) ||
				program(words[0]) == "board" {
				continue
			}
			return strings.TrimSpace(p)
		}
	}
	return ""
}

// setsUp says whether a command may change what another one finds: one of its first words is a verb of doing. What git stages changes nothing.
func setsUp(command string) bool {
	for _, part := range separators.Split(command, 40) {
		words := argWords(part)
		if len(words) == 0 || len(words) > 1 && program(words[0]) == "git" && words[1] == "add" {
			continue
		}
		for _, w := range words[:min(3, len(words))] {
			if slices.Contains(setup, w) {
				return true
			}
		}
	}
	return false
}

var cdPrefix = regexp.MustCompile(`^\s*cd [^&;|]+(&&|;)\s*`)

// argWords are the words of a simple command without assignments, wrappers and redirections before and in it.
func argWords(s string) []string {
	words := strings.Fields(s)
	for len(words) > 0 {
		switch w := strings.Trim(words[0], `"'`); {
		case assignment.MatchString(w), w == "(", w == "{", w == "!", w == "if", w == "then", w == "do":
		case slices.Contains(wrappers, w):
			if w == "timeout" && len(words) > 1 {
				words = words[1:]
			}
		default:
			out := words[:0:0]
			for i := 0; i < len(words); i++ {
				if redirect.MatchString(words[i]) || words[i] == "&" || words[i] == "&>" {
					continue
				}
				out = append(out, words[i])
			}
			return out
		}
		words = words[1:]
	}
	return nil
}

// program names what a word runs: without its directory, and python for python3.11.
func program(word string) string {
	name := filepath.Base(strings.Trim(word, `"'()`))
	if t := strings.TrimRight(name, "0123456789."); t != "" && len(t) > 1 {
		name = t
	}
	return name
}

// familyOf is what a command and another form of it have in common: the program and its first two arguments that are not flags.
func familyOf(command string) string {
	main := mainPart(command)
	if main == "" || inline.MatchString(command) {
		return vague(main)
	}
	words := argWords(main)
	key, args := program(words[0]), 0
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") && !slices.Contains(goesOn, w) {
			continue
		}
		key += " " + vague(w)
		if slices.Contains(goesOn, w) {
			continue
		}
		if args++; args == 2 {
			break
		}
	}
	return key
}

// commandKey is a command as it counts for a habit.
func commandKey(command string) string { return vague(cdPrefix.ReplaceAllString(command, "")) }

// shown is a command without the change of directory before it.
func shown(command string) string { return cdPrefix.ReplaceAllString(command, "") }
