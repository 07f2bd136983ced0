// Package trace says what supports each fact of a report: entries of a board, figures
// of entries from which it follows, only a source, or nothing ([Check]). It knows no
// database; package board says which records a board has.
//
// Package claims reads a report, its records and its sources: statements with their figures,
// names and identifiers. Those of the report are its facts (facts.go, quantity.go).
// What the facts are looked for by goes into an index (index.go). Scanners read all
// records once and keep only the best records of each fact (scan.go). Then each fact is
// judged (judge.go). The nearest records are read again (second.go). For the rest, trace tries
// calculations with the figures of these (derive.go, operands.go, calculate.go), and sources.
// So memory grows with the report, not with the board.
//
// # What supports a fact
//
// A figure needs the same value in the same unit, or a more exact one that rounds to
// it, in a record that shares words with the figure's sentence. The number of words
// depends on how rare the figure is and on how many records have it. If the record has
// the figure right behind another name than the sentence, the figure belongs to
// something else. A name, an identifier or a quote needs the same words in the same
// order; the words of a name may also be apart in one record.
//
// A figure is derived if it is a sum, difference, product, share, rate, change or time
// between two figures. These figures must be supported around it in the report, or be
// in one or two records that share words with it. They may also be in another passage
// of the report that shares a rare word with its sentence, or in other rows of its
// column. Its sentence must say that it calculates (in total, more, per, left), stand in a
// table, or have another figure; and counts are added only if they may be of one thing: 2
// partners and 3 retries are not 5. A date or a time is derived if it is such a period
// before or after another. Two figures of different records make no percentage, because any
// percentage is the share of something in something, unless the sentence says of what (13 % of
// revenue) or from where (6.5 % down from $38,420).
//
// A report's own title and reference, abbreviations that it explains, and what it advises are no
// facts that a record has to have.
//
// At last package claims weighs the statements by the nearest records: a
// sentence that a record has word for word is supported, a figure that it finds of the same
// thing is, and one that it finds with another unit, currency, sign or period is not. A
// sentence of which a record says the opposite is a fact of its own, which is contradicted.
//
// # How good it is
//
// testdata/trace has 25 reports, written and labelled by people who had not seen the code.
// `go test ./board/trace -run 'Labels|Invented' -v` prints how many inserted facts are
// named and how many supported ones doubted, for each group.
//
// Of a report of 300 pages against 100,000 entries, reading the entries takes most of the time. Two
// processors do it at once.
package trace
