// Package chunks is a project's store of context: chunks of text that agents write once
// and find again by search, and state, which is values under keys. It does what
// agent-memory-store does, a program for Node.js, under the same names, with the same
// defaults, ranges and answers, so that an agent that was told how to use the one can use
// the other.
//
// A store is a directory. Store has the seven operations (Search, Write, Read, List,
// Delete, State, SetState); the functions of text.go give the words that the tools of the
// same names answer with, and an error's message is such an answer where the tools have
// one for it.
//
// # Files
//
// board.sqlite3 in the store's directory, with what SQLite keeps beside it:
//
//	chunks          what was written
//	tags            their tags, for lists
//	state           values under keys
//	deleted         imported chunks that were deleted since
//	meta            how the first use went
//	chunk_index_*   the search index (package kb/index) over the chunks, derived from them, with the embeddings
//
// Any number of processes may use a store at the same time. An operation that changes
// something is one transaction.
//
// # The other program's files
//
// The first use of a directory takes over what the other program has left there: its
// store.db or, if there is none or nothing in it, the folders chunks and state from
// before it had one. That is one transaction too, so a part of it is never there; who
// comes meanwhile waits. The other's files are read as a copy and stay as they are. What
// is written to them later is taken over by Import, on request.
//
// # Embeddings
//
// Write does not wait for a model: a chunk is found by its words at once, and by its
// meaning as soon as somebody has called Embed or Backfill.
//
// # Expiry
//
// A chunk whose time is over is in no answer from that moment on. Its row goes when the
// store is opened next or written to.
package chunks
