package learn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"blackboard/kb"
	"blackboard/kb/secret"
)

// This file finds candidates for capsules in a worklog. A worklog has one JSON object a
// line, appended by hooks. What is understood of it, under any of these names, at the
// top, or in tool_input, tool_response, tool_output, tool_info, input or result:
//
//	tool      tool, tool_name, toolName
//	command   command, command_line, cmd: a string, or a list of words
//	about     description: what the agent says the command is for
//	file      file, file_path, filePath, path; edited, unless the tool only reads
//	outcome   exit_code, exitCode, exit, returncode (a number);
//	          ok, success, is_error, isError (true or false);
//	          status (ok, success, completed, passed; error, failed, failure, timeout);
//	          error, error_message (not empty: failed);
//	          hook_event_name, event, kind (ends with Failure: failed;
//	          PostToolUse, AfterTool: passed, unless the
//	          response is a mere text, as Codex gives it for both)
//	text      error, error_message, stderr, output, stdout, text, result, tool_response (a string)
//	place     cwd
//
// An entry without an outcome counts neither as a success nor as a failure. The order
// of the lines matters, their times do not.

// Limits of a harvest.
const (
	MaxCandidates = 20
	maxLongLines  = 20      // lines that are told one by one as too long
	harvestWindow = 30      // entries after a failure in which a success explains it
	harvestError  = 3       // times that an error must have come
	harvestRun    = 4       // times that a command must have succeeded
	harvestText   = 8 << 10 // bytes of a command, and of an output at its beginning and at its end
	harvestKeys   = 10_000  // different commands and errors that are counted
)

// Candidate is a capsule that a worklog suggests and that nobody has judged yet.
type Candidate struct {
	Capsule  kb.Capsule `json:"capsule"`
	Why      string     `json:"why"`
	Evidence []string   `json:"evidence"` // "line 12: failed: go test ./..."

	strength float64
	first    int // line
}

// HarvestSet has the candidates of a worklog, the strongest first.
type HarvestSet struct {
	Lines      int          `json:"lines"`
	Entries    int          `json:"entries"`
	Failures   int          `json:"failures"`
	NotJSON    int          `json:"not_json"` // lines that are no JSON object
	Candidates []Candidate  `json:"candidates"`
	Left       int          `json:"left"`    // weaker candidates that are not among them
	Refused    []kb.Refused `json:"refused"` // what was not read
}

// Harvest reads a worklog and writes nothing. It finds commands that failed and later
// passed, with the changes between; repeated errors; and repeated commands.
func Harvest(r io.Reader) (HarvestSet, error) {
	h := harvester{errs: map[string]*trouble{}, fixes: map[string]*fix{},
		runs: map[string]*habit{}}
	set := HarvestSet{Candidates: []Candidate{}, Refused: []kb.Refused{}}
	in := newLineReader(r)
	long := 0
	for in.next() {
		if in.long {
			if long++; long <= maxLongLines {
				set.Refused = append(set.Refused, kb.Refused{From: fmt.Sprintf("line %d", in.n),
					Why: "the line exceeds 1 MB"})
			}
			continue
		}
		if strings.TrimSpace(in.text) == "" {
			continue
		}
		var m map[string]any
		if json.Unmarshal([]byte(in.text), &m) != nil || m == nil {
			set.NotJSON++
			continue
		}
		set.Entries++
		w := readWork(m)
		w.line, w.seq = in.n, set.Entries
		if w.outcome == failed {
			set.Failures++
		}
		h.take(&w)
	}
	set.Lines = in.n
	if long > maxLongLines {
		set.Refused = append(set.Refused, kb.Refused{From: "the rest",
			Why: fmt.Sprintf("%d more lines exceed 1 MB", long-maxLongLines)})
	}
	if in.cut() {
		set.Refused = append(set.Refused, kb.Refused{From: fmt.Sprintf("after line %d", in.n),
			Why: "the rest was not read: the limit is 256 MB"})
	}
	if h.full {
		set.Refused = append(set.Refused, kb.Refused{From: "counting",
			Why: fmt.Sprintf("more than %d different commands or errors; later ones "+
				"were not counted", harvestKeys)})
	}
	if in.err != nil {
		return set, fmt.Errorf("read the worklog: %w", in.err)
	}
	all := h.candidates()
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.first, b.first),
			strings.Compare(a.Capsule.Title, b.Capsule.Title))
	})
	set.Left = max(0, len(all)-MaxCandidates)
	set.Candidates = append(set.Candidates, all[:len(all)-set.Left]...)
	for i := range set.Candidates { // what was typed in a terminal may hold a key
		c := &set.Candidates[i]
		c.Capsule.Title, c.Capsule.Body, c.Why = secret.Mask(c.Capsule.Title),
			secret.Mask(c.Capsule.Body), secret.Mask(c.Why)
		for j := range c.Evidence {
			c.Evidence[j] = secret.Mask(c.Evidence[j])
		}
	}
	return set, nil
}
