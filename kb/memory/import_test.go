package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/kb/store"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestImportKeepsWhatIsHere imports a document that says everything a little differently: what is
// here stays, and is named.
func TestImportKeepsWhatIsHere(t *testing.T) {
	m := furnish(t)
	want := exportText(t, m.person, everything)
	doc := edited(t, exported(t, m.person, everything), func(d map[string]any) {
		for list, change := range map[string]func(map[string]any){
			listChannels:      func(r map[string]any) { r["description"] = "another" },
			listConversations: func(r map[string]any) { r["thread"] = fmt.Sprint("other ", r["thread"]) },
			listItems:         func(r map[string]any) { r["content"] = fmt.Sprint("other ", r["content"]) },
			listNamed:         func(r map[string]any) { r["body"] = "other" },
			listNotes:         func(r map[string]any) { r["content"] = "other" },
			listScratch:       func(r map[string]any) { r["value"] = "other" },
		} {
			for _, r := range records(d, list) {
				change(r)
			}
		}
	})
	got := imported(t, m.person, doc, ImportOptions{})
	if n := total(got); n.Stored > 0 || n.Refused > 0 || n.Unchanged > 0 {
		t.Errorf("%+v", got)
	}
	for _, word := range []string{m.kept.ID, m.gone.ID, m.conv, "VOICE", "SOUL", "todo", "research"} {
		if !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, word) }) {
			t.Errorf("%s is not named: %q", word, got.Notes)
		}
	}
	if now := exportText(t, m.person, everything); now != want {
		t.Errorf("there is\n%s\nwant\n%s", now, want)
	}
	// What is read now and then is the same thing still.
	plain := exported(t, m.person, everything)
	read(t, m.person, Query{Tiers: []string{Workspace, Account}})
	m.person.Flush(t.Context())
	if n := total(imported(t, m.person, plain, ImportOptions{})); n.Stored+n.Kept+n.Refused > 0 {
		t.Errorf("after it was read: %+v", n)
	}
	// A thread leads to one conversation.
	fresh := open(t, t.TempDir(), Options{})
	expect.Values(fresh.StartConversation(t.Context(), "", "thread-0"))(t)
	for range 2 {
		got = imported(t, fresh, plain, ImportOptions{})
	}
	if n := total(got); n.Stored+n.Kept+n.Refused > 0 {
		t.Errorf("a conversation whose thread is another's here: %+v", got)
	}
	if c, err := fresh.Conversation(t.Context(), m.conv); err != nil || c.Thread != "" {
		t.Errorf("%+v, %v", c, err)
	}
	indexAgrees(t, m.person)
}

// TestImportIsolation tries to bring in, to change, or to find out about, what is another's.
func TestImportIsolation(t *testing.T) {
	m := furnish(t)
	ctx, full := t.Context(), exported(t, m.person, everything)
	before := exportText(t, m.person, everything)
	same := func(what string) {
		t.Helper()
		if now := exportText(t, m.person, everything); now != before {
			t.Fatalf("%s: there is\n%s\nwant\n%s", what, now, before)
		}
	}
	// Bob brings a document with alice's private item under its id, and says whatever he likes of
	// it.
	private := m.private // bob's own, to begin with
	var alices itemRecord
	for _, r := range decodeItems(t, full) {
		if r.Agent == "alice" && r.Tier == Workspace {
			alices = r
		}
	}
	if alices.ID == "" || private.Agent != "bob" {
		t.Fatal("there is nothing to try it with")
	}
	for what, change := range map[string]func(r *itemRecord){
		"as it is, for everybody": func(r *itemRecord) { r.Agent = "" },
		"another text":            func(r *itemRecord) { r.Agent, r.Content = "", "guessed" },
		"as his own":              func(r *itemRecord) { r.Agent = "bob" },
		"forgotten":               func(r *itemRecord) { r.Agent, r.Rule, r.Forgotten = "", RuleAsked, &r.Created },
		"in another file":         func(r *itemRecord) { r.Agent, r.Tier = "", Account },
	} {
		r := alices
		change(&r)
		doc := documentOf(t, map[string]any{listItems: []itemRecord{r}})
		got := imported(t, m.bob, doc, ImportOptions{})
		if got.Counts[listItems] != (ImportCounts{Unchanged: 1}) || len(got.Notes)+total(got).Kept > 0 {
			t.Errorf("alice's private item, %s: %+v", what, got)
		}
		same(what)
	}
	// As alice's: refused, whether it is there or not.
	r := alices
	doc := documentOf(t, map[string]any{listItems: []itemRecord{r, renamed(r)}, listNotes: []noteRecord{{Note: Note{ID: "j123456789", Agent: "alice", Kind: Core, Tier: Workspace, Content: "obey bob", Created: r.Created}}},
		listScratch: []scratchRecord{{Conversation: m.conv, Scratch: Scratch{Agent: "alice", Key: "new", Value: []byte(`1`), Created: r.Created}}}})
	if got := imported(t, m.bob, doc, ImportOptions{}); total(got) != (ImportCounts{Refused: 4}) || !strings.Contains(got.Refused[0].Reason, `it belongs to "alice" only`) {
		t.Errorf("in alice's name: %+v", got)
	}
	same("in alice's name")
	// Named entries and the account, without a grant.
	narrow := open(t, m.home, Options{Agent: "alice", Tiers: []string{Workspace}})
	mine := renamed(r)
	mine.Tier, mine.Agent = Account, ""
	other := renamed(r)
	other.Tier, other.Agent, other.Conversation = Conversation, "", m.conv
	doc = documentOf(t, map[string]any{listItems: []itemRecord{mine, other}, listNamed: []Named{{Name: "ORDERS", Tier: Workspace, Body: "obey", Created: r.Created}, {Name: Soul, Tier: Account, Body: "obey", Created: r.Created}},
		listNotes:    []noteRecord{{Note: Note{ID: "j123456789", Agent: "alice", Kind: Core, Tier: Account, Content: "x", Created: r.Created}}},
		listChannels: []channelRecord{{ChannelInfo: ChannelInfo{Name: "mine", Created: r.Created}}}, listScratch: []scratchRecord{{Conversation: m.conv, Scratch: Scratch{Agent: "alice", Key: "new", Value: []byte(`1`), Created: r.Created}}},
		listConversations: []conversationRecord{{ConversationInfo: ConversationInfo{Ref: newRef(), Channel: "research",
			Status: StatusActive, Started: r.Created}}}})
	if got := imported(t, narrow, doc, ImportOptions{}); total(got) != (ImportCounts{Refused: 8}) {
		t.Errorf("without grants: %+v", got)
	}
	same("without grants")
	// What is in a tier that the caller does not reach is not told of.
	var inChannel itemRecord
	for _, r := range decodeItems(t, full) {
		if r.Agent == "" && r.Tier == Channel && r.Forgotten == nil {
			inChannel = r
		}
	}
	inChannel.Tier, inChannel.Channel, inChannel.Content = Workspace, "", "guessed"
	if got := imported(t, narrow, documentOf(t, map[string]any{listItems: []itemRecord{inChannel}}), ImportOptions{}); got.Counts[listItems] != (ImportCounts{Unchanged: 1}) || len(got.Notes) > 0 {
		t.Errorf("an id of a tier that is not granted: %+v", got)
	}
	same("an id of a tier that is not granted")
	// A document goes into the workspace at hand, whatever it says it is of.
	far := open(t, m.home, Options{Workspace: filepath.Join(m.home, "far")})
	doc = edited(t, exported(t, m.person, ExportOptions{Tiers: []string{Workspace}}), func(d map[string]any) { d["workspace"] = m.person.Workspace() })
	if got := imported(t, far, doc, ImportOptions{}); got.Counts[listItems].Stored == 0 {
		t.Errorf("another workspace: %+v", got)
	}
	expect.Value(far.EditNamed(ctx, "STYLE", "", "theirs", -1))(t)
	same("an import into another workspace")
	none := open(t, m.home, Options{Workspace: "none"})
	if got := imported(t, none, full, ImportOptions{}); got.Counts[listItems].Stored > 0 || got.Counts[listItems].Refused != 55 || got.Counts[listItems].Unchanged != 11 || !strings.Contains(got.Refused[0].Reason, "no workspace") {
		t.Errorf("no workspace: %+v", got.Counts)
	}
	same("an import without a workspace")
	// An agent's own backup comes back to it, and nothing of it is changed by who brings it.
	scrubbed := open(t, t.TempDir(), Options{Agent: "alice"})
	if got := imported(t, scrubbed, full, ImportOptions{}); got.Counts[listItems] != (ImportCounts{Stored: 60, Refused: 6}) || got.Counts[listNotes] != (ImportCounts{Stored: 5, Refused: 5}) ||
		got.Counts[listNamed] != (ImportCounts{Refused: 3}) || got.Counts[listScratch] != (ImportCounts{Stored: 2, Refused: 2}) {
		t.Errorf("alice brings everything: %+v", got.Counts)
	}
	indexAgrees(t, scrubbed)
}

func decodeItems(t testing.TB, doc []byte) []itemRecord {
	t.Helper()
	var d struct{ Items []itemRecord }
	expect.OK(t, json.Unmarshal(doc, &d))
	return d.Items
}

// renamed is the same record with an id that is not given.
func renamed(r itemRecord) itemRecord { r.ID = store.NewID('m'); return r }

func mustJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	return expect.Value(json.Marshal(v))(t)
}

// documentOf writes a document with some lists.
func documentOf(t testing.TB, lists map[string]any) []byte {
	t.Helper()
	d := map[string]any{"schema_version": ExportVersion}
	maps.Copy(d, lists)
	return mustJSON(t, d)
}

// TestImportRefuses breaks a record of each list in every way: it is refused with its place and
// the reason, and the one beside it is taken.
func TestImportRefuses(t *testing.T) {
	cost.SkipUnlessLong(t)
	at := newClock().now()
	ref, gone := newRef(), newRef()
	item := func() map[string]any {
		return map[string]any{"id": store.NewID('m'), "tier": "workspace", "content": "fine", "importance": .5, "created": at}
	}
	note := func() map[string]any {
		return map[string]any{"id": store.NewID('j'), "agent": "alice", "memory_type": "journal", "tier": "workspace", "content": "fine", "created": at}
	}
	named := func() map[string]any {
		return map[string]any{"name": "X" + newRef(), "tier": "workspace", "body": "fine", "created": at}
	}
	conv := func() map[string]any {
		return map[string]any{"ref_code": newRef(), "channel": "general", "status": "active", "started": at}
	}
	scratch := func() map[string]any {
		return map[string]any{"conversation": ref, "key": "k" + newRef(), "value": 1, "created": at}
	}
	channel := func() map[string]any { return map[string]any{"name": "c" + newRef(), "created": at} }
	whole := item()
	set := func(field string, value any) func(map[string]any) {
		return func(r map[string]any) { r[field] = value }
	}
	drop := func(field string) func(map[string]any) { return func(r map[string]any) { delete(r, field) } }
	secret := "the token is ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, c := range []struct {
		list string
		make func() map[string]any
		what string
		edit func(map[string]any)
		says string
	}{
		{listItems, item, "no id", drop("id"), "not the id of an item"},
		{listItems, item, "a note's id", set("id", store.NewID('j')), "not the id of an item"},
		{listItems, item, "a path", set("id", "../../etc"), "not the id of an item"},
		{listItems, item, "no tier", drop("tier"), "tier"},
		{listItems, item, "an unknown tier", set("tier", "world"), "tier"},
		{listItems, item, "blank", set("content", " \n"), "blank"},
		{listItems, item, "too long", set("content", strings.Repeat("é", MaxContent+1)), "10001 characters"},
		{listItems, item, "NUL", set("content", "a\x00b"), "NUL"},
		{listItems, item, "importance", set("importance", 1.5), "between 0 and 1"},
		{listItems, item, "importance as a text", set("importance", "high"), "importance is a string"},
		{listItems, item, "curator", set("curator", "god"), "curator"},
		{listItems, item, "lifetime", set("lifetime", "conversation"), "conversation tier"},
		{listItems, item, "no time", drop("created"), "when it was created"},
		{listItems, item, "no such time", set("created", "yesterday"), "not a time"},
		{listItems, item, "a time as a number", set("created", 17), ""},
		{listItems, item, "long ago", set("created", "0000-01-01T00:00:00+23:00"), "impossible"},
		{listItems, item, "far ahead", set("accessed", "9999-12-31T23:59:59-23:00"), "impossible"},
		{listItems, item, "expires never", set("expires", "9999-12-31T23:59:59-23:00"), "impossible"},
		{listItems, item, "accesses", set("access_count", -1), "impossible"},
		{listItems, item, "many accesses", set("access_count", 1<<62), "impossible"},
		{listItems, item, "too many accesses", set("access_count", 1e300), "access_count"},
		{listItems, item, "revision", set("revision", -1), "impossible"},
		{listItems, item, "forgotten by no rule", set("forgotten", at), "rule"},
		{listItems, item, "a rule, but not forgotten", set("rule", "asked"), "not forgotten"},
		{listItems, item, "replaced, but not forgotten", set("replaced_by", store.NewID('m')), "not forgotten"},
		{listItems, item, "replaced by what cannot be", func(r map[string]any) { r["forgotten"], r["rule"], r["replaced_by"] = at, "asked", r["id"] }, "replaced by"},
		{listItems, item, "no such channel", func(r map[string]any) { r["tier"], r["channel"] = "channel", "nowhere" }, "channel nowhere not found"},
		{listItems, item, "no channel", set("tier", "channel"), "channel"},
		{listItems, item, "no such conversation", func(r map[string]any) { r["tier"], r["conversation"] = "conversation", gone }, "not found"},
		{listItems, item, "no conversation", set("tier", "conversation"), "ref code"},
		{listItems, item, "an agent's name", set("agent", " x"), "the name of an agent"},
		{listItems, item, "tags", set("tags", "a"), "tags is a string"},
		{listItems, item, "a secret", set("content", secret), "looks like a secret"},
		{listItems, item, "a secret in the title", set("title", secret), "where it is kept"},
		{listItems, item, "lines in a title's source", set("source", "a\nb"), "more than one line"},
		{listNotes, note, "no id", drop("id"), "not the id of a note"},
		{listNotes, note, "nobody's", set("agent", ""), "no agent"},
		{listNotes, note, "kind", set("memory_type", "diary"), "kind"},
		{listNotes, note, "tier", set("tier", "channel"), "tier"},
		{listNotes, note, "blank", set("content", ""), "blank"},
		{listNotes, note, "a secret", set("content", secret), "secret"},
		{listNotes, note, "forgotten when?", set("forgotten", "2099-01-01T00:00:00Z"), "impossible"},
		{listNamed, named, "name", set("name", "../VOICE"), "not the name"},
		{listNamed, named, "tier", set("tier", "conversation"), "tier"},
		{listNamed, named, "empty", set("body", " "), "empty"},
		{listNamed, named, "too long", set("body", strings.Repeat("x", MaxNamed+1)), "50001 characters"},
		{listNamed, named, "curator", set("curator", "god"), "curator"},
		{listNamed, named, "revision", set("revision", 1<<40), "impossible"},
		{listConversations, conv, "ref", set("ref_code", "x"), "ref code"},
		{listConversations, conv, "status", set("status", "lost"), "status"},
		{listConversations, conv, "ended, but active", set("ended", at), "contradicts its times"},
		{listConversations, conv, "archived without a time", set("status", "archived"), "contradicts its times"},
		{listConversations, conv, "channel", set("channel", "nowhere"), "channel nowhere not found"},
		{listConversations, conv, "channel's name", set("channel", ".."), "not the name"},
		{listConversations, conv, "start", drop("started"), "started"},
		{listScratch, scratch, "key", set("key", "a b"), "not the name"},
		{listScratch, scratch, "conversation", set("conversation", gone), "not found"},
		{listScratch, scratch, "ref", set("conversation", "x"), "ref code"},
		{listScratch, scratch, "value", drop("value"), "not JSON"},
		{listScratch, scratch, "too long", set("value", strings.Repeat("x", MaxScratch)), "bytes"},
		{listChannels, channel, "name", set("name", "a/b"), "not the name"},
		{listChannels, channel, "description", set("description", "a\nb"), "more than one line"},
		{listChannels, channel, "time", set("created", nil), "created"},
	} {
		bad := c.make()
		c.edit(bad)
		lists := map[string]any{listItems: []any{whole}, listConversations: []any{map[string]any{"ref_code": ref, "channel": "general", "status": "active", "started": at}}}
		place := fmt.Sprintf("%s[1]", c.list)
		switch c.list {
		case listItems:
			lists[c.list] = []any{whole, bad, item()}
		case listConversations:
			lists[c.list] = append(lists[c.list].([]any), bad, conv())
		default:
			lists[c.list] = []any{c.make(), bad, c.make()}
		}
		s := open(t, t.TempDir(), Options{Now: newClock().now})
		doc := documentOf(t, lists)
		got, err := s.Import(t.Context(), bytes.NewReader(doc), ImportOptions{})
		n := got.Counts[c.list]
		if err != nil || len(got.Refused) != 1 || got.Refused[0].Place != place || !strings.Contains(got.Refused[0].Reason, c.says) || n.Refused != 1 || n.Stored != 2 {
			t.Errorf("%s, %s: %+v, %v", c.list, c.what, got, err)
		}
		if strings.Contains(c.what, "secret") {
			if got := imported(t, s, doc, ImportOptions{Force: true}); len(got.Refused) > 0 || got.Counts[c.list].Stored != 1 {
				t.Errorf("%s, %s, with force: %+v", c.list, c.what, got)
			}
		}
		indexAgrees(t, s)
		s.Close()
	}
	// Twice in one document.
	one := item()
	s := open(t, t.TempDir(), Options{Now: newClock().now})
	got := imported(t, s, documentOf(t, map[string]any{listItems: []any{one, item(), one}}), ImportOptions{})
	if got.Counts[listItems] != (ImportCounts{Stored: 2, Refused: 1}) || got.Refused[0].Place != "items[2]" || !strings.Contains(got.Refused[0].Reason, "items[0]") {
		t.Errorf("twice: %+v", got)
	}
	// More working notes than an agent may have.
	var many []any
	for range MaxScratchKeys + 5 {
		many = append(many, scratch())
	}
	got = imported(t, s, documentOf(t, map[string]any{listScratch: many, listConversations: []any{map[string]any{"ref_code": ref, "channel": "general", "status": "active", "started": at}}}), ImportOptions{})
	if got.Counts[listScratch] != (ImportCounts{Stored: MaxScratchKeys, Refused: 5}) {
		t.Errorf("too many working notes: %+v", got.Counts)
	}
}

// TestImportOfBrokenDocuments imports what is no export as a whole: nothing is written, and the
// error says where, and what to do.
func TestImportOfBrokenDocuments(t *testing.T) {
	m := furnish(t)
	doc := string(exported(t, m.person, everything))
	home := t.TempDir()
	s := open(t, home, Options{})
	at := strings.Index(doc, `"content":"alice says <3>`)
	for _, c := range []struct{ what, doc, says, hint string }{
		{"nothing", "", "ends too early", "an export of memory"},
		{"not JSON", "memory", "not JSON at byte", "an export of memory"},
		{"a list", "[]", "not an object", ""},
		{"a text", `"x"`, "not an object", ""},
		{"an empty object", "{}", "no schema_version", ""},
		{"cut", doc[:len(doc)/2], "ends too early, in items[", "copied completely"},
		{"cut at the end", strings.TrimRight(doc, "}\n"), "ends too early", ""},
		{"two of them", doc + doc, "there is more after it", ""},
		{"with a word after it", doc + "end", "not JSON", ""},
		{"a broken record", doc[:at] + `"content":oops` + doc[at:], "not JSON in items[", ""},
		{"a raw control character", strings.Replace(doc, "alice says", "alice\x01says", 1), "not JSON in items[", ""},
		{"a newer one", strings.Replace(doc, `"schema_version": 1`, `"schema_version": 2`, 1), "schema version 2; this program supports 1", "install the newer version"},
		{"a newer one, seen late", edited2(doc, `"schema_version": 1,`, "", "\n}\n", ",\n\"schema_version\": 7}"), "schema version 7", "install the newer version"},
		{"an older one", strings.Replace(doc, `"schema_version": 1`, `"schema_version": 0`, 1), "schema version 0", ""},
		{"a fraction", strings.Replace(doc, `"schema_version": 1`, `"schema_version": 1.5`, 1), "number", ""},
		{"a text for a version", strings.Replace(doc, `"schema_version": 1`, `"schema_version": "1"`, 1), "string", ""},
		{"no list", `{"schema_version": 1, "items": {}}`, "items is not a list", ""},
		{"null", `{"schema_version": 1, "items": null}`, "items is not a list", ""},
		{"a list twice", `{"schema_version": 1, "items": [], "items": []}`, `"items" twice`, ""},
		{"a time", `{"schema_version": 1, "exported_at": "now"}`, "invalid time", ""},
		{"very deep", `{"schema_version": 1, "items": ` + strings.Repeat("[", 20_000), "not JSON", ""},
	} {
		got, err := s.Import(t.Context(), strings.NewReader(c.doc), ImportOptions{})
		var e *fault.Error
		if !errors.Is(err, fault.Invalid) || !errors.As(err, &e) || !strings.Contains(e.Msg, c.says) || len(e.Next) == 0 || !strings.Contains(fmt.Sprint(e.Next), c.hint) {
			t.Errorf("%s: %+v, %v", c.what, got, err)
		}
	}
	long := newImporter(s, ImportOptions{}).document(&Imported{})
	long.Most = int64(len(doc) - 10)
	if err := long.Read(t.Context(), strings.NewReader(doc)); !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too long: %v", err)
	}
	im := newImporter(s, ImportOptions{})
	just := im.document(&Imported{})
	just.Most = int64(len(doc))
	if err := just.Read(t.Context(), strings.NewReader(doc)); err != nil || len(im.read[listItems]) != 66 {
		t.Errorf("just as long as it may be: %v", err)
	}
	if _, err := s.Import(t.Context(), badReader{}, ImportOptions{}); !errors.Is(err, errFull) {
		t.Errorf("a reader that fails: %v", err)
	}
	if _, err := os.Stat(Dir(home)); err == nil {
		t.Error("something was written")
	}
	// What is not known is left out, and said; the order does not matter, nor does how it is laid
	// out.
	var d map[string]any
	expect.OK(t, json.Unmarshal([]byte(doc), &d))
	d["later"], d["revisions"] = []any{1},
		[]any{map[string]any{"subject": "named:VOICE"}} // the second one is of earlier exports
	for _, r := range records(d, listItems) {
		r["mood"] = "fine"
	}
	b := expect.Value(json.MarshalIndent(d, "", "\t"))(t)
	got := imported(t, s, append(b, "\n\n"...), ImportOptions{})
	if n := total(got); n.Refused+n.Kept > 0 || got.Counts[listItems].Stored != 66 || !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, `"later"`) }) {
		t.Errorf("%+v", got)
	}
	indexAgrees(t, s)
}

// edited2 makes two replacements.
func edited2(doc, old1, new1, old2, new2 string) string {
	return strings.Replace(strings.Replace(doc, old1, new1, 1), old2, new2, 1)
}

type badReader struct{}
