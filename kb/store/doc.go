// Package store owns a SQLite file whose rows have a search index: the files of kb,
// kb/memory and kb/chunks. That of kb may be in a PostgreSQL database instead: a DB. A
// Kind says what differs between them; all else is here, once.
//
//	store.go  opening, the index made anew when it is missing or corrupt, checks, salvage
//	embed.go  embeddings: of one text, of what has none yet, of another model
//	near.go   many searches by meaning one after the other, for plans that compare everything
//	rows.go   columns of rows, read and written by one list of fields
//	key.go    ids, keywords of the index's filters
//	document.go  an export as one JSON document, written and read record by record
//	wipe.go   what was deleted, out of the file's bytes
//
// The rows are the truth. The index is derived from them, and is rebuilt from them; embeddings are
// kept as far as they can be read. Every file is opened by board/sqlite, whose locks hold here too.
package store
