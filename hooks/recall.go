package hooks

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/board/words"
	"blackboard/kb"
)

const (
	// maxQuery is how much of a prompt is searched for, in bytes: a log that was pasted says no more with its end.
	maxQuery = 2000
	// minPrompt is how many letters a prompt needs to ask for anything.
	minPrompt = 8
)

// query is what is searched for a prompt: nothing of it that is private or a secret leaves this process.
func (t *turn) query() string {
	if t.e.Continuation {
		return ""
	}
	return strings.TrimSpace(clip(clean(t.e.Prompt), maxQuery))
}

// fillers are the words of prompts that only say how to go on.
var fillers = sync.OnceValue(func() []string {
	return strings.Fields(`a again ahead all alright and are as awesome correct continue cool do does done exactly fine for go going good got great i in
	is it keep know let lets looks me more my next nice no nope now of ok okay on one perfect please proceed ready right
	so sounds stop sure thank thanks that the then there this to try two up wait well works yeah yep yes you your lgtm y n`)
})

// trivial says whether a prompt asks for nothing that could be known: it is too short, a command of the harness, or says only how to go on.
func trivial(prompt string) bool {
	if prompt == "" || prompt == withheld {
		return true
	}
	if first, _, _ := strings.Cut(prompt, " "); strings.ContainsRune("/!", rune(first[0])) && !strings.ContainsAny(first[1:], "/.") {
		return true // a path has another slash, or a dot
	}
	letters, count := 0, 0
	for _, w := range words.Split(prompt, "") {
		letters += utf8.RuneCountInString(w)
		if !slices.Contains(fillers(), strings.TrimSuffix(w, "'s")) {
			count++
		}
		if len(w) > utf8.RuneCountInString(w) { // in scripts without spaces a character says as much as some letters
			letters += utf8.RuneCountInString(w)
		}
	}
	return letters < minPrompt || count == 0
}

// recall is what is known about a prompt: the capsules that pass the gate and were not given in this session yet, and the run's open signals that are for this worker.
func (t *turn) recall(ctx context.Context, ask string) string {
	if t.suppressed() {
		return ""
	}
	given, err := openSeen(t.Home, t.e.Session)
	t.note("read what the session has seen", err)
	r := newRoom(t.budget(t.depth.Budget))
	var parts, ids []string
	if part, signals := t.signals(ctx, r, given); part != "" {
		parts, ids = append(parts, part), signals
	}
	recalled, noted := t.recollect(ctx, r, ask, given)
	hits, err := t.lookup(ctx, kb.Query{Text: ask, Floor: t.depth.Floor}, given, t.items(t.depth.Items))
	t.note("search", err)
	if part, found := t.capsules(r, "## Known about this (`board kb get ID` shows all of one)", hits); part != "" {
		parts, ids = append([]string{part}, parts...), append(ids, found...)
		defer t.keep(ctx, retrieval(board.ByPrompt, "", hits, found)) // no prompt is kept
	}
	if recalled != "" {
		parts, ids = append(parts, recalled), append(ids, noted...)
	}
	if len(ids) > 0 {
		if given.Started.IsZero() {
			given.Started = t.now
		}
		given.add(ids...)
		t.save(given)
	}
	return text.Framed(parts)
}

// budget is how many tokens the answer may have.
func (t *turn) budget(standard int) int {
	if t.Budget > 0 {
		return t.Budget
	}
	return standard
}

// items is how many capsules the answer may have.
func (t *turn) items(standard int) int {
	if t.Limit > 0 {
		return t.Limit
	}
	return standard
}
