package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blackboard/cmd/board/base"
)

// TestREADME: no command is named that does not exist.
func TestREADME(t *testing.T) {
	data := readFile(t, filepath.Join(repo(t), "README.md"))
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	named := regexp.MustCompile("(?:`|\\$ |^)board ([a-z]+)").FindAllStringSubmatch(data, -1)
	for _, m := range named {
		if m[1] != "help" && byName(p.commands(), m[1]) == nil {
			t.Errorf("the README names `board %s`, which does not exist", m[1])
		}
	}
}

// TestReadable holds what people read in one go to a measure of plain English: 18 words a sentence
// and a Flesch reading ease of 55 at least. The formula is Flesch's of 1948, 206.835 - 1.015 words
// a sentence - 84.6 syllables a word. Code, tables and links are left out, and syllables are
// groups of vowels, so the figures compare texts of this project only.
func TestReadable(t *testing.T) {
	texts := map[string]string{"README.md": readFile(t, filepath.Join(repo(t), "README.md"))}
	for _, name := range pageOrder {
		if clientPages[name] == "" { // those are programs
			texts["board help "+name], _ = helpPage(name)
		}
	}
	for name, text := range texts {
		words, ease := readability(text)
		t.Logf("%s: %.1f words a sentence, reading ease %.0f", name, words, ease)
		if words > 18 || ease < 55 {
			t.Errorf("%s is hard to read: %.1f words a sentence (at most 18), reading ease %.0f (at least 55)", name, words, ease)
		}
	}
}

var (
	notProse  = regexp.MustCompile("(?ms)^```.*?^```|^\\|.*?$|^!?\\[.*?$|^#.*?$|^  .*?$")
	codeWord  = regexp.MustCompile("`[^`]*`|https?://\\S+|\\]\\([^)]*\\)")
	sentence  = regexp.MustCompile(`[.!?:](?:\s|$)|\n\s*\n`)
	proseWord = regexp.MustCompile(`[A-Za-z][A-Za-z']*`)
	syllable  = regexp.MustCompile(`[aeiouy]+`)
)

// readability returns the mean length of the sentences of a text in words, and its Flesch reading
// ease.
func readability(text string) (words, ease float64) {
	text = codeWord.ReplaceAllString(notProse.ReplaceAllString(text, "\n\n"), " x ")
	sentences, count, syllables := 0, 0, 0
	for _, s := range sentence.Split(text, -1) {
		found := proseWord.FindAllString(s, -1)
		if len(found) < 3 {
			continue // a label
		}
		sentences++
		count += len(found)
		for _, w := range found {
			w = strings.TrimSuffix(strings.ToLower(w), "e")
			syllables += max(1, len(syllable.FindAllString(w, -1)))
		}
	}
	words = float64(count) / float64(max(1, sentences))
	return words, 206.835 - 1.015*words - 84.6*float64(syllables)/float64(max(1, count))
}
