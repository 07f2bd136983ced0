package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/lazyregexp"
	"blackboard/cmd/board/daemon"
	"blackboard/embed/ort"
	"blackboard/hooks/topics"
)

func main() {
	ort.Serve()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // the first signal asks, the second one ends
		<-ctx.Done()
		stop()
	}()
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: arguments, environment and streams in, exit code out.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{env: env, in: stdin, out: &checkedWriter{w: stdout}, err: stderr, terminal: isTerminal(stdout), color: isTerminal(stdout) && env("NO_COLOR") == "" && env("TERM") != "dumb"}
	if width := terminalWidth(stdout); width > 0 {
		w := &wrapper{w: stdout, width: width}
		defer w.flush() // the last line has an end, but for a broken-off one
		p.out.w = w
	}
	return p.main(ctx, args)
}

func (p *program) main(ctx context.Context, args []string) int {
	var err error
	if args, err = p.takeDatabase(args); err != nil {
		return p.fail(err, wantsJSON(args))
	}
	commands := p.commandsFor(args)
	if len(args) > 0 && args[0] == completeCommand {
		p.complete(ctx, commands, args[1:])
		return exitOK
	}
	if len(args) == 2 && args[0] == "help" && !strings.HasPrefix(args[1], "-") {
		command := byName(commands, pageName(args[1]))
		switch text, ok := page(args[1]); {
		case ok:
			p.printf("%s", text)
			if command != nil {
				p.printf("\nThe flags: board %s --help\n", command.Name)
			}
			return exitOK
		case command == nil:
			return p.fail(usagef("`board --help` lists the commands, `board help topics` the pages", "there is no command or help page %q", board.Line(args[1], 60)), false)
		}
	}
	defer func() {
		if p.src != nil {
			p.src.Close()
		}
	}()
	arranged, err := arrange(commands, args)
	if err != nil && len(args) > 0 && args[0] == "hook" {
		arranged, err = []string{"hook"}, nil // a flag that it does not know must not stop the harness that calls it
	}
	if err == nil {
		err = p.app(commands).RunContext(ctx, append([]string{"board"}, arranged...))
	}
	if werr := p.out.err; werr != nil && err == nil && !errors.Is(werr, syscall.EPIPE) {
		err = fmt.Errorf("write the output: %w", werr)
	}
	if err != nil && ctx.Err() != nil {
		err = errInterrupted // whatever the interruption broke first
	}
	return p.fail(err, wantsJSON(args))
}

// program holds what every command needs: the streams, and how to print.
type program struct {
	env   func(string) string
	in    io.Reader
	out   *checkedWriter
	err   io.Writer
	color bool
	// terminal says that a person is looking on.
	terminal bool
	// src is what a command has its answers and its model from; nil: none was needed yet.
	src *daemon.Source
	// database is the URL that --database gives.
	database string
	// embedsMuch is that this command embeds a great deal, which is worth the fastest engine.
	embedsMuch bool
}

// checkedWriter remembers its first error, so that output that went nowhere (a full disk) becomes a failure without a check at each print.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// dataHome is where the program keeps its files: $BOARD_HOME, else $XDG_DATA_HOME/blackboard, else ~/.local/share/blackboard.
func (p *program) dataHome() (string, error) {
	if dir := p.env("BOARD_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := p.env("XDG_DATA_HOME"); filepath.IsAbs(dir) { // the XDG specification: relative paths are to be ignored
		return filepath.Join(dir, "blackboard"), nil
	}
	home, err := topics.Home(p.env)
	if err != nil {
		return "", usagef("set $BOARD_HOME", "there is no data home: %v", err)
	}
	return filepath.Join(home, ".local", "share", "blackboard"), nil
}

// userHome is the user's home directory, "" if nobody knows it.
func (p *program) userHome() string {
	home, _ := topics.Home(p.env)
	return home
}

// boardsDir is the directory of the runs' files, or what stands for the database that has them.
func (p *program) boardsDir() (string, error) {
	if url := p.databaseURL(); url != "" {
		return board.UseDatabase(url)
	}
	home, err := p.dataHome()
	return filepath.Join(home, "boards"), err
}

// runName is the run that a command is about: --run, else $BOARD_RUN.
func (p *program) runName(c *cli.Context) (string, error) {
	name := c.String("run")
	if !c.IsSet("run") {
		name = p.env("BOARD_RUN")
	}
	return name, board.CheckRun(name)
}

// workerName is who acts: --worker, else $BOARD_WORKER, else the login name.
func (p *program) workerName(c *cli.Context) string {
	if name := p.namedWorker(c); name != "" || c.IsSet("worker") {
		return name
	}
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := p.env(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "anonymous"
}

// namedWorker is whom --worker or $BOARD_WORKER names, "" if neither does.
func (p *program) namedWorker(c *cli.Context) string {
	if c.IsSet("worker") {
		return c.String("worker")
	}
	return p.env("BOARD_WORKER")
}

// open opens the board of an existing run.
func (p *program) open(c *cli.Context) (*board.Board, error) {
	return p.openWith(c, board.Open)
}

// openToPost opens the board of a run that the first post makes, unless that is off.
func (p *program) openToPost(c *cli.Context) (*board.Board, error) {
	off, err := p.creationOff()
	if err != nil {
		return nil, err
	}
	if !off && !c.Bool("no-create") {
		return p.openWith(c, board.OpenOrCreate)
	}
	b, err := p.open(c)
	if errors.Is(err, fault.NotFound) {
		name, _ := p.runName(c) // it was good enough to look for
		err = fault.With(err, board.DidYouMean(name, p.runNames())+"`board runs` lists the runs; `board new` creates one, as --no-create or $BOARD_CREATE wants it")
	}
	return b, err
}

// creationOff is $BOARD_CREATE: whether only `board new` and an import may create runs.
func (p *program) creationOff() (bool, error) {
	switch v := p.env("BOARD_CREATE"); v {
	case "", "on":
		return false, nil
	case "off":
		return true, nil
	default:
		return false, usagef("on or off", "$BOARD_CREATE is %q", v)
	}
}

func (p *program) openWith(c *cli.Context, open func(context.Context, string, string) (*board.Board, error)) (*board.Board, error) {
	name, err := p.runName(c)
	if err != nil {
		return nil, err
	}
	dir, err := p.boardsDir()
	if err != nil {
		return nil, err
	}
	b, err := open(c.Context, dir, name)
	if errors.Is(err, fault.NotFound) {
		if similar := board.DidYouMean(name, p.runNames()); similar != "" {
			err = fault.With(err, similar+"`board runs` lists the runs")
		}
	}
	return b, err
}

// json prints one object: "v":1 and the given pairs of name and value.
func (p *program) json(pairs ...any) error {
	var b bytes.Buffer
	b.WriteString(`{"v":1`)
	for i := 0; i < len(pairs); i += 2 {
		var value bytes.Buffer
		enc := json.NewEncoder(&value)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(pairs[i+1]); err != nil {
			return err
		}
		fmt.Fprintf(&b, `,%q:%s`, pairs[i], bytes.TrimSpace(value.Bytes()))
	}
	b.WriteString("}\n")
	_, err := p.out.Write(b.Bytes())
	return err
}

// answer ends a command: with its error, or with what it found, as JSON (names and values, as
// json takes them) or as the text that text prints.
func (p *program) answer(c *cli.Context, err error, text func(), pairs ...any) error {
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json(pairs...)
	}
	text()
	return nil
}

// printf prints text for people. Values that agents wrote must go through safe first.
func (p *program) printf(format string, a ...any) { fmt.Fprintf(p.out, format, a...) }

// talk says something that is not data.
func (p *program) talk(format string, a ...any) { fmt.Fprintf(p.err, format+"\n", a...) }

// text is oneText for what goes onto a board or into the knowledge base. What cannot be meant as text is refused: what is once there stays.
func (p *program) text(c *cli.Context, what string, args []string) (string, error) {
	if len(args) == 1 && looksLikeID.MatchString(args[0]) {
		return "", notText(c, what, args[0])
	}
	text, err := p.oneText(c, what, args)
	if err != nil {
		return "", err
	}
	var post struct{ Content *string }
	if (len(args) == 0 || args[0] == "-") && json.Unmarshal([]byte(text), &post) == nil && post.Content != nil {
		return "", usagef("`board post --batch` reads posts as JSON lines", "the %s is a JSON object with a content of its own", what)
	}
	return text, nil
}

func notText(c *cli.Context, what, arg string) error {
	return usagef("`board "+commandName(c)+" --help` shows what it takes; pipe it in if it is meant", "%q is no %s", arg, what)
}

var looksLikeID = lazyregexp.New(`^[es][0-9]+$`)

// readAll reads at most limit bytes. A signal ends the wait for input that does not come.
func (p *program) readAll(ctx context.Context, in io.Reader, limit int64) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, limit))
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// terminalWidth is the width of a terminal in cells, or 0 if the stream is none, or too narrow to wrap for.
func terminalWidth(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		return 0
	}
	return width
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
