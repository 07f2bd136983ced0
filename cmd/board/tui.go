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
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"blackboard/board/sqlite"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/memorycmd"
	"blackboard/hooks"
	"blackboard/hooks/harness"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
	"blackboard/tui"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

func (p *program) tuiCommand() *cli.Command {
	return &cli.Command{
		Name: "tui", Category: base.CategoryRead, Usage: "walk runs, knowledge and memory on the whole screen, and act on them",
		Description: `Follows a run live, goes back in time, searches the knowledge base, edits the memory, and checks the run and its report. Without a run it lists them all.
Keys: ? lists those that work where you are; q leaves. Actions are recorded under --worker. Texts open in $VISUAL,
$EDITOR, vi or nano, the first that exists; o opens what a text names: ids, files at their line, URLs. The terminal's bell and title tell when the gate opens, a critical question comes, or a worker that is waited for says nothing for 10 minutes; --mute turns these off. With
NO_COLOR there is bold and reverse only, unless --theme names colours; in tmux and screen, which hide the terminal's background, COLORFGBG='0;15' or --theme light says that it is light.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "run", Aliases: []string{"r", "board"}, Usage: "open this `RUN` at once; default $BOARD_RUN; empty: the list of runs"},
			&cli.StringFlag{Name: "theme", Value: "auto", Usage: "the `COLOURS`: " + strings.Join(cells.Themes, ", ")},
			&cli.StringSliceFlag{Name: "mute", Usage: "do not notify about `WHAT`, repeatable: " + strings.Join(page.Mutes, ", ")},
			base.WorkerFlag(), base.WorkspaceFlag("the `DIRECTORY` whose capsules rise, and whose memory is shown"),
		},
		Action: p.tui,
	}
}

func (p *program) tui(c *cli.Context) error {
	run, err := p.runToShow(c)
	if err != nil {
		return err
	}
	if err := cells.CheckTheme(c.String("theme")); err != nil {
		return base.Usagef("", "--theme: %v", err)
	}
	if err := page.CheckMutes(c.StringSlice("mute")); err != nil {
		return base.Usagef("", "--mute: %v", err)
	}
	settings, err := page.ReadSettings(filepath.Join(hooks.ConfigDir(p.Env), "tui.conf"))
	if err != nil {
		return base.Usagef("", "%v", err)
	}
	in, out, err := p.screen()
	if err != nil {
		return err
	}
	src, err := p.NewSource(daemon.OwnInstead, true)
	if err != nil {
		return err
	}
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	boards, err := p.BoardsDir()
	if err != nil {
		return err
	}
	ws, err := p.Workspace(c)
	if err != nil {
		return err
	}
	files, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	knowledge, err := p.KBHome()
	if err != nil {
		return err
	}
	k := &screenKnowledge{p: p, source: src, home: home, knowledgeHome: knowledge, worker: p.WorkerName(c)}
	theme := c.String("theme")
	if !c.IsSet("theme") {
		theme = cmp.Or(settings.Theme, theme)
		if !p.Color {
			theme = "mono"
		}
	}
	// before the terminal is asked for its colours, which it may take seconds to answer
	ctx, stop := screenContext(c.Context)
	defer stop()
	if err := c.Context.Err(); err != nil { // the program was told to end before
		return err
	}
	if p.Env("GOGC") == "" {
		// it is kept open all day, and a long run leaves more garbage than it needs room
		debug.SetGCPercent(30)
	}
	if p.Env("GOMEMLIMIT") == "" {
		// what it reads of 100,000 entries and their check takes some 30 MB, the program as many
		debug.SetMemoryLimit(37 << 20)
	}
	sqlite.SaveMemory()
	renderer, theme := cells.NewRenderer(out, p.Env("TERM"), theme)
	settings.Theme, settings.Mute = theme, append(settings.Mute, c.StringSlice("mute")...)
	err = tui.Run(ctx, in, out, page.Config{
		Boards: boards, Run: run, Worker: k.worker, Workspace: ws, Files: files, Home: p.UserHome(),
		Search: k, Knowledge: k.knowledge, Memory: p.screenMemory(k, ws), Model: src.Model, Status: k.status, Editor: p.screenEditor, Clipboard: p.screenClipboard(), Command: screenCommand, Form: ops.Form, Promoted: ops.CapsuleOf, Words: base.CommandFor, Renderer: renderer, Settings: settings,
	})
	k.close()
	if context.Cause(ctx) == errHungUp || errors.Is(err, syscall.EIO) {
		return nil // there is nobody to be told
	}
	return err
}

// errHungUp is why the program ends when its terminal goes away.
var errHungUp = errors.New("the terminal went away")

// screenContext ends with SIGTERM, and with errHungUp when the terminal goes. ctrl+c is a key,
// ours or the editor's, and must not end the program.
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

// runToShow is the run opened at once, "" for none. A named one must be there.
func (p *program) runToShow(c *cli.Context) (string, error) {
	if c.IsSet("run") && c.String("run") == "" || !c.IsSet("run") && p.Env("BOARD_RUN") == "" {
		return "", nil
	}
	b, err := p.OpenRun(c)
	if err != nil {
		return "", err
	}
	return b.Run(), b.Close()
}

// screen is the program's terminal: standard input and output must both be it.
func (p *program) screen() (in, out *os.File, err error) {
	w := p.Out.W
	if wrapped, ok := w.(*wrapper); ok {
		w = wrapped.w
	}
	in, _ = p.In.(*os.File)
	out, _ = w.(*os.File)
	const without = "without one, `board show` prints a run at a glance, and `board watch` what happens"
	switch {
	case !base.IsTerminal(p.In) || !base.IsTerminal(out):
		return nil, nil, base.Usagef(without, "the TUI needs a terminal on standard input and output")
	case p.Env("TERM") == "dumb":
		return nil, nil, base.Usagef(without, "the TUI needs a terminal that can move its cursor; $TERM says that this one cannot")
	}
	return in, out, nil
}

// Editors that open a file at a line, by name: "+12 FILE", "FILE:12", "-g FILE:12".
var (
	plusLine  = []string{"vi", "vim", "nvim", "view", "gvim", "nano", "emacs", "emacsclient", "micro", "less", "kak"}
	colonLine = []string{"hx", "helix"}
	goLine    = []string{"code", "code-insiders", "codium"}
)

// screenClipboard makes the command that copies in tmux, which by default takes no text
// from the programs that it shows; nil outside of it.
func (p *program) screenClipboard() func() *exec.Cmd {
	if p.Env("TMUX") == "" {
		return nil
	}
	return func() *exec.Cmd { return exec.Command("tmux", "load-buffer", "-w", "-") }
}

// screenEditor is the command that opens a file in the person's editor, at a line if that
// is above 0 and the editor is known to take one.
func (p *program) screenEditor(path string, line int) (*exec.Cmd, error) {
	editor := p.OwnEditor()
	if editor == "" {
		return nil, base.Usagef("set $VISUAL or $EDITOR to one", "no editor is known")
	}
	path, err := filepath.Abs(path) // which no editor takes for a flag
	if err != nil {
		return nil, err
	}
	args := []string{path}
	program, _, _ := strings.Cut(strings.TrimSpace(editor), " ")
	if name := filepath.Base(program); line > 0 { // of "/usr/bin/nvim -p" nvim
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
	// it lives as long as the person wants
	return base.EditorCommand(context.Background(), editor, args...), nil
}

// screenCommand runs a command on a run, and returns what it prints. A closed gate is no failure.
func screenCommand(ctx context.Context, run string, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, append(args, "--run", run)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != base.ExitGate {
		return "", errors.New(strings.TrimSpace(string(out)))
	} else if exit == nil && err != nil {
		return "", err
	}
	return string(out), nil
}

// screenMemory opens a workspace's memory ("": none) for a person at the screen, who may do all,
// as any agent sees it; in a harness's shell for its agent.
func (p *program) screenMemory(k *screenKnowledge, workspace string) func(context.Context, string) (*memory.Store, error) {
	return func(_ context.Context, agent string) (*memory.Store, error) {
		opt := memory.Options{Workspace: workspace, Agent: agent, Author: harness.Speaking(p.Env) == "", Actor: k.worker, Embedder: k.source.Model()}
		if err := p.MemoryEnvironment(&opt); err != nil {
			return nil, err
		}
		var s *memory.Store
		opt.Resolve = func(ctx context.Context, it *memory.Item) string {
			if it.DerivedFrom == "" {
				return ""
			}
			// a new one each time: it takes what it has open for unchanged
			r := memorycmd.NewResolver(p.Program, workspace, s)
			defer r.Close()
			return r.Resolve(ctx, it)
		}
		s, err := kbhome.Memory(k.home, opt)
		return s, err
	}
}
