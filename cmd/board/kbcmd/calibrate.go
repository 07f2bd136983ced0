package kbcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

func (p *program) kbCalibrate(c *cli.Context) error {
	if c.NArg() > 0 {
		return base.Usagef("give it no arguments", "`board kb calibrate` takes no arguments, but got %d",
			c.NArg())
	}
	return base.With(p.openKB(c, kbhome.MakeKnowledge, true))(func(k *kb.KB) error {
		all, err := k.Calibrate(c.Context)
		return p.Answer(c, err, func() {
			for _, r := range all {
				name := r.Model
				if name == "" {
					name = "words alone"
				}
				p.Printf("%s: evidence from %.3f on", base.Safe(name), r.Threshold)
				if r.OnTopic > 0 {
					p.Printf("; of %d prompts about other things %.0f %% get nothing, of %s "+
						"%.0f %% find their capsule", r.OffTopic, 100*r.Rejected,
						base.Count(int64(r.OnTopic), "title", "titles"), 100*r.Kept)
				}
				p.Printf("\n")
			}
		}, "calibrations", all)
	})
}
