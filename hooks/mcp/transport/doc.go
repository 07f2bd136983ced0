// Package transport carries the messages of the Model Context Protocol between clients and
// a server, over standard input and output and over streamable HTTP.
//
// It knows the protocol and its SDK, and nothing of the tools: it is given their handlers.
// It bounds what a client may take up, answers what is no message, and has calls end with
// their request, their session and the server.
//
//	stdio.go    the transport for standard input and output
//	http.go     the handler for HTTP, and what a request may take up
//	clients.go  who speaks over HTTP: sessions, and what is under way
package transport
