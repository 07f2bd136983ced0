// Package topics is what a working session knows of itself: for each topic a spec, which a person or an agent writes and the next session starts with, and a worklog, which hooks write.
// It is the short-lived layer under memory and knowledge base, and it is plain files: no database, no daemon.
//
// # Files
//
// A workspace has a directory of its own below the root (Root), named as the workspace's path without its first slash; 0700, its files 0600.
//
//	_active_topic.txt        the name of the topic that is pinned, if one is
//	TOPIC.txt                its spec: free text, markdown by habit; always written whole (temporary file, fsync, rename)
//	TOPIC.worklog.jsonl      its worklog: an Entry a line, the oldest first, bounded by leaving out whole oldest lines
//	TOPIC.no_context         there: nothing of this topic is injected
//	_no_session_context      there: nothing of any topic of the workspace is
//	.new-lines/              lines for worklogs, each in a file of its own, by those whose turn to write did not come in time; the next writer puts them in
//	_lock                    held while something is written; never removed, since who waits on a removed file waits alone
//
// Writers take their turn under the lock, so that no line is lost; a line that cannot wait for its turn is left for the next writer. Readers need no turn and make no file. Nothing here looks for
// secrets: whoever calls Record masks them first, and whoever calls Use, Note or Rewrite masks or refuses them.
//
// # Which topic
//
// The workspace is the root of the git working tree (Find). Each worktree has its own, unlike in the knowledge base, where all worktrees of a repository are one: they are made to work on
// different things, and what one of them is about must not reach the other. Resolve then says which topic a session has:
//
//	a topic is pinned (Use)                               that one
//	main, master, dev, develop, trunk                     session-ID, the session's own: unrelated sessions share these branches
//	no branch (detached HEAD, no git, unreadable HEAD)    session-ID too, since nothing tells unrelated sessions apart
//	any other branch                                      current, so that the work goes on from session to session
//
// A rebase or a bisect detaches HEAD for a while; the branch that it began on counts. The home directory and the root of the file system are nobody's workspace and have no topics.
//
// # What a session starts with
//
// Startup returns a topic's spec, whole or by its path and size, and what its worklog comes to: Fold leaves out looks, joins edits and commands that came again, and Choose takes what has room,
// the latest failure, commit, test, edit and install first of all. Each says how it went: ok, failed or unknown, if the exit code is another command's or was not told. A review topic starts in a
// clean room (CleanRoom): with its goal and scope, and without what was found before. Suppressed says whether nothing is to be injected.
//
// # The archive
//
// Archive copies what has changed into a directory of the day, in a place that nobody clears, and overwrites nothing there. On request it then takes away what nobody has touched for long. ArchiveTopic does so with one topic, whenever it was touched, and Restore brings one back.
package topics
