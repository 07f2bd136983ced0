// Package hooks is what happens at the moments of a session that an agent's harness tells of: a session starts, a prompt is sent, a tool was used, a session ends. It gives the model what earlier
// sessions left, and writes down what this one does.
//
//	cfg := hooks.Config{Harness: "claude", Event: "UserPromptSubmit", Home: home, Env: os.Getenv, Searcher: k}
//	os.Stdout.Write(hooks.Handle(ctx, cfg, os.Stdin).Answer)
//
// # One form
//
// Each harness tells the same in its own words. Package harness makes a harness.Event of a payload, and an answer of a text. Decoding never fails: a field that is missing, null or of another type
// is absent. The payload says which harness it is, since several read Claude's configuration too; then the name that the installer gave; then the environment.
//
//	session_start    start.go     one page: the topic's spec, the gate of $BOARD_RUN, what the topic's worklog comes to, capsules about the topic, what the memory has, a nudge to name a topic,
//	                              and the two texts of our own: what counts as verified (prefix.txt, which the user may replace or leave out), and a reminder of the knowledge base
//	prompt           recall.go    capsules about the prompt, and the open signals of $BOARD_RUN that $BOARD_WORKER has claimed or that name it as @WORKER
//	tool_result,     record.go    a line in the worklog of the session's topic
//	  tool_failure,
//	  file_edit
//	pre_compact      start.go     as session_start, for OpenCode, which takes a text there; others start a session with the source compact
//	pre_compact,     start.go     where no session's start follows a compaction: what was given is forgotten, and the next prompt gets the start once more
//	  post_compact
//	session_end      record.go    a line in the worklog: how long, how many went well, failed or are unknown, by the harness's own record where its hooks do not tell; none if nothing was done
//
// Where $BOARD_RUN names a run that there is, its board keeps which capsules were given, with their scores, to whom ($BOARD_WORKER, else the harness), and of a prompt no word (given.go).
//
// Any other event is answered with nothing, and an event or harness whose name is not known is told in the log. The answer of nothing is {}, which every harness takes.
//
// # What is given unasked
//
// For a prompt: only what reaches the threshold that `board kb calibrate` has measured (kb.Query.Gate), has 0.95 of the best one's evidence, is of this workspace or holds beyond one (domain, universal),
// and was not given in this session yet: at most 3 capsules. A prompt that asks for nothing (trivial) gets nothing. At a session's start: only for a topic with a spec that somebody has written, pinned
// or not; by the words of the spec and of the branch, none of the template's, with the same gate and 0.7 of the best one's evidence, at most 3. Sections of documents are given only if $BOARD_RECALL_DOCS is on. $BOARD_DEPTH changes numbers (Depths), never a gate:
//
//	             capsules, tokens for a prompt    tokens, capsules, worklog lines at the start    floor    bytes of a capsule
//	fast         1, 250                           700, 0, 15                                      0.95     300
//	balanced     3, 600                           1500, 3, 40                                     0.95     500
//	deep         5, 1200                          2400, 3, 60                                     0.80     900
//
// Budget and Limit go before these; no answer has more than MaxBudget tokens, which is what harnesses take.
//
// # What is given once
//
// What a session was given is kept when it ends (seen.go), since most harnesses replay its context when it is resumed. By the word of a session's start, in the harness's own meaning:
//
//	startup, clear, compact    all is given: the context is empty, or what was given is lost
//	resume                     what is new since: of the worklog what others did, of memory and knowledge what was written since, the spec or another part if it says something else
//	startup of OpenCode, pi    resume, if the session was given anything: they have one word for both, and so have Cursor and VS Code
//
// Gemini does not replay what hooks gave, so that a resume gives all, and Qwen not what a start gave; OpenCode's start stands in a system message that each process asks for anew, and what prompts were given is not repeated.
// Gemini's clear lets no text through, and Cursor's compaction starts no session: there the next prompt brings the start.
//
// What is given stands between two lines that say what it is, and states facts, since harnesses distrust orders. Texts of others cannot leave that frame: lines of a spec or worklog have a mark before
// them, capsules are on one line; characters that nobody sees are dropped, and tags by which harnesses and models tell who speaks lose their bracket (frame.go).
//
// # What is never kept
//
// What stands between <private> and </private> is dropped before anything else; if one of the two is missing, so is everything on its side. Then what looks like a secret is replaced by the rule that
// found it: «secret: aws-access-token». The rules are those of kb/secret. Both are done to every text that is recorded, logged or searched for. Prompts and the output of
// tools that went well are not recorded at all.
//
// What only looks and did not fail is not recorded: file readers, searches of files, command lines that only look (package shell), this program's own queries, hooks and MCP tools. Where a harness has two events for one thing, the one that tells less is not (harness.Event.Echo).
//
// # It never breaks a turn
//
// Handle answers within $BOARD_HOOK_TIMEOUT (300ms), whatever hangs or fails, and 1.5s later where a line for the worklog is still to be written; what goes wrong is one line in log/hooks.log of the data home, which is bounded and for its owner alone. A session's start that took too long comes with the
// next prompt, where prompts can be answered. No model is loaded here.
//
// # Files
//
//	DATA HOME/log/hooks.log             what went wrong; one older file is kept
//	DATA HOME/hooks/sessions/*.json     what a session was given, and since when it runs; removed after 30 days, and the oldest where there are more than 1,000
//	CONFIG/prefix.txt                   the user's text for every session's start, in place of the program's; an empty one for none
//	SPEC ROOT/…                         the topics' files: package topics
package hooks
