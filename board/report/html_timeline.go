package report

import (
	_ "embed"
	"strconv"
	"strings"

	"blackboard/board"
)

const timelinePoints = 300

// htmlTimeline is the open signals by priority over the log: stacked steps, in 1000 × 100.
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

// newHTMLTimeline draws a burndown up to an event; nil if the board had no signal until then.
func newHTMLTimeline(burn []board.BurnPoint, last int64) *htmlTimeline {
	points := []board.BurnPoint{{}} // the picture begins with an empty board
	for _, p := range burn {
		if p.Seq <= last {
			points = append(points, p)
		}
	}
	if len(points) == 1 {
		return nil
	}
	t := &htmlTimeline{Thinned: len(points) > timelinePoints}
	peaks := [4]int64{}
	for _, p := range points {
		for i, n := range p.Open {
			peaks[i] = max(peaks[i], n)
		}
		if p.Total() > t.Peak {
			t.Peak, t.PeakSeq = p.Total(), p.Seq
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
	for i, name := range board.Priorities {
		if peaks[i] > 0 {
			t.Layers = append(t.Layers, htmlLayer{name, svgSteps(points, i, last, top),
				final.Open[i], peaks[i]})
		}
	}
	return t
}

// thinTimeline keeps the highest and the last point of every stretch of the log, so that
// neither a peak nor where it led to is lost.
func thinTimeline(points []board.BurnPoint, last int64) []board.BurnPoint {
	if len(points) <= timelinePoints {
		return points
	}
	stretch := func(p board.BurnPoint) int64 { return p.Seq * (timelinePoints / 2) / (last + 1) }
	var out []board.BurnPoint
	for i := 0; i < len(points); {
		high, end := points[i], points[i]
		for ; i < len(points) && stretch(points[i]) == stretch(high); i++ {
			if end = points[i]; end.Total() > high.Total() {
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

// svgSteps draws a priority's layer: along its upper edge, back along the lower layer's.
func svgSteps(points []board.BurnPoint, layer int, last, top int64) string {
	edge := func(p board.BurnPoint, layers int) string {
		var n int64
		for _, open := range p.Open[:layers] {
			n += open
		}
		return svgNumber(100-100*float64(n)/float64(top), 2)
	}
	x := func(seq int64) string { return svgNumber(1000*float64(seq)/float64(last), 1) }
	var b strings.Builder
	at := edge(points[0], layer+1)
	b.WriteString("M" + x(points[0].Seq) + " " + at)
	step := func(p board.BurnPoint, y string) { // where nothing changes nothing is drawn
		if y != at {
			b.WriteString("H" + x(p.Seq) + "V" + y)
			at = y
		}
	}
	for _, p := range points[1:] {
		step(p, edge(p, layer+1))
	}
	at = edge(points[len(points)-1], layer)
	b.WriteString("H1000V" + at)
	for i := len(points) - 1; i > 0; i-- {
		step(points[i], edge(points[i-1], layer))
	}
	b.WriteString("H" + x(points[0].Seq))
	return b.String() + "Z"
}

// niceStep is the least 1, 2 or 5 times a power of ten with at most so many steps.
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
