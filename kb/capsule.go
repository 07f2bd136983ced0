package kb

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/kb/markdown"
	"blackboard/kb/store"
)

// Limits of what a capsule takes.
const (
	MaxTitle = 300      // bytes
	MaxBody  = 64 << 10 // bytes
	MaxField = 4 << 10  // bytes of a source, a workspace, a reference
	MaxTag   = 100      // bytes
	MaxTags  = 64       // of one capsule, and domain tags
)

// Kinds of a capsule.
var Kinds = []string{"fact", "gotcha", "pattern", "anti_pattern", "recipe", "principle", KindDoc}

// KindDoc is the kind of the sections of ingested documents.
const KindDoc = "doc"

// Scopes of a capsule: how far it holds.
var Scopes = []string{"workspace", "project", "domain", "universal"}

// Capsule is one piece of durable knowledge.
type Capsule struct {
	ID           string     `json:"id"`
	Kind         string     `json:"kind"`
	Scope        string     `json:"scope"`
	Title        string     `json:"title"`
	Body         string     `json:"body"`
	Tags         []string   `json:"tags"`
	DomainTags   []string   `json:"domain_tags"`
	Source       string     `json:"source"`
	Confidence   *float64   `json:"confidence"` // 0 to 1; nil: not stated
	VerifiedBy   string     `json:"verified_by"`
	Supersedes   []string   `json:"supersedes"`
	SupersededBy string     `json:"superseded_by"`
	Refs         []string   `json:"refs"`
	Workspace    string     `json:"workspace"`
	Project      string     `json:"project"`
	DecayScore   float64    `json:"decay_score"`
	Created      time.Time  `json:"created"`
	Updated      time.Time  `json:"updated"`
	Retrieved    *time.Time `json:"retrieved"`
	Retired      *time.Time `json:"retired"` // since when it is out of searches and lists; nil: it stands
	RetiredWhy   string     `json:"retired_why"`
	Revision     int        `json:"revision"`        // 1 for a new one, one more with each change
	Ingested     *Ingested  `json:"ingested"`        // of which document it is a part; nil: of none
	Model        string     `json:"embedding_model"` // "": it has no embedding
	Dim          int        `json:"dim"`

	n int64
}

func newID() string { return store.NewID('k') }

// ImportedID is the id here of what another tool keeps under an id of its own: each import gives
// the same one.
func ImportedID(tool, id string) string {
	sum := sha256.Sum256([]byte(tool + "\x00" + id))
	return store.IDOf('k', [10]byte(sum[:10]))
}

// CheckID tells an id that cannot be from one that is not there.
func CheckID(id string) error {
	if !store.IsID(id, "k") {
		return invalid(fmt.Sprintf("%q is no capsule id", clip(id, 60)), "ids look like k3f9x0c2ma", fault.Do("kb.list", "{} shows them"))
	}
	return nil
}

// Check says what Remember would refuse about a capsule whatever else there is.
func (c Capsule) Check() error { return c.Normalise() }

// Normalise fills in defaults and checks everything that can be checked without looking at other capsules.
func (c *Capsule) Normalise() error {
	if c.Kind == "" {
		c.Kind = "fact"
	}
	if c.Scope == "" {
		c.Scope = "workspace"
		if c.Workspace == "" {
			c.Scope = "universal"
		}
	}
	c.Title = strings.TrimSpace(c.Title)
	c.Body = strings.TrimRightFunc(strings.TrimLeft(markdown.LineEnds.ReplaceAllString(c.Body, "\n"), "\n"), unicode.IsSpace) // as a sidecar has it
	c.Tags, c.DomainTags, c.Supersedes = sortedTags(c.Tags), sortedTags(c.DomainTags), sortedTags(c.Supersedes)
	c.Refs = append([]string{}, c.Refs...) // a list, not null
	if !slices.Contains(Kinds, c.Kind) {
		return unknown("kind", c.Kind, Kinds)
	}
	if !slices.Contains(Scopes, c.Scope) {
		return unknown("scope", c.Scope, Scopes)
	}
	for _, f := range []struct {
		what, text string
		max        int
		required   bool
	}{{"the title", c.Title, MaxTitle, true}, {"the body", c.Body, MaxBody, true}, {"the source", c.Source, MaxField, false}, {"verified by", c.VerifiedBy, MaxField, false},
		{"the workspace", c.Workspace, MaxField, false}, {"the project", c.Project, MaxField, false}} {
		if err := CheckText(f.what, f.text, f.max, f.required); err != nil {
			return err
		}
	}
	if strings.ContainsFunc(c.Title, unicode.IsControl) {
		return invalid("the title has more than one line, or control characters", "say the rest in the body")
	}
	if c.Scope == "workspace" && c.Workspace == "" {
		return invalid("a capsule of the scope workspace names no workspace", "", fault.Give("workspace", "", "give {}, or a wider scope"))
	}
	for _, tags := range [][]string{c.Tags, c.DomainTags} {
		if len(tags) > MaxTags {
			return invalid(fmt.Sprintf("there are %d tags; at most %d are taken", len(tags), MaxTags), "the few that somebody would look for")
		}
		for _, t := range tags {
			if err := CheckText("a tag", t, MaxTag, true); err != nil {
				return err
			}
			if strings.ContainsAny(t, ",\n") {
				return invalid(fmt.Sprintf("the tag %q has a comma or a line break", clip(t, 60)), "give several tags")
			}
		}
	}
	for _, r := range c.Refs {
		if err := CheckText("a reference", r, MaxField, true); err != nil {
			return err
		}
	}
	for _, id := range c.Supersedes {
		if err := CheckID(id); err != nil {
			return err
		}
	}
	if c.Confidence != nil && !(*c.Confidence >= 0 && *c.Confidence <= 1) { // nor NaN
		return invalid(fmt.Sprintf("the confidence %v is not between 0 and 1", *c.Confidence), "0 is a guess, 1 is certain")
	}
	return nil
}

// Origin is the entry of a run that the capsule was promoted from; "" if it was not.
func (c *Capsule) Origin() (run, entry string) {
	for i := range c.Refs[:max(len(c.Refs)-1, 0)] {
		run, isRun := strings.CutPrefix(c.Refs[i], "run:")
		if entry, isEntry := strings.CutPrefix(c.Refs[i+1], "entry:"); isRun && isEntry {
			return run, entry
		}
	}
	return "", ""
}

// Warnings say what is missing that retrieval and curation would use.
func (c *Capsule) Warnings() []string {
	var w []string
	if c.Source == "" {
		w = append(w, "it names no source: who reads it cannot check it (source: FILE:LINE, a command, a URL)")
	}
	if c.Confidence == nil {
		w = append(w, "it states no confidence (confidence: 0 to 1)")
	}
	return w
}

// sortedTags trims, sorts and removes what is there twice.
func sortedTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		out = append(out, strings.TrimSpace(t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckText says what is wrong with a text of at most max bytes.
func CheckText(what, s string, max int, required bool) error {
	switch {
	case required && strings.TrimSpace(s) == "":
		return invalid(what+" is empty", "give it some text")
	case len(s) > max:
		return invalid(fmt.Sprintf("%s has %d bytes; at most %d are taken", what, len(s), max), "shorten it, or point to the text as the source")
	case !utf8.ValidString(s):
		return invalid(what+" is not valid UTF-8", "convert it to UTF-8 first")
	case strings.ContainsRune(s, 0):
		return invalid(what+" contains a NUL byte", "is it a binary file? give text")
	}
	return nil
}
