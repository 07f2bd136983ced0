// Package words reads text for every comparison of words. It knows
// nothing of boards, capsules or memories.
//
// # What is a word
//
// A word is a run of letters, marks and digits; a mark belongs to the letter before it.
// Case never counts. Accents count for Split alone, which people read or write in one way.
// An apostrophe between two letters is part of the word, an 's at its end is not; Split
// leaves both to its caller. Scripts that put no blanks between words (Han, kana, hangul,
// Thai, Lao, Khmer, Burmese) have no words for terms: two neighbouring characters stand
// for one.
//
// An identifier is words that are held together: capturePane, capture_pane,
// kb/search.go:42, --dry-run, v1.2.3. It is found whole and by its parts.
//
// A negation is a word that turns round what comes after it: not, without, hardly,
// couldn't. Related has the words that a report may have in the place of another
// (senses.txt). What a text claims, its figures and what contradicts it are read in package claims.
//
// # Two readings
//
// Each reading answers another question. They share characters and function words.
//
//	Split               which words are there? For counting and marking.
//	Analyzer.Terms      what finds this text in an index? Identifiers also whole; each term a stem.
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
