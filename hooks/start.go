package hooks

import (
	"context"
	"fmt"
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

// start is what a session starts with, or starts with again after a compaction. What has no room is left out, first the worklog, then capsules, then the topic's spec, which is told by its path.
func (t *turn) start(ctx context.Context, h *harness.Harness) string {
	given, err := openSeen(t.Home, t.e.Session)
	t.note("read what the session has seen", err)
	if t.e.Source != harness.Resume { // what was given is not in the context any more, or never was
		given.Given = nil
	}
	if given.Started.IsZero() || t.e.Kind == harness.SessionStart && t.e.Source == harness.Startup {
		given.Started = t.now
	}
	defer func() { t.note("note what was given", given.save()) }()
	forgetOld(t.Home, t.now)
	if h.Records() || t.suppressed() {
		return ""
	}
	r := newRoom(t.budget(t.depth.StartBudget))
	var checks, run, recalled, topic, log, known string
	if checks, err = prefix(t.Env); !r.take(checks) {
		checks = ""
	}
	t.note("the prefix", err)
	if run = t.gate(ctx); !r.take(run) {
		run = ""
	}
	remind, nudge := reminder, t.nudge()
	if !r.take(remind) {
		remind = ""
	}
	if !r.take(nudge) {
		nudge = ""
	}
	var about string
	if t.topics != nil && t.topic.Explicit {
		about = t.about()
	}
	recalled = t.remembered(ctx, r, about, given)
	if t.topics != nil && t.topic.Name != "" {
		started, err := t.topics.Startup(t.topic, t.limits(r))
		t.note("the topic", err)
		topic = t.spec(r, started)
		var ids []string
		if known, ids = t.warm(ctx, r, started, given); known != "" {
			given.add(ids...)
		}
		log = worklog(r, started.Worklog)
	}
	var parts []string
	for _, part := range []string{checks, recalled, topic, log, known, run, nudge, remind} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return text.Framed(parts)
}

// limits of what the topic gives, within the room that there is.
func (t *turn) limits(r *room) topics.StartupLimits {
	return topics.StartupLimits{SpecBytes: min(topics.DefaultSpecBytes, max(1, r.left)), TailEntries: t.depth.TailEntries, TailBytes: t.depth.TailBytes, Full: topics.FullContext(t.Env)}
}

// spec tells the topic's spec, whole, or where it is.
func (t *turn) spec(r *room, s topics.Startup) string {
	heading := "## Topic " + oneLine(t.topic.Name, topics.MaxName)
	if s.CleanRoom {
		heading += "\nA review: what earlier sessions found was left out, so that it is judged anew."
	}
	if s.Spec != "" {
		if part := heading + "\n" + quoted(clean(s.Spec)); r.take(part) {
			return part
		}
		limits := t.limits(r)
		limits.SpecBytes = 1
		short, err := t.topics.Startup(t.topic, limits)
		t.note("the topic", err)
		s.Pointer = short.Pointer
	}
	if s.Pointer != "" {
		if part := heading + "\n" + oneLine(s.Pointer, 1500); r.take(part) {
			return part
		}
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

// warm tells what is known about a topic that somebody has named, by the words of its spec. A review begins without.
func (t *turn) warm(ctx context.Context, r *room, s topics.Startup, given *seen) (part string, ids []string) {
	if t.depth.WarmItems == 0 || !t.topic.Explicit || t.topic.CleanRoom() && s.CleanRoom {
		return "", nil
	}
	text := t.about()
	if text == "" {
		return "", nil
	}
	begin := time.Now()
	hits, err := t.lookup(ctx, kb.Query{Text: text, Mode: kb.ModeBM25, Floor: warmFloor}, given, t.items(t.depth.WarmItems))
	if err != nil {
		t.note(fmt.Sprintf("search, after %s", time.Since(begin).Round(time.Millisecond)), err)
	}
	part, ids = t.capsules(r, "## Known about this topic (`board kb get ID` shows all of one)", hits)
	t.keep(ctx, retrieval(board.ByStart, "topic "+t.topic.Name, hits, ids))
	return part, ids
}

// about is what the topic is about, by its spec; "" if nobody has written one.
func (t *turn) about() string {
	spec, err := t.topics.Spec(t.topic.Name)
	if t.note("the topic", err); err != nil || !spec.Exists || spec.Seeded || spec.TooLong {
		return ""
	}
	return strings.TrimSpace(clip(clean(spec.Text), maxQuery))
}

// compacted forgets what was given: it is not in the context any more.
func (t *turn) compacted() {
	given, err := openSeen(t.Home, t.e.Session)
	t.note("read what the session has seen", err)
	if len(given.Given) > 0 {
		given.Given = nil
		t.note("note what was given", given.save())
	}
}
