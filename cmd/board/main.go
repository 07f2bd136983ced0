package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"blackboard/board"
	"blackboard/cmd/board/base"
)

func main() {
	collectLater(os.Args[1:])
	ctx, stop := untilSignal(os.Args[1:])
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM; the second
// one ends the program. To wait for them takes three goroutines and a thread, a tenth of
// what a short command costs. So a few commands do without, which answer at once and hold
// nothing that a sudden end could harm. A hook shares its harness's terminal, whose
// Ctrl-C is not for the hook.
func untilSignal(args []string) (ctx context.Context, stop func()) {
	command := ""
	if len(args) > 0 {
		command = args[0]
	}
	switch command {
	case "hook":
		signal.Ignore(os.Interrupt)
		fallthrough
	case "version", "--version", "gate":
		return context.Background(), func() {}
	}
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop()
	}()
	return ctx, stop
}

// collectLater puts the first garbage collection off until the heap has 16 MB instead of
// 4, as most commands have ended by then. From there on each waits until roomToCollect is
// used up, too: a check of many entries would collect a small heap again and again. What
// stays for long keeps little memory from the beginning.
func collectLater(args []string) {
	if len(args) > 0 && slices.Contains([]string{"mcp", "daemon", "tui", "web"}, args[0]) ||
		os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(400)
	var collected func(*[16]byte)
	collected = func(*[16]byte) {
		var heap runtime.MemStats // right after a collection what is left is what lives
		runtime.ReadMemStats(&heap)
		debug.SetGCPercent(max(usual, int(100*roomToCollect/max(1<<20, heap.HeapAlloc))))
		runtime.SetFinalizer(&[16]byte{}, collected)
	}
	runtime.SetFinalizer(&[16]byte{}, collected)
}

// roomToCollect is how many bytes are allocated, at the least, before the next collection.
const roomToCollect = 96 << 20

func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	p := &program{&base.Program{Env: env, In: stdin, Out: &base.CheckedWriter{W: stdout}, Err: stderr,
		Terminal: base.IsTerminal(stdout), Color: base.IsTerminal(stdout) && env("NO_COLOR") == "" &&
			env("TERM") != "dumb"}}
	if width := base.TerminalWidth(stdout); width > 0 {
		w := &wrapper{w: stdout, width: width}
		defer w.flush() // the last line has an end, but for a broken-off one
		p.Out.W = w
	}
	sent := p.telemetry(args)
	code := p.main(ctx, args)
	sent(code)
	return code
}

// program has the methods of this package's commands.
type program struct{ *base.Program }

func (p *program) main(ctx context.Context, args []string) int {
	if len(args) == 1 && slices.Contains([]string{"version", "--version", "-v"}, args[0]) {
		return p.Fail(p.written(p.version()), false)
	}
	var err error
	if args, err = p.takeDatabase(args); err != nil {
		return p.Fail(err, base.WantsJSON(args))
	}
	commands := p.commandsFor(args)
	if len(args) > 0 && args[0] == completeCommand {
		p.complete(commands, args[1:])
		return base.ExitOK
	}
	if len(args) > 2 && args[0] == "help" && pageName(args[1]) == "json" {
		text, err := jsonTable(args[2:])
		if err != nil {
			return p.Fail(err, false)
		}
		p.Printf("%s", text)
		return base.ExitOK
	}
	if len(args) == 2 && args[0] == "help" && args[1] == "all" {
		p.Printf("%s", allHelp(p.commands()))
		return base.ExitOK
	}
	if len(args) == 2 && args[0] == "help" && !strings.HasPrefix(args[1], "-") {
		command := byName(commands, pageName(args[1]))
		switch text, ok := helpPage(args[1]); {
		case ok:
			p.Printf("%s", text)
			if command != nil {
				has := "flags"
				if len(command.Subcommands) > 0 {
					has = "commands"
				}
				p.Printf("\nThe %s: board %s --help\n", has, command.Name)
			}
			return base.ExitOK
		case command == nil:
			try := "`board help all` lists the commands, `board help topics` the pages"
			known := slices.Clone(pageOrder)
			for _, c := range commands {
				known = append(known, c.Name)
			}
			if s := closest(args[1], known); s != "" {
				try = "did you mean `board help " + s + "`? " + try
			}
			return p.Fail(base.Usagef(try, "unknown command or help page %q", board.Line(args[1], 60)),
				false)
		}
	}
	defer p.CloseSource(args)
	arranged, err := arrange(commands, args)
	if err != nil && len(args) > 0 && args[0] == "hook" {
		// a flag that it does not know must not stop the harness that calls it
		arranged, err = []string{"hook"}, nil
	}
	if err == nil {
		err = p.app(commands).RunContext(ctx, append([]string{"board"}, arranged...))
	}
	err = p.written(err)
	if err != nil && ctx.Err() != nil {
		err = errInterrupted // whatever the interruption broke first
	}
	return p.Fail(err, base.WantsJSON(args))
}

// written is a command's error, else that of its output.
func (p *program) written(err error) error {
	if werr := p.Out.Err; werr != nil && err == nil && !errors.Is(werr, syscall.EPIPE) {
		return fmt.Errorf("write the output: %w", werr)
	}
	return err
}

// errInterrupted is a command's that a signal (Ctrl-C, SIGTERM) ended. Nothing is half-written.
var errInterrupted = errors.New("interrupted")
