// Command board gives a multi-agent run a shared, typed, auditable blackboard.
//
// # Packages, bottom-up
//
// Runs:
//
//	board/sqlite     SQLite files: WAL, full durability, a queue of writers, migrations; those of runs
//	board/postgres   the same boards and knowledge base in PostgreSQL
//	board/store      the interface that sqlite and postgres implement
//	board/fault      the error type: kind, message, next step; exit codes and HTTP statuses
//	board/disk       bounded reads, atomic writes, locks, paths, logs
//	board/text       text by others made safe for a screen: visible, cut, counted; tokens
//	board/op         what an operation is: arguments by tags, schema, decoding, text
//	board/words      reads text: words, stems, identifiers, numbers, dates, negations
//	board/documents  reads reports and sources: docx, pdf, xlsx, html and more
//	board/claims     compares texts: evidence, contradictions; which findings may conflict
//	board/claims/parse     reads a text into claims
//	board/clash      whether two notes may contradict each other, and which of them holds
//	board/survival   whether reports carry what a run must not lose
//	board/verify     whether findings stand in their sources
//	board/trace      what supports the facts of a report
//	board/foreign    reads boards of other programs
//	board/record     a run as data: entries, signals, events, and the board that a log makes
//	board            the domain: entries, signals, variables, events; gate, replay, import
//	board/check      reads board.yaml; gate, verify, conflicts, survival and trace in one verdict
//	board/report     digest, appendix and HTML page of a board; verdicts for CI services
//
// Embeddings:
//
//	embed            the interface of an embedder; testdata/embedtest tests implementations
//	embed/minilm     runs a model in this process; fetches, verifies and measures models
//
// Knowledge base, memory and context store:
//
//	kb/index         a search index in tables: words, vectors, filters
//	kb/rank          words and meaning weighed, evidence, MMR, boosts: pure functions
//	kb/store         a database whose rows have such an index, for the three stores below
//	kb/markdown      front matter and sections of Markdown files
//	kb/secret        finds and masks secrets
//	kb/home          the project that a directory belongs to
//	kb               the knowledge base: capsules and their files, search, history
//	kb/learn         reads learnings from transcripts, answers and worklogs
//	kb/importers     reads memories of other tools, and our own exports
//	kb/memory        what agents remember: tiers, named entries, journals, conversations
//	kb/chunks        the context store of a project: chunks and state
//
// Harnesses, screen, program:
//
//	hooks/topics     specs and worklogs of working sessions, and their archive
//	hooks/harness    events, settings and transcripts of each harness, a file each
//	hooks/shell      whether a command line only looks or changes something
//	hooks            what happens at the moments of a session: recall, start, worklog
//	hooks/setup      writes and removes each harness's configuration
//	hooks/mcp/transport  carries the messages of MCP: over stdio and HTTP
//	hooks/ops        operations that command line and MCP server share, each said once
//	hooks/mcp        the tools, resources and prompts of the MCP server
//	tui/cells        texts that are safe for a terminal, as wide as they have to be, and styled
//	tui/dark         keeps other commands quiet
//	tui/page         what all pages of the screen share, and its keys
//	tui/runs         the pages of runs, and of their checks
//	tui/items        the pages of what is known: capsules and the memory
//	tui              the screen
//	cmd/board/daemon     the process that keeps models and indexes warm
//	cmd/board/doctor     checks and repairs everything
//	cmd/board/base       what commands share: flags, input, output, errors, the model
//	cmd/board/runcmd     commands about one run
//	cmd/board/kbcmd      commands of the knowledge base
//	cmd/board/memorycmd  commands of the memory and the context store
//	cmd/board/hookcmd    commands for sessions of harnesses: hook, topic, setup
//	cmd/board            the list of commands, help, completion, the program itself
//
// # How a command works
//
// main calls run, which is the whole program. Arguments, environment and streams are
// parameters, so that the scripts in testdata/script call it too. arrange (args.go) puts
// the flags before the arguments, and urfave/cli parses. The command's action does three
// things: it turns flags into a request, calls one method of a domain package, and prints
// the answer. base.Answer prints it as text or as one JSON object ("v":1 and named
// fields).
//
// An error travels up as it is. Package fault has the one table from kinds to exit codes
// and codes in JSON. base/words.go has the commands for the operations that errors name
// as the next step.
//
// Results go to stdout, messages to stderr. Text that agents wrote goes through base.Safe
// before it reaches a terminal.
//
// # How to add a command
//
// Write testdata/script/<command>_<case>.txtar first. Put the method on board.Board,
// kb.KB or memory.Store. What agents do too is an operation: a literal in hooks/ops with
// its input, what it does and the text of its answer (board/op says which tags an input
// has), and its place in ops.All; base.Operation makes the command of it, hooks/mcp the
// tool. Other commands go into their package: runcmd, kbcmd, memorycmd or hookcmd.
package main
