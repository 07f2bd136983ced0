package learn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"blackboard/board/lazyregexp"
	"blackboard/kb"
)

// This file makes capsules of the counts of a worklog, and the command lines that store
// them. Their confidence is low, because an earlier event is not always the cause.

func (h *harvester) candidates() (out []Candidate) {
	for _, f := range h.fixes {
		if t := h.errs[vague(f.last.wrong)]; t != nil {
			t.fixed = true
		}
		out = append(out, f.candidate())
	}
	for _, t := range h.errs {
		if t.count >= harvestError && !t.fixed { // the fix tells of the error, too
			out = append(out, t.candidate())
		}
	}
	for _, b := range h.runs {
		if b.passed >= harvestRun {
			out = append(out, b.candidate())
		}
	}
	return out
}

func (f *fix) candidate() Candidate {
	was, is := shown(f.last.command), shown(f.passed.command)
	title := fmt.Sprintf("`%s` failed", oneLine(was, 60))
	body := fmt.Sprintf("`%s` failed", clip(was, 600))
	if f.times > 1 {
		body += fmt.Sprintf(" %d times", f.times)
	}
	if e := f.last.wrong; e != "" {
		title += ": " + e
		body += ": " + e
	}
	body += "\nIt passed after this:"
	var changes []string
	if was != is {
		body += fmt.Sprintf("\n- the command was changed to `%s`", clip(is, 600))
		changes = append(changes, "another form of the command")
	}
	if len(f.edits) > 0 {
		edits := strings.Join(f.edits, ", ")
		body += "\n- edited: " + edits
		changes = append(changes, "edits of "+edits)
	}
	for _, s := range f.setup {
		body += fmt.Sprintf("\n- `%s` was run", s)
		changes = append(changes, "`"+s+"`")
	}
	strength := 6 + float64(min(f.times, 5)) + 2*float64(min(f.again, 3))
	if was != is {
		strength += 2 // says more than an edit, whose content is not here
	}
	return Candidate{
		Capsule:  harvested("gotcha", title, body, f.first, f.passed.line, f.last.command, 0.5),
		Why:      clip("it failed, and passed after "+strings.Join(changes, " and "), 300),
		Evidence: append(slices.Clone(f.lines), f.passed.passedLine()),
		strength: strength, first: f.first,
	}
}

func (t *trouble) candidate() Candidate {
	body, from := fmt.Sprintf("This error came %d times: %s", t.count, t.example), ""
	if len(t.where) > 0 { // not if nothing says what was run
		body, from = body+"\nIt came from:", t.where[0]
	}
	for _, w := range t.where {
		body += "\n- `" + w + "`"
	}
	return Candidate{
		Capsule: harvested("gotcha", "Recurring error: "+t.example, body,
			t.first, t.last, from, 0.4),
		Why:      fmt.Sprintf("the same error came %d times", t.count),
		Evidence: t.lines, strength: float64(min(t.count, 10)), first: t.first,
	}
}

func (b *habit) candidate() Candidate {
	cmd := shown(b.last.command)
	short := "`" + oneLine(cmd, 80) + "`"
	title := "Command in use: " + short
	if about := oneLine(b.last.about, 60); about != "" {
		title = about + ": " + short
	}
	body := fmt.Sprintf("`%s`\nIt was run with success %d times", clip(cmd, 1200), b.passed)
	if b.failed > 0 {
		body += fmt.Sprintf(", and failed %d times", b.failed)
	}
	if b.last.cwd != "" {
		body += ", in " + oneLine(b.last.cwd, 300)
	}
	return Candidate{
		Capsule:  harvested("recipe", title, body+".", b.first, b.last.line, cmd, 0.5),
		Why:      fmt.Sprintf("the same command was run with success %d times", b.passed),
		Evidence: b.lines, strength: float64(min(b.passed, 16)) / 2, first: b.first,
	}
}

// harvested makes the capsule. Its tags say that nobody has judged it, and name its
// program.
func harvested(kind, title, body string, from, to int, command string,
	confidence float64) kb.Capsule {
	tags := []string{"harvested"}
	if words := argWords(mainPart(command)); len(words) > 0 {
		if p := program(words[0]); p != "" && len(p) <= kb.MaxTag &&
			!strings.ContainsAny(p, ",\n\x00") {
			tags = append(tags, p)
		}
	}
	// it will be shown in a terminal, where a control character acts
	body = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, ansi.ReplaceAllString(body, ""))
	return kb.Capsule{Kind: kind, Title: cutTitle(plainLine(title)), Body: body, Tags: tags,
		DomainTags: []string{}, Supersedes: []string{}, Refs: []string{},
		Source: fmt.Sprintf("worklog, lines %d to %d", from, to), Confidence: &confidence}
}

// RememberLine returns the command that stores the capsule, for a POSIX shell.
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

var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:,@%+-]+$`)

// quote makes one word of a shell of s. Within single quotes a shell changes nothing,
// so only they need care.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
