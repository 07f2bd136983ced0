// Command board gives a multi-agent run a shared, typed, auditable blackboard.
//
// The program, bottom-up:
//
//	board/sqlite   opens SQLite files: WAL, full durability, one writer at a time under a lock file, migrations
//	board/lazyregexp  regular expressions that are compiled at their first use
//	board/fault    the one error: its kind, what happened, the next step as an operation; kinds ⇄ exit codes, codes in JSON, HTTP
//	board/replace  puts files in the place of others, whole or not at all
//	board/text     what others wrote, made fit for a screen: what is not to be seen, one line, cut, counted
//	board/words    one reader of text: words, stems, identifiers, numbers, dates, negations, opposites, order
//	board/clash    why two texts about the same may contradict each other: a pure function
//	board/conflicts which findings may contradict each other: an index of what is about one thing, and clash
//	board/survival whether reports carry what a run must not lose: the readers of reports, the comparison
//	board/verify   whether findings stand in their sources: quotes word for word, values
//	board/trace    what the facts of a report stand on: entries, sources, or nothing
//	board          the domain: entries, signals, variables, events; gate, replay, export and import
//	board/policy   reads board.yaml: what a run is held to, for whoever asks
//	board/check    gate, verify, conflicts, survival and trace under a policy, with one verdict
//	embed          what an embedder is; embed/embedtest holds every implementation to it
//	embed/minilm   a sentence-embedding model in this process, loaded only when something is to be compared by meaning; and how it
//	               gets here: `board model` fetches, verifies and measures it
//	embed/ort      the same models by ONNX Runtime, in a process of its own, where its library is installed
//	kb/index       a search index in tables of a SQLite file: words, vectors, filters; knows nothing of what it indexes
//	kb/store       a SQLite file whose rows have such an index: opening, mending, embedding, salvage, for kb, kb/memory and kb/chunks
//	kb/markdown    front matter, and where markdown files lie
//	kb/rank        fusion of lists, MMR, boosts, floors and gates, retrieval metrics: pure functions
//	kb/secret      finds and masks what looks like a secret
//	kb             the knowledge base: capsules and their files, search, history, documents, curation
//	kb/learn       reads what agents have learned, from transcripts, answers and worklogs
//	kb/importers   reads other tools' memories and exports of our own into capsules
//	kb/eval        measures how well it answers a test set
//	kb/memory      what agents remember of their work: tiers, named entries, journals, conversations
//	kb/chunks      a project's context store: chunks and state, with the tools' answers
//	hooks/topics   what a working session knows: specs and worklogs, which topic it is, clean rooms, the archive
//	hooks/harness  all that is known of each harness, one file for each: its events, settings, transcripts
//	hooks/shell    what a command line does, by its text: only looks, changes something, or nobody knows
//	hooks          what happens at the moments of a session: recall, a session's start, the worklog
//	hooks/setup    writes and removes each harness's configuration
//	hooks/mcp      the tools, resources and prompts of the Model Context Protocol, over the packages above
//	tui            the screen: one model, one file for each pane; tui/keys has its keys, and tui/dark keeps it from asking
//	               terminals questions when it is not wanted
//	cmd/board/daemon   the process that keeps models and indexes warm; what it cannot do at once, a command does itself
//	cmd/board/doctor   looks at all of it, mends what can be, and tries this disk; cmd/board/ci writes the formats of CI services
//	cmd/board      this package: flags in, text or JSON out
//
// # How a command works
//
// main calls run, which is the whole program with its arguments, environment and streams as parameters; the scripts in testdata/script call it too.
// arrange (args.go) puts the flags before the arguments, urfave/cli parses, and the command's action does three things: it turns flags into
// a request, calls one method of package board, kb, memory, chunks or topics, and prints the answer as text or as one JSON object ("v":1 and named fields).
// An error travels up as it is; package fault has the one table from kinds to exit codes and codes in JSON, and words.go the
// commands for the operations that errors name as the next step.
//
// Data goes to standard output, talk to standard error. Text that agents wrote goes through safe (text.go) before it reaches a terminal.
//
// # How to add a command
//
// Write testdata/script/<command>_<case>.txtar first. Put the method on board.Board, kb.KB or memory.Store, the command into the list of its group's file, and
// its name into the README's table (a test compares them).
package main
