package secret

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

func (s *set) without(chars string) *set {
	for i := range len(chars) {
		s[chars[i]] = false
	}
	return s
}

func (s *set) with(chars string) *set {
	for i := range len(chars) {
		s[chars[i]] = true
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
	// anchor is the first literal, which has two bytes or more, offset bytes from the beginning.
	anchor         string
	offset         int
	inside, goesOn bool // in a word, at its beginning and end
}

// shapes is parsed when first needed: most texts need none.
var shapes = sync.OnceValue(readShapes)

type table struct {
	rows  []row
	first [1 << 10]uint16 // by the first two bytes of the anchor: a row's number, from 1
}

type row struct {
	line   string
	number int
	anchor string // what a match begins with, or has at a fixed place
	next   uint16 // the next row whose anchor begins alike
	parsed atomic.Pointer[shape]
}

// afterTokens begins the rows of values.
const afterTokens = "# Values"

func start(a, b byte) int { return (int(a)<<5 ^ int(b)) & (1<<10 - 1) }

func readShapes() *table {
	t := &table{rows: make([]row, 0, 256)}
	tokens, _, _ := strings.Cut(rows, afterTokens)
	for line := range strings.Lines(tokens) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		n := len(t.rows)
		t.rows = append(t.rows, row{line: line, number: n})
		r := &t.rows[n]
		text := strings.Trim(line[strings.LastIndexByte(line, ' ')+1:], "~")
		r.anchor, _, _ = strings.Cut(text, "{")
		if len(r.anchor) < 2 { // it begins with characters of a set
			r.anchor = r.shape().anchor
		}
		at := start(r.anchor[0], r.anchor[1])
		r.next, t.first[at] = t.first[at], uint16(n+1)
	}
	return t
}

func (r *row) shape() *shape {
	if s := r.parsed.Load(); s != nil {
		return s
	}
	s := parseShape(r.line, r.number)
	r.parsed.Store(s)
	return s
}

// values are the shapes that need a name.
var values = sync.OnceValue(func() (all []shape) {
	_, text, _ := strings.Cut(rows, afterTokens)
	_, text, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		all = append(all, *parseShape(line, 1000+len(all)))
	}
	return all
})

func parseShape(line string, number int) *shape {
	f := strings.Fields(line)
	s := &shape{rule: &rule{ID: f[0], order: number, entropy: 2}}
	f = f[1:]
	if len(f) > 1 && f[0][0] <= '9' { // the error of a name would cost more than the row
		if n, err := strconv.ParseFloat(f[0], 64); err == nil {
			s.rule.entropy, f = n, f[1:]
		}
	}
	if len(f) > 1 {
		s.names = strings.Split(f[0], ",")
	}
	text := f[len(f)-1]
	text, s.inside = strings.CutPrefix(text, "~")
	text, s.goesOn = strings.CutSuffix(text, "~")
	s.parts = parseParts(text)
	offset := 0
	for i, p := range s.parts {
		if len(p.literal) > len(s.anchor) && (i == 0 || len(s.anchor) < 2) {
			s.anchor, s.offset = p.literal, offset
		}
		if p.min != p.max {
			break
		}
		offset += p.min
	}
	return s
}

func parseParts(text string) (all []part) {
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
		p := part{set: newSet(classes[chars[0]]).with(chars[1:])}
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

// match returns where the shape ends that begins at i, or -1; ends says where a token may.
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
