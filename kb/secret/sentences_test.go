package secret

import (
	_ "embed"
	"math/rand/v2"
	"strings"
	"testing"
)

//go:embed testdata/sentences.txt
var sentences string

// TestSentences: a secret that a sentence or a line of configuration announces does not stay in
// it, and sentences about secrets stay as they are.
func TestSentences(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	secrets, harmless := 0, 0
	for line := range strings.Lines(sentences) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		before, rest, marked := strings.Cut(line, "«")
		if !marked {
			if harmless++; Mask(line) != line {
				t.Errorf("harmless, but became %s: %+v", Mask(line), Find(line))
			}
			continue
		}
		secrets++
		template, after, _ := strings.Cut(rest, "»")
		parts := parseParts(template)
		secret := (&shape{parts: parts}).token(r)
		if strings.HasPrefix(secret, "-----") {
			secret = strings.ReplaceAll(secret, "_", "\n")
		}
		if got := Mask(before + secret + after); strings.Contains(got, secret) {
			t.Errorf("not found: %s%s%s", before, secret, after)
		}
	}
	if secrets < 400 || harmless < 700 {
		t.Errorf("only %d secrets and %d harmless sentences", secrets, harmless)
	}
}

// TestWordWithoutEnd: a word that goes on where no phrase is looked at any more, as in the
// bytes of a database, ends the sentence.
func TestWordWithoutEnd(t *testing.T) {
	long := strings.Repeat("x", 3*maxPhrase)
	for _, before := range []string{"the password for the shop is ", "log in as root with ",
		"password of ", "login: root ", "Das Passwort lautet ", "user root pass "} {
		Find(before + long + " and that is it: y")
		Find(before + "the " + long)
	}
	for _, s := range samples() {
		Find(strings.ReplaceAll(s.plain(), " ", " "+long))
		Find(s.plain() + long)
	}
}
