package learn

import (
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/lazyregexp"
)

// This file reads command lines, as far as it takes to know that two of them are forms
// of one, and which of them say nothing because everybody runs them. It is no parser of
// a shell: a part that is misread costs a candidate, no more.

var (
	separators = lazyregexp.New(`&&|\|\||[;\n]`)
	pipes      = lazyregexp.New(`\|&?`)
	assignment = lazyregexp.New(`^[A-Za-z_]\w*=`)
	redirect   = lazyregexp.New(`^\d*[<>]`)
	inline     = lazyregexp.New(`<<| -c |\s-e\s`)
	// verbs of doing: what they do may be why another command passes now
	setup = strings.Fields(`install i add get tidy sync update upgrade generate migrate init up
		start restart pull checkout merge rebase clean build chmod chown mkdir ln rm mv cp kill
		login enable apply reset`)
	// programs that are run everywhere, and say nothing of this project
	trivial = strings.Fields(`ls cd cat pwd echo printf grep rg egrep find fd head tail less more wc which type true false sleep date whoami env printenv export history clear tree
		stat file du df ps awk sed test [ mkdir rm cp mv touch sort uniq cut tr tee diff xargs jq yes man help id uname hostname set source . command basename dirname realpath exit return :`)
	trivialGit = strings.Fields(
		`status log diff show branch add commit stash rev-parse blame remote fetch ls-files grep reflog describe config tag switch checkout restore`)
	wrappers = strings.Fields(`sudo time env nice nohup exec command timeout`)
	// what the program is told by the word after these: "npm run test", "python -m
	// pytest"
	goesOn = strings.Fields(`run exec -m compose tool x r`)
)

// mainPart returns the first part of a command line that is not trivial, without
// assignments and redirections; "" if there is none.
func mainPart(command string) string {
	if inline.MatchString(command) {
		command = strings.TrimSpace(separators.Split(shown(command), 2)[0])
		if words := argWords(command); len(words) == 0 ||
			slices.Contains(trivial, program(words[0])) {
			return ""
		}
		return command
	}
	for _, part := range separators.Split(command, 40) {
		for _, p := range pipes.Split(part, 10) {
			words := argWords(p)
			if len(words) == 0 || slices.Contains(trivial, program(words[0])) ||
				program(words[0]) == "git" && len(words) > 1 &&
					slices.Contains(trivialGit, words[1]) ||
				program(words[0]) == "board" {
				continue
			}
			return strings.TrimSpace(p)
		}
	}
	return ""
}

// setsUp says whether a command may change what another one finds: one of its first
// words is a verb of doing. What git stages changes nothing.
func setsUp(command string) bool {
	for _, part := range separators.Split(command, 40) {
		words := argWords(part)
		if len(words) == 0 || len(words) > 1 && program(words[0]) == "git" && words[1] == "add" {
			continue
		}
		for _, w := range words[:min(3, len(words))] {
			if slices.Contains(setup, w) {
				return true
			}
		}
	}
	return false
}

var cdPrefix = lazyregexp.New(`^\s*cd [^&;|]+(&&|;)\s*`)

// argWords are the words of a simple command without assignments, wrappers and
// redirections, so that the first one is the program.
func argWords(s string) []string {
	words := strings.Fields(s)
	for len(words) > 0 {
		switch w := strings.Trim(words[0], `"'`); {
		case assignment.MatchString(w), w == "(", w == "{", w == "!",
			w == "if", w == "then", w == "do":
		case slices.Contains(wrappers, w):
			if w == "timeout" && len(words) > 1 {
				words = words[1:]
			}
		default:
			return slices.DeleteFunc(words, func(w string) bool {
				return redirect.MatchString(w) ||
					w == "&" || w == "&>"
			})
		}
		words = words[1:]
	}
	return nil
}

// program returns the program of a word, without its directory and version (python for
// python3.11), because these differ between machines.
func program(word string) string {
	name := filepath.Base(strings.Trim(word, `"'()`))
	if t := strings.TrimRight(name, "0123456789."); t != "" && len(t) > 1 {
		name = t
	}
	return name
}

// familyOf returns what two forms of a command share: the program and its first two
// arguments that are not flags. The form that passes often differs in its flags.
func familyOf(command string) string {
	main := mainPart(command)
	if main == "" || inline.MatchString(command) {
		return vague(main)
	}
	words := argWords(main)
	key, args := program(words[0]), 0
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") && !slices.Contains(goesOn, w) {
			continue
		}
		key += " " + vague(w)
		if slices.Contains(goesOn, w) {
			continue
		}
		if args++; args == 2 {
			break
		}
	}
	return key
}

// shown is a command without the change of directory before it: agents put one before
// every command, or none.
func shown(command string) string { return cdPrefix.ReplaceAllString(command, "") }
