package secret

import "unicode/utf8"

// Finding is a place that looks like a secret.
type Finding struct {
	Rule         string // the rule's id, such as "aws-access-token"
	Description  string // what kind of secret it is, in a few words
	Line, Column int    // where it begins, from 1; the column in runes
	Start, End   int    // bytes of the secret itself in the text
}

// Find returns what looks like a secret in text, by Start and without overlaps. A secret over
// several lines, such as a private key, is one finding. The text need not be valid UTF-8.
func Find(text string) []Finding {
	found := scan(text)
	out := make([]Finding, 0, len(found))
	line, column, at := 1, 1, 0
	for _, s := range merge(found) {
		// forward only, so that many findings on a long line cost no more than one
		for at < s.start {
			_, size := utf8.DecodeRuneInString(text[at:])
			if column++; text[at] == '\n' {
				line, column = line+1, 1
			}
			at += size
		}
		out = append(out, Finding{s.rule.ID, s.rule.describe(), line, column, s.start, s.end})
	}
	return out
}
