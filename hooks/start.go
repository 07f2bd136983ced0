package hooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
	"blackboard/kb"
)

// warmFloor is the least evidence of a capsule at a session's start, as a share of the
// best one's.
const warmFloor = 0.7

const reminder = "## Durable knowledge\n`board kb search \"…\"` finds what earlier sessions " +
	"verified. `board kb remember` stores what this one verifies and others will need; " +
	"`board help capsules` says what belongs there. `board topic note \"…\"` is for notes that " +
	"only the next session on this topic needs."

// start returns the start page, or what is new of it for a resumed session: what the
// work is about, what was done, what is known, and what holds in every session. Parts
// that do not fit are left out from the end, but each of the first three leaves some
// room for those after it.
func (t *turn) start(ctx context.Context, h *harness.Harness) string {
	given, err := openSession(t.Home, t.e.Session)
	t.logError("read the session's state", err)
	t.beginSession(h, given)
	defer t.saveState(given)
	switch {
	case t.suppressed():
		return ""
	case t.e.Kind == harness.SessionStart && !h.Hears(t.e.Source):
		given.Owed = h.Injects(harness.Prompt)
		return ""
	}
	forgetOld(t.Home, t.now)
	r := newRoom(t.startBudget())
	// take reserves the space of a part that is new.
	take := func(name, part string) string {
		if part != "" && !given.hasPart(name, part) && r.take(part) {
			given.setPart(name, part)
			return part
		}
		return ""
	}
	checks, err := readPrefix(t.Env)
	t.logError("read prefix.txt", err)
	remind := reminder
	run, nudge := take("run", t.gate(ctx)), take("nudge", t.topicHint())
	ample := len(checks)+len(remind) <= r.left/4
	if ample {
		checks, remind = take("checks", checks), take("reminder", remind)
	}
	parts := t.topicParts(ctx, r, given)
	if !ample {
		checks, remind = take("checks", checks), take("reminder", remind)
	}
	parts = append(slices.Insert(parts, 1, run), nudge, checks, remind)
	given.Told = t.now
	return text.Framed(slices.DeleteFunc(parts, func(part string) bool { return part == "" }))
}

// markOwed records first of all that the next prompt gets the start page, in case this
// event takes too long. start takes it back.
func (t *turn) markOwed(h *harness.Harness) {
	if !h.Injects(harness.Prompt) {
		return
	}
	given, err := openSession(t.Home, t.e.Session)
	if err != nil {
		return // start logs the error
	}
	t.beginSession(h, given)
	given.Owed = true
	t.saveState(given)
}

// beginSession records when the session starts, and forgets what is no longer in its
// context.
func (t *turn) beginSession(h *harness.Harness, given *sessionState) {
	starts := t.e.Kind == harness.SessionStart
	goesOn := starts && (t.e.Source == harness.Resume || t.e.Source == "")
	if given.Started.IsZero() || starts && (t.e.Source == harness.Startup || t.e.Source == "") {
		given.Started = t.now
	}
	switch {
	case t.e.Kind == harness.Prompt: // an earlier event has forgotten it
	case !goesOn || !h.Replays(harness.Prompt):
		given.forget(false)
	case !h.Replays(harness.SessionStart):
		given.Begun, given.Told = nil, time.Time{}
	}
	given.Owed = false
}

// startBudget returns the start page's upper limit in tokens. A start page that comes
// with a prompt leaves the prompt its own budget.
func (t *turn) startBudget() int {
	if t.e.Kind == harness.Prompt {
		return t.budget(min(t.depth.StartBudget, MaxBudget-t.depth.Budget))
	}
	return t.budget(t.depth.StartBudget)
}

// topicParts returns the topic's spec, its worklog, capsules and memories.
func (t *turn) topicParts(ctx context.Context, r *room, given *sessionState) []string {
	var s topics.Startup
	var about, named string // without a spec the memory is searched by the topic's name
	if t.topics != nil && t.topic.Name != "" {
		var err error
		s, err = t.topics.Startup(t.topic, t.limits(r))
		t.logError("read the topic", err)
		if !s.CleanRoom {
			about, named = t.topicQuery(), t.topic.NameWords(t.branch)
		}
	}
	entries := t.newEntries(s.Worklog, given)
	log := len(worklog(&room{r.left}, entries)) // the most that it can take
	kept := min(log, t.depth.TailBytes)
	r.left -= kept
	topic := t.spec(r, s, given)
	hits := t.searchTopic(ctx, about, given)
	left := r.left + kept - min(len(hits)*t.depth.BodyBytes, r.left/4) // for memory and worklog
	share := min(tokenBytes*t.depth.MemoryBudget, left*2/5)
	recalled := t.startMemory(ctx, r, cmp.Or(about, named), given, max(left-log, share))
	known := t.topicCapsules(ctx, r, hits, topic+recalled, given)
	r.left += kept
	return []string{topic, worklog(r, entries), known, recalled}
}

// newEntries drops worklog entries that are in the context already: those up to the
// last start page, and the session's own, which are in its conversation.
func (t *turn) newEntries(entries []topics.Entry, given *sessionState) []topics.Entry {
	resumed := t.e.Kind == harness.SessionStart && t.e.Source == harness.Resume
	if given.Told.IsZero() && !resumed {
		return entries
	}
	own := clean(t.e.Session)
	return slices.DeleteFunc(entries, func(e topics.Entry) bool {
		return e.Session == own || !e.Time.After(given.Told)
	})
}

// limits returns the limits of the topic's part, within the room that is left.
func (t *turn) limits(r *room) topics.StartupLimits {
	left := max(1, r.left)
	return topics.StartupLimits{
		SpecBytes: min(topics.DefaultSpecBytes, left), Full: topics.FullContext(t.Env),
		TailEntries: t.depth.TailEntries, TailBytes: left,
	}
}

// spec returns what is new of the topic's spec: all of it, or its most important part
// and its path.
func (t *turn) spec(r *room, s topics.Startup, given *sessionState) (part string) {
	if t.topic.Name == "" || s.Spec+s.Pointer == "" && !t.topic.Explicit {
		return ""
	}
	heading := "## Topic " + oneLine(t.topic.Name, topics.MaxName)
	if t.branch != "" {
		heading += ", branch " + oneLine(t.branch, 100)
	}
	if s.CleanRoom {
		heading += "\nThis is a review: findings of earlier sessions are left out, so that " +
			"you judge afresh."
	}
	says := heading + s.Spec + s.Pointer
	if given.hasPart("spec", says) {
		return ""
	}
	defer func() {
		if part != "" {
			given.setPart("spec", says)
		}
	}()
	if s.Spec+s.Pointer == "" {
		heading += "\nIt has no spec yet; `board topic note \"…\"` starts one."
		if !r.take(heading) {
			return ""
		}
		return heading
	}
	if whole := heading + "\n" + quoted(clean(s.Spec)); s.Pointer == "" {
		if r.take(whole) {
			return whole
		}
		limits := t.limits(r)
		limits.SpecBytes = max(1, min(len(s.Spec)-1, r.left/2))
		var err error
		s, err = t.topics.Startup(t.topic, limits)
		t.logError("read the topic", err)
	}
	pointer := "\n" + oneLine(s.Pointer, 1500)
	if part = heading + "\n" + quoted(clean(s.Spec)) + pointer; s.Spec != "" && r.take(part) {
		return part
	}
	if part = heading + pointer; r.take(part) {
		return part
	}
	return ""
}

// worklog returns the worklog in short, as far as it fits, the oldest entry first.
func worklog(r *room, entries []topics.Entry) string {
	const heading, mark = "## Recent work on this topic, by this or earlier sessions (UTC)", "\n| "
	room := r.left - len(heading) - 2 - len(entries)*(len(mark)-1)
	if room <= 0 {
		return ""
	}
	lines := ""
	for _, e := range topics.Choose(entries, 0, room) {
		lines += mark + oneLine(e.String(), maxLine)
	}
	if lines == "" || !r.take(heading+lines) {
		return ""
	}
	return heading + lines
}

// maxLine is the longest worklog line in a start page, in bytes.
const maxLine = 1000

// topicHint says how a session with a topic of its own can hand over to the next
// session.
func (t *turn) topicHint() string {
	if t.topics == nil || t.topic.Explicit || t.topic.Name != "" &&
		t.topic.Kind != topics.KindSession {
		return ""
	}
	return "## Topic\nNo topic is pinned in this workspace, so later sessions do not see this " +
		"session's notes. `board topic use NAME --goal \"…\"` changes that."
}

// searchTopic searches for what is surely about the topic, by words. After the first
// start page it returns only capsules that are newer.
func (t *turn) searchTopic(ctx context.Context, about string, given *sessionState) []kb.Hit {
	if t.depth.WarmItems == 0 || about == "" {
		return nil
	}
	begin := time.Now()
	hits, err := t.lookup(ctx, kb.Query{Text: about, Mode: kb.ModeBM25, Floor: warmFloor}, given,
		t.items(t.depth.WarmItems))
	if err != nil {
		t.logError(fmt.Sprintf("search, after %s", time.Since(begin).Round(time.Millisecond)), err)
	}
	return slices.DeleteFunc(hits, func(h kb.Hit) bool {
		return !given.Told.IsZero() && !h.Updated.After(given.Told)
	})
}

// topicCapsules lists capsules about the topic, without those whose text the page has
// already.
func (t *turn) topicCapsules(ctx context.Context, r *room, hits []kb.Hit, said string,
	given *sessionState) string {
	said = strings.Join(strings.Fields(said), " ")
	hits = slices.DeleteFunc(hits, func(h kb.Hit) bool {
		return h.Body != "" && strings.Contains(said, oneLine(h.Body, len(said)+1))
	})
	const heading = "## Known about this topic (`board kb get ID` shows one in full)"
	part, ids := t.capsules(r, heading, hits)
	given.addStart(ids...)
	t.recordGiven(ctx, retrievalOf(board.ByStart, "topic "+t.topic.Name, hits, ids))
	return part
}

// topicQuery returns a query about the topic; "" if it has no spec.
func (t *turn) topicQuery() string {
	spec, err := t.topics.Spec(t.topic.Name)
	if t.logError("read the topic", err); err != nil || !spec.Exists || spec.TooLong {
		return ""
	}
	return strings.TrimSpace(clip(t.topic.Query(clean(spec.Text), t.branch), maxQuery))
}

// forgetGiven forgets what was given, because it is no longer in the context. With
// owed, no session start follows, and the next prompt gets the start page.
func (t *turn) forgetGiven(owed bool) {
	given, err := openSession(t.Home, t.e.Session)
	t.logError("read the session's state", err)
	if len(given.ids()) > 0 {
		given.forget(owed)
		t.logError("save the session's state", given.save())
	}
}

// startOwed reports whether the context was lost and no start page was given since.
func (t *turn) startOwed() bool {
	given, _ := openSession(t.Home, t.e.Session) // the event that writes it logs the error
	return given.Owed
}
