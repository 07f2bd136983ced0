package minilm

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/replace"
)

// DefaultDir is the directory of the model that is used: $BOARD_MODEL_DIR, else the one
// that Choose has chosen, else models/all-MiniLM-L6-v2 in the data home.
func DefaultDir(home string, getenv func(string) string) string {
	if dir := getenv("BOARD_MODEL_DIR"); dir != "" {
		return dir
	}
	// Unreadable is as good as not there: what loads the model says what is wrong.
	if data, _ := os.ReadFile(chosenFile(home)); len(data) > 0 {
		if name := strings.TrimSpace(string(data)); filepath.IsAbs(name) {
			return name
		} else if name != "" && filepath.Base(name) == name {
			return filepath.Join(home, "models", name)
		}
	}
	return filepath.Join(home, "models", DefaultModel)
}

// chosenFile holds the name of the chosen model, or its directory if that is not in the
// data home.
func chosenFile(home string) string { return filepath.Join(home, "models", "chosen") }

// Choose makes the model in a directory the one that a data home uses. It must load.
func Choose(home, dir string) error {
	if _, err := Inspect(dir); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	models, err := filepath.Abs(filepath.Join(home, "models"))
	if err != nil {
		return err
	}
	if filepath.Dir(dir) == models {
		dir = filepath.Base(dir) // a data home may be moved
	}
	if err := os.MkdirAll(models, 0o700); err != nil {
		return failure(fault.Failure, "", err, "the choice cannot be stored")
	}
	f, err := os.CreateTemp(models, ".chosen-*")
	if err != nil {
		return failure(fault.Failure, "", err, "the choice cannot be stored")
	}
	err = replace.Fill(f, func(f *os.File) error {
		_, err := f.WriteString(dir + "\n")
		return err
	})
	if err == nil {
		err = replace.Put(f.Name(), chosenFile(home))
	}
	if err != nil {
		return failure(fault.Failure, "", err, "the choice cannot be stored")
	}
	return nil
}

var (
	hintFetch  = []fault.Step{fault.Do("model.pull", "{} fetches it again"), {Text: "or name another model's directory with BOARD_MODEL_DIR"}}
	hintNoSuch = []fault.Step{fault.Do("model.pull", "{} fetches one"), {Text: "or name a directory with the files of a BERT-like sentence-embedding model in ONNX form with BOARD_MODEL_DIR; without a model, search by words still works"}}
)

func noModel(next []fault.Step, err error, format string, a ...any) error {
	return failure(fault.NoModel, "", err, format, a...).Then(next...)
}

func badModel(next []fault.Step, err error, format string, a ...any) error {
	return failure(fault.BadModel, "", err, format, a...).Then(next...)
}

// maxConfig bounds the configuration files that are read, in bytes. Vocabularies of half
// a million tokens stay below it.
const maxConfig = 64 << 20

// readFile reads a configuration file; where it does not exist it returns nil.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, badModel(fault.Steps("make it readable for this user"), err, "a file of the model cannot be opened")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, badModel(hintFetch, err, "a file of the model cannot be read")
	}
	if len(data) > maxConfig {
		return nil, badModel(hintFetch, nil, "%s is larger than %d MB, which no configuration is", path, maxConfig>>20)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// readJSON fills v from a JSON file and reports whether the file exists.
func readJSON(path string, v any) (bool, error) {
	data, err := readFile(path)
	if data == nil || err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, badModel(hintFetch, err, "%s is not the JSON that belongs there", path)
	}
	return true, nil
}

// findWeights returns the path of the model's ONNX file. Exporters put it at the top,
// also where the transformer has its own directory. Models are published with it in
// onnx/, converters write it beside the rest.
func (c *config) findWeights(top string) (string, error) {
	names := []string{"onnx/model.onnx", "model.onnx"}
	if c.static {
		names = []string{staticWeights}
	}
	for _, dir := range []string{c.dir, top} {
		for _, name := range names {
			path := File{Name: name}.in(dir)
			switch info, err := os.Stat(path); {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return "", badModel(fault.Steps("make it readable for this user"), err, "the model's weights cannot be opened")
			case info.IsDir():
				return "", badModel(hintFetch, nil, "%s is a directory, not the model's weights", path)
			case c.static:
				return path, nil // a header tells it from other files
			default:
				return path, checkWeights(path)
			}
		}
	}
	return "", noModel(hintNoSuch, fs.ErrNotExist, "%s has no %s", top, strings.Join(names, " or "))
}

// checkWeights tells the usual accidents of a download from weights: nothing, a page, a
// Git LFS pointer.
func checkWeights(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return badModel(fault.Steps("make it readable for this user"), err, "the model's weights cannot be opened")
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return badModel(hintFetch, err, "the model's weights cannot be read")
	}
	switch head = head[:n]; {
	case n < 16:
		return badModel(hintFetch, nil, "%s is cut short: it has %d bytes", path, n)
	case string(head[:7]) == "version":
		return badModel(fault.Steps("fetch the file itself (git lfs pull)"), nil, "%s is a Git LFS pointer, not the model's weights", path)
	case head[0] == '<' || head[0] == '{':
		return badModel(hintFetch, nil, "%s is text, perhaps a server's error page, not the model's weights", path)
	}
	return nil
}

// Info is what the files of a model say, without the weights being loaded.
type Info struct {
	Name      string `json:"name"`
	Dir       string `json:"dir"`
	Dim       int    `json:"dim"` // 0 when only the weights say it
	MaxTokens int    `json:"max_tokens"`
	Bytes     int64  `json:"bytes"` // of all files
}

// Inspect reads the small files of a model and looks whether weights are there. The name
// and the size are filled in also with an error.
func Inspect(dir string) (Info, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Info{Dir: dir}, noModel(hintNoSuch, err, "%q is no directory", dir)
	}
	info := Info{Name: filepath.Base(abs), Dir: abs}
	root, err := filepath.EvalSymlinks(abs)
	if err != nil {
		root = abs // what is wrong with it shows below
	}
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if file, err := os.Stat(path); err == nil { // the hub's own cache is full of links
				info.Bytes += file.Size()
			}
		}
		return nil
	})
	c, err := readConfig(abs)
	if err != nil {
		return info, err
	}
	info.MaxTokens, info.Dim = c.limit, cmp.Or(c.pooled, c.hidden)
	if _, err := c.findWeights(abs); err != nil {
		return info, err
	}
	_, err = c.readTokenizer()
	return info, err
}
