package board

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/words"
)

// The kinds of errors of this package.
var (
	invalid, notFound, conflict = fault.Invalid.New, fault.NotFound.New, fault.Conflict.New
	clip                        = fault.Clip
)

// Limits of a board.
const (
	// bytes of an entry's or a signal's content, of evidence, a goal, a variable's value
	MaxContent = 64 << 10
	MaxField   = 4 << 10 // bytes of a source, a reason, a note, a key
	MaxName    = 200     // bytes of a worker's name, a tag, a variable's name
	MaxTags    = 64      // tags of one entry
	MaxLinks   = 1024    // links of one entry
	MaxSources = 16      // sources of one entry
	MaxBatch   = 10_000  // posts of one batch
)

// Entry types.
const (
	Observation   = "observation"
	Analysis      = "analysis"
	Calculation   = "calculation"
	Strategy      = "strategy"
	Gap           = "gap"
	Contradiction = "contradiction"
)

// EntryTypes lists the types of an entry.
var EntryTypes = []string{Observation, Analysis, Calculation, Strategy, Gap, Contradiction}

// Statuses of an entry and of a signal.
const (
	Active     = "active"
	Disputed   = "disputed"   // an entry contradicts it
	Superseded = "superseded" // an entry replaces it

	SignalOpen = "open"
	Addressed  = "addressed" // an entry answers it
	Waived     = "waived"    // somebody decided, with a reason, to leave it open
)

// EntryStatuses and SignalStatuses list the statuses.
var (
	EntryStatuses  = []string{Active, Disputed, Superseded}
	SignalStatuses = []string{SignalOpen, Addressed, Waived}
)

// Priorities of a signal, most urgent first.
var Priorities = []string{"critical", "high", "medium", "low"}

// Link kinds. The target of Addresses is a signal, that of the others an entry.
const (
	Supports    = "supports"
	Contradicts = "contradicts" // the target becomes disputed
	Supersedes  = "supersedes"  // the target becomes superseded
	Addresses   = "addresses"   // an open target becomes addressed
)

// LinkKinds lists the kinds of a link.
var LinkKinds = []string{Supports, Contradicts, Supersedes, Addresses}

// Links are what an entry points at, by id, in the order given.
type Links struct {
	Supports    []string `json:"supports"`
	Contradicts []string `json:"contradicts"`
	Supersedes  []string `json:"supersedes"`
	Addresses   []string `json:"addresses"`
}

// of returns the list of one kind, to read or to change.
func (l *Links) of(kind string) *[]string {
	switch kind {
	case Supports:
		return &l.Supports
	case Contradicts:
		return &l.Contradicts
	case Supersedes:
		return &l.Supersedes
	default:
		return &l.Addresses
	}
}

// Of returns the ids of one kind of link.
func (l Links) Of(kind string) []string { return *l.of(kind) }

// Count returns how many links there are.
func (l Links) Count() int {
	return len(l.Supports) + len(l.Contradicts) + len(l.Supersedes) + len(l.Addresses)
}

// notNil replaces nil lists by empty ones, as the JSON contract requires.
func (l *Links) notNil() {
	for _, k := range LinkKinds {
		if p := l.of(k); *p == nil {
			*p = []string{}
		}
	}
}

// Entry is one finding on the board. Its content never changes; its status may.
type Entry struct {
	ID      string    `json:"id"`  // e12
	Seq     int64     `json:"seq"` // the event that posted it
	Created time.Time `json:"created"`
	// one of the entry types: observation, analysis, calculation, …
	Type        string   `json:"type"`
	Status      string   `json:"status"` // active, disputed or superseded
	Content     string   `json:"content"`
	SourceDoc   string   `json:"source_doc"`        // the document that it comes from, "" for none
	SourceRef   string   `json:"source_ref"`        // the place in the document, such as a line
	Evidence    string   `json:"evidence"`          // a verbatim quote
	Sources     []Cited  `json:"sources,omitempty"` // all, if there are several; the first is as above
	Confidence  *float64 `json:"confidence"`        // 0..1; nil: not stated
	Worker      string   `json:"worker"`
	Tags        []string `json:"tags"`
	MustSurface bool     `json:"must_surface"` // whether the final report must carry it
	Links
	Key        string `json:"key"`
	ExternalID string `json:"external_id"` // the id that an importer gave it
	// Verified is the last verdict on whether it stands in its source; nil if it was
	// never checked.
	Verified *Verification `json:"verified"`
}

// Cites are its sources, be it one or several.
func (e *Entry) Cites() []Cited {
	if len(e.Sources) > 0 {
		return e.Sources
	}
	return []Cited{{SourceDoc: e.SourceDoc, SourceRef: e.SourceRef, Evidence: e.Evidence}}
}

// Signal is an open question, or a closed one.
type Signal struct {
	ID          string    `json:"id"` // s3
	Seq         int64     `json:"seq"`
	Created     time.Time `json:"created"`
	Content     string    `json:"content"`
	Priority    string    `json:"priority"`     // critical, high, medium or low
	Status      string    `json:"status"`       // open, addressed or waived
	Worker      string    `json:"worker"`       // who raised it
	Origin      string    `json:"origin"`       // the entry it arose from, if any
	AddressedBy string    `json:"addressed_by"` // the entry that answered it
	Reason      string    `json:"reason"`       // why it was waived
	ClosedBy    string    `json:"closed_by"`    // who addressed or waived it
	// when it was addressed or waived; null: it is open
	Closed     *time.Time `json:"closed"`
	ClaimedBy  string     `json:"claimed_by"`  // who works on it, until the lease runs out
	LeaseUntil *time.Time `json:"lease_until"` // when the claim ends; null: nobody has claimed it
	Key        string     `json:"key"`
	ExternalID string     `json:"external_id"`
}

// ClaimedAt reports whether a worker holds the signal at that time: its lease has not
// ended, and could have been given by then.
func (s *Signal) ClaimedAt(t time.Time) bool {
	if s.ClaimedBy == "" || s.LeaseUntil == nil {
		return false
	}
	from, to := leases(t)
	until := s.LeaseUntil.UnixMilli()
	return from <= until && until <= to
}

// Variable is a run variable: a small, mutable value such as the phase or a counter.
type Variable struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Version int64           `json:"version"` // 1 for the first value; rises with every change
	Updated time.Time       `json:"updated"`
	Worker  string          `json:"worker"`
}

// Event is one row of the append-only log.
type Event struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`   // who did it
	Verb    string          `json:"verb"`    // what was done: post, signal, claim, …
	ID      string          `json:"id"`      // what changed: e12, s3, or a variable's key
	Payload json.RawMessage `json:"payload"` // what is particular to the verb
}

// EntryID writes the id of an entry.
func EntryID(n int64) string { return "e" + strconv.FormatInt(n, 10) }

// SignalID writes the id of a signal.
func SignalID(n int64) string { return "s" + strconv.FormatInt(n, 10) }

// ParseEntryID returns the number of an entry id such as e12.
func ParseEntryID(id string) (int64, error) { return parseID(id, 'e') }

// ParseSignalID returns the number of a signal id such as s3.
func ParseSignalID(id string) (int64, error) { return parseID(id, 's') }

// idKinds are what ids name, by their first letter.
var idKinds = map[byte]struct{ what, one, look string }{
	'e': {"entry", "an entry", "ids of entries look like e12"},
	's': {"signal", "a signal", "ids of signals look like s3"},
}

func parseID(id string, letter byte) (int64, error) {
	kind, hint := idKinds[letter], idKinds[letter].look
	digits := len(id) >= 2 && words.Digits(id[1:])
	if digits && id[0] != letter && idKinds[id[0]].what != "" {
		return 0, invalid(fmt.Sprintf("%s is %s; here the id of %s is needed", id, idKinds[id[0]].one,
			kind.one), hint)
	}
	if !digits || id[0] != letter || id[1] == '0' {
		if low := strings.ToLower(id); low != id {
			if _, err := parseID(low, letter); err == nil {
				hint = "did you mean " + low + "?"
			}
		}
		return 0, invalid(fmt.Sprintf("%q is not the id of %s", clip(id, 60), kind.one), hint)
	}
	n, err := strconv.ParseInt(id[1:], 10, 64)
	if err != nil {
		return 0, notFound(fmt.Sprintf("there is no %s %s: the number is too large", kind.what,
			clip(id, 60)), hint)
	}
	return n, nil
}

// PriorityRank is 0 for critical and rises as urgency falls. It is fault.Invalid for an
// unknown priority.
func PriorityRank(p string) (int, error) {
	if i := slices.Index(Priorities, p); i >= 0 {
		return i, nil
	}
	return 0, unknown("priority", p, Priorities)
}

// CheckRun reports whether name can name a run: [A-Za-z0-9][A-Za-z0-9._-]{0,99}.
func CheckRun(name string) error {
	try := "use 1 to 100 letters, digits, dots, dashes and underscores, beginning with a letter " +
		"or digit"
	if name == "" {
		return invalid("no run is named", "", fault.Give("run", "NAME",
			"give {} or set $BOARD_RUN"))
	}
	if len(name) > 100 {
		return invalid(fmt.Sprintf("the run name %q has %d characters", clip(name, 40),
			utf8.RuneCountInString(name)), try)
	}
	for i := range len(name) {
		c := name[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '.' && c != '_' && c != '-') {
			return invalid(fmt.Sprintf("%q cannot name a run", clip(name, 100)), try)
		}
	}
	return nil
}

// Line puts s on one line for a list: white space becomes one blank, and it is cut at n
// runes.
func Line(s string, n int) string { return clip(strings.Join(strings.Fields(s), " "), n) }

func unknown(what, got string, have []string) error {
	if got == "" {
		return invalid("no "+what+" is given", "choose one of "+strings.Join(have, ", "))
	}
	return invalid(fmt.Sprintf("unknown %s %q", what, clip(got, 60)),
		"choose one of "+strings.Join(have, ", "))
}

// checkText says what is wrong with a text field.
func checkText(what, s string, max int, required bool) error {
	switch {
	case required && strings.TrimSpace(s) == "":
		return invalid(what+" is empty", "give a text that is not blank")
	case len(s) > max:
		return invalid(fmt.Sprintf("%s has %d bytes; at most %d are allowed", what, len(s), max),
			"split it into several entries, or point to the text by its source")
	case !utf8.ValidString(s):
		return invalid(what+" is not valid UTF-8", "convert it to UTF-8 first")
	case strings.ContainsRune(s, 0):
		return invalid(what+" contains a NUL byte", "is it a binary file? give text")
	}
	return nil
}
