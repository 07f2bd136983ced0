package main

// helpTopics are help texts that belong to no single command: `board help TOPIC`.
var helpTopics = map[string]string{"capsules": capsulesHelp, "memory": memoryHelp, "topics": topicsHelp}

const capsulesHelp = `What belongs into a capsule, and how it is written

A capsule is one piece of knowledge that will be true, and of use, to somebody who was not there: an agent of another run, in another harness, next month.

  Write it when   you verified it, it cost you something to find out, and it will come up again
  Leave it out    guesses, plans, what this session is about, what the code says at a glance, secrets

  --title         the finding in one line, with the words somebody would search for
  --body          what holds, where it ends, how you know; the command or the lines that show it. A few sentences
  --kind          fact            how something is                            "The API returns at most 100 rows a page"
                  gotcha          what goes wrong, and how to avoid it        "tmux: capture-pane drops trailing spaces without -J"
                  pattern         what works well, again and again            "Write the sidecar first, then the row"
                  anti_pattern    what looks right and is not                 "Do not retry a deferred transaction"
                  recipe          steps that lead there                       "Release: tag, wait for CI, then publish"
                  principle       what to go by when in doubt                 "An absent thing never counts as a good one"
                  doc             a section of a document; board kb ingest makes these
  --scope         workspace       holds in this repository (the default inside of one)
                  project         in all repositories of --project
                  domain          wherever its --domain applies (go, tmux, auth)
                  universal       everywhere
  --source        what a reader checks it against: file:line, a command, a URL. Without one, nobody can
  --confidence    1 proven by a test or a run, 0.9 seen with your own eyes, 0.7 well founded, 0.5 likely. Curation keeps the more certain of two
  --verified-by   who or what verified it: a role, a run, a test
  --tags          few and lower case, as others use them: board kb list --tag TAG
  --supersedes    the capsule that this one replaces: it leaves the searches and stays in the history

  board kb remember --title "Tests: run generate first" --kind gotcha --source Makefile:12 --confidence 0.9 --tags tests,make \
      "go test ./... fails on a fresh clone with 'undefined: schema' until make generate has run: the file is not checked in."

What is there already, by its title or by its meaning, is refused with its id (exit 6): read it, then --supersedes it if yours is better, or edit it.
What looks like a secret is refused too (exit 6): say where it is kept instead.

Each capsule is a file, kb/capsules/ID.md in the data home: front matter, then the body. The files are the truth; the database mirrors them and makes them
searchable. Edit one at any time: the next command picks it up, and what it was stays in board kb history. A file that cannot be read is moved to
kb/quarantine, and the capsule stays as it was. Remove a file, and the capsule is retired. board kb rebuild makes the database anew.
`
