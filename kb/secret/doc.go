// Package secret finds and masks what looks like a secret: an API key, a token, a private
// key, a password in a URL. Durable knowledge and logs outlive the reason why somebody
// had the secret in a terminal.
//
//	for _, f := range secret.Find(body) {
//		fmt.Printf("%d:%d: %s\n", f.Line, f.Column, f.Description)
//	}
//	log.Print(secret.Redact(command))
//
// testdata/secrets, a module of its own, holds the tables against the rules of gitleaks
// and names where they differ.
//
// A text here is prose rather than a repository. So a commit, a checksum or a UUID is no secret
// unless its name says so, nor is a value that is a word of prose: what a word announces has
// digits, signs, capitals within, or three parts and more. Where no word announces it, three things
// have to come together: what the value looks like, a word that gives it ("takes", "reset to",
// "gets you in") and what it opens (a login, a door); words such as "version" before it, or "such
// as" around it, speak against. Nothing in a text can wave it through. The checksums that some
// tokens end with are not verified: a token with a slip is better found than kept.
//
// # What it costs
//
// Nothing is done before the first Find; that reads the tables. Time is linear in the
// text. All functions are safe for concurrent use and never panic.
package secret
