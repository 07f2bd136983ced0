// Package verify says whether findings stand in their sources. It compares findings
// with documents ([Source.Check]) and maps the names of sources to files ([Files]). It
// knows no database; which findings a run has, package board says.
//
// # Quotes
//
// A source becomes a stream of characters without blanks, punctuation and markup, with
// the places where its words begin (stream.go). A quote becomes one too, and is looked
// for from its rarest word (quote.go). So a quote is found however its lines are
// broken, its words are hyphenated, and its quotation marks and emphasis are written.
// Every letter and digit counts, and so do signs that change what is said: currency,
// percent, minus, <, +, !. Upper and lower case count, but for the first letter of a
// quote.
//
// An omission mark (… or [...]) lets a part out: the parts must stand in this order,
// close to each other, and what is left out must not be a few words with a negation
// among them.
//
// What is not found word for word is aligned with the passage that has most of its
// words (nearly.go); the difference is what a person has to look at. A quote that
// nearly stands in its source counts as doubted.
//
// # Values
//
// A finding without a quote is held against its source by its values (values.go): each
// of its numbers, dates, identifiers and names must stand somewhere in the source. The
// numbers of a calculation may also stand in the entries that it is linked to by
// "supports", or follow from numbers that do, by one step of arithmetic.
//
// # How good it is
//
// Of 100 quotes of ten real documents, labelled without knowing the matcher
// (testdata/verify), all 33 altered ones are found out and none of the 67 true ones is
// doubted; of the 8 true ones with a wrong reference that is said. At first 6 true ones
// were doubted, as a paragraph of HTML counted as its first line alone. `go test
// ./board/verify -run Labels -v` repeats the figures where the toolchain is the same.
//
// Values are weaker: in a long source a small number stands somewhere. Of the findings
// of the same set without their quotes, 3 of 8 with a changed number are found out, and
// 2 of 67 true ones are doubted, for a name.
package verify
