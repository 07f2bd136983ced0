package main

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
)

func (p *program) webCommand() *cli.Command {
	return &cli.Command{
		Name: "web", Category: base.CategoryRead,
		Usage: "watch runs in a browser: print the address of a live page, and keep it served",
		Description: `Starts the daemon if none runs, has it serve the pages, and prints their address. They
show all runs, and one run as it goes on: its gate, questions, contradictions in
pairs, findings by document, workers over time, the knowledge used. ?at=SEQ in an
address shows a run as it was after that event.

The pages only read, and only browsers of this machine reach them. The address has a
token that opens the pages and nothing else: who has it may read all runs. For
another machine: ssh -L 8080:127.0.0.1:PORT. They end with the daemon, 30 minutes
after the last page was closed; board daemon run --web 127.0.0.1:8080 keeps them.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Usage: "`HOST:PORT` of loopback; without it any free port"},
			base.JSONFlag(),
		},
		Action: p.withDaemon(p.web),
	}
}

func (p *program) web(c *cli.Context, client *daemon.Client, place daemon.Place) error {
	if _, _, err := p.startDaemon(c.Context, client, place, daemon.IdleAfter); err != nil {
		return err
	}
	at, err := client.Web(c.Context, c.String("listen"))
	return p.Answer(c, err, func() { p.Printf("%s\n", at.URL) }, "url", at.URL)
}
