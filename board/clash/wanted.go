package clash

import (
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
	"blackboard/board/words"
)

// Wanted is what an English question asks for: a kind of value, and what it is about by
// name. A text that lacks either may be near in meaning, and does not answer.
type Wanted struct {
	question *Note
	kinds    []*wantedKind // an answer has one of them
	names    []string      // an answer has all of them, in lower case
	counted  []string      // what is counted: "loading", "docks"
	common   bool          // some text has a word of that
	said     string        // the question's words, in lower case
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
	kinds                                                []*wantedKind
	sentence, begin, noun, open, name, no, proper, count *text.Regexp
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
				`chain|colleague|contact|make)s?\n|.*\nwh\w+ (\S+ )?(company|firm|person|vendor|colleague) `,
				"", ""),
			valueSet(`how many( \S+)? ?`+unit, "time months", `\b(an?|another|one) `+unit+`\b`),
			valueSet(`how long`, "time months", `\b(an?|another|one) `+unit+`\b|\b(until|forever|never)\b`),
			valueSet(`how many`, "- time months date clock bytes money percent", `\b(no|none|single|unlimited)\b`),
			valueSet(`wh.*(phone number|('s|his|her|their) (extension|phone|mobile))s?\n`, "", `\d{3}`),
			valueSet(`wh.* (e-?)?mail address(es)?\n`, "", `\S@\S`),
			valueSet(`wh.* years?\n`, "", `\b(1[5-9]|20)\d\d\b|\b(last|this|next) year\b`),
			valueSet(`wh.* temperatures?\n|how (hot|warm|cold)`, "", `\d ?°|\b(degrees?|minus)\b|\d ?[cf]\b`),
			valueSet(`wh.* (percentage|share|proportion)s?\n`, "percent",
				`\b(per ?cent|half|third|quarter|fifth|tenth|one in|out of|none|all|every)\b|\d (in|of) `),
			valueSet(`how (large|big|high|heavy|deep|wide|tall)`, "- date clock time months", some+`)\b`),
			valueSet(`wh.* (port|version|release)s?\n`, "bare", `[a-z=>]\d[\d.]*\b|[^\d]:\d|\d\.\d+\.\d`),
			valueSet(`wh.* (salary|(sur)?charge|fee|price|cost|wage|deposit|discount|pay|rent)s?\n|`+
				`.*\nwhat (do(es)?|did|will) .*\b(cost|pay|charge)s?\b|how much .*money`, "money percent",
				`\d ?(p|ct|cents?|pence)\b|\b(free|half|double|nothing|times|price|percent)\b`),
			valueSet(`wh.* ((week|birth)?day|date|month)s?\n`, "date",
				`\d(st|nd|rd|th| may)\b|\b(today|tomorrow|nights?|nightly|daily|weekly|monthly|easter|`+
					`christmas|weekend|(`+calendar+`)s?)\b`),
			valueSet(`wh.* (time|hour|deadline)s?\n|`+
				`when (is|are|was|will|do|does|did) `, "time date", `\d[:.]\d\d|\d(st|nd|rd|th| may)\b|`+
				`\b(hour|days?|today|tomorrow|noon|midnight|dawn|morning|evening|afternoon|nights?|`+
				`nightly|daily|weekly|monthly|easter|christmas|weekend|(`+calendar+`)s?)\b`),
			valueSet(`how (much|far|near)|wh.* (number|size|amount|`+
				`limit|length|height|weight|radius|capacity)s?\n`, "- date clock", some+`)\b`),
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
		proper: text.NewRegexp(`[\p{Ll}\d,’'] (\p{Lu}\p{Ll}[\p{L}\d-]+)`),
		count:  text.NewRegexp(`^how many (?:of (?:the|our|these|those) )?(.*)`),
	}
})

// calendar has the names of days, months and seasons, and languages those of languages. They are no
// names of anybody.
const calendar = `monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|` +
	`march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter`
const languages = `|english|german|french|spanish|italian|dutch|polish|turkish|russian|ukrainian|chinese|japanese`

// WantedBy reads what a question asks for. In a longer text only sentences with a question
// mark ask. A proper name is asked for if some text has it: known tells.
func WantedBy(question string, known func(name string) bool) *Wanted {
	w := &Wanted{}
	low := strings.ReplaceAll(strings.ToLower(question), "’", "'")
	if !strings.Contains(low, "wh") && !strings.Contains(low, "how") { // most prompts only tell
		return w
	}
	said := strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune(" \t\n?!,;", r) })
	w.said = " " + strings.Join(said, " ") + " "
	low = strings.NewReplacer("what's ", "what is ", "who's ", "who is ").Replace(low)
	var proper []string
	for _, m := range howAsked().proper.FindAllStringSubmatch(question, -1) {
		if known(m[1]) {
			proper = append(proper, strings.TrimSuffix(strings.ToLower(m[1]), "s"))
		}
	}
	sentences := howAsked().sentence.FindAllString(low, -1)
	for _, s := range sentences {
		if len(sentences) == 1 || strings.HasSuffix(s, "?") {
			w.read(strings.TrimSpace(s), proper)
		}
	}
	if w.open {
		w.kinds = nil
	}
	w.common = slices.ContainsFunc(w.counted, known)
	if len(w.kinds) > 0 {
		w.question = ReadNote(Text{Body: question})
	}
	return w
}

// read reads a sentence that asks, perhaps for something of a proper name.
func (w *Wanted) read(sentence string, proper []string) {
	how, named, way := howAsked(), false, false
	for q := how.begin.FindStringSubmatch(sentence); q != nil; {
		noun := strings.TrimRight(how.noun.ReplaceAllString(q[1], "$1$2"), "?!.") + "\n" + q[1]
		i := slices.IndexFunc(how.kinds, func(k *wantedKind) bool { return k.asks.MatchString(noun) })
		if i >= 0 {
			w.kinds = append(w.kinds, how.kinds[i])
		}
		if m := how.count.FindStringSubmatch(q[1]); m != nil && how.kinds[i].units != "time months" {
			w.counted = strings.Fields(strings.TrimRight(m[1], "?!."))
			if n := slices.IndexFunc(w.counted, words.Empty); n >= 0 {
				w.counted = w.counted[:n]
			}
			w.counted = w.counted[:min(len(w.counted), maxCounted)]
		}
		w.open = w.open || i < 0
		way = way || i < 0 && how.open.MatchString(noun)
		named, q = true, how.begin.FindStringSubmatch(q[1][1:])
	}
	if !named || way {
		return
	}
	for _, name := range proper {
		if strings.Contains(sentence, name) {
			w.names = append(w.names, name)
		}
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
		return slices.ContainsFunc(k.given.FindAllString(low, -1), w.isNew) ||
			slices.ContainsFunc(parse.ExtractText(of.Title+".\n"+of.Body, "").Details, func(d parse.Detail) bool {
				return k.is(&d) && w.isNew(d.Text) && w.counts(&d, low)
			})
	})
}

// isNew reports whether the question itself does not say something.
func (w *Wanted) isNew(said string) bool {
	return !strings.Contains(w.said, " "+strings.ToLower(strings.TrimSpace(said))+" ")
}

// maxCounted is the number of words in the longest name of what is counted: "48 new loading docks".
const maxCounted = 3

// counts reports whether a figure may count what is asked for: where a text names that, or others do,
// its figures of other things do not.
func (w *Wanted) counts(d *parse.Detail, low string) bool {
	return !w.common && !slices.ContainsFunc(w.counted, func(c string) bool {
		return strings.Contains(low, strings.TrimSuffix(c, "s"))
	}) || slices.ContainsFunc(w.counted, d.Counts)
}

// is reports whether a detail of a text is such a value.
func (k *wantedKind) is(d *parse.Detail) bool {
	unit := "date"
	switch {
	case d.Q != nil && d.Q.Ref && d.Weak: // page 7
		return false
	case d.Q != nil && d.Q.Dim == "" && (d.Q.Ref || len(d.Q.Noun) == 0):
		unit = "bare"
	case d.Q != nil:
		unit = d.Q.Dim
	case d.T == nil:
		return false
	case !d.T.Dated:
		unit = "clock"
	}
	return slices.Contains(strings.Fields(k.units), unit) != strings.HasPrefix(k.units, "-")
}

// hasName reports whether a text has a proper name that the question has not, of a person, a
// firm or a product, without a number behind it.
func (w *Wanted) hasName(t *Note) bool {
	for i, one := range t.words {
		if one.value == valueName && (isProper(one.word) || strings.Contains(one.word, "@")) &&
			w.question.find(one.word) == nil &&
			!strings.Contains("|"+calendar+languages, "|"+one.word) &&
			(i+1 == len(t.words) || t.words[i+1].value != valueNumber) {
			return true
		}
	}
	return false
}
