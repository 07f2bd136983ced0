package hooks

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"blackboard/hooks/harness"
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

// Parts of the patterns below. A value is a word with its quotes, also where a quote does not end; one that begins with $ only says where the secret comes from, and « begins what is masked
// already.
const (
	quotedPart  = `"[^"]*(?:"|$)|'[^']*(?:'|$)`
	wordValue   = `((?:` + quotedPart + `|[^\s"'$;&|=«])(?:` + quotedPart + `|[^\s"';&|])*)`
	optionValue = `((?:` + quotedPart + `|[^\s"'$;&|=<«-])(?:` + quotedPart + `|[^\s"';&|])*)`
	secretName  = `(?:password|passwd|passphrase|secret|token|credentials?|(?:api|access|auth|account|encrypt(?:ion)?|private|secret|sign(?:ing)?|master|shared|storage)[_-]?key)`
)

// passwords are what is given as one by its name or its place: the value may look like any word. What stands in the first and the third group stays.
var passwords = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, expr := range []string{
		// Variables, fields of a connection string, parameters of a URL.
		`(?i)(\b[a-z0-9_]*` + secretName + `(?:_[a-z0-9_]*)?\s?=\s?)` + wordValue,
		`(?i)((?:\b[a-z0-9_]*_(?:pass|pwd|auth)|\bpass|;\s*pwd)=)` + wordValue,
		`(?i)([?&][a-z0-9_-]*(?:sig|signature|key|auth|pass)=)([^\s&#"']+)`,
		// Options.
		`(?i)((?:^|\s)--?(?:[a-z0-9]+[-_])*(?:` + secretName + `|pass|pwd|storepass|keypass)(?:=|\s+))` + optionValue,
		`(-pass(?:in|out)?\s+pass:)` + wordValue,
		`(\b(?:mysql|mysqldump|mysqladmin|mariadb|7z)\b[^|;&\n]*\s-p)` + wordValue,
		`(\b(?:(?:docker|podman|nerdctl|helm)\b[^|;&\n]*\slogin|sshpass|mongo|mongosh|mongodump|mongorestore)\b[^|;&\n]*\s-p\s*)` + wordValue,
		`(\b(?:zip|unzip|sqlcmd|bcp)\b[^|;&\n]*\s-P\s*)` + wordValue,
		`(\bredis-cli\b[^|;&\n]*\s-a\s*|\bldap[a-z]+\b[^|;&\n]*\s-w\s*|\bopenssl\b[^|;&\n]*\s-k\s+)` + optionValue,
		// Arguments and standard input.
		`(\bhtpasswd\s+-[A-Za-z]*b[A-Za-z]*\s+\S+\s+\S+\s+|\bvault\s+login\s+)` + optionValue,
		`(?i)(\b(?:setx|configure\s+set|config\s+set)\s+\S*(?:` + secretName + `|_auth)\s+)` + optionValue,
		`(\b(?:echo|printf)\s+(?:-[a-z]+\s+)*)` + wordValue + `(\s*\|\s*(?:sudo\s+-S|[^|;&\n]*--(?:password-stdin|with-token)))`,
		`(--(?:password-stdin|with-token)\s*<<<\s*)` + wordValue,
		// Headers.
		`(?i)(\b(?:proxy-)?authorization:\s*(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)([^"'\n«][^"'\n]*)`,
		`(?im)(\b(?:proxy-)?authorization:[ \t]*)([^\s"'«]{8,})(["']|[ \t]*$)`,
		`(?i)(\b(?:set-)?cookie:\s*)([^\s"'=;]+=[^"'\n]+)`,
		`(?i)(\b(?:[a-z0-9]+-)*(?:(?:api|access|auth|secret|account|subscription|functions)-key|[a-z0-9]+-(?:token|secret|password|auth)):\s*)([^\s"'«][^\s"']*)`,
		// Fields of JSON, YAML and XML, .netrc, SQL, what stands for a user in a URL.
		`(?i)(["'][a-z0-9_.-]*(?:` + secretName + `|pass|pwd)[a-z0-9_]*\\?["']\s*:\s*)("(?:[^"\\]|\\.)*(?:"|$)|\\"[^"]*(?:"|$)|'[^']*(?:'|$))`,
		`(?im)(^[ \t]*(?:-[ \t]+)?[a-z0-9_.-]*(?:` + secretName + `|pass|pwd|key-data):[ \t]*)("[^"\n]*"|'[^'\n]*'|[^\s"'«]\S{5,})([ \t]*$)`,
		`(?i)(<[a-z0-9_:.-]*` + secretName + `(?:\s[^<>]*)?>)([^<]+)`,
		`(?i)(\blogin\s+\S+\s+password\s+)(\S+)`,
		`(?i)(\b(?:password|identified\s+by)\s+)('[^']+'|"[^"]+")`,
		`(?i)(\bhttps?://)([^\s/:@"']{20,})(@)`,
		`(?i)(\b[a-z][a-z0-9+.-]*://[^\s/:@"']*:)([^\s/@"'«$][^\s/@"']*)(@)`,
		// Private keys whose end was cut off, and tokens that no rule knows.
		`(-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----)([\sA-Za-z0-9+/=\\:,.-]{40,})`,
		`()(\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,})`,
	} {
		all = append(all, regexp.MustCompile(expr))
	}
	return all
})

// maskPasswords replaces what is given as a password.
func maskPasswords(s string) string {
	for _, p := range passwords() {
		s = p.ReplaceAllString(s, "${1}«secret: password»${3}")
	}
	return s
}

func masked(f secret.Finding) string { return "«secret: " + f.Rule + "»" }

// clean is a text that may be kept or searched for: without what is private, and without secrets. Only its beginning is looked at.
func clean(s string) string { return maskPasswords(mask(dropPrivate(whole(harness.Head(s))))) }

// whole is a text without the end of what may have been cut within a word: half of a secret looks like none. Secrets are ASCII; a script without spaces keeps its words.
func whole(s string) string {
	if len(s) <= harness.MaxText-utf8.UTFMax {
		return s
	}
	return strings.TrimRightFunc(s, func(r rune) bool { return r > ' ' && r < utf8.RuneSelf })
}
