package main

const topicsHelp = `What a working session is about, which topic it has, and what it starts with

A topic has a spec, which says what the work is about and what is known so far,
and a worklog, which hooks write: what was run and edited, and how it went. They
are for days or weeks; what holds for good is a capsule (board help capsules).

Which topic a session has
  pinned         board topic use auth-refactor: for all sessions of the
                 workspace, until another is pinned or --none is
  session-ID     the session's own, where nothing is pinned and unrelated
                 sessions meet: on main, master, dev, develop and trunk, with a
                 detached HEAD, and without git
  current        on any other branch: the work goes on from session to session.
                 A rebase or a bisect counts as the branch that it began on
The workspace is the git working tree, else the directory. Each worktree has its
own topics; your home directory and / have none. Hooks know the session's id;
for a command it is --session or $BOARD_SESSION. board topic status says which
topic it is, and why.

Names have letters, digits, - _ and . in between. Upper and lower case make no
difference. A name that begins with "review" (or "re-review"), or ends in it but
for the number of a round, is a review's: review-auth, auth-review-2.

What a session starts with
  the spec       whole, or, if it is longer than some KB, where it is
  the worklog    its latest entries, each whole
  a review       only the title, the goal and the scope: sections and lines
                 "Goal: …" whose name is neutral (Scope, Task, Files to review,
                 Branch, Requirements, Acceptance criteria…). Facts, findings,
                 verdicts, comments, notes, whatever else, and the worklog are
                 left out, so that it judges for itself. $BOARD_HOOK_CONTEXT=full
                 gives it everything
  nothing        with $BOARD_HOOK_CONTEXT=0, or where a file says so:
                 TOPIC.no_context, or _no_session_context for all topics; remove
                 it again to resume. The worklog is written all the same
board topic show --injected prints exactly that.

Files
  $BOARD_SPEC_ROOT, else $XDG_STATE_HOME/blackboard/specs, else
  ~/.local/state/blackboard/specs; below it the path of the workspace, and there
  _active_topic.txt, TOPIC.txt, TOPIC.worklog.jsonl, TOPIC.no_context. Edit them
  at any time. A worklog has 1,000 lines and 256 KB at most; the oldest go first.
  The commands refuse a spec with what looks like a secret (exit 6); --force takes
  it. In a worklog secrets are masked.

The archive
  board topic archive copies what has changed to specs-archive/DAY in the data
  home, and takes away what was not changed for 30 days. To restore a topic,
  copy its files back:
    board topic list --archived
    cp -p ARCHIVE/DAY/WORKSPACE/TOPIC.* ROOT/WORKSPACE/
`
