package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board"
	"blackboard/board/text"
)

// Runes of a content that the CI formats show; the board has the rest.
const (
	titleRunes   = 100  // in a name of a test case or an annotation
	cellRunes    = 240  // in a table cell or an annotation
	messageRunes = 1000 // in a report that is stored
)

// maxRows is how many rows a job summary shows: GitHub refuses one of more than 1 MiB.
const maxRows = 500

// maxAnnotations is how many errors of one step GitHub shows outside of its log.
const maxAnnotations = 10

// CI is the verdict of a gate, a check or one of its steps, from which the formats of CI services are written.
type CI struct {
	tool     string // board gate, board survival, board check
	version  string
	run      string
	seq      int64
	ok       bool
	headline string
	caveat   string   // what a pass does not say
	notes    []string // what else a reader of the verdict should know
	findings []finding
	policy   string // the file that says what is asked for; "": none
}

type finding struct {
	rule    string // one of rules
	id      string // e12, s3, "e3 e9", or "" for a rule about a number
	label   string // what it is about, in a few words
	test    string // the name of its test in JUnit, with the content; "": the label
	cause   string // open, absent, number differs, …; "" if ok
	message string // the content
	details []string
	clear   string // what would clear it
	file    string // a slashed path, for survival
	line    int    // from 1; 0 if no place is near
	ok      bool
	warning string // of one that is ok: what makes that worth little
	skipped string // of one that is ok because nothing was looked at: why
}

// ruleEnough is about what there is to look for.
const ruleEnough = "nothing-to-check"

type rule struct{ id, text, help string }

// The one rule of board conflicts, and that of board trace.
const (
	ruleConflict = "conflict"
	ruleFact     = "unsupported-fact"
)

// rules lists the rules that findings refer to, by tool.
var rules = map[string][]rule{
	"board gate": {
		{board.RuleEmpty, "Something was posted or raised", "Post what was found: board post."},
		{board.RuleMinEntries, "As many entries were posted as the policy asks for", "Post what was found: board post."},
		{board.RuleExpected, "Every expected worker has finished", "Say that it has finished (board done), or drop it with a reason (board expect --drop)."},
		{board.RuleOpenSignal, "No question of a blocking priority is open", "Answer the question with an entry (board answer), or waive it with a reason (board waive)."},
		{board.RuleMaxOpen, "No more questions are open than the policy allows", "Answer or waive questions: board signals --status open lists them."},
		{board.RuleMaxDisputed, "No more entries are disputed than the policy allows", "Post an entry that supersedes the disputed one, or the one that contradicts it."},
		{board.RuleConflicts, "No more pairs of entries may contradict each other than the policy allows", "Read both entries (board conflicts); settle the pair with a reason (board accept), or supersede the entry that is wrong."},
		{board.RuleSource, "Every entry that must surface, or answers a question, names its source", "Name the source: board correct, with --source."},
		{board.RuleVerified, "Every must-surface entry and every answer stands in its source", "Run board verify, and supersede what is doubted."},
		{board.RuleAccepted, "No more doubts about such were accepted than the policy allows", "Take an acceptance back (board accept --revoke), and mend what was doubted."},
		{board.RuleRan, "Hooks saw every worker run the commands that the policy asks for, and they passed after its last edit", "Run the command in the worker's session, alone, until it passes; board setup gives a harness its hooks."},
		{board.RuleEvidence, "Every must-surface entry and every answer has a quote", "Post the entry again with --quote, superseding the one without."},
	},
	"board conflicts": {
		{ruleConflict, "All contradictions between findings are on record", "Read both. Settle the pair with a reason (board accept), supersede the entry that is wrong, or link them (board link --contradicts)."},
	},
	"board verify": {
		{"quote", "Every quote stands in its source, where its reference says", "Read the source, and correct the entry."},
		{"value", "Every number, date, identifier and name of a finding without a quote stands in its source", "Read the source, and correct the entry."},
		{"source", "Every source that a finding names is one file, and registered", "Register the source (board source add), or name it by its path."},
		{"source-changed", "Every source is the file that was registered", "Read the source again, and register it: board source add."},
	},
	"board survival": {
		{"must-surface", "The report has every must-surface entry", "Write the finding, with its numbers, into one passage of the report."},
		{"contradiction", "The report has every contradiction", "Say in the report what contradicts what."},
		{"open-signal", "The report has every open question", "Say in the report that the question is open."},
		{"waived-signal", "The report has every waived question", "Say in the report that the question was left open, and why."},
		{ruleEnough, "There is something that has to be in the report", "Post what was found (board post), with --must what has to be in the report."},
	},
	"board ran": {
		{"ran", "Hooks saw each command run that a worker says to have run", "Run it again in the worker's session, and say so again: board done --ran."},
	},
	"board citations": {
		{"citations", "Each handle in the report is that of a finding that stands", "Cite what the digest says: board digest."},
	},
	"board trace": {
		{ruleFact, "An entry or a source supports every fact of the report", "Post the finding with its source, correct the report, or take the fact out."},
	},
}

// Under says which file the report follows. What has no file of its own is found there.
func (r CI) Under(policy string) CI {
	if policy != "" {
		r.policy = repositoryPath(policy)
	}
	return r
}

// withFailure makes sure that a report that failed has a failed finding: no reader of it may show it green.
func (r CI) withFailure() CI {
	if !r.ok && len(r.failed()) == 0 {
		r.findings = append(r.findings, finding{rule: rulesOf(r.tool)[0].id, label: r.tool, cause: "failed", message: r.headline, clear: "run " + r.tool + " by hand"})
	}
	return r
}

func (r CI) failed() []finding {
	return slices.DeleteFunc(slices.Clone(r.findings), func(f finding) bool { return f.ok })
}

// warned returns the findings that passed with a warning.
func (r CI) warned() []finding {
	return slices.DeleteFunc(slices.Clone(r.findings), func(f finding) bool { return f.warning == "" })
}

func (f finding) title() string {
	if f.message == "" {
		return f.label
	}
	return f.label + ": " + line(f.message, titleRunes)
}

// lines are what a person reads about a finding: content, details, what would clear it.
func (f finding) lines(content int) []string {
	lines := append([]string{line(f.message, content)}, f.details...)
	if f.clear != "" {
		lines = append(lines, "to clear: "+line(f.clear, cellRunes))
	}
	return lines
}

// Markdown writes the report as a job summary.
func (r CI) Markdown(w io.Writer) error {
	var b strings.Builder
	light := "✅"
	switch {
	case !r.ok:
		light = "❌"
	case len(r.warned()) > 0:
		light = "⚠️"
	}
	fmt.Fprintf(&b, "## %s %s\n\nRun `%s`, up to event %d.", light, markdownCell(r.headline), r.run, r.seq)
	if r.caveat != "" {
		b.WriteString(" " + r.caveat)
	}
	b.WriteString("\n")
	warned := r.warned()
	for _, f := range warned[:min(len(warned), maxRows)] {
		fmt.Fprintf(&b, "\nWarning: %s.\n", markdownCell(strings.TrimSuffix(f.warning, ".")))
	}
	for _, n := range r.notes {
		fmt.Fprintf(&b, "\n%s\n", markdownCell(n))
	}
	failed := r.failed()
	if len(failed) > 0 {
		b.WriteString("\n| Id | Rule | What | Details | To clear |\n| --- | --- | --- | --- | --- |\n")
		for _, f := range failed[:min(len(failed), maxRows)] {
			details := strings.Join(f.details, "; ")
			if f.file != "" {
				details += "; " + f.file
			}
			if f.line > 0 {
				details += fmt.Sprintf(":%d", f.line)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cmp.Or(markdownCell(f.id), "–"), f.rule, markdownCell(line(f.message, cellRunes)), markdownCell(details), markdownCell(line(f.clear, cellRunes)))
		}
		if rest := len(failed) - maxRows; rest > 0 {
			fmt.Fprintf(&b, "\n%d more are not shown: run `%s` for them.\n", rest, r.tool)
		}
	}
	skipped, passed := 0, 0
	for _, f := range r.findings {
		switch {
		case f.skipped != "":
			skipped++
		case f.ok && f.warning == "":
			passed++
		}
	}
	if skipped > 0 {
		fmt.Fprintf(&b, "\n%s not checked.\n", text.Count(int64(skipped), "finding was", "findings were"))
	}
	if passed > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s passed</summary>\n\n", text.Count(int64(passed), "check", "checks"))
		shown := 0
		for _, f := range r.findings {
			if f.ok && f.warning == "" && f.skipped == "" && shown < maxRows {
				shown++
				fmt.Fprintf(&b, "- %s\n", markdownCell(f.title()))
			}
		}
		if passed > shown {
			fmt.Fprintf(&b, "- and %d more\n", passed-shown)
		}
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oldCommand starts a command that some CI runners obey within a line: ##[add-mask], ##vso[…].
var oldCommand = text.NewRegexp(`##(\w*)\[`)

// line puts a text on one line, since runners obey lines that begin with "::", cuts it at
// n runes and takes control characters out.
func line(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case text.Hidden(r), r == 0xfffe, r == 0xffff:
			return utf8.RuneError
		}
		return r
	}, s)
	return oldCommand.ReplaceAllString(board.Line(s, n), "# #$1[")
}

// markdownCell makes a text stand for itself in a table cell or a list item: no link,
// image, tag, formula or mention comes of it.
func markdownCell(s string) string {
	var b strings.Builder
	for _, r := range line(s, utf8.RuneCountInString(s)) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@':
			b.WriteString("&#64;")
		case strings.ContainsRune("\\`*_{}[]|~#!$", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// repositoryPath names a report as CI tools want it: from the root of the checkout, with slashes.
// A file elsewhere keeps the name it was given, and standard input is called stdin.
func repositoryPath(path string) string {
	if path == "-" || path == "standard input" || path == "" {
		return "stdin"
	}
	root := cmp.Or(os.Getenv("GITHUB_WORKSPACE"), ".")
	absRoot, err1 := filepath.Abs(root)
	abs, err2 := filepath.Abs(path)
	if err1 == nil && err2 == nil {
		if rel, err := filepath.Rel(absRoot, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

// fileURI writes a slashed path as a URI reference.
func fileURI(path string) string {
	u := url.URL{Path: path}
	if strings.HasPrefix(path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
