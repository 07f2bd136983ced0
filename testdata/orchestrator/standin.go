package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"blackboard/board"
)

// ==== YOUR AGENT GOES HERE ====
//
// This file stands for agents: find and says become calls of yours, with what `board help agents`
// prints, what is known from earlier runs (known), and the documents that the agent is to read.
// The functions below look for patterns instead, so that the example needs no model and comes out
// the same each time. What they post they find in the documents: another number there is another
// finding here.

var workers = []worker{
	{"operations", operationsFind, operationsAnswer},
	{"network", networkFind, networkAnswer},
	{"move", moveFind, moveAnswer},
}

// begin prints what the worker knows from earlier runs, and has it find.
func (w *worker) begin(t *task) {
	for line := range strings.Lines(t.known) {
		if capsule, ok := strings.CutPrefix(line, "- "); ok {
			fmt.Fprintf(os.Stderr, "worker %s begins with: %s", w.name, capsule)
		}
	}
	w.find(t)
}

// source is where a finding is from.
type source struct {
	document, place, quote string
	found                  []string // the line that matched, then what the parentheses matched
}

// lines returns the lines of a document.
func (t *task) lines(document string) []string {
	text, err := os.ReadFile(filepath.Join(t.folder, document))
	if err != nil && t.err == nil {
		t.err = err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// look finds the first line that matches. A document that has none is an error: there is nothing
// to post without a source.
func (t *task) look(document, pattern string) source {
	re := regexp.MustCompile(pattern)
	for i, line := range t.lines(document) {
		if found := re.FindStringSubmatch(line); found != nil {
			return source{document, strconv.Itoa(i + 1), line, found}
		}
	}
	if t.err == nil {
		t.err = fmt.Errorf("no line of %s matches %s", document, pattern)
	}
	return source{found: make([]string, re.NumSubexp()+1)}
}

// number reads what a pattern found.
func (t *task) number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && t.err == nil {
		t.err = err
	}
	return n
}

// finding makes a post of a text and its source. The options say what is special about it.
func finding(s source, confidence float64, text string, options ...func(*board.Post)) board.Post {
	p := board.Post{Content: text, SourceDoc: s.document, SourceRef: s.place, Evidence: s.quote, Confidence: &confidence}
	for _, o := range options {
		o(&p)
	}
	return p
}

func must(p *board.Post)                { p.MustSurface = true }
func kind(k string) func(*board.Post)   { return func(p *board.Post) { p.Type = k } }
func tag(name string) func(*board.Post) { return func(p *board.Post) { p.Tags = []string{name} } }
func contradicts(entry string) func(*board.Post) {
	return func(p *board.Post) { p.Contradicts = []string{entry} }
}

// night is a line of backup.log.
type night struct {
	date, ends string
	rate       float64
}

func (t *task) nights() []night {
	var all []night
	for _, line := range t.lines("backup.log")[1:] {
		if f := strings.Fields(line); len(f) == 5 {
			all = append(all, night{f[0], f[2], t.number(f[4])})
		}
	}
	return all
}

// operationsFind holds the log against the runbook.
func operationsFind(t *task) {
	window := t.look("runbook.md", `^Window: [0-9:]+ to ([0-9:]+)`)
	ends := window.found[1]
	t.post("window", finding(window, 1, "The nightly backup has to end by "+ends))
	rate := t.look("runbook.md", `^Rate: ([0-9]+) MB/s`)
	planned := t.post("planned", finding(rate, 0.7, "The runbook plans the backup with "+rate.found[1]+" MB/s"))
	first, late, slow, sum := "", 0, 0, 0.0
	nights := t.nights()
	for _, n := range nights {
		if n.ends > ends {
			late++
			if first == "" {
				first = n.date
			}
		}
		if first != "" {
			slow++
			sum += n.rate
		}
	}
	if late == 0 {
		return
	}
	log := t.look("backup.log", "^"+first+" ")
	t.post("late", finding(log, 1, fmt.Sprintf("The backup ended after %s in %d of %d nights, for the first time on %s", ends, late, len(nights), first), kind(board.Calculation), must))
	mean := fmt.Sprintf("The log has %.0f MB/s on average since %s, where the runbook plans with %s MB/s", sum/float64(slow), first, rate.found[1])
	measured := t.post("rate", finding(log, 0.9, mean, contradicts(planned)))
	t.ask("cause", "high", measured, "What has slowed the backup down since "+first+"?")
}

// networkFind reads the changes and the mail about them.
func networkFind(t *task) {
	change := t.look("changes.md", `^- ([0-9-]+) (CHG-[0-9]+): .* limited to ([0-9]+) MB/s`)
	limit := t.post("limit", finding(change, 1, fmt.Sprintf("%s limits the line of the rack to %s MB/s since %s", change.found[2], change.found[3], change.found[1]), must))
	t.ask("full", "critical", limit, "Does a full backup at "+change.found[3]+" MB/s fit into the time that the move leaves for it?")
	lifting := t.look("mail.txt", `^Lifting the limit takes (.*[0-9]+ working days)`)
	t.post("lifting", finding(lifting, 0.8, "Lifting the limit takes "+lifting.found[1], must))
	lasting := t.look("mail.txt", `^For next time: (.*)$`)
	t.post("lasting", finding(lasting, 0.9, lasting.found[1], tag("lasting")))
}

// moveFind reads the plan of the move, the lease and the list of disks.
func moveFind(t *task) {
	date := t.look("move-plan.md", `^Date: the lorry leaves on ([0-9-]+)`)
	t.post("date", finding(date, 1, "The lorry leaves on "+date.found[1], must))
	row := t.look("move-plan.md", `^Before: ([0-9]+) nights in a row`)
	before := t.post("before", finding(row, 1, "The move waits for "+row.found[1]+" nights in a row whose backup ends within its window", must))
	t.ask("nights", "medium", before, "How many of the last "+row.found[1]+" nights had a backup that ended within its window?")
	disks, n, gb := t.volumes()
	t.post("volumes", finding(disks, 1, fmt.Sprintf("The %d volumes hold %.0f GB", n, gb), kind(board.Calculation)))
	plan := t.look("move-plan.md", `^Lease: .* until ([0-9-]+)`)
	lease := t.post("lease", finding(plan, 0.6, "The move plan counts on the old room until "+plan.found[1]))
	if contract := t.look("contract.txt", `lease ends on ([0-9-]+)`); contract.found[1] != plan.found[1] {
		t.post("contract", finding(contract, 1, fmt.Sprintf("The lease ends on %s by the contract, not on %s as the move plan has it", contract.found[1], plan.found[1]), contradicts(lease)))
	}
	open := t.look("move-plan.md", `^Open: ([^?]*[?])`)
	gap := t.post("open", finding(open, 1, "The move plan leaves a question open: "+open.found[1], kind(board.Gap)))
	t.ask("open", "high", gap, open.found[1])
}

// volumes adds up storage.csv, whose rows are the source.
func (t *task) volumes() (s source, n int, gb float64) {
	rows := t.lines("storage.csv")[1:]
	for _, row := range rows {
		if f := strings.Split(row, ","); len(f) > 1 {
			gb += t.number(f[1])
		}
	}
	return source{"storage.csv", fmt.Sprintf("2-%d", len(rows)+1), strings.Join(rows, "\n"), nil}, len(rows), gb
}

func operationsAnswer(t *task, question string) *board.Post {
	asked := regexp.MustCompile(`^How many of the last ([0-9]+) nights`).FindStringSubmatch(question)
	if asked == nil {
		return nil
	}
	ends := t.look("runbook.md", `^Window: [0-9:]+ to ([0-9:]+)`).found[1]
	lines, nights := t.lines("backup.log")[1:], t.nights()
	from := max(0, len(nights)-int(t.number(asked[1])))
	within, last := 0, ""
	for _, n := range nights[from:] {
		if n.ends <= ends {
			within++
			last = ", " + n.date + " being the last"
		}
	}
	log := source{"backup.log", "the last " + asked[1] + " lines", strings.Join(lines[from:], "\n"), nil}
	p := finding(log, 0.9, fmt.Sprintf("%d of the last %d nights had a backup that ended within its window%s", within, len(nights)-from, last), kind(board.Analysis), must)
	return &p
}

func networkAnswer(t *task, question string) *board.Post {
	asked := regexp.MustCompile(`^What has slowed the backup down since ([0-9-]+)`).FindStringSubmatch(question)
	if asked == nil {
		return nil
	}
	var p *board.Post
	for i, line := range t.lines("changes.md") {
		if change, ok := strings.CutPrefix(line, "- "); ok && change < asked[1] {
			q := finding(source{"changes.md", strconv.Itoa(i + 1), line, nil}, 0.9, "The last change before "+asked[1]+" is of "+change, kind(board.Analysis), must)
			p = &q
		}
	}
	return p
}

func moveAnswer(t *task, question string) *board.Post {
	asked := regexp.MustCompile(`^Does a full backup at ([0-9]+) MB/s fit`).FindStringSubmatch(question)
	if asked == nil {
		return nil
	}
	rate, hours := t.number(asked[1]), t.number(t.look("move-plan.md", `^Full backup: ([0-9]+) hours`).found[1])
	disks, _, gb := t.volumes()
	needs, fits := math.Ceil(gb*1000/hours/3600), "fits"
	if rate < needs {
		fits = "does not fit"
	}
	p := finding(disks, 0.9, fmt.Sprintf("At %.0f MB/s a full backup of %.0f GB takes %.1f hours, and the move leaves %.0f: it %s; it needs %.0f MB/s",
		rate, gb, gb*1000/rate/3600, hours, fits, needs), kind(board.Analysis), must)
	return &p
}
