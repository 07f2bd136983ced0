package memory

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// scrubKinds are the kinds of things that a manifest counts, in the order in which its hash names them. Private items are among the live, the archived and the forgotten ones, all else is counted once.
var scrubKinds = []string{"live", "forgotten", "private", "named", "journal", "core", "scratch", "revisions", "conversations", "archived"}

// scrubDigits is how many hex digits of a digest a manifest's hash has.
const scrubDigits = 32

// scrubHash writes a manifest's hash: the digest of what would be removed, and the counts, so that who confirms an old one can be told what has changed since:
// 9f86d081884c7d659a2feaa0c55ad015-12.3.0.0.4.1.0.2.0
func scrubHash(digest []byte, counts map[string]int) string {
	n := make([]string, len(scrubKinds))
	for i, kind := range scrubKinds {
		n[i] = strconv.Itoa(counts[kind])
	}
	return hex.EncodeToString(digest)[:scrubDigits] + "-" + strings.Join(n, ".")
}

// parseScrubHash reads what scrubHash writes, and nothing else. It returns the counts.
func parseScrubHash(hash string) (map[string]int, error) {
	wrong := func(what string) error {
		return invalid(fmt.Sprintf("%q is no manifest's hash: %s", clip(hash, 60), what), "", showScrub)
	}
	if hash == "" {
		return nil, invalid("nothing says what exactly is to be removed: the hash is missing", "", showScrub)
	}
	digest, rest, _ := strings.Cut(hash, "-")
	if len(digest) != scrubDigits || strings.Trim(digest, "0123456789abcdef") != "" {
		return nil, wrong(fmt.Sprintf("it begins with %d hex digits", scrubDigits))
	}
	numbers := strings.Split(rest, ".")
	if len(numbers) != len(scrubKinds) {
		return nil, wrong(fmt.Sprintf("it ends with %d counts", len(scrubKinds)))
	}
	counts := map[string]int{}
	for i, text := range numbers {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strconv.Itoa(n) != text {
			return nil, wrong(fmt.Sprintf("%q is no count", clip(text, 20)))
		}
		counts[scrubKinds[i]] = n
	}
	return counts, nil
}

// scrubDifference says how the counts differ.
func scrubDifference(was, is map[string]int) string {
	var all []string
	for _, kind := range scrubKinds {
		if was[kind] != is[kind] {
			all = append(all, fmt.Sprintf("%s %d, now %d", kind, was[kind], is[kind]))
		}
	}
	if len(all) == 0 {
		return "the counts are the same, but something was changed, or the hash is of another scope or mode"
	}
	return strings.Join(all, "; ")
}

// spread picks at most n of a list, from all over it, the first and the last among them.
func spread(all []string, n int) []string {
	if len(all) <= n {
		return slices.Clone(all)
	}
	out := make([]string, n)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(n-1)]
	}
	return out
}
