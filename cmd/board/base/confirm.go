package base

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// ConfirmDelete asks before something is deleted for good.
func (p *Program) ConfirmDelete(c *cli.Context, what string) error {
	return p.Confirm(c, "deleting "+what, fmt.Sprintf("Delete %s? It cannot be undone.", what), "deleted",
		"add --yes to confirm; --dry-run shows what would be deleted")
}

// Confirm asks a question before something is done, unless --yes is given. It returns an
// error if the answer is not yes, or step where nobody can be asked.
func (p *Program) Confirm(c *cli.Context, what, question, done, step string) error {
	switch {
	case c.Bool("yes"):
		return nil
	case !IsTerminal(p.In) || c.Bool("json"):
		return Usagef(step, "%s must be confirmed", what)
	}
	yes, err := p.Ask(c.Context, question)
	if err == nil && !yes {
		p.Messagef("nothing was %s", done)
		err = ExitError(ExitFailure)
	}
	return err
}

// Asks returns an error if nobody can be asked: why not, with the step that helps.
func (p *Program) Asks(c *cli.Context, step string) error {
	switch {
	case c.Bool("json"):
		return Usagef(step, "cannot ask for confirmation: --json is given")
	case !IsTerminal(p.In):
		return Usagef(step, "cannot ask for confirmation: standard input is not a terminal")
	}
	return nil
}

// Ask asks yes or no on the terminal. A signal ends the wait for an answer.
func (p *Program) Ask(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(p.Err, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		l, _ := bufio.NewReader(p.In).ReadString('\n') // an empty answer means no
		answer <- strings.ToLower(strings.TrimSpace(l))
	}()
	select {
	case a := <-answer:
		return a == "y" || a == "yes", nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
