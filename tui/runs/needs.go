package runs

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// How pressing what a run waits for is, the most pressing first.
const (
	cannotRead = iota
	workerSilent
	questionFree    // and nobody works on it
	questionClaimed // somebody does
	gateClosed
	reportFailed
	workerAwaited // and has said something lately
	reportReady   // since today
	nothingNew
)

// readyFor is how long an open gate is news, goneAfter when an untouched run is left alone.
const (
	readyFor  = 24 * time.Hour
	goneAfter = 7 * 24 * time.Hour
)

// pressing returns how pressing a run is: one of the values above.
func pressing(r *board.Info, now time.Time) int {
	if r.Error != "" {
		return cannotRead
	}
	if all := needed(r, now); len(all) > 0 && now.Sub(r.Updated) < goneAfter {
		return urgency(&all[0], now)
	}
	return nothingNew
}

func urgency(n *board.Need, now time.Time) int {
	switch n.Kind {
	case board.NeedWorker:
		if n.Silent(now) {
			return workerSilent
		}
		return workerAwaited
	case board.NeedQuestion:
		if n.Claimed == "" {
			return questionFree
		}
		return questionClaimed
	case board.NeedGate:
		return gateClosed
	case board.NeedFailed:
		return reportFailed
	}
	if n.Since != nil && now.Sub(*n.Since) < readyFor {
		return reportReady
	}
	return nothingNew
}

func needed(r *board.Info, now time.Time) []board.Need {
	all := slices.Clone(r.Needs)
	slices.SortStableFunc(all, func(a, b board.Need) int { return urgency(&a, now) - urgency(&b, now) })
	return all
}

func (p *List) summary() string {
	st, now := p.app.Styles, p.app.Now()
	var wait, ready int64
	for i := range p.infos {
		switch at := pressing(&p.infos[i], now); {
		case at < workerAwaited:
			wait++
		case at == reportReady:
			ready++
		}
	}
	var parts []string
	if wait > 0 {
		verb := " need you"
		if wait == 1 {
			verb = " needs you"
		}
		parts = append(parts, st.Bad.Render(cells.Count(wait)+" of "+cells.Plural(int64(len(p.infos)), "run")+verb))
	} else if len(p.infos) > 0 {
		parts = append(parts, "no run needs you")
	}
	if ready > 0 {
		parts = append(parts, st.Good.Render(cells.Plural(ready, "report")+" may be written"))
	}
	return " " + strings.Join(parts, st.Faint.Render(" · "))
}

// row is a run in a line: its gate, its age, and what it needs most, else its goal.
func (p *List) row(i, w int) string {
	st, r := p.app.Styles, &p.shown[i]
	name := 8
	for i := range p.shown {
		name = max(name, cells.Width(p.shown[i].Run))
	}
	name = min(name, max(w/3, 14)) // keep room for what it needs
	if r.Error != "" {
		return cells.Fit(st.Bad.Render("✗ ")+cells.FitName(r.Run, name)+" "+st.Bad.Render(cells.OneLine(r.Error, w)), w)
	}
	light, gate := st.Bad.Render("●"), st.Bad.Render("closed "+cells.Count(int64(r.Reasons)))
	if r.Open {
		light, gate = st.Good.Render("●"), st.Good.Render("open")
	}
	words := st.Faint.Render(cells.OneLine(r.Goal, page.RowRunes))
	if now := p.app.Now(); pressing(r, now) < nothingNew {
		words = p.say(&needed(r, now)[0])
	}
	return cells.Fit(light+" "+page.Columns(cells.FitName(r.Run, name), cells.Fit(gate, 9),
		cells.Right(cells.Ago(r.Updated, p.app.Now()), 4), " "+words), w)
}

// say is a need in a few words.
func (p *List) say(n *board.Need) string {
	st := p.app.Styles
	text := cells.OneLine(n.Content, page.RowRunes)
	switch n.Kind {
	case board.NeedWorker:
		name := cells.ShortName(n.Worker, 40)
		if n.Silent(p.app.Now()) {
			return st.Bad.Render(name + " silent " + cells.Ago(*n.Since, p.app.Now()))
		}
		return "waits for " + name
	case board.NeedQuestion:
		if n.Claimed != "" {
			text += st.Faint.Render(", " + cells.ShortName(n.Claimed, 40) + " works on it")
		}
		return st.Warn.Render(n.ID+" "+n.Priority) + " " + text
	case board.NeedFailed:
		return st.Bad.Render(text) + st.Faint.Render(", "+cells.Since(*n.Since, p.app.Now()))
	case board.NeedReport:
		return st.Good.Render(text)
	}
	return text
}

func (p *List) describe() {
	r := p.at()
	if r == nil {
		p.Doc.SetLines(nil)
		return
	}
	if p.described != r.Run {
		p.described, p.Doc.Top = r.Run, 0
	}
	x := cells.NewWriter(p.app.Styles, p.Right.W)
	for _, text := range []string{r.Goal, r.Error} {
		if text != "" {
			x.Text(text, "")
		}
	}
	if all := needed(r, p.app.Now()); len(all) > 0 {
		x.Heading("Needs")
		for i := range all {
			to := all[i].ID
			if all[i].Kind == board.NeedFailed {
				to = toCheck
			}
			x.Link("  "+p.say(&all[i]), to)
		}
		if more := r.Reasons - len(all); more > 0 {
			x.Line(p.app.Styles.Faint.Render("  and " + cells.Count(int64(more)) + " more"))
		}
	}
	x.Line("")
	x.Field("entries", cells.Count(r.Entries))
	x.Field("questions", cells.Count(r.OpenSignal)+" open")
	x.Field("workers", cells.Count(int64(r.Workers)))
	x.Field("last event", cells.Since(r.Updated, p.app.Now()))
	x.Field("began", cells.Since(r.Created, p.app.Now()))
	p.Doc.SetLines(x.Lines)
}

// toCheck stands for the check of a run where the id of an entry may stand.
const toCheck = "check"

// tell sends notifications about what has changed since the runs were read before. A run on the
// screen is not told in the line of the keys. A run that was not known tells nothing.
func (p *List) tell(before, after []board.Info) tea.Cmd {
	was := map[string]*board.Info{}
	for i := range before {
		was[before[i].Run] = &before[i]
	}
	var all, inside []page.Notification
	for i := range after {
		news := p.news(was[after[i].Run], &after[i])
		if was[after[i].Run] == nil {
			continue
		}
		all = append(all, news...)
		if at, ok := p.app.Shown.(page.RunPlace); !ok || at.Run() != after[i].Run {
			inside = append(inside, news...)
		}
	}
	return tea.Batch(p.app.Tell(all), p.app.TellInside(inside))
}

// news returns what is new of a run since it was read before; was is nil if it was not.
func (p *List) news(was, r *board.Info) (all []page.Notification) {
	add := func(kind, text string) {
		all = append(all, page.Notification{Kind: kind, Text: cells.OneLine(r.Run, 60) + ": " + text})
	}
	if was != nil && r.Open && !was.Open {
		add("gate", "the gate is open")
	}
	for i := range r.Needs {
		n, now := &r.Needs[i], p.app.Now()
		known := was != nil && slices.ContainsFunc(was.Needs, func(o board.Need) bool {
			return o.Kind == n.Kind && o.ID == n.ID && o.Content == n.Content
		})
		if n.Worker == p.app.Worker {
			continue
		}
		if n.Priority == "critical" && !known {
			add("critical", n.ID+" is critical: "+cells.OneLine(n.Content, page.MaxNotice))
		}
		if n.Kind == board.NeedFailed && !known {
			add("failed", cells.OneLine(n.Content, page.MaxNotice))
		}
		if n.Kind != board.NeedWorker {
			continue
		}
		if of := r.Run + "\n" + n.Worker; !n.Silent(now) {
			delete(p.toldSilent, of)
		} else if !p.toldSilent[of] {
			p.toldSilent[of] = true
			add("silent", cells.OneLine(n.Worker, 60)+" has been silent for "+cells.Ago(*n.Since, now))
		}
	}
	return all
}
