package minilm

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
)

// readVocab builds the tokenizer of a model without tokenizer.json: from the list of
// tokens, one per line, and from tokenizer_config.json, with BERT's defaults for missing
// fields.
func (c *config) readVocab(path string) (*tokenizer, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, noModel(hintFetch, fs.ErrNotExist, "the model in %s has neither tokenizer.json nor vocab.txt", c.dir)
	}
	file := struct {
		Lower   bool  `json:"do_lower_case"`
		CJK     bool  `json:"tokenize_chinese_chars"`
		Accents *bool `json:"strip_accents"`
		Unknown token `json:"unk_token"`
		CLS     token `json:"cls_token"`
		SEP     token `json:"sep_token"`
		Pad     token `json:"pad_token"`
		Mask    token `json:"mask_token"`
	}{Lower: true, CJK: true, Unknown: "[UNK]", CLS: "[CLS]", SEP: "[SEP]", Pad: "[PAD]", Mask: "[MASK]"}
	if _, err := readJSON(filepath.Join(c.dir, "tokenizer_config.json"), &file); err != nil {
		return nil, err
	}
	t := &tokenizer{clean: true, cjk: file.CJK, lower: file.Lower, accents: file.Lower}
	if file.Accents != nil {
		t.accents = *file.Accents
	}
	t.vocab = newVocabulary(strings.Count(string(data), "\n"))
	t.vocab.maxChars = maxChars
	ids := map[string]uint32{}
	special := map[string]bool{string(file.Unknown): true, string(file.CLS): true, string(file.SEP): true, string(file.Pad): true, string(file.Mask): true}
	next := uint32(0)
	for line := range strings.Lines(string(data)) {
		id, text := next, strings.TrimRight(line, "\r\n")
		// the id is the line number; of a duplicate token the last one counts, as in
		// other implementations
		next++
		ids[text] = id
		t.vocab.add(text, "##", id)
		if special[text] && text != "" {
			t.added = append(t.added, addedToken{text, id})
		}
	}
	id := func(name token) uint32 {
		id, ok := ids[string(name)]
		if !ok && err == nil {
			err = badModel(hintFetch, nil, "%s lacks the token %q", path, name)
		}
		return id
	}
	t.vocab.unknown = id(file.Unknown)
	t.prefix, t.suffix = []uint32{id(file.CLS)}, []uint32{id(file.SEP)}
	return t, err
}

// token is a token in a configuration: its text, or an object with the text. null does
// not change it.
type token string

func (t *token) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*t = token(*text)
		}
		return nil
	}
	var object struct{ Content string }
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*t = token(object.Content)
	return nil
}
