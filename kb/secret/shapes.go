package secret

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// rows are the tables. shapes.txt says what a row has.
//
//go:embed shapes.txt
var rows string

// classes are the letters that stand for sets of characters.
var classes = map[byte]string{
	'.': "", '0': "0-9", 'f': "0-9a-f", 'F': "0-9a-fA-F",
	'a': "0-9a-z", 'A': "0-9A-Z", 'U': "2-7A-Z", 'l': "a-zA-Z",
	'n': "0-9a-zA-Z", 'w': "0-9a-zA-Z_", 'u': "0-9a-zA-Z_-",
}

// set is a set of bytes.
type set [256]bool

// newSet returns the bytes of ranges such as a-z, and what stands between them.
func newSet(chars string) *set {
	var s set
	for i := 0; i < len(chars); i++ {
		from, to := chars[i], chars[i]
		if i+2 < len(chars) && chars[i+1] == '-' {
			to = chars[i+2]
			i += 2
		}
		for c := int(from); c <= int(to); c++ {
			s[c] = true
		}
	}
	return &s
}

// without takes characters out of a set.
func (s *set) without(chars string) *set {
	for i := range len(chars) {
		s[chars[i]] = false
	}
	return s
}

// above adds what is not ASCII.
func (s *set) above() *set {
	for c := 0x80; c < len(s); c++ {
		s[c] = true
	}
	return s
}

// part is literal text, or a run of characters of a set.
type part struct {
	literal  string
	set      *set
	min, max int
}

// shape is what a token looks like, in parts.
type shape struct {
	rule  *rule
	names []string // of a value: one is in its name
	parts []part
	// anchor is the longest literal at a fixed place, offset bytes from the beginning.
	anchor         string
	offset         int
	inside, goesOn bool // in a word, at its beginning and end
}

// shapes are the tables as they are matched.
var shapes = sync.OnceValue(readShapes)

func readShapes() *table {
	t := &table{rules: make(map[string]*rule, 256), sets: make(map[string]*set, 64)}
	t.starts[start('-', '-')], t.starts[start('c', 'u')] = true, true // private keys, curl
	for line := range strings.Lines(rows) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			t.add(f)
		}
	}
	return t
}

type table struct {
	values  []shape          // that need a name
	byStart [1 << 10][]shape // by the first two bytes of the anchor
	starts  [1 << 10]bool    // whether an anchor may begin with two bytes
	rules   map[string]*rule
	sets    map[string]*set
}

func start(a, b byte) int { return (int(a)<<5 ^ int(b)) & (1<<10 - 1) }

// add reads a line of a table.
func (t *table) add(f []string) {
	s := shape{}
	entropy := 2.0
	id, f := f[0], f[1:]
	if len(f) > 1 && f[0][0] <= '9' { // the error of a name would cost more than the row
		if n, err := strconv.ParseFloat(f[0], 64); err == nil {
			entropy, f = n, f[1:]
		}
	}
	s.rule = t.rule(id, entropy)
	if len(f) > 1 {
		s.names = strings.Split(f[0], ",")
	}
	text := f[len(f)-1]
	text, s.inside = strings.CutPrefix(text, "~")
	text, s.goesOn = strings.CutSuffix(text, "~")
	s.parts = t.parts(text)
	if s.names != nil {
		t.values = append(t.values, s)
		return
	}
	offset := 0
	for _, p := range s.parts {
		if len(p.literal) > len(s.anchor) {
			s.anchor, s.offset = p.literal, offset
		}
		if p.min != p.max {
			break
		}
		offset += p.min
	}
	at := start(s.anchor[0], s.anchor[1])
	t.byStart[at] = append(t.byStart[at], s)
	t.starts[at] = true
}

func (t *table) rule(id string, entropy float64) *rule {
	r := t.rules[id]
	if r == nil || r.entropy != entropy {
		r = &rule{ID: id, order: len(t.rules), entropy: entropy}
		t.rules[id] = r
	}
	return r
}

// parts reads a shape.
func (t *table) parts(text string) (all []part) {
	text = strings.ReplaceAll(text, "{uuid}", "{F:8}-{F:4}-{F:4}-{F:4}-{F:12}")
	all = make([]part, 0, 1+2*strings.Count(text, "{"))
	for text != "" {
		literal, rest, run := strings.Cut(text, "{")
		if literal != "" {
			all = append(all, part{literal: literal, min: len(literal), max: len(literal)})
		}
		if !run {
			break
		}
		var inner string
		inner, text, _ = strings.Cut(rest, "}")
		chars, count, _ := strings.Cut(inner, ":")
		least, most, ranged := strings.Cut(count, "-")
		p := part{set: t.set(chars)}
		p.min, _ = strconv.Atoi(least)
		p.max = p.min
		if ranged {
			if p.max, _ = strconv.Atoi(most); most == "" {
				p.max = 1 << 30
			}
		}
		all = append(all, p)
	}
	return all
}

func (t *table) set(chars string) *set {
	if t.sets[chars] == nil {
		s := newSet(classes[chars[0]])
		for i := 1; i < len(chars); i++ {
			s[chars[i]] = true
		}
		t.sets[chars] = s
	}
	return t.sets[chars]
}

// match returns where the shape ends that begins at i, or -1. ends reports whether a
// token may end at a place.
func match(parts []part, text string, i int, ends func(i int) bool) int {
	if len(parts) == 0 {
		if ends(i) {
			return i
		}
		return -1
	}
	p := parts[0]
	if n := len(p.literal); n > 0 {
		// the anchor's case is right
		if i+n > len(text) || !strings.EqualFold(text[i:i+n], p.literal) {
			return -1
		}
		return match(parts[1:], text, i+len(p.literal), ends)
	}
	n := 0
	for n < p.max && i+n < len(text) && p.set[text[i+n]] {
		n++
	}
	for ; n >= p.min; n-- {
		if end := match(parts[1:], text, i+n, ends); end >= 0 {
			return end
		}
	}
	return -1
}

// at returns where the token ends that begins at i, or -1.
func (s *shape) at(text string, i int) int {
	if i < 0 || !s.inside && i > 0 && word[text[i-1]] {
		return -1
	}
	last := s.parts[len(s.parts)-1].set
	return match(s.parts, text, i, func(end int) bool {
		return s.goesOn || end == len(text) ||
			!word[text[end]] && (last == nil || !last[text[end]])
	})
}
