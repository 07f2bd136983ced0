package topics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
	"blackboard/hooks/shell"
)

// This file condenses a worklog for the next session; the file itself keeps every entry.

// Succeeded: the action did; nil: unknown, as an exit code is of a line's last command, which need
// not be the one, and 1 may be an answer.
func (e *Entry) Succeeded() *bool {
	var line shell.Line
	if e.Command != "" && (e.OK != nil || e.ExitCode != nil) {
		line = shell.Read(e.Command)
	}
	return e.succeeded(&line)
}

func (e *Entry) succeeded(line *shell.Line) *bool {
	ok := e.OK
	if ok == nil && e.ExitCode != nil {
		well := *e.ExitCode == 0
		ok = &well
	}
	switch {
	case ok == nil || e.Command == "":
		return ok
	case *ok && !line.Sure, !*ok && line.Asks && e.ExitCode != nil && *e.ExitCode == 1:
		return nil
	}
	return ok
}

// action is an entry with its command line parsed.
type action struct {
	Entry
	line shell.Line
	went *bool
}

func newAction(e Entry) action {
	d := action{Entry: e, line: shell.Line{Does: shell.Unknown}}
	if e.Command != "" {
		d.line = shell.Read(e.Command)
	}
	d.went = e.succeeded(&d.line)
	return d
}

func (d *action) failed() bool { return d.went != nil && !*d.went }

func (d *action) edited() bool {
	name := strings.ToLower(d.Tool)
	return d.Command == "" && d.Path != "" &&
		slices.ContainsFunc([]string{"edit", "write", "replace", "patch",
			"create", "delete", "insert"},
			func(s string) bool { return strings.Contains(name, s) })
}

// Fold condenses entries, oldest first, without reads and session marks: a session's edits become
// one, repeated commands one with the last outcome.
func Fold(entries []Entry) []Entry {
	folded := map[string]*group{}
	for i := range entries {
		d := newAction(entries[i])
		if d.Tool == "" || d.Command != "" && d.line.Does == shell.Looks && !d.failed() ||
			ownCommand.MatchString(d.line.Text) {
			continue
		}
		key := strings.Join([]string{"x", d.Tool, d.Path, d.Summary}, "\x00")
		switch {
		case d.edited():
			key = "e\x00" + d.Session
		case d.Command != "":
			key = "c\x00" + d.line.Text
		}
		f := folded[key]
		if f == nil {
			f = &group{}
			folded[key] = f
		}
		f.add(i, &d)
	}
	all := make([]*group, 0, len(folded))
	for _, f := range folded {
		all = append(all, f.splitFailed()...)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(a.at-b.at,
			strings.Compare(a.last.Path, b.last.Path))
	})
	out := make([]Entry, len(all))
	passed := map[string]bool{} // by program
	for i, f := range slices.Backward(all) {
		out[i] = f.entry()
		if program := f.last.program(); program == "" {
			continue
		} else if f.last.failed() {
			out[i].Passed = passed[program]
		} else if f.last.went != nil {
			passed[program] = true
		}
	}
	return out
}

// ownCommand matches a line that only calls this program, which is no work on the topic.
var ownCommand = text.NewRegexp(`^(?:cd \S+ && )?board(?:\s[^&;|]*)?$`)

// program is what a command calls, by which its repair is known: tests, or the first two words.
func (d *action) program() string {
	switch words := strings.Fields(d.line.Text); {
	case d.Command == "":
		return ""
	case d.line.Kind == shell.Test:
		return "test"
	default:
		return strings.Join(words[:min(2, len(words))], " ")
	}
}

type group struct {
	at            int // where the latest of them stands
	last          action
	times, failed int
	lastError     string   // what went wrong the last time that something did
	files         []*group // of edits: one for each file
}

func (f *group) add(at int, d *action) {
	f.count(at, d)
	if !d.edited() {
		return
	}
	i := slices.IndexFunc(f.files, func(g *group) bool { return g.last.Path == d.Path })
	if i < 0 {
		f.files = append(f.files, &group{})
		i = len(f.files) - 1
	}
	f.files[i].count(at, d)
}

func (f *group) count(at int, d *action) {
	f.at, f.last = at, *d
	if f.times += max(1, d.Times); d.failed() {
		f.failed++
		f.lastError = d.Error
	}
	f.failed += d.Failed
	if d.Failed > 0 && !d.failed() {
		f.lastError = cmp.Or(d.Error, f.lastError)
	}
}

// splitFailed returns a group for each file whose last edit failed, and one for all others.
func (f *group) splitFailed() (out []*group) {
	rest := &group{}
	for _, g := range f.files {
		if g.last.failed() || len(f.files) == 1 {
			out = append(out, g)
			continue
		}
		rest.files = append(rest.files, g)
		if g.at >= rest.at {
			rest.at, rest.last = g.at, g.last
		}
		rest.times += g.times
		rest.failed += g.failed
	}
	switch len(rest.files) {
	case 0:
		if len(f.files) == 0 {
			out = append(out, f)
		}
	case 1:
		out = append(out, rest.files...)
	default:
		out = append(out, rest)
	}
	return out
}

// entry returns the latest entry, completed from the others.
func (f *group) entry() Entry {
	e := f.last.Entry
	e.OK, e.Times, e.Failed = f.last.went, 0, 0
	if f.times > 1 {
		e.Times = f.times
	}
	if !f.last.failed() {
		e.ExitCode, e.Error = nil, f.lastError
		e.Failed = f.failed
	} else if f.failed > 1 {
		e.Failed = f.failed
	}
	if e.Command != "" {
		e.Command = f.last.line.Text
	}
	if len(f.files) > 1 {
		e.Path, e.Error, e.DurationMS = "", "", nil
		e.Summary = f.paths()
		for _, g := range f.files {
			if g.last.went == nil {
				e.OK = nil
			}
		}
	}
	return e
}

// paths lists the files, the latest first, with the number of edits of each.
func (f *group) paths() string {
	slices.SortStableFunc(f.files, func(a, b *group) int { return b.at - a.at })
	var b strings.Builder
	for i, g := range f.files {
		s := g.last.Path
		if g.times > 1 {
			s += fmt.Sprintf(" ×%d", g.times)
		}
		if b.Len()+len(s) > maxFiles {
			fmt.Fprintf(&b, " and %d more", len(f.files)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	return b.String()
}

// maxFiles limits the names of edited files in one entry, in bytes.
const maxFiles = 400

// Choose takes of folded entries, oldest first, those that fit in lines and bytes (of
// Entry.String; 0: any): the latest failure, commit, test, edit, install, then by worth and age.
func Choose(entries []Entry, lines, bytes int) []Entry {
	type candidate struct {
		at   int
		must bool
		cost float64
	}
	all := make([]candidate, len(entries))
	seen := map[int]bool{}
	for i := len(entries) - 1; i >= 0; i-- {
		d := newAction(entries[i])
		class, worth := d.class()
		all[i] = candidate{i, !seen[class] && class > 0, float64(len(entries)-i) / worth}
		seen[class] = true
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		if a.must != b.must {
			return map[bool]int{true: -1, false: 1}[a.must]
		}
		return cmp.Or(cmp.Compare(a.cost, b.cost), b.at-a.at)
	})
	var taken []int
	size := 0
	for _, c := range all {
		n := len(entries[c.at].String()) + 1
		if lines > 0 && len(taken) == lines || bytes > 0 && size+n > bytes {
			continue
		}
		size += n
		taken = append(taken, c.at)
	}
	slices.Sort(taken)
	out := make([]Entry, len(taken))
	for i, at := range taken {
		out[i] = entries[at]
	}
	return out
}

// class is an entry's sort and worth. The latest of each sort is kept, unless it is 0.
func (d *action) class() (class int, worth float64) {
	switch {
	case d.failed() && d.line.Does == shell.Looks || d.failed() && d.Command == "" && !d.edited():
		return 0, 1
	case d.failed():
		return 1, 6
	case d.line.Kind == shell.Commit:
		return 2, 5
	case d.line.Kind == shell.Test:
		return 3, 4
	case d.edited(), d.line.Does == shell.Changes, d.Command == "" &&
		strings.Contains(d.Summary, ", "):
		return 4, 4
	case d.line.Kind == shell.Install:
		return 5, 3
	}
	return 0, 2
}
