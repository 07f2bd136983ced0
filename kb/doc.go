// Package kb is the knowledge base: capsules of durable knowledge that agents write,
// and find again.
//
// A capsule has a title, a body, a kind, a scope, tags, a source and a confidence. Remember stores
// a capsule and refuses duplicates and secrets. Capsules that supersede each other are linked at
// both ends. Confirm raises the confidence of a capsule that a run has found again. Search finds
// capsules by words (BM25), by meaning (cosine of embeddings), or by both, in a process that asks
// one question or in a daemon. Calibrate measures from which evidence on a prompt may be answered
// unasked. testdata/score measures how good the answers are.
//
// # Files and rows
//
// Each capsule is a file, kb/capsules/<id>.md in the data home: YAML front matter, then
// the body. The file is authoritative. A SQLite file, kb/kb.sqlite3, mirrors all
// capsules and makes them searchable:
//
//	capsules, capsule_tags   content of the files, and usage: retrieval, decay
//	capsule_titles           titles normalised for comparison
//	sidecars                 state of the files when they were last read or written
//	events                   every change, with the revision before; append-only
//	decisions                pairs of capsules that somebody has decided on
//	ingested                 documents that were cut into capsules
//	thresholds               results of Calibrate, by model
//	upkeep                   time of the last sync
//	capsule_index_*          search index with embeddings (package kb/index), derived
//
// A change (change.go) is one transaction and the files that belong to it. Under the write lock,
// the files of new capsules are written together at its end, others at once, all atomically
// (temporary file, fsync, rename); then the rows are committed. If it fails, the files are
// restored. If the process dies in between, the files are ahead of the rows, and the Sync of the
// next process takes them as edits by hand; it writes files that are missing. The file of a
// superseding capsule comes before that of the superseded one, so that one file is enough for both
// ends of the link. An ingest first writes a list of its files (.pending); if it dies, those
// without a row are removed.
//
// # In a database
//
// In a knowledge base that many machines share (board/postgres) there are no files, and the rows
// are authoritative. The shared database takes the place of the data home. Everything else uses the
// same statements, in the SQL that both engines understand (board/store).
//
// testdata/score/README.md has what was measured: how well it finds, and how fast it is.
package kb
