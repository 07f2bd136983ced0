package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	nameChar  = newSet("0-9a-zA-Z_. \t-")
	beforeOp  = newSet(" \t\r\n\v\f'\"")
	afterOp   = newSet(" \t\r\n\v\f'\"`=")
	valueChar = newSet("0-9a-zA-Z_.+/-") // and = at its end
)

const (
	maxName  = 60 // bytes that are looked at
	maxGap   = 20 // between the word that tells and the operator, as in "key of the batch job: …"
	minValue = 10
)

// assigned looks at a value and its name: at i is the first operator after the name.
func assigned(text string, i int, add func(*rule, int, int)) {
	from := i
	for from < len(text) && from < i+4 && (operator[text[from]] || text[from] == '?') {
		from++
	}
	if text[from-1] == '|' && from-i != 2 {
		return
	}
	for n := 0; n < 5 && from < len(text) && afterOp[text[from]]; n++ {
		from++
	}
	if strings.HasPrefix(text[from:], "base64:") {
		from += len("base64:")
	}
	end := from
	for end < len(text) && valueChar[text[end]] {
		end++
	}
	if end-from < minValue && (end == len(text) || strings.IndexByte(":|=", text[end]) < 0) {
		return
	}
	for n := 0; n < 3 && end < len(text) && text[end] == '='; n++ {
		end++
	}
	name := nameBefore(text, i)
	if name == "" || strings.HasSuffix(name, " h1") { // a checksum of go.sum
		return
	}
	lower := strings.ToLower(name)
	for k := range values() {
		s := &values()[k]
		if !slices.ContainsFunc(s.names, func(n string) bool {
			return near(lower, n,
				maxGap+10)
		}) {
			continue
		}
		if stop := s.at(text, from); stop >= 0 && random(text[from:stop]) {
			add(s.rule, from, stop)
		}
	}
	secret := text[from:end]
	if len(secret) >= minValue && secretName(lower) && valueEnds(text, end) &&
		genericValue(secret) && (strong(lower) || !identifier(secret) && !public(lower)) {
		if strings.Trim(secret, hexDigits) == "" {
			add(genericHex, from, end)
		}
		add(generic, from, end)
	}
}

// nameBefore returns the words that lead to the operator at i.
func nameBefore(text string, i int) string {
	if i > 0 && text[i-1] == '?' {
		i--
	}
	for n := 0; n < 3 && i > 0 && beforeOp[text[i-1]]; n++ {
		i--
	}
	from := i
	for from > 0 && i-from < maxName && nameChar[text[from-1]] {
		from--
	}
	return text[from:i]
}

// near reports whether a name has a word at its end, or at most gap bytes before it.
func near(name, word string, gap int) bool {
	at := strings.LastIndex(name, word)
	return at >= 0 && len(name)-at-len(word) <= gap
}

// What names and values are compared without.
var (
	signs  = strings.NewReplacer("_", "", ".", "", "-", "", " ", "")
	dashes = strings.NewReplacer("-", "", "_", "")
)

func secretName(lower string) bool {
	if !slices.ContainsFunc(listed("names").words, func(w string) bool { return near(lower, w, maxGap) }) {
		return false
	}
	return !containsAny(signs.Replace(lower), listed("othernames").words...)
}

// strong reports whether what has this name is secret even if it looks like an identifier.
func strong(name string) bool {
	return containsAny(name, "secret", "token", "passw", "cred", "bearer", "private", "master",
		"encrypt", "sign") || keyOf(name, "api", "access", "auth", "account", "license",
		"service")
}

// public reports whether what has this name is meant to be shown.
func public(name string) bool {
	return keyOf(name, "public") || containsAny(name, "fingerprint", "thumbprint", "checksum",
		"digest", "integrity", "etag")
}

// announces reports whether the value of what has this name is taken for secret.
func announces(name string) bool {
	name = strings.ToLower(name)
	return secretName(name) && strong(name)
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func keyOf(name string, words ...string) bool {
	for _, w := range words {
		_, after, ok := strings.Cut(name, w)
		if ok && strings.Contains(after[:min(len(after), 12)], "key") {
			return true
		}
	}
	return false
}

// valueEnds: at a quote, a space, a semicolon, an escaped line end.
func valueEnds(text string, i int) bool {
	return i == len(text) || afterOp[text[i]] && text[i] != '=' || text[i] == ';' || text[i] == '&' ||
		strings.HasPrefix(text[i:], `\n`) || strings.HasPrefix(text[i:], `\r`)
}

// genericValue reports whether a value may be a secret by its name alone: no text of words.
func genericValue(s string) bool {
	body := strings.TrimRight(s, "=")
	if !strings.ContainsAny(body, "0123456789+/") || wordy(s) ||
		strings.Trim(body, "0123456789") == "" {
		return false
	}
	if longestRun(body, base64Char) == len(body) && len(body) >= 12 {
		return len(s)-len(body) <= 3
	}
	return len(s) <= 150 && !strings.ContainsAny(body, "+/")
}

// identifier reports whether s names a thing rather than opens it: a UUID, or a digest in hex.
func identifier(s string) bool {
	s = strings.ToLower(s)
	if digest, ok := strings.CutPrefix(s, "sha"); ok {
		s = strings.TrimLeft(strings.TrimLeft(digest, "0123456789"), "-:_")
	}
	size := len(s)
	if size == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		s = strings.ReplaceAll(s, "-", "")
		size = 32
	}
	return slices.Contains([]int{32, 40, 64, 96, 128}, size) &&
		strings.Trim(s, "0123456789abcdef") == ""
}

// random reports whether s has a digit, or consists of no words.
func random(s string) bool { return strings.ContainsAny(s, "0123456789") || !wordy(s) }

// wordy reports whether a value mostly is words (tenant-config-v2): no random string.
func wordy(s string) bool {
	words := 0
	for i := 0; i < len(s); {
		n := i
		for n < len(s) && isLetter(s[n]) &&
			(n == i || isUpper(s[n]) == isUpper(s[n-1]) || n == i+1 && isUpper(s[i])) {
			n++
		}
		if n-i >= 4 && isPronounceable(s[i:n]) {
			words += n - i
		}
		if n == i {
			if strings.IndexByte("_-./", s[i]) >= 0 {
				words++
			}
			n++
		}
		i = n
	}
	return 100*words >= 55*len(s)
}

func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }

// isPronounceable reports whether letters have vowels as words have.
func isPronounceable(s string) bool {
	vowels, run := 0, 0
	for i := range len(s) {
		if strings.IndexByte("aeiouyAEIOUY", s[i]) >= 0 {
			vowels++
			run = 0
		} else if run++; run > 3 {
			return false
		}
	}
	return vowels*5 >= len(s) && vowels*4 <= 3*len(s)
}

var (
	urlUser     = newSet("!-~").without("/:@'\"`<>").above()
	urlPassword = newSet("!-~").without("/@'\"`<>").above()
	urlHost     = newSet("0-9a-zA-Z_.[-")
)

// isURLPassword: no words, no name of a password, no template such as $X, {x}, %s, [x].
func isURLPassword(v string) bool {
	if strings.IndexByte("{[", v[0]) >= 0 || strings.HasPrefix(v, "#{") ||
		v[0] == '$' && (longestRun(v[1:], word) == len(v)-1 || strings.IndexByte("{(",
			v[1]) >= 0) ||
		v[0] == '%' && !isHex(v[1:3]) || containsAny(strings.ToLower(v), "xxxx", "redacted",
		"...", "…") {
		return false
	}
	named := true
	core := strings.TrimRightFunc(v, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, p := range strings.FieldsFunc(core,
		func(r rune) bool { return strings.ContainsRune("_.-", r) }) {
		named = named && isIn("nameparts", p)
	}
	if named && len(v)-len(core) <= 4 {
		return false
	}
	k := kindsIn(v)
	words := k.digits+k.signs+k.others == 0 && (k.upper == 0 || humps(v) == k.upper ||
		k.upper == k.letters)
	return !words || classify(v) >= structured
}

func isHex(s string) bool { return strings.Trim(s, hexDigits) == "" }

func isExampleHost(host string) bool {
	host = strings.ToLower(host)
	return host == "example" || hasSuffix(host, "example.com", "example.org", "example.net") ||
		containsAny(strings.NewReplacer("-", "", "_", "", ".", "").Replace(host), "yourhost",
			"yourserver", "yourdomain",
			"myhost", "myserver", "mydomain") || strings.HasPrefix(host, "sha") &&
		isHex(host[3:])
}

// passwordAfter returns where a URL's password is, or zeros. :// is at i.
func passwordAfter(text string, i int) (start, end int) {
	start = i + len("://")
	for n := 0; n < 100 && start < len(text) && urlUser[text[start]]; n++ {
		start++
	}
	if start == len(text) || text[start] != ':' {
		return 0, 0
	}
	start++
	end = start
	for end < len(text) && end-start <= 200 && urlPassword[text[end]] {
		end++
	}
	if end-start < 6 || end == len(text) || text[end] != '@' {
		return 0, 0
	}
	host := end + 1
	for host < len(text) && host-end <= 253 && urlHost[text[host]] {
		host++
	}
	if host == end+1 || !isURLPassword(text[start:end]) || isExampleHost(text[end+1:host]) {
		return 0, 0
	}
	return start, end
}

// stars is what Mask puts in place of a secret.
const stars = "****"

// masked reports whether s is what Mask leaves of a secret.
func masked(s string) bool {
	kept, ok := strings.CutSuffix(s, stars)
	return ok && utf8.RuneCountInString(kept) <= keep
}
