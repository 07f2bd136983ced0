package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/shell"
)

// The recorded runs. "#" is printed. "$" is run through the real program, or exports
// the run, and must exit with the code behind it, 0 without one. ">" names a file and
// "|" its lines.
//
//go:embed demo.txt
var demoScript string

func (p *program) demo(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "board-demo-")
	if err != nil {
		return err
	}
	if !c.Bool("keep") {
		defer os.RemoveAll(dir)
	}
	d := &demoPlayer{program: p, c: c, dir: dir}
	if p.Terminal && !c.Bool("fast") {
		d.pause = 400 * time.Millisecond
	}
	for _, l := range strings.Split(strings.TrimSpace(demoScript), "\n") {
		if err := d.step(l); err != nil {
			return err
		}
	}
	if err := d.flush(); err != nil {
		return err
	}
	p.Printf("\nThat was it. Try next:\n")
	if c.Bool("keep") {
		p.Printf("  export BOARD_HOME=%s BOARD_RUN=payments\n  board show e4                  an "+
			"entry with its links both ways\n  board export -o payments.html  the whole run to look at\n",
			dir)
	} else {
		p.Printf("  board demo --keep              the same, and the runs stay to look around in\n")
	}
	p.Printf("  board model pull               91 MB: searches find what is said in other words\n")
	p.Printf("  board post \"…\" -r my-run       the first post makes a run\n  board gate -r " +
		"my-run           in CI, before the report is written\n  board help all                 " +
		"everything else\n")
	return nil
}

type demoPlayer struct {
	*program
	c     *cli.Context
	dir   string
	pause time.Duration
	run   string // $BOARD_RUN
	file  string // being written
	files []string
	text  strings.Builder
}

func (d *demoPlayer) step(l string) error {
	if !strings.HasPrefix(l, "|") {
		if err := d.flush(); err != nil {
			return err
		}
	}
	kind, rest, _ := strings.Cut(l, " ")
	switch {
	case l == "":
		d.Printf("\n")
	case kind == "#":
		d.Printf("%s\n", d.Paint(base.Bold, "# "+rest))
		time.Sleep(d.pause)
	case kind == ">":
		d.file, d.files = rest, append(d.files, rest)
		d.Printf("%s\n", d.Paint(base.Dim, "$ cat "+rest))
	case kind == "|":
		d.text.WriteString(rest + "\n")
		d.Printf("  %s\n", rest)
	default:
		want := 0
		if code := strings.TrimPrefix(kind, "$"); code != "" {
			var err error
			if want, err = strconv.Atoi(code); err != nil {
				return fmt.Errorf("demo script: %q: %w", l, err)
			}
		}
		return d.play(rest, want)
	}
	return nil
}

// flush writes the file whose lines were read.
func (d *demoPlayer) flush() error {
	if d.file == "" {
		return nil
	}
	err := os.WriteFile(filepath.Join(d.dir, d.file), []byte(d.text.String()), 0o600)
	d.file = ""
	d.text.Reset()
	return err
}

func (d *demoPlayer) play(commandLine string, want int) error {
	d.Printf("%s\n", d.Paint(base.Dim, "$ "+commandLine))
	if run, ok := strings.CutPrefix(commandLine, "export BOARD_RUN="); ok {
		d.run = run
		return nil
	}
	args := shell.Commands(commandLine, "", nil)[0].Words[1:]
	for i, a := range args { // the demo's files are not in the working directory
		if slices.Contains(d.files, a) {
			args[i] = filepath.Join(d.dir, a)
		}
	}
	env := func(name string) string {
		switch name {
		case "BOARD_HOME":
			return d.dir
		case "BOARD_MODEL_DIR": // no model: the same is found on every machine
			return d.dir
		case "BOARD_DAEMON":
			return "off"
		case "BOARD_WORKSPACE":
			return d.dir
		case "BOARD_RUN":
			return d.run
		case "BOARD_CREATE":
			return "on"
		case "BOARD_DATABASE_URL": // nobody else's boards
			return ""
		case "BOARD_POLICY": // that of the working directory is another's
			return ""
		}
		return d.Env(name)
	}
	// Its own directory is noise in what the demo prints.
	out := &cleaner{w: d.Out, from: d.dir + string(filepath.Separator)}
	q := &program{&base.Program{Env: env, In: strings.NewReader(""), Out: &base.CheckedWriter{W: out},
		Err: out, Color: d.Color}}
	if got := q.main(d.c.Context, args); got != want {
		return fmt.Errorf("demo: `%s` ended with exit code %d, not %d", commandLine, got, want)
	}
	if want != 0 {
		d.Printf("%s\n", d.Paint(base.Dim, fmt.Sprintf("(exit code %d)", want)))
	}
	time.Sleep(d.pause)
	return nil
}

type cleaner struct {
	w    *base.CheckedWriter
	from string
}

func (c *cleaner) Write(b []byte) (int, error) {
	if _, err := c.w.Write([]byte(strings.ReplaceAll(string(b), c.from, ""))); err != nil {
		return 0, err
	}
	return len(b), nil
}
