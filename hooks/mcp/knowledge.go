package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/kb/brief"
	"blackboard/kb/secret"
)

func (s *Server) addKnowledgeTools() {
	add(s, tool{Tool: "kb_search", Short: "Search the knowledge base", Profile: ProfileKnowledge,
		Kind: reads, Need: KBRead, Budget: usualTokens,
		About: "Search what earlier runs learned: before a task, and before you guess. Hits are " +
			"candidates to check."}, (*call).search)
	add(s, tool{Tool: "kb_get", Short: "Read a capsule", Profile: ProfileKnowledge, Kind: reads,
		Need: KBRead, Budget: usualTokens,
		About: "Read one capsule whole."}, (*call).get)
	add(s, tool{Tool: "kb_remember", Short: "Remember something for good",
		Profile: ProfileKnowledge, Kind: writes, Need: KBWrite,
		About: "Keep what is verified, lasting and useful to others, with its source. Search " +
			"first; supersede what it replaces."}, (*call).remember)
	add(s, tool{Tool: "kb_brief", Short: "What a role should know", Rare: true,
		Profile: ProfileKnowledge, Kind: reads, Need: KBRead,
		About: "What is known about a task, within a budget, for the prompt of a worker."},
		(*call).brief)
}

type searchIn struct {
	forRun
	Query     string   `json:"query" jsonschema:"specific words"`
	Limit     int      `json:"limit,omitempty" min:"1" max:"50" default:"10" jsonschema:"default 10" rare:"true"`
	Mode      string   `json:"mode,omitempty" enum:"modes" default:"auto" rare:"true"`
	Kinds     []string `json:"kinds,omitempty" enum:"kinds" rare:"true"`
	Scopes    []string `json:"scopes,omitempty" enum:"scopes" rare:"true"`
	Tags      []string `json:"tags,omitempty" jsonschema:"with any of these"`
	Domains   []string `json:"domains,omitempty" rare:"true"`
	Here      bool     `json:"here,omitempty" jsonschema:"only this workspace" rare:"true"`
	Full      bool     `json:"full,omitempty" jsonschema:"whole bodies" rare:"true"`
	MinScore  float64  `json:"min_score,omitempty" min:"0" max:"1" rare:"true"`
	Unasked   bool     `json:"unasked,omitempty" jsonschema:"only a confident match" rare:"true"`
	WithStale bool     `json:"superseded,omitempty" rare:"true"`
}

// hitOut is a capsule found, as agents need it.
type hitOut struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	Scope      string   `json:"scope"`
	Title      string   `json:"title"`
	Text       string   `json:"text,omitempty" jsonschema:"a snippet, or the body if it was asked for"`
	Score      float64  `json:"score" jsonschema:"0 to 1, the best has 1; comparable within this answer only"`
	Cosine     *float64 `json:"cosine,omitempty"`
	Weak       bool     `json:"weak,omitempty" jsonschema:"it may be about something else"`
	Tags       []string `json:"tags,omitempty"`
	Source     string   `json:"source,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	Workspace  string   `json:"workspace,omitempty"`
	Updated    string   `json:"updated"`
}

type searchOut struct {
	Hits     []hitOut `json:"hits"`
	Mode     string   `json:"mode"`
	Degraded []string `json:"degraded" jsonschema:"what could not be done, and why"`
	Missing  []string `json:"missing" jsonschema:"words that no capsule has"`
	Left     int      `json:"left_out,omitempty" jsonschema:"hits that the answer had no room for"`
	Expanded []string `json:"expanded,omitempty" jsonschema:"what was searched for instead of missing words"`
	Total    int64    `json:"total" jsonschema:"capsules in the knowledge base"`
	Gated    bool     `json:"gated" jsonschema:"with unasked: there were hits, but no confident match"`
}

func (c *call) search(in searchIn) (out searchOut, text string, err error) {
	out = searchOut{Hits: []hitOut{}}
	q := kb.Query{Text: in.Query, Limit: in.Limit, Mode: in.Mode, Kinds: in.Kinds,
		Scopes: in.Scopes, Tags: in.Tags, DomainTags: in.Domains, Workspace: c.cfg.Workspace,
		Floor: in.MinScore, Gate: in.Unasked, NoDocs: in.Unasked, Superseded: in.WithStale}
	if in.Here {
		if c.cfg.Workspace == "" {
			return out, "", badArgument("leave out here", "the server belongs to no workspace")
		}
		q.Workspaces = []string{c.cfg.Workspace}
	}
	if err := q.Check(); err != nil {
		return out, "", err
	}
	r, notes, err := c.find(q)
	// the first question of all: there is no answer yet, which is one
	if errors.Is(err, fault.NotFound) {
		r, notes, err = kb.Result{Mode: kb.ModeBM25}, []string{noKB}, nil
	}
	if err != nil {
		return out, "", err
	}
	given := make([]board.Given, len(r.Hits))
	for i := range r.Hits {
		h := &r.Hits[i]
		given[i] = board.Given{ID: h.ID, Score: h.Score, Evidence: h.Evidence}
	}
	c.keep(in.Run, board.Retrieval{Way: board.BySearch, Task: in.Query, Capsules: given})
	out, text = fitted(c, func(k cut) (searchOut, string) {
		out := k.search(&r, in.Full)
		out.Degraded = append(out.Degraded, notes...)
		return out, out.text(c.cfg.Workspace)
	})
	return out, text, nil
}

// search is as much of what was found as there is room for.
func (k cut) search(r *kb.Result, full bool) searchOut {
	hits := some(k, r.Hits)
	out := searchOut{Hits: []hitOut{}, Mode: r.Mode, Degraded: list(r.Degraded),
		Missing: k.words(r.Missing), Total: r.Total, Gated: r.Gated, Left: len(r.Hits) - len(hits)}
	for _, e := range some(k, r.Expanded) {
		out.Expanded = append(out.Expanded,
			k.text(strings.Join(e.Terms, ", ")+" instead of "+e.Missing, "", ""))
	}
	for i := range hits {
		h := &hits[i]
		o := hitOut{ID: h.ID, Kind: h.Kind, Scope: h.Scope, Title: h.Title,
			Text: k.text(h.Snippet, "kb_get", h.ID), Score: h.Score, Cosine: h.CosineScore,
			Weak: h.Weak, Tags: some(k, h.Tags), Source: k.text(h.Cite(), "kb_get", h.ID),
			Confidence: h.Confidence, Workspace: h.Workspace, Updated: timeText(h.Updated)}
		if full {
			o.Text = k.text(h.Body, "kb_get", h.ID)
		}
		out.Hits = append(out.Hits, o)
	}
	return out
}

// noKB is the answer before anything was remembered.
const noKB = "no knowledge base yet; the first kb_remember creates it"

// find searches the knowledge base.
func (c *call) find(q kb.Query) (r kb.Result, notes []string, err error) {
	if c.cfg.Search != nil {
		return c.cfg.Search(c.ctx, q)
	}
	err = c.onKB(kb.OpenExisting, q.Mode != kb.ModeBM25, func(k *kb.KB) (err error) {
		r, err = k.Search(c.ctx, q)
		notes = k.TakeNotes()
		return err
	})
	return r, notes, err
}

// text writes what was found for a reader in a workspace.
func (o *searchOut) text(workspace string) string {
	var b strings.Builder
	for i := range o.Hits {
		h := &o.Hits[i]
		fmt.Fprintf(&b, "%s [%s, %s] %s (score %.2f", h.ID, h.Kind, h.Scope, inLine(h.Title),
			h.Score)
		if h.Confidence != nil {
			fmt.Fprintf(&b, ", confidence %g", *h.Confidence)
		}
		if h.Weak {
			b.WriteString(", weak")
		}
		fmt.Fprintf(&b, ", %s)\n  | %s\n", h.Updated[:len("2006-01-02")], indented(h.Text))
		if h.Source != "" {
			fmt.Fprintf(&b, "  source: %s\n", inLine(h.Source))
		}
		if h.Workspace != "" && h.Workspace != workspace {
			fmt.Fprintf(&b, "  from another project: %s\n", inLine(h.Workspace))
		}
		b.WriteByte('\n')
	}
	switch {
	case o.Left > 0:
		fmt.Fprintf(&b, "There are %d more: ask for fewer with limit, or raise max_tokens.\n",
			o.Left)
	case o.Gated:
		b.WriteString("No confident match.\n")
	case len(o.Hits) == 0:
		fmt.Fprintf(&b, "Nothing found among %d capsules.\n", o.Total)
	}
	if len(o.Missing) > 0 {
		fmt.Fprintf(&b, "No capsule has: %s\n", inLine(strings.Join(o.Missing, ", ")))
	}
	for _, e := range o.Expanded {
		fmt.Fprintf(&b, "Searched for: %s\n", inLine(e))
	}
	for _, d := range o.Degraded {
		fmt.Fprintf(&b, "Note: %s\n", inLine(d))
	}
	return strings.TrimSpace(b.String())
}

// forRun says for which run something is asked.
type forRun struct {
	Run string `json:"run,omitempty" jsonschema:"the run that asks, whose board keeps what was given; default the server's"`
}

// keep notes on the board of a run what was given. A question is answered whatever
// becomes of that, and makes no run; a client that may not write to the run leaves no
// words on its board.
func (c *call) keep(run string, r board.Retrieval) {
	if run = cmp.Or(run, c.cfg.Run); run == "" || len(r.Capsules) == 0 {
		return
	}
	r.Task = secret.Redact(r.Task)
	err := c.onBoard(run, true, func(b *board.Board) error {
		return b.Retrieved(c.ctx, c.worker(""), r)
	})
	if err != nil {
		c.notes = append(c.notes, "what was given is not kept on the board: "+err.Error())
	}
}

type getIn struct {
	ID string `json:"id" jsonschema:"of the capsule"`
}

// capsuleOut is a capsule as agents need it.
type capsuleOut struct {
	ID           string   `json:"id"`
	Kind         string   `json:"kind"`
	Scope        string   `json:"scope"`
	Title        string   `json:"title"`
	Body         string   `json:"body"`
	Tags         []string `json:"tags"`
	Domains      []string `json:"domains"`
	Source       string   `json:"source"`
	Confidence   *float64 `json:"confidence,omitempty"`
	VerifiedBy   string   `json:"verified_by,omitempty"`
	Supersedes   []string `json:"supersedes"`
	SupersededBy string   `json:"superseded_by,omitempty"`
	Refs         []string `json:"refs"`
	Workspace    string   `json:"workspace,omitempty"`
	Project      string   `json:"project,omitempty"`
	Created      string   `json:"created"`
	Updated      string   `json:"updated"`
	Retired      string   `json:"retired,omitempty" jsonschema:"since when it is out of searches"`
	RetiredWhy   string   `json:"retired_why,omitempty"`
	Revision     int      `json:"revision"`
}

func capsuleOf(k *kb.Capsule) capsuleOut {
	out := capsuleOut{ID: k.ID, Kind: k.Kind, Scope: k.Scope, Title: k.Title, Body: k.Body,
		Tags: list(k.Tags), Domains: list(k.DomainTags), Source: k.Source,
		Confidence: k.Confidence, VerifiedBy: k.VerifiedBy,
		Supersedes: list(k.Supersedes), SupersededBy: k.SupersededBy, Refs: list(k.Refs),
		Workspace: k.Workspace, Project: k.Project, Created: timeText(k.Created),
		Updated: timeText(k.Updated), RetiredWhy: k.RetiredWhy, Revision: k.Revision}
	if k.Retired != nil {
		out.Retired = timeText(*k.Retired)
	}
	return out
}

// text writes a capsule for a reader.
func (o *capsuleOut) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n%s [%s, %s]", inLine(o.Title), o.ID, o.Kind, o.Scope)
	if o.Confidence != nil {
		fmt.Fprintf(&b, ", confidence %g", *o.Confidence)
	}
	fmt.Fprintf(&b, ", updated %s\n", o.Updated)
	for _, l := range [][2]string{{"source", o.Source}, {"verified by", o.VerifiedBy},
		{"tags", strings.Join(append(append([]string{}, o.Tags...), o.Domains...), ", ")},
		{"refs", strings.Join(o.Refs, ", ")},
		{"SUPERSEDED by", o.SupersededBy}, {"RETIRED", o.RetiredWhy},
		{"supersedes", strings.Join(o.Supersedes, ", ")}, {"workspace", o.Workspace}} {
		if l[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", l[0], inLine(l[1]))
		}
	}
	return b.String() + "\n  | " + indented(o.Body)
}

func (c *call) get(in getIn) (out capsuleOut, text string, err error) {
	found, err := got(c.onQuietKB, func(k *kb.KB) (kb.Capsule, error) {
		return k.Get(c.ctx, in.ID)
	})
	if err != nil {
		return out, "", err
	}
	out, text = fitted(c, func(k cut) (capsuleOut, string) {
		out := k.capsule(&found)
		return out, out.text()
	})
	return out, text, nil
}

// capsule is as much of a capsule as there is room for.
func (k cut) capsule(of *kb.Capsule) capsuleOut {
	out := capsuleOf(of)
	for _, s := range []*string{&out.Body, &out.Source, &out.VerifiedBy, &out.RetiredWhy} {
		*s = k.text(*s, "", "")
	}
	for _, l := range []*[]string{&out.Tags, &out.Domains, &out.Refs, &out.Supersedes} {
		*l = some(k, *l)
	}
	return out
}

type rememberIn struct {
	Title      string   `json:"title" jsonschema:"what it says, in one line"`
	Body       string   `json:"body" jsonschema:"what holds, for whom, why, how you know"`
	Kind       string   `json:"kind,omitempty" enum:"kinds" default:"fact" jsonschema:"default fact"`
	Scope      string   `json:"scope,omitempty" enum:"scopes" jsonschema:"where it holds; default workspace"`
	Source     string   `json:"source,omitempty" jsonschema:"where it can be checked"`
	Confidence *float64 `json:"confidence,omitempty" min:"0" max:"1" jsonschema:"0 to 1"`
	VerifiedBy string   `json:"verified_by,omitempty" rare:"true"`
	Tags       []string `json:"tags,omitempty" jsonschema:"topics"`
	Domains    []string `json:"domains,omitempty" rare:"true"`
	Project    string   `json:"project,omitempty" rare:"true"`
	Refs       []string `json:"refs,omitempty" rare:"true"`
	Supersedes []string `json:"supersedes,omitempty" jsonschema:"capsules it replaces"`
	Force      bool     `json:"force,omitempty" jsonschema:"though one looks alike" rare:"true"`
	keepSecret
}

type rememberOut struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Warnings []string `json:"warnings"`
	Alike    []string `json:"alike" jsonschema:"ids of capsules that say nearly the same: read them, and supersede if one is enough"`
}

func (c *call) remember(in rememberIn) (out rememberOut, text string, err error) {
	capsule := kb.Capsule{Kind: in.Kind, Scope: in.Scope, Title: in.Title, Body: in.Body,
		Tags: in.Tags, DomainTags: in.Domains, Source: in.Source, Confidence: in.Confidence,
		VerifiedBy: in.VerifiedBy,
		Supersedes: in.Supersedes, Refs: in.Refs, Workspace: c.cfg.Workspace, Project: in.Project}
	err = c.onKB(kb.Open, true, func(k *kb.KB) error {
		r, err := k.Remember(c.ctx, capsule, kb.RememberOptions{KeepSecret: in.KeepSecret})
		var refused *fault.Error
		// for the likeness, not for what looks like a secret
		if in.Force && errors.As(err, &refused) && refused.ID != "" {
			r, err = k.Remember(c.ctx, capsule, kb.RememberOptions{Force: true})
		}
		if err != nil {
			return err
		}
		out = rememberOut{r.Capsule.ID, r.Capsule.Title, list(r.Warnings), []string{}}
		text = fmt.Sprintf("Remembered as %s: %s", out.ID, inLine(out.Title))
		for _, w := range out.Warnings {
			text += "\nNote: " + inLine(w)
		}
		for _, a := range r.Alike {
			out.Alike = append(out.Alike, a.ID)
			text += fmt.Sprintf("\nNote: it is like %s %q", a.ID, inLine(a.Title))
			if len(a.Differ) > 0 {
				text += "; they may differ: " + inLine(strings.Join(a.Differ, "; "))
			}
		}
		return nil
	})
	return out, text, err
}

type briefIn struct {
	forRun
	Task    string `json:"task"`
	Role    string `json:"role,omitempty" enum:"roles"`
	Budget  int    `json:"budget,omitempty" min:"80" max:"4000" default:"600" jsonschema:"tokens"`
	Project string `json:"project,omitempty"`
}

type briefOut struct {
	Block    string   `json:"block,omitempty" jsonschema:"for the prompt; says so if no match is confident; empty without a match"`
	Tokens   int      `json:"tokens"`
	Capsules []string `json:"capsules" jsonschema:"ids of those that are in it"`
	Degraded []string `json:"degraded"`
}

func (c *call) brief(in briefIn) (out briefOut, text string, err error) {
	out.Capsules, out.Degraded = []string{}, []string{}
	if strings.TrimSpace(in.Task) == "" {
		return out, "", badArgument("say what the worker is about to do", "there is no task")
	}
	budget := c.document(in.Budget, 80)
	err = c.onKB(kb.OpenExisting, true, func(k *kb.KB) error {
		r, err := brief.Write(c.ctx, k, brief.Options{Role: in.Role, Task: in.Task, Budget: budget,
			Workspace: c.cfg.Workspace, Project: in.Project, Run: cmp.Or(in.Run, c.cfg.Run)})
		if err != nil {
			return err
		}
		out.Block, out.Tokens, out.Degraded = r.Block, r.Tokens, list(r.Degraded)
		var given []board.Given
		for _, b := range r.Log {
			if b.Included {
				out.Capsules = append(out.Capsules, b.ID)
				given = append(given, board.Given{ID: b.ID, Score: b.Score, Evidence: b.Evidence})
			}
		}
		c.keep(in.Run, board.Retrieval{Way: board.ByBrief, Role: in.Role, Task: in.Task,
			Capsules: given})
		text = noted(cmp.Or(out.Block, "No capsule is about this task."),
			out.Degraded)
		return nil
	})
	if errors.Is(err, fault.NotFound) {
		out.Degraded = []string{noKB}
		return out, "No capsules: " + noKB, nil
	}
	return out, text, err
}
