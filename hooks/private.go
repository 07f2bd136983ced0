package hooks

import (
	"regexp"
	"strings"

	"blackboard/kb/secret"
)

// privateTag is a tag around what nobody is to keep, however it is written; harnesses may have escaped it.
var privateTag = regexp.MustCompile(`(?i)(?:<|&lt;)\s*(/?)\s*private\b[^<>]*?(?:>|&gt;|/>)`)

// withheld stands where something private was.
const withheld = "«private»"

// dropPrivate takes out what stands between <private> and </private>. Where one of the two is missing, everything on its side goes: it may have been cut off.
func dropPrivate(s string) string {
	if !strings.Contains(strings.ToLower(s), "private") {
		return s
	}
	var b strings.Builder
	depth, at := 0, 0
	for _, m := range privateTag.FindAllStringSubmatchIndex(s, -1) {
		if closing := m[2] != m[3]; !closing {
			if depth == 0 {
				b.WriteString(s[at:m[0]])
				b.WriteString(withheld)
			}
			depth++
		} else if depth == 0 { // its beginning is not here
			b.Reset()
			b.WriteString(withheld)
		} else {
			depth--
		}
		at = m[1]
	}
	if depth == 0 {
		b.WriteString(s[at:])
	}
	return b.String()
}

// mask replaces what looks like a secret by the rule that found it, wherever else in the text the secret stands, too. The rules are those of package secret: gitleaks', and some of ours.
func mask(s string) string {
	found := secret.Find(s)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.Start])
		b.WriteString(masked(f))
		at = f.End
	}
	b.WriteString(s[at:])
	out := b.String()
	for _, f := range found {
		if f.End-f.Start >= 6 { // a shorter one may be a part of many a word
			out = strings.ReplaceAll(out, s[f.Start:f.End], masked(f))
		}
	}
	return out
}

// passwords are what is given to commands as one by its place or name: the value may look like any word.
var passwords = []*regexp.Regexp{
	regexp.MustCompile(`(?i)(\b[a-z0-9_]*(?:password|passwd|passphrase|secret|token|api_?key|access_?key)[a-z0-9_]*\s?=\s?)("[^"]*"|'[^']*'|[^\s"'$;&|=]+)`),
	regexp.MustCompile(`(?i)(--(?:[a-z-]*-)?(?:password|passwd|passphrase|secret|token|api-key)(?:=|\s+))("[^"]*"|'[^']*'|[^\s"'$;&|-][^\s;&|]*)`),
	regexp.MustCompile(`(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;&\n]*\s-p)("[^"]*"|'[^']*'|[^\s;&|]+)`),
	regexp.MustCompile(`(\b(?:docker|podman|helm|sshpass)\b[^|;&\n]*\s-p\s*)("[^"]*"|'[^']*'|[^\s;&|]+)`),
	regexp.MustCompile(`()(\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,})`),
}

// maskPasswords replaces what is given as a password.
func maskPasswords(s string) string {
	for _, p := range passwords {
		s = p.ReplaceAllString(s, "$1«secret: password»")
	}
	return s
}

func masked(f secret.Finding) string { return "«secret: " + f.Rule + "»" }

// clean is a text that may be kept or searched for: without what is private, and without secrets. Only its beginning is looked at.
func clean(s string) string { return maskPasswords(mask(dropPrivate(head(s)))) }
