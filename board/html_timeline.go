package board

import (
	_ "embed"
	"strconv"
	"strings"
)

// timelinePoints is how many points of the timeline are drawn at most.
const timelinePoints = 600

// htmlTimeline is the number of open signals by priority over the log, as stacked steps in a box of 1000 × 100.
type htmlTimeline struct {
	Layers         []htmlLayer // critical, at the bottom, first
	XTicks, YTicks []htmlTick
	Peak, PeakSeq  int64
	Thinned        bool // not every change is drawn
}

type htmlLayer struct {
	Priority  string
	Path      string
	Now, Peak int64
}

type htmlTick struct {
	At     string // percent from the left, or from the top
	Label  int64
	Anchor string
}

// timelinePoint holds the counts from one event on.
type timelinePoint struct {
	seq  int64
	open [4]int64 // by priority
}

func (p timelinePoint) total() int64 { return p.open[0] + p.open[1] + p.open[2] + p.open[3] }

// newHTMLTimeline returns nil if the board never had a signal, or if the events do not lead to the snapshot: no picture is better than a wrong one.
func newHTMLTimeline(s *Snapshot, events []Event) *htmlTimeline {
	priority := map[string]int{}
	for _, sig := range s.Signals {
		priority[sig.ID], _ = PriorityRank(sig.Priority)
	}
	isOpen := map[string]bool{}
	var now timelinePoint
	points := []timelinePoint{now}
	for _, e := range events {
		rank, known := priority[e.ID]
		if e.Seq > s.Seq || !known {
			continue
		}
		was, is := isOpen[e.ID], isOpen[e.ID]
		switch e.Verb {
		case verbSignal, verbReopen:
			is = true
		case verbAddress, verbWaive:
			is = false
		}
		if is == was {
			continue
		}
		isOpen[e.ID], now.seq = is, e.Seq
		now.open[rank]++
		if was {
			now.open[rank] -= 2
		}
		points = append(points, now)
	}
	for _, sig := range s.Signals {
		if isOpen[sig.ID] != (sig.Status == SignalOpen) {
			return nil
		}
	}
	if len(points) == 1 {
		return nil
	}
	return drawTimeline(points, s.Seq)
}

func drawTimeline(points []timelinePoint, last int64) *htmlTimeline {
	t := &htmlTimeline{Thinned: len(points) > timelinePoints}
	peaks := [4]int64{}
	for _, p := range points {
		for i, n := range p.open {
			peaks[i] = max(peaks[i], n)
		}
		if p.total() > t.Peak {
			t.Peak, t.PeakSeq = p.total(), p.seq
		}
	}
	points = thinTimeline(points, last)
	step := niceStep(t.Peak, 4)
	top := (t.Peak + step - 1) / step * step
	for n := top; n > 0; n -= step {
		t.YTicks = append(t.YTicks, htmlTick{At: svgPercent(top-n, top), Label: n})
	}
	xStep := niceStep(last, 5)
	for n := int64(0); n <= last; n += xStep {
		anchor := "middle"
		if n == 0 {
			anchor = "start"
		} else if n > last-last/20 {
			anchor = "end"
		}
		t.XTicks = append(t.XTicks, htmlTick{svgPercent(n, last), n, anchor})
	}
	final := points[len(points)-1]
	for i, name := range Priorities {
		if peaks[i] > 0 {
			t.Layers = append(t.Layers, htmlLayer{name, svgSteps(points, i, last, top), final.open[i], peaks[i]})
		}
	}
	return t
}

// thinTimeline keeps the highest and the last point of every stretch of the log, so that neither a peak nor where it led to is lost.
func thinTimeline(points []timelinePoint, last int64) []timelinePoint {
	if len(points) <= timelinePoints {
		return points
	}
	stretch := func(p timelinePoint) int64 { return p.seq * (timelinePoints / 2) / (last + 1) }
	var out []timelinePoint
	for i := 0; i < len(points); {
		high, end := points[i], points[i]
		for ; i < len(points) && stretch(points[i]) == stretch(high); i++ {
			if end = points[i]; end.total() > high.total() {
				high = end
			}
		}
		if high != end {
			out = append(out, high)
		}
		out = append(out, end)
	}
	return out
}

// svgSteps draws the layer of one priority: along its upper edge, and back along that of the layer below.
func svgSteps(points []timelinePoint, layer int, last, top int64) string {
	edge := func(p timelinePoint, layers int) string {
		var n int64
		for _, open := range p.open[:layers] {
			n += open
		}
		return svgNumber(100-100*float64(n)/float64(top), 2)
	}
	x := func(seq int64) string { return svgNumber(1000*float64(seq)/float64(last), 1) }
	var b strings.Builder
	b.WriteString("M" + x(points[0].seq) + " " + edge(points[0], layer+1))
	for _, p := range points[1:] {
		b.WriteString("H" + x(p.seq) + "V" + edge(p, layer+1))
	}
	b.WriteString("H1000")
	for i := len(points) - 1; i >= 0; i-- {
		b.WriteString("V" + edge(points[i], layer) + "H" + x(points[i].seq))
	}
	return b.String() + "Z"
}

// niceStep returns 1, 2 or 5 times a power of ten: the least that needs no more than so many steps.
func niceStep(most, count int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, f := range []int64{1, 2, 5} {
			if unit*f*count >= most {
				return unit * f
			}
		}
	}
}

func svgPercent(n, of int64) string { return svgNumber(100*float64(n)/float64(of), 2) + "%" }

func svgNumber(f float64, digits int) string { return strconv.FormatFloat(f, 'f', digits, 64) }
