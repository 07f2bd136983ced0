package check

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"blackboard/board"
	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/text"
)

// PolicyName is the name of the file.
const PolicyName = "board.yaml"

// maxFile is the largest policy in bytes.
const maxFile = 1 << 20

// PolicyTemplate is a policy with every key, its default and its meaning.
//
//go:embed template.yaml
var PolicyTemplate string

// Steps of a check, in the order in which they are done.
const (
	Gate      = "gate"
	Verify    = "verify"
	Conflicts = "conflicts"
	Survival  = "survival"
	Trace     = "trace"
	Ran       = "ran"
	Citations = "citations"
)

// Steps lists them.
var Steps = []string{Gate, Verify, Conflicts, Survival, Trace, Ran, Citations}

// Policy is a parsed board.yaml. The zero value is the default policy.
type Policy struct {
	UsedPolicy `yaml:"-"`
	// Text is the text of the file.
	Text string `yaml:"-" json:"-"`
	// Outside allows sources and reports outside the policy's directory.
	Outside bool `yaml:"-" json:"-"`

	// root is the directory that sources and reports must be below; "": they are the caller's.
	root           string
	callersSources bool

	unplaced error // why the sources and reports cannot be told; nil: they can

	// Steps are the required steps of a check; nil: all that have their input.
	Steps []string `yaml:"steps" json:"steps"`
	// Sources are files and directories that hold what the run reads, Reports the
	// artifacts. In the file they are relative to it, here to the working directory.
	Sources []string `yaml:"sources" json:"sources"`
	Reports []string `yaml:"reports" json:"reports"`

	Gate      board.Policy    `yaml:"gate" json:"gate"`
	Verify    VerifyPolicy    `yaml:"verify" json:"verify"`
	Conflicts ConflictsPolicy `yaml:"conflicts" json:"conflicts"`
	Survival  SurvivalPolicy  `yaml:"survival" json:"survival"`
	Trace     TracePolicy     `yaml:"trace" json:"trace"`

	Accept board.AcceptPolicy `yaml:"accept" json:"accept"`

	// DatabaseSays is what the file says of where the boards are, as func PolicyDatabase gives it.
	DatabaseSays string `yaml:"database" json:"database"`
	// ProjectSays is the project whose capsules the file asks for, as func PolicyProject gives it.
	ProjectSays string `yaml:"project" json:"project"`
}

// UsedPolicy says which policy decides.
type UsedPolicy struct {
	Path string `yaml:"-" json:"path"` // of the file, "" for the default policy
	// since when the run has it on record; null: it is the directory's, or the call's
	Recorded *board.PolicyRef `yaml:"-" json:"recorded"`
	Note     string           `yaml:"-" json:"note"` // what to know of the choice

	Next []fault.Step `yaml:"-" json:"-"` // what would change it
}

// VerifyPolicy says when verify fails.
type VerifyPolicy struct {
	// MaxDoubted is the number of doubted entries that still pass.
	MaxDoubted int `yaml:"max_doubted" json:"max_doubted"`
	// MaxConcluded is the number of findings without a doubt that still
	// pass with figures that their sources lack; nil: no limit, they are warnings.
	MaxConcluded *int `yaml:"max_concluded" json:"max_concluded"`
}

// ConflictsPolicy says when conflicts fail.
type ConflictsPolicy struct {
	// Max is the number of pairs that still pass; nil: no limit, pairs are warnings.
	Max *int `yaml:"max" json:"max"`
}

// SurvivalPolicy says when survival fails.
type SurvivalPolicy struct {
	// MinItems is the minimum number of items.
	MinItems int `yaml:"min_items" json:"min_items"`
	// MinCosine is the minimum cosine of a passage that carries an item by meaning; 0:
	// only words count.
	MinCosine float64 `yaml:"min_cosine" json:"min_cosine"`
}

// TracePolicy says when trace fails.
type TracePolicy struct {
	// MaxUnsupported is the number of unsupported facts that still pass; nil: no limit,
	// facts are warnings.
	MaxUnsupported *int `yaml:"max_unsupported" json:"max_unsupported"`
}

// AcceptableChecks lists the checks whose doubts can be accepted.
var AcceptableChecks = []string{Verify, Survival}

// Does reports whether a check has a step.
func (f *Policy) Does(step string) bool { return f.Steps == nil || slices.Contains(f.Steps, step) }

// FindPolicy reads the policy of a directory: its board.yaml, or that of the nearest
// directory above, up to the repository's root. Without one, or for "", it returns the zero
// value.
func FindPolicy(dir string) (Policy, error) {
	if dir == "" {
		return Policy{}, nil
	}
	path, err := findPolicyPath(dir)
	if err != nil || path == "" {
		return Policy{}, err
	}
	return ReadPolicy(path)
}

// findPolicyPath returns the path of a directory's policy, "" if there is none.
func findPolicyPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, PolicyName)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		up := filepath.Dir(dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || up == dir {
			return "", nil
		}
		dir = up
	}
}

// PolicyDatabase is the path of a directory's policy, and where it says that its boards are. A policy
// may be another user's: ask for consent before using it. One without that key is not parsed, since
// every command asks.
func PolicyDatabase(dir string) (path, says string, err error) {
	path, f, err := readPolicyIfMentions(dir, "database")
	return path, f.DatabaseSays, err
}

// PolicyProject is what the policy of a directory says of the project it belongs to, and its
// path. It counts only once the owner of this clone has agreed to it.
func PolicyProject(dir string) (path, says string, err error) {
	path, f, err := readPolicyIfMentions(dir, "project")
	return path, f.ProjectSays, err
}

// readPolicyIfMentions reads the policy of a directory if it mentions a key.
func readPolicyIfMentions(dir, key string) (path string, f Policy, err error) {
	path, err = findPolicyPath(dir)
	if err != nil || path == "" {
		return "", f, err
	}
	data, err := read(path)
	if err != nil || !bytes.Contains(data, []byte(key)) {
		return path, f, err
	}
	f, err = ReadPolicy(path)
	return path, f, err
}

// ReadPolicy reads a policy.
//
// Errors: fault.NotFound when there is no such file, fault.Invalid, with the line, for
// an unknown key or an invalid value.
func ReadPolicy(path string) (Policy, error) {
	data, err := read(path)
	if err != nil {
		return Policy{}, err
	}
	path = shortenPath(path)
	f, err := parse(data)
	if err != nil {
		return Policy{}, fault.Invalid.New(fmt.Sprintf("%s: %v", path, err),
			"correct the file, or use another policy")
	}
	f.Path, f.Text = path, string(data)
	f.placeAt(filepath.Dir(path))
	return f, nil
}

// shortenPath returns a path relative to the working directory if its file is below that, or in
// a directory above, so that shown and stored paths say little about the machine.
func shortenPath(path string) string {
	wd, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	down, err := filepath.Rel(wd, path)
	if err != nil {
		return path
	}
	if up, err := filepath.Rel(filepath.Dir(path), wd); err != nil || isUp(down) && isUp(up) {
		return path
	}
	return down
}

func isUp(rel string) bool {
	return rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func read(path string) ([]byte, error) {
	data, err := disk.Read(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.NotFound.New("there is no policy file "+path, "check the path",
			fault.Do("policy.init", "{} writes board.yaml"))
	case errors.Is(err, disk.ErrNotRegular):
		return nil, fault.Invalid.New(path+" is not a file", "give the path of the policy file")
	case errors.Is(err, disk.ErrTooLarge):
		return nil, fault.Invalid.New(fmt.Sprintf("the policy %s exceeds %d MiB", path,
			maxFile>>20), "check that it is the right file")
	}
	return text.Unmarked(data), err
}

func parse(data []byte) (Policy, error) {
	var f Policy
	if hasOnlyComments(string(data)) {
		return f, nil
	}
	var root yaml.Node
	if err := yaml.Load(data, &root); err != nil {
		if !looksLikePolicy(data) {
			return f, errNoPolicy
		}
		return f, syntaxError(err)
	}
	if len(root.Content) == 0 || isNull(root.Content[0]) {
		return f, nil
	}
	if !looksLikePolicy(data) {
		return f, errNoPolicy
	}
	if err := checkKeys(root.Content[0], reflect.TypeFor[Policy](), ""); err != nil {
		return f, err
	}
	if err := root.Decode(&f); err != nil {
		return f, oneLine(err)
	}
	f.Gate.Accept = f.Accept
	return f, f.check()
}

// errNoPolicy does not quote the file: it may be anybody's.
var errNoPolicy = errors.New("it is not a policy: no line begins with a key such as gate or sources")

// looksLikePolicy reports whether a line begins with a key of a policy, or nearly so.
func looksLikePolicy(data []byte) bool {
	for line := range bytes.Lines(data) {
		key, _, _ := bytes.Cut(bytes.TrimLeft(line, " {-"), []byte(":"))
		name := strings.TrimSpace(strings.Trim(string(key), ` "'`))
		if slices.ContainsFunc(topKeys, func(k string) bool {
			return fault.Distance(k, name) <= min(2, (len(k)-1)/2)
		}) {
			return true
		}
	}
	return false
}

// topKeys are the keys of a policy at the top.
var topKeys = []string{"steps", "sources", "reports", "gate", "verify", "conflicts", "survival",
	"trace", "accept", "database", "project"}

// hasOnlyComments reports whether a file has only comments, which the parser refuses.
func hasOnlyComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// checkKeys refuses unknown keys, and values that must be lists and are not.
func checkKeys(n *yaml.Node, t reflect.Type, under string) error {
	if t.Kind() == reflect.Slice && !isNull(n) && n.Kind != yaml.SequenceNode {
		key := strings.TrimSuffix(under, ".")
		return fmt.Errorf("line %d: %s must be a list: %s: [%s]", n.Line, key, key,
			cmp.Or(fault.Clip(n.Value, 60), "…"))
	}
	if t.Kind() != reflect.Struct || isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: %s must have keys", n.Line,
			cmp.Or(strings.TrimSuffix(under, "."), "a policy"))
	}
	fields := map[string]reflect.Type{}
	var names []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
			fields[name] = t.Field(i).Type
			names = append(names, under+name)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		field, there := fields[key.Value]
		if !there {
			return fmt.Errorf("line %d: unknown key %s; the keys are %s", key.Line,
				under+fault.Clip(strings.Join(strings.Fields(text.Visible(key.Value)), " "), 60), strings.Join(names, ", "))
		}
		if err := checkKeys(n.Content[i+1], field, under+key.Value+"."); err != nil {
			return err
		}
	}
	return nil
}

// syntaxError returns an error of the YAML parser with its line, and with the line of what
// was left open: the mistake may be in either.
func syntaxError(err error) error {
	var at *yaml.LoadError
	if !errors.As(err, &at) || at.Mark.Line == 0 {
		return oneLine(err)
	}
	begins := ""
	if from := at.ContextMark.Line; from > 0 && from < at.Mark.Line {
		begins = fmt.Sprintf(" in the part that begins at line %d", from)
	}
	return fmt.Errorf("line %d: invalid YAML%s: %s", at.Mark.Line, begins, at.Message)
}

// wrongType is the YAML parser's message for a value of another type than the key's.
var wrongType = text.NewRegexp("cannot construct !!(\\w+) `(.*)` into \\*?(\\w+)")

// plainTypes are the types of keys, in words.
var plainTypes = map[string]string{"int": "a whole number", "int64": "a whole number",
	"bool": "true or false", "string": "a text", "float64": "a number"}

// oneLine returns a YAML error on one line.
func oneLine(err error) error {
	said := strings.Join(strings.Fields(strings.NewReplacer("yaml: ", "", "construct errors: ",
		"").Replace(err.Error())), " ")
	if m := wrongType.FindStringSubmatchIndex(said); m != nil {
		value, want := said[m[4]:m[5]], said[m[6]:m[7]]
		said = fmt.Sprintf("%s%q is not %s%s", said[:m[0]], value, cmp.Or(plainTypes[want], want),
			said[m[1]:])
	}
	return errors.New(strings.TrimPrefix(said, "go-yaml load error in "))
}

func (f *Policy) check() error {
	if f.Steps != nil && len(f.Steps) == 0 {
		return fmt.Errorf("steps: the list is empty; choose from %s", strings.Join(Steps, ", "))
	}
	for _, s := range f.Steps {
		if !slices.Contains(Steps, s) {
			return fmt.Errorf("steps: unknown step %q; choose from %s",
				fault.Clip(s, 60), strings.Join(Steps, ", "))
		}
	}
	for _, c := range []struct {
		key string
		n   *int
	}{
		{"verify.max_doubted", &f.Verify.MaxDoubted},
		{"verify.max_concluded", f.Verify.MaxConcluded},
		{"conflicts.max", f.Conflicts.Max},
		{"survival.min_items", &f.Survival.MinItems},
		{"trace.max_unsupported", f.Trace.MaxUnsupported},
	} {
		if c.n != nil && *c.n < 0 {
			return fmt.Errorf("%s: %d is less than 0", c.key, *c.n)
		}
	}
	if n := f.Accept.Max; n != nil && *n < 0 {
		return fmt.Errorf("accept.max: %d is less than 0", *n)
	}
	for _, c := range f.Accept.Checks {
		if !slices.Contains(AcceptableChecks, c) {
			return fmt.Errorf("accept.checks: doubts of %q cannot be accepted; choose from %s",
				fault.Clip(c, 60), strings.Join(AcceptableChecks, ", "))
		}
	}
	if c := f.Survival.MinCosine; math.IsNaN(c) || c < 0 || c > 1 {
		return fmt.Errorf("survival.min_cosine: %v is not between 0 and 1", c)
	}
	if err := f.Gate.Check(); err != nil {
		return fmt.Errorf("gate: %s", fault.Told(err))
	}
	return nil
}
