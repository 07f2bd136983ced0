package kbcmd

import (
	"bytes"
	"io"

	"github.com/urfave/cli/v2"

	"blackboard/board/disk"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

func (p *program) kbCalibrate(c *cli.Context) error {
	if c.NArg() > 1 {
		return base.Usagef("name one set", "`board kb calibrate` takes one set, but got %d", c.NArg())
	}
	var set io.Reader
	if c.NArg() == 1 {
		data, err := disk.Read(c.Args().First(), 64<<20)
		if err != nil {
			return base.Usagef("name a file in the format that `board kb calibrate --help` shows", "%v",
				err)
		}
		if err := kb.CheckCalibrationSet(bytes.NewReader(data)); err != nil {
			return err // before a knowledge base is made for it
		}
		set = bytes.NewReader(data)
	}
	return base.With(p.openKB(c, kbhome.MakeKnowledge, true))(func(k *kb.KB) error {
		all, err := k.Calibrate(c.Context, set)
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
						base.Count(int64(r.Titles), "title",
							"titles and prompts"), 100*r.TitlesFound)
				}
			}
		}, "calibrations", all)
	})
}
