package secret

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// commandRule is what an option of a command gives.
var commandRule = &rule{ID: "command-password", entropy: -1}

// authHeader is what follows "Bearer" or "Basic".
var authHeader = &rule{ID: "authorization-header", entropy: 2}

// commandOption takes a password, glued to it or not; with user, behind a name and a colon.
type commandOption struct {
	option      string
	glued, user bool
}

// options looks at the options of a command at i, on at most eleven lines.
func options(text string, i, end int, add func(*rule, int, int)) {
	if end-i > 13 || !isLower(text[i]) && text[i] != '7' || i > 0 && text[i-1] == '.' {
		return
	}
	name := text[i:end]
	if name == "echo" || name == "printf" {
		piped(text, end, add)
	}
	rows := english().options[name]
	if len(rows) == 0 {
		return
	}
	line := text[end:min(len(text), end+2000)]
	for at, lines := 0, 0; at < len(line); at++ {
		if c := line[at]; c == '|' || c == '\n' && (at == 0 || line[at-1] != '\\' ||
			lines == 10) {
			line = line[:at]
		} else if c == '\n' {
			lines++
		}
	}
	for _, o := range rows {
		for at := 0; ; {
			n := strings.Index(line[at:], " "+o.option)
			if n < 0 {
				break
			}
			at += n + 1 + len(o.option)
			from := end + at
			switch {
			case at >= len(line):
				continue
			case o.user:
				addUser(text, end+at, add)
				continue
			case !o.glued && line[at] != ' ':
				continue
			case !o.glued:
				from++
			}
			addOption(text, from, name, o.glued, add)
		}
	}
}

// piped adds what a line gives to a command that reads a password.
func piped(text string, end int, add func(*rule, int, int)) {
	line, _, _ := strings.Cut(text[end:min(len(text), end+300)], "\n")
	value, command, ok := strings.Cut(line, "|")
	if !ok || !containsAny(command, "sudo -S", "--password-stdin", "--with-token", "chpasswd") {
		return
	}
	value = strings.TrimRight(value, " ")
	from, to, _ := valueAt(text, end+strings.LastIndexByte(value, ' ')+1)
	if v := text[from:to]; v != "" && v[0] != '$' && !masked(v) {
		add(commandRule, from, to)
	}
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func addUser(text string, i int, add func(*rule, int, int)) {
	for i < len(text) && (text[i] == ' ' || text[i] == '=') {
		i++
	}
	from, to, _ := valueAt(text, i)
	if name, pw, ok := strings.Cut(text[from:to], "%"); ok && !strings.Contains(name, ":") &&
		classify(pw) > noSecret {
		add(curlUser, from, to)
		return
	}
	if isUser(text[from:to]) {
		add(curlUser, from, to)
	}
}

// addOption adds an option's value, unless it is a variable, another option, or prose.
func addOption(text string, i int, command string, glued bool, add func(*rule, int, int)) {
	if i >= len(text) || space[text[i]] {
		return
	}
	from, to, quoted := valueAt(text, i)
	v := text[from:to]
	if v == "" || strings.ContainsAny(v, "<>{}[]`") || strings.IndexByte("$-%(/",
		v[0]) >= 0 || masked(v) {
		return
	}
	if quoted && strings.Contains(v, " ") && len(v) >= 6 {
		add(commandRule, from, to)
		return
	}
	if quoted {
		v = strings.NewReplacer(",", "!", ";", "!", ":", "!").Replace(v)
	}
	c := classify(v)
	next := strings.Fields(text[to:min(len(text), to+40)])
	runs := command == "sshpass" && len(next) > 0 && oneOf(" ssh scp rsync sftp ssh-copy-id ",
		next[0])
	if c >= structured || c == plainWord && len(v) >= 5 && (quoted || runs || glued &&
		len(next) > 0 && isCommandTail(next[0])) {
		add(commandRule, from, to)
	}
}

func isCommandTail(w string) bool { return strings.IndexByte("-<>|&", w[0]) >= 0 }

// isScheme reports whether a word is a scheme of an Authorization header, in any case.
func isScheme(w string) bool {
	return len(w) <= len("bearer") && (strings.EqualFold(w, "bearer") || strings.EqualFold(w, "basic") ||
		strings.EqualFold(w, "token"))
}

func inHeader(text string, i int) bool {
	const name = "authorization:"
	before := strings.TrimRight(text[max(0, i-2*len(name)):i], " \t")
	at := len(before) - len(name)
	return at >= 0 && strings.EqualFold(before[at:], name)
}

// authorization looks at what follows "Basic" and "Bearer", or any scheme in its header.
func authorization(text string, end int, scheme string, add func(*rule, int, int)) {
	from := end + 1
	to := from
	for to < len(text) && headerValue[text[to]] {
		to++
	}
	v := strings.TrimRight(text[min(from, len(text)):to], ".")
	to = from + len(v)
	if len(v) < 8 || text[end] != ' ' {
		return
	}
	if scheme == "" && entropy(v) > 2.5 && !wordy(v) && strings.ContainsAny(v, "0123456789+/") ||
		scheme == "Basic" && isBasic(v) || scheme == "Bearer" && len(v) >= 16 && entropy(v) > 3 &&
		strings.ContainsAny(v, "0123456789") && !wordy(v) {
		add(authHeader, from, to)
	}
}

// isBasic reports whether a value is a user and a password as Base64.
func isBasic(v string) bool {
	b, err := base64.StdEncoding.DecodeString(v)
	if err != nil {
		b, err = base64.RawStdEncoding.DecodeString(v)
	}
	user, pw, ok := strings.Cut(string(b), ":")
	return err == nil && ok && utf8.Valid(b) && len(user) > 1 && len(pw) > 3 &&
		classify(pw) >= plainWord
}
