// Package verify checks whether findings are in their sources. It compares findings
// with documents ([Source.Check]), and maps names of sources to files (files.go). [Run] does
// both for the findings of a [Board], and says which verdicts are new. It knows no database.
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
// this order and close to each other. A short omission must not contain a negation. Lines of a
// quote that do not stand together are quotes of their own, wherever each stands.
//
// A quote that is not found word for word is aligned with the passage that has most of
// its words (nearly.go). The difference is shown, and the finding counts as doubted.
//
// # What a finding says beside its quote
//
// A true quote does not make its finding true. So the sentences that are quoted are
// compared with the finding (package claims): another number, unit, currency, rate, bound,
// zone or name in the place of one of the finding's, exchanged figures and denials refute
// it. A quote that is cut out of a denial does, too (denied.go). Each number, date and
// identifier of the finding must be in the quote or in the source (said.go), and not in the
// place of one of the quote's. The
// quantities of programs have the units of their names and expressions (code.go). A value
// that is not there may still follow from the quote and its paragraph: package trace says
// so, and a number may be the total of the quote's row, or a share in it. What remains is
// said, and no doubt: the source says too little to tell.
//
// Where a quote stands is a courtesy. If it is not at its reference, a note says where.
//
// # Values
//
// A finding without a quote is checked by its values (values.go), as package claims reads them: each
// number, date, identifier and name must be somewhere in the source. The numbers of a calculation may
// also be in entries that are linked to it by "supports", or follow from such numbers
// by one step of arithmetic.
//
// # How good it is
//
// testdata/verify has quotes from real documents and findings about figures and programs.
// `go test ./board/verify -run 'Labels|Figures' -v` prints how many altered ones are found
// and how many true ones doubted.
//
// Small numbers are named least: 5 is somewhere in most sources, or is the sum of two
// numbers of the paragraph. A number word without a unit (eleven clinics) is not looked
// for, and a name only in the place of another one. About half of the wrong claims without a
// figure pass with any true quote.
//
// 100,000 entries, 10,000 of them with quotes, against 200 documents of 300 KiB take some
// 9 s on two cores (BenchmarkVerify in package board); a quarter of it is that the figures of
// the documents are read.
//
// Values are weaker, because a small number occurs somewhere in any long source.
// Without the quotes, 3 of 8 findings with a changed number are found, and 2 of 67 true
// ones are doubted because of a name.
package verify
