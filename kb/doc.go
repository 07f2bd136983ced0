// Package kb is the knowledge base: capsules of durable knowledge that agents write, and find again.
//
// A capsule has a title and a body, a kind, a scope, tags, a source and a confidence. Remember stores one and refuses what is there already; what it
// supersedes is linked both ways. Search finds capsules by words (BM25) and by meaning (cosine of embeddings), or by both, with one method whether the
// process lives for one question or for a year. Eval measures how well, Calibrate from when on a prompt may be answered unasked.
//
// One SQLite file holds it all, kb/kb.sqlite3 in the data home:
//
//	capsules, capsule_tags   the capsules
//	thresholds               what Calibrate measured, per model
//	capsule_index_*          the search index (package kb/index), derived from the above, with the embeddings
package kb
