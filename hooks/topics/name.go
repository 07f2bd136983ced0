package topics

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/text"
	"blackboard/board/words"
)

const (
	KindNamed   = "named"
	KindSession = "session" // one session's, on a branch that unrelated sessions share
	KindCurrent = "current" // of a branch for one task
	KindReview  = "review"  // starts in a clean room
)

var Kinds = []string{KindNamed, KindReview, KindCurrent, KindSession}

// Current is the topic of a working tree whose branch is not shared.
const Current = "current"

// MaxName is the longest name of a topic, in bytes.
const MaxName = 120

const sessionPrefix = "session-"

const nameHint = "use letters and digits, with - _ or . between them: auth-refactor"

// isReserved reports Windows' device names, with any extension. Like isPlainID it is no regular
// expression, whose compiling would slow hooks, a process at every tool.
func isReserved(name string) bool {
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(base, "com"), "lpt")
	return len(port) == len(base)-3 && utf8.RuneCountInString(port) == 1 &&
		strings.Contains("0123456789¹²³", port)
}

// CheckName returns an error if a topic's name is invalid. File names begin with it, on
// every system. It has letters of any script, digits, - _ and ., begins with a letter
// or digit and does not end with a dot. Case is kept but makes no difference
// (Dir.Spelling).
func CheckName(name string) error {
	bad := func(why, hint string) error {
		return invalid(fmt.Sprintf("%q is not a valid topic name: %s", clip(name, 60), why), hint)
	}
	switch {
	case name == "":
		return invalid("the topic name is empty", nameHint)
	case len(name) > MaxName:
		return bad(fmt.Sprintf("it has %d bytes; the limit is %d", len(name), MaxName),
			"shorten it; the spec can say what it is about")
	case !utf8.ValidString(name):
		return bad("it is not valid UTF-8", nameHint)
	}
	for _, r := range name {
		if !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) &&
			!strings.ContainsRune("-_.", r) ||
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point,
				unicode.Variation_Selector) {
			return bad(fmt.Sprintf("%q is not allowed in it", r), nameHint)
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.In(first,
		unicode.Letter, unicode.Digit) {
		return bad("it must begin with a letter or digit", nameHint)
	}
	switch {
	case strings.HasSuffix(name, "."):
		return bad("it must not end with a dot", nameHint)
	case isReserved(name):
		return bad("Windows reserves it for a device", "choose another: "+
			strings.SplitN(name, ".", 2)[0]+"-topic")
	}
	return nil
}

func KindOf(name string) string {
	switch {
	case strings.EqualFold(name, Current):
		return KindCurrent
	case len(name) > len(sessionPrefix) &&
		strings.EqualFold(name[:len(sessionPrefix)], sessionPrefix):
		return KindSession
	case isReview(name):
		return KindReview
	}
	return KindNamed
}

// round matches the number of a repeated review: 2, v2, r2, round2.
var round = text.NewRegexp(`^(v|r|round)?[0-9]+$`)

// isReview reports whether the words of a name make the topic a review. Either the
// first word begins with "review" (review-auth, re-review-auth, rereview), or the last
// word before the round's number is "review" (auth-review, auth_review_v3). A name with
// the word in its middle is no review: fix-review-comments, preview-page.
func isReview(name string) bool {
	parts := words.Split(name, "")
	for len(parts) > 0 && (round.MatchString(parts[len(parts)-1]) ||
		parts[len(parts)-1] == "round") {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 1 && parts[0] == "re" {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return false
	}
	return strings.HasPrefix(parts[0], "review") || strings.HasPrefix(parts[0], "rereview") ||
		slices.Contains([]string{"review", "reviews", "rereview"}, parts[len(parts)-1])
}

// isPlainID reports whether a session's id can be used in a file name unchanged: up to 64
// letters and digits of ASCII, and after the first one - _ and ., which does not end it.
func isPlainID(id string) bool {
	for i := range len(id) {
		switch c := id[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i == 0 || c != '.' && c != '_' && c != '-':
			return false
		}
	}
	return id != "" && len(id) <= 64 && !strings.HasSuffix(id, ".")
}

// SessionTopic is a session's own topic, "" for an empty id. A long id, or one that is no file
// name, is cut and gets its hash, so that no two sessions share one.
func SessionTopic(id string) string {
	if id == "" {
		return ""
	}
	if isPlainID(id) {
		return sessionPrefix + id
	}
	kept := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' ||
			r == '_') {
			return r
		}
		return -1
	}, id)
	if kept = kept[:min(len(kept), 32)]; kept != "" {
		kept += "-"
	}
	sum := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%s%s%x", sessionPrefix, kept, sum[:8])
}
