package secret

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// token makes a token of a shape.
func (s *shape) token(r *rand.Rand) string {
	var b strings.Builder
	for _, p := range s.parts {
		b.WriteString(p.literal)
		if p.set == nil {
			continue
		}
		var all []byte
		for c := range p.set {
			if p.set[c] {
				all = append(all, byte(c))
			}
		}
		for range p.min + r.IntN(min(p.max, p.min+20)-p.min+1) {
			b.WriteByte(all[r.IntN(len(all))])
		}
	}
	return b.String()
}

// TestShapes: each row of the tables finds tokens made by it, in the middle of a
// sentence or as the value of a name.
func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tried := 0
	check := func(s *shape, before, after string) {
		t.Helper()
		tried++
		const n = 40
		found := 0
		for range n {
			token := s.token(r)
			for _, f := range Find(before + token + after) {
				if f.Start <= len(before) && f.End >= len(before)+len(token) {
					found++
				}
			}
		}
		if found < n*8/10 { // some have little entropy, or look like words
			t.Errorf("%s: %d of %d found, such as %s", s.rule.ID, found, n, s.token(r))
		}
		if s.rule.describe() == "" || len(s.rule.describe()) > 60 {
			t.Errorf("%s: %q", s.rule.ID, s.rule.describe())
		}
	}
	for i := range shapes().rows {
		s := shapes().rows[i].shape()
		if len(s.anchor) < 2 || s.anchor != shapes().rows[i].anchor {
			t.Errorf("%s has the anchor %q", s.rule.ID, s.anchor)
		}
		check(s, "it is «", "», she said")
	}
	for i := range values() {
		s := &values()[i]
		check(s, s.names[0]+" = ", "\n")
	}
	if tried < 280 {
		t.Errorf("only %d rows were tried", tried)
	}
}

func TestWordy(t *testing.T) {
	for s, want := range map[string]bool{
		"tenant-config-v2": true, "oauth2-client-credentials": true, "maxIdleConnsPerHost2": true,
		"user_id_2024_archive":                 true,
		"x7Kq2LmZ9vR4tYwB8nJc5HdFs3PaGeU6iQoT": false, "q7h3k9d0s2m4n6b8v1c5": false,
		"9f86d081884c7d65": false, "": true,
	} {
		if got := wordy(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestEntropy(t *testing.T) {
	for s, want := range map[string]float64{"": 0, "a": 0, "aaaa": 0, "ab": 1, "abcd": 2, "aabb": 1,
		"0123456789abcdef": 4} {
		if got := entropy(s); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}
