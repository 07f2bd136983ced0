// Package verify checks whether findings are in their sources. It compares findings
// with documents ([Source.Check]) and maps names of sources to files ([Files]). It
// knows no database; package board says which findings a run has.
//
// # Quotes
//
// A source becomes a stream of characters without blanks, punctuation and markup, with
// the positions of its words (stream.go). A quote becomes a stream too, and is looked
// for from its rarest word (quote.go). So line breaks, hyphenation, quotation marks and
// emphasis make no difference. Every letter and digit counts, and so do signs that
// change the meaning: currency, percent, minus, <, +, !. Case counts, except for the
// first letter of a quote.
//
// An omission mark (… or [...]) leaves out a part. The remaining parts must follow in
// this order and close to each other. A short omission must not contain a negation.
//
// A quote that is not found word for word is aligned with the passage that has most of
// its words (nearly.go). The difference is shown, and the finding counts as doubted.
//
// # Values
//
// A finding without a quote is checked by its values (values.go): each number, date,
// identifier and name must be somewhere in the source. The numbers of a calculation may
// also be in entries that are linked to it by "supports", or follow from such numbers
// by one step of arithmetic.
//
// # How good it is
//
// The test set has 100 quotes from ten real documents, labelled by people who did not
// know the matcher (testdata/verify). All 33 altered quotes are found, and none of the
// 67 true ones is doubted. All 8 true ones with a wrong reference are reported as
// elsewhere. In a first run 6 true quotes were doubted, because a paragraph of HTML
// counted as its first line only. `go test ./board/verify -run Labels -v` repeats the
// figures with the same toolchain.
//
// Values are weaker, because a small number occurs somewhere in any long source.
// Without the quotes, 3 of 8 findings with a changed number are found, and 2 of 67 true
// ones are doubted because of a name.
package verify
