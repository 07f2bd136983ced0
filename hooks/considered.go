package hooks

import (
	"fmt"
	"strings"

	"blackboard/board/text"
)

// Considered is something that an answer might have, and why it was given or left out.
type Considered struct {
	What   string `json:"what"`   // its name, or its kind and id
	Tokens int    `json:"tokens"` // how many tokens it has
	Given  bool   `json:"given"`  // whether it is given
	Why    string `json:"why"`    // why it is given or left out
}

func (c Considered) String() string {
	how := "left out"
	if c.Given {
		how = "given"
	}
	return fmt.Sprintf("%s, %d tokens, %s: %s", c.What, c.Tokens, how, c.Why)
}

// tokensOf estimates the tokens of a text.
func tokensOf(s string) int { return (len(s) + tokenBytes - 1) / tokenBytes }

func (t *turn) gave(what, part, why string) {
	t.considered = append(t.considered, Considered{what, tokensOf(part), true, why})
}

func (t *turn) leftOut(what, part, why string) {
	t.considered = append(t.considered, Considered{what, tokensOf(part), false, why})
}

// SpecBytes is about how much of a topic's spec a start page shows beside its other parts.
const SpecBytes = 3600

// Reasons why something is left out.
const (
	noRoom    = "no room is left"
	givenOnce = "given in this session"
	cleanRoom = "a review is judged afresh"
)

// framed puts parts into the frame, and counts them as spent in the session.
func (t *turn) framed(parts []string, given *sessionState) string {
	answer := text.Framed(parts)
	if given.Spent += tokensOf(answer); answer != "" {
		t.gave("in all", answer, t.spent(given))
	}
	return answer
}

// spent says how much of its budget the session has had: start pages, prompts and subagents.
func (t *turn) spent(given *sessionState) string {
	return fmt.Sprintf("the session has had %d tokens of %d", given.Spent, t.depth.SessionBudget)
}

// sessionRoom is the room of an answer with this budget, in what the session has left.
func (t *turn) sessionRoom(budget int, given *sessionState) *room {
	left := t.depth.SessionBudget - given.Spent
	if left < budget {
		t.leftOut("part of this answer", "", t.spent(given))
	}
	return &room{tokenBytes*max(0, min(budget, left, MaxBudget)) - len(text.Framed([]string{""}))} // inside the frame
}

// logConsidered writes to the log what the answer might have had.
func (t *turn) logConsidered() {
	if t.Home == "" || t.Preview || len(t.considered) == 0 {
		return
	}
	parts := make([]string, len(t.considered))
	for i, c := range t.considered {
		parts[i] = c.String()
	}
	if f, err := openLog(RecallPath(t.Home)); err == nil {
		defer f.Close()
		writeLog(f, t.now, logged(12_000, "%s %s: %s", t.e.Harness, t.e.Name,
			strings.Join(parts, "; ")))
	}
}

// clean reports whether the session judges afresh: nothing of what others found is given.
func (t *turn) clean() bool { return t.topic.CleanRoom() }

// oneLine returns a harmless text without line ends, of at most n bytes.
func oneLine(s string, n int) string {
	return clip(strings.Join(strings.Fields(text.Harmless(s)), " "), n)
}

// clip cuts a text to at most n bytes. A mark shows that it was cut.
var clip = text.ClipBytes

// quoted returns a harmless text, each line after a mark: none passes for our heading.
func quoted(s string) string {
	lines := strings.Split(strings.Trim(text.Harmless(s), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("| "+l, " ")
	}
	return strings.Join(lines, "\n")
}
