// Package secret finds and masks what looks like a secret: an API key, a token, a private
// key, a password in a URL. Durable knowledge and logs outlive the reason why somebody
// had the secret in a terminal.
//
//	for _, f := range secret.Find(body) {
//		fmt.Printf("%d:%d: %s\n", f.Line, f.Column, f.Description)
//	}
//	log.Print(secret.Redact(command))
//
// # Files
//
//	shapes.txt  the prefixes, alphabets and lengths of tokens, as facts
//	shapes.go   what reads and matches them
//	scan.go     Find's pass over a text for tokens and operators; private keys
//	named.go    values that only their name makes a secret; passwords in URLs; what looks like a secret and is none
//	grammar.txt words that announce a secret, in English and German, the sentences in which they
//	grammar.go  do: "the password is …", and what spoken.go reads; what reads and matches them
//	announce.go from a word in a text to the value that it announces
//	judge.go    whether a value is one, by what announces it
//	spoken.go   values that stand out where no word announces them: "bluecheese42 gets you in"
//	outstanding.go how much a value looks made up to keep others out
//	entered.go turns of a dial, numbers in words, recovery codes; .pgpass
//	answer.go  names that answer a security question
//	sentence.go whether the words around a value give it, and speak of getting in
//	command.go  options of commands; what follows "Bearer" and "Basic"
//	value.go    how much a value looks like a secret by itself
//	merge.go    overlapping matches become one finding
//	mask.go     Mask for people, Redact for logs
//	writing.go  masks for stores, which tell what they masked
//	places.go   what its name or place makes a password, whatever it looks like: only Redact takes that much
//
// testdata/secrets, a module of its own, holds the tables against the rules of gitleaks
// and names where they differ.
//
// A text here is prose rather than a repository. So a commit, a checksum or a UUID is no
// secret unless its name says so, nor is a value that is a word of prose: what a word
// announces has digits, signs, capitals within, or three parts and more. Where no word
// announces it, three things have to come together: what the value looks like, a word that
// gives it ("takes", "reset to", "gets you in") and what it opens (a login, a door); words such
// as "version" before it, or "such as" around it, speak against. Nothing in a text can wave it
// through. The checksums that some tokens end with are not verified: a
// token with a slip is better found than kept.
//
// # What it costs
//
// Nothing is done before the first Find; that reads the tables. Time is linear in the
// text. All functions are safe for concurrent use and never panic.
package secret
