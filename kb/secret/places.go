package secret

import (
	"regexp"
	"strings"
	"sync"
)

// A value is a word with its quotes, also where a quote does not end; $ begins where the secret
// comes from, and « what is masked already.
const (
	quotedPart  = `"[^"]*(?:"|$)|'[^']*(?:'|$)`
	wordValue   = `((?:` + quotedPart + `|[^\s"'$;&|=«])(?:` + quotedPart + `|[^\s"';&|])*)`
	optionValue = `((?:` + quotedPart + `|[^\s"'$;&|=<«-])(?:` + quotedPart + `|[^\s"';&|])*)`
	secretNamed = `(?:password|passwd|passphrase|secret|token|credentials?|(?:api|access|auth|account|encrypt(?:ion)?|private|secret|sign(?:ing)?|master|shared|storage)[_-]?key)`
)

// names has a word of each name that secretNamed matches.
const names = `pass secret token credential key`

// place is where a password stands, so that its value may look like any word.
type place struct {
	words string // one of which is in the text, so that a pattern that cannot match is not compiled
	sign  string // which is in the text too: prompts speak of tokens and keys and give none
	expr  string // what stands in the first and the third group stays
}

var places = []place{
	// Variables, fields of a connection string, parameters of a URL.
	{words: names, sign: `=`, expr: `(?i)(\b[a-z0-9_]*` + secretNamed + `(?:_[a-z0-9_]*)?\s?=\s?)` + wordValue},
	{words: `pass pwd auth`, sign: `=`, expr: `(?i)((?:\b[a-z0-9_]*_(?:pass|pwd|auth)|\bpass|;\s*pwd)=)` + wordValue},
	{words: `sig key auth pass`, sign: `=`, expr: `(?i)([?&][a-z0-9_-]*(?:sig|signature|key|auth|pass)=)([^\s&#"']+)`},
	// Options.
	{words: names + ` pwd`, sign: `-`, expr: `(?i)((?:^|\s)--?(?:[a-z0-9]+[-_])*(?:` + secretNamed + `|pass|pwd|storepass|keypass)(?:=|\s+))` + optionValue},
	{words: `pass:`, expr: `(-pass(?:in|out)?\s+pass:)` + wordValue},
	{words: `mysql mariadb 7z`, expr: `(\b(?:mysql|mysqldump|mysqladmin|mariadb|7z)\b[^|;&\n]*\s-p)` + wordValue},
	{words: `login sshpass mongo`, expr: `(\b(?:(?:docker|podman|nerdctl|helm)\b[^|;&\n]*\slogin|sshpass|mongo|mongosh|mongodump|mongorestore)\b[^|;&\n]*\s-p\s*)` + wordValue},
	{words: `zip sqlcmd bcp`, expr: `(\b(?:zip|unzip|sqlcmd|bcp)\b[^|;&\n]*\s-P\s*)` + wordValue},
	{words: `redis-cli ldap openssl`, expr: `(\bredis-cli\b[^|;&\n]*\s-a\s*|\bldap[a-z]+\b[^|;&\n]*\s-w\s*|\bopenssl\b[^|;&\n]*\s-k\s+)` + optionValue},
	// Arguments and standard input.
	{words: `htpasswd vault`, expr: `(\bhtpasswd\s+-[A-Za-z]*b[A-Za-z]*\s+\S+\s+\S+\s+|\bvault\s+login\s+)` + optionValue},
	{words: `setx config`, expr: `(?i)(\b(?:setx|configure\s+set|config\s+set)\s+\S*(?:` + secretNamed + `|_auth)\s+)` + optionValue},
	{words: `sudo password-stdin with-token`, expr: `(\b(?:echo|printf)\s+(?:-[a-z]+\s+)*)` + wordValue + `(\s*\|\s*(?:sudo\s+-S|[^|;&\n]*--(?:password-stdin|with-token)))`},
	{words: `password-stdin with-token`, expr: `(--(?:password-stdin|with-token)\s*<<<\s*)` + wordValue},
	// Headers.
	{words: `authorization`, expr: `(?i)(\b(?:proxy-)?authorization:\s*(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)([^"'\n«][^"'\n]*)`},
	{words: `authorization`, expr: `(?im)(\b(?:proxy-)?authorization:[ \t]*)([^\s"'«]{8,})(["']|[ \t]*$)`},
	{words: `cookie`, expr: `(?i)(\b(?:set-)?cookie:\s*)([^\s"'=;]+=[^"'\n]+)`},
	{words: `-key -token -secret -password -auth`, expr: `(?i)(\b(?:[a-z0-9]+-)*(?:(?:api|access|auth|secret|account|subscription|functions)-key|[a-z0-9]+-(?:token|secret|password|auth)):\s*)([^\s"'«][^\s"']*)`},
	// Fields of JSON, YAML and XML, .netrc, SQL, what stands for a user in a URL.
	{words: names + ` pwd`, sign: `:`, expr: `(?i)(["'][a-z0-9_.-]*(?:` + secretNamed + `|pass|pwd)[a-z0-9_]*\\?["']\s*:\s*)("(?:[^"\\]|\\.)*(?:"|$)|\\"[^"]*(?:"|$)|'[^']*(?:'|$))`},
	{words: names + ` pwd`, sign: `:`, expr: `(?im)(^[ \t]*(?:-[ \t]+)?[a-z0-9_.-]*(?:` + secretNamed + `|pass|pwd|key-data):[ \t]*)("[^"\n]*"|'[^'\n]*'|[^\s"'«]\S{5,})([ \t]*$)`},
	{words: names, sign: `<`, expr: `(?i)(<[a-z0-9_:.-]*` + secretNamed + `(?:\s[^<>]*)?>)([^<]+)`},
	{words: `login`, expr: `(?i)(\blogin\s+\S+\s+password\s+)(\S+)`},
	{words: `password identified`, expr: `(?i)(\b(?:password|identified\s+by)\s+)('[^']+'|"[^"]+")`},
	{words: `@`, expr: `(?i)(\bhttps?://)([^\s/:@"']{20,})(@)`},
	{words: `@`, expr: `(?i)(\b[a-z][a-z0-9+.-]*://[^\s/:@"']*:)([^\s/@"'«$][^\s/@"']*)(@)`},
	// Private keys whose end was cut off.
	{words: `private`, expr: `(-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----)([\sA-Za-z0-9+/=\\:,.-]{40,})`},
}

// patterns are those of places, compiled when they are first needed.
var patterns = sync.OnceValue(func() []func() *regexp.Regexp {
	all := make([]func() *regexp.Regexp, len(places))
	for i, p := range places {
		all[i] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.expr) })
	}
	return all
})

// maskPlaces replaces what is given as a password by its name or its place.
func maskPlaces(s string) string {
	lower := strings.ToLower(s)
	for i, p := range places {
		if !strings.Contains(s, p.sign) {
			continue
		}
		for w := range strings.FieldsSeq(p.words) {
			if strings.Contains(lower, w) {
				s = patterns()[i]().ReplaceAllString(s, "${1}«secret: password»${3}")
				break
			}
		}
	}
	return s
}
