// Package harness is all that is known of the harnesses, the programs in which agents run: what
// each tells at the moments of a session and takes for an answer, how it is set up, what it
// writes down.
//
// Each has one file, which says
//
//	names       what it is called, and by what it is found on a machine
//	signs       by what its payloads are known, and its variables
//	events      what it tells, how that is decoded, and how an answer is encoded
//	settings    which files its hooks, the MCP server, the skill and a pointer belong into, and in what form
//	check       what in its own settings keeps them from working
//	transcript  which lines of its transcripts its model says
//
// What is empty is as in most. A new harness is such a file, its name in All (harness.go), a row
// in README.md and in `board help hooks`, and its payloads with what they are decoded to
// (testdata/events.jsonl, which `go test ./hooks -run TestFixtures -update` writes).
//
// Package hooks does what an event asks for, package hooks/setup writes and removes settings,
// package kb reads transcripts through Said; none of them knows a harness by its name. What only
// Codex has, a trust in each hook that lies in TOML, is in hooks/setup/codex.go.
//
//	event.go, tool.go, payload.go    one form for what harnesses tell, and how it is read
//	detect.go                        whose a payload is
//	settings.go, check.go            one form for how they are set up
//	transcript.go                    who says what in a transcript
package harness
