// Package setup adds hooks, the MCP server, the skill and a pointer to the
// configurations of agent harnesses, and removes them again. It changes files that
// belong to others, under these rules:
//
//   - It inserts spans of text. Every other byte stays: order, comments, indentation,
//     trailing commas, line ends, byte order mark, with or without a last line end.
//   - It does not touch a file that cannot be parsed, has syntax that its harness does
//     not accept (such as a comment for Claude Code), is read-only, or is not a regular
//     file. Then it changes nothing for that harness, and the error names the file. It
//     never replaces an entry of another program.
//   - It replaces a file atomically (temporary file, fsync, rename), follows links, and
//     keeps mode and owner. A copy of the old file stays as FILE.board-backup-TIME.
//   - A second run changes nothing. If one of our entries calls an old path of the
//     program, that path is updated in place. Other changes of the user to the entry
//     stay.
//   - Removing restores a file byte for byte if nobody else has changed it since, and
//     then removes the copies too. Otherwise it removes only our entries.
//
// # Which entries are ours
//
// An entry is ours if it calls `board hook EVENT --harness NAME` or `board mcp`, at any
// path. A file that is ours alone says so in a line. The manifest, setup.json in the
// data home, also records which bytes undo each addition, which files and directories
// are new, and which harnesses share a file. Without the manifest everything still
// works, less exactly.
//
// The program embeds the text of the skill (SKILL.md), of the pointer (POINTER.md) and
// of the plugins (beside their harnesses).
package setup
