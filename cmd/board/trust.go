// Trust: who is defended against what, and who is not
//
// Everything runs as you, on files of yours. There is no server of ours, no account and
// no telemetry.
//
// # You, and other users of this machine
//
//   - Every file of the data home and of the topics has the mode 0600, every directory 0700, or
//     less, whatever the umask; `board doctor` tells of any that others can read, and --repair
//     closes them. A project's context store is as private; the memory's export is 0600.
//   - What you export to a path follows your umask. A harness's configuration keeps its mode and
//     its links; a new one is 0644 and holds no secret.
//   - The daemon's socket is 0600. A directory of it that is a link, another user's, or one that
//     others can write to is refused by both sides.
//   - Names of runs, topics and capsules cannot hold a separator, a NUL or a line end, and ids
//     of sessions that do are hashed: none leads out of its directory.
//
// # What agents write is data
//
//   - Prompts, posts, memories, specs and worklogs are never run, and never read as instructions
//     by this program.
//   - What hooks put before a model stands between two lines that say so, at most 2,400 tokens
//     (9,600 bytes). Inside, a text is one line, or has a mark before each of its lines; what
//     would close or imitate the frame or a harness's tags is defused, what nobody sees is taken
//     out.
//   - MCP answers and digests keep a text in its line, or mark its lines. `board memory context`
//     and `board context` give a text as it is when no terminal reads it, and --json always
//     does: whoever pastes that into a prompt frames it.
//   - On a terminal, control characters and those that turn the direction of writing are
//     replaced. GitHub annotations, JUnit, SARIF, job summaries and HTML pages are escaped.
//     Words that persuade a model are still words: a frame says whose they are, and cannot make
//     them harmless.
//   - A receipt (a command that a hook saw a worker run, board help gate) is evidence against
//     carelessness, not against malice: whoever can run `board hook` can forge one. It says what
//     the harness told: a command, its exit code, no output. Claude Code's and Codex's own
//     records, where the payload names one that can be read, are compared with it when the
//     worker says that it is done, and a receipt that they contradict does not count. Codex
//     tells its hooks no exit code; Windsurf, VS Code and others tell some events only. Without
//     a known exit code a command is "untold", never passed. A script that hides a failure
//     inside passes, edits by other workers do not count against a command, nor do those that
//     no hook sees.
//   - Who posts is what they call themselves. Workers and agents are names, not identities.
//
// # HTTP and MCP
//
//   - Nothing listens on the network unless `board daemon run --listen` says so: on loopback, or
//     elsewhere with a certificate (TLS 1.2 or later).
//   - Each request shows the token, 32 random bytes in run/token of the data home. Host and
//     Origin must name this machine, so that no page of a browser reaches it. A body has at most
//     4 MiB, headers 16 KiB within 5 seconds; there are 128 connections at most. Only the socket
//     has pprof.
//   - A client over HTTP may read runs, capsules and the workspace's memory; more takes --grant.
//     A client of `board mcp`, a process that you started, may also write, and name files of
//     yours (--grant files); not the account's memory, named entries or scrubs.
//   - A message over stdio has at most 32 MiB, nested 500 deep.
//
// # Files from elsewhere
//
//   - Reports and sources: 64 MiB after decompression, XML 500 deep; entities, scripts and links
//     are not followed, nothing is unpacked to disk. A workbook has at most 64 MiB of text as
//     well, a PDF 20,000 pages. Only regular files are opened: no device, pipe or socket, nor
//     what /dev and /proc show. A directory gives 2,000 files and 256 MiB of text at most;
//     links in it are not followed.
//   - Sidecars edited by hand: 512 KiB, of which YAML 128 KiB, aliases bounded; a link in a
//     sidecar's place is not read.
//   - Imports of capsules: 64 MiB a file and 200,000 records; of memories 1 GiB; documents 4
//     MiB, front matter 256 KiB; Irys boards 256 MiB with 1,024 links an entry. Another
//     program's SQLite file, 1 GiB at most, is copied and opened without trust in its schema.
//     Links out of a folder that is taken in are not followed.
//   - Hooks read 8 MiB of a payload and 8 KiB of each text, within 300 ms. Patterns are Go's,
//     which take linear time.
//   - Models: the default's files are known by their SHA-256. Any other is what its place says
//     it is; `board model verify` finds later changes.
//
// # What runs programs, and what goes to the network
//
//   - $VISUAL or $EDITOR when you edit, else vi or nano, through sh except on Windows; the TUI
//     gives a URL that you choose to xdg-open or open; this program itself, as daemon.
//     Nothing else, no shell of any input.
//   - `board model pull` fetches from $HF_ENDPOINT or huggingface.co, through the proxies of the
//     environment. With $BOARD_DATABASE_URL or --database, boards are on the PostgreSQL server
//     that it names. With $OTEL_EXPORTER_OTLP_ENDPOINT, verdicts and times of gates, checks and
//     searches go to that collector, no text of a finding. Nothing else goes out.
//   - A board.yaml, which comes with a repository, names a server by a variable or a service of
//     yours. A URL in it counts once you ran `board database allow`, for that file and that URL;
//     until then commands fail, and go nowhere. A password in it is refused.
//
// # Secrets
//
//   - The knowledge base, the memory and topics refuse what looks like a secret, unless
//     --force; in a document that is ingested it is masked. Boards and the context store mask
//     it and say so; --force keeps it.
//   - Worklogs and the hooks' log mask it, and what its place makes a password: variables,
//     options, headers, URLs, fields, private keys that were cut. What stands in
//     <private>…</private> is left out.
//   - Not caught: a password that is an argument of a program we do not know, one that is split
//     or encoded, one in a file that is ingested with --force. In plain words, what looks like
//     any word or number ("the diary answers to raspberry"), a passphrase in the middle of a
//     sentence, and what is given without a word about logging in, opening or passwords. Languages other than
//     English and German have their tokens found, and not their sentences.
//   - Measured on three sets of sentences that nobody had read before: 51, 49 and 53 of 60
//     secrets were found, and none, 2 and none of 200 harmless sentences were touched. So do
//     not rely on it.
//   - log/hooks.log (256 KiB and one older) and log/daemon.log (1 MiB and one older) say what
//     went wrong, and log/recall.log which capsules prompts were given, without the prompts.
//
// # How it is tested
//
//   - Writers are killed in the middle of writes, and everything acknowledged is looked for:
//     go doc ./testdata/histories, 31,349 writes, none lost.
//   - A loss of power is replayed at each moment of a run: what was not synced is lost, whole or
//     in sectors, and the rest must open with each acknowledged post (TestPowerLoss).
//   - Readers of files from elsewhere are fuzzed whenever CI runs (.ci/run).
//   - testdata/score/SCORES.md has how well searches and checks do, each beside a trivial
//     baseline, and what was not run.
//
// # What has failed, and what finds it again
//
// Each fault that lost or leaked something, the test that fails without its repair, and since
// when it is repaired.
//
//   - A file of a database that was opened beside SQLite dropped its locks, and acknowledged
//     writes were lost: TestLocksAreKept, 2026-11-22.
//   - Two names (hard links) of a database lost 20 of 40 acknowledged writes. A file with two
//     names is not written to: TestHardLink, 2026-11-28.
//   - kb sync between two homes lost edits. It is gone; files with conflict markers of git are
//     refused: TestMergeConflict, 2026-11-28.
//   - A server over MCP grew by 2 MB a search: TestMCPMemory, 2026-11-28.
//   - A planted .git (a device, a pipe, 1.5 GB) took all memory, or hung: TestPlanted,
//     2026-11-28.
//   - A board.yaml, or a report that is a link, printed lines of files outside its directory:
//     TestBelow and the script policy_outside, 2026-11-28.
//   - A run's gate was open in one directory and closed in another: TestRecordedPolicy and the
//     script policy_recorded, 2026-11-28.
//   - In PostgreSQL a worker could exchange the names of two runs, and SQL could change a capsule
//     unseen: the script database_roles and TestContentIsChecked, 2026-11-28.
//   - Two of three secrets were stored, and passwords in plain words came back in a session:
//     TestSecretsInStores, 2026-11-28.
//   - Looking at a check in the TUI wrote to the run: TestLookingWritesNothing, 2026-11-28.
//   - Codex was shown answers without their text, and its server worked in another data home
//     than the hooks: TestTextIsWhole and TestCodexPassesVariables, 2026-11-28.
//   - A home of an older program, with that program still running: the script upgrade, 2026-11-28.
//   - Texts in latin-1, windows-1252 and UTF-16 were compared as noise: TestDecode, 2026-11-28.
//   - Notes lost up to 96 % of their words when they were ingested: TestNothingIsLost and the script
//     kb_ingest_vault, 2026-11-28.
//   - A PDF that was updated in place was read as its old version: TestPDFVersions, 2026-11-28.
//   - An import from a clock of 2031 kept its leases: TestLeaseOfAnotherClock, 2026-11-28.
//   - A run that was made anew while others opened the removed one had the wrong files beside it:
//     posts failed with "disk I/O error", and after a removal that was killed in the middle they
//     were lost: TestRemovedWhileOpened and TestRemovalCutShort, 2026-11-29.
//
// # What is not defended against
//
//   - Your own user, root, the kernel, the disk, backups: files are not encrypted, and a process
//     of yours may read and change all of them.
//   - A data home in a directory that others can write to, or on a file system without modes; on
//     Windows the rights of the directory count.
//   - Agents that write what is false, call themselves by another's name, or fill the disk. The
//     log says what was done, not who it truly was.
//   - A model file that is made to do harm: it runs in this process. Take it from a place that
//     you trust.
//   - An $EDITOR, a harness or a browser that does harm with what it is given.
package main
