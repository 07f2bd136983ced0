// Package harness describes the harnesses, the programs in which agents run: their
// events and answers, their settings, and their transcripts.
//
// Each harness has one file, with these parts:
//
//	names       its names, and how it is found on a machine
//	signs       how its payloads are recognized, and its variables
//	events      its events, their decoding, and the encoding of answers
//	settings    the files and formats of its hooks, MCP server, skill and pointer
//	check       problems in its own settings that keep them from working
//	transcript  which lines of its transcripts are the model's
//
// An empty part is as in most harnesses. A new harness needs such a file, its name in
// All (harness.go), a line in `board help hooks`, and example payloads with their
// decoded events (testdata/events.jsonl, which
// `go test ./hooks -run TestFixtures -update` writes).
//
// Package hooks handles events, package hooks/setup writes and removes settings, and
// package kb reads transcripts through Said. None of them knows a harness by its name.
// One exception is Codex's trust in each hook, which is TOML: hooks/setup/codex.go.
//
//	event.go, tool.go, payload.go    the common format of events, and its decoding
//	detect.go                        which harness sent a payload
//	settings.go, check.go            the common format of settings
//	transcript.go                    the speakers of a transcript
package harness
