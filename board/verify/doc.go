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
// # What a finding says beside its quote
//
// A true quote does not make its finding true. So the sentences that are quoted are
// compared with the finding (package claims): another number, unit, currency, rate, bound,
// zone or name in the place of one of the finding's, exchanged figures and denials refute
// it. A quote that is cut out of a denial does, too (denied.go). Each number, date and
// identifier of the finding must be in the quote or in the source (said.go). The
// quantities of programs have the units of their names and expressions (code.go). A value
// that is not there may still follow from the quote and its paragraph: package trace says
// so, and a number may be the total of the quote's row, or a share in it. What remains is
// said, and no doubt: the source says too little to tell.
//
// Where a quote stands is a courtesy. If it is not at its reference, a note says where.
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
// A second set has 146 findings with true quotes over eight invented documents, written
// by the author of the rule (figures.json): 72 say a figure that their source lacks, 57
// are observations that say its figures in the same or another form, 17 are conclusions.
// The rule names 66 of 72 figures, three of them by a note, and doubts 2 of 57
// observations; 13 of 17 conclusions get a note. Of these, 46 findings were written after
// the rule and run once: 21 of 22 figures were named, and 5 of 21 observations doubted.
// Since then, totals of rows and ranges of dates are read.
//
// On the final boards of two runs of agents, with 471 quotes, 2 findings are doubted and
// 13 get a note. Their sources were not there, so what other entries say of a source stood
// for it. Both doubted findings look true: one calculates a date, the other has a
// percentage that is elsewhere on the board. `go test ./board/verify -run Figures -v`
// repeats the figures.
//
// A third set has 140 findings about 18 programs and settings (code.json), by writers who
// did not know the rule: 80 observations say in words what the code says in names and
// expressions (two minutes for TIMEOUT_MS = 120000), 60 say it wrongly. Without code.go 40
// figures are named and 52 of 80 observations doubted. With it, 44 and 8. Its second group
// was written after the rule and run once: 17 of 25 figures were named, 5 of 35
// observations doubted. Since then, <<< is read, and only what looks like a program: the
// first rule took units of words nearby in prose, too, so that 10 of 10 wrong units stood
// there; now 2 of 10 do, as without it. What needs two settings (a rate, retries times an
// interval), cron expressions and the length of a list are not understood.
//
// Small numbers are named least: 5 is somewhere in most sources, or is the sum of two
// numbers of the paragraph. A number word without a unit (eleven clinics) is not looked
// for, and a name never. A wrong claim without a figure passes with any true quote.
//
// A finding with a figure that its source lacks takes about a quarter of a millisecond of
// processor time, ten times as long as others. With 50,000 quotes of which each tenth has
// such a finding, 100,000 entries take 6.3 s on two cores, and 4.7 s without this rule.
//
// Values are weaker, because a small number occurs somewhere in any long source.
// Without the quotes, 3 of 8 findings with a changed number are found, and 2 of 67 true
// ones are doubted because of a name.
package verify
