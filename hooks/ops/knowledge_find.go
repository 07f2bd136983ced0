package ops

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb"
)

type KBPlaces struct {
	Kinds    []string `json:"kinds,omitempty" enum:"kinds" flag:"kind" rare:"true"`
	Scopes   []string `json:"scopes,omitempty" enum:"scopes" flag:"scope" rare:"true"`
	Tags     []string `json:"tags,omitempty" flag:"tag,tags" commas:"no" jsonschema:"with all of these"`
	Domains  []string `json:"domains,omitempty" flag:"domain" rare:"true" cli:"has one of these domains"`
	Projects []string `json:"projects,omitempty" only:"cli" flag:"project" commas:"no" cli:"of one of these"`
	Here     bool     `json:"here,omitempty" jsonschema:"only this workspace"`
}

func (f *KBPlaces) List(h Knowledge) (kb.ListQuery, error) {
	q, err := f.query(h)
	return kb.ListQuery{Kinds: q.Kinds, Scopes: q.Scopes, Tags: q.Tags, DomainTags: q.DomainTags,
		Workspaces: q.Workspaces, Projects: q.Projects}, err
}

// KBFilters say which capsules are meant, and whether old ones are.
type KBFilters struct {
	KBPlaces
	Superseded bool `json:"superseded,omitempty" rare:"true" cli:"superseded ones too"`
	Retired    bool `json:"retired,omitempty" only:"cli" cli:"retired ones too"`
	All        bool `json:"all,omitempty" only:"cli" cli:"superseded and retired ones too"`
}

func (f *KBFilters) query(h Knowledge) (kb.Query, error) {
	q, err := f.KBPlaces.query(h)
	q.Superseded, q.Retired = f.Superseded || f.All, f.Retired || f.All
	return q, err
}

func (f *KBPlaces) query(h Knowledge) (q kb.Query, err error) {
	q = kb.Query{Kinds: f.Kinds, Scopes: f.Scopes, Tags: f.Tags, DomainTags: f.Domains, Projects: f.Projects}
	if q.Workspace, err = h.Place(); err != nil || !f.Here {
		return q, err
	}
	if q.Workspace == "" {
		return q, fault.Usage.New("here is nobody's project", "name another workspace, or leave it out")
	}
	q.Workspaces = []string{q.Workspace}
	return q, nil
}

func (f *KBPlaces) any() bool {
	return len(f.Kinds)+len(f.Scopes)+len(f.Tags)+len(f.Domains)+len(f.Projects) > 0 || f.Here
}

type KBListIn struct {
	KBFilters
	Before string `json:"before,omitempty" value:"CAPSULE" cli:"only those older than this one: the next page"`
	Limit  int    `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" cli:"at most this many; 0: all"`
}

type KBListOut struct {
	Capsules []kb.Capsule `json:"capsules"`
	More     bool         `json:"more"`
}

func (o KBListOut) IDs() []string {
	return op.Each(o.Capsules, func(x *kb.Capsule) string { return x.ID })
}

var KBList = op.Op[Knowledge, KBListIn, KBListOut]{
	Info: op.Info{Command: "kb list", Short: "list capsules, newest first"},
	Do: func(ctx context.Context, h Knowledge, in KBListIn) (out KBListOut, err error) {
		q, err := in.List(h)
		if err != nil {
			return out, err
		}
		q.Superseded, q.Retired = in.Superseded || in.All, in.Retired || in.All
		q.Before, q.Limit, out.Capsules = in.Before, in.Limit, []kb.Capsule{}
		err = h.KB(ctx, Read, false, func(k *kb.KB) error {
			all, more, err := k.List(ctx, q)
			out.Capsules, out.More = append(out.Capsules, all...), more
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o KBListOut) {
		newest(p, o.Capsules, o.More, "no capsules found", func(c *kb.Capsule) string { return c.ID },
			func(c *kb.Capsule) string {
				return fmt.Sprintf("%s  %s  %-12s  %s%s", c.ID, c.Created.Format(time.DateOnly), c.Kind,
					p.Line(c.Title, 120), p.Paint(op.Yellow, capsuleMarks(c)))
			})
	},
}

type KBSearchIn struct {
	Query string `json:"query,omitempty" needs:"mcp" arg:"QUESTION | -" as:"question" jsonschema:"specific words"`
	KBFilters
	OnRun
	Mode     string  `json:"mode,omitempty" enum:"modes" flag:"mode,m" default:"auto" rare:"true" cli:"auto is hybrid if there is a model"`
	Limit    int     `json:"limit,omitempty" min:"1" max:"1000" flag:"limit,n" value:"N" default:"10" rare:"true" cli:"at most this many"`
	MinScore float64 `json:"min_score,omitempty" only:"mcp" min:"0" max:"1" rare:"true"`
	Gate     bool    `json:"unasked,omitempty" flag:"gate" rare:"true" jsonschema:"only a confident match" cli:"answer only with a confident match: at most 3 hits of about the same score"`
	NoDocs   bool    `json:"no_docs,omitempty" only:"cli" cli:"leave out sections of documents"`
	Explain  bool    `json:"explain,omitempty" only:"cli" flag:"explain,x" cli:"say where each hit's score comes from"`
	Full     bool    `json:"full,omitempty" rare:"true" jsonschema:"whole bodies"`
	NoMMR    bool    `json:"no_mmr,omitempty" only:"cli" hidden:"true" cli:"by relevance alone: near copies stand side by side"`
	Cut      bool    `json:"cut,omitempty" only:"cli" flag:"-"`
	op.Given
}

// QuestionCut is said of a question that was longer than what is read.
const QuestionCut = "the question has more than 1 MiB: only its first 1048576 bytes are searched for"

type FoundOut struct {
	kb.Result
	in    KBSearchIn
	place string
}

// SearchOut is what was found, or, without a question, what the filters let through.
type SearchOut struct {
	*FoundOut
	*KBListOut
}

func (o SearchOut) IDs() []string {
	if o.FoundOut == nil {
		return o.KBListOut.IDs()
	}
	return op.Each(o.Hits, func(h *kb.Hit) string { return h.ID })
}

var KBSearch = op.Op[Knowledge, KBSearchIn, SearchOut]{
	Info: op.Info{Command: "kb search", Tool: "kb_search", Profile: "knowledge", Need: KBRead,
		Budget: 4000, Shows: []string{"query", "here"},
		Short: "find capsules by words and by meaning",
		About: "Search what earlier runs verified, before you guess. Hits are " +
			"candidates to check.",
		Long: `Any text is a question, also from a pipe (-). Filters apply before
ranking. Capsules of your workspace rank a little higher. --gate answers only with a
confident match, for hooks and other callers that answer unasked; board kb calibrate
measures the threshold.`},
	Do: func(ctx context.Context, h Knowledge, in KBSearchIn) (out SearchOut, err error) {
		if strings.TrimSpace(in.Query) == "" && in.any() {
			all, err := KBList.Do(ctx, h, KBListIn{in.KBFilters, "", in.Limit})
			return SearchOut{KBListOut: &all}, err
		}
		if !in.Has("query") {
			return out, fault.Usage.New("no question is given", "give it as an argument, or pipe it in")
		}
		q, err := in.query(h)
		if err != nil {
			return out, err
		}
		q.Text, q.Mode, q.Limit, q.Floor = in.Query, in.Mode, in.Limit, in.MinScore
		q.Gate, q.Explain, q.NoMMR = in.Gate, in.Explain, in.NoMMR
		q.NoDocs = in.NoDocs || in.Gate && len(q.Kinds) == 0 // as the threshold is measured
		if in.Gate && !in.Has("limit") {
			q.Limit = kb.RecallLimit
		}
		if in.Gate && !in.Has("min_score") {
			q.Floor = kb.RecallFloor
		}
		if err := q.Check(); err != nil {
			return out, err
		}
		out.FoundOut = &FoundOut{in: in, place: q.Workspace}
		if out.Result, err = h.Search(ctx, q); err != nil {
			return out, err
		}
		given := make([]board.Given, len(out.Hits))
		for i := range out.Hits {
			x := &out.Hits[i]
			given[i] = board.Given{ID: x.ID, Score: x.Score, Evidence: x.Evidence}
		}
		err = h.Gave(ctx, in.Run, board.Retrieval{Way: board.BySearch, Task: q.Text, Capsules: given})
		if in.Cut {
			out.Degraded = append([]string{QuestionCut}, out.Degraded...)
		}
		return out, err
	},
	Text: func(p *op.Page, o SearchOut) {
		if o.FoundOut == nil {
			KBList.Text(p, *o.KBListOut)
			return
		}
		shown := op.FirstRows(p, o.Hits)
		for i := range shown {
			printFound(p, &shown[i], o.FoundOut)
		}
		if len(shown) < len(o.Hits) {
			cut(p, fmt.Sprintf("%d of %d are shown", len(shown), len(o.Hits)))
		}
		for _, e := range o.Expanded {
			p.Note(fmt.Sprintf("note: searched for %s instead of %s", p.Line(strings.Join(e.Terms, ", "),
				200), p.Line(e.Missing, 80)))
		}
		if p.Shorten != nil && len(o.Missing) > 0 {
			p.Note("no capsule has: " + p.Text(strings.Join(o.Missing, ", "), 200, "", ""))
		}
		for _, d := range o.Degraded {
			p.Note("note: " + d)
		}
		switch {
		case o.Gated:
			p.Note(fmt.Sprintf("no confident match: the best hit has an evidence of %.2f, and the "+
				"threshold is %.2f", o.Evidence, o.Threshold))
		case len(o.Hits) == 0 && p.Shorten != nil:
			p.Note(fmt.Sprintf("nothing found among %d capsules", o.Total))
		case len(o.Hits) == 0:
			p.Note("no capsules found")
		}
	},
}

func printFound(p *op.Page, h *kb.Hit, o *FoundOut) {
	score := fmt.Sprintf("%.2f", h.Score)
	if h.Weak { // the best of them has 1, which would say that it is good
		score = p.Paint(op.Yellow, "weak")
	}
	p.Printf("%s  %s  %-12s  %s%s\n", h.ID, score, h.Kind, p.Paint(op.Bold, p.Line(h.Title, 120)),
		p.Paint(op.Yellow, capsuleMarks(&h.Capsule)))
	if o.in.Full {
		p.Printf("%s\n", p.Whole(h.Body, "       | ", "kb.get", h.ID))
	} else {
		p.Printf("       | %s\n", p.Text(h.Snippet, 400, "kb.get", h.ID))
	}
	if h.Source != "" {
		p.Printf("       @ %s\n", p.Paint(op.Dim, p.Text(h.Cite(), 190, "kb.get", h.ID)))
	}
	if p.Shorten != nil {
		printPlace(p, h, o.place)
	}
	if !o.in.Explain {
		return
	}
	var why []string
	if h.BM25Score > 0 {
		why = append(why, fmt.Sprintf("bm25 %.2f%s", h.BM25Score, rankMark(h.BM25Rank)))
	}
	if h.CosineScore != nil {
		why = append(why, fmt.Sprintf("cosine %.3f%s", *h.CosineScore, rankMark(h.VectorRank)))
	}
	why = append(why, fmt.Sprintf("rrf %.4f", h.RRFScore), fmt.Sprintf("evidence %.2f", h.Evidence))
	why = append(why, h.Boosts...)
	p.Printf("       = %s\n", strings.Join(why, ", "))
	var terms []string
	for _, t := range h.Terms {
		terms = append(terms, fmt.Sprintf("%s %.2f", p.Line(t.Term, 60), t.Score))
	}
	if len(terms) > 0 {
		p.Printf("       = words: %s\n", strings.Join(terms, ", "))
	}
}

// printPlace tells a model how far a hit holds, which a person sees by its place.
func printPlace(p *op.Page, h *kb.Hit, here string) {
	said := "scope " + h.Scope + ", of " + h.Updated.Format(time.DateOnly)
	if h.Confidence != nil && *h.Confidence >= 0.5 {
		said += fmt.Sprintf(", confidence %g", *h.Confidence)
	}
	if tags := op.FirstRows(p, h.Tags); len(tags) > 0 {
		said += ", tags " + p.Line(strings.Join(tags, ", "), 200)
	}
	if h.Workspace != "" && h.Workspace != here {
		said += ", from another project: " + p.Line(h.Workspace, 300)
	}
	p.Printf("       = %s\n", said)
}

func rankMark(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (#%d)", n)
}

func capsuleMarks(c *kb.Capsule) string {
	s := ""
	if c.SupersededBy != "" {
		s += "  superseded by " + c.SupersededBy
	}
	if c.Retired != nil {
		s += "  retired"
	}
	if c.Confidence != nil && *c.Confidence < 0.5 {
		s += fmt.Sprintf("  confidence %g", *c.Confidence)
	}
	return s
}

type KBGetIn struct {
	ID string `json:"id" arg:"CAPSULE" jsonschema:"from kb_search"`
}

type KBGetOut struct {
	Capsule kb.Capsule   `json:"capsule"`
	Given   *board.Usage `json:"given,omitempty"`
}

var KBGet = op.Op[Knowledge, KBGetIn, KBGetOut]{
	Info: op.Info{Command: "kb get", Tool: "kb_get", Profile: "knowledge", Need: KBRead, Budget: 4000,
		Short: "show a capsule", About: "One capsule whole, by id."},
	Do: func(ctx context.Context, h Knowledge, in KBGetIn) (out KBGetOut, err error) {
		err = h.KB(ctx, ReadOne, false, func(k *kb.KB) (err error) {
			if out.Capsule, err = k.Retrieve(ctx, in.ID); err == nil {
				out.Given, err = h.Usage(ctx, k, &out.Capsule)
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o KBGetOut) {
		if o.Given != nil && len(o.Given.Unread) > 0 {
			p.Note("note: cannot tell whether it was given to " + strings.Join(o.Given.Unread, ", ") +
				": their boards cannot be read; `board doctor` says why")
		}
		printCapsule(p, &o.Capsule, o.Given)
	},
}

// printCapsule prints a capsule, and the runs that it was given to, where that is known.
func printCapsule(p *op.Page, c *kb.Capsule, g *board.Usage) {
	row := column(p, 11)
	line := func(s string) string { return p.Text(s, 300, "", "") }
	p.Printf("%s  %s\n", c.ID, p.Paint(op.Bold, p.Line(c.Title, 300)))
	row("kind", c.Kind)
	row("scope", c.Scope)
	row("workspace", line(c.Workspace))
	row("project", line(c.Project))
	row("tags", line(strings.Join(op.FirstRows(p, c.Tags), ", ")))
	row("domains", line(strings.Join(op.FirstRows(p, c.DomainTags), ", ")))
	row("source", line(c.Source))
	if c.Confidence != nil {
		row("confidence", strconv.FormatFloat(*c.Confidence, 'g', -1, 64))
	}
	row("verified by", line(c.VerifiedBy))
	row("refs", line(strings.Join(op.FirstRows(p, c.Refs), ", ")))
	row("supersedes", line(strings.Join(op.FirstRows(p, c.Supersedes), ", ")))
	if c.SupersededBy != "" {
		row("superseded", p.Paint(op.Yellow, "by "+c.SupersededBy))
	}
	if c.Retired != nil {
		why := seconds(*c.Retired) + ": " + p.Text(c.RetiredWhy, 200, "", "")
		row("retired", p.Paint(op.Yellow, strings.TrimSuffix(why, ": ")))
	}
	row("created", seconds(c.Created))
	if !c.Updated.Equal(c.Created) {
		row("updated", fmt.Sprintf("%s, revision %d", seconds(c.Updated), c.Revision))
	}
	row("embedding", c.Model)
	if g != nil {
		row("given", g.Describe())
		for i := range g.Runs {
			u := &g.Runs[i]
			p.Printf("  %s  %s, last %s: %s\n", p.Line(u.Run, 100), text.Count(u.Times, "time", "times"),
				seconds(u.Last), p.Line(u.Outcome(), 400))
		}
	}
	p.Printf("\n%s\n", p.Whole(c.Body, "  | ", "", ""))
}
