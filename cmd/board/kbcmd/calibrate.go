package kbcmd

import (
	"cmp"
	"context"

	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/hooks/ops"
	"blackboard/kb"
)

type calibrated struct {
	All []kb.Calibration `json:"calibrations"`
}

var calibrate = op.Op[*host, ops.Nothing, calibrated]{
	Info: op.Info{Command: "kb calibrate", Short: "measure the threshold of a confident match, and store it",
		Long: `Words and the models that board knows have a threshold already. It is
measured here with 240 prompts about other things, and raised if too many of them get an
answer. Of another model these prompts tell the threshold: the least evidence that leaves
95 % of them without an answer. That takes 30 capsules; words alone judge until then. The
threshold rises with the number of capsules. The titles of up to 100 capsules are asked
too, to tell how many of them find their capsule.`},
	Do: func(ctx context.Context, h *host, _ ops.Nothing) (out calibrated, err error) {
		err = h.KB(ctx, ops.Create, true, func(k *kb.KB) (err error) {
			out.All, err = k.Calibrate(ctx)
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o calibrated) {
		for _, r := range o.All {
			p.Printf("%s: evidence from %.3f on", p.Line(cmp.Or(r.Model, "words alone"), 200), r.Threshold)
			if r.OnTopic > 0 {
				p.Printf("; of %d prompts about other things %.0f %% get nothing, of %s %.0f %% find their capsule",
					r.OffTopic, 100*r.Rejected, text.Count(int64(r.OnTopic), "title", "titles"), 100*r.Kept)
			}
			p.Printf("\n")
		}
	},
}
