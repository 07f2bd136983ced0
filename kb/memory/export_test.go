package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// exported returns a document.
func exported(t testing.TB, s *Store, opt ExportOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	got := expect.Value(s.Export(t.Context(), &b, opt))(t)
	if got.Bytes != int64(b.Len()) || !json.Valid(b.Bytes()) {
		t.Errorf("%+v for a document of %d bytes", got, b.Len())
	}
	return b.Bytes()
}

func imported(t testing.TB, s *Store, doc []byte, opt ImportOptions) Imported {
	t.Helper()
	got, err := s.Import(t.Context(), bytes.NewReader(doc), opt)
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return got
}

// total adds up what became of records.
func total(got Imported) (n ImportCounts) {
	for _, c := range got.Counts {
		n.Stored, n.Unchanged, n.Kept, n.Refused = n.Stored+c.Stored, n.Unchanged+c.Unchanged, n.Kept+c.Kept, n.Refused+c.Refused
	}
	return n
}

// TestExportImport moves a memory to another machine, and there and back again. An export of the
// copy says the same, to the byte.
func TestExportImport(t *testing.T) {
	m := furnish(t)
	doc, want := exported(t, m.person, everything), exportText(t, m.person, everything)
	home, c := t.TempDir(), newClock()
	c.pass(time.Hour)
	copied := open(t, home, Options{Now: c.now, Embedder: bag{}})
	dry := imported(t, copied, doc, ImportOptions{DryRun: true})
	if _, err := os.Stat(Dir(home)); err == nil {
		t.Error("a dry run makes files")
	}
	got := imported(t, copied, doc, ImportOptions{})
	if !maps.Equal(dry.Counts, got.Counts) || len(dry.Refused) > 0 || !dry.DryRun || got.DryRun {
		t.Errorf("the dry run says %+v\nthe import %+v", dry, got)
	}
	if n := total(got); n.Refused+n.Kept > 0 || n.Unchanged != 1 || got.Counts[listItems].Stored != 66 ||
		got.Counts[listNotes].Stored != 10 ||
		got.Counts[listScratch].Stored != 4 || got.Counts[listNamed].Stored != 3 || got.Counts[listConversations].Stored != 2 || got.Counts[listChannels] != (ImportCounts{Stored: 1, Unchanged: 1}) {
		t.Errorf("%+v", got)
	}
	if !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, m.person.Workspace()) }) || !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "48 items have no embedding") }) {
		t.Errorf("notes: %q", got.Notes)
	}
	// The default channel was made when the file was: nobody exports that.
	sameButGeneral := func(a, b string) bool {
		general := func(line string) bool { return strings.HasPrefix(line, `{"name":"general"`) }
		return without(a, general) == without(b, general)
	}
	once := exportText(t, copied, everything)
	if !sameButGeneral(once, want) {
		t.Errorf("the copy has\n%s\nwant\n%s", once, want)
	}
	indexAgrees(t, copied)
	c.pass(time.Hour)
	got = imported(t, copied, doc, ImportOptions{})
	if n := total(got); n.Stored+n.Kept+n.Refused > 0 {
		t.Errorf("a second time: %+v", got)
	}
	if twice := exportText(t, copied, everything); twice != once {
		t.Errorf("a second import makes\n%s\nof\n%s", twice, once)
	}
	// And back home, where everything is.
	if n := total(imported(t, m.person, exported(t, copied, everything), ImportOptions{})); n.Stored+n.Kept+n.Refused > 0 {
		t.Errorf("back home: %+v", n)
	}
	if back := exportText(t, m.person, everything); back != want {
		t.Errorf("back home there is\n%s\nwant\n%s", back, want)
	}
	// It works there as it did here: agents find what is theirs, forgotten things stay forgotten,
	// changes go on from their revisions.
	bob := open(t, home, Options{Agent: "bob", Now: c.now})
	if got := contents(read(t, bob, Query{Tiers: []string{Workspace}, Text: "privately"})); len(got) == 0 || slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, "alice says") && !strings.Contains(c, "better") }) {
		t.Errorf("bob finds %q", got)
	}
	if notes, err := bob.Notes(t.Context(), "", 0); err != nil || len(notes) != 4 {
		t.Errorf("bob's notes: %+v, %v", notes, err)
	}
	if it, err := copied.Get(t.Context(), m.gone.ID); err != nil || it.ReplacedBy != m.kept.ID || it.Rule != RuleAsked || it.Revision != 2 {
		t.Errorf("%+v, %v", it, err)
	}
	if u, err := copied.Update(t.Context(), m.kept.ID, UpdateOptions{}, func(it *Item) error { it.Content += "!"; return nil }); err != nil || u.Item.Revision != 2 {
		t.Errorf("%+v, %v", u, err)
	}
	if n, err := copied.EditNamed(t.Context(), Voice, "", "version 3", 2); err != nil || n.Revision != 3 {
		t.Errorf("%+v, %v", n, err)
	}
	if was, err := copied.NamedRevisions(t.Context(), Voice, ""); err != nil || len(was) != 1 || was[0].Revision != 2 {
		t.Errorf("%+v, %v", was, err)
	}
	if conv, again, err := open(t, home, Options{Agent: "alice", Now: c.now}).StartConversation(t.Context(), "research", "thread-0"); err != nil || !again || conv.Ref != m.conv {
		t.Errorf("%+v, %v, %v", conv, again, err)
	}
	if evs, err := copied.Events(t.Context(), Workspace, m.gone.ID, 0); err != nil || len(evs) > 1 {
		t.Errorf("%+v, %v", evs, err)
	}
	if r, err := copied.Reembed(t.Context(), 0, nil); err != nil || r.Left != 0 || r.Embedded == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	indexAgrees(t, copied)
}

// TestExportSelects tries every choice: nothing is exported that the caller may not read, or did
// not ask for.
func TestExportSelects(t *testing.T) {
	m := furnish(t)
	ctx := t.Context()
	expired := put(t, m.person, Item{Tier: Workspace, Content: "soon over", Expires: new(newClock().now().Add(time.Hour))})
	later := newClock()
	later.pass(2 * time.Hour)
	carol := open(t, m.home, Options{Agent: "carol", Now: later.now})
	narrow := open(t, m.home, Options{Agent: "alice", Now: later.now, Tiers: []string{Workspace, Conversation}})
	none := open(t, m.home, Options{Workspace: "none", Agent: "alice", Now: later.now})
	person := open(t, m.home, Options{Now: later.now})
	type doc struct {
		Workspace string
		Tiers     []string
		Channels  []channelRecord
		Items     []itemRecord
		Named     []Named
		Notes     []noteRecord
		Scratch   []scratchRecord
	}
	for _, c := range []struct {
		what  string
		s     *Store
		opt   ExportOptions
		items string // tiers of them, whose, how many; forgotten ones with a star
		rest  string // channels, named, notes, scratch
	}{
		{"an agent", m.alice, ExportOptions{},
			"account/ 6, account/alice 1, channel/ 12, channel/alice 2, conversation/ 12, conversation/alice 2, workspace/ 7, workspace/alice 1", "2 3 4 2"},
		{"an agent, later", narrow, ExportOptions{},
			"conversation/ 12, conversation/alice 2, workspace/ 6, workspace/alice 1", "0 2 2 2"},
		{"an agent without anything of its own", carol, ExportOptions{Tiers: []string{Account, Workspace}},
			"account/ 6, workspace/ 6", "0 3 0 0"},
		{"no workspace", none, ExportOptions{}, "account/ 6, account/alice 1", "0 1 2 0"},
		{"a person", person, ExportOptions{}, "account/ 6, channel/ 12, conversation/ 12, workspace/ 6", "2 3 0 0"},
		{"a person, of the conversations", person, ExportOptions{Tiers: []string{Conversation}}, "conversation/ 12",
			"1 0 0 0"},
		{"what is forgotten", narrow, ExportOptions{Forgotten: true, Tiers: []string{Workspace}},
			"workspace/ 7, workspace/* 3, workspace/alice 1", "0 2 3 0"},
		{"no tier", person, ExportOptions{Tiers: []string{}}, "", "0 0 0 0"},
		{"everything of the account", person, ExportOptions{Forgotten: true, Everything: true,
			Tiers: []string{Account}}, "account/ 6, account/* 3, account/alice 1, account/bob 1", "0 1 4 0"},
	} {
		var d doc
		expect.OK(t, json.Unmarshal(exported(t, c.s, c.opt), &d))
		counts := map[string]int{}
		for _, it := range d.Items {
			star := ""
			if it.Forgotten != nil {
				star = "*"
			}
			counts[it.Tier+"/"+it.Agent+star]++
			if it.ID == expired.ID && c.s.opt.Now().After(*expired.Expires) && !c.opt.Forgotten {
				t.Errorf("%s: what has expired is there", c.what)
			}
			if !slices.Contains(d.Tiers, it.Tier) {
				t.Errorf("%s: an item of the %s tier, and the tiers %q", c.what, it.Tier, d.Tiers)
			}
		}
		var items []string
		for _, k := range slices.Sorted(maps.Keys(counts)) {
			items = append(items, fmt.Sprint(k, " ", counts[k]))
		}
		if got := strings.Join(items, ", "); got != c.items {
			t.Errorf("%s: items %s\nwant %s", c.what, got, c.items)
		}
		if got := fmt.Sprint(len(d.Channels), len(d.Named), len(d.Notes), len(d.Scratch)); got != c.rest {
			t.Errorf("%s: %s, want %s", c.what, got, c.rest)
		}
		for _, n := range d.Notes {
			if n.Agent != c.s.Agent() && !c.opt.Everything {
				t.Errorf("%s: %+v", c.what, n)
			}
		}
		for _, n := range d.Scratch {
			if n.Agent != c.s.Agent() && !c.opt.Everything {
				t.Errorf("%s: %+v", c.what, n)
			}
		}
		if d.Channels == nil || d.Items == nil || d.Tiers == nil {
			t.Errorf("%s: a list is null", c.what)
		}
	}
	for what, err := range map[string]error{
		"everything, by an agent":    second(m.alice.Export(ctx, &bytes.Buffer{}, everything)),
		"a tier that is not granted": second(narrow.Export(ctx, &bytes.Buffer{}, ExportOptions{Tiers: []string{Account}})),
	} {
		if !errors.Is(err, fault.Denied) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := second(m.alice.Export(ctx, &bytes.Buffer{}, ExportOptions{Tiers: []string{"all"}})); !errors.Is(err, fault.Invalid) {
		t.Errorf("an unknown tier: %v", err)
	}
	if err := second(m.alice.Export(ctx, fullWriter{}, ExportOptions{})); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
	if got, err := open(t, t.TempDir(), Options{}).Export(ctx, &bytes.Buffer{}, ExportOptions{}); err != nil || got.Counts[listItems] != 0 {
		t.Errorf("nothing: %+v, %v", got, err)
	}
	// Accesses that are not written yet are part of it.
	read(t, m.person, Query{Tiers: []string{Account}, Text: "says account elsewhere"})
	if doc := exported(t, m.person, ExportOptions{Tiers: []string{Account}}); !bytes.Contains(doc, []byte(`"access_count":1`)) {
		t.Errorf("accesses: %s", doc)
	}
}

func second[T any](_ T, err error) error { return err }

var errFull = errors.New("no space left")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

// edited changes an export as somebody might by hand.
func edited(t testing.TB, doc []byte, edit func(map[string]any)) []byte {
	t.Helper()
	var d map[string]any
	expect.OK(t, json.Unmarshal(doc, &d))
	edit(d)
	return expect.Value(json.Marshal(d))(t)
}

// records returns a list of a document.
func records(d map[string]any, list string) []map[string]any {
	var all []map[string]any
	for _, r := range d[list].([]any) {
		all = append(all, r.(map[string]any))
	}
	return all
}

func (badReader) Read([]byte) (int, error) { return 0, errFull }
