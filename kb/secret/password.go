package secret

import "strings"

// password is what stands where a password is given: "password: …", "DB_PASSWORD=…".
var password = &rule{ID: "password", entropy: 2.5}

// passwordNames are the ends of the names of passwords.
var passwordNames = []string{"password", "passwd", "passphrase", "pwd", "_pass"}

// notPasswords are in placeholders, templates, code and addresses, in lower case.
var notPasswords = []string{
	"pass", "secret", "example", "changeme", "change-me", "change_me", "your", "placeholder",
	"redacted", "dummy", "sample", "vault", "xxxx", "****", "...", "…", "«", "://",
	"(", ")", "<", ">", "{", "}", "[", "]", `\`,
}

// passwordAt returns the password that follows the operator at i, or zeros. Whatever has
// such a name counts, if it looks like a password: at least three kinds of characters,
// among them a digit, and no words.
func passwordAt(text string, i int) (start, end int) {
	if c := text[i]; c != ':' && c != '=' {
		return 0, 0
	}
	from := i
	for n := 0; n < 3 && from > 0 && beforeOp[text[from-1]]; n++ {
		from--
	}
	name := strings.ToLower(text[max(0, from-len("passphrase")):from])
	if !hasSuffix(name, passwordNames...) {
		return 0, 0
	}
	start = i + 1
	for start < len(text) && start < i+4 && strings.IndexByte(" \t=>", text[start]) >= 0 {
		start++
	}
	stops := " \t\r\n\v\f\"'`"
	if start < len(text) && strings.IndexByte("\"'`", text[start]) >= 0 {
		stops, start = "\r\n"+text[start:start+1], start+1
	}
	if in := strings.LastIndexAny(text[:i], " \t\r\n?&"); in >= 0 && text[in] != ' ' &&
		strings.IndexByte("?&", text[in]) >= 0 {
		stops += "&#" // a parameter of a URL
	}
	end = start
	for end < len(text) && end-start <= 100 && strings.IndexByte(stops, text[end]) < 0 {
		end++
	}
	if value := strings.TrimRight(text[start:end], ".,;:"); passwordLike(value) {
		return start, start + len(value)
	}
	return 0, 0
}

func hasSuffix(s string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// passwordLike reports whether a value looks like a password.
func passwordLike(s string) bool {
	if len(s) < 8 || len(s) > 100 || strings.IndexByte("$%/~#@*&=", s[0]) >= 0 ||
		strings.ContainsAny(s, " \t") || containsAny(strings.ToLower(s), notPasswords...) ||
		noPassword().MatchString(s) {
		return false
	}
	var lower, upper, digit, symbol int
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digit = 1
		case isUpper(c):
			upper = 1
		case isLetter(c):
			lower = 1
		case c >= 0x80:
			return false
		case strings.IndexByte("!@#$%^&*+=?~|", c) >= 0:
			symbol = 1
		}
	}
	return digit == 1 && lower+upper+digit+symbol >= 3 && (symbol == 1 || !wordy(s))
}
