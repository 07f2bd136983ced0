package claims

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"
)

// doubtLetters are those of an id: none that is easily taken for another one.
const doubtLetters = "abcdefghijkmnpqrstuvwxyz23456789"

// DoubtID returns the id of a doubt: a hash of the check, its verdict and all that it was held against. If any of that
// changes, it is another doubt.
func DoubtID(check, verdict string, about ...string) string {
	h := sha256.New()
	for _, s := range append([]string{check, verdict}, about...) {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "d" + base32.NewEncoding(doubtLetters).EncodeToString(h.Sum(nil))[:5]
}

// PassageDoubt adds to the id of a doubt what a report says, so that it is another doubt where it says something else.
func PassageDoubt(doubt, said string) string { return doubt + DoubtID("passage", said)[1:4] }

// IsPassageDoubt reports whether an id is one of a doubt with a passage.
func IsPassageDoubt(id, doubt string) bool {
	return len(id) > len(doubt) && strings.HasPrefix(id, doubt)
}

// IsDoubt reports whether a text looks like the id of a doubt: with a passage it has three letters more.
func IsDoubt(s string) bool {
	return (len(s) == 6 || len(s) == 9) && s[0] == 'd' && strings.Trim(s[1:], doubtLetters) == ""
}

// Acceptance is why a doubt of a check is no fault, and who says so.
type Acceptance struct {
	Doubt   string `json:"doubt"`   // its id
	ID      string `json:"id"`      // of the entry or the question
	Check   string `json:"check"`   // verify or survival
	Verdict string `json:"verdict"` // of the check
	Reason  string `json:"reason"`
	Worker  string `json:"worker"`
	// Person is true if somebody at a terminal accepted it.
	Person bool      `json:"person"`
	At     time.Time `json:"at"`
	Seq    int64     `json:"seq"` // the event
}

// EndsWith is what ends the acceptance when it changes, beside the entry.
func (a *Acceptance) EndsWith() string {
	if a.Check == "survival" {
		return "what the report says there"
	}
	return "its source"
}

// String says who accepted it, and why.
func (a *Acceptance) String() string { return "accepted by " + a.Worker + ": " + a.Reason }
