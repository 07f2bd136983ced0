package minilm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// DefaultDir returns the directory of the model that is used: $BOARD_MODEL_DIR, else the
// one that Choose stored, else models/all-MiniLM-L6-v2 in the data home.
func DefaultDir(home string, getenv func(string) string) string {
	if dir := getenv("BOARD_MODEL_DIR"); dir != "" {
		return dir
	}
	// An unreadable file counts as missing; loading the model will report it.
	if data, _ := disk.Read(chosenFile(home), 64<<10); len(data) > 0 {
		if name := strings.TrimSpace(string(data)); filepath.IsAbs(name) {
			return name
		} else if filepath.Base(name) == name {
			return filepath.Join(home, "models", name)
		}
	}
	return filepath.Join(home, "models", DefaultModel)
}

// chosenFile has the chosen model's name, or its directory outside the data home.
func chosenFile(home string) string { return filepath.Join(home, "models", "chosen") }

// Choose stores the model in a directory as the one that a data home uses. The model must load.
func Choose(home, dir string) error {
	if _, err := Inspect(dir); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	models, err2 := filepath.Abs(filepath.Join(home, "models"))
	if err = cmp.Or(err, err2); err != nil {
		return err
	}
	if filepath.Dir(dir) == models {
		dir = filepath.Base(dir) // a data home may be moved
	}
	return cannotWrite(disk.Write(chosenFile(home), []byte(dir+"\n"), 0o600), chosenFile(home))
}

var (
	hintFetch    = []fault.Step{fault.Do("model.pull", "{} fetches it again"), {Text: "or name another model's directory with BOARD_MODEL_DIR"}}
	hintReadable = fault.Steps("make it readable for this user")
	hintNoSuch   = []fault.Step{fault.Do("model.pull", "{} fetches one"), {Text: "or name a directory with the files of a BERT-like sentence-embedding model in ONNX form with BOARD_MODEL_DIR; without a model, search by words still works"}}
)

func noModel(next []fault.Step, err error, format string, a ...any) error {
	return failure(fault.NoModel, "", err, format, a...).Then(next...)
}

func badModel(next []fault.Step, err error, format string, a ...any) error {
	return failure(fault.BadModel, "", err, format, a...).Then(next...)
}

// maxConfig is the most bytes of a configuration file: vocabularies are smaller.
const maxConfig = 64 << 20

func readJSON(path string, v any) (bool, error) {
	data, err := disk.Read(path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission):
		return false, badModel(hintReadable, err, "a file of the model cannot be opened")
	case err != nil:
		return false, badModel(hintFetch, err, "a file of the model cannot be read")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, badModel(hintFetch, err, "%s is not the expected JSON", path)
	}
	return true, nil
}

// findWeights finds the ONNX file: in onnx/ if published, beside the rest if converted.
func (c *config) findWeights() error {
	names := []string{"onnx/model.onnx", "model.onnx"}
	if c.static {
		names = []string{staticWeights}
	}
	for _, name := range names {
		c.weights = File{Name: name}.in(c.dir)
		if _, err := os.Stat(c.weights); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if c.static { // its header is checked when it is read
			return nil
		}
		return c.checkWeights()
	}
	return noModel(hintNoSuch, fs.ErrNotExist, "%s has no %s", c.dir, strings.Join(names, " or "))
}

// checkWeights detects an empty file, an HTML page, a Git LFS pointer.
func (c *config) checkWeights() error {
	f, err := disk.Open(c.weights)
	if err != nil {
		return badModel(hintReadable, err, "the model's weights cannot be opened")
	}
	defer f.Close()
	head := make([]byte, 16)
	switch n, err := io.ReadFull(f, head); {
	case err != nil && n > 0 || err == io.EOF:
		return badModel(hintFetch, nil, "%s is cut short: it has %d bytes", c.weights, n)
	case err != nil:
		return badModel(hintFetch, err, "the model's weights cannot be read")
	case string(head[:7]) == "version":
		return badModel(fault.Steps("fetch the file itself (git lfs pull)"), nil, "%s is a Git LFS pointer, not the model's weights", c.weights)
	case head[0] == '<' || head[0] == '{':
		return badModel(hintFetch, nil, "%s is text, perhaps a server's error page, not the model's weights", c.weights)
	}
	return nil
}

// Info is what the small files of a model tell, without loading the weights.
type Info struct {
	Name      string `json:"name"`
	Dir       string `json:"dir"`
	Dim       int    `json:"dim"` // 0 if only the weights tell it
	MaxTokens int    `json:"max_tokens"`
	Bytes     int64  `json:"bytes"` // of all files
	// Int8: its weights have 8 bits, with which it is 12 to 20 times as slow here
	Int8 bool `json:"int8"`
}

func (c *config) isInt8() bool {
	info, err := os.Stat(c.weights)
	if err != nil || c.static || info.Size() > max(1<<20, 4*int64(c.vocab)*int64(c.hidden)) {
		return false // with 8 bits it is smaller than the table of tokens with 32
	}
	data, err := disk.Read(c.weights, maxConfig)
	return err == nil && slices.ContainsFunc([]string{"MatMulInteger", "QLinearMatMul", "DequantizeLinear"},
		func(operation string) bool { return bytes.Contains(data, []byte(operation)) })
}

// Inspect reads a model's small files. Name and size are set even with an error.
func Inspect(dir string) (Info, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Info{Dir: dir}, noModel(hintNoSuch, err, "%q is not a directory", dir)
	}
	info := Info{Name: filepath.Base(abs), Dir: abs}
	root, err := filepath.EvalSymlinks(abs)
	if err != nil {
		root = abs // errors are reported below
	}
	filepath.WalkDir(root, func(path string, _ fs.DirEntry, _ error) error {
		// follows links: caches have them
		if file, err := os.Stat(path); err == nil && !file.IsDir() {
			info.Bytes += file.Size()
		}
		return nil
	})
	c, err := describe(abs)
	if c != nil {
		info.MaxTokens, info.Dim, info.Int8 = c.limit, cmp.Or(c.pooled, c.hidden), c.isInt8()
	}
	return info, err
}
