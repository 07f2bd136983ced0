package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/trace"
)

type htmlReport struct {
	*trace.Result
	Passages []htmlPassage
}

// Stand returns how many facts something supports.
func (r *htmlReport) Stand() int { return r.Checked - r.Result.Unsupported }

// Hidden is how many passages the page leaves out.
func (r *htmlReport) Hidden() int { return r.Total() - len(r.Passages) }

// Total is how many passages state a fact.
func (r *htmlReport) Total() int { return len(r.Result.Passages) }

type htmlPassage struct {
	*trace.Passage
	ID    string
	Parts []htmlPart
	Facts []*trace.Fact // those that no entry supports as they are
	Links []htmlLinks
}

func (p *htmlPassage) Place() string {
	return fmt.Sprintf("%s:%d", filepath.Base(p.Report), p.Line)
}

// Status is for the page's filter.
func (p *htmlPassage) Status() string {
	if p.Missing > 0 {
		return trace.Unsupported
	}
	return trace.Supported
}

type htmlPart struct {
	Text string
	Bad  bool // nothing supports it
}

// addReport puts the passages on the page: where there are too many, those with a fact
// that nothing supports first. It returns the passages of each entry.
func (p *htmlPage) addReport(b *htmlBuilder, r *trace.Result) (stated map[string][]string) {
	if r == nil {
		return nil
	}
	facts := map[int][]*trace.Fact{}
	for i := range r.Facts {
		if f := &r.Facts[i]; f.Verdict != trace.Supported {
			facts[f.Passage] = append(facts[f.Passage], f)
		}
	}
	order := make([]int, len(r.Passages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(min(r.Passages[y].Missing, 1), min(r.Passages[x].Missing, 1))
	})
	order = order[:min(len(order), htmlItems)]
	slices.Sort(order)
	p.Report, stated = &htmlReport{Result: r}, map[string][]string{}
	for _, n := range order {
		passage := &r.Passages[n]
		item := htmlItem{}
		b.links(&item, "supported by", passage.Entries)
		id := fmt.Sprintf("p%d", n+1)
		b.shown[id] = true
		for _, e := range passage.Entries {
			stated[e] = append(stated[e], id)
		}
		p.Report.Passages = append(p.Report.Passages, htmlPassage{
			passage, id, markUnsupported(passage.Text, facts[n]),
			facts[n][:min(len(facts[n]), htmlRefs)], item.Links,
		})
	}
	p.Types = append(p.Types, "passage")
	p.Statuses = append(slices.Clone(p.Statuses), trace.Unsupported, trace.Supported)
	return stated
}

// markUnsupported splits a text into parts, so that facts that nothing supports are parts of their
// own, each where it comes first.
func markUnsupported(text string, facts []*trace.Fact) (parts []htmlPart) {
	var marks [][2]int
	for _, f := range facts {
		if at := strings.Index(text, f.Text); at >= 0 && f.Verdict == trace.Unsupported {
			marks = append(marks, [2]int{at, at + len(f.Text)})
		}
	}
	slices.SortFunc(marks, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	at := 0
	for _, m := range marks {
		if m[0] < at {
			continue
		}
		parts = append(parts, htmlPart{text[at:m[0]], false}, htmlPart{text[m[0]:m[1]], true})
		at = m[1]
	}
	return append(parts, htmlPart{text[at:], false})
}
