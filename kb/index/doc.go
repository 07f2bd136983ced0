// Package index is a search index over documents, kept in tables of a SQLite file, or of
// a database that speaks its SQL: by words, by meaning, and by keywords as filters. It
// knows nothing of what the documents are. Whoever owns the file puts and deletes
// documents in its own transactions, so the index is never behind, and many processes may
// use it at once.
//
// # Words
//
// A document has texts with weights, one for each field. Package words makes terms of
// them; what is stored of a term in a document is its weighted frequency, and of the
// document its weighted length, a byte each. A search adds up BM25F over the posting
// lists of its terms, with totals as they are at that moment; function words weigh
// little, however few documents have them. So a score depends on what the index holds,
// never on when a document came or how it was stored.
//
// A document in one of words.Languages has its language's stems too, and a keyword that
// says so. If there are such documents, a query asks for the stems of its words in the
// languages that it may be in: for a document of these they take the place of the word's
// own term. Of a query that says too little to tell, stems alone weigh as an expansion
// does.
//
// A query may ask to expand terms that no document has: to those that one is a beginning
// of, then those that differ by a letter, then by two, then in the ending alone. The
// closest stand for it, at a discount. The dictionary is what the blocks hold; the terms
// with a first letter are read when first needed, and kept.
//
// New documents wait in the tail, whole. When some hundred have gathered, they become a
// segment: posting lists by term, sorted, in blocks of a few kilobytes, each block a row.
// Eight segments of a size become one, up to 65,536 documents, so a document is written
// again three or four times in its life. What is deleted or replaced is marked dead and
// leaves with the next merge. Sealing and merging are part of the write that makes them
// due.
//
// # Meaning
//
// A document may have a vector. Its signs (of the numbers themselves, or of random
// projections if there are few) make a code of 384 bits or more. A search compares codes,
// and the documents with the 400 nearest (of a small index, 1,000) exactly.
//
// # Trust
//
// Bytes from the file are checked as they are read; what makes no sense is ErrCorrupt,
// and Reset with the documents put again cures it.
package index
