package hooks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"blackboard/board"
	"blackboard/board/words"
	"blackboard/kb"
)

const (
	// maxQuery is the part of a prompt that is searched for, in bytes: a log's end adds nothing.
	maxQuery = 2000
	// minPrompt is the fewest letters with which a prompt can ask for anything.
	minPrompt = 8
)

// query is the search text of a prompt, without private parts and secrets: none may leave here.
func (t *turn) query() string {
	if t.e.Continuation {
		return ""
	}
	return strings.TrimSpace(clip(clean(t.e.Prompt), maxQuery))
}

// fillers are words that only tell the agent how to go on.
var fillers = sync.OnceValue(func() []string {
	return strings.Fields(`a again ahead all alright and are as awesome correct continue cool do
	does done exactly fine for go going good got great i in is it keep know let lets looks me more
	my next nice no nope now of ok okay on one perfect please proceed ready right so sounds stop
	sure thank thanks that the then there this to try two up wait well works yeah yep yes you your
	lgtm y n`)
})

// trivial reports whether a prompt asks for nothing that can be known: it is too short,
// is a command of the harness, or only says how to go on.
func trivial(prompt string) bool {
	if prompt == "" || prompt == privateMark {
		return true
	}
	if first, _, _ := strings.Cut(prompt, " "); strings.ContainsRune("/!", rune(first[0])) &&
		!strings.ContainsAny(first[1:], "/.") {
		return true // a command; a path would have another slash or a dot
	}
	letters, count := 0, 0
	for _, w := range words.Split(prompt, "") {
		letters += utf8.RuneCountInString(w)
		if !slices.Contains(fillers(), strings.TrimSuffix(w, "'s")) {
			count++
		}
		// In scripts without spaces a character says as much as several letters.
		if len(w) > utf8.RuneCountInString(w) {
			letters += utf8.RuneCountInString(w)
		}
	}
	return letters < minPrompt || count == 0
}

// recall returns what is known about a prompt: capsules that pass the gate and are new
// to the session, memories, and the run's open signals for this worker.
func (t *turn) recall(ctx context.Context, ask string) string {
	if t.suppressed() {
		return ""
	}
	given := t.openSession()
	r := t.sessionRoom(t.budget(t.depth.Budget), given)
	var parts, ids []string
	if part, signals := t.signals(ctx, r, given); part != "" {
		parts, ids = append(parts, part), signals
		t.gave("questions for this worker", part, "open, claimed by it or addressed to it")
	}
	if t.clean() {
		t.leftOut("capsules and memory about the prompt", "", cleanRoom)
		return t.answer(parts, ids, given)
	}
	recalled, noted := t.recallMemory(ctx, r, ask, given)
	hits, err := t.lookup(ctx, kb.Query{Text: ask, Floor: t.depth.Floor},
		given, t.items(t.depth.Items))
	t.logError("search", err)
	if part, found := t.listCapsules(r, "## Known about this (`board kb get ID` shows one in full)",
		hits); part != "" {
		parts, ids = append([]string{part}, parts...), append(ids, found...)
		// The board gets nothing of the prompt's text.
		defer t.recordGiven(ctx, retrievalOf(board.ByPrompt, "", hits, found))
	}
	if recalled != "" {
		parts, ids = append(parts, recalled), append(ids, noted...)
	}
	return t.answer(parts, ids, given)
}

// answer frames what a prompt is given, and remembers it.
func (t *turn) answer(parts, ids []string, given *sessionState) string {
	told := t.framed(parts, given)
	if len(ids) > 0 {
		if given.Started.IsZero() {
			given.Started = t.now
		}
		given.addPrompt(ids...)
		t.saveState(given)
	}
	return told
}

func (t *turn) budget(standard int) int { return cmp.Or(max(t.Budget, 0), standard) }

func (t *turn) items(standard int) int { return cmp.Or(max(t.Limit, 0), standard) }
