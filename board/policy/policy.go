// Package policy reads board.yaml: what a run is held to, for whoever asks. The orchestrator, CI
// and the TUI read the same file, so that they give the same answer.
package policy

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"blackboard/board"
	"blackboard/board/fault"
)

// Name is the name of the file.
const Name = "board.yaml"

// maxFile is how many bytes a policy may have.
const maxFile = 1 << 20

// Template is a policy with every key, its default and what it means.
//
//go:embed template.yaml
var Template string

// Steps of a check, in the order in which they are done.
const (
	Gate      = "gate"
	Verify    = "verify"
	Conflicts = "conflicts"
	Survival  = "survival"
	Trace     = "trace"
)

// Steps lists them.
var Steps = []string{Gate, Verify, Conflicts, Survival, Trace}

// File is what a board.yaml says. The zero value is what holds without one.
type File struct {
	// Path is where it stands, "" for none.
	Path string `yaml:"-" json:"path"`

	// Steps of a check, each of which must be done; nil: all for which there is something.
	Steps []string `yaml:"steps" json:"steps"`
	// Sources are files and directories that hold what the run reads, Reports the artifacts. In
	// the file they are relative to it, here to the working directory.
	Sources []string `yaml:"sources" json:"sources"`
	Reports []string `yaml:"reports" json:"reports"`

	Gate      board.Policy    `yaml:"gate" json:"gate"`
	Verify    VerifyPolicy    `yaml:"verify" json:"verify"`
	Conflicts ConflictsPolicy `yaml:"conflicts" json:"conflicts"`
	Survival  SurvivalPolicy  `yaml:"survival" json:"survival"`
	Trace     TracePolicy     `yaml:"trace" json:"trace"`
}

// VerifyPolicy says when verify fails.
type VerifyPolicy struct {
	// MaxDoubted is how many doubted entries are let through.
	MaxDoubted int `yaml:"max_doubted" json:"max_doubted"`
}

// ConflictsPolicy says when conflicts fail.
type ConflictsPolicy struct {
	// Max is how many pairs are let through; nil: any number, which are warnings.
	Max *int `yaml:"max" json:"max"`
}

// SurvivalPolicy says when survival fails.
type SurvivalPolicy struct {
	// MinItems is how many things there must be to look for.
	MinItems int `yaml:"min_items" json:"min_items"`
	// MinCosine is from which cosine on a passage carries an item by meaning; 0: words alone
	// count.
	MinCosine float64 `yaml:"min_cosine" json:"min_cosine"`
}

// TracePolicy says when trace fails.
type TracePolicy struct {
	// MaxUnsupported is how many facts of the reports may have nothing behind them; nil: any
	// number, which are warnings.
	MaxUnsupported *int `yaml:"max_unsupported" json:"max_unsupported"`
}

// Does reports whether a check has a step.
func (f *File) Does(step string) bool { return f.Steps == nil || slices.Contains(f.Steps, step) }

// Find reads the policy of a directory: its board.yaml, or that of the nearest directory above,
// up to that of the repository. Without one it returns the zero File.
func Find(dir string) (File, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return File{}, err
	}
	for {
		f, err := Read(filepath.Join(dir, Name))
		if !errors.Is(err, fault.NotFound) {
			return f, err
		}
		up := filepath.Dir(dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || up == dir {
			return File{}, nil
		}
		dir = up
	}
}

// Read reads a policy.
//
// Errors: fault.NotFound when there is no such file, fault.Invalid, with the line, when it has a
// key that is not known, or a value that cannot be.
func Read(path string) (File, error) {
	data, err := read(path)
	if err != nil {
		return File{}, err
	}
	path = near(path)
	f, err := parse(data)
	if err != nil {
		return File{}, fault.Invalid.New(fmt.Sprintf("%s: %v", path, err), "mend it, or follow another policy")
	}
	f.Path = path
	for _, list := range [][]string{f.Sources, f.Reports} {
		for i, p := range list {
			if list[i] = filepath.FromSlash(p); !filepath.IsAbs(list[i]) {
				list[i] = filepath.Join(filepath.Dir(path), list[i])
			}
		}
	}
	return f, nil
}

// near is a path as seen from the working directory, if it is below it or its directory above, so
// that what is shown and stored has no more of the machine than it must.
func near(path string) string {
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
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.NotFound.New("there is no policy "+path, "", fault.Do("policy.init", "{} writes one"))
	}
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fault.Invalid.New(path+" is not a file", "name the policy itself")
	}
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fault.Invalid.New(fmt.Sprintf("the policy %s has more than %d MiB", path, maxFile>>20), "is it the right file?")
	}
	return data, err
}

func parse(data []byte) (File, error) {
	var f File
	if saysNothing(string(data)) {
		return f, nil
	}
	var root yaml.Node
	if err := yaml.Load(data, &root); err != nil {
		return f, oneLine(err)
	}
	if len(root.Content) == 0 {
		return f, nil
	}
	if err := known(root.Content[0], reflect.TypeFor[File](), ""); err != nil {
		return f, err
	}
	if err := root.Decode(&f); err != nil {
		return f, oneLine(err)
	}
	return f, f.check()
}

// saysNothing reports whether a file has no more than comments, which the parser refuses.
func saysNothing(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// known refuses keys that the type has no field for, and what is no list in the place of one.
func known(n *yaml.Node, t reflect.Type, under string) error {
	if t.Kind() == reflect.Slice && !isNull(n) && n.Kind != yaml.SequenceNode {
		key := strings.TrimSuffix(under, ".")
		return fmt.Errorf("line %d: %s takes a list: %s: [%s]", n.Line, key, key,
			cmp.Or(fault.Clip(n.Value, 60), "…"))
	}
	if t.Kind() != reflect.Struct || isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: %s takes keys", n.Line,
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
			return fmt.Errorf("line %d: there is no key %s; there are %s", key.Line,
				under+fault.Clip(key.Value, 60), strings.Join(names, ", "))
		}
		if err := known(n.Content[i+1], field, under+key.Value+"."); err != nil {
			return err
		}
	}
	return nil
}

// oneLine is what a YAML error says, on one line.
func oneLine(err error) error {
	said := strings.Join(strings.Fields(strings.NewReplacer("yaml: ", "", "construct errors: ", "").Replace(err.Error())), " ")
	return errors.New(strings.TrimPrefix(said, "go-yaml load error in "))
}

func (f *File) check() error {
	if f.Steps != nil && len(f.Steps) == 0 {
		return fmt.Errorf("steps: none is named; there are %s", strings.Join(Steps, ", "))
	}
	for _, s := range f.Steps {
		if !slices.Contains(Steps, s) {
			return fmt.Errorf("steps: there is no %q; there are %s",
				fault.Clip(s, 60), strings.Join(Steps, ", "))
		}
	}
	for _, c := range []struct {
		key string
		n   *int
	}{
		{"verify.max_doubted", &f.Verify.MaxDoubted},
		{"conflicts.max", f.Conflicts.Max},
		{"survival.min_items", &f.Survival.MinItems},
		{"trace.max_unsupported", f.Trace.MaxUnsupported},
	} {
		if c.n != nil && *c.n < 0 {
			return fmt.Errorf("%s: %d is less than 0", c.key, *c.n)
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
