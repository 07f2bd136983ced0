// Package setup puts hooks, the MCP server, the skill and a pointer into the configurations of agent harnesses, and takes them out again. It changes files of others, so that it keeps to this:
//
//   - What it adds, it adds as spans of text. Every other byte stays: order, comments, indentation, trailing commas, line ends, byte order mark, the last line's end or none.
//   - A file that does not parse, or has what its harness does not read (a comment for Claude Code), is read-only, or is no file, is not touched, and nothing else of that harness either; the error names it. What stands in its place and is not ours is never replaced.
//   - Files are replaced at once (temporary file, fsync, rename), links followed, mode and owner kept, and a copy of what was there is left as FILE.board-backup-TIME.
//   - A second run changes nothing. An entry of ours that calls an earlier path of the program is changed in its place, never doubled; whatever else a user has changed about it stays.
//   - Taking away restores a file byte for byte if nobody else has changed it since, and then removes the copies too; else it takes out only what is ours.
//
// # What is ours
//
// An entry is ours by what it calls: `board hook EVENT --harness NAME`, at whatever path, or `board mcp`. A file that is ours alone says so in a line of its own. setup.json in the data home
// (manifest) knows besides which bytes undo each addition, which files and directories were not there before, and which harnesses share a file; without it all still works, less exactly.
//
// # How it is made
//
// Package harness knows the files of each harness, the events that are asked for, and the forms of all entries.
//
//	jsonc.go, jsonc_edit.go JSON with comments: where its values stand, and how to insert and remove without writing anew
//	toml.go, codex.go       the same for TOML, and the trust that Codex demands for hooks
//	hooks_json.go, mcp_json.go, files.go, pointer.go, target.go   parts of ours in a text: find, add, strip
//	plan.go                 what is to be done, without doing it; harness by harness, each wholly or not at all
//	apply.go, disk.go       doing it
//	status.go, check.go     how it stands, and what is wrong
//
// The text of the skill is in SKILL.md, that of the pointer in POINTER.md, that of the plugins beside their harnesses; they are part of the program.
package setup
