// Package index is a search index over documents, in tables of a SQLite file or of a database that
// understands the same SQL. It searches by words, by meaning, and by keywords as filters. It knows
// nothing about what the documents are. The owner of the file puts and deletes documents in its own
// transactions, so the index is always up to date, and many processes may use it at once.
//
// # Words
//
// A document has texts with weights, one for each field. Package words splits them into terms. The
// index stores each term's weighted frequency in a document, and the document's weighted length, in
// a byte each. A search computes BM25F over the posting lists of its terms, with the totals of that
// moment; function words have a low weight, however few documents have them. A score depends only
// on the content of the index, not on when a document was added or how it is stored.
//
// A document in one of words.Languages also has the stems of its language, and a keyword for the
// language. If such documents exist, a query also searches for the stems of its words in the
// languages that it may be in. For documents of these languages the stems replace the terms. If the
// query is too short to tell its language, stems have the weight of an expansion.
//
// New documents are in the tail, as whole records. Some hundred of them become a segment: posting
// lists by term, sorted, in blocks of a few kilobytes, each block a row. Eight segments of similar
// size are merged, up to 65,536 documents, so a document is written three or four times in its
// life. Deleted and replaced documents are marked dead and removed by the next merge. Sealing and
// merging are part of the write that makes them necessary.
//
// # Meaning
//
// A document may have a vector, or one for each of its parts: the nearest one counts. The
// signs of their sum (of the numbers themselves or, if these are few, of random
// projections) make a code of at least 384 bits. A search compares the codes, and then the
// vectors of the 400 documents with the nearest codes (1,000 in a small index).
//
// # Damage
//
// Bytes from the file are validated as they are read. Invalid ones return ErrCorrupt;
// Reset, and putting all documents again, repairs the index.
package index
