// Package hooks answers the hook events of an agent's harness: a session starts, a
// prompt is sent, a tool was used, a session ends. It gives the model what earlier
// sessions left, and records what this session does.
//
//	cfg := hooks.Config{Harness: "claude", Event: "UserPromptSubmit", Home: home,
//		Env: os.Getenv, Searcher: k}
//	os.Stdout.Write(hooks.Handle(ctx, cfg, os.Stdin).Answer)
//
// # Events
//
// Every harness has its own format. Package harness converts a payload to a
// harness.Event, and a text to the harness's answer. Decoding never fails: a field that
// is missing, null or of another type is absent. The harness is taken from the payload
// first, because several harnesses also read Claude's configuration. The name given by
// the installer comes second, the environment third.
//
//	session_start    start.go     one page: the topic's spec, the gate of $BOARD_RUN, the
//	                              topic's worklog in short, capsules and memories about the
//	                              topic, a hint to name a topic, and two fixed texts: what
//	                              counts as verified (prefix.txt, which the user may replace)
//	                              and a reminder of the knowledge base
//	prompt           recall.go    capsules and memories about the prompt, and open signals of
//	                              $BOARD_RUN that $BOARD_WORKER has claimed or that name it
//	                              as @WORKER
//	tool_result,     record.go    a line in the worklog of the session's topic
//	  tool_failure,
//	  file_edit
//	pre_compact      start.go     as session_start, for OpenCode, which accepts a text here;
//	                              other harnesses start a session with the source compact
//	pre_compact,     start.go     if no session start follows a compaction: what was given is
//	  post_compact                forgotten, and the next prompt gets the start page again
//	session_end      record.go    a line in the worklog: duration, and how many tool uses went
//	                              well, failed or are unknown. Where hooks do not report this,
//	                              it comes from the harness's transcript. No line if nothing
//	                              was done
//
// If $BOARD_RUN names an existing run, its board records which capsules were given,
// with their scores and the receiver: $BOARD_WORKER, or else the harness. It records
// nothing of the prompt's text (given.go).
//
// Other events get an empty answer, {}, which every harness accepts. An unknown event
// or harness is logged.
//
// # What is injected
//
// A prompt gets at most 3 capsules. Each must reach the threshold of the model
// (kb.Query.Gate, rank.Scale) and 0.97 of the best one's evidence. It must belong to this workspace or hold beyond its own (domain,
// universal), and must be new to the session. A trivial prompt, one that asks for
// nothing, gets nothing.
//
// A session's start gets at most 3 capsules, and only for a topic with a written spec.
// The query is the words of the spec and the branch, without the template's words. The
// threshold is the same, with 0.7 of the best one's evidence.
//
// Sections of documents are given only if $BOARD_RECALL_DOCS is on. $BOARD_DEPTH
// changes these limits (Depths), never a threshold:
//
//	            prompt             session's start             floor    bytes of
//	            capsules, tokens   tokens, capsules, worklog            a capsule
//	fast        1, 250             700, 0, 15                  0.95     300
//	balanced    3, 600             1500, 3, 40                 0.97     500
//	deep        5, 1200            2400, 3, 60                 0.80     900
//
// Config.Budget and Config.Limit override them. No answer has more than MaxBudget
// tokens, since harnesses accept no more.
//
// # What is given only once
//
// What a session was given is remembered after its end (seen.go), because most
// harnesses replay the context of a resumed session. The source of the session's start
// decides:
//
//	startup, clear, compact    everything is given: the context is empty
//	resume                     only what is new: the worklog of other sessions, memories and
//	                           knowledge written since, and parts that changed, such as the spec
//	startup of OpenCode, pi    as resume, if the session was given anything: these harnesses
//	                           use one word for both, and so does Cursor
//
// The injected text stands between two lines that say what it is. It states facts,
// because harnesses distrust orders. Texts by others cannot leave this frame: lines of
// a spec or worklog begin with a mark, and a capsule is one line. Invisible characters
// are dropped, and tags by which harnesses mark the speaker lose their bracket
// (frame.go).
//
// # What is never stored
//
// Text between <private> and </private> is dropped first. If one of the two tags is
// missing, everything on its side is dropped. Then secrets are replaced by the name of
// the rule that found them: «secret: aws-access-token». The rules are those of
// kb/secret. Both happen to every text that is recorded, logged or searched for.
// Prompts, and the output of tools that succeeded, are never recorded.
//
// Reading is not recorded unless it failed: file readers, file searches, read-only
// command lines (package shell), and this program's own queries, hooks and MCP tools.
// Where a harness sends two events for one action, the one with less detail is ignored
// (harness.Event.Echo).
//
// # A hook never breaks a turn
//
// Handle answers within $BOARD_HOOK_TIMEOUT (300ms), whatever hangs or fails. It takes
// up to 1.5 s longer if a worklog line is still to be written. Each error is one line
// in log/hooks.log of the data home; this log has a size limit, and only its owner can
// read it. If a session's start took too long, the next prompt gets the start page,
// where the harness accepts text at prompts. Hooks load no model.
package hooks
