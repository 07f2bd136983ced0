package secret

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// These are for harmless, and compiled when it first needs them.
var (
	// What names a thing rather than opens it: a UUID, or a digest in hex.
	identifier = lazy(`(?i)^(?:sha\d+[-:_])?(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32}|[\da-f]{40}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})$`)
	// Names of values that are secret even if they look like that.
	strong = lazy(`(?i)secret|token|passw|cred|bearer|private|master|encrypt|sign|(?:api|access|auth|account|license|service)[\w .-]{0,9}key`)
	// Names of values that are meant to be shown.
	public = lazy(`(?i)public[\w .-]{0,9}key|fingerprint|thumbprint|checksum|digest|integrity|etag`)
	// A line of a private key, as opposed to the dots in its place that documentation has.
	keyBody = lazy(`[A-Za-z0-9+/]{40}`)
)

func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return try(expr) })
}

// harmless reports what gitleaks would take for a secret and we do not. Knowledge is full of commits, checksums and UUIDs, and
// "key: 3f78…" is a cache's or a row's more often than a lock's; gitleaks mostly leaves such files out by their paths. before is the
// match up to the secret, and the words that lead to it.
func harmless(r *rule, before, secret string) bool {
	switch {
	case r.generic():
		return (matches(identifier(), secret) || matches(public(), before)) && !matches(strong(), before)
	case r.ID == "private-key":
		return !matches(keyBody(), secret)
	}
	return false
}

// named returns the words before at, for rules see only one: "signing key: …" matches from "key".
func named(text string, at int) string {
	before := text[max(0, at-24):at]
	return before[strings.LastIndexAny(before, ",;:.=()\"'`\n")+1:]
}

// stars is what Mask puts in place of a secret.
const stars = "****"

// masked reports whether s is what Mask leaves of a secret.
func masked(s string) bool {
	kept, ok := strings.CutSuffix(s, stars)
	return ok && utf8.RuneCountInString(kept) <= keep
}
