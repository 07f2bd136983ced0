package topics

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/lazyregexp"
	"blackboard/board/words"
)

// Kinds of topics. The name alone decides.
const (
	KindNamed   = "named"
	KindSession = "session" // a session's own, on a branch that unrelated sessions share
	KindCurrent = "current" // of a branch that is one piece of work
	KindReview  = "review"  // starts in a clean room
)

// Kinds are all kinds of topics.
var Kinds = []string{KindNamed, KindReview, KindCurrent, KindSession}

// Current is the topic of a working tree whose branch is not shared.
const Current = "current"

// MaxName is the most bytes that a topic's name may have.
const MaxName = 120

const sessionPrefix = "session-"

const nameHint = "use letters, digits, - _ and . in between: auth-refactor"

// reserved are the names that Windows keeps for devices, whatever follows their first dot.
var reserved = lazyregexp.New(`(?i)^(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\..*)?$`)

// CheckName reports what is wrong with a topic's name, if anything. A name is the beginning of file names, on every system: it has letters (of any script), digits, - _ and ., begins with a
// letter or digit and does not end with a dot. Upper and lower case are kept, but make no difference (Dir.Spelling).
func CheckName(name string) error {
	bad := func(why, hint string) error {
		return invalid(fmt.Sprintf("%q is no name of a topic: %s", clip(name, 60), why), hint)
	}
	switch {
	case name == "":
		return invalid("the name of the topic is empty", nameHint)
	case len(name) > MaxName:
		return bad(fmt.Sprintf("it has %d bytes, and at most %d are taken", len(name), MaxName), "shorten it; what it is about stands in its spec")
	case !utf8.ValidString(name):
		return bad("it is not valid UTF-8", nameHint)
	}
	for _, r := range name {
		if !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) && !strings.ContainsRune("-_.", r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return bad(fmt.Sprintf("%q cannot be part of it", r), nameHint)
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.In(first, unicode.Letter, unicode.Digit) {
		return bad("it begins with neither a letter nor a digit", nameHint)
	}
	switch {
	case strings.HasSuffix(name, "."):
		return bad("it ends with a dot", nameHint)
	case reserved.MatchString(name):
		return bad("Windows keeps it for a device", "choose another: "+strings.SplitN(name, ".", 2)[0]+"-topic")
	}
	return nil
}

// KindOf returns the kind of the topic of that name.
func KindOf(name string) string {
	switch {
	case strings.EqualFold(name, Current):
		return KindCurrent
	case len(name) > len(sessionPrefix) && strings.EqualFold(name[:len(sessionPrefix)], sessionPrefix):
		return KindSession
	case isReview(name):
		return KindReview
	}
	return KindNamed
}

// round is the number that tells repetitions of a review apart: 2, v2, r2, round2.
var round = lazyregexp.New(`^(v|r|round)?[0-9]+$`)

// isReview says whether a topic is a review, by the words of its name: the first one begins with "review" (review-auth, reviewing.auth, re-review-auth, rereview), or the last one, but for the
// number of a round, is "review" (auth-review, auth-re-review-2, auth_review_v3). A topic about something else that has the word in its middle is none: fix-review-comments, preview-page.
func isReview(name string) bool {
	parts := words.Split(name, "")
	for len(parts) > 0 && (round.MatchString(parts[len(parts)-1]) || parts[len(parts)-1] == "round") {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 1 && parts[0] == "re" {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return false
	}
	return strings.HasPrefix(parts[0], "review") || strings.HasPrefix(parts[0], "rereview") || slices.Contains([]string{"review", "reviews", "rereview"}, parts[len(parts)-1])
}

// plainID is a session's id that can be part of a file name as it is.
var plainID = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$`)

// SessionTopic returns the name of a session's own topic, "" for no id. Ids are whatever a harness made up: one that is no file name, or is long, is told by what of it can be kept and a hash of
// all of it, so that two sessions never share a topic.
func SessionTopic(id string) string {
	if id == "" {
		return ""
	}
	if plainID.MatchString(id) {
		return sessionPrefix + id
	}
	kept := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_') {
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
