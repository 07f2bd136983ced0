package main

const memoryHelp = `What is remembered where, who sees it, and what becomes of it

Tiers: a read names its tiers, and none inherits from another.
  conversation   one exchange; newest first; until it is archived
  channel        a topic that conversations share
  workspace      a project: the git repository, else the directory, you are in
  account        you, in all projects. Nothing of one project belongs here
Each workspace has a file of its own, and so has the account: no command reads
two workspaces, and --workspace says which. A scope holds 10,000 items at most.

What goes where
  put            one thing that will be of use, in a sentence or two:
                 board memory put "The staging database is read-only"
  journal        an agent's own: what happened; counts for a week
  core           an agent's own: who it is; for good
  named          what its author wants read in every turn: VOICE for a
                 workspace, SOUL for the account
  scratch        working notes of one conversation: JSON under keys
  kb             what is true for others too, with its source, is a capsule:
                 board help capsules

Who sees it
  An agent is whom --agent or $BOARD_WORKER names; without either a person asks,
  the author. What is --private, and every journal, core memory and working
  note, is seen by its agent alone. What the author has put, an agent does not
  change or forget; named entries are the author's to write, and scrubs the
  author's to execute. $BOARD_MEMORY_GRANTS (author,named,scrub) lets an agent,
  $BOARD_MEMORY_TIERS (workspace,account) narrows what can be reached.
  These are rules for agents that work together, and no barrier: who can run
  commands as you can call himself anybody. Other users' files are theirs alone.

What becomes of it
  Fades          relevance is importance × rate^hours since it was asked for ×
                 (1 + ln(1 + accesses)), and orders what is read; it removes
                 nothing. After a week 17 % of it are left in a channel, 43 % in
                 a workspace, 71 % in the account. The rates are
                 $BOARD_MEMORY_DECAY (channel=.99,workspace=.995,account=.998);
                 importance is low .25, medium .5, high .75 or critical 1
  Consolidated   board memory consolidate: what is asked for often stays for
                 good; what is short-term and nobody asks for goes; what says
                 the same becomes one; what was to last as long as an archived
                 conversation ends
  Forgotten      out of every read; board memory get ID still shows it, and why
  Scrubbed       gone from the file. board memory scrub says what it would
                 remove, and does it only with the hash of exactly that. The log
                 keeps that it was done

For a turn, board memory orient "what it is about" prints what counts, within a
budget of tokens (named entries first, of which they take 60 % at most), and
board memory context the agent's own. $BOARD_CONVERSATION
is the conversation of the commands that take --conversation. The commands:
board memory --help
`
