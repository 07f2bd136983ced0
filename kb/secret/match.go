package secret

import (
	"math"
	"regexp"
	"strings"
)

// span is a match of a rule: the bytes of the secret.
type span struct {
	start, end int
	rule       *rule
}

// patterns is a compiled rule.
type patterns struct {
	full  *regexp.Regexp // nil if the rule is no regexp
	probe *regexp.Regexp // if it does not match, nor does full; nil if there is none
}

// lead is how many rules begin: with what stands in front of the name that they look for, or nothing. It keeps up to 50 alternatives
// open at every letter of a text, which makes prose twenty times as slow as the same regexp without it, the probe.
const lead = `(?i)[\w.-]{0,50}?`

func compile(expr string) (p patterns) {
	p.full = try(expr)
	if rest, ok := strings.CutPrefix(expr, lead); ok {
		p.probe = try("(?i)" + rest)
	}
	return p
}

// find returns the secrets that the rule finds in text. Details are those of gitleaks (detectRule), such as looking for the groups in
// the match alone.
func (r *rule) find(text string, global []*allowlist) []span {
	p := r.regex()
	if p.full == nil || p.probe != nil && !p.probe.MatchString(text) {
		return nil
	}
	var out []span
	line := lines{text: text}
	for _, m := range p.full.FindAllStringIndex(text, -1) {
		start, end := m[0], m[1]
		for start < end && text[start] == '\n' {
			start++
		}
		for start < end && text[end-1] == '\n' {
			end--
		}
		match := text[start:end]
		from, to := r.group(p.full.FindStringSubmatchIndex(match), len(match))
		secret := match[from:to]
		if secret == "" || r.Entropy != 0 && entropy(secret) <= r.Entropy || masked(secret) || harmless(r, named(text, start)+match[:from], secret) {
			continue
		}
		where := line.around(start, end)
		if !allowed(global, secret, match, where) && !allowed(r.Allowlists, secret, match, where) {
			out = append(out, span{start + from, start + to, r})
		}
	}
	return out
}

// group returns where in a match, which has size bytes, the secret is. groups may be nil.
func (r *rule) group(groups []int, size int) (from, to int) {
	if r.SecretGroup > 0 {
		if 2*r.SecretGroup+1 >= len(groups) || groups[2*r.SecretGroup] < 0 {
			return 0, 0
		}
		return groups[2*r.SecretGroup], groups[2*r.SecretGroup+1]
	}
	for i := 2; i+1 < len(groups); i += 2 {
		if groups[i] < groups[i+1] {
			return groups[i], groups[i+1]
		}
	}
	return 0, size
}

// around is a line, and what the allowlists said of it: there may be many matches on a long line.
type around struct {
	text  string
	known map[*allowlist]bool
}

// lines finds the lines around matches that come in ascending order.
type lines struct {
	text       string
	start, end int
	read       int // up to where start is up to date
	last       *around
}

// around returns the lines from that of start to that of end.
func (l *lines) around(start, end int) *around {
	from := l.start
	if i := strings.LastIndexByte(l.text[l.read:start], '\n'); i >= 0 {
		from = l.read + i + 1
	}
	l.read = start
	if l.last != nil && from == l.start && end <= l.end {
		return l.last
	}
	l.start, l.end = from, len(l.text)
	if i := strings.IndexByte(l.text[end:], '\n'); i >= 0 {
		l.end = end + i
	}
	l.last = &around{l.text[l.start:l.end], map[*allowlist]bool{}}
	return l.last
}

func allowed(lists []*allowlist, secret, match string, line *around) bool {
	for _, a := range lists {
		if a.covers(secret, match, line) {
			return true
		}
	}
	return false
}

// covers reports whether the list says that this is no secret.
func (a *allowlist) covers(secret, match string, line *around) bool {
	var hit bool
	switch {
	case a.regex == nil:
	case a.RegexTarget == "line":
		known, ok := line.known[a]
		if !ok {
			known = matches(a.regex(), line.text)
			line.known[a] = known
		}
		hit = known
	case a.RegexTarget == "match":
		hit = matches(a.regex(), match)
	default:
		hit = matches(a.regex(), secret)
	}
	if a.all() {
		return (a.regex == nil || hit) && (len(a.StopWords) == 0 || a.stops(secret)) && (a.regex != nil || len(a.StopWords) > 0)
	}
	return hit || a.stops(secret)
}

func (a *allowlist) stops(secret string) bool {
	secret = strings.ToLower(secret)
	for _, w := range a.StopWords {
		if strings.Contains(secret, w) {
			return true
		}
	}
	return false
}

func matches(re *regexp.Regexp, s string) bool { return re != nil && re.MatchString(s) }

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
