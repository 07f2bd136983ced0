// Package topics keeps what sessions know about their current work, in plain files.
//
// Each topic has a spec, which a person or an agent writes and the next session starts
// with, and a worklog, which hooks write. Topics are the short-lived layer below memory
// and the knowledge base. They need no database and no daemon.
//
// # Files
//
// A workspace has one directory below the root (Root), named as the workspace's path
// without its first slash. Directories have mode 0700, files 0600.
//
//	_active_topic.txt      the name of the pinned topic, if any
//	TOPIC.txt              its spec: free text, usually markdown; replaced as a whole
//	                       (temporary file, fsync, rename)
//	TOPIC.worklog.jsonl    its worklog: one Entry a line, the oldest first; the oldest lines
//	                       are dropped beyond the limit
//	TOPIC.no_context       if it exists, nothing of this topic is injected
//	_no_session_context    if it exists, nothing of any topic of the workspace is injected
//	_lock                  held during writes; never removed, because a process that waits on
//	                       a removed file waits alone
//
// Writers hold the lock. A line that cannot wait for it is appended without, and whoever
// replaces the worklog meanwhile takes it over. Readers need no lock and create no files. Nothing here
// looks for secrets: callers of Record mask them, and callers of Use, Note or Rewrite
// mask or refuse them.
//
// # Which topic
//
// The workspace is the root of the git working tree (Find). Each worktree has its own
// topics, because worktrees are for different tasks. (In the knowledge base, all
// worktrees of a repository are one.) Resolve chooses the topic of a session:
//
//	a topic is pinned (Use)                          the pinned one
//	branch main, master, dev, develop, trunk         session-ID, the session's own, because
//	                                                 unrelated sessions share these branches
//	no branch (detached HEAD, no git,                session-ID, because unrelated sessions
//	  unreadable HEAD)                               cannot be told apart
//	any other branch                                 current, so that sessions continue each
//	                                                 other's work
//
// While a rebase or a bisect detaches HEAD, the branch that it began on counts. The
// home directory and the root of the file system are no workspaces and have no topics.
//
// Archive copies changed files into a directory of the day and overwrites nothing there.
package topics
