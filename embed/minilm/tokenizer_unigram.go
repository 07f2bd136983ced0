package minilm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"blackboard/board/fault"
)

// isUnigram reports whether the file is one of SentencePiece's, as multilingual models
// have it. Older files do not name the kind.
func (f *tokenizerFile) isUnigram() bool {
	list := bytes.HasPrefix(bytes.TrimSpace(f.Model.Vocab), []byte("["))
	return f.Model.Type == "Unigram" || f.Model.Type == "" && list
}

func (f *tokenizerFile) readUnigram(path string) (*tokenizer, error) {
	unsupported := func(what, kind string) error {
		hint := fault.Steps("use a model that was exported with the tokenizer of XLM-RoBERTa")
		return badModel(hint, nil, "%s has the %s %q, which is not supported", path, what, kind)
	}
	if f.Model.ByteFallback {
		return nil, unsupported("setting", "byte_fallback")
	}
	u := &unigram{}
	if kind := u.readNormalizer(f.Normalizer); kind != "" {
		return nil, unsupported("normalizer", kind)
	}
	if kind := u.readPreTokenizer(f.PreTokenizer); kind != "" {
		return nil, unsupported("pre-tokenizer", kind)
	}
	if err := u.readPieces(f.Model.Vocab, f.Model.UnknownID); err != nil {
		return nil, badModel(hintFetch, err, "%s has no Unigram vocabulary", path)
	}
	t := &tokenizer{unigram: u}
	t.readAdded(f)
	return t, t.template(f.PostProcessor, path)
}

// readNormalizer returns the step that it does not support, or "".
func (u *unigram) readNormalizer(n *normalizerFile) (unsupported string) {
	if n == nil {
		return ""
	}
	var err error
	switch {
	case n.Type == "Sequence":
		for _, each := range n.Normalizers {
			if unsupported := u.readNormalizer(each); unsupported != "" {
				return unsupported
			}
		}
	case n.Type == "Precompiled" && u.chars.units == nil:
		u.chars, err = readCharsmap(n.Charsmap)
	case n.Type == "Replace" && n.Pattern.Regex == " {2,}" && n.Content == " ":
		u.collapse = true
	default:
		return n.Type
	}
	if err != nil {
		return fmt.Sprintf("%s: %v", n.Type, err)
	}
	return ""
}

// readPreTokenizer returns the step that it does not support, or "". It supports a
// Metaspace that puts a space before each text, after a WhitespaceSplit or alone.
func (u *unigram) readPreTokenizer(s *stepFile) (unsupported string) {
	if s == nil {
		return "none"
	}
	steps := []*stepFile{s}
	if s.Type == "Sequence" {
		steps = s.Steps
	}
	for i, step := range steps {
		last := i == len(steps)-1
		switch {
		case !last && i == 0 && step.Type == "WhitespaceSplit":
			u.words = true
		case last && step.Type == "Metaspace" && step.Replacement == wordStart &&
			step.Scheme != "never" && (step.Prefix == nil || *step.Prefix):
		default:
			return step.Type
		}
	}
	return ""
}

func (u *unigram) readPieces(vocab json.RawMessage, unknown *int) error {
	var list []scoredPiece
	if err := json.Unmarshal(vocab, &list); err != nil {
		return err
	}
	if unknown == nil || *unknown < 0 || *unknown >= len(list) {
		return fmt.Errorf("unk_id is not one of its %d pieces", len(list))
	}
	u.pieces = make(map[string]piece, len(list))
	for i, p := range list {
		u.pieces[p.text] = piece{uint32(i), p.score}
		u.longest = max(u.longest, len(p.text))
	}
	lowest := slices.MinFunc(list, func(a, b scoredPiece) int {
		if a.score < b.score {
			return -1
		}
		return 1
	})
	u.unknown = piece{uint32(*unknown), lowest.score - unknownPenalty}
	return nil
}

// scoredPiece is ["text", score] in a file.
type scoredPiece struct {
	text  string
	score float64
}

func (p *scoredPiece) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[2]any{&p.text, &p.score})
}
