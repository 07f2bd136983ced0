package hooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// warmFloor is a session start's least evidence of a capsule, as a share of the best one's.
const warmFloor = 0.7

const reminder = "`board kb search` before guessing; `board kb remember` what is verified."

// start returns the start page, or what is new of it for a resumed session: what keeps the
// gate closed, what is remembered, the critical first, what the work is about, what was
// done, what is known, and what holds in every session.
func (t *turn) start(ctx context.Context, h *harness.Harness) string {
	given := t.openSession()
	t.beginSession(h, given)
	defer t.saveState(given)
	switch {
	case t.suppressed():
		return ""
	case t.e.Kind == harness.SessionStart && !h.Hears(t.e.Source):
		given.Owed = h.Injects(harness.Prompt)
		return ""
	}
	if !t.Preview {
		forgetOld(t.Home, t.now)
	}
	r := t.sessionRoom(t.startBudget(), given)
	// take reserves the space of a part that is new.
	take := func(name, part, why string) string {
		switch {
		case part == "":
		case given.hasPart(name, part):
			t.leftOut(name, part, givenOnce)
		case !r.take(part):
			t.leftOut(name, part, noRoom)
		default:
			given.setPart(name, part)
			t.gave(name, part, why)
			return part
		}
		return ""
	}
	checks, err := readPrefix(t.Env)
	t.logError("read prefix.txt", err)
	run := take("run", t.gate(ctx), "the run of $BOARD_RUN")
	nudge := take("nudge", t.topicHint(), "no topic outlasts this session")
	moved := take("moved", t.adoptHint(), "this repository is known from elsewhere")
	remind, rules := reminder, "your prefix.txt, or the program's own rules"
	ample := len(checks)+len(remind) <= r.left/4
	if ample {
		checks, remind = take("checks", checks, rules), take("reminder", remind, "fixed text")
	}
	parts := t.topicParts(ctx, r, given)
	if !ample {
		checks, remind = take("checks", checks, rules), take("reminder", remind, "fixed text")
	}
	parts = append(slices.Insert(parts, 0, run, moved), nudge, checks, remind)
	given.Told = t.now
	return t.framed(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), given)
}

// markOwed records first that the next prompt gets the start page, in case time runs out.
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

// beginSession records the session's start, and forgets what left its context.
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

// startBudget is the start page's limit in tokens; one with a prompt leaves the prompt its own.
func (t *turn) startBudget() int {
	if t.e.Kind == harness.Prompt {
		return t.budget(min(t.depth.StartBudget, MaxBudget-t.depth.Budget))
	}
	return t.budget(t.depth.StartBudget)
}

// topicParts returns the topic's memories, spec, worklog and capsules, "" for each that is left out. The memory has its
// share before the spec, which would push out what is critical; the worklog keeps some lines.
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
	hits := t.searchTopic(ctx, about, given)
	capsules := min(len(hits)*t.depth.BodyBytes, r.left/4)
	share := min(tokenBytes*t.depth.MemoryBudget, (r.left-capsules)*2/5)
	recalled := ""
	if t.clean() {
		t.leftOut("memory, journal and capsules", "", cleanRoom)
	} else {
		recalled = t.startMemory(ctx, r, cmp.Or(about, named), given,
			max(r.left-capsules-log-len(s.Spec)*9/8, share))
	}
	r.left -= kept
	topic := t.spec(r, s, given)
	known := t.topicCapsules(ctx, r, hits, topic+recalled, given)
	r.left += kept
	work := worklog(r, entries)
	t.told("worklog", work, len(entries) > 0, "the latest work on this branch")
	return []string{recalled, topic, work, known}
}

// told notes that a part is given or, if it is empty although there was something to show, that it had no room.
func (t *turn) told(what, part string, some bool, why string) {
	switch {
	case part != "":
		t.gave(what, part, why)
	case some:
		t.leftOut(what, part, noRoom)
	}
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
		SpecBytes:   min(topics.DefaultSpecBytes, left),
		TailEntries: t.depth.TailEntries, TailBytes: left,
	}
}

// spec returns what is new of the topic's spec: all, or its most important part and its path.
func (t *turn) spec(r *room, s topics.Startup, given *sessionState) (part string) {
	if t.topic.Name == "" || s.Spec+s.Pointer == "" && !t.topic.Explicit && !s.CleanRoom {
		return ""
	}
	heading := "## Topic " + oneLine(t.topic.Name, topics.MaxName)
	if t.branch != "" {
		heading += ", branch " + oneLine(t.branch, 100)
	}
	why := "the topic of this session: " + t.topic.Why
	if s.CleanRoom {
		heading += "\nA review: judge afresh. Earlier findings, memory and journal are left out."
	}
	says := heading + s.Spec + s.Pointer
	if given.hasPart("spec", says) {
		t.leftOut("topic", says, givenOnce)
		return ""
	}
	defer func() {
		if t.told("topic", part, true, why); part != "" {
			given.setPart("spec", says)
		}
	}()
	if s.Spec+s.Pointer == "" {
		if !s.CleanRoom {
			heading += "\nIt has no spec yet; `board topic note \"…\"` starts one."
		}
		if !r.take(heading) {
			return ""
		}
		return heading
	}
	said := clean(s.Spec)
	if whole := heading + "\n" + quoted(added(given.Spec, said)); s.Pointer == "" && r.take(whole) {
		given.Spec = lineIDs(strings.Split(said, "\n"))
		return whole
	}
	// Quoted lines are longer, so less than the room may fit.
	for left := r.left; left > len(heading); left = left * 4 / 5 {
		limits := t.limits(r)
		limits.SpecBytes = max(1, min(left-len(heading), len(s.Spec)+len(s.Pointer)-1))
		some, err := t.topics.Startup(t.topic, limits)
		if t.logError("read the topic", err); err != nil {
			break
		}
		pointer := "\n" + oneLine(some.Pointer, 1500)
		if part = heading + "\n" + quoted(clean(some.Spec)) + pointer; some.Spec != "" && r.take(part) {
			return part
		}
		s = some
	}
	if part = heading + "\n" + oneLine(s.Pointer, 1500); r.take(part) {
		return part
	}
	return ""
}

// added returns the lines of a spec that the session was not given with the one before, of which
// it has the lines' ids; all lines if one of those is gone.
func added(before []string, spec string) string {
	lines := strings.Split(spec, "\n")
	ids := lineIDs(lines)
	if slices.ContainsFunc(before, func(id string) bool { return !slices.Contains(ids, id) }) {
		return spec
	}
	return cmp.Or(strings.Trim(strings.Join(slices.DeleteFunc(lines,
		func(l string) bool { return slices.Contains(before, partID("", l)) }), "\n"), "\n"), spec)
}

// worklog returns the worklog in short, as far as it fits, the oldest entry first.
func worklog(r *room, entries []topics.Entry) string {
	const heading, mark = "## Recent work (UTC)", "\n| "
	room := r.left - len(heading) - 2 - len(entries)*(len(mark)-1)
	if room <= 0 {
		return ""
	}
	lines, before := "", time.Time{}
	for _, e := range topics.Choose(entries, 0, room) {
		lines += mark + oneLine(e.Brief(before), maxLine)
		before = e.Time
	}
	if lines == "" || !r.take(heading+lines) {
		return ""
	}
	return heading + lines
}

// maxLine is the longest worklog line in a start page, in bytes.
const maxLine = 1000

// topicHint says how a session with a topic can hand over to the next.
func (t *turn) topicHint() string {
	if t.pinProblem != "" {
		return "## Topic\nThe pin is not used: " + oneLine(t.pinProblem, 300) +
			". `board topic use NAME` mends it."
	}
	if t.topics == nil || t.topic.Explicit || t.topic.Name != "" &&
		t.topic.Kind != topics.KindSession {
		return ""
	}
	return "## Topic\nNone is pinned: later sessions do not see this one's notes. " +
		"`board topic use NAME --goal \"…\"` changes that."
}

// adoptHint offers what another place knows of this repository, while this one has no memory.
func (t *turn) adoptHint() string {
	if t.workspace == "" || t.clean() || memory.HasMemory(t.Home, t.workspace) {
		return ""
	}
	root, _ := topics.Root(t.Env)
	places := slices.DeleteFunc(kbhome.Elsewhere(t.Home, t.workspace), func(dir string) bool {
		return !memory.HasMemory(t.Home, dir) && !topics.HasAny(root, dir)
	})
	if len(places) == 0 {
		return ""
	}
	return "## Known elsewhere\nThis repository is known as " + oneLine(places[0], 300) +
		" (same first commit and remote). Nothing of that is here until a person runs " +
		"`board memory adopt` in this directory."
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

// topicCapsules lists capsules about the topic whose text the page has not yet.
func (t *turn) topicCapsules(ctx context.Context, r *room, hits []kb.Hit, said string,
	given *sessionState) string {
	said = strings.Join(strings.Fields(said), " ")
	hits = slices.DeleteFunc(hits, func(h kb.Hit) bool {
		return h.Body != "" && strings.Contains(said, oneLine(h.Body, len(said)+1))
	})
	const heading = "## Known about this topic (`board kb get ID` shows one in full)"
	part, ids := t.listCapsules(r, heading, hits)
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
	given := t.openSession()
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
