// Package kb is the knowledge base: capsules of durable knowledge that agents write,
// and find again.
//
// A capsule has a title, a body, a kind, a scope, tags, a source and a confidence.
// Remember stores a capsule and refuses duplicates and secrets. Capsules that supersede
// each other are linked at both ends. Confirm raises the confidence of a capsule that a
// run has found again. Search finds capsules by words (BM25), by meaning (cosine of
// embeddings), or by both, in a process that asks one question or in a daemon.
// Calibrate measures from which evidence on a prompt may be answered unasked.
// testdata/score measures how good the answers are.
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
// A change (change.go) is one transaction and the files that belong to it. Under the
// write lock, the files are written atomically (temporary file, fsync, rename), then
// the rows, then both are committed. If the change fails, the files are restored. If
// the process dies in between, the files are ahead of the rows, and the Sync (sync.go)
// of the next process completes the change, as if the files had been edited by hand. A
// superseding capsule is written before the superseded one, so that one file is enough
// to restore both ends of the link. An ingest replaces many files at once, so it first
// writes a list of them (.pending); if it dies, the listed files without a row are
// removed.
//
// An edit of a file by hand is picked up before its capsule is changed. A file that
// cannot be read is copied to kb/quarantine before it is overwritten. A missing file
// retires its capsule only in a sync, and only if few files are missing.
//
// # In a database
//
// In a knowledge base that many machines share (board/postgres) there are no files, and
// the rows are authoritative. The shared database takes the place of the data home.
// Everything else uses the same statements, in the SQL that both engines understand
// (board/store).
//
// # The files of this package, in reading order
//
//	capsule.go sidecar.go errors.go   what a capsule is, its file, errors
//	kb.go                             opening; rows and documents of the index
//	change.go change_files.go         one change: transaction and files
//	sync*.go leftovers.go             picking up edits of files, quarantine
//	remember.go edit.go confirm.go    storing, editing, history, confirming
//	search.go hits.go list.go         finding
//	ingest.go import.go               documents, and what kb/importers has read
//	copy.go                           other knowledge bases
//	curate.go contradict.go           duplicates, decay, contradictions
//	calibrate.go doctor.go            measuring, checking, rebuilding
//
// Packages around it: kb/home finds the project of a directory, kb/markdown cuts
// documents, kb/learn reads what runs have learned, kb/brief writes prompts,
// kb/importers reads other formats.
//
// testdata/score/README.md has what was measured: how well it finds, and how fast it is.
package kb
