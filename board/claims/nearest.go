package claims

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"blackboard/board/claims/parse"
)

// Bounds of a search for windows.
const (
	widest     = 3    // claims in a window
	wordiest   = 40   // stems in a window of several claims: words of many are about many things
	candidates = 24   // claims around which windows are tried
	common     = 4000 // claims from which on a stem or figure leads nowhere
)

// seeds returns the indexes in Evidence.Claims of at most n claims that share words and figures with c, the best first:
// rare words weigh more, long claims less.
func (ev *Evidence) seeds(c *parse.Claim, figures []*parse.Detail, n int) []int32 {
	score := make([]float64, len(ev.Claims))
	for s := range c.Stems {
		if at := ev.stems[s]; len(at) <= common {
			w := ev.weight(s)
			for _, i := range at {
				score[i] += w
			}
		}
	}
	for _, d := range figures {
		seen := map[int32]bool{}
		for _, k := range d.Asks() {
			if at := ev.values[k]; len(at) <= common {
				for _, i := range at {
					if !seen[i] {
						seen[i] = true
						score[i] += 1.5
					}
				}
			}
		}
	}
	var best []int32 // the n highest, ascending
	for i := range score {
		if score[i] == 0 {
			continue
		}
		// A long statement has many words by its length alone.
		score[i] /= math.Sqrt(float64(8 + len(ev.Claims[i].Stems)))
		if len(best) == n && score[i] <= score[best[0]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, score[i], func(b int32, x float64) int {
			return cmp.Compare(score[b], x)
		})
		if best = slices.Insert(best, at, int32(i)); len(best) > n {
			best = best[1:]
		}
	}
	slices.Reverse(best)
	return best
}

func figuresOf(c *parse.Claim) (all []*parse.Detail) {
	for k := range c.Details {
		if c.Details[k].IsFigure() {
			all = append(all, &c.Details[k])
		}
	}
	return all
}

// Nearest returns the n windows that are nearest to a claim, the best first, and a few more
// that have a figure of it. They do not overlap.
func (ev *Evidence) Nearest(c *parse.Claim, n int) (out []Window) {
	a := ev.ask(c)
	var all []Window
	tried := map[int]bool{}
	for _, seed := range ev.seeds(c, a.figures, candidates) {
		for i := max(0, int(seed)-widest+1); i <= int(seed); i++ {
			if !tried[i] {
				tried[i] = true
				all = ev.windows(i, a, all)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Window) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(len(x.Claims), len(y.Claims)),
			cmp.Compare(x.Claims[0].Place, y.Claims[0].Place))
	})
	taken, more := map[*parse.Claim]bool{}, withFigures
	for _, w := range all {
		if len(out) >= n && (w.figures == 0 || more == 0) ||
			slices.ContainsFunc(w.Claims, func(e *parse.Claim) bool { return taken[e] }) {
			continue
		}
		if len(out) >= n {
			more--
		}
		for _, e := range w.Claims {
			taken[e] = true
		}
		out = append(out, w)
	}
	return out
}

// withFigures is how many windows are looked at for a figure of a claim.
const withFigures = 2

// asked is what windows are searched for.
type asked struct {
	stems   []string
	weights []float64
	total   float64
	figures []*parse.Detail
	details int
	met     map[*parse.Claim]*met
}

// A met is what a claim has of what is asked.
type met struct {
	stems, context, figures []int
}

func (ev *Evidence) ask(c *parse.Claim) *asked {
	a := &asked{total: .01, figures: figuresOf(c), details: len(c.Details), met: map[*parse.Claim]*met{}}
	for _, s := range slices.Sorted(maps.Keys(c.Stems)) {
		w := ev.weight(s)
		if c.Context[s] {
			w *= .6
		}
		a.stems, a.weights, a.total = append(a.stems, s), append(a.weights, w), a.total+w
	}
	return a
}

// meet returns what a claim has of what is asked.
func (a *asked) meet(e *parse.Claim) *met {
	if m := a.met[e]; m != nil {
		return m
	}
	m := &met{}
	for i, s := range a.stems {
		if e.Stems[s] {
			m.stems = append(m.stems, i)
		} else if e.Context[s] {
			m.context = append(m.context, i)
		}
	}
	for i, d := range a.figures {
		if slices.ContainsFunc(e.Details, func(x parse.Detail) bool { return d.Relate(&x).Agrees() }) {
			m.figures = append(m.figures, i)
		}
	}
	a.met[e] = m
	return m
}

// windows adds the windows that begin at a claim and have something of what is asked in
// each of their claims.
func (ev *Evidence) windows(i int, a *asked, all []Window) []Window {
	has, agreed := make([]float64, len(a.stems)), make([]bool, len(a.figures))
	size, figures, covered := 0, 0, 0.0
	for k := i; k < len(ev.Claims) && k < i+widest && ev.Claims[k].Source == ev.Claims[i].Source; k++ {
		e := ev.Claims[k]
		size += len(e.Stems)
		if k > i && (e.Cells != nil || size > wordiest || !slices.Equal(e.Heads, ev.Claims[i].Heads)) {
			break
		}
		m, fresh := a.meet(e), false
		for _, s := range m.stems {
			if w := a.weights[s]; has[s] < w {
				covered, has[s], fresh = covered+w-has[s], w, true
			}
		}
		for _, s := range m.context {
			if has[s] == 0 {
				has[s] = .4 * a.weights[s]
				covered += has[s]
			}
		}
		for _, d := range m.figures {
			if !agreed[d] {
				agreed[d], fresh = true, true
				figures++
			}
		}
		if !fresh {
			break
		}
		w := Window{Source: e.Source, Claims: ev.Claims[i : k+1], Cover: min(1, covered/a.total),
			figures: figures}
		w.Score = w.Cover - .04*float64(k-i) + .35*float64(figures)/float64(max(2, a.details))
		all = append(all, w)
	}
	return all
}
