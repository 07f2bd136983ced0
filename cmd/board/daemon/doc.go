// Package daemon is the process that keeps the embedding model and the search indexes
// warm, serves live events, and does the upkeep.
//
// It makes things fast, live and tidy, never true: files are the truth, any process may
// open them, and if the daemon is killed only latency changes. Commands, hooks, the TUI
// and MCP servers reach it at one seam: a Source has the model and answers questions, and
// what the daemon cannot do at once, it does by itself, from the file.
//
// # One for a data home
//
// A daemon serves one data home, on a unix socket that only its owner may use. A lock
// beside the socket, held while it lives and given back by the system if it dies, decides
// who it is: who has the lock may remove a socket that was left behind. Whoever would
// have profited starts one, detached, for the next question (see Source). A client of
// another build does not use it, and asks it to stop once it is idle.
//
// # The wire
//
// HTTP with JSON bodies: POST /v1/VERB. A verb is a function from a request to a response
// (handle), and a call of it (call); an error keeps what it is, so that errors.Is says
// the same on both sides. Events are a stream (text/event-stream) of what happens on
// boards.
package daemon
