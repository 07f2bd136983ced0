package topics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/shell"
)

// This file makes of a worklog what the next session has use for. Nothing is lost by it: the file
// has each entry as it was recorded.

// Went says how an entry went; nil if nobody knows. An exit code is that of the last command of a
// line, which need not be the one that did something; and 1 may be an answer.
func (e *Entry) Went() *bool {
	var line shell.Line
	if e.Command != "" && (e.OK != nil || e.ExitCode != nil) {
		line = shell.Read(e.Command)
	}
	return e.went(&line)
}

func (e *Entry) went(line *shell.Line) *bool {
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

// deed is an entry with what can be told of it.
type deed struct {
	Entry
	line shell.Line
	went *bool
}

func newDeed(e Entry) deed {
	d := deed{Entry: e, line: shell.Line{Does: shell.Unknown}}
	if e.Command != "" {
		d.line = shell.Read(e.Command)
	}
	d.went = e.went(&d.line)
	return d
}

func (d *deed) failed() bool { return d.went != nil && !*d.went }

// looked says that it only looked, and is not known to have failed.
func (d *deed) looked() bool { return d.Command != "" && d.line.Does == shell.Looks && !d.failed() }

// edited says that a tool wrote a file.
func (d *deed) edited() bool {
	name := strings.ToLower(d.Tool)
	return d.Command == "" && d.Path != "" && slices.ContainsFunc([]string{"edit", "write", "replace", "patch", "create", "delete", "insert"},
		func(s string) bool { return strings.Contains(name, s) })
}

// Fold makes of entries, the oldest first, what they come to: looks and the marks of sessions go,
// edits of a session are one entry, and a command that was run again is one, with how it went last.
func Fold(entries []Entry) []Entry {
	folded := map[string]*fold{}
	for i := range entries {
		d := newDeed(entries[i])
		if d.Tool == "" || d.looked() {
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
			f = &fold{}
			folded[key] = f
		}
		f.add(i, &d)
	}
	all := make([]*fold, 0, len(folded))
	for _, f := range folded {
		all = append(all, f.split()...)
	}
	slices.SortFunc(all, func(a, b *fold) int { return cmp.Or(a.at-b.at, strings.Compare(a.last.Path, b.last.Path)) })
	out := make([]Entry, len(all))
	for i, f := range all {
		out[i] = f.entry()
	}
	return out
}

// fold is what several entries come to.
type fold struct {
	at            int // where the latest of them stands
	last          deed
	times, failed int
	wrong         string  // what went wrong the last time that something did
	files         []*fold // of edits: one for each file
}

func (f *fold) add(at int, d *deed) {
	f.count(at, d)
	if !d.edited() {
		return
	}
	i := slices.IndexFunc(f.files, func(g *fold) bool { return g.last.Path == d.Path })
	if i < 0 {
		f.files = append(f.files, &fold{})
		i = len(f.files) - 1
	}
	f.files[i].count(at, d)
}

func (f *fold) count(at int, d *deed) {
	f.at, f.last = at, *d
	if f.times += max(1, d.Times); d.failed() {
		f.failed++
		f.wrong = d.Error
	}
	f.failed += d.Failed
	if d.Failed > 0 && !d.failed() {
		f.wrong = cmp.Or(d.Error, f.wrong)
	}
}

// split takes out the files whose last edit failed: they have entries of their own.
func (f *fold) split() (out []*fold) {
	rest := &fold{}
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

// entry is the latest of the entries, with what the others add.
func (f *fold) entry() Entry {
	e := f.last.Entry
	e.OK, e.Times, e.Failed = f.last.went, 0, 0
	if f.times > 1 {
		e.Times = f.times
	}
	if !f.last.failed() {
		e.ExitCode, e.Error = nil, f.wrong
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

// paths lists files, the latest first, with how often each was edited.
func (f *fold) paths() string {
	slices.SortStableFunc(f.files, func(a, b *fold) int { return b.at - a.at })
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

// maxFiles is how many bytes the names of edited files have in one entry.
const maxFiles = 400

// Choose takes from folded entries, the oldest first, those that fit into so many lines and bytes
// (as String tells them; 0 for no limit): the latest failure, commit, test, edit and install always
// if there is room at all, then the rest by what it is worth and how long ago it was.
func Choose(entries []Entry, lines, bytes int) []Entry {
	type candidate struct {
		at   int
		must bool
		cost float64
	}
	all := make([]candidate, len(entries))
	seen := map[int]bool{}
	for i := len(entries) - 1; i >= 0; i-- {
		d := newDeed(entries[i])
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

// class is what sort of entry it is, of whose sort the latest stays (0: none), and what it is worth.
func (d *deed) class() (class int, worth float64) {
	switch {
	case d.failed() && d.line.Does == shell.Looks || d.failed() && d.Command == "" && !d.edited():
		return 0, 1
	case d.failed():
		return 1, 6
	case d.line.Kind == shell.Commit:
		return 2, 5
	case d.line.Kind == shell.Test:
		return 3, 4
	case d.edited(), d.line.Does == shell.Changes, d.Command == "" && strings.Contains(d.Summary, ", "):
		return 4, 4
	case d.line.Kind == shell.Install:
		return 5, 3
	}
	return 0, 2
}
