package clash

import (
	"strings"
	"testing"
	"unicode/utf8"

	"blackboard/board/fault"
)

// clashPairs are pairs of short texts about one thing, and whether they contradict each
// other. The code was mended with them, so what is measured on them flatters it.
var clashPairs = []struct {
	a, b string
	// what the reason must say; "": none; "missed": they clash, and it is not seen;
	// "wrong": they do not, and it says so
	clash string
}{
	// numbers
	{"The request timeout is 30 s", "The request timeout is 60 s",
		"30 s and 60 s: timeout request"},
	{"The gateway gives up after 30 seconds", "The gateway gives up after 2 minutes",
		"30 seconds and 2 minutes"},
	{"The index holds 4,500,000 rows", "The index holds about 6 million rows",
		"4,500,000 rows and 6 million rows"},
	{"The migration costs $4.5M", "The migration costs $5.4 million",
		"$4.5M and $5.4 million"},
	{"Cache hits are at 85% on the build server",
		"Cache hits are at 58 percent on the build server", "85% and 58 percent"},
	{"The API listens on port 8080", "The API listens on port 9090", "8080 and 9090"},
	{"Uploads are limited to 10 MB", "Uploads are limited to 25MB", "10 MB and 25MB"},
	{"The worker retries three times", "The worker retries 5 times",
		"three times and 5 times"},
	{"max_connections=100 in production", "max_connections=250 in production", "100 and 250"},
	{"A batch has at most 50 items", "A batch has at most 500 items",
		"50 items and 500 items"},
	{"Tokens live for 15 minutes.", "Token lifetime: tokens live for an hour, that is 60 minutes.",
		"15 minutes and 60 minutes"},
	// versions and dates
	{"The build needs Go v1.22", "The build needs Go v1.26", "v1.22 and v1.26"},
	{"The bug was fixed in version 2.3.1", "The bug was fixed in version 2.4.0",
		"2.3.1 and 2.4.0"},
	{"The certificate expires on 2026-03-01", "The certificate expires on April 1, 2026",
		"2026-03-01 and April 1, 2026"},
	{"The old API is switched off in March 2026", "The old API is switched off in June 2026",
		"March 2026 and June 2026"},
	// negation
	{"The client retries failed requests", "The client does not retry failed requests",
		"“retries” is denied"},
	{"Commit the generated files", "Never commit the generated files",
		"“commit” is denied"},
	{"The parser supports comments", "The parser no longer supports comments",
		"“supports” is denied"},
	{"The tests run without network access", "The tests run with network access",
		"“network” is denied"},
	{"Use rg instead of grep in the scripts", "Use grep instead of rg in the scripts", "against"},
	{"Workers can share one connection", "Workers cannot share one connection",
		"“share” is denied"},
	{"The daemon isn't needed for a search", "The daemon is needed for a search",
		"“needed” is denied"},
	{"Avoid global state in handlers", "Global state in handlers is fine", "missed"},
	{"Do not deploy before the migration", "Do not deploy after the migration",
		"“before” against “after”"},
	// opposites
	{"Compression is enabled by default", "Compression is disabled by default",
		"“compression” is denied"},
	{"The map is safe for concurrent use", "The map is unsafe for concurrent use",
		"“safe” against “unsafe”"},
	{"Set strict mode to true in CI", "Set strict mode to false in CI", "“true” against “false”"},
	{"The title field is required", "The title field is optional", "“required” against “optional”"},
	{"Writes are synchronous on this queue", "Writes are asynchronous on this queue",
		"“synchronous” against “asynchronous”"},
	{"A bigger batch increases latency", "A bigger batch decreases latency",
		"“increases” against “decreases”"},
	{"Run the migration before the deploy", "Run the migration after the deploy",
		"“before” against “after”"},
	{"Always quote the paths in hooks", "Never quote the paths in hooks",
		"“quote” is denied"},
	{"The firewall allows outgoing mail", "The firewall denies outgoing mail",
		"“allows” against “denies”"},
	{"You must lock the file first", "You must not lock the file first", "“lock” is denied"},
	{"WAL mode is turned on for the store", "WAL mode is turned off for the store",
		"“turned” is denied"},
	{"Names are case-sensitive in the config", "Names are case-insensitive in the config",
		"“sensitive” against “insensitive”"},
	{"The endpoint returns a list", "The endpoint returns an object", "missed"},
	{"Sessions are kept in Redis", "Sessions are kept in Postgres", "missed"},

	// no clash: the same in other words
	{"The request timeout is 30 s", "Requests time out after 30 seconds", ""},
	{"The request timeout is 60 s", "The request timeout is one minute: 1 min", ""},
	{"The index holds 4,500,000 rows", "The index holds 4.5M rows", ""},
	{"Compression is not enabled by default", "Compression is disabled by default", ""},
	{"The map is not safe for concurrent use", "The map is unsafe for concurrent use", ""},
	{"Never commit the generated files", "Do not commit the generated files", ""},
	{"Avoid global state in handlers", "Do not use global state in handlers", ""},
	{"Do not deploy without running the migration", "Deploy with the migration run", ""},
	{"Run the migration before the deploy", "The deploy comes after the migration", ""},
	{"Do not deploy before the migration", "Deploy after the migration", ""},
	{"The title field is required", "The title field is mandatory", ""},
	{"The build needs Go v1.22", "The build needs Go v1.22.0", ""},
	{"The certificate expires on 2026-03-01", "The certificate expires on March 1, 2026", ""},
	{"The certificate expires in March 2026", "The certificate expires on 2026-03-01", ""},
	{"Uploads are limited to 1 GB", "Uploads are limited to 1024 MiB", ""},
	{"The worker does not start until the lock is free",
		"The worker starts when the lock is free", ""},
	// no clash: more detail, or about something else
	{"The request timeout is 30 s",
		"The request timeout is 30 s, and it is retried 3 times with a pause of 5 s", ""},
	{"The read timeout is 30 s", "The write timeout is 60 s", ""},
	{"The pool has 10 connections", "The pool is closed after 30 s", ""},
	{"Latency at p50 is 12 ms", "Latency at p99 is 80 ms", ""},
	{"Staging has 2 replicas", "Production has 6 replicas", ""},
	{"The bug is in auth.go:42", "The bug is in auth.go:57, called from auth.go:42", ""},
	{"The client retries failed requests",
		"The client retries failed requests, but not those without a key", ""},
	{"Use rg, not grep", "Use rg, since it skips ignored files and does not follow links", ""},
	{"Caching is enabled in production and disabled in development",
		"Caching is disabled in development", ""},
	{"The store needs at least 2 GB of memory",
		"The store needs 8 GB of memory for a million rows", "wrong"},
	{"Tokens live for 15 minutes (measured on 2026-01-10)",
		"Tokens live for 15 minutes (checked on 2026-02-20)", ""},
	{"A minimum of 3 nodes is needed", "A maximum of 9 nodes is allowed", ""},
	{"See issue 41 about the flaky test", "See issue 57 about the flaky test", ""},
	{"The hook must answer within 300 ms", "The hook answers in 40 to 90 ms", "wrong"},
	{"The build takes about 4 minutes", "The build takes 250 s", ""},
	{"Hashes are made with SHA-256", "Hashes are made with SHA-256, and cut to 16 bytes", ""},
	{"tmux panes are numbered from 0", "tmux windows can be renamed with a key", ""},
	{"The lock is not released when the process is killed",
		"The lock is released when the process exits", "wrong"},
	{"Do not run the tests as root", "Run the tests with the race detector", "wrong"},
	{"The cache lives 10 minutes for users", "The cache lives 60 minutes for guests", "wrong"},
}

type clashPair struct {
	a, b  string
	clash bool
}

// clashLonger are pairs in the way capsules are written, judged before they were tried.
// On first sight precision was 0.71 and recall 0.75; two rules were made of what was
// wrong then (the search API is not the upload API; what is ruled out in an aside), so
// they count as seen.
var clashLonger = []clashPair{
	// they contradict each other
	{"SQLite busy timeout. The store opens its database with a busy timeout of 5 s, so that two writers wait for each other.", "SQLite busy timeout. Two writers of the store wait for each other for 10 s, then one of them fails: that is the busy timeout.", true},
	{"Deploys of the payment service need a manual approval in the pipeline.",
		"The payment service is deployed with no manual approval since the pipeline was rebuilt.", true},
	{"The linter ignores files below vendor.",
		"The linter does not ignore files below vendor: exclude them by hand.", true},
	{"chezmoi templates are rendered at apply time only.",
		"chezmoi templates are not rendered at apply time, but when they are added.", true},
	{"Rate limit of the search API: 100 requests per minute for each key.",
		"Rate limit of the search API: each key may send 60 requests per minute.", true},
	{"Feature flags are read once at start. A change needs a restart of the worker.",
		"Feature flags are read for each request. A change needs no restart of the worker.", true},
	{"tmux capture-pane keeps the escape sequences with -e.",
		"tmux capture-pane drops the escape sequences with -e.", true},
	{"The nightly job begins at 02:00 and takes 45 minutes.",
		"The nightly job takes 3 hours, so nothing may be deployed before five.", true},
	{"Foreign keys are off in SQLite unless a pragma turns them on.",
		"Foreign keys are on in SQLite from the beginning.", true},
	{"The vector index is exact below 1,000 capsules.",
		"The vector index is exact below 5,000 capsules, and approximate above.", true},
	{"The embedding model makes vectors of 384 dimensions.",
		"The embedding model makes vectors of 768 dimensions.", true},
	{"Retries of the webhook are idempotent: the key is sent each time.",
		"Retries of the webhook are not idempotent, since no key is sent.", true},
	{"Support for Python 3.8 ends in October 2024.",
		"Support for Python 3.8 ends in October 2025.", true},
	{"Sessions survive a restart of the daemon.",
		"Sessions are lost in a restart of the daemon.", true},
	{"Hooks run in parallel, in no fixed order.",
		"Hooks run one after the other, in the order of the file.", true},
	{"The config file is optional: there are defaults for everything.",
		"A config file must be there, or the program refuses to start.", true},
	{"Errors of the mailer are logged and swallowed.",
		"Errors of the mailer are never swallowed: they reach the caller.", true},
	{"Snapshots older than 30 days are deleted.",
		"Snapshots are kept for 90 days, then deleted.", true},
	{"The staging cluster has autoscaling enabled with 2 to 6 nodes.",
		"Autoscaling is not enabled in the staging cluster.", true},
	{"make check runs the race detector.",
		"make check does everything but the race detector, which is too slow.", true},
	// they do not
	{"SQLite busy timeout. The store opens its database with a busy timeout of 5 s.",
		"The store waits five seconds for a locked database (busy timeout), then says who holds the lock.", false},
	{"Deploys of the payment service need a manual approval in the pipeline.",
		"No deploy of the payment service happens without a manual approval.", false},
	{"The linter ignores files below vendor.", "Files below vendor are not linted.", false},
	{"Rate limit of the search API: 100 requests per minute for each key.",
		"Rate limit of the upload API: 10 requests per minute for each key.", false},
	{"Feature flags are read once at start. A change needs a restart of the worker.",
		"A changed feature flag has no effect until the worker is restarted, which takes 20 s.", false},
	{"The nightly job takes 45 minutes.", "The weekly job takes 3 hours.", false},
	{"The vector index is exact below 1,000 capsules.",
		"Up to 1,000 capsules every vector is compared; 10,000 capsules take 4 ms.", false},
	{"The embedding model makes vectors of 384 dimensions.",
		"Vectors of the embedding model have 384 dimensions and take 1,536 bytes each.", false},
	{"The API returns 404 for an unknown user.",
		"The API returns 403 for a user without rights.", false},
	{"Do not call os.Exit in a test: deferred calls are not run.",
		"Call t.Fatal in a test instead of os.Exit, so that deferred calls are run.", false},
	{"Never build SQL from text that users type.",
		"Build SQL with placeholders, never from what users type.", false},
	{"The build was slow before the cache was added: 14 minutes.",
		"With the cache the build takes 3 minutes.", false},
	{"Go maps are not safe for concurrent use.",
		"Guard a map with a mutex if several goroutines use it.", false},
	{"The worker must be stopped before the migration.",
		"Stop the worker, then migrate, then start it again.", false},
	{"Images are pulled from the registry at 10.0.0.5.",
		"The registry needs 200 GB of disk for the images of 30 days.", false},
	{"Use a lock file to keep two daemons from starting.",
		"A lock file keeps a second daemon from starting; it is not removed at the end.", false},
	{"Flaky: TestWatch fails about 1 of 50 runs under load.",
		"TestWatch is flaky under load; 20 runs in a row passed on an idle machine.", false},
	{"The parser accepts trailing commas in lists.",
		"The parser accepts trailing commas in lists but not in objects.", false},
	{"Backups are encrypted with age before the upload.",
		"After they are encrypted with age, backups are uploaded.", false},
	{"gofmt is run by the hook, so nobody has to run it.",
		"The commit hook runs gofmt and go vet; it needs 2 s.", false},
	{"Logs are kept 14 days in production.", "Logs are kept in production for two weeks.", false},
	{"Pin the base image to a digest, not a tag.",
		"Base images are pinned to their digest since a tag may move.", false},
}

// clashHeldOut were judged before they were tried too, and no rule was made of them:
// what is measured here is what to expect.
var clashHeldOut = []clashPair{
	{"The import reads files of up to 64 MB; larger ones are refused.",
		"The import refuses files larger than 256 MB.", true},
	{"The scheduler runs jobs in the local time zone.",
		"The scheduler does not run jobs in the local time zone but in UTC.", true},
	{"A capsule title may have 300 bytes at most.",
		"The title of a capsule is cut after 120 bytes.", true},
	{"Integration tests need Docker.",
		"Integration tests do not need Docker any more: they use a fake.", true},
	{"The proxy buffers responses by default.",
		"By default the proxy streams responses without buffering them.", true},
	{"The lock file must never be deleted, even after a crash.",
		"After a crash the lock file has to be deleted by hand.", true},
	{"JSON keys of the API are sorted.", "JSON keys of the API are unsorted.", true},
	{"The release branch was cut on 3 May 2026.",
		"The release branch was cut on 10 May 2026.", true},
	{"Node 18 is the oldest version the plugin runs on.",
		"Node 20 is the oldest version the plugin runs on.", true},
	{"Metrics are sent every 10 seconds.", "Metrics are sent once a minute, every 60 s.", true},
	{"Secrets are stored in plain text in the dev database.",
		"Secrets in the dev database are encrypted.", true},
	{"Clear the cache after the schema change.",
		"Clear the cache before the schema change.", true},
	{"Webhooks may arrive twice.", "Each webhook arrives exactly once.", true},
	{"Admins can delete any run.", "Admins cannot delete runs of others.", true},
	{"The import reads files of up to 64 MB; larger ones are refused.",
		"Files above 64 MB are refused by the import: split them first.", false},
	{"The scheduler runs jobs in UTC.", "Jobs run in UTC, not in local time.", false},
	{"A capsule title may have 300 bytes at most.",
		"A capsule body may have 64 KB at most.", false},
	{"Integration tests need Docker.", "Without Docker the integration tests fail.", false},
	{"The lock file must never be deleted, even after a crash.",
		"Do not delete the lock file: it is taken over after a crash.", false},
	{"JSON keys of the API are sorted.",
		"The API sorts the keys of its JSON, which takes 2 ms for 10,000 keys.", false},
	{"The release branch was cut on 3 May 2026.", "The release of May 2026 has 14 fixes.", false},
	{"Metrics are sent every 10 seconds.", "Metrics are kept for 30 days.", false},
	{"Clear the cache after the schema change.",
		"After a schema change stale rows stay in the cache until it is cleared.", false},
	{"The flag --force is needed to overwrite a run.",
		"A run is not overwritten unless --force is given.", false},
	{"Do not log request bodies: they hold tokens.",
		"Request bodies hold tokens and are masked before they are logged.", false},
	{"The first search takes 800 ms, since the model is loaded.",
		"A warm search takes 6 ms.", false},
	{"Admins can delete any run.", "Users who are no admins cannot delete runs.", false},
	{"Retry with a pause of 1 s, 2 s and 4 s.",
		"The pause between retries doubles: 1 s, 2 s, 4 s.", false},
}

// TestClashJudged measures longer texts, and holds what was reached.
func TestClashJudged(t *testing.T) {
	for _, set := range []struct {
		name              string
		pairs             []clashPair
		precision, recall float64
	}{{"longer", clashLonger, 0.8, 0.7}, {"held out", clashHeldOut, 0.8, 0.85}} {
		var found, missed, wrong int
		for _, p := range set.pairs {
			a, b := Text{Title: fault.Clip(p.a, 100), Body: p.a},
				Text{Title: fault.Clip(p.b, 100), Body: p.b}
			got := Reasons(a, b)
			if len(Reasons(b, a)) > 0 != (len(got) > 0) {
				t.Errorf("not symmetric: %q | %q", p.a, p.b)
			}
			switch {
			case p.clash && len(got) > 0:
				found++
			case p.clash:
				missed++
				t.Logf("missed: %q | %q", p.a, p.b)
			case len(got) > 0:
				wrong++
				t.Logf("wrong: %q | %q: %s", p.a, p.b, strings.Join(got, "; "))
			}
		}
		precision, recall := float64(found)/float64(found+wrong),
			float64(found)/float64(found+missed)
		t.Logf("%s: %d pairs, precision %.2f (%d of %d), recall %.2f (%d of %d)", set.name,
			len(set.pairs), precision, found, found+wrong, recall, found, found+missed)
		if precision < set.precision || recall < set.recall {
			t.Errorf("%s: precision %.2f or recall %.2f is worse than it was",
				set.name, precision, recall)
		}
	}
}

// FuzzClash: any two texts can be compared, either way round, and a text never clashes
// with itself.
func FuzzClash(f *testing.F) {
	for _, p := range clashPairs {
		f.Add(p.a, p.a, p.b, p.b)
	}
	for _, p := range clashLonger {
		f.Add(p.a, "", "", p.b)
	}
	f.Add("0", "That retries failed request", "Some client does not retry failed requests",
		"The client does not retry failed requests")
	f.Add("C te 85% on the build s", "Cats are at 85% on the build server",
		"Cache hits are at 58 percent on the build server", "Cache hits are at 58 percent@on the build\x12server")
	f.Add("\xff 1.2.3.4 v", "99999999999999999999999999999999999 kb -1 $ € v1..2",
		"1e999 2026-99-99 March 99, 2026", "before after, not not without")
	f.Fuzz(func(t *testing.T, title, body, title2, body2 string) {
		a, b := Text{Title: title, Body: body}, Text{Title: title2, Body: body2}
		x, y := Reasons(a, b), Reasons(b, a)
		if len(x) > 0 != (len(y) > 0) || len(x) > maxReasons {
			t.Fatalf("%q | %q", x, y)
		}
		for _, reason := range x {
			if reason == "" || !utf8.ValidString(reason) || strings.ContainsAny(reason, "\n\r") {
				t.Fatalf("%q", reason)
			}
		}
		if c := a.Claims(); len(Reasons(a, a))+len(ReasonsOf(c, c)) > 0 {
			t.Fatal("it clashes with itself")
		}
	})
}

// TestClash measures the table, and holds what was reached.
func TestClash(t *testing.T) {
	var found, missed, wrong, quiet int
	for _, p := range clashPairs {
		a, b := Text{Title: p.a, Body: p.a}, Text{Title: p.b, Body: p.b}
		got := Reasons(a, b)
		says := strings.Join(got, "; ")
		should := p.clash != "" && p.clash != "wrong"
		switch {
		case should && len(got) > 0:
			found++
			if p.clash != "missed" && !strings.Contains(says, p.clash) {
				t.Errorf("%q | %q: %q, not %q", p.a, p.b, says, p.clash)
			}
		case should:
			missed++
			if p.clash != "missed" {
				t.Errorf("missed: %q | %q", p.a, p.b)
			}
		case len(got) > 0:
			wrong++
			if p.clash == "" {
				t.Errorf("wrong: %q | %q: %s", p.a, p.b, says)
			}
		default:
			quiet++
		}
		if len(Reasons(b, a)) > 0 != (len(got) > 0) {
			t.Errorf("not symmetric: %q | %q", p.a, p.b)
		}
	}
	t.Logf("%d pairs: precision %.2f (%d of %d), recall %.2f (%d of %d)", len(clashPairs),
		float64(found)/float64(found+wrong), found, found+wrong,
		float64(found)/float64(found+missed), found, found+missed)
}
