// Package kb is the knowledge base: capsules of durable knowledge that agents write, and find again.
//
// A capsule has a title and a body, a kind, a scope, tags, a source and a confidence. Remember stores one and refuses what is there already, or looks like a secret; what it
// supersedes is linked both ways. What a run has learned again is confirmed. Search finds capsules by words (BM25) and by meaning (cosine of embeddings), or by both, with one method whether the
// process lives for one question or for a year. Package kb/eval measures how well, Calibrate from when on a prompt may be answered unasked.
//
// # Files and rows
//
// Each capsule is a file, kb/capsules/<id>.md in the data home: YAML front matter, then the body. The file is the truth. One SQLite file, kb/kb.sqlite3, mirrors all of them and
// makes them searchable:
//
//	capsules, capsule_tags   what the files say, and how it is used: when retrieved, how far decayed
//	capsule_titles           the titles as they are compared: in one Unicode form, without case
//	sidecars                 the files as they were when last read or written
//	events                   everything that was ever done to a capsule, with the capsule as it was before; never changed, never rebuilt
//	decisions                pairs of capsules that somebody has decided on
//	ingested                 documents that were cut into capsules
//	thresholds               what Calibrate measured, per model
//	upkeep                   when the files were last looked at
//	capsule_index_*          the search index (package kb/index), derived from the capsules, with the embeddings
//
// A change (change.go) is one transaction and the files that go with it: in the writers' turn the files are written whole (temporary file, fsync, rename), then the rows, then all is
// committed. If the change fails, the files are put back. If the process dies in between, the files are ahead of the rows, and the next Sync (sync.go), at opening, finishes the change
// from them: that is the same as an edit by hand. What a capsule supersedes is written before what is superseded, so one file is enough to tell both ends of a link. An ingest, which
// swaps many files at once, first writes a list of them (.pending): those of it without a row are what it has left if it dies, and are removed.
//
// A file that somebody edits is picked up before anything is done to its capsule, and what cannot be picked up is copied to kb/quarantine before it is written over. A file that is
// gone retires its capsule only if a sync finds it so, and only if few are gone.
//
// # The files of this package
//
//	capsule.go sidecar.go                    what a capsule is, and its file
//	kb.go change*.go sync*.go quarantine.go  opening, changing, picking up what files say
//	remember.go edit.go secrets.go           storing, editing, retiring, history, restoring
//	search.go snippet.go expanded.go list.go finding
//	ingest*.go chunk.go                      documents
//	curate.go decay.go contradict.go         duplicates, decay, contradictions
//	learn.go confirm.go brief.go             what runs have learned (read by package kb/learn), and briefs for the next
//	import.go                                what package kb/importers has read
//	calibrate.go doctor.go                   measuring, looking for what is broken
//	rebuild.go                               making the mirror anew
package kb
