package secret

import (
	"math"
	"slices"
	"strings"
)

type rule struct {
	ID      string
	order   int     // in the tables
	entropy float64 // a secret has more, in bits per byte
}

// describe says what kind of secret the rule is about.
func (r *rule) describe() string {
	if r == passwordInURL {
		return "password in a URL"
	}
	words := strings.Split(r.ID, "-")
	for i, w := range words {
		switch w {
		case "api", "aws", "gcp", "npm", "jwt", "url", "ai", "pat":
			words[i] = strings.ToUpper(w)
		}
	}
	return strings.Join(words, " ")
}

type span struct {
	start, end int
	rule       *rule
}

// The rules that are code rather than a shape.
var (
	privateKey    = &rule{ID: "private-key"}
	passwordInURL = &rule{ID: "url-password", entropy: 2}
	curlUser      = &rule{ID: "curl-auth-user", entropy: 2}
	generic       = &rule{ID: "generic-api-key", entropy: 3.5}
	genericHex    = &rule{ID: "generic-api-key", entropy: 2.8}
)

const hexDigits = "0123456789abcdefABCDEF"

var (
	word     = newSet("0-9a-zA-Z_")
	operator = newSet("=:>,|")
)

// scan returns what looks like a secret, in no order and perhaps overlapping. Where two bytes begin
// an anchor, its shapes are tried; where a name may end and a value begin, they are looked at. Then
// words are read: what announces a secret, what gives one away.
func scan(text string) (found []span) {
	table := shapes()
	add := func(r *rule, start, end int) {
		s := text[start:end]
		if entropy(s) > r.entropy && !masked(s) && !strings.HasSuffix(s, "EXAMPLE") {
			found = append(found, span{start, end, r})
		}
	}
	for i := 0; i+1 < len(text); i++ {
		c := text[i]
		next := table.first[start(c, text[i+1])]
		if next == 0 && !operator[c] && c != '-' {
			continue
		}
		if operator[c] {
			if c == ':' && strings.HasPrefix(text[i:], "://") {
				if start, end := passwordAfter(text, i); end > 0 {
					add(passwordInURL, start, end)
				}
			}
			if i == 0 || !operator[text[i-1]] {
				assigned(text, i, add)
			}
		}
		for ; next > 0; next = table.rows[next-1].next {
			r := &table.rows[next-1]
			if !strings.HasPrefix(text[i:], r.anchor) {
				continue
			}
			s := r.shape()
			from := i - s.offset
			// Two bytes alone tell little.
			if end := s.at(text, from); end >= 0 && (len(s.anchor) > 2 ||
				strings.ContainsAny(text[i:end], "0123456789") && !wordy(text[i:end])) {
				add(s.rule, from, end)
			}
		}
		if c == '-' && strings.HasPrefix(text[i:], pemBegin) {
			if end := pem(text, i); end > 0 {
				found = append(found, span{i, end, privateKey})
			}
		}
	}
	announced(text, add)
	spoken(text, add)
	entered(text, add)
	return found
}

const pemBegin = "-----BEGIN"

// pem returns where a private key's end is, or 0. In documentation it has dots, or no lines.
func pem(text string, i int) int {
	head, body, ok := strings.Cut(text[i+len(pemBegin):min(len(text), i+140)], "PRIVATE KEY")
	if !ok || longestRun(head, pemKind) < len(head) ||
		!strings.HasPrefix(strings.TrimPrefix(body, " BLOCK"), "-----") {
		return 0
	}
	from := i + len(pemBegin) + len(head) + len("PRIVATE KEY")
	for at := from + 64; at < len(text); {
		n := strings.Index(text[at:], "KEY")
		if n < 0 {
			return 0
		}
		at += n + len("KEY")
		if end, ok := strings.CutPrefix(strings.TrimPrefix(text[at:], " BLOCK"), "-----"); ok {
			if longestRun(text[from:at], base64Char) < 40 {
				return 0
			}
			return len(text) - len(end)
		}
	}
	return 0
}

var pemKind = newSet(" A-Z0-9_-")

var base64Char = newSet("0-9a-zA-Z+/")

func longestRun(s string, of *set) (longest int) {
	n := 0
	for i := range len(s) {
		if n++; !of[s[i]] {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

var space = newSet(" \t\r\n")

// headerValue are the characters of a credential in a header.
var headerValue = newSet("0-9a-zA-Z_=~@.+/-")

// isUser reports whether a text is a user and password.
func isUser(s string) bool {
	name, password, ok := strings.Cut(s, ":")
	short := func(s string) bool { return s != "" && len(s) < 3 }
	if !ok || short(name) || short(password) || len(s) < 4 {
		return false
	}
	switch strings.ToLower(strings.TrimRight(password, "x*")) {
	case "", "changeit", "changeme", "password", "pass", "pwd", "test", "token":
		if password != "" {
			return false
		}
	}
	return !strings.ContainsAny(password[:min(1, len(password))], "$<[{")
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) (bits float64) {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			share := float64(n) / float64(len(s))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

func hasSuffix(s string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(s, e) })
}
