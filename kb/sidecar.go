package kb

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"blackboard/kb/markdown"

	"go.yaml.in/yaml/v4"
)

// sidecar is a capsule's file: front matter, then the body; nothing derived, no usage.
type sidecar struct {
	ID           string         `yaml:"id"`
	Title        string         `yaml:"title"`
	Kind         string         `yaml:"kind"`
	Scope        string         `yaml:"scope"`
	Tags         wordList       `yaml:"tags,flow,omitempty"`
	DomainTags   wordList       `yaml:"domain_tags,flow,omitempty"`
	Source       string         `yaml:"source,omitempty"`
	Confidence   *float64       `yaml:"confidence,omitempty"`
	VerifiedBy   string         `yaml:"verified_by,omitempty"`
	Supersedes   wordList       `yaml:"supersedes,flow,omitempty"`
	SupersededBy string         `yaml:"superseded_by,omitempty"`
	Refs         []string       `yaml:"refs,omitempty"`
	Workspace    string         `yaml:"workspace,omitempty"`
	Project      string         `yaml:"project,omitempty"`
	Created      time.Time      `yaml:"created"`
	Updated      time.Time      `yaml:"updated"`
	Revision     int            `yaml:"revision"`
	Retired      *time.Time     `yaml:"retired,omitempty"`
	RetiredWhy   string         `yaml:"retired_why,omitempty"`
	Ingested     *Ingested      `yaml:"ingested,omitempty"`
	Extra        map[string]any `yaml:",inline"` // unknown fields, which are kept
}

// wordList is a list that may also be written as "one, two".
type wordList []string

func (w *wordList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(w))
	}
	*w = nil
	if n.Tag == "!!null" {
		return nil
	}
	for _, s := range strings.Split(n.Value, ",") {
		if s = strings.TrimSpace(s); s != "" {
			*w = append(*w, s)
		}
	}
	return nil
}

// EncodeSidecar writes a capsule's file. The same capsule gives the same bytes.
func EncodeSidecar(c *Capsule, extra map[string]any) ([]byte, error) {
	s := sidecar{ID: c.ID, Title: c.Title, Kind: c.Kind, Scope: c.Scope, Tags: c.Tags,
		DomainTags: c.DomainTags, Source: c.Source, Confidence: c.Confidence,
		VerifiedBy: c.VerifiedBy, Supersedes: c.Supersedes, SupersededBy: c.SupersededBy,
		Refs: c.Refs, Workspace: c.Workspace, Project: c.Project,
		Created: c.Created, Updated: c.Updated, Revision: c.Revision, Retired: c.Retired,
		RetiredWhy: c.RetiredWhy, Ingested: c.Ingested, Extra: extra}
	var b bytes.Buffer
	b.WriteString("---\n")
	d, err := yaml.NewDumper(&b, yaml.WithIndent(2), yaml.WithLineWidth(-1))
	if err == nil {
		err = d.Dump(&s)
	}
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("write the front matter of %s: %w", c.ID, err)
	}
	b.WriteString("---\n\n" + c.Body + "\n")
	return b.Bytes(), nil
}

// MaxSidecar is the most bytes of a sidecar: a body and all other fields at their limits.
const MaxSidecar = 512 << 10

// maxSidecarMeta is the most bytes of front matter, little enough to parse fast.
const maxSidecarMeta = 128 << 10

// DecodeSidecar reads a capsule's file; its name has the id. The error is one line.
func DecodeSidecar(id string, data []byte) (c Capsule, extra map[string]any, err error) {
	if len(data) > MaxSidecar {
		return c, nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(data),
			MaxSidecar)
	}
	if err := CheckText("the file", string(data), MaxSidecar, true); err != nil {
		return c, nil, err
	}
	s, body, err := splitSidecar(data)
	// A section of a document is as that has it.
	if line := mergeConflict(string(data)); line > 0 && (err != nil || s.Ingested == nil) {
		return c, nil, fmt.Errorf("%w, from line %d on", errUnmerged, line)
	}
	if err != nil {
		return c, nil, err
	}
	if s.ID != id {
		return c, nil, fmt.Errorf("its front matter has the id %q, but its name has %s",
			clip(s.ID, 40), id)
	}
	c = Capsule{ID: s.ID, Title: s.Title, Kind: s.Kind, Scope: s.Scope, Tags: s.Tags,
		DomainTags: s.DomainTags, Source: s.Source, Confidence: s.Confidence,
		VerifiedBy: s.VerifiedBy, Supersedes: s.Supersedes, SupersededBy: s.SupersededBy,
		Refs: s.Refs, Workspace: s.Workspace, Project: s.Project,
		Created: Stamp(s.Created), Updated: Stamp(s.Updated), Revision: s.Revision,
		RetiredWhy: s.RetiredWhy, Ingested: s.Ingested, Body: body}
	if s.Retired != nil {
		t := Stamp(*s.Retired)
		c.Retired = &t
	}
	for _, t := range []*time.Time{&c.Created, &c.Updated, c.Retired} {
		if t != nil && !t.IsZero() && (t.Year() < 1970 || t.Year() > 9999) {
			return c, nil, fmt.Errorf("its front matter has a time in the year %d", t.Year())
		}
	}
	if c.Kind == "" || c.Scope == "" {
		return c, nil, errors.New("its front matter has no kind or no scope")
	}
	if c.Ingested != nil {
		if err := c.Ingested.Check(); err != nil {
			return c, nil, err
		}
	}
	if c.SupersededBy != "" {
		if err := CheckID(c.SupersededBy); err != nil {
			return c, nil, err
		}
	}
	if err := c.Normalise(); err != nil {
		return c, nil, err
	}
	return c, s.Extra, nil
}

func splitSidecar(data []byte) (s sidecar, body string, err error) {
	meta, body, found := markdown.Split(string(data))
	if !found {
		return s, "", errors.New(`it has no front matter: a line "---", YAML, and a line "---"`)
	}
	if len(meta) > maxSidecarMeta {
		return s, "", fmt.Errorf("its front matter has %d bytes; at most %d are allowed", len(meta),
			maxSidecarMeta)
	}
	if err := markdown.Load(meta, &s); err != nil {
		return s, "", fmt.Errorf("its front matter cannot be read: %w", err)
	}
	return s, body, nil
}

var errUnmerged = errors.New("it has a merge conflict that nobody has resolved")

// mergeConflict returns the line of git's first conflict outside code blocks, or 0.
func mergeConflict(text string) (line int) {
	sides, inCode, n := 0, false, 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimRight(l, "\r\n")
		switch {
		case sides == 0 && (strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~")):
			inCode = !inCode
		case !inCode && strings.HasPrefix(l, "<<<<<<< "):
			sides, line = 1, n
		case sides == 1 && l == "=======":
			sides = 2
		case sides == 2 && strings.HasPrefix(l, ">>>>>>> "):
			return line
		}
	}
	return 0
}

// Stamp returns a time in UTC, truncated to the database's milliseconds.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Ingested says which document a capsule is a section of.
type Ingested struct {
	File   string `json:"file" yaml:"file"`
	SHA256 string `json:"sha256" yaml:"sha256"` // of the document
	Part   int    `json:"part" yaml:"part"`     // from 1
	Of     int    `json:"of" yaml:"of"`         // number of parts
}

func (c *Capsule) ingested() Ingested {
	if c.Ingested == nil {
		return Ingested{}
	}
	return *c.Ingested
}

func (i *Ingested) Check() error {
	if i.File == "" || len(i.SHA256) != 2*sha256.Size || i.Part < 1 || i.Part > i.Of {
		return errors.New("its reference to a document is invalid")
	}
	return nil
}

// sameContent ignores created, updated and revision.
func sameContent(a, b *Capsule) bool {
	x, y := *a, *b
	for _, c := range []*Capsule{&x, &y} {
		c.Created, c.Updated, c.Revision, c.n, c.Model, c.Dim, c.DecayScore,
			c.Retrieved = time.Time{}, time.Time{}, 0, 0, "", 0, 0, nil
	}
	p, err1 := EncodeSidecar(&x, nil)
	q, err2 := EncodeSidecar(&y, nil)
	return err1 == nil && err2 == nil && bytes.Equal(p, q)
}
