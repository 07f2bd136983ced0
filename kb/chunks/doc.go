// Package chunks is a project's context store. It holds chunks, which are texts that
// agents write once and find by search, and state, which is values under keys. It does
// what agent-memory-store does, a program for Node.js, with the same names, defaults,
// limits and answers. An agent that was told how to use that program can use this one.
//
// A store is a directory. Store has the seven operations: Search, Write, Read, List, Delete, State,
// SetState. The functions of text.go return the answers of the tools with the same names. Where a
// tool answers with a text for an error, that text is the error's message.
//
// # Files
//
// board.sqlite3 in the store's directory, and the files that SQLite keeps beside it:
//
//	chunks          the chunks
//	state           values under keys
//	deleted         imported chunks that were deleted since
//	meta            the result of the last import
//	chunk_index_*   the search index (package kb/index) over the chunks, with the
//	                embeddings; derived from the chunks
//
// # The other program's files
//
// The first use of a directory imports the files of the other program: its store.db or,
// if that is missing or empty, the folders chunks and state of earlier versions. The
// import is one transaction; other callers wait for it. It reads a copy of the files and
// never changes them. Later changes to them are imported by Import, on request.
//
// # Expiry
//
// No answer has a chunk that has expired. Its row is deleted when the store is next
// opened or written to.
package chunks
