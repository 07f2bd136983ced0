// Package record holds a run as data: entries, signals and what else is on record, the events of the
// log, and the board that they make. It knows no database.
//
//	entry.go    entries, signals, variables, and what is posted; limits, ids, checks of texts
//	link.go     duties, settlements and workers that are expected
//	source.go   sources, verdicts on entries, and accepted doubts
//	receipt.go  what hooks saw workers run, claims held against it; what workers were given
//	policy.go   when the gate opens, and the policy on record
//	state.go    the summary of a board, and checks of reports
//	event.go    the log: verbs, payloads, each event in words
//	replay.go   the board after an event, and how two boards differ
package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/verify"
	"blackboard/board/words"
)

var (
	invalid, notFound = fault.Invalid.New, fault.NotFound.New
	clip              = fault.Clip
)

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

const (
	Observation   = "observation"
	Analysis      = "analysis"
	Calculation   = "calculation"
	Strategy      = "strategy"
	Gap           = "gap"
	Contradiction = "contradiction"
)

var EntryTypes = []string{Observation, Analysis, Calculation, Strategy, Gap, Contradiction}

const (
	Active     = "active"
	Disputed   = "disputed"   // an entry contradicts it
	Superseded = "superseded" // an entry replaces it

	SignalOpen = "open"
	Addressed  = "addressed" // an entry answers it
	Waived     = "waived"    // somebody decided, with a reason, to leave it open
)

var (
	EntryStatuses  = []string{Active, Disputed, Superseded}
	SignalStatuses = []string{SignalOpen, Addressed, Waived}
)

// Priorities of a signal, most urgent first.
var Priorities = []string{"critical", "high", "medium", "low"}

const (
	Supports    = "supports"
	Contradicts = "contradicts" // the target becomes disputed
	Supersedes  = "supersedes"  // the target becomes superseded
	Addresses   = "addresses"   // an open target becomes addressed
)

var LinkKinds = []string{Supports, Contradicts, Supersedes, Addresses}

type Links struct {
	Supports    []string `json:"supports"`
	Contradicts []string `json:"contradicts"`
	Supersedes  []string `json:"supersedes"`
	Addresses   []string `json:"addresses"`
}

// List returns the list of one kind, to read or to change.
func (l *Links) List(kind string) *[]string {
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

func (l Links) Of(kind string) []string { return *l.List(kind) }

func (l Links) Count() int {
	return len(l.Supports) + len(l.Contradicts) + len(l.Supersedes) + len(l.Addresses)
}

// FillNil replaces nil lists by empty ones, as the JSON contract requires.
func (l *Links) FillNil() {
	for _, k := range LinkKinds {
		if p := l.List(k); *p == nil {
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
	To          string    `json:"to"`           // the worker or tag that it is for; "": anybody
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

// Gates reports whether an open signal keeps the gate closed by default.
func (s *Signal) Gates() bool { return slices.Contains(defaultBlock, s.Priority) }

// ClaimedAt: a worker holds the signal then: its lease is given by then, and not over.
func (s *Signal) ClaimedAt(t time.Time) bool {
	if s.ClaimedBy == "" || s.LeaseUntil == nil {
		return false
	}
	from, to := LeaseBounds(t)
	until := s.LeaseUntil.UnixMilli()
	return from <= until && until <= to
}

type Variable struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Version int64           `json:"version"` // 1 for the first value; rises with every change
	Updated time.Time       `json:"updated"`
	Worker  string          `json:"worker"`
}

type Event struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`   // who did it
	Verb    string          `json:"verb"`    // what was done: post, signal, claim, …
	ID      string          `json:"id"`      // what changed: e12, s3, or a variable's key
	Payload json.RawMessage `json:"payload"` // what is particular to the verb
}

func EntryID(n int64) string { return "e" + strconv.FormatInt(n, 10) }

func SignalID(n int64) string { return "s" + strconv.FormatInt(n, 10) }

func ParseEntryID(id string) (int64, error) { return parseID(id, 'e') }

func ParseSignalID(id string) (int64, error) { return parseID(id, 's') }

// idKinds are what ids name, by their first letter.
var idKinds = map[byte]struct{ what, one, look string }{
	'e': {"entry", "an entry", "ids of entries look like e12"},
	's': {"question", "a question", "ids of questions look like s3"},
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

// PriorityRank is 0 for critical and rises as urgency falls; fault.Invalid for unknown ones.
func PriorityRank(p string) (int, error) {
	if i := slices.Index(Priorities, p); i >= 0 {
		return i, nil
	}
	return 0, Unknown("priority", p, Priorities)
}

// CheckRun returns fault.Invalid unless name can name a run: [A-Za-z0-9][A-Za-z0-9._-]{0,99}.
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

// Line puts s on one line for a list, white space as one blank, cut at n runes.
func Line(s string, n int) string { return clip(strings.Join(strings.Fields(s), " "), n) }

// CheckWorker checks a worker's name. Lists and logs show names within a line, so a name
// with a line end could pretend to be another line.
func CheckWorker(name string) error {
	if err := CheckText("the worker's name", name, MaxName, true); err != nil {
		return err
	}
	last := ' '
	for _, r := range name {
		// makes one emoji of several
		joins := (r == '\u200d' || r == '\ufe0f') && last > unicode.MaxASCII
		if !unicode.IsGraphic(r) && !joins {
			return invalid(fmt.Sprintf("the worker's name %q has a line end or another "+
				"character that cannot be seen: %U", clip(name, 60), r),
				"give a plain name, such as reader-1")
		}
		last = r
	}
	return nil
}

// CheckAll returns an error for the first name of got that is not in have.
func CheckAll(what string, got, have []string) error {
	for _, g := range got {
		if !slices.Contains(have, g) {
			return Unknown(what, g, have)
		}
	}
	return nil
}

// Unknown returns the error for a name that is not in have, or is empty.
func Unknown(what, got string, have []string) error {
	if got == "" {
		return invalid("no "+what+" is given", "choose one of "+strings.Join(have, ", "))
	}
	return invalid(fmt.Sprintf("unknown %s %q", what, clip(got, 60)),
		"choose one of "+strings.Join(have, ", "))
}

// CheckText returns an error if a text is required and blank, has more than max bytes or a NUL
// byte, or is not UTF-8. what names it in the error.
func CheckText(what, s string, max int, required bool) error {
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

const (
	MinLease = time.Second
	MaxLease = 24 * time.Hour
)

type Raise struct {
	Content  string `json:"content"`          // the question
	Priority string `json:"priority"`         // default: medium
	To       string `json:"to,omitempty"`     // the worker or tag that it is for; default: anybody
	Origin   string `json:"origin,omitempty"` // the entry it arises from
	Key      string `json:"key,omitempty"`    // as for Post
}

func (r *Raise) Prepare() error {
	if r.Priority == "" {
		r.Priority = "medium"
	}
	r.Priority = strings.ToLower(r.Priority)
	if _, err := PriorityRank(r.Priority); err != nil {
		return err
	}
	if err := CheckText("the question", r.Content, MaxContent, true); err != nil {
		return err
	}
	if r.To = strings.TrimPrefix(strings.TrimSpace(r.To), "@"); r.To != "" { // as it is named in a text
		if err := CheckWorker(r.To); err != nil {
			return fault.Prefix("the addressee: ", err)
		}
	}
	if err := CheckText("the key", r.Key, MaxField, false); err != nil {
		return err
	}
	if r.Origin != "" {
		if _, err := ParseEntryID(r.Origin); err != nil {
			return fault.Prefix("origin: ", err)
		}
	}
	return nil
}

// maxClockSkew is how far the clocks of those who share a run may be apart.
const maxClockSkew = time.Hour

// LeaseBounds is when, in milliseconds, a lease that holds now may end. A later end, as of an
// import, is another clock's: nobody could claim the signal till then.
func LeaseBounds(now time.Time) (from, to int64) {
	return now.UnixMilli() + 1, now.Add(MaxLease + maxClockSkew).UnixMilli()
}

type Post struct {
	// default: observation; contradiction if it contradicts something
	Type       string   `json:"type"`
	Content    string   `json:"content"`
	SourceDoc  string   `json:"source_doc,omitempty"`
	SourceRef  string   `json:"source_ref,omitempty"`
	Evidence   string   `json:"evidence,omitempty"`
	Sources    []Cited  `json:"sources,omitempty"` // all, if there are several
	Confidence *float64 `json:"confidence,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	// always set for contradictions, and for posts that supersede a must-surface entry
	MustSurface bool `json:"must_surface,omitempty"`
	// why it need not surface, although an entry that it supersedes had to
	DropDuty string `json:"drop_duty,omitempty"`
	// Links name entries (e12), signals (s3), and posts of the same batch by key (@key).
	Supports    []string `json:"supports,omitempty"`
	Contradicts []string `json:"contradicts,omitempty"`
	Supersedes  []string `json:"supersedes,omitempty"`
	Addresses   []string `json:"addresses,omitempty"`
	// Key makes a retry safe: the same content under the same key returns the first post's entry.
	Key string `json:"key,omitempty"`
	// Worker overrides the batch's worker.
	Worker string `json:"worker,omitempty"`
}

func (p *Post) Links() *Links {
	return &Links{Supports: p.Supports, Contradicts: p.Contradicts, Supersedes: p.Supersedes,
		Addresses: p.Addresses}
}

func (p *Post) SetLinks(l Links) {
	p.Supports, p.Contradicts, p.Supersedes, p.Addresses = l.Supports, l.Contradicts, l.Supersedes,
		l.Addresses
}

// Cited is one of several sources of a finding.
type Cited = verify.Cited

func (p *Post) firstSource() Cited {
	return Cited{SourceDoc: p.SourceDoc, SourceRef: p.SourceRef, Evidence: p.Evidence}
}

// Cite adds a source behind those that the post has.
func (p *Post) Cite(c Cited) {
	if len(p.Sources) == 0 {
		p.Sources = []Cited{p.firstSource()}
	}
	p.Sources = append(p.Sources, c)
}

// PutFirst makes SourceDoc, SourceRef and Evidence the same as the first of Sources: if they are
// empty, they are taken from it, else it from them. Sources is nil if there is only one.
func (p *Post) PutFirst() {
	if len(p.Sources) == 0 {
		return
	}
	if p.firstSource() == (Cited{}) {
		first := p.Sources[0]
		p.SourceDoc, p.SourceRef, p.Evidence = first.SourceDoc, first.SourceRef, first.Evidence
	}
	p.Sources[0] = p.firstSource()
	if len(p.Sources) == 1 {
		p.Sources = nil
	}
}

// Differs returns the fields, by their JSON names, in which another post differs.
func (p *Post) Differs(o *Post) []string {
	var names []string
	mine, other := reflect.ValueOf(p).Elem(), reflect.ValueOf(o).Elem()
	for i := range mine.NumField() {
		if a, b := mine.Field(i), other.Field(i); !reflect.DeepEqual(a.Interface(), b.Interface()) &&
			(a.Kind() != reflect.Slice || a.Len()+b.Len() > 0) {
			name, _, _ := strings.Cut(mine.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// Prepare fills in the defaults of one post and checks its fields.
func (p *Post) Prepare() error {
	switch {
	case p.Type == "" && len(p.Contradicts) > 0:
		p.Type = Contradiction
	case p.Type == "":
		p.Type = Observation
	}
	p.Type = strings.ToLower(p.Type)
	if !slices.Contains(EntryTypes, p.Type) {
		return Unknown("type", p.Type, EntryTypes)
	}
	p.MustSurface = p.MustSurface || p.Type == Contradiction
	for _, f := range []struct {
		what, text string
		max        int
		required   bool
	}{
		{"the content", p.Content, MaxContent, true},
		{"the source document", p.SourceDoc, MaxField, false},
		{"the source reference", p.SourceRef, MaxField, false},
		{"the evidence", p.Evidence, MaxContent, false},
		{"the key", p.Key, MaxField, false},
		{"the reason to drop the duty", p.DropDuty, MaxField, false},
		{"the worker's name", p.Worker, MaxName, true},
	} {
		if err := CheckText(f.what, f.text, f.max, f.required); err != nil {
			return err
		}
	}
	p.PutFirst()
	if n := len(p.Sources); n > MaxSources {
		return invalid(fmt.Sprintf("the entry has %d sources; at most %d are allowed", n, MaxSources),
			"cite what it rests on most, and let a second entry have the rest")
	}
	for i, c := range p.Sources {
		nth := fmt.Sprintf(" of source %d", i+1)
		if err := cmp.Or(CheckText("the document"+nth, c.SourceDoc, MaxField, i > 0),
			CheckText("the reference"+nth, c.SourceRef, MaxField, false),
			CheckText("the evidence"+nth, c.Evidence, MaxContent, false)); err != nil {
			return err
		}
	}
	if p.DropDuty != "" && p.MustSurface {
		return invalid("an entry that must surface itself takes the duty over: it cannot drop it",
			"leave one out")
	}
	if c := p.Confidence; c != nil && (math.IsNaN(*c) || *c < 0 || *c > 1) {
		return invalid(fmt.Sprintf("confidence %v is not between 0 and 1", *c),
			"0 is a guess, 1 is certain")
	}
	var err error
	if p.Tags, err = cleanTags(p.Tags); err != nil {
		return err
	}
	links := p.Links()
	if n := links.Count(); n > MaxLinks {
		return invalid(fmt.Sprintf("the entry has %d links; at most %d are allowed", n, MaxLinks),
			"link what matters most, and let a second entry have the rest")
	}
	for _, kind := range LinkKinds {
		if err := CleanLinks(kind, links.List(kind)); err != nil {
			return err
		}
	}
	p.SetLinks(*links)
	return nil
}

func cleanTags(tags []string) ([]string, error) {
	out := []string{}
	for _, t := range tags {
		t = strings.TrimSpace(t)
		if t == "" || slices.Contains(out, t) {
			continue
		}
		if err := CheckText("a tag", t, MaxName, true); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	if len(out) > MaxTags {
		return nil, invalid(fmt.Sprintf("the entry has %d tags; at most %d are allowed", len(out),
			MaxTags), "keep those that somebody would look for")
	}
	return out, nil
}

// CleanLinks checks the form of ids, except keys (@key), and drops repeated ones, in place.
func CleanLinks(kind string, ids *[]string) error {
	out := []string{}
	for _, id := range *ids {
		id = strings.TrimSpace(id)
		if !strings.HasPrefix(id, "@") {
			parse := ParseEntryID
			if kind == Addresses {
				parse = ParseSignalID
			}
			if _, err := parse(id); err != nil {
				return fault.Prefix(kind+": ", err)
			}
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	*ids = out
	return nil
}

// Entry returns the entry for a prepared, resolved post.
func (p *Post) Entry(id string, seq int64, at time.Time) Entry {
	e := Entry{ID: id, Seq: seq, Created: at, Type: p.Type, Status: Active, Content: p.Content,
		SourceDoc: p.SourceDoc, SourceRef: p.SourceRef, Evidence: p.Evidence, Sources: p.Sources,
		Confidence: p.Confidence, Worker: p.Worker, Tags: p.Tags,
		MustSurface: p.MustSurface, Links: *p.Links(), Key: p.Key}
	e.FillNil()
	return e
}

// AsPost returns the post that would make the entry.
func (e *Entry) AsPost() Post {
	p := Post{Type: e.Type, Content: e.Content, SourceDoc: e.SourceDoc, SourceRef: e.SourceRef,
		Evidence: e.Evidence, Sources: e.Sources, Confidence: e.Confidence, Tags: e.Tags,
		MustSurface: e.MustSurface, Key: e.Key}
	p.SetLinks(e.Links)
	return p
}
