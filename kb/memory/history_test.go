package memory

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared/potion"
)

// noted is a line of testdata/history.jsonl: an item, when it was put, and what it is.
type noted struct {
	Day        int
	Tier       string
	Title      string
	Content    string
	Importance float64
	TTLDays    int `json:"ttl_days"`
	// Label is unique or critical (said once), wording (the same statement again),
	// paraphrase, contradiction, passing (answers no question), expiring.
	Label string
	Fact  string // which fact it says; two that contradict each other have one
}

// questioned is a line of testdata/history_questions.jsonl.
type questioned struct {
	Day      int
	Session  string
	Question string
	Fact     string // that answers it; "": none does
}

func readLines[T any](t *testing.T, name string) (all []T) {
	t.Helper()
	f := expect.Value(os.Open(filepath.Join("testdata", name)))(t)
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v T
		expect.OK(t, json.Unmarshal(sc.Bytes(), &v))
		all = append(all, v)
	}
	return all
}

// history is eight weeks of a workspace, played.
type history struct {
	*Store
	clock *clock
	notes []noted
	ids   []string       // of the notes
	asked map[string]int // in how many sessions a fact was asked for
}

// playHistory puts what testdata/history.jsonl says on its days, and asks the questions.
func playHistory(t *testing.T, emb embed.Embedder) *history {
	t.Helper()
	h := &history{clock: newClock(), notes: readLines[noted](t, "history.jsonl"), asked: map[string]int{}}
	h.Store = open(t, t.TempDir(), Options{Now: h.clock.now, Embedder: emb, Agent: "worker"})
	questions := readLines[questioned](t, "history_questions.jsonl")
	sessions := map[string]string{}
	for day := range 57 {
		for _, n := range h.notes[len(h.ids):] {
			if n.Day != day {
				break
			}
			it := Item{Tier: n.Tier, Title: n.Title, Content: n.Content, Importance: n.Importance}
			if n.TTLDays > 0 {
				at := h.clock.now().Add(time.Duration(n.TTLDays) * 24 * time.Hour)
				it.Expires = &at
			}
			h.ids = append(h.ids, put(t, h.Store, it).ID)
		}
		h.clock.pass(12 * time.Hour)
		for _, q := range questions {
			if q.Day != day {
				continue
			}
			if sessions[q.Session] == "" {
				c, _ := expect.Values(h.StartConversation(t.Context(), "", q.Session))(t)
				sessions[q.Session] = c.Ref
			}
			read(t, h.Store, Query{Tiers: []string{Workspace, Channel}, Text: q.Question, Conversation: sessions[q.Session]})
			h.asked[q.Fact]++
		}
		h.clock.pass(12 * time.Hour)
	}
	h.Flush(t.Context())
	return h
}

// TestExchangedValuesAreListed: of two short items that are equal but for one value, one may be
// wrong; of two that speak of two things neither is.
func TestExchangedValuesAreListed(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for _, text := range []string{"Sessions are kept in Redis", "Sessions are kept in Memcached", "Alice owns billing", "Bob owns billing", "Each release needs two approvals of owners", "Each release needs one approval of owners",
		"Moved the ledger meeting, Svea is away", "Moved the courier meeting, Svea is away"} {
		put(t, s, Item{Tier: Workspace, Content: text})
	}
	_, clashes, err := s.Groups(t.Context(), nil, 0)
	got := []string{}
	for _, c := range clashes {
		got = append(got, c.Why...)
	}
	slices.Sort(got)
	if want := []string{"Alice against Bob", "Redis against Memcached", "two against one"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %v", got, want, err)
	}
}

// TestHistory holds a tidy-up to eight weeks that were written before it was: nothing
// that was said once is forgotten, what is important stays in sight, what was said again in
// the same words is one, what may not both hold is listed, and what was only shown is not
// promoted.
func TestHistory(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	for name, emb := range map[string]embed.Embedder{"words alone": nil, "potion-base-2M": potion.Open(t)} {
		if name != "words alone" && emb == nil {
			continue
		}
		h := playHistory(t, emb)
		of := map[string]noted{}
		for i, n := range h.notes {
			of[h.ids[i]] = n
		}
		_, clashes := expect.Values(h.Groups(t.Context(), nil, 0))(t)
		flagged, wrong := map[string]bool{}, 0
		for _, c := range clashes {
			if a, b := of[c.Items[0].ID], of[c.Items[1].ID]; a.Fact == b.Fact && a.Label == "contradiction" {
				flagged[a.Fact] = true
			} else {
				t.Logf("%s: %q and %q: %s", name, a.Content, b.Content, c.Why)
				wrong++
			}
		}
		groups, _ := expect.Values(h.Groups(t.Context(), nil, 0))(t)
		grouped := map[string]bool{} // facts with a paraphrase beside them
		for _, g := range groups {
			for i, a := range g.Items {
				for _, b := range g.Items[:i] {
					if a, b := of[a.ID], of[b.ID]; a.Fact == b.Fact && (a.Label == "paraphrase") != (b.Label == "paraphrase") {
						grouped[a.Fact] = true
					}
				}
			}
		}
		pass := consolidate(t, h.Store)
		var lost, away, promoted, shown int
		live := map[string]int{}
		for i, n := range h.notes {
			it := get(t, h.Store, h.ids[i])
			switch {
			case it.Live() && n.Label == "wording":
				live[n.Fact]++
			case it.Forgotten != nil && n.Label != "expiring" && of[it.ReplacedBy].Fact != n.Fact:
				lost++
				t.Errorf("%s: %q is lost: %s", name, n.Content, it.Why)
			case it.Archived != nil:
				away++
				if n.Importance >= ArchiveUnder {
					t.Errorf("%s: %q of importance %g is archived: %s", name, n.Content, n.Importance, it.Why)
				}
				r := read(t, h.Store, Query{Tiers: []string{n.Tier}, Text: n.Content, Archived: true})
				if got := contents(r); len(got) == 0 || !slices.Contains(got, n.Tier+"/"+it.Content) {
					t.Errorf("%s: %q is not found in the archive: %v", name, n.Content, got)
				}
			}
			if it.Lifetime == LongTerm {
				promoted++
				if h.asked[n.Fact] < PromoteSessions {
					shown++
					t.Logf("%s: %q was only shown", name, n.Content)
				}
			}
		}
		several := 0
		for _, n := range live {
			if n > 1 {
				several++
			}
		}
		t.Logf("%s: %d items; lost %d, archived %d; %d facts in several wordings; %d of 20 contradictions listed, and %d others; %d of 10 paraphrases in a group; promoted %d, of them %d because shown; %+v",
			name, len(h.notes), lost, away, several, len(flagged), wrong, len(grouped), promoted, shown, pass)
		if several > 0 || len(flagged) < 18 || wrong > 4 || shown > 2 || promoted < 10 {
			t.Errorf("%s: see above", name)
		}
	}
}
