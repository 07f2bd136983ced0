// Package mcp offers boards, knowledge, memory and the context store to any agent that
// speaks the Model Context Protocol: over stdio, and over streamable HTTP.
//
// A tool is an adapter: it decodes its arguments, calls one method of package board, kb,
// kb/memory or kb/chunks, and answers with a text to read. Every client gets the same text,
// and all of it: some show their models nothing else, others structured content alone if
// there is any, so there is none. A program that asks for format json gets data instead,
// as text and as structured content.
// Tools come in profiles, so that an agent sees few of them. What a caller may do is a
// matter of its grants; a refusal names the one that is missing.
//
// An answer has a budget of tokens, which max_tokens raises. What others wrote gives way
// first: long texts lose their ends, with a mark that names what has the rest, then lists
// become shorter. A tool writes its answer with fitted, which asks it for less until it
// fits; whatever it does, no answer leaves that is longer.
//
// What leaves to a model is clean: control characters, marks that turn the direction of
// writing, and tags are removed from all texts and all data in one place (text.go). What
// others wrote stands within a line, or has a mark before each of its lines, so
// that no line of it looks like the server's. The context tools are the exception: they
// answer as their original; and memory_context gives named entries as they were written,
// which takes a grant of its own.
//
//	server.go      the server: what it is given, its profiles and instructions
//	listing.go     which tools a client is told of
//	tool.go        how a tool is registered and called: errors, panics
//	budget.go      how long an answer may be, and how it is made to fit
//	text.go        what of a text may leave to a model, and how it stands in an answer
//	words.go       the tools for the operations that errors name as the next step
//	grants.go      who may do what
//	run*.go        the profile run: boards
//	settle.go      what is done about questions and conflicts
//	expect.go      the workers that the gate waits for
//	judge.go       gate and survival; waiting for something on the board
//	check.go       all checks of a board at once
//	knowledge.go   the profile knowledge: capsules
//	memory*.go     the profile memory: items, named entries, journal and core, conversations,
//	               working notes
//	context*.go    the profile context: the store of chunks that other tools' clients know
//	admin.go       the profile admin: upkeep by hand, and scrubs
//	consolidate.go passes over the memory, and rewrites
//	resources.go   what can be read and watched by address
//	prompts.go     prompts
//
// Package transport carries the messages, over stdio and HTTP. Package schema makes the
// schemas of arguments and reads arguments by them.
package mcp
