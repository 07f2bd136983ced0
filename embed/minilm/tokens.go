package minilm

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knights-analytics/hugot/backends"

	"blackboard/board/fault"
)

// tokenizer is hugot's, with a limit and in linear time. It does not change after loading.
type tokenizer struct {
	hugot          *backends.Tokenizer
	prefix, suffix []uint32 // the special tokens round a text
	limit          int      // tokens of a text at most, prefix and suffix included
	unknown        int      // the token of unknown words, if it is left out; else -1
	lower          bool     // the text is in lower case before all else
}

// tokenizerFile is what tokenizer.json says of its kind.
type tokenizerFile struct {
	Normalizer    step
	PreTokenizer  step `json:"pre_tokenizer"`
	PostProcessor step `json:"post_processor"`
	Model         struct {
		Type    string
		Unknown string `json:"unk_token"`
		Vocab   json.RawMessage
	}
}

type step struct{ Type string }

// readTokenizer checks that hugot reads the model's tokenizer as it was meant: it takes
// what it does not know for nothing, and of a Unigram (of multilingual models) it takes
// the longest pieces instead of the most probable ones.
func (c *config) readTokenizer() error {
	path, f := filepath.Join(c.dir, "tokenizer.json"), tokenizerFile{}
	found, err := readJSON(path, &f)
	if err != nil {
		return err
	}
	if !found {
		return noModel(hintFetch, nil, "the model in %s has no tokenizer.json (hugot's tokenizer reads no vocab.txt)", c.dir)
	}
	for _, part := range []struct {
		name, kind string
		known      []string
	}{
		{"tokenizer", f.Model.Type, []string{"WordPiece"}},
		{"normalizer", f.Normalizer.Type, []string{"BertNormalizer"}},
		{"pre-tokenizer", f.PreTokenizer.Type, []string{"BertPreTokenizer"}},
		{"post-processor", f.PostProcessor.Type, []string{"", "TemplateProcessing", "BertProcessing", "RobertaProcessing"}},
	} {
		if !slices.Contains(part.known, part.kind) {
			hint := fault.Steps("use a model with BERT's tokenizer: WordPiece with BertNormalizer and BertPreTokenizer; most multilingual models have none")
			return badModel(hint, nil, "%s has the %s %q, which hugot does not compute", path, part.name, part.kind)
		}
	}
	if c.unknown = f.Model.Unknown; len(f.Model.Vocab) == 0 {
		return badModel(hintFetch, nil, "%s has no vocabulary", path)
	}
	return nil
}

// newTokenizer takes the tokenizer that hugot has loaded with a model.
func (c *config) newTokenizer(m *backends.Model) (*tokenizer, error) {
	path := filepath.Join(c.dir, "tokenizer.json")
	t := &tokenizer{hugot: m.Tokenizer, limit: c.limit, unknown: -1, lower: c.lower}
	if err := backends.AllInputTokens(&backends.BasePipeline{Model: m}); err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be read", path)
	}
	vocab := m.Tokenizer.GoTokenizer.Tokenizer.GetVocab()
	unknown, ok := vocab[c.unknown]
	if !ok {
		return nil, badModel(hintFetch, nil, "%s has no token %q for unknown words", path, c.unknown)
	}
	top := 0
	for _, id := range vocab {
		top = max(top, id)
	}
	if c.vocab > 0 && top >= c.vocab {
		return nil, badModel(hintFetch, nil, "%s does not belong to this model: it has the token id %d, and the model has %d tokens", path, top, c.vocab)
	}
	if c.static { // as Model2Vec does
		t.unknown = unknown
		return t, nil
	}
	ids, special := t.tokenize("a")
	begin, end := slices.Index(special, 0), len(special)
	if begin < 0 {
		return nil, badModel(hintFetch, nil, "%s has a post-processor that leaves out the text", path)
	}
	for special[end-1] != 0 {
		end--
	}
	if t.prefix, t.suffix = ids[:begin], ids[end:]; t.limit <= len(t.prefix)+len(t.suffix) {
		return nil, badModel(hintFetch, nil, "the model in %s reads %d tokens, which leaves none for the text", c.dir, t.limit)
	}
	return t, nil
}

// tokenize returns the tokens of a short text, and which of them are special ones round it (1).
func (t *tokenizer) tokenize(text string) (ids, special []uint32) {
	batch := backends.NewBatch(1)
	backends.TokenizeInputs(batch, t.hugot, []string{text})
	return batch.Input[0].TokenIDs, batch.Input[0].SpecialTokensMask
}

// hugot's tokenizer gets this much text in one piece, and of a word without an end at most
// maxPiece: it counts the bytes before each character.
const (
	pieceBytes = 128
	maxPiece   = 512
)

// encode returns a text's token ids, special ones too, at most t.limit, perhaps none.
func (t *tokenizer) encode(text string) []uint32 {
	ids, room := slices.Clone(t.prefix), t.limit-len(t.suffix)
	for len(ids) < room {
		if text = strings.TrimLeftFunc(text, isSpace); text == "" {
			break
		}
		n := pieceEnd(text)
		piece, special := t.tokenize(strings.Map(t.clean, text[:n]))
		for i, id := range piece {
			if special[i] == 0 && int(id) != t.unknown {
				ids = append(ids, id)
			}
		}
		text = text[n:]
	}
	return append(ids[:min(len(ids), room)], t.suffix...)
}

// pieceEnd returns where a piece ends: between words or, of a long one, characters.
func pieceEnd(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	if i := strings.LastIndexFunc(text[:pieceBytes], isSpace); i > 0 {
		return i
	}
	n := min(len(text), maxPiece)
	if i := strings.IndexFunc(text[:n], isSpace); i > 0 {
		return i
	}
	for n < len(text) && n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func isSpace(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.Z, r)
}

// clean does what hugot's tokenizer does not: all white space separates, no format characters.
func (t *tokenizer) clean(r rune) rune {
	switch {
	case isSpace(r):
		return ' '
	case r >= utf8.RuneSelf && unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return -1
	case t.lower:
		return unicode.ToLower(r)
	}
	return r
}
