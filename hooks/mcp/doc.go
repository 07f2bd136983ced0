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
// Package transport carries the messages, over stdio and HTTP. Package schema makes the
// schemas of arguments and reads arguments by them.
package mcp
