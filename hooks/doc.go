// Package hooks answers the hook events of an agent's harness: a session starts, a
// prompt is sent, a tool was used, a session ends. It gives the model what earlier
// sessions left, and records what this session does. List says what is done at which
// event; package harness decodes payloads and encodes answers, and never fails.
//
//	start.go    session_start: one page. pre_compact too, where a harness takes a text there;
//	            where no session start follows a compaction, the next prompt gets the page
//	recall.go   prompt: capsules and memories about it, open signals for this worker
//	record.go   tool_result, tool_failure, file_edit: a line in the worklog of the session's
//	            topic; session_end: a line about all, and what only the harness's transcript
//	            tells
//	given.go    which capsules were given, on the board of $BOARD_RUN: no text of the prompt
//	ran.go      what was run, for the run; subagent.go: what its workers start with
//
// # What is injected
//
// A capsule must reach the threshold of the model (kb.Query.Gate, rank.Scale) and a share
// of the best one's evidence, belong to this workspace or hold beyond its own, and be new
// to the session. A prompt that asks for nothing gets nothing; a topic without a spec gets
// no capsules. $BOARD_DEPTH changes how much is given (Depths), never a threshold, and no
// answer has more than MaxBudget tokens, since harnesses accept no more.
//
// What a session was given is remembered after its end (seen.go), because most harnesses
// replay the context of a resumed session: then only what is new is given. A new context
// (startup, clear, compact) gets everything. OpenCode, pi and Cursor use one word for both,
// which counts as a resumption if the session was given anything.
//
// The injected text stands between two lines that say what it is. It states facts,
// because harnesses distrust orders. Texts by others cannot leave this frame: lines of
// a spec or worklog begin with a mark, and a capsule is one line (frame.go).
//
// # What is never stored
//
// Text between <private> and </private> is dropped, with everything on its side if one of
// the two is missing. Then secrets are replaced by the name of the rule that found them
// (kb/secret). Both happen to every text that is recorded, logged or searched for.
// Prompts, the output of tools that succeeded, and reading are not recorded.
//
// # A hook never breaks a turn
//
// Handle answers within $BOARD_HOOK_TIMEOUT (300ms), whatever hangs or fails, and takes
// up to 1.5 s longer if a worklog line is still to be written. Each error is one line
// in log/hooks.log of the data home. Hooks load no model.
package hooks
