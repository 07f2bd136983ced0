package kbcmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/kb"
)

func (p *program) printHit(h *kb.Hit, c *cli.Context) {
	if c.Bool("quiet") {
		p.Printf("%s\n", h.ID)
		return
	}
	weak := ""
	if h.Weak {
		weak = "  weak"
	}
	p.Printf("%s  %.2f  %-12s  %s%s\n", h.ID, h.Score, h.Kind, p.Paint(base.Bold,
		base.Line(h.Title, 120)), p.Paint(base.Yellow, marks(&h.Capsule)+weak))
	if c.Bool("full") {
		p.Printf("%s\n", base.Indent(h.Body, "       | "))
	} else {
		p.Printf("       | %s\n", base.Line(h.Snippet, 400))
	}
	if h.Source != "" {
		p.Printf("       @ %s\n", p.Paint(base.Dim, base.Line(h.Cite(), 190)))
	}
	if !c.Bool("explain") {
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
		terms = append(terms, fmt.Sprintf("%s %.2f", base.Safe(t.Term), t.Score))
	}
	if len(terms) > 0 {
		p.Printf("       = words: %s\n", strings.Join(terms, ", "))
	}
}

func rankMark(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (#%d)", n)
}

// marks are the notable states of a capsule, for a list.
func marks(c *kb.Capsule) string {
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

func (p *program) kbGet(c *cli.Context) error {
	if c.NArg() != 1 {
		return base.Usagef("`board kb get CAPSULE`", "one id is needed, but %d are given", c.NArg())
	}
	return base.With(p.openKB(c, kb.OpenExisting, false))(func(k *kb.KB) error {
		capsule, err := k.Retrieve(c.Context, c.Args().First())
		if err != nil {
			return err
		}
		g, err := p.usage(c, k, &capsule)
		if err != nil {
			return err
		}
		p.noteUnread(g.Unread)
		return p.Answer(c, nil, func() { p.printCapsule(&capsule, &g) }, "capsule", capsule, "given", g)
	})
}

// printCapsule prints a capsule, and the runs that it was given to, unless usage is
// nil.
func (p *program) printCapsule(c *kb.Capsule, g *board.Usage) {
	p.Printf("%s  %s\n", c.ID, p.Paint(base.Bold, base.Line(c.Title, 300)))
	row := func(name, value string) {
		if value != "" {
			p.Printf("%-11s %s\n", name, base.Line(value, 300))
		}
	}
	row("kind", c.Kind)
	row("scope", c.Scope)
	row("workspace", c.Workspace)
	row("project", c.Project)
	row("tags", strings.Join(c.Tags, ", "))
	row("domains", strings.Join(c.DomainTags, ", "))
	row("source", c.Source)
	if c.Confidence != nil {
		row("confidence", strconv.FormatFloat(*c.Confidence, 'g', -1, 64))
	}
	row("verified by", c.VerifiedBy)
	row("refs", strings.Join(c.Refs, ", "))
	row("supersedes", strings.Join(c.Supersedes, ", "))
	if c.SupersededBy != "" {
		row("superseded", p.Paint(base.Yellow, "by "+c.SupersededBy))
	}
	if c.Retired != nil {
		why := base.FormatTime(*c.Retired) + ": " + base.Line(c.RetiredWhy, 200)
		row("retired", p.Paint(base.Yellow, strings.TrimSuffix(why, ": ")))
	}
	row("created", base.FormatTime(c.Created))
	if !c.Updated.Equal(c.Created) {
		row("updated", fmt.Sprintf("%s, revision %d", base.FormatTime(c.Updated), c.Revision))
	}
	row("embedding", c.Model)
	if g != nil {
		p.printUsage(g)
	}
	p.Printf("\n%s\n", base.Indent(c.Body, "  | "))
}

// listQuery lists the capsules that match the filters of a query.
func listQuery(q *kb.Query) kb.ListQuery {
	return kb.ListQuery{Kinds: q.Kinds, Scopes: q.Scopes, Tags: q.Tags, DomainTags: q.DomainTags,
		Workspaces: q.Workspaces, Projects: q.Projects, Superseded: q.Superseded, Retired: q.Retired}
}

func (p *program) kbList(c *cli.Context) error {
	q, err := p.kbQuery(c)
	if err != nil {
		return err
	}
	return base.With(p.openToRead(c, false))(func(k *kb.KB) error {
		lq := listQuery(&q)
		lq.Before, lq.Limit = c.String("before"), c.Int("limit")
		all, more, err := k.List(c.Context, lq)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			if all == nil {
				all = []kb.Capsule{}
			}
			return p.JSON("capsules", all, "more", more)
		}
		for i := range all {
			if c.Bool("quiet") {
				p.Printf("%s\n", all[i].ID)
				continue
			}
			p.Printf("%s  %s  %-12s  %s%s\n", all[i].ID, all[i].Created.Format("2006-01-02"), all[i].Kind,
				base.Line(all[i].Title, 120), p.Paint(base.Yellow, marks(&all[i])))
		}
		switch {
		case len(all) == 0:
			p.EndList(0, false, "capsules")
		case more:
			p.Messagef("the newest %d are shown; --before %s shows the next", len(all),
				all[len(all)-1].ID)
		}
		return nil
	})
}
