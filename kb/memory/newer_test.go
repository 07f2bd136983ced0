package memory

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// restated is a fact that was noted, and noted anew without touching the first note.
type restated struct{ old, newer, prompt string }

// tunedOn are the pairs that the judgement was written with, unread those that it was not.
var tunedOn = []restated{
	{"The front end needs Node 20", "The front end builds with Node 22 now",
		"Which Node version does the front end need?"},
	{"Sessions are stored in Redis", "Session storage was moved to Postgres",
		"Where are sessions stored?"},
	{"The gateway listens on port 8080", "The gateway's port is 9443 since the TLS switch",
		"Which port does the gateway listen on?"},
	{"Releases are cut by Marta on Thursdays", "Jonas cuts the releases now, on Tuesdays",
		"Who cuts the releases?"},
	{"Uploads are limited to 10 MB", "Uploads may have up to 25 MB",
		"How large may uploads be?"},
	{"Die Sicherung läuft jede Nacht um 2 Uhr", "Die nächtliche Sicherung läuft jetzt um 4 Uhr",
		"Wann läuft die nächtliche Sicherung?"},
	{"We decided to use Jest for the unit tests",
		"Unit tests run with Vitest, no longer with Jest", "What runs the unit tests?"},
	{"Fixtures live in testdata/fixtures", "Fixtures were moved to internal/fixtures",
		"Where do the fixtures live?"},
	{"Feature branches are merged with a merge commit",
		"Feature branches are squashed when they are merged", "How are feature branches merged?"},
	{"The importer retries 3 times", "The importer retries 5 times before it gives up",
		"How often does the importer retry?"},
	{"Python 3.10 is the minimum for the worker", "The worker requires Python 3.12 at least",
		"What Python does the worker require?"},
	{"The staging database is called shop_stage", "The staging database was renamed to shop_preprod",
		"What is the staging database called?"},
	{"Alerts go to the channel #ops", "Alerts are posted in #oncall instead of #ops",
		"Where do alerts go?"},
	{"Der Server lauscht auf Port 3000", "Der Server lauscht inzwischen auf Port 3100",
		"Auf welchem Port lauscht der Server?"},
	{"Access tokens expire after 60 minutes", "Access tokens live for 15 minutes since the audit",
		"When do access tokens expire?"},
	{"The nightly report is written by cron on host web1",
		"The nightly report is written by a systemd timer on host jobs2",
		"What writes the nightly report?"},
	{"Für Migrationen nehmen wir Flyway", "Migrationen laufen nicht mehr mit Flyway, sondern mit Liquibase",
		"Womit laufen die Migrationen?"},
	{"Terraform state is kept in the bucket tf-state-old",
		"Terraform state is kept in the bucket acme-tf-state", "Where is the Terraform state kept?"},
	{"Pull requests need two approvals", "One approval is enough for pull requests",
		"How many approvals does a pull request need?"},
	{"The product owner is Ms Keller", "Mr Yılmaz is the product owner from October on",
		"Who is the product owner?"},
	{"We deploy to Heroku", "We deploy to Fly.io now", "Where do we deploy to?"},
	{"The search index has 3 shards", "The search index was resharded to 5 shards",
		"How many shards does the search index have?"},
	{"Customer exports are CSV files", "Customer exports are Parquet files as of May",
		"What format do customer exports have?"},
	{"Die Testdaten liegen in test/data", "Die Testdaten liegen jetzt in internal/testdata",
		"Wo liegen die Testdaten?"},
	{"The webhook secret is read from HOOK_SECRET",
		"The webhook secret is read from WEBHOOK_KEY instead of HOOK_SECRET",
		"Where is the webhook secret read from?"},
	{"Ansprechpartner für die Abrechnung ist Frau Sommer",
		"Für die Abrechnung ist seit Juni Herr Winter zuständig",
		"Wer ist für die Abrechnung zuständig?"},
	{"Invoices are numbered per year", "Invoice numbers run through without a break since 2025",
		"How are invoices numbered?"},
	{"The linter is golangci-lint 1.61", "golangci-lint 2.4 is the linter",
		"Which linter version do we use?"},
	{"The mobile app supports iOS 15 and later", "The mobile app needs iOS 17",
		"Which iOS does the mobile app support?"},
	{"Nightly builds are kept for a week", "Nightly builds are kept for three days only",
		"How long are nightly builds kept?"},
}

// unread were written after the judgement, and read once.
var unread = []restated{
	{"Coverage must be at least 70 percent", "The coverage floor was raised to 80 percent",
		"What coverage do we need?"},
	{"Docker images are pushed to Docker Hub", "Docker images are pushed to ghcr.io",
		"Where are Docker images pushed?"},
	{"The cache keeps entries for 5 minutes", "Cache entries live for an hour now",
		"How long does the cache keep entries?"},
	{"Das Release-Fenster ist mittwochs", "Das Release-Fenster ist nicht mehr mittwochs, sondern montags",
		"Wann ist das Release-Fenster?"},
	{"Background jobs are run by Celery", "Background jobs are run by Dramatiq since March",
		"What runs the background jobs?"},
	{"The API version in use is v2", "The API is at v3 now; v2 was switched off",
		"Which API version is in use?"},
	{"The deploy key lies in deploy/key.enc", "The deploy key lies in secrets/deploy.age",
		"Where is the deploy key?"},
	{"We format SQL with sqlfluff", "SQL is formatted with pgFormatter now, sqlfluff was dropped",
		"How do we format SQL?"},
	{"Die Schnittstelle erlaubt 50 Anfragen je Minute",
		"Die Schnittstelle erlaubt 120 Anfragen je Minute", "Wie viele Anfragen erlaubt die Schnittstelle?"},
	{"Support tickets are tracked in Jira", "Support tickets live in Linear these days",
		"Where are support tickets tracked?"},
}

// bothHold are notes of which neither replaces the other: both hold.
var bothHold = []restated{
	{"The API listens on port 8080", "The admin page listens on port 8081", ""},
	{"The staging database runs Postgres 15", "The production database runs Postgres 16 now", ""},
	{"Unit tests run with Vitest", "End-to-end tests run with Playwright now", ""},
	{"The front end needs Node 20", "The front end is deployed from the main branch", ""},
	{"Access tokens expire after 15 minutes", "Refresh tokens expire after 30 days", ""},
	{"Sessions are stored in Redis", "The job queue was moved to Redis", ""},
	{"Uploads are limited to 10 MB", "Uploads are scanned for viruses before they are stored", ""},
	{"Der Server lauscht auf Port 3000", "Der Server wird jetzt mit systemd gestartet", ""},
	{"Alice reviews changes of the parser", "Bob reviews changes of the scheduler", ""},
	{"The importer retries 3 times", "The exporter writes 5 files at once now", ""},
	{"Rate limit of the search API is 100 per minute", "Rate limit of the upload API is 20 per minute", ""},
	{"Logs are kept for 30 days", "Backups are kept for 90 days now", ""},
	{"Feature branches are merged with a merge commit", "Release branches are never merged", ""},
	{"Error messages are written in English", "Error messages are logged with their stack now", ""},
	{"The mobile app supports iOS 15 and later", "The mobile app is tested on Android 14, too", ""},
	{"Nightly builds run at 3 am", "Nightly builds are kept for 3 days", ""},
	{"The build uses Go 1.25", "The build caches modules in CI now", ""},
	{"Sunniva works Mon-Thu, off Fridays", "Sunniva wants patches of 300 changed lines at most", ""},
}

// firstGiven asks a prompt as a hook asks it, and says which form comes first: old, newer,
// both at once never, or none.
func firstGiven(t *testing.T, r restated, asked bool) string {
	t.Helper()
	return firstGivenBy(t, r, asked, nil)
}

func firstGivenBy(t *testing.T, r restated, asked bool, model embed.Embedder, others ...string) string {
	t.Helper()
	tick := newClock()
	s := open(t, t.TempDir(), Options{Now: tick.now, Agent: "claude", Embedder: model})
	for _, other := range append(others, "The lawyer wants the imprint on every page",
		"Marta prefers tables to prose in reports", "Vendored code is not reformatted") {
		put(t, s, Item{Tier: Workspace, Content: other, Importance: .5})
	}
	put(t, s, Item{Tier: Workspace, Content: r.old, Importance: .5})
	tick.pass(30 * 24 * time.Hour)
	put(t, s, Item{Tier: Workspace, Content: r.newer, Importance: .5})
	tick.pass(time.Hour)
	res := expect.Value(s.Read(t.Context(), Query{Tiers: []string{Workspace}, Text: r.prompt,
		Gate: !asked, Untouched: true}))(t)
	for _, h := range res.Slices[0].Hits {
		switch h.Content {
		case r.old:
			return "old"
		case r.newer:
			return "newer"
		}
	}
	return "none"
}

// TestNewerFirst: of ten facts that were noted anew at most one comes in its old form
// first, neither unasked nor in an answer.
func TestNewerFirst(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]restated{"tuned": tunedOn, "unread": unread} {
		for _, asked := range []bool{false, true} {
			var old []string
			given := 0
			for _, r := range set {
				switch firstGiven(t, r, asked) {
				case "old":
					old = append(old, r.old)
				case "newer":
					given++
				}
			}
			if t.Logf("%s, asked %t: newer first %d, old first %d", name, asked, given,
				len(old)); len(old) > 1 || given < 6 {
				t.Errorf("%s, asked %t: the old form first of\n  %s", name, asked,
					strings.Join(old, "\n  "))
			}
		}
	}
}

// inOtherWords are facts that were noted anew in other words.
var inOtherWords = []restated{
	{"Tile images are rendered on host larch", "The rendering of tile images happens on spruce these days, a bigger machine",
		"On which host are tile images rendered?"},
	{"Invoices are numbered per branch office", "Numbers of invoices run through the whole company since May",
		"How are invoices numbered?"},
	{"The parking gate opens for 40 seconds", "At the parking gate, cars have 75 s to pass before it closes",
		"How long does the parking gate open?"},
}

// notAnswered are newer notes that come second: one that has few words of the question, and a
// long one that tells of much else.
var notAnswered = []restated{
	{"The cluster autoscaler on prod is capped at 58 nodes", "Five people hold the role of cluster admin",
		"What is the cluster autoscaler on prod capped at?"},
	{"Six field names are on the map of the school: Cuckoo Ing, Lang Rigg, Far Wandales",
		"The school has its pupils draw a map of every field before the flooding, the sheet hangs in the museum, and those who could not write field names drew what grew there instead",
		"What are the six field names on the map of the school?"},
}

// TestNewerOfTwo: of two answers the newer one is first if it renews the older one, by words alone.
func TestNewerOfTwo(t *testing.T) {
	t.Parallel()
	for _, r := range inOtherWords {
		if first := firstGiven(t, r, true); first != "newer" {
			t.Errorf("%s first of %q and %q", first, r.old, r.newer)
		}
	}
	for _, r := range notAnswered {
		if first := firstGiven(t, r, true); first != "old" {
			t.Errorf("%s first of %q and %q", first, r.old, r.newer)
		}
	}
}

// meaning is a model that knows the direction of some texts; all others have one each.
type meaning map[string]embed.Vector

func (m meaning) Model() embed.Model { return embed.Model{Name: "meaning", Dim: bagDim} }

func (m meaning) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out, err := bag{}.Embed(ctx, texts)
	for i, t := range texts {
		if v, known := m[t]; known {
			out[i] = v
		}
	}
	return out, err
}

// TestNewerNeighbour: of two answers that are neighbours in meaning the newer one is first if it
// tells of a change, whatever other words they have; not if they are far apart, if it only speaks
// of the same thing, or if it says the older one's figure again.
func TestNewerNeighbour(t *testing.T) {
	t.Parallel()
	towards := func(along float32) embed.Vector {
		v := make(embed.Vector, bagDim)
		v[0], v[1] = along, float32(math.Sqrt(float64(1-along*along)))
		return v
	}
	const (
		old     = "The kiln fires at 980 degrees"
		renewed = "Glazes no longer crawl below cone 06: 1,040 degrees, says the potter who rebuilt our kiln"
		again   = "Glazes crawl no longer, potter and apprentice agreed, 980 degrees held in the kiln"
		beside  = "Glazes crawl when it is damp, says the potter who rebuilt our kiln"
		figure  = "How many degrees for the kiln?"
		way     = "How is the kiln fired?"
	)
	for _, c := range []struct {
		question, newer string
		along           float32
		want            string
	}{
		{figure, renewed, .9, "newer"}, {figure, renewed, .8, "newer"}, {figure, renewed, .2, "old"},
		{figure, again, .9, "old"}, {figure, beside, .9, "old"}, {way, beside, .8, "old"},
	} {
		model := meaning{c.question: towards(1), old: towards(.97), c.newer: towards(c.along)}
		if first := firstGivenBy(t, restated{old, c.newer, c.question}, true, model,
			"The kiln at school is 12 degrees off"); first != c.want {
			t.Errorf("%s along %.2f: %s first of %q and %q", c.question, c.along, first, old, c.newer)
		}
	}
}

// TestNearMiss: what speaks of the thing and lacks what is asked for is weak, and so is what
// is less sure than that.
func TestNearMiss(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{})
	for _, c := range []string{"The maintenance contract of the paper guillotine lies in the grey cabinet",
		"Guillotine blades are ground by Hedda each spring", "The guillotine stands in the bindery", "Torby is our other site"} {
		put(t, s, Item{Tier: Workspace, Content: c})
	}
	for question, strong := range map[string]bool{
		"Where is the maintenance contract of the paper guillotine?":          true,
		"Who holds the maintenance contract of the paper guillotine?":         false,
		"How long does the maintenance contract of the paper guillotine run?": false,
		"Who grinds the guillotine blades?":                                   true,
		// a name that another note has, and one that none has
		"What is the maintenance contract of the paper guillotine in Torby?":    false,
		"What is the maintenance contract of the paper guillotine in Fiskholm?": true,
	} {
		res := expect.Value(s.Read(t.Context(), Query{Tiers: []string{Workspace}, Text: question, Untouched: true}))(t)
		any := slices.ContainsFunc(res.Slices[0].Hits, func(h Hit) bool { return !h.Weak })
		if any != strong {
			t.Errorf("%s: strong %t", question, any)
		}
	}
}

// TestStanding: what replaces the other is told from what holds beside it.
func TestStanding(t *testing.T) {
	t.Parallel()
	judged := func(r restated) clash.Standing {
		return (&Item{Content: r.newer}).told().Standing((&Item{Content: r.old}).told())
	}
	for name, set := range map[string][]restated{"tuned": tunedOn, "unread": unread} {
		n := map[clash.Standing]int{}
		for _, r := range set {
			how := judged(r)
			n[how]++
			if testing.Verbose() {
				t.Log(name, how, r.old, "→", r.newer)
			}
		}
		if n[clash.Apart] > 1 || n[clash.Replaces] < len(set)/2 {
			t.Errorf("%s: %d replace, %d are similar, %d apart", name, n[clash.Replaces], n[clash.Similar], n[clash.Apart])
		}
	}
	for _, r := range bothHold {
		if how := judged(r); how == clash.Replaces {
			t.Errorf("%q is said to replace %q", r.newer, r.old)
		}
	}
}

// TestStaleListed: a plan lists the pairs, and put names what is older.
func TestStaleListed(t *testing.T) {
	t.Parallel()
	tick := newClock()
	s := open(t, t.TempDir(), Options{Now: tick.now, Agent: "claude"})
	named := 0
	for _, r := range tunedOn {
		put(t, s, Item{Tier: Workspace, Content: r.old, Importance: .5})
	}
	tick.pass(24 * time.Hour)
	for _, r := range tunedOn {
		st := expect.Value(s.Put(t.Context(), Item{Tier: Workspace, Content: r.newer, Importance: .5},
			PutOptions{}))(t)
		if slices.ContainsFunc(st.Warnings, func(w string) bool { return strings.Contains(w, r.old) }) {
			named++
		}
	}
	plans := expect.Value(s.PlanConsolidation(t.Context(), nil))(t)
	listed := 0
	for _, c := range plans[0].Contradictions {
		if slices.ContainsFunc(tunedOn, func(r restated) bool {
			return c.Items[0].Content == r.old && c.Items[1].Content == r.newer
		}) {
			listed++
		} else {
			t.Errorf("%q is no rival of %q", c.Items[0].Content, c.Items[1].Content)
		}
	}
	if t.Logf("put names %d, the plan lists %d of %d", named, listed, len(tunedOn)); named < 27 ||
		listed < 24 {
		t.Error("too few")
	}
}

// TestStandingAmongOthers: among the notes of three projects that never change, hardly one
// is said to replace another.
func TestStandingAmongOthers(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	wrong, all := 0, 0
	for _, project := range []string{"review", "prose", "operations"} {
		data := expect.Value(os.ReadFile(filepath.Join("..", "..", "testdata", "memory", project, "corpus.jsonl")))(t)
		var said []*clash.Note
		var texts []string
		for line := range strings.Lines(string(data)) {
			var r struct{ Title, Text string }
			expect.OK(t, json.Unmarshal([]byte(line), &r))
			newer := (&Item{Title: r.Title, Content: r.Text}).told()
			for i, older := range said {
				if newer.Standing(older) == clash.Replaces {
					wrong++
					t.Logf("%q\n  is said to replace %q", r.Text, texts[i])
				}
			}
			said, texts, all = append(said, newer), append(texts, r.Text), all+1
		}
	}
	if wrong > 5 {
		t.Errorf("%d of %d notes", wrong, all)
	}
}

// TestOrientNewer: a start page has the note that holds, as important as what it replaces.
func TestOrientNewer(t *testing.T) {
	t.Parallel()
	tick := newClock()
	s := open(t, t.TempDir(), Options{Now: tick.now, Agent: "claude"})
	put(t, s, Item{Tier: Workspace, Content: tunedOn[0].old, Importance: 1})
	tick.pass(24 * time.Hour)
	put(t, s, Item{Tier: Workspace, Content: tunedOn[0].newer, Importance: .5})
	o, err := s.Orient(t.Context(), OrientQuery{Unasked: true})
	if err != nil || strings.Contains(o.Markdown, tunedOn[0].old) || !strings.Contains(o.Markdown,
		"## Critical\n- ") || !strings.Contains(o.Markdown, ", replaces m") {
		t.Errorf("%v:\n%s", err, o.Markdown)
	}
}

// TestAnswersCount: an item that is first for five questions of five sessions, and whose
// words they have, was asked for, although none of the questions is sure; one that only
// shares a word was not.
func TestAnswersCount(t *testing.T) {
	t.Parallel()
	home, tick := t.TempDir(), newClock()
	var it, other Item
	for i, question := range []string{"which Node builds the front end", "front end Node version",
		"what do I need to build the front end", "is Node needed for the front end build",
		"front end build"} {
		s := open(t, home, Options{Now: tick.now, Agent: "claude", Session: string(rune('a' + i))})
		if i == 0 {
			it = put(t, s, Item{Tier: Workspace, Content: "The front end builds with Node 22", Importance: .5})
			other = put(t, s, Item{Tier: Workspace, Content: "The end of the quarter is on Friday", Importance: .5})
		}
		r := read(t, s, Query{Tiers: []string{Workspace}, Text: question})
		if len(r.Slices[0].Hits) == 0 || r.Slices[0].Hits[0].ID != it.ID {
			t.Fatalf("%q: %+v", question, r.Slices)
		}
		s.Flush(t.Context())
		s.Close()
		tick.pass(24 * time.Hour)
	}
	s := open(t, home, Options{Now: tick.now, Agent: "claude"})
	if got := get(t, s, it.ID); got.Accesses < 4 {
		t.Errorf("%d accesses", got.Accesses)
	}
	if got := get(t, s, other.ID); got.Accesses > 0 {
		t.Errorf("what was only shown has %d accesses", got.Accesses)
	}
	plans, err := s.PlanConsolidation(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(plans[0].Steps,
		func(st Step) bool { return st.Op == OpPromote && st.Item == it.ID }) {
		t.Errorf("it is not promoted: %+v, %v", plans, err)
	}
}

// TestOwnNotes: an agent finds, reads whole, corrects and forgets its own journal and core
// memories as it does items; no other agent does.
func TestOwnNotes(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := open(t, home, Options{Agent: "claude"})
	long := "I run the tests before I say that it works" + strings.Repeat(" and read their output", 40)
	note := expect.Value(s.SaveNote(t.Context(), Core, "", long, false))(t)
	r, err := s.Read(t.Context(), Query{Tiers: []string{Workspace}, Own: true,
		Text: "do I run the tests before I say it works"})
	if err != nil || len(r.Slices) != 2 || r.Slices[1].Tier != OwnNotes ||
		r.Slices[1].Hits[0].ID != note.ID || r.Slices[1].Hits[0].Weak {
		t.Errorf("%+v, %v", r, err)
	}
	if it, err := s.Get(t.Context(), note.ID); err != nil || it.Content != long {
		t.Errorf("%+v, %v", it, err)
	}
	other := open(t, home, Options{Agent: "codex"})
	if _, err := other.Get(t.Context(), note.ID); err == nil {
		t.Error("another agent reads it")
	}
	expect.Value(s.Update(t.Context(), note.ID, UpdateOptions{}, func(it *Item) error {
		it.Content = "I run the tests twice"
		return nil
	}))(t)
	if all, err := s.Notes(t.Context(), Core, 0); err != nil || len(all) != 1 ||
		all[0].Content != "I run the tests twice" {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := s.Forget(t.Context(), note.ID, "no longer", ""); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), note.ID); err == nil {
		t.Error("it is still there")
	}
}

// TestCoreLeavesRoom: however many core memories there are, the journal has its part of the
// block and of the document, which says how many more there are and where.
func TestCoreLeavesRoom(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{Agent: "claude"})
	expect.Value(s.SaveNote(t.Context(), Journal, "", "The deploy went wrong on Monday", false))(t)
	for i := range 120 {
		expect.Value(s.SaveNote(t.Context(), Core, "", strings.Repeat("I keep my word. ", 3)+
			string(rune('a'+i%26)), false))(t)
	}
	block, left, err := s.AgentContext(t.Context(), 0)
	if err != nil || left == 0 || !strings.Contains(block, "The deploy went wrong") {
		t.Errorf("%d left, %v:\n%s", left, err, block)
	}
	o, err := s.Orient(t.Context(), OrientQuery{Words: func(st fault.Step) string { return st.Op }})
	if err != nil || !strings.Contains(o.Own, "The deploy went wrong") ||
		!strings.Contains(o.Own, "more (memory.core)") || o.Tokens > DefaultBudget {
		t.Errorf("%d tokens, %v:\n%s", o.Tokens, err, o.Own)
	}
}

// TestImportantGoesFirst: of two that answer nearly as well the more important one goes first; it does
// not pass one that answers better.
func TestImportantGoesFirst(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{Agent: "claude"})
	put(t, s, Item{Tier: Workspace, Content: "Backups of the ledger run at night", Importance: .5})
	high := put(t, s, Item{Tier: Workspace, Content: "The backups of the wiki run at night", Importance: .75})
	put(t, s, Item{Tier: Workspace, Content: "The wiki is read by all, and by night", Importance: 1})
	h := read(t, s, Query{Tiers: []string{Workspace}, Text: "backups at night"}).Slices[0].Hits
	if len(h) != 3 || h[0].ID != high.ID || h[2].Importance != 1 || h[0].Score < h[1].Score {
		t.Errorf("%+v", h)
	}
}
