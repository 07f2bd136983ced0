// Package secret finds what looks like a secret in a text that is about to be kept: an API key, a token, a private key, a password
// in a URL. Durable knowledge and logs outlive the reason why somebody had the secret in a terminal.
//
//	for _, f := range secret.Find(body) {
//		fmt.Printf("%d:%d: %s\n", f.Line, f.Column, f.Description)
//	}
//	log.Print(secret.Mask(command))
//
// # Rules
//
// The rules are those of gitleaks: the TOML that its config package embeds, read at run time with our own matcher. Its detector would
// bring libraries for archives and git as well, and compiles all the rules before it looks at the first byte (45 ms).
// ours.toml adds, in the same format, what those rules leave out.
//
//	keywords.go   which rules come into question: one pass over the text
//	match.go      a rule's regexp, group, entropy and allowlists
//	ours.go       what we judge differently, because a text here is prose rather than a repository
//	merge.go      overlapping matches become one finding
//	mask.go       Mask
//
// A text has no path. So rules that are meant for certain files do not apply, as with gitleaks on its standard input, nor do allowlists
// by path or commit. A comment "gitleaks:allow" has no effect either: a text must not be able to wave itself through.
//
// # What it costs
//
// Nothing is read or compiled before the first Find: that reads the TOML (1 to 2 ms), and each rule is compiled when one of its
// keywords first occurs. But what gitleaks' config package imports has inits of its own, about 0.4 ms of every start.
// Time is linear in the text: 3 µs per KB without a keyword, 0.3 ms per KB where there is talk of keys and tokens.
// All functions are safe for concurrent use and never panic.
package secret
