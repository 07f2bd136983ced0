package learn

import (
	"cmp"
	"slices"
)

// This file counts repetitions in a worklog, entry by entry, and matches failures with
// later successes. Memory is limited: after harvestKeys different commands or errors,
// new ones are not counted.

// A trouble is an error that may come again.
type trouble struct {
	count, first, last int
	example            string
	where              []string // commands or tools
	lines              []string
	fixed              bool // a fix is known
}

// An attempt is a command that failed and has not passed since, with what was done
// meanwhile: that may be why it passes.
type attempt struct {
	key   string // its family
	first int    // line
	last  work
	times int
	edits []string // since it failed last: what was tried before did not help
	setup []string // commands that passed since then and may have changed something
	lines []string
}

// A fix is a failure and what was different when it passed. The same again makes it
// surer, not another one.
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

// room says whether one more may be counted, and notes if not, for the report.
func (h *harvester) room(n int) bool {
	h.full = h.full || n >= harvestKeys
	return n < harvestKeys
}

func (h *harvester) take(w *work) {
	h.open = slices.DeleteFunc(h.open,
		func(a *attempt) bool { return w.seq-a.last.seq > harvestWindow })
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
	default:
		return
	}
	whole := vague(shown(w.command))
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
	b.lines = once(b.lines, w.passedLine(), 8)
}

func (h *harvester) trouble(w *work) {
	if w.wrong == "" || dullError.MatchString(w.wrong) {
		return
	}
	key := vague(w.wrong)
	t := h.errs[key]
	if t == nil {
		if !h.room(len(h.errs)) {
			return
		}
		t = &trouble{first: w.line, example: w.wrong}
		h.errs[key] = t
	}
	t.count++
	t.last = w.line
	where := cmp.Or(oneLine(w.command, 80), oneLine(w.tool, 80))
	t.where = once(t.where, where, 3)
	t.lines = once(t.lines, w.failedLine(where), 8)
}

func (h *harvester) failed(w *work, key string) {
	line := w.failedLine(oneLine(w.command, 80))
	for _, a := range h.open {
		if a.key == key && a.last.cwd == w.cwd {
			a.last, a.edits, a.setup = *w, nil, nil
			a.times++
			a.lines = once(a.lines, line, 4)
			return
		}
	}
	h.open = append(h.open, &attempt{key: key, first: w.line, last: *w,
		times: 1, lines: []string{line}})
}

func (h *harvester) passed(w *work, key string) {
	h.open = slices.DeleteFunc(h.open, func(a *attempt) bool {
		if a.key != key || a.last.cwd != w.cwd {
			return false
		}
		if len(a.edits)+len(a.setup) == 0 && shown(a.last.command) == shown(w.command) {
			return true // it passed by itself: nothing to learn of it
		}
		id := key + "\x00" + vague(a.last.wrong)
		if f := h.fixes[id]; f != nil {
			f.again++
		} else if h.room(len(h.fixes)) {
			h.fixes[id] = &fix{attempt: *a, passed: *w}
		}
		return true
	})
}

// once appends s unless it is there, or there are enough: evidence is to be read.
func once(list []string, s string, limit int) []string {
	if s == "" || len(list) >= limit || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
