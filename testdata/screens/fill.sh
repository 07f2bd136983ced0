# shellcheck shell=bash
# What fills a data home with something to look at: a run of three workers who audit a small service, what they have learned, and what they remember. make.sh sources it.
#
# fill needs the program `board` on the path, BOARD_HOME, an empty data home, BOARD_WORKSPACE, a directory, BOARD_RUN, and no other setting of the program. Everything but
# times and random ids is the same each time.

fill() (
  umask 077 # as the program has it: a data home is its owner's alone
  mkdir -p "$BOARD_HOME" "$BOARD_WORKSPACE"
  exec >/dev/null
  fill_findings
  fill_questions
  fill_knowledge
  fill_memory
)

# post WORKER TEXT FLAGS… puts a finding on the board, signal WORKER TEXT FLAGS… a question. Ids count from 1: e1, e2, … and s1, s2, ….
post() { board post "$2" --worker "$1" "${@:3}"; }
signal() { board signal "$2" --worker "$1" "${@:3}"; }

fill_findings() {
  board new --worker checker --goal "May partners sign in through our session service from March on?"
  # e1 to e5: what the two who read found first. A log contradicts the runbook.
  post reader-1 "Session tokens never expire: the expiry is stored, and nothing reads it" \
    --source-doc auth/session.go --source-ref 88 --evidence 'if s.UserID != "" { return s, nil }' --confidence 0.95 --tags auth,sessions --must-surface
  post reader-1 "Tokens are 32 random bytes: they cannot be guessed" \
    --source-doc auth/token.go --source-ref 21 --evidence 'rand.Read(token[:32])' --confidence 1 --tags auth
  post reader-2 "Signing keys are rotated every month" \
    --source-doc ops/runbook.md --source-ref Keys --evidence "Keys rotate on the first of each month." --confidence 0.9 --tags keys,operations
  post reader-1 "Signing out deletes the browser's cookie and leaves the session in the store" \
    --source-doc auth/logout.go --source-ref 34 --confidence 0.9 --tags auth,sessions --supports e1
  post reader-2 "The last rotation of a signing key was 14 months ago" \
    --source-doc cron/rotate.log --source-ref "last line" --evidence "rotated: key 7 is current" --confidence 1 --tags keys,operations --contradicts e3
  signal reader-2 "Who rotates the signing keys now, and how?" --priority critical --origin e5

  # e6 to e9: limits and capacity.
  post reader-1 "Sign-ins are limited to 5 a minute for each address, not for each account" \
    --source-doc gateway/limits.yaml --source-ref 12 --evidence "key: remote_addr" --confidence 0.95 --tags limits --must-surface
  signal reader-1 "Has anybody tried accounts from many addresses already?" --priority critical --origin e6
  post checker "The load test reached 420 sign-ins a second before the 99th percentile rose above 200 ms" \
    --source-doc load-test.csv --source-ref "rows 300 to 340" --confidence 0.85 --tags capacity
  post reader-2 "Partners expect at most 150 sign-ins a second, all together" \
    --source-doc partners.xlsx --source-ref "sheet 2" --confidence 0.8 --tags capacity,partners
  signal reader-2 "Does the partners' peak fit beside our own?" --priority high --origin e8
  board address s3 "420 measured less 190 of our own at peak leaves 230 a second, more than the 150 that partners expect" \
    --worker checker --type calculation --source-doc metrics.json --source-ref "peak of a year" --confidence 0.9 --tags capacity --supports e7

  # e10 to e13: operations, texts, the contract.
  post reader-1 "The session store is one node without a replica, with a snapshot every 15 minutes" \
    --source-doc deploy/store.tf --source-ref 9 --evidence "replicas = 0" --confidence 1 --tags operations,sessions --must-surface
  post reader-1 "The Chinese messages tell whether an account exists: 会话已过期 for one that does, 账户不存在 for one that does not" \
    --source-doc web/errors.zh.json --source-ref "7, 12" --evidence '"unknown": "账户不存在"' --confidence 0.95 --tags auth,texts --must-surface
  post reader-2 "Sign-in events are kept for 30 days" --source-doc logging/retention.yaml --source-ref 4 --evidence "sign_in: 30d" --confidence 1 --tags audit
  post reader-2 "The contract asks for 180 days of sign-in events" \
    --source-doc partner-contract.pdf --source-ref "§ 7.2" --evidence "for at least one hundred and eighty (180) days" --confidence 1 --tags audit,partners --must-surface
  signal reader-2 "Can sign-in events be kept for 180 days before March?" --priority high --origin e13
}

fill_questions() {
  # e14 to e18: the most urgent question is answered, others come up.
  post checker "Key 7 signs, and keys 1 to 6 are still accepted" --type analysis --source-doc auth/keys.go --source-ref 57 --confidence 0.95 --tags keys --supports e5
  board address s1 "Nobody: the job went away with the old scheduler, and no other team has taken it over" \
    --worker checker --source-doc tickets/ops-412.md --source-ref "comment 3" --confidence 0.9 --tags keys,operations --supports e5 --must-surface
  post reader-1 "Let sessions end after 12 hours, and delete the stored one at sign-out: one change, in auth/session.go" \
    --type strategy --source-doc auth/session.go --source-ref "60 to 110" --confidence 0.7 --tags sessions --supports e1
  post checker "On narrow screens the second factor is asked for by 🔒 alone, without a word" \
    --source-doc web/second-factor.css --source-ref 18 --confidence 0.8 --tags web
  signal reader-1 "Does the narrow prompt keep people from signing in?" --priority medium --origin e17
  board waive s5 "Partners sign in at their own pages and never see it; the web team has it on its list" --worker checker
  post reader-2 "Nobody has restored the session store from a snapshot" --type gap --source-doc ops/runbook.md --source-ref Restore --confidence 0.9 --tags operations
  signal reader-2 "How long does a restore take?" --priority low --origin e18

  # e19 to e25: attempts, a second contradiction, a better number, and what it comes to.
  post checker "A test account took 3,000 attempts in a minute from 600 addresses, and none was refused" \
    --source-doc attempts.csv --source-ref "all rows" --confidence 0.95 --tags limits --supports e6 --must-surface
  post reader-2 "Snapshots are copied to a second region every night" --source-doc deploy/backup.tf --source-ref 22 --confidence 0.9 --tags operations
  post checker "The newest copy in the second region is five weeks old: the bucket was renamed, and the job goes on with exit code 0" \
    --source-doc backup/objects.txt --source-ref "first line" --confidence 1 --tags operations --contradicts e20
  post reader-2 "Partners expect 150 sign-ins a second together, and 210 in the week of the launch" \
    --source-doc mail/partners-4.txt --source-ref "second paragraph" --confidence 0.9 --tags capacity,partners --supersedes e8
  post checker "In the week of the launch 20 sign-ins a second are left: 230 less 210" \
    --type calculation --source-doc metrics.json --confidence 0.85 --tags capacity,partners --supports e22 --must-surface
  post reader-1 "Count attempts for each account as well as for each address: the gateway can do both" \
    --type strategy --source-doc gateway/README.md --source-ref "Composite keys" --confidence 0.8 --tags limits --supports e6
  post checker "Keys, limits and the end of sessions have to be settled before March; the rest can follow" \
    --type analysis --confidence 0.75 --tags summary --supports e1 --supports e15 --supports e19

  board claim s2 --worker checker --lease 8h
  board state set phase checking --worker checker
  board state set documents_read 21 --worker reader-2
}

# capsule TITLE FLAGS… stores one whose body is standard input.
capsule() { board kb remember - --title "$1" --worker checker "${@:2}"; }

fill_knowledge() {
  capsule "A backup job can end with exit code 0 though nothing was copied" --kind gotcha --scope universal \
    --source backup/objects.txt --confidence 1 --verified-by checker --tags backup,operations --ref board:sessions-audit/e21 <<'BODY'
The copy to a **renamed bucket** fails for each object, and the job only counts objects it has *tried*.

Do not ask the job, ask the target:

```sh
store list --region second --newest 1    # older than a day: it has failed
```
BODY
  capsule "Rate limits by address do not protect an account" --kind gotcha --scope domain --domain auth \
    --source gateway/limits.yaml:12 --confidence 0.95 --verified-by checker --tags limits,auth --ref board:sessions-audit/e19 <<'BODY'
`key: remote_addr` counts each address by itself. From 600 addresses one account took 3,000 attempts in a minute.

- count by account **and** by address
- let a second factor's failures count too
BODY
  capsule "Translated error messages can tell whether an account exists" --kind gotcha --scope domain --domain auth,texts \
    --source web/errors.zh.json:7 --confidence 0.9 --verified-by reader-1 --tags texts,auth <<'BODY'
The English texts were made equal, the Chinese ones were not: 会话已过期 (session expired) and 账户不存在 (no such account).

Compare the texts of *all* languages for the two cases, not of the one you read.
BODY
  capsule "The session store is one node, with a snapshot every 15 minutes" --kind fact \
    --source deploy/store.tf:9 --confidence 1 --verified-by reader-1 --tags sessions,operations <<'BODY'
`replicas = 0`. If it is lost, everybody is signed out, and up to 15 minutes of sessions do not come back from the snapshot.
BODY
  capsule "Partners sign in at their own pages, and have no password here" --kind fact --scope project --project turnstile \
    --source docs/partners.md --confidence 0.9 --verified-by reader-2 --tags partners,auth <<'BODY'
They come back with an identity token of their own provider. What our sign-in page shows does not concern them; limits, sessions and sign-in events do.
BODY
  capsule "Rotate a signing key by hand" --kind recipe --source auth/keys.go:57 --confidence 0.8 --verified-by checker --tags keys,operations <<'BODY'
1. Add the new key beside the old ones; it is accepted at once and signs nothing yet.
2. Wait until each instance says so: `turnstile keys --count` is one more everywhere.
3. Make it the one that signs.
4. After the longest session has ended, take the oldest key away.

> Steps 1 and 3 in one release sign people out: an instance that is still old refuses what a new one has signed.
BODY
  capsule "Measure how many sign-ins a second the service takes" --kind recipe --source load-test.csv --confidence 0.85 --verified-by checker --tags capacity,tests <<'BODY'
Raise the rate by 20 a second each minute, and stop when the 99th percentile is above 200 ms:

| rate | 99th percentile |
| ---- | --------------- |
| 380  | 96 ms           |
| 420  | 198 ms          |
| 440  | 610 ms          |

What partners may have is that less our own peak of a year (`metrics.json`).
BODY
  capsule "A log outweighs a runbook" --kind principle --scope universal \
    --source cron/rotate.log --confidence 0.9 --verified-by checker --tags method --ref board:sessions-audit/e5 <<'BODY'
A runbook says what somebody meant to happen. Where it matters, look for the trace that it *did*: a line in a log, an object in a bucket, a date.
BODY
}

fill_memory() {
  local conversation
  # The author's.
  board memory named edit --author --reason "the pictures" VOICE "Plain words and short sentences. Numbers with their units. Say what was not looked at."
  board memory put "Reports go to the platform team and to the partners' lead" --importance high --lifetime long_term --tags reports
  board memory put "Times in reports are in UTC" --tier account --lifetime long_term --tags reports
  # What the workers remember in a channel, in a conversation of theirs and for the whole workspace.
  board memory channel create sessions --description "The session service: audit, keys, limits"
  conversation=$(board memory conversation start --channel sessions --thread audit-of-march --agent checker --quiet)
  board memory put "The staging gateway forgets its counters when it is restarted" --agent checker --tags limits,staging --importance high
  board memory put "The platform team answers on weekdays before noon" --agent reader-2 --ttl 30d --tags people
  board memory put "Read auth/ before gateway/: limits only make sense with the sessions in mind" --tier channel --channel sessions --agent reader-1 --tags method
  board memory put "The partners' launch is in the second week of March 🚀" --tier channel --channel sessions --agent reader-2 --importance critical --tags partners
  board memory put "reader-2 waits for the log archive, asked for at noon" --tier conversation --conversation "$conversation" --agent checker
  board memory scratch write plan '{"next": "s2", "then": ["s4", "s6"]}' --conversation "$conversation" --agent checker
  board memory scratch write addresses 600 --conversation "$conversation" --agent checker
  board memory scratch write ask "which archive has the gateway's log" --text --conversation "$conversation" --agent checker
  # The checker's own.
  board memory journal "Took the runbook's word for the rotation, and lost an hour. Next time the log first." --agent checker
  board memory journal "The load test needs the gateway's limits off: 40 minutes of 429 otherwise" --agent checker
  board memory core "I check what others have found, and say how I checked it" --agent checker
  board memory core "A number without its source is a rumour" --agent checker
}
