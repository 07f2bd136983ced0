// Package words reads text for every comparison of words, numbers or claims. It knows
// nothing of boards, capsules or memories.
//
// # What is a word
//
// A word is a run of letters, marks and digits; a mark belongs to the letter before it.
// Case never counts. Accents count for Split alone, which people read or write in one way. An apostrophe between two letters is part of the word, an 's at its
// end is not; Split leaves both to its caller. Scripts that put no blanks between words
// (Han, kana, hangul, Thai, Lao, Khmer, Burmese) have no words for terms and lexemes:
// two neighbouring characters stand for one.
//
// An identifier is words that are held together: capturePane, capture_pane,
// kb/search.go:42, --dry-run, v1.2.3. It is found whole and by its parts.
//
// A number is what its digits or its words come to: 4,500,000, $4.5M and 4.5 million
// are one number, 15% and fifteen percent one percentage, 2:17 PM and 14:17 one time,
// March 23, 2026 and 2026-03-23 one date. With its unit it is one measure: 0.8 s and
// 800 ms, 90 minutes and 1.5 hours; the table of units is in measure.go. A number in a
// name (OH-2021-0109, v1.2) is part of the name.
//
// A negation is a word that turns round what comes after it: not, without, hardly,
// couldn't. Related has the words that a report may have in the place of another
// (senses.txt). What a text claims, and what contradicts it, is read in package claims.
//
// # Three readings
//
// Each reading answers another question. They share characters, number words, months,
// function words and negations, and none of them fits the others' question.
//
//	Split               which words are there? For counting and marking.
//	Analyzer.Terms      what finds this text in an index? Identifiers also whole; each term a stem.
//	Scanner.Scan        what must be there again? Words and numbers at their places, with keys
//	                    that are equal for all ways to write one thing.
//
// Terms are stemmed as English in ASCII letters, as Russian in those of Russian. A
// document that by its function words and letters is in another language with a stemmer
// (language.go) has that language's stems beside these, and TermsIn gives those of all
// that a question may be in.
//
// There are three stems for the same reason (see stem.go): terms are on the disk, what
// survives in a report is measured with Stem, and whole statements are compared by the
// narrowest, Base.
//
// Any text can be read, valid UTF-8 or not, in time that grows with its length alone.
// Tables of words are made when they are first needed, not when a process starts.
package words
