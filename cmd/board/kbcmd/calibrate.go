package kbcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

func (p *program) kbCalibrate(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
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
					p.Printf("; of %d prompts that something helps with %.0f %% get it",
						r.OnTopic, 100*r.Kept)
				}
				if r.OffTopic > 0 {
					p.Printf("; of %d others %.0f %% get nothing", r.OffTopic, 100*r.Rejected)
				}
				p.Printf("\n")
				if r.Titles > 0 {
					p.Printf("  here: of %s %.0f %% find their capsule\n",
						base.Count(int64(r.Titles), "title", "titles"), 100*r.TitlesFound)
				}
			}
		}, "calibrations", all)
	})
}
