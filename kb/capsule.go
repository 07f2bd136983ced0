package kb

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/kb/markdown"
	"blackboard/kb/secret"
	"blackboard/kb/store"
)

// Limits of a capsule.
const (
	MaxTitle = 300      // bytes
	MaxBody  = 64 << 10 // bytes
	MaxField = 4 << 10  // bytes of a source, a workspace or a reference
	MaxTag   = 100      // bytes
	MaxTags  = 64       // of one capsule; as many domain tags
)

var Kinds = []string{"fact", "gotcha", "pattern", "anti_pattern", "recipe", "principle", KindDoc}

// KindDoc is the kind of the sections of ingested documents.
const KindDoc = "doc"

// Scopes say where a capsule applies, the narrowest first.
var Scopes = []string{"workspace", "project", "domain", "universal"}

var Roles = []string{"planner", "executor", "reviewer", "re_reviewer", "reflector"}

// RoleKinds returns the kinds of capsules that a role reads; nil means all.
func RoleKinds(role string) []string {
	switch strings.ReplaceAll(role, "-", "_") {
	case "executor":
		return []string{"fact", "recipe", "gotcha", "anti_pattern", "pattern"}
	case "reviewer":
		return []string{"gotcha", "anti_pattern"}
	case "re_reviewer":
		return []string{"gotcha", "anti_pattern", "principle"}
	}
	return nil
}

// Capsule is one piece of durable knowledge.
type Capsule struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // fact, gotcha, pattern, anti_pattern, recipe, principle, doc
	// where it applies: workspace, project, domain or universal
	Scope        string   `json:"scope"`
	Title        string   `json:"title"`
	Body         string   `json:"body"`
	Tags         []string `json:"tags"`
	DomainTags   []string `json:"domain_tags"` // the domains, if its scope is domain
	Source       string   `json:"source"`
	Confidence   *float64 `json:"confidence"`    // 0 to 1; nil: not stated
	VerifiedBy   string   `json:"verified_by"`   // who or what has verified it
	Supersedes   []string `json:"supersedes"`    // ids of the capsules that it replaces
	SupersededBy string   `json:"superseded_by"` // the capsule that replaces it; "": none
	Refs         []string `json:"refs"`          // where it comes from: run:RUN, entry:ID, a URL
	Workspace    string   `json:"workspace"`
	Project      string   `json:"project"` // the project it is about; "": none
	// 0 while it is used, up to 1 while nobody retrieves it
	DecayScore float64    `json:"decay_score"`
	Created    time.Time  `json:"created"`
	Updated    time.Time  `json:"updated"`
	Retrieved  *time.Time `json:"retrieved"` // when a search last returned it; null: never
	// since when searches and lists leave it out; nil: active
	Retired    *time.Time `json:"retired"`
	RetiredWhy string     `json:"retired_why"`     // why it was retired
	Revision   int        `json:"revision"`        // 1 for a new capsule, plus 1 for each change
	Ingested   *Ingested  `json:"ingested"`        // the document it is a section of; nil: none
	Model      string     `json:"embedding_model"` // "": it has no embedding
	Dim        int        `json:"dim"`

	n int64
}

func newID() string { return store.NewID('k') }

// ImportedID derives an id from another tool's id: the same in every import.
func ImportedID(tool, id string) string {
	sum := sha256.Sum256([]byte(tool + "\x00" + id))
	return store.IDOf('k', [10]byte(sum[:10]))
}

func CheckID(id string) error {
	if !store.IsID(id, "k") {
		return invalid(fmt.Sprintf("%q is not a capsule id", clip(id, 60)),
			"ids look like k3f9x0c2ma", fault.Do("kb.list", "{} shows them"))
	}
	return nil
}

// Check returns the error that Normalise would, and changes nothing.
func (c Capsule) Check() error { return c.Normalise() }

// Normalise fills in defaults, tidies, and validates what needs no other capsules.
func (c *Capsule) Normalise() error {
	c.Kind = cmp.Or(c.Kind, "fact")
	if c.Scope == "" {
		c.Scope = "workspace"
		if c.Workspace == "" {
			c.Scope = "universal"
		}
	}
	c.Title = strings.TrimSpace(c.Title)
	// as a sidecar stores it
	c.Body = strings.TrimRightFunc(strings.TrimLeft(
		markdown.LineEnds.ReplaceAllString(c.Body, "\n"), "\n"), unicode.IsSpace)
	c.Tags, c.DomainTags, c.Supersedes = sortedTags(c.Tags), sortedTags(c.DomainTags),
		sortedTags(c.Supersedes)
	c.Refs = append([]string{}, c.Refs...) // a list, not null
	if err := cmp.Or(oneOf("kind", Kinds, c.Kind), oneOf("scope", Scopes, c.Scope)); err != nil {
		return err
	}
	for _, f := range []struct {
		what, text string
		max        int
		required   bool
	}{{"the title", c.Title, MaxTitle, true}, {"the body", c.Body, MaxBody, true},
		{"the source", c.Source, MaxField, false}, {"verified by", c.VerifiedBy, MaxField, false},
		{"the workspace", c.Workspace, MaxField, false},
		{"the project", c.Project, MaxField, false}} {
		if err := CheckText(f.what, f.text, f.max, f.required); err != nil {
			return err
		}
	}
	if line := mergeConflict(c.Body); line > 0 && c.Ingested == nil {
		return invalid(fmt.Sprintf("the body has a merge conflict that nobody has resolved, from "+
			"line %d on", line), "resolve it; an example goes into a block of code (```)")
	}
	if strings.ContainsFunc(c.Title, unicode.IsControl) {
		return invalid("the title has more than one line, or control characters",
			"say the rest in the body")
	}
	if c.Scope == "workspace" && c.Workspace == "" {
		return invalid("a capsule of the scope workspace names no workspace", "",
			fault.Give("workspace", "", "give {}, or a wider scope"))
	}
	for _, tags := range [][]string{c.Tags, c.DomainTags} {
		if len(tags) > MaxTags {
			return invalid(fmt.Sprintf("there are %d tags; at most %d are allowed", len(tags),
				MaxTags), "keep the few tags that others will look for")
		}
		for _, t := range tags {
			if err := CheckText("a tag", t, MaxTag, true); err != nil {
				return err
			}
			if strings.ContainsAny(t, ",\n") {
				return invalid(fmt.Sprintf("the tag %q has a comma or a line break", clip(t, 60)),
					"give separate tags")
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
		return invalid(fmt.Sprintf("the confidence %v is not between 0 and 1", *c.Confidence),
			"0 is a guess, 1 is certain")
	}
	return nil
}

// Origin returns the entry of a run that the capsule was promoted from; "" for none.
func (c *Capsule) Origin() (run, entry string) {
	for i := range c.Refs[:max(len(c.Refs)-1, 0)] {
		run, isRun := strings.CutPrefix(c.Refs[i], "run:")
		if entry, isEntry := strings.CutPrefix(c.Refs[i+1], "entry:"); isRun && isEntry {
			return run, entry
		}
	}
	return "", ""
}

// evidenceHeading precedes the evidence of a promoted entry.
const evidenceHeading = "\n\nEvidence:\n"

// WithEvidence returns a body that ends with the quote that supports it.
func WithEvidence(body, quote string) string {
	return body + evidenceHeading + "> " + strings.ReplaceAll(quote, "\n", "\n> ")
}

// SaidOnce leaves out evidence that repeats the claim, and a body that begins with the title.
func (c *Capsule) SaidOnce() (title, body string) {
	title, body = c.Title, c.Body
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if claim, quote, ok := strings.Cut(body, evidenceHeading); ok {
		said, quote := line(claim), line(strings.ReplaceAll("\n"+quote, "\n> ", "\n"))
		same := strings.Contains(quote, strings.TrimRight(said, ".")) &&
			len(quote) < 2*len(said) // a longer quote says more
		if same || strings.Contains(said, strings.TrimRight(quote, ".")) {
			body = claim
		}
	}
	// the title was made from the body
	if strings.HasPrefix(line(body), strings.TrimSuffix(line(title), "…")) {
		title, body = body, ""
	}
	return title, body
}

// Place formats where the capsule applies: "universal", "workspace: /home/me/shop".
func (c *Capsule) Place() string {
	place := ""
	switch {
	case c.Scope == "project" && c.Project != "":
		place = c.Project
	case c.Scope == "project" || c.Scope == "workspace":
		place = c.Workspace
	}
	if place == "" {
		return c.Scope
	}
	return c.Scope + ": " + place
}

// Warnings lists missing fields that searches and curation would use.
func (c *Capsule) Warnings() []string {
	var w []string
	if c.Source == "" {
		w = append(w, "no source; readers cannot verify this (source: FILE:LINE, a command or a URL)")
	}
	if c.Confidence == nil {
		w = append(w, "no confidence (confidence: 0 to 1)")
	}
	return w
}

// sortedTags returns the tags trimmed, sorted and without duplicates; never nil.
func sortedTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		out = append(out, strings.TrimSpace(t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckText checks that a text is UTF-8 without NUL, within max bytes, and not blank if required.
func CheckText(what, s string, max int, required bool) error {
	switch {
	case required && strings.TrimSpace(s) == "" && what == "the title":
		return invalid(what+" is empty", "",
			fault.Give("title", "LINE", "{} says the finding in one line"))
	case required && strings.TrimSpace(s) == "":
		return invalid(what+" is empty", "give it some text")
	case len(s) > max:
		return invalid(fmt.Sprintf("%s has %d bytes; at most %d are allowed", what, len(s), max),
			"shorten it, or point to the text as the source")
	case !utf8.ValidString(s):
		return invalid(what+" is not valid UTF-8", "convert it to UTF-8 first")
	case strings.ContainsRune(s, 0):
		return invalid(what+" contains a NUL byte", "a binary file? give text")
	}
	return nil
}

// CheckSecrets refuses what looks like a secret, and names the place: all agents read it.
func (c *Capsule) CheckSecrets() error {
	for _, f := range []struct{ what, text string }{
		{"the title", c.Title}, {"the body", c.Body}, {"the source", c.Source},
		{"what verified it", c.VerifiedBy}, {"the project", c.Project},
		{"a reference", strings.Join(c.Refs, "\n")},
		{"a tag", strings.Join(append(slices.Clone(c.Tags), c.DomainTags...), "\n")}} {
		if found := secret.Find(f.text); len(found) > 0 {
			at := found[0]
			where := f.what
			if f.what == "the body" {
				where = fmt.Sprintf("line %d of the body, column %d,", at.Line, at.Column)
			}
			more := ""
			if len(found) > 1 {
				more = fmt.Sprintf(" (and %d more)", len(found)-1)
			}
			return fault.Conflict.New(fmt.Sprintf("%s holds what looks like a secret: %s%s: %s",
				where, at.Description, more, secret.Masked(f.text[at.Start:at.End])),
				"say where it is kept, not what it is", keepSecret)
		}
	}
	return nil
}
