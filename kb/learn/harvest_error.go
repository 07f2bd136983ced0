package learn

import (
	"strings"

	"blackboard/board/lazyregexp"
)

// This file finds the error line in a command's output, and compares two error lines.

var (
	errorWords = lazyregexp.New(
		`(?i)\berror\b|error:|\w(Error|Exception)\b|fatal|panic:|undefined|undeclared|cannot|can't|could ?n[o']t|unable to|not found|no such|denied|refused|unknown|missing|timed out|unexpected|invalid|unresolved|conflict|declared and not used`)
	noError   = lazyregexp.New(`(?i)\b(0|no) errors?\b|^\s*Traceback|^exit (code|status)|^Exit Code`)
	dullError = lazyregexp.New(
		`(?i)^(FAIL(ED)?|errors?|failed|(process )?(exit(ed)?|failed)( with)?( status| code)*:? ?-?\d*|command failed.*|make(\[\d+\])?: .*Error \d+|npm ERR! code \w+|the command failed)[.:]?$`)
)

// errorLine returns the error line of an output: the first that looks like an error,
// because later ones often follow from it; or else the last line.
func errorLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		line = oneLine(ansi.ReplaceAllString(firstBytes(line, 2000), ""), 300)
		if line == "" || dullError.MatchString(line) || noError.MatchString(line) {
			continue
		}
		if errorWords.MatchString(line) {
			return line
		}
		last = line
	}
	return last
}

var (
	tempPath   = lazyregexp.New(`(/private)?(/var/folders|/var/tmp|/tmp)/[^\s'":;,)]*`)
	hashLike   = lazyregexp.New(`\b(0x)?[0-9a-fA-F]*\d[0-9a-fA-F]*\b`)
	numberLike = lazyregexp.New(`\d+`)
)

// vague replaces what differs from one time to the next, so that the same error or
// command is known again: temporary paths, hashes, numbers.
func vague(s string) string {
	s = tempPath.ReplaceAllString(s, "TMP")
	s = hashLike.ReplaceAllStringFunc(s, func(h string) string {
		if len(h) >= 7 {
			return "N"
		}
		return h
	})
	return strings.Join(strings.Fields(numberLike.ReplaceAllString(s, "N")), " ")
}
