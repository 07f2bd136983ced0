// Command svg makes a picture of terminal screens: an SVG of one screen, or an animated one of
// several.
//
// A screen is what `tmux capture-pane -e -p -N` prints: lines of text with SGR sequences, whose
// style goes on from line to line. screen.go and sgr.go read that into cells; row.go and box.go
// draw a row of cells; picture.go puts rows into a window and frames behind one another;
// palette.go has the colours. The same screens make the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

const usage = `svg: make a picture of terminal screens

  svg [flags] FILE > picture.svg                    one screen; - is standard input
  svg [flags] FILE@SECONDS FILE@SECONDS… > it.svg   an animation, each screen from its time on

A screen is what "tmux capture-pane -e -p -N" prints. The animation begins with the first screen, whatever
its time, and loops; to whom prefers reduced motion it shows the last screen.

`

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// usageError is one of what was asked, not of what was read.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// run is the program but for the process around it; it returns the exit code.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("svg", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
	}
	columns := flags.Int("columns", 0, "the terminal has `N` columns; 0: as many as the widest line")
	rows := flags.Int("rows", 0, "the terminal has `N` rows; 0: as many as the longest screen")
	light := flags.Bool("light", false, "dark text on a light background")
	title := flags.String("title", "", "what the picture shows, in one `LINE`, for those who cannot see it")
	hold := flags.Float64("hold", 5, "show the last screen of an animation for this many `SECONDS`")
	output := flags.String("o", "", "write to `FILE` instead of standard output")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	p := &picture{theme: dark, columns: *columns, rows: *rows, title: *title, hold: *hold}
	if *light {
		p.theme = bright
	}
	err := p.check()
	if err == nil {
		p.frames, err = readFrames(flags.Args(), in)
	}
	var svg string
	if err == nil {
		svg, err = p.svg()
	}
	if err == nil {
		err = write(*output, svg, out)
	}
	var wrongUse *usageError
	switch {
	case errors.As(err, &wrongUse):
		fmt.Fprintf(errs, "svg: %v\n  try: svg -help\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(errs, "svg: %v\n", err)
		return exitFailure
	}
	return exitOK
}

// check says what is wrong with what was asked.
func (p *picture) check() error {
	switch {
	case p.columns < 0 || p.rows < 0:
		return &usageError{"-columns and -rows are numbers of cells, 0 or more"}
	case !(p.hold > 0 && p.hold <= maxSeconds): // so that NaN is refused too
		return &usageError{fmt.Sprintf("-hold is a time in seconds, above 0 and at most %d", maxSeconds)}
	}
	return nil
}

// maxSeconds is the longest time that an animation may take to its last screen, and from there on.
const maxSeconds = 3600

// readFrames reads the screens that the arguments name. Times count from the first, and must rise;
// screens that look like the one before them are left out.
func readFrames(args []string, in io.Reader) ([]frame, error) {
	if len(args) == 0 {
		return nil, &usageError{"no screen is named"}
	}
	var frames []frame
	last, first := math.Inf(-1), 0.0
	for i, arg := range args {
		name, at := arg, 0.0
		if len(args) > 1 {
			var err error
			if name, at, err = splitTime(arg); err != nil {
				return nil, err
			}
			if at <= last {
				return nil, &usageError{fmt.Sprintf("%s is not later than the screen before it: times must rise", arg)}
			}
			last = at
		}
		if i == 0 {
			first = at
		}
		text, err := read(name, in)
		if err != nil {
			return nil, err
		}
		s, err := parseScreen(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(frames) > 0 && frames[len(frames)-1].screen.equal(s) {
			continue
		}
		frames = append(frames, frame{name: name, at: at - first, screen: s})
	}
	return frames, nil
}

// splitTime takes FILE@SECONDS apart.
func splitTime(arg string) (name string, at float64, err error) {
	cut := strings.LastIndexByte(arg, '@')
	if cut > 0 {
		name = arg[:cut]
		at, err = strconv.ParseFloat(arg[cut+1:], 64)
	}
	if cut <= 0 || err != nil || !(at >= 0 && at <= maxSeconds) {
		return "", 0, &usageError{fmt.Sprintf("%q is not FILE@SECONDS with 0 to %d seconds: with several screens each has its time", arg, maxSeconds)}
	}
	return name, at, nil
}

func read(name string, in io.Reader) (string, error) {
	if name == "-" {
		b, err := io.ReadAll(in)
		if err != nil {
			return "", fmt.Errorf("standard input: %w", err)
		}
		return string(b), nil
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

func write(name, svg string, out io.Writer) error {
	if name != "" {
		return os.WriteFile(name, []byte(svg), 0o644)
	}
	if _, err := io.WriteString(out, svg); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
