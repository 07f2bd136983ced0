package clash

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"blackboard/board/text"
	"blackboard/board/words"
)

// Wanted is what an English question asks for: a kind of value, and what it is about by
// name. A text that lacks either may be near in meaning, and does not answer.
type Wanted struct {
	question *Note
	kinds    []*wantedKind // an answer has one of them
	names    []string      // an answer has all of them, in lower case
	open     bool          // it asks for a reason, a way or a place, too
}

// wantedKind is a kind of value: which noun phrase asks for it (the whole question follows
// on a line of its own), the units of figures that are one, or after a hyphen those that are
// none, and what else is one; names have no such word.
type wantedKind struct {
	asks  *text.Regexp
	units string
	given *text.Regexp
}

// questions is how questions are read.
type questions struct {
	kinds                                 []*wantedKind
	sentence, begin, noun, open, name, no *text.Regexp
}

var howAsked = sync.OnceValue(func() *questions {
	unit := `(second|minute|hour|day|night|week|fortnight|month|year)`
	some := `\b(half|quarter|twice|once|dozen|double|no|none|zero|unlimited|free|one|two|three|four|` +
		`five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand`
	valueSet := func(asks, units, given string) *wantedKind {
		k := &wantedKind{asks: text.NewRegexp(`^(` + asks + `)`), units: units}
		if given != "" {
			k.given = text.NewRegexp(given)
		}
		return k
	}
	return &questions{
		kinds: []*wantedKind{
			valueSet(`who|wh.* (name|brand|company|firm|provider|person|vendor|supplier|manufacturer|`+
				`chain|colleague|contact)s?\n`, "", ""),
			valueSet(`how (long|many( \S+)? ?`+unit+`)`, "time",
				`\b(an?|another|one) `+unit+`\b|\b(until|forever|never)\b`),
			valueSet(`how many`, "- time date size € $ £ ¥ %", `\b(no|none|single|unlimited)\b`),
			valueSet(`wh.* phone number`, "", `\d{3}`),
			valueSet(`wh.* (port|version|release)s?\n`, "bare", `[a-z=>]\d[\d.]*\b|[^\d]:\d`),
			valueSet(`wh.* (salary|(sur)?charge|fee|price|cost|wage|deposit|discount)s?\n|`+
				`.*\nwhat do(es)? .*(cost|pay|charge)|how much .*money`, "€ $ £ ¥ %",
				`\d ?(p|ct|cents?|pence)\b|\b(free|half|double|nothing|times|price|percent)\b`),
			valueSet(`wh.* (time|hour|(week|birth)?day|date|month|deadline)s?\n|`+
				`when (is|are|was|will|do|does|did) `, "time date", `\d[:.]\d\d|\d(st|nd|rd|th| may)\b|`+
				`\b(hour|days?|today|tomorrow|noon|midnight|dawn|morning|evening|afternoon|nights?|`+
				`nightly|daily|weekly|monthly|easter|christmas|weekend|(`+calendar+`)s?)\b`),
			valueSet(`how (much|large|big|high|heavy|deep|wide|tall|far|near)|wh.* (number|size|percentage|`+
				`share|amount|limit|length|height|weight|radius|capacity)s?\n`, "- date", some+`)\b`),
			valueSet(`how (fast|old|often|soon|late|quickly|slow|early|close)|wh.* ages?\n`, "",
				`(^|[^\w-])\d|`+some+`|every|each|daily|hourly|nightly|weekly)\b`),
		},
		sentence: text.NewRegexp(`[^.!?\n]+(?:\.\S[^.!?\n]*)*[.!?]*`),
		begin: text.NewRegexp(`(?:^|[,;:] )(?:(?:on|in|at|by|within|after|until|from|to|with|` +
			`for|of|and|but|or|so|since|up|before) )*` +
			`((?:who|whom|whose|which|what|when|how|where|why)\b.*)`),
		noun: text.NewRegexp(`^(which|what)(?: is| are)?(( \S+)*?)(?: (?:is|do|does|did|are|was|` +
			`were|has|have|had|can|may|must|should|will|would|could|that|to|for|in|on|at|when|if|we|` +
			`i|you|gets?|of|by|from)\b.*|[,;:?].*|$)`),
		open: text.NewRegexp(`^(where|why|how|when)\b`),
		name: text.NewRegexp(`\bdoes ([\w-]+) |(\w[\w.-]*/[\w./-]*)|` +
			`\b(\d+[a-z]\w*|[a-z]+[\w-]*\d\w*)`),
		no: text.NewRegexp(`^(the|an?|our|my|your|his|her|its|their|it|he|she|some\w+|any\w+|` +
			`every\w*|this|that|each|one|no|another|nobody|.*s|.*ing|` +
			`\d+([smhkdg]|[ap]m|[kmgt]b|kg|\w?[dht]))$`),
	}
})

// calendar has the names of days, months and seasons, which are no names of anybody.
const calendar = `monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|` +
	`march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter`

// WantedBy reads what a question asks for. In a longer text only sentences with a question
// mark ask.
func WantedBy(question string) *Wanted {
	w := &Wanted{}
	low := strings.ReplaceAll(strings.ToLower(question), "’", "'")
	if !strings.Contains(low, "wh") && !strings.Contains(low, "how") { // most prompts only tell
		return w
	}
	low = strings.NewReplacer("what's ", "what is ", "who's ", "who is ").Replace(low)
	sentences := howAsked().sentence.FindAllString(low, -1)
	for _, s := range sentences {
		if len(sentences) == 1 || strings.HasSuffix(s, "?") {
			w.read(strings.TrimSpace(s))
		}
	}
	if w.open {
		w.kinds = nil
	}
	if len(w.kinds) > 0 {
		w.question = ReadNote(Text{Body: question})
	}
	return w
}

// read reads a sentence that asks.
func (w *Wanted) read(sentence string) {
	how, named, way := howAsked(), false, false
	for q := how.begin.FindStringSubmatch(sentence); q != nil; {
		noun := strings.TrimRight(how.noun.ReplaceAllString(q[1], "$1$2"), "?!.") + "\n" + q[1]
		i := slices.IndexFunc(how.kinds, func(k *wantedKind) bool { return k.asks.MatchString(noun) })
		if i >= 0 {
			w.kinds = append(w.kinds, how.kinds[i])
		}
		w.open = w.open || i < 0
		way = way || i < 0 && how.open.MatchString(noun)
		named, q = true, how.begin.FindStringSubmatch(q[1][1:])
	}
	if !named || way {
		return
	}
	for _, m := range how.name.FindAllStringSubmatch(sentence, -1) {
		if name := m[1] + m[2] + m[3]; !how.no.MatchString(name) {
			w.names = append(w.names, name)
		}
	}
}

// HasKind reports whether a question asks for a kind of value.
func (w *Wanted) HasKind() bool { return w != nil && len(w.kinds) > 0 }

// In reports whether a text has what is wanted.
func (w *Wanted) In(of Text) bool {
	low := strings.ToLower(of.Title + ". " + of.Body)
	if slices.ContainsFunc(w.names, func(n string) bool { return !strings.Contains(low, n) }) {
		return false
	}
	return len(w.kinds) == 0 || slices.ContainsFunc(w.kinds, func(k *wantedKind) bool {
		if k.given == nil {
			return w.hasName(ReadNote(of))
		}
		return k.given.MatchString(low) || slices.ContainsFunc(of.Claims().Figures, k.is)
	})
}

// is reports whether a figure is such a value.
func (k *wantedKind) is(f words.Figure) bool {
	unit := cmp.Or(f.Unit, "bare")
	if f.Kind == "date" {
		unit = f.Kind
	} else if unit[0] == '#' {
		unit = "#"
	}
	return slices.Contains(strings.Fields(k.units), unit) != strings.HasPrefix(k.units, "-")
}

// hasName reports whether a text has a proper name that the question has not, of a person, a
// firm or a product, without a number behind it.
func (w *Wanted) hasName(t *Note) bool {
	for i, one := range t.words {
		if one.value == valueName && (isProper(one.word) || strings.Contains(one.word, "@")) &&
			w.question.has(one.word) == nil &&
			!strings.Contains(calendar, one.word) &&
			(i+1 == len(t.words) || t.words[i+1].value != valueNumber) {
			return true
		}
	}
	return false
}
