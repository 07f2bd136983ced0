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

// warmFloor is what a capsule must have of the best one's evidence to be given at a session's start.
const warmFloor = 0.7

const reminder = "## Durable knowledge\n`board kb search \"…\"` finds what earlier sessions verified. `board kb remember` keeps what this one verifies and others will need; " +
	"`board help capsules` says what belongs there. `board topic note \"…\"` is for what only the next session on this topic needs."

// start is what a session starts with, or what is new to one that goes on with its context: what the
// work is about, what was done, what is known, and what holds in each session. By that order what
// has no room is left out, but each of the first three leaves some for those after it.
func (t *turn) start(ctx context.Context, h *harness.Harness) string {
	given, err := openSeen(t.Home, t.e.Session)
	t.note("read what the session has seen", err)
	t.begin(h, given)
	defer t.save(given)
	switch {
	case h.Records() || t.suppressed():
		return ""
	case t.e.Kind == harness.SessionStart && !h.Hears(t.e.Source):
		given.Owed = h.Injects(harness.Prompt)
		return ""
	}
	forgetOld(t.Home, t.now)
	r := newRoom(t.startBudget())
	// take takes the place of a part that is new.
	take := func(name, part string) string {
		if part != "" && !given.told(name, part) && r.take(part) {
			given.tell(name, part)
			return part
		}
		return ""
	}
	checks, err := prefix(t.Env)
	t.note("the prefix", err)
	remind := reminder
	run, nudge := take("run", t.gate(ctx)), take("nudge", t.nudge())
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

// owe notes, before anything else is done, that the next prompt gets the start: this one may take
// too long. Once it is there, start takes that back.
func (t *turn) owe(h *harness.Harness) {
	if !h.Injects(harness.Prompt) {
		return
	}
	given, err := openSeen(t.Home, t.e.Session)
	if err != nil {
		return // start will say so
	}
	t.begin(h, given)
	given.Owed = true
	t.save(given)
}

// begin notes when the session starts, and forgets of what was given what is not in its context.
func (t *turn) begin(h *harness.Harness, given *seen) {
	starts := t.e.Kind == harness.SessionStart
	goesOn := starts && (t.e.Source == harness.Resume || t.e.Source == "")
	if given.Started.IsZero() || starts && (t.e.Source == harness.Startup || t.e.Source == "") {
		given.Started = t.now
	}
	switch {
	case t.e.Kind == harness.Prompt: // the start that it makes up for has forgotten it
	case !goesOn || !h.Replays(harness.Prompt):
		given.lost(false)
	case !h.Replays(harness.SessionStart):
		given.Begun, given.Told = nil, time.Time{}
	}
	given.Owed = false
}

// startBudget is how many tokens a start may have. One that comes with a prompt leaves the
// prompt its own.
func (t *turn) startBudget() int {
	if t.e.Kind == harness.Prompt {
		return t.budget(min(t.depth.StartBudget, MaxBudget-t.depth.Budget))
	}
	return t.budget(t.depth.StartBudget)
}

// topicParts are the topic's spec, its worklog, and what the knowledge base and the memory have.
func (t *turn) topicParts(ctx context.Context, r *room, given *seen) []string {
	var s topics.Startup
	var about, named string // without a spec the names do for the memory
	if t.topics != nil && t.topic.Name != "" {
		var err error
		s, err = t.topics.Startup(t.topic, t.limits(r))
		t.note("the topic", err)
		if !s.CleanRoom {
			about, named = t.about(), t.topic.Named(t.branch)
		}
	}
	entries := t.unseen(s.Worklog, given)
	log := len(worklog(&room{r.left}, entries)) // what it takes at most
	kept := min(log, t.depth.TailBytes)
	r.left -= kept
	topic := t.spec(r, s, given)
	hits := t.known(ctx, about, given)
	left := r.left + kept - min(len(hits)*t.depth.BodyBytes, r.left/4) // for memory and worklog
	share := min(tokenBytes*t.depth.MemoryBudget, left*2/5)
	recalled := t.remembered(ctx, r, cmp.Or(about, named), given, max(left-log, share))
	known := t.warm(ctx, r, hits, topic+recalled, given)
	r.left += kept
	return []string{topic, worklog(r, entries), known, recalled}
}

// unseen are the entries of a worklog that are not in the context: of others, since it was given.
// What a session did itself is in its conversation, which is there again when it is resumed.
func (t *turn) unseen(entries []topics.Entry, given *seen) []topics.Entry {
	resumed := t.e.Kind == harness.SessionStart && t.e.Source == harness.Resume
	if given.Told.IsZero() && !resumed {
		return entries
	}
	own := clean(t.e.Session)
	return slices.DeleteFunc(entries, func(e topics.Entry) bool {
		return e.Session == own || !e.Time.After(given.Told)
	})
}

// limits of what the topic gives, within the room that there is.
func (t *turn) limits(r *room) topics.StartupLimits {
	left := max(1, r.left)
	return topics.StartupLimits{
		SpecBytes: min(topics.DefaultSpecBytes, left), Full: topics.FullContext(t.Env),
		TailEntries: t.depth.TailEntries, TailBytes: left,
	}
}

// spec tells what is new of the topic's spec: all of it, or what matters most and where it is.
func (t *turn) spec(r *room, s topics.Startup, given *seen) (part string) {
	if t.topic.Name == "" || s.Spec+s.Pointer == "" && !t.topic.Explicit {
		return ""
	}
	heading := "## Topic " + oneLine(t.topic.Name, topics.MaxName)
	if t.branch != "" {
		heading += ", branch " + oneLine(t.branch, 100)
	}
	if s.CleanRoom {
		heading += "\nA review: what earlier sessions found was left out, so that it is judged anew."
	}
	says := heading + s.Spec + s.Pointer
	if given.told("spec", says) {
		return ""
	}
	defer func() {
		if part != "" {
			given.tell("spec", says)
		}
	}()
	if s.Spec+s.Pointer == "" {
		heading += "\nNobody has written its spec: `board topic note \"…\"` begins it."
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
		t.note("the topic", err)
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

// worklog tells what the worklog comes to, as far as there is room, the oldest entry first.
func worklog(r *room, entries []topics.Entry) string {
	const heading, mark = "## Done lately on this topic, by this or earlier sessions (UTC)", "\n| "
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

// maxLine is the longest line of a worklog that is told.
const maxLine = 1000

// nudge says how a session that has a topic of its own can hand on to the next.
func (t *turn) nudge() string {
	if t.topics == nil || t.topic.Explicit || t.topic.Name != "" && t.topic.Kind != topics.KindSession {
		return ""
	}
	return "## Topic\nNo later session starts with what this one leaves, since nothing says what it is about: " + oneLine(t.topic.Why, 200) +
		". `board topic use NAME --goal \"…\"` names a topic that later sessions go on with."
}

// known asks what is surely about the topic, by words; once a start was given, what is new of it.
func (t *turn) known(ctx context.Context, about string, given *seen) []kb.Hit {
	if t.depth.WarmItems == 0 || about == "" {
		return nil
	}
	begin := time.Now()
	hits, err := t.lookup(ctx, kb.Query{Text: about, Mode: kb.ModeBM25, Floor: warmFloor}, given, t.items(t.depth.WarmItems))
	if err != nil {
		t.note(fmt.Sprintf("search, after %s", time.Since(begin).Round(time.Millisecond)), err)
	}
	return slices.DeleteFunc(hits, func(h kb.Hit) bool {
		return !given.Told.IsZero() && !h.Updated.After(given.Told)
	})
}

// warm tells what is known about the topic, without what was said already.
func (t *turn) warm(ctx context.Context, r *room, hits []kb.Hit, said string, given *seen) string {
	said = strings.Join(strings.Fields(said), " ")
	hits = slices.DeleteFunc(hits, func(h kb.Hit) bool {
		return h.Body != "" && strings.Contains(said, oneLine(h.Body, len(said)+1))
	})
	const heading = "## Known about this topic (`board kb get ID` shows all of one)"
	part, ids := t.capsules(r, heading, hits)
	given.start(ids...)
	t.keep(ctx, retrieval(board.ByStart, "topic "+t.topic.Name, hits, ids))
	return part
}

// about is what the topic is about, as a question; "" if nobody has written a spec.
func (t *turn) about() string {
	spec, err := t.topics.Spec(t.topic.Name)
	if t.note("the topic", err); err != nil || !spec.Exists || spec.TooLong {
		return ""
	}
	return strings.TrimSpace(clip(t.topic.About(clean(spec.Text), t.branch), maxQuery))
}

// compacted forgets what was given: it is not in the context any more. Where no start of the session
// follows, the next prompt gets it if owed.
func (t *turn) compacted(owed bool) {
	given, err := openSeen(t.Home, t.e.Session)
	t.note("read what the session has seen", err)
	if len(given.all()) > 0 {
		given.lost(owed)
		t.note("note what was given", given.save())
	}
}

// owed says whether the context was lost, and nobody has given the start since.
func (t *turn) owed() bool {
	given, _ := openSeen(t.Home, t.e.Session) // whoever writes it says what is wrong
	return given.Owed
}
