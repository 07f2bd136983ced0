package minilm

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
)

type config struct {
	top     string // the model's directory
	dir     string // holds the tokenizer's files; the weights may lie in a subdirectory
	weights string // the path of the ONNX file, or of a static model's table
	pooling pooling
	pooled  int    // the vector's size in the pooling file, or 0
	limit   int    // number of tokens that the model reads
	vocab   int    // rows of its table of tokens, or 0 if unknown
	hidden  int    // numbers per token, or 0
	unknown string // the token of unknown words
	lower   bool
	static  bool // a static model: a table of vectors
}

// defaultLimit is the limit of a model whose files have none, the one of BERT's training.
const defaultLimit = 512

// describe reads a model's small files. Its errors name the file and the next step.
func describe(dir string) (*config, error) {
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return nil, noModel(hintNoSuch, err, "no directory of an embedding model is named")
	}
	c, err := readConfig(abs)
	if err == nil {
		err = c.findWeights()
	}
	if err == nil {
		err = c.readTokenizer()
	}
	return c, err
}

// bad returns the error for weights that cannot be used, because of err.
func (c *config) bad(what string, err error) error {
	return badModel(hintFetch, err, "%s %s", c.weights, what)
}

// readConfig reads the files that sentence-transformers writes: modules.json lists the
// steps, each with its own directory. A directory without it is a plain transformer,
// whose token vectors are averaged, as sentence-transformers does.
//
// Vectors are scaled to length 1 even if modules.json has no such step: embed.Embedder
// requires it, and it changes no angle.
func readConfig(dir string) (*config, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noModel(hintNoSuch, fs.ErrNotExist, "no embedding model in %s", dir)
	}
	if err != nil || !info.IsDir() {
		return nil, noModel(hintNoSuch, err, "%s is not a model's directory", dir)
	}
	c := &config{top: dir, dir: dir, pooling: poolMean}
	if err := c.readModules(); err != nil {
		return nil, err
	}
	return c, c.readLimits()
}

func (c *config) readModules() error {
	path := filepath.Join(c.dir, "modules.json")
	var modules []struct{ Type, Path string }
	found, err := readJSON(path, &modules)
	if err != nil {
		return err
	}
	if !found {
		_, err := c.readPooling(filepath.Join(c.dir, "1_Pooling", "config.json"))
		return err
	}
	root := c.dir
	for _, m := range modules {
		if m.Path != "" && !filepath.IsLocal(filepath.FromSlash(m.Path)) {
			return badModel(hintFetch, nil, "%s leads out of the model's directory: %q", path, m.Path)
		}
		dir := filepath.Join(root, filepath.FromSlash(m.Path))
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer", "StaticEmbedding":
			c.dir = dir
		case "Pooling":
			file := filepath.Join(dir, "config.json")
			if found, err := c.readPooling(file); err != nil {
				return err
			} else if !found {
				return noModel(hintFetch, fs.ErrNotExist, "%s is missing, and %s refers to it", file, path)
			}
		case "Normalize":
		default:
			return badModel(fault.Steps("use a model whose modules.json has only Transformer, Pooling and Normalize"), nil, "%s has a step %q, which is not supported", path, kind)
		}
	}
	return nil
}

// readPooling reads the one mode set: pooling_mode_mean_tokens, or pooling_mode in newer files.
func (c *config) readPooling(path string) (found bool, err error) {
	file := map[string]any{}
	if found, err := readJSON(path, &file); !found {
		return false, err
	}
	if dim, ok := file["word_embedding_dimension"].(float64); ok {
		c.pooled = int(dim)
	}
	known := map[string]pooling{
		"mean_tokens": poolMean, "mean": poolMean, "mean_sqrt_len_tokens": poolMean, // differs in the length only
		"cls_token": poolCLS, "cls": poolCLS, "max_tokens": poolMax, "max": poolMax,
	}
	modes := map[pooling]bool{}
	for key, value := range file {
		mode, _ := strings.CutPrefix(key, "pooling_mode_")
		if name, ok := value.(string); ok && key == "pooling_mode" {
			modes[known[name]] = true
		} else if mode != key && value == true {
			modes[known[mode]] = true
		}
	}
	if len(modes) != 1 || modes[""] {
		return false, badModel(fault.Steps("use a model with mean, cls or max pooling"), nil, "%s asks for a kind of pooling that is not supported", path)
	}
	for mode := range modes {
		c.pooling = mode
	}
	return true, nil
}

// readLimits determines how many tokens the model reads: max_seq_length of sentence-transformers,
// for which the model was tuned; else the limit of the tokenizer's configuration. The limit in
// tokenizer.json is the one of training and often smaller, so it is ignored, as in
// sentence-transformers. The result is never more than the number of the model's positions.
func (c *config) readLimits() error {
	var model struct {
		Positions int    `json:"max_position_embeddings"`
		Vocab     int    `json:"vocab_size"`
		Hidden    int    `json:"hidden_size"`
		Type      string `json:"model_type"`
		StaticDim int    `json:"hidden_dim"`
	}
	var sentence struct {
		Limit int  `json:"max_seq_length"`
		Lower bool `json:"do_lower_case"`
	}
	var tokens struct {
		Limit float64 `json:"model_max_length"` // 1e30 means no limit
	}
	into := []any{&model, &sentence, &tokens}
	for i, name := range []string{"config.json", "sentence_bert_config.json", "tokenizer_config.json"} {
		if _, err := readJSON(filepath.Join(c.dir, name), into[i]); err != nil {
			return err
		}
	}
	c.vocab, c.hidden, c.lower = model.Vocab, model.Hidden, sentence.Lower
	if c.static = model.Type == staticType; c.static {
		c.hidden = model.StaticDim
	}
	c.limit = sentence.Limit
	if c.limit <= 0 && tokens.Limit >= 1 && tokens.Limit < 1e6 {
		c.limit = int(tokens.Limit)
	}
	if model.Positions > 0 && (c.limit <= 0 || c.limit > model.Positions) {
		c.limit = model.Positions
	}
	c.limit = cmp.Or(max(c.limit, 0), defaultLimit)
	return nil
}
