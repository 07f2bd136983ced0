package minilm

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"

	"blackboard/board/fault"
)

// tokenizerFile is tokenizer.json, as far as WordPiece and Unigram need it.
type tokenizerFile struct {
	Added []struct {
		ID         uint32
		Content    string
		SingleWord bool `json:"single_word"`
		Normalized bool
	} `json:"added_tokens"`
	Normalizer    *normalizerFile
	PreTokenizer  *stepFile     `json:"pre_tokenizer"`
	PostProcessor *templateFile `json:"post_processor"`
	Model         struct {
		Type     string
		Unknown  string `json:"unk_token"`
		Prefix   string `json:"continuing_subword_prefix"`
		MaxChars int    `json:"max_input_chars_per_word"`
		Vocab    json.RawMessage

		UnknownID    *int `json:"unk_id"`
		ByteFallback bool `json:"byte_fallback"`
	}
}

type stepFile struct {
	Type        string
	Steps       []*stepFile `json:"pretokenizers"`
	Replacement string
	Scheme      string `json:"prepend_scheme"`
	Prefix      *bool  `json:"add_prefix_space"`
}

type normalizerFile struct {
	Type    string
	Clean   bool  `json:"clean_text"`
	CJK     bool  `json:"handle_chinese_chars"`
	Accents *bool `json:"strip_accents"`
	Lower   bool  `json:"lowercase"`

	Normalizers []*normalizerFile
	Charsmap    []byte `json:"precompiled_charsmap"`
	Pattern     struct{ Regex string }
	Content     string
}

// templateFile is the post-processor, which adds the special tokens around a text.
type templateFile struct {
	Type   string
	Single []struct {
		Special *struct {
			ID   string
			Type int `json:"type_id"`
		} `json:"SpecialToken"`
		Sequence *struct {
			Type int `json:"type_id"`
		}
	}
	Specials map[string]struct{ IDs []uint32 } `json:"special_tokens"`
	CLS, SEP [2]any                            // of BertProcessing: text and id
}

// readTokenizer builds the tokenizer from tokenizer.json or, without it, from vocab.txt
// and tokenizer_config.json.
func (c *config) readTokenizer() (*tokenizer, error) {
	path := filepath.Join(c.dir, "tokenizer.json")
	var file tokenizerFile
	found, err := readJSON(path, &file)
	if err != nil {
		return nil, err
	}
	var t *tokenizer
	switch {
	case found && file.isUnigram():
		t, err = file.readUnigram(path)
	case found:
		t, err = file.tokenizer(path)
	default:
		path = filepath.Join(c.dir, "vocab.txt")
		t, err = c.readVocab(path)
	}
	if err != nil {
		return nil, err
	}
	t.limit = c.limit
	if c.static { // as Model2Vec does
		t.prefix, t.suffix, t.known = nil, nil, t.vocab != nil
	}
	t.lower = t.lower || c.lower
	slices.SortStableFunc(t.added, func(a, b addedToken) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, a := range t.added {
		t.addedByte[a.text[0]] = true
	}
	if t.limit <= len(t.prefix)+len(t.suffix) {
		return nil, badModel(hintFetch, nil, "the model in %s reads %d tokens, which leaves none for the text", c.dir, t.limit)
	}
	if top := t.topID(); c.vocab > 0 && top >= c.vocab {
		return nil, badModel(hintFetch, nil, "%s does not belong to this model: it has the token id %d, and the model has %d tokens", path, top, c.vocab)
	}
	return t, nil
}

func (f *tokenizerFile) tokenizer(path string) (*tokenizer, error) {
	unsupported := func(what, kind string) error {
		return badModel(fault.Steps("use a model with BERT's tokenizer (WordPiece with BertNormalizer and BertPreTokenizer) or XLM-RoBERTa's (Unigram)"), nil, "%s has the %s %q, which is not supported", path, what, kind)
	}
	if f.Model.Type != "WordPiece" && f.Model.Type != "" { // missing in older files
		return nil, unsupported("tokenizer", f.Model.Type)
	}
	if f.PreTokenizer == nil || f.PreTokenizer.Type != "BertPreTokenizer" {
		kind := "none"
		if f.PreTokenizer != nil {
			kind = f.PreTokenizer.Type
		}
		return nil, unsupported("pre-tokenizer", kind)
	}
	t := &tokenizer{}
	if n := f.Normalizer; n != nil {
		if n.Type != "BertNormalizer" {
			return nil, unsupported("normalizer", n.Type)
		}
		t.clean, t.cjk, t.lower, t.accents = n.Clean, n.CJK, n.Lower, n.Lower
		if n.Accents != nil {
			t.accents = *n.Accents
		}
	}
	tokens := map[string]uint32{}
	if err := json.Unmarshal(f.Model.Vocab, &tokens); err != nil || len(tokens) == 0 {
		return nil, badModel(hintFetch, err, "%s has no WordPiece vocabulary", path)
	}
	t.vocab = newVocabulary(len(tokens))
	for token, id := range tokens {
		t.vocab.add(token, f.Model.Prefix, id)
	}
	var ok bool
	if t.vocab.unknown, ok = tokens[f.Model.Unknown]; !ok {
		return nil, badModel(hintFetch, nil, "%s has no token %q for unknown words", path, f.Model.Unknown)
	}
	if t.vocab.maxChars = f.Model.MaxChars; t.vocab.maxChars <= 0 {
		t.vocab.maxChars = maxChars
	}
	t.readAdded(f)
	if err := t.template(f.PostProcessor, path); err != nil {
		return nil, err
	}
	return t, nil
}

// readAdded reads the special tokens. Tokens that are matched in the cleaned text, or as
// whole words only, are not special and go through the vocabulary.
func (t *tokenizer) readAdded(f *tokenizerFile) {
	for _, a := range f.Added {
		if a.Content != "" && !a.SingleWord && !a.Normalized {
			t.added = append(t.added, addedToken{a.Content, a.ID})
		}
	}
}

// maxChars is BERT's limit for the characters of a word.
const maxChars = 100

// template returns the special tokens before and after a text.
func (t *tokenizer) template(f *templateFile, path string) error {
	bad := func(err error) error {
		return badModel(hintFetch, err, "%s has a post-processor that is not understood", path)
	}
	switch {
	case f == nil:
		return nil
	case f.Type == "BertProcessing":
		cls, ok1 := f.CLS[1].(float64)
		sep, ok2 := f.SEP[1].(float64)
		if !ok1 || !ok2 || cls < 0 || sep < 0 {
			return bad(nil)
		}
		t.prefix, t.suffix = []uint32{uint32(cls)}, []uint32{uint32(sep)}
		return nil
	case f.Type != "TemplateProcessing":
		return bad(nil)
	}
	seen := false
	for _, step := range f.Single {
		switch {
		case step.Sequence != nil && !seen && step.Sequence.Type == 0:
			seen = true
		case step.Special != nil && step.Special.Type == 0:
			special, ok := f.Specials[step.Special.ID]
			if !ok {
				return bad(fs.ErrNotExist)
			}
			if seen {
				t.suffix = append(t.suffix, special.IDs...)
			} else {
				t.prefix = append(t.prefix, special.IDs...)
			}
		default:
			return bad(nil)
		}
	}
	if !seen {
		return bad(nil)
	}
	return nil
}

// topID is the largest id that encode can return.
func (t *tokenizer) topID() int {
	top := uint32(0)
	if t.unigram != nil {
		for _, p := range t.unigram.pieces {
			top = max(top, p.id)
		}
	} else {
		top = t.vocab.unknown
		for _, table := range []map[string]uint32{t.vocab.first, t.vocab.rest} {
			for _, id := range table {
				top = max(top, id)
			}
		}
	}
	for _, a := range t.added {
		top = max(top, a.id)
	}
	return int(max(top, slices.Max(append(t.prefix, 0)), slices.Max(append(t.suffix, 0))))
}
