// Package mcp offers boards, knowledge, memory and the context store to any agent that speaks the Model Context Protocol: over stdio, and over streamable HTTP.
//
// A tool is an adapter: it decodes its arguments, calls one method of package board, kb, kb/memory or kb/chunks, and answers twice, as data that its output schema describes and as text to
// read. Tools come in profiles, so that an agent sees few of them. What a caller may do is a matter of its grants; a refusal names the one that is missing.
//
//	server.go      the server: what it is given, its profiles and instructions
//	tool.go        how a tool is registered and called: arguments, errors, panics
//	words.go       the tools for the operations that errors name as the next step
//	schema.go      schemas from Go types and their tags
//	grants.go      who may do what
//	run*.go        the profile run: boards
//	knowledge.go   the profile knowledge: capsules
//	memory*.go     the profile memory: items, named entries, journal and core, conversations, working notes
//	context.go     the profile context: the store of chunks that other tools' clients know
//	admin.go       the profile admin: upkeep by hand, and scrubs
//	resources.go   what can be read and watched by address
//	prompts.go     prompts
//	http.go        the handler for HTTP, and what a request may take up
//	clients.go     who speaks over HTTP: sessions, and what is under way
package mcp
