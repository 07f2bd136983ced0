package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/daemon"
	"blackboard/hooks/harness"
	"blackboard/kb/memory"
	"blackboard/tui"
)

func (p *program) tuiCommand() *cli.Command {
	return &cli.Command{
		Name: "tui", Category: catRead, Usage: "walk runs, knowledge and memory on the whole screen, and act on them",
		Description: `Follows a run live, goes back in time, searches the knowledge base, looks after the memory, sees whether a report carries the run, and checks it all. Without a run it lists them all.
Keys: ? lists those that work where you are; q leaves. Whatever is done is done as --worker. Texts open in $VISUAL, else $EDITOR. The
terminal's bell, a notice on the desktop and the title tell when the gate opens, a critical question comes, or a worker that is waited for says nothing for 10 minutes; --mute does without. With
NO_COLOR there is bold and reverse only, unless --theme names colours; in tmux and screen, which hide the terminal's background, COLORFGBG='0;15' or --theme light says that it is light.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "run", Aliases: []string{"r", "board"}, Usage: "open this `RUN` at once; default $BOARD_RUN; empty: the list of runs"},
			&cli.StringFlag{Name: "theme", Value: "auto", Usage: "the `COLOURS`: " + strings.Join(tui.Themes, ", ")},
			&cli.StringSliceFlag{Name: "mute", Usage: "`WHAT` is not told to somebody who looks elsewhere, repeatable: " + strings.Join(tui.Mutes, ", ")},
			workerFlag(), workspaceFlag("the `DIRECTORY` whose capsules rise, and whose memory is shown"),
		},
		Action: p.tui,
	}
}

func (p *program) tui(c *cli.Context) error {
	run, err := p.runToShow(c)
	if err != nil {
		return err
	}
	if err := tui.CheckTheme(c.String("theme")); err != nil {
		return usagef("", "--theme: %v", err)
	}
	if err := tui.CheckMutes(c.StringSlice("mute")); err != nil {
		return usagef("", "--mute: %v", err)
	}
	in, out, err := p.screen()
	if err != nil {
		return err
	}
	src, err := p.newSource(daemon.OwnInstead, true)
	if err != nil {
		return err
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	boards, err := p.boardsDir()
	if err != nil {
		return err
	}
	ws, err := p.workspace(c)
	if err != nil {
		return err
	}
	files, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	k := &screenKnowledge{p: p, source: src, home: home, worker: p.workerName(c)}
	theme := c.String("theme")
	if !p.color && !c.IsSet("theme") {
		theme = "mono"
	}
	ctx, stop := screenContext(c.Context) // before the terminal is asked for its colours, which it may take seconds to answer
	defer stop()
	if err := c.Context.Err(); err != nil { // the program was told to end before
		return err
	}
	renderer, theme := tui.NewRenderer(out, p.env("TERM"), theme)
	err = tui.Run(ctx, in, out, tui.Config{
		Boards: boards, Run: run, Worker: k.worker, Workspace: ws, Files: files, Home: p.userHome(),
		Search: k, Knowledge: k.knowledge, Memory: p.screenMemory(k, ws), Model: src.Model, Status: k.status, Editor: p.screenEditor, Promoted: promoted, Words: words, Renderer: renderer, Theme: theme, Mute: c.StringSlice("mute"),
	})
	k.close()
	if context.Cause(ctx) == errHungUp || errors.Is(err, syscall.EIO) {
		return nil // there is nobody to be told
	}
	return err
}

// errHungUp is why the program ends when its terminal goes away.
var errHungUp = errors.New("the terminal went away")

// screenContext ends with SIGTERM, and with errHungUp when the terminal goes away. ctrl+c is a key while the screen is ours, and the editor's while that has it: it must not end the program, and what is typed
// into it, from there.
func screenContext(parent context.Context) (context.Context, func()) {
	terminated, stop := signal.NotifyContext(context.WithoutCancel(parent), syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(terminated)
	interrupts, hangups := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt) // nobody reads it
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		select {
		case <-hangups:
			cancel(errHungUp)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(interrupts)
		signal.Stop(hangups)
		cancel(nil)
		stop()
	}
}

// runToShow is the run that is opened at once, "" for none. One that is named must be there.
func (p *program) runToShow(c *cli.Context) (string, error) {
	if c.IsSet("run") && c.String("run") == "" || !c.IsSet("run") && p.env("BOARD_RUN") == "" {
		return "", nil
	}
	b, err := p.openWith(c, board.Open)
	if err != nil {
		return "", err
	}
	return b.Run(), b.Close()
}

// screen is the terminal that the program is shown on. Standard input and output must both be it.
func (p *program) screen() (in, out *os.File, err error) {
	w := p.out.w
	if wrapped, ok := w.(*wrapper); ok {
		w = wrapped.w
	}
	in, _ = p.in.(*os.File)
	out, _ = w.(*os.File)
	const without = "without one, `board show` prints a run at a glance, and `board watch` what happens"
	switch {
	case !isTerminal(p.in) || !isTerminal(out):
		return nil, nil, usagef(without, "the TUI needs a terminal on standard input and output")
	case p.env("TERM") == "dumb":
		return nil, nil, usagef(without, "the TUI needs a terminal that can move its cursor; $TERM says that this one cannot")
	}
	return in, out, nil
}

// Editors that open a file at a line, by the name of their program: "+12 FILE", "FILE:12", "-g FILE:12".
var (
	plusLine  = []string{"vi", "vim", "nvim", "view", "gvim", "nano", "emacs", "emacsclient", "micro", "less", "kak"}
	colonLine = []string{"hx", "helix"}
	goLine    = []string{"code", "code-insiders", "codium"}
)

// screenEditor is the command that opens a file in $VISUAL or $EDITOR, else in vi, at a line if that is above 0 and the editor is known to take one.
func (p *program) screenEditor(path string, line int) (*exec.Cmd, error) {
	editor := cmp.Or(p.env("VISUAL"), p.env("EDITOR"))
	if editor == "" {
		if _, err := exec.LookPath("vi"); err != nil {
			return nil, usagef("set $VISUAL or $EDITOR to one", "no editor is known")
		}
		editor = "vi"
	}
	path, err := filepath.Abs(path) // which no editor takes for a flag
	if err != nil {
		return nil, err
	}
	args := []string{path}
	if name := editorName(editor); line > 0 {
		at := strconv.Itoa(line)
		switch {
		case slices.Contains(plusLine, name):
			args = []string{"+" + at, path}
		case slices.Contains(colonLine, name):
			args = []string{path + ":" + at}
		case slices.Contains(goLine, name):
			args = []string{"-g", path + ":" + at}
		}
	}
	return editorCommand(context.Background(), editor, args...), nil // it lives as long as the person wants
}

// editorName is the name of an editor's program: of "/usr/bin/nvim -p" nvim.
func editorName(editor string) string {
	program, _, _ := strings.Cut(strings.TrimSpace(editor), " ")
	return filepath.Base(program)
}

// screenMemory opens the memory of a workspace, "" for none, for a person at the screen,
// who may do everything, as any agent sees it. In a harness's shell it is its agent who
// looks.
func (p *program) screenMemory(k *screenKnowledge, workspace string) func(context.Context, string) (*memory.Store, error) {
	return func(_ context.Context, agent string) (*memory.Store, error) {
		opt := memory.Options{Workspace: workspace, Agent: agent, Author: harness.Speaking(p.env) == "", Actor: k.worker, Embedder: k.source.Model()}
		if err := p.memoryEnvironment(&opt); err != nil {
			return nil, err
		}
		var s *memory.Store
		opt.Resolve = func(ctx context.Context, it *memory.Item) string {
			if it.DerivedFrom == "" {
				return ""
			}
			r := &resolver{program: p, home: k.home, workspace: workspace, memory: s} // a new one each time: it takes what it has open for unchanged
			defer r.close()
			return r.resolve(ctx, it)
		}
		s, err := memory.Open(k.home, opt)
		return s, err
	}
}
