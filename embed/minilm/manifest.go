package minilm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
)

// DefaultModel is the default of the model to use and to pull.
const DefaultModel = "all-MiniLM-L6-v2"

// failure returns an error whose message ends with its cause, if there is one.
func failure(kind fault.Kind, hint string, err error, format string, a ...any) *fault.Error {
	msg := fmt.Sprintf(format, a...)
	if err != nil {
		msg += ": " + err.Error()
	}
	return &fault.Error{Kind: kind, Msg: msg, Next: fault.Steps(hint), Cause: err}
}

// File is one file of a published model.
type File struct {
	Name   string `json:"name"` // slash-separated, relative to the model's directory
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hex; "" if unknown: then the model must load
}

func (f File) in(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }

// Manifest lists the files of a model and where it is published.
type Manifest struct {
	Name     string // of the model, and of its directory
	Repo     string // on the hub: ORGANISATION/MODEL
	Revision string // of the repository
	// in download order; the weights last, so that a wrong source fails early
	Files []File

	// of a known model: the SHA-256 of all files that have these weights, and how it is used
	weights []string
	limit   int
	pooling pooling
}

func (m Manifest) sumOf(name string) string {
	i := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name })
	return m.Files[i].SHA256
}

// Pinned reports whether the checksums of the files are known.
func (m Manifest) Pinned() bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return f.SHA256 != "" })
}

// allMiniLM has a fixed revision, since the small files of "main" may change.
var allMiniLM = Manifest{
	Name: DefaultModel, Repo: "sentence-transformers/all-MiniLM-L6-v2", Revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
	limit: 256, pooling: poolMean, weights: []string{
		"6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452", // as published
		"759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e", // by Xenova's exporter
	},
	Files: []File{
		{Name: "config.json", Bytes: 612, SHA256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
		// the limit of 256 tokens, on which the vectors depend
		{Name: "sentence_bert_config.json", Bytes: 53, SHA256: "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
		{Name: "1_Pooling/config.json", Bytes: 190, SHA256: "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
		{Name: "modules.json", Bytes: 349, SHA256: "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
		{Name: "tokenizer_config.json", Bytes: 350, SHA256: "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"},
		{Name: "special_tokens_map.json", Bytes: 112, SHA256: "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"},
		{Name: "tokenizer.json", Bytes: 466_247, SHA256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
		{Name: "onnx/model.onnx", Bytes: 90_405_214, SHA256: "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452"},
	},
}

// anyFiles may be there of an unknown model. Open checks which ones are required.
var anyFiles = []File{
	{Name: "config.json"}, {Name: "modules.json"}, {Name: "sentence_bert_config.json"},
	{Name: "1_Pooling/config.json"}, {Name: "tokenizer_config.json"}, {Name: "special_tokens_map.json"},
	{Name: "tokenizer.json"}, {Name: "LICENSE"}, {Name: "NOTICE"},
	{Name: "onnx/model.onnx"}, {Name: "model.onnx"}, {Name: staticWeights},
}

// staticWeights is the file of a static model. Other models do not need it.
const staticWeights = "model.safetensors"

var known = []Manifest{allMiniLM} // the models whose checksums are known

var plainName = text.NewRegexp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Named returns a known model's manifest, for ORGANISATION/MODEL that of a model of the hub, for
// another name one with an empty Repo, which needs a source.
func Named(name string) (Manifest, error) {
	for _, m := range known {
		if strings.EqualFold(name, m.Name) || strings.EqualFold(name, m.Repo) {
			return m, nil
		}
	}
	m := Manifest{Name: name, Revision: "main", Files: anyFiles}
	if org, model, ok := strings.Cut(name, "/"); ok && plainName.MatchString(org) {
		m.Name, m.Repo = model, name
	}
	if !plainName.MatchString(m.Name) {
		return Manifest{}, failure(fault.Invalid, "a model is called NAME or, as on the hub, ORGANISATION/NAME, of letters, digits, dots, dashes and underscores", nil, "%q cannot name a model", name)
	}
	return m, nil
}

// recordName is the file in which Pull records the source and files of a model.
const recordName = ".board-model.json"

// record describes how a model's directory was made.
type record struct {
	V        int    `json:"v"`
	Name     string `json:"name"`
	Source   string `json:"source"`
	Revision string `json:"revision"`
	Files    []File `json:"files"`
}

func readRecord(dir string) (*record, error) {
	r := &record{}
	if found, err := readJSON(filepath.Join(dir, recordName), r); !found {
		return nil, err
	}
	return r, nil
}

func checkFiles(dir string, files []File) (wrong []string) {
	for _, f := range files {
		sum, err := sumOf(f.in(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, f.Name+" is missing")
		case err != nil:
			wrong = append(wrong, f.Name+" cannot be read: "+errors.Unwrap(err).Error())
		case sum != f.SHA256:
			wrong = append(wrong, fmt.Sprintf("%s has the SHA-256 %s, not %s", f.Name, sum, f.SHA256))
		}
	}
	return wrong
}

func (r *record) write(dir string) error {
	data, _ := json.MarshalIndent(r, "", "  ") // texts and numbers always can be
	return os.WriteFile(filepath.Join(dir, recordName), append(data, '\n'), 0o600)
}
