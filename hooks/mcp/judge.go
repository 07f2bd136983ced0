package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/board/survival"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

func (s *Server) addJudgeTools() {
	add(s, tool{Tool: "board_gate", Short: "May the synthesis begin?",
		Profile: ProfileRun, Kind: reads, Budget: glanceTokens,
		About: "May the synthesis begin? Names what keeps the gate closed, and how to clear it."},
		(*call).gate)
	add(s, tool{Tool: "board_survival", Short: "Does the text carry what was found?",
		Profile: ProfileRun, Kind: reads, Budget: usualTokens,
		About: "Does a text carry all that must surface? Names what it lacks."}, (*call).survival)
	add(s, tool{Tool: "board_wait", Short: "Wait for something on the board", Profile: ProfileRun,
		Kind:  reads,
		About: "Wait until the gate opens, a question closes, or anything happens."},
		(*call).wait)
}

type gateIn struct {
	ops.OnRun
	Block         []string `json:"block,omitempty" enum:"priorities" jsonschema:"default critical and high" rare:"true"`
	MaxOpen       *int64   `json:"max_open,omitempty" min:"0" rare:"true"`
	MaxDisputed   *int64   `json:"max_disputed,omitempty" min:"0" rare:"true"`
	MinEntries    int64    `json:"min_entries,omitempty" min:"0" rare:"true"`
	RequireSource bool     `json:"require_source,omitempty" rare:"true"`
	Verified      bool     `json:"require_verified,omitempty" rare:"true"`
	Evidence      bool     `json:"require_evidence,omitempty" rare:"true"`
	MaxConflicts  *int64   `json:"max_conflicts,omitempty" min:"0" rare:"true"`
}

type reasonOut struct {
	Rule     string `json:"rule"`
	ID       string `json:"id"`
	Priority string `json:"priority,omitempty"`
	Content  string `json:"content,omitempty"`
	Claimed  string `json:"claimed_by,omitempty"`
	Clear    string `json:"clear" jsonschema:"what would clear it"`
}

type gateOut struct {
	Run     string      `json:"run"`
	Open    bool        `json:"open"`
	Reasons []reasonOut `json:"reasons" jsonschema:"30 at most"`
	Left    int         `json:"further_reasons"`
	Seq     int64       `json:"seq" jsonschema:"the event up to which it was judged"`
}

// mostReasons is how many reasons and missing items an answer lists.
const mostReasons = 30

func (k cut) gate(v *board.Verdict) gateOut {
	reasons := some(k, v.Reasons[:min(len(v.Reasons), mostReasons)])
	return gateOut{Run: v.Run, Open: v.Open, Seq: v.Seq, Left: len(v.Reasons) - len(reasons),
		Reasons: each(reasons, func(r *board.Reason) reasonOut {
			return reasonOut{r.Rule, r.ID, r.Priority, k.text(r.Content, "board_show", r.ID),
				r.Claimed, r.Clear}
		})}
}

// gateSaid is the answer about a gate.
func (c *call) gateSaid(v *board.Verdict) (gateOut, string) {
	v.In(c.words(nil))
	return fitted(c, func(k cut) (gateOut, string) {
		out := k.gate(v)
		return out, out.text()
	})
}

func (g *gateOut) text() string {
	if g.Open {
		return fmt.Sprintf("The gate of %s is open.", g.Run)
	}
	lines := []string{fmt.Sprintf("The gate of %s is closed:", g.Run)}
	for _, r := range g.Reasons {
		line := "- " + strings.TrimSpace(r.Rule+" "+r.ID)
		if r.Priority != "" {
			line += " [" + r.Priority + "]"
		}
		if r.Content != "" {
			line += " " + inLine(r.Content)
		}
		if r.Claimed != "" {
			line += " (claimed by " + inLine(r.Claimed) + ")"
		}
		lines = append(lines, line+"; to clear it: "+r.Clear)
	}
	if g.Left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", g.Left))
	}
	return strings.Join(lines, "\n")
}

// over is a policy with what the call asks for in its place.
func (in *gateIn) over(p board.Policy) board.Policy {
	if in.Block != nil {
		p.Block = in.Block
	}
	p.MaxOpen, p.MaxDisputed = cmp.Or(in.MaxOpen, p.MaxOpen), cmp.Or(in.MaxDisputed, p.MaxDisputed)
	p.MaxConflicts, p.MinEntries = cmp.Or(in.MaxConflicts, p.MaxConflicts),
		cmp.Or(in.MinEntries, p.MinEntries)
	p.RequireSource = p.RequireSource || in.RequireSource
	p.RequireVerified, p.RequireEvidence = p.RequireVerified || in.Verified, p.RequireEvidence ||
		in.Evidence
	return p.ForCall()
}

func (c *call) gate(in gateIn) (out gateOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		by, err := c.Policy(c.ctx, b)
		if err != nil {
			return err
		}
		v, err := b.Gate(c.ctx, in.over(by.Gate))
		if err != nil {
			return err
		}
		out, text = c.gateSaid(&v)
		return nil
	})
	return out, text, err
}

type survivalIn struct {
	ops.OnRun
	Text      string   `json:"text,omitempty" jsonschema:"the draft"`
	Files     []string `json:"files,omitempty" jsonschema:"or files and directories of it"`
	MinItems  int      `json:"min_items,omitempty" min:"0" rare:"true"`
	Semantic  bool     `json:"semantic,omitempty" rare:"true"`
	MinCosine float64  `json:"min_cosine,omitempty" min:"0" max:"1" default:"0.9" rare:"true"`
}

type missingOut struct {
	ID             string   `json:"id"`
	Why            string   `json:"why" jsonschema:"why the text has to carry it"`
	Content        string   `json:"content"`
	Cause          string   `json:"cause" jsonschema:"absent, number differs, contradicted, scattered"`
	MissingTokens  []string `json:"missing_words"`
	MissingNumbers []string `json:"missing_numbers"`
	Nearest        string   `json:"nearest,omitempty" jsonschema:"the passage that comes nearest"`
	Line           int      `json:"line,omitempty"`
	Where          string   `json:"where,omitempty" jsonschema:"its place: line 12, page 3, Totals!B7"`
}

type survivalOut struct {
	Run     string       `json:"run"`
	Passed  bool         `json:"passed"`
	Checked int          `json:"checked"`
	Missing int          `json:"missing"`
	Unsure  []string     `json:"unsure,omitempty" jsonschema:"items that a passage may carry; they do not count as missing"`
	Warning string       `json:"warning,omitempty" jsonschema:"there was nothing, or too little, to look for"`
	Dropped []string     `json:"dropped,omitempty" jsonschema:"what had to surface and need not any more, with who dropped that, and why"`
	Items   []missingOut `json:"items" jsonschema:"what is missing, 30 at most"`
	Skipped []string     `json:"not_read,omitempty" jsonschema:"files of the directories that were not read, 30 at most"`
}

func (c *call) survival(in survivalIn) (out survivalOut, text string, err error) {
	reports, skipped, err := c.reports(&in)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		s, err := b.Survival(c.ctx, reports...)
		if err != nil {
			return err
		}
		if in.Semantic {
			e, done := c.embedder(c.ctx)
			defer done()
			if e == nil {
				return badArgument("leave out semantic",
					"no embedding model is available to compare meaning")
			}
			if err := s.AddMeaning(c.ctx, e, in.MinCosine, reports...); err != nil {
				return err
			}
		}
		s.Demand(s.Empty, in.MinItems)
		out, text = fitted(c, func(k cut) (survivalOut, string) {
			out := k.survival(&s)
			for _, f := range some(k, skipped[:min(len(skipped), mostReasons)]) {
				out.Skipped = append(out.Skipped, k.text(f.Reason, "", ""))
			}
			return out, out.text()
		})
		return nil
	})
	return out, text, err
}

// survival is as much of a check as there is room for.
func (k cut) survival(s *survival.Result) survivalOut {
	out := survivalOut{Run: s.Run, Passed: s.Passed, Checked: s.Checked, Missing: s.Missing,
		Unsure: s.UnsureIDs(), Warning: s.Warning, Items: []missingOut{}}
	for _, d := range some(k, s.Dropped[:min(len(s.Dropped), mostReasons)]) {
		out.Dropped = append(out.Dropped, fmt.Sprintf("%s (%s): dropped by %s with %s: %s", d.ID,
			inLine(board.Line(d.Content, min(200, k.runes))), inLine(d.Worker), d.By,
			inLine(k.text(d.Reason, "board_show", d.By))))
	}
	for i := range s.Items {
		r := &s.Items[i]
		if !r.IsMissing() || len(out.Items) == min(mostReasons, k.items) {
			continue
		}
		m := missingOut{ID: r.ID, Why: r.Why, Content: k.text(r.Content, "board_show", r.ID),
			Cause:         r.Cause,
			MissingTokens: k.words(r.MissingTokens), MissingNumbers: k.words(r.MissingNumbers)}
		if r.Passage != nil {
			m.Nearest, m.Line, m.Where = board.Line(r.Passage.Text, min(200, k.runes)),
				r.Passage.Line, r.Passage.Where
		}
		out.Items = append(out.Items, m)
	}
	return out
}

// words are some of the words that a text lacks.
func (k cut) words(all []string) []string {
	const most = 20
	return each(some(k, all[:min(len(all), most)]), func(w *string) string {
		return fault.Clip(*w, leastRunes)
	})
}

// reports are the texts to check, and the files of directories that are not read.
func (c *call) reports(in *survivalIn) (
	all []*documents.Document, skipped []documents.Skipped, err error) {
	if in.Text != "" {
		r, err := readText(in.Text)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, r)
	}
	if len(in.Files) > 0 {
		if err := c.cfg.Grants.need(Files, "naming files of the server's machine"); err != nil {
			return nil, nil, err
		}
	}
	paths := make([]string, len(in.Files))
	for i, f := range in.Files {
		paths[i] = c.path(f)
	}
	read, skipped, err := documents.OpenAll(paths)
	if err != nil {
		return nil, nil, err
	}
	if all = append(all, read...); len(all) == 0 {
		return nil, nil, badArgument("give text, or files", "there is nothing to check")
	}
	return all, skipped, nil
}

// readText is the text of a call as a document.
func readText(text string) (*documents.Document, error) {
	return documents.Read("text.md", strings.NewReader(text))
}

// path is where a file that a client names is: below the workspace, unless it says
// otherwise.
func (c *call) path(name string) string {
	if filepath.IsAbs(name) || c.workspace() == "" {
		return name
	}
	return filepath.Join(c.workspace(), name)
}

func (s *survivalOut) text() string {
	text := s.verdict()
	for _, d := range s.Dropped {
		text += "\nNeed not surface: " + d
	}
	return text
}

func (s *survivalOut) verdict() string {
	head := fmt.Sprintf("Survival in %s: %d of %d present", s.Run,
		s.Checked-s.Missing-len(s.Unsure), s.Checked)
	if len(s.Unsure) > 0 {
		head += fmt.Sprintf(", %d unsure (a passage may carry them): %s", len(s.Unsure),
			strings.Join(s.Unsure[:min(len(s.Unsure), mostReasons)], ", "))
	}
	switch {
	case s.Passed && s.Warning != "":
		return head + ". Passed, with a warning: " + s.Warning + "."
	case s.Passed:
		return head + ". Passed: words and numbers are there; whether it says what they mean is " +
			"yours to judge."
	case s.Missing == 0:
		return head + ". FAILED: " + s.Warning + "."
	}
	lines := []string{head + ". FAILED; missing:"}
	for _, m := range s.Items {
		line := fmt.Sprintf("- %s (%s, %s): %s", m.ID, m.Why, m.Cause, inLine(m.Content))
		if len(m.MissingNumbers) > 0 {
			line += "\n  numbers not there: " + inLine(strings.Join(m.MissingNumbers, ", "))
		}
		if m.Nearest != "" {
			line += fmt.Sprintf("\n  nearest, %s: %s", inLine(m.Where), inLine(m.Nearest))
		}
		lines = append(lines, line)
	}
	if left := s.Missing - len(s.Items); left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	for _, f := range s.Skipped {
		lines = append(lines, "not read: "+inLine(f))
	}
	return strings.Join(lines, "\n")
}

// list is a list that is never null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// What board_wait waits for.
const (
	waitGate   = "gate"
	waitEvent  = "event"
	waitSignal = "question"
)

type waitIn struct {
	ops.OnRun
	For     string  `json:"for" enum:"waits" jsonschema:"what"`
	ID      string  `json:"id,omitempty" jsonschema:"the question"`
	Since   *int64  `json:"since,omitempty" min:"0" jsonschema:"events after this seq" rare:"true"`
	Limit   int     `json:"limit,omitempty" min:"1" max:"200" default:"20" rare:"true"`
	Timeout float64 `json:"seconds,omitempty" min:"0" max:"300" default:"20" jsonschema:"default 20; most clients give up after 60"`
}

type eventOut struct {
	Seq     int64           `json:"seq"`
	At      string          `json:"at"`
	Actor   string          `json:"actor"`
	Verb    string          `json:"verb"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

type waitOut struct {
	Run      string        `json:"run"`
	Happened bool          `json:"happened"`
	Gate     *gateOut      `json:"gate,omitempty"`
	Signal   *board.Signal `json:"signal,omitempty"`
	Event    *eventOut     `json:"event,omitempty" jsonschema:"the first"`
	Events   []seenOut     `json:"events,omitempty" jsonschema:"all that have happened, the oldest first"`
	Seq      int64         `json:"seq,omitempty" jsonschema:"the last of them: since goes on from there"`
}

// seenOut is one of several events.
type seenOut struct {
	Seq   int64  `json:"seq"`
	Actor string `json:"actor"`
	Verb  string `json:"verb"`
	ID    string `json:"id"`
}

// stillWaiting is how often a waiting call says that it is.
const stillWaiting = 5 * time.Second

func (c *call) wait(in waitIn) (out waitOut, text string, err error) {
	if (in.For == waitSignal) != (in.ID != "") {
		return out, "", badArgument("id goes with for: question",
			"it is not clear what to wait for")
	}
	limit := time.Duration(in.Timeout * float64(time.Second))
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	quiet := c.tell(ctx, limit)
	defer quiet()
	open := func(opening context.Context, dir, run string) (*board.Board, error) {
		b, err := kbhome.Run(opening, dir, run)
		if !errors.Is(err, fault.NotFound) {
			return b, err
		}
		if in.Since == nil { // all that happens on it is new
			in.Since = new(int64)
		}
		b, err = kbhome.AwaitRun(ctx, dir, run)
		if errors.Is(err, fault.NotFound) {
			out.Run, text = run, "There is no run "+run+" yet."
			err = fault.Timeout.New(text, "")
		}
		return b, err
	}
	err = c.withBoard(in.Run, false, open, func(b *board.Board) (err error) {
		out.Run = b.Run()
		switch in.For {
		case waitGate:
			var by policy.File
			if by, err = c.Policy(c.ctx, b); err != nil {
				return err
			}
			var v board.Verdict
			if v, err = b.WaitGate(ctx, by.Gate); err == nil || errors.Is(err, fault.Timeout) &&
				c.ctx.Err() == nil {
				var g gateOut
				g, text = c.gateSaid(&v)
				out.Gate = &g
			}
		case waitSignal:
			var s board.Signal
			if s, err = b.WaitSignal(ctx, in.ID); err == nil {
				page := cut{c, 4 * echoTokens, 1, new(int)}.page(nil)
				out.Signal, text = &s, "Settled: "+ops.SignalLine(page, &s, time.Now())
			}
		case waitEvent:
			after := int64(board.FromNow)
			if in.Since != nil {
				after = *in.Since
			}
			var all []board.Event
			if all, err = b.WaitEvents(ctx, after, in.Limit); err == nil {
				out, text = fitted(c, func(k cut) (waitOut, string) {
					return k.happened(out, all)
				})
			}
		}
		return err
	})
	if err != nil && c.ctx.Err() == nil && (errors.Is(err, fault.Timeout) ||
		errors.Is(err, context.DeadlineExceeded)) {
		return out, strings.TrimSpace(fmt.Sprintf("Not within %g seconds. %s", in.Timeout, text)),
			nil
	}
	out.Happened = err == nil
	return out, text, err
}

// happened notes as many events as there is room for, and writes them for a reader.
func (k cut) happened(o waitOut, all []board.Event) (waitOut, string) {
	e, shown := &all[0], all[:max(1, min(len(all), k.items))]
	o.Event = &eventOut{e.Seq, timeText(e.At), e.Actor, e.Verb, e.ID, k.value(e.Payload)}
	o.Events = each(shown, func(e *board.Event) seenOut {
		return seenOut{e.Seq, e.Actor, e.Verb, e.ID}
	})
	o.Seq = shown[len(shown)-1].Seq
	return o, lines(shown, "\n", "", func(e *board.Event) string { return ops.EventLine(k.page(nil), e) })
}

// tell tells the client now and then that a call is still waiting, until it is called.
func (c *call) tell(ctx context.Context, limit time.Duration) (quiet func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		begin := time.Now()
		for {
			select {
			case <-time.After(stillWaiting):
				c.progress("waiting", int(time.Since(begin).Seconds()), int(limit.Seconds()))
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
