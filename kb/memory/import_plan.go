package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// importPlan says what becomes of a file's records, by what is in the file. Making it writes nothing.
type importPlan struct {
	im        *importer
	f         *file // nil: there is none yet
	in        *importFile
	elsewhere map[string]Item

	counts  map[string]ImportCounts
	refused []ImportRefused
	notes   []string

	hasChannel      map[string]bool
	hasConversation map[string]bool
	found           map[string]fate // items and named entries of the document, by the subject of their revisions

	// What is to be stored.
	channels      []channelRecord
	conversations []conversationRecord
	items         []Item
	named         []namedRecord
	notesIn       []noteRecord
	scratch       []scratchRecord
	revisions     []revisionRecord
}

// fate is what becomes of a record.
type fate struct {
	what     int
	hidden   bool // what is here is not the caller's to know
	agent    string
	revision int
}

const (
	fateRefused = iota
	fateStored
	fateUnchanged
	fateKept
)

// count notes a fate; of what is kept as it is here, it says why.
func (p *importPlan) count(list string, at, what int, why string) {
	c := p.counts[list]
	switch what {
	case fateStored:
		c.Stored++
	case fateUnchanged:
		c.Unchanged++
	case fateKept:
		c.Kept++
		if why != "" {
			p.notes = append(p.notes, why)
		}
	case fateRefused:
		p.refused = append(p.refused, refusedAt(list, at, why))
	}
	p.counts[list] = c
}

// mayKnow reports whether the caller may be told how something is that belongs to an agent.
func (p *importPlan) mayKnow(agent string) bool { return p.im.s.opt.Author || p.im.s.visible(agent) }

// make makes the plan; tx is nil if there is no file.
func (p *importPlan) make(tx *sqlite.Tx) error {
	p.hasChannel, p.hasConversation, p.found = map[string]bool{DefaultChannel: true}, map[string]bool{}, map[string]fate{}
	for _, step := range []func(*sqlite.Tx) error{p.planChannels, p.planConversations, p.planItems, p.planNamed, p.planNotes, p.planScratch, p.planRevisions} {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// look runs fn for every row of a query; there are none if there is no file.
func look(tx *sqlite.Tx, dest []any, fn func() error, query string, args ...any) error {
	if tx == nil {
		return nil
	}
	return tx.Each(dest, fn, query, args...)
}

// keys lists one field of records, for a query.
func keys[T any](all []incoming[T], key func(*T) string) string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = key(&all[i].rec)
	}
	return sqlite.List(out)
}

func (p *importPlan) planChannels(tx *sqlite.Tx) error {
	if p.in.account {
		return nil
	}
	here := map[string]string{}
	var name, description string
	if err := look(tx, []any{&name, &description}, func() error {
		here[name], p.hasChannel[name] = description, true
		return nil
	}, `SELECT name, description FROM channels`); err != nil {
		return err
	}
	if tx == nil {
		here[DefaultChannel] = "" // as the file will have it
	}
	for _, r := range p.in.channels {
		description, is := here[r.rec.Name]
		switch {
		case !is:
			p.count(listChannels, r.at, fateStored, "")
			p.channels = append(p.channels, r.rec)
			p.hasChannel[r.rec.Name] = true
		case description == r.rec.Description:
			p.count(listChannels, r.at, fateUnchanged, "")
		default:
			p.count(listChannels, r.at, fateKept, "the channel "+r.rec.Name+" has another description here, which stays")
		}
	}
	return nil
}

func (p *importPlan) planConversations(tx *sqlite.Tx) error {
	if p.in.account {
		return nil
	}
	here := map[string]ConversationInfo{}
	threads := map[string]string{}
	if tx != nil {
		all, err := conversations(tx, `1`)
		if err != nil {
			return err
		}
		for _, c := range all {
			here[c.Ref] = c
			threads[c.Thread] = c.Ref
			p.hasConversation[c.Ref] = true
		}
	}
	for _, r := range p.in.conversations {
		c := r.rec
		if owner := threads[c.Thread]; c.Thread != "" && owner != "" && owner != c.Ref {
			c.Thread = "" // a harness's name for an exchange leads to one conversation
			if _, is := here[c.Ref]; !is {
				p.notes = append(p.notes, fmt.Sprintf("the conversation %s comes without its thread, which is that of %s here", c.Ref, owner))
			}
		}
		have, is := here[c.Ref]
		switch {
		case is && sameRecord(c, conversationRecord{have.Ref, have.Channel, have.Thread, have.Agent, have.Status, have.Started, have.Ended, have.Archived}):
			p.count(listConversations, r.at, fateUnchanged, "")
		case is:
			p.count(listConversations, r.at, fateKept, "the conversation "+c.Ref+" is another here, and stays as it is")
		case !p.hasChannel[c.Channel]:
			p.count(listConversations, r.at, fateRefused, "there is no channel "+c.Channel+", neither here nor in the document")
		default:
			p.count(listConversations, r.at, fateStored, "")
			p.conversations = append(p.conversations, c)
			threads[c.Thread] = c.Ref
			p.hasConversation[c.Ref] = true
		}
	}
	return nil
}

// sameRecord compares records by what an export says of them.
func sameRecord(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// sameItem leaves out what changes by reading alone.
func sameItem(a, b *Item) bool {
	x, y := recordOf(a), recordOf(b)
	x.Accesses, x.Accessed = y.Accesses, y.Accessed
	if x.Curator == CuratorAuthor && y.Curator == CuratorImport { // an agent brought it in: see storeItems
		x.Curator = y.Curator
	}
	return sameRecord(x, y)
}

func (p *importPlan) planItems(tx *sqlite.Tx) error {
	here := map[string]Item{}
	if tx != nil {
		var err error
		if here, err = itemsByID(tx, p.in.items); err != nil {
			return err
		}
	}
	for i := range p.in.items {
		r := &p.in.items[i]
		it := &r.rec
		have, is := here[it.ID]
		if !is {
			have, is = p.elsewhere[it.ID]
		}
		to, why := fate{what: fateStored, agent: it.Agent, revision: it.Revision}, ""
		switch {
		case is && (!p.mayKnow(have.Agent) || p.im.s.allowed(have.Tier) != nil):
			to.what, to.hidden = fateUnchanged, true // there is something
		case is && sameItem(it, &have):
			to.what = fateUnchanged
		case is:
			to.what, why = fateKept, "the item "+it.ID+" says something else here, which stays"
		case it.Tier == Channel && !p.hasChannel[it.Channel]:
			to.what, why = fateRefused, "there is no channel "+it.Channel+", neither here nor in the document"
		case it.Tier == Conversation && !p.hasConversation[it.Conversation]:
			to.what, why = fateRefused, "there is no conversation "+it.Conversation+", neither here nor in the document"
		default:
			p.items = append(p.items, *it)
		}
		p.count(listItems, r.at, to.what, why)
		p.found[it.ID] = to
	}
	return nil
}

func (p *importPlan) planNamed(tx *sqlite.Tx) error {
	here := map[string]Named{}
	if tx != nil && len(p.in.named)+len(p.in.revisions) > 0 {
		all, err := namedIn(tx, "")
		if err != nil {
			return err
		}
		for _, n := range all {
			here[namedSubject(n.Name)] = n
			p.found[namedSubject(n.Name)] = fate{what: fateKept} // unless the document has it too, and it says the same
		}
	}
	for _, r := range p.in.named {
		subject := namedSubject(r.rec.Name)
		have, is := here[subject]
		what, why := fateStored, ""
		switch {
		case is && have.Body == r.rec.Body:
			what = fateUnchanged
		case is:
			what, why = fateKept, "the named entry "+have.Name+" says something else here, which stays"
		default:
			p.named = append(p.named, r.rec)
		}
		p.count(listNamed, r.at, what, why)
		p.found[subject] = fate{what: what}
	}
	return nil
}

func (p *importPlan) planNotes(tx *sqlite.Tx) error {
	here := map[string]noteRecord{}
	var n noteRecord
	if err := look(tx, n.columns(), func() error {
		here[n.ID] = n
		return nil
	}, `SELECT id, agent, kind, content, created, forgotten FROM notes WHERE id IN (SELECT value FROM json_each(?))`, keys(p.in.notes, func(r *noteRecord) string { return r.ID })); err != nil {
		return err
	}
	for _, r := range p.in.notes {
		have, is := here[r.rec.ID]
		have.Tier = r.rec.Tier
		switch {
		case is && (!p.mayKnow(have.Agent) || sameRecord(r.rec, have)):
			p.count(listNotes, r.at, fateUnchanged, "")
		case is:
			p.count(listNotes, r.at, fateKept, "the note "+r.rec.ID+" says something else here, which stays")
		default:
			p.count(listNotes, r.at, fateStored, "")
			p.notesIn = append(p.notesIn, r.rec)
		}
	}
	return nil
}

func (p *importPlan) planScratch(tx *sqlite.Tx) error {
	if len(p.in.scratch) == 0 {
		return nil
	}
	type owner struct{ conversation, agent string }
	type name struct {
		owner
		key string
	}
	here, many := map[name]bool{}, map[owner]int{}
	var n name
	if err := look(tx, []any{&n.conversation, &n.agent, &n.key}, func() error {
		here[n] = true
		many[n.owner]++
		return nil
	}, `SELECT conversation, agent, key FROM scratch WHERE conversation IN (SELECT value FROM json_each(?))`, keys(p.in.scratch, func(r *scratchRecord) string { return r.Conversation })); err != nil {
		return err
	}
	for _, r := range p.in.scratch {
		n := name{owner{r.rec.Conversation, r.rec.Agent}, r.rec.Key}
		switch {
		case here[n]:
			var value string
			if err := tx.QueryRow(`SELECT value FROM scratch WHERE conversation = ? AND agent = ? AND key = ?`, n.conversation, n.agent, n.key).Scan(&value); err != nil {
				return err
			}
			if value == string(r.rec.Value) {
				p.count(listScratch, r.at, fateUnchanged, "")
			} else {
				p.count(listScratch, r.at, fateKept, "the working note "+n.key+" of "+n.conversation+" says something else here, which stays")
			}
		case !p.hasConversation[n.conversation]:
			p.count(listScratch, r.at, fateRefused, "there is no conversation "+n.conversation+", neither here nor in the document")
		case many[n.owner] >= MaxScratchKeys:
			p.count(listScratch, r.at, fateRefused, fmt.Sprintf("there are %d working notes already", many[n.owner]))
		default:
			many[n.owner]++
			p.count(listScratch, r.at, fateStored, "")
			p.scratch = append(p.scratch, r.rec)
		}
	}
	return nil
}

// planRevisions takes the revisions of what is stored, and of what is here as the document has it. Those of anything else would tell of one thing what was said of another.
func (p *importPlan) planRevisions(tx *sqlite.Tx) error {
	if len(p.in.revisions) == 0 {
		return nil
	}
	type name struct {
		subject  string
		revision int
	}
	here := map[name]string{}
	var n name
	var before string
	if err := look(tx, []any{&n.subject, &n.revision, &before}, func() error {
		here[n] = before
		return nil
	}, `SELECT subject, revision, before FROM revisions WHERE subject IN (SELECT value FROM json_each(?))`, keys(p.in.revisions, func(r *revisionRecord) string { return r.Subject })); err != nil {
		return err
	}
	for _, r := range p.in.revisions {
		named := strings.HasPrefix(r.rec.Subject, "named:")
		of, known := p.found[r.rec.Subject]
		if !known && named { // the entry is neither here nor in the document: only what it said is left
			of.what = fateStored
		}
		what, why := fateStored, ""
		before, is := here[name{r.rec.Subject, r.rec.Revision}]
		switch {
		case of.what == fateRefused:
			what, why = fateRefused, "there is no item "+r.rec.Subject+" for it in the document, or it was refused"
		case of.hidden:
			what = fateUnchanged
		case of.what == fateKept:
			what = fateKept // with what it is one of, which was told
		case !named && (r.rec.Revision >= of.revision || agentOf(r.rec.Before) != of.agent):
			what, why = fateRefused, "it does not fit the item "+r.rec.Subject+" as it is in the document"
		case is && sameText(before, r.rec.Before):
			what = fateUnchanged
		case is:
			what, why = fateKept, fmt.Sprintf("revision %d of %s is another here, and stays as it is", r.rec.Revision, r.rec.Subject)
		default:
			p.revisions = append(p.revisions, r.rec)
		}
		p.count(listRevisions, r.at, what, why)
	}
	return nil
}

// agentOf returns whose an item was.
func agentOf(before []byte) string {
	var it struct{ Agent string }
	_ = json.Unmarshal(before, &it) // it was checked
	return it.Agent
}

// sameText compares what is stored as JSON, whichever version of the program has written it.
func sameText(a string, b []byte) bool {
	if a == string(b) {
		return true
	}
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal(b, &y) == nil && sameRecord(x, y)
}

// store writes what the plan says.
func (p *importPlan) store(tx *sqlite.Tx) (err error) {
	do := func(query string, args ...any) {
		if err == nil {
			_, err = tx.Exec(query, args...)
		}
	}
	event := func(scope, subject, agent string) {
		if err == nil {
			err = p.f.event(tx, Event{Verb: VerbImported, Scope: scope, Subject: subject, agent: agent})
		}
	}
	tier := Workspace
	if p.in.account {
		tier = Account
	}
	for _, r := range p.channels {
		do(`INSERT INTO channels VALUES (?, ?, 0, ?)`, r.Name, r.Description, r.Created.UnixMilli())
		event(Scope{Tier: Channel, Channel: r.Name}.String(), r.Name, "")
	}
	for _, r := range p.conversations {
		do(`INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, r.Ref, r.Channel, r.Thread, r.Agent, r.Status, r.Started.UnixMilli(), sqlite.Millis(r.Ended), sqlite.Millis(r.Archived))
		event(Scope{Tier: Conversation, Conversation: r.Ref}.String(), r.Ref, "")
	}
	if err == nil {
		err = p.storeItems(tx)
	}
	for _, r := range p.named {
		do(`INSERT INTO named VALUES (?, ?, ?, ?, ?, ?)`, r.Name, r.Body, r.Curator, r.Revision, r.Created.UnixMilli(), r.Updated.UnixMilli())
		event(tier, namedSubject(r.Name), "")
	}
	for _, r := range p.notesIn {
		do(`INSERT INTO notes (id, agent, kind, content, created, forgotten) VALUES (?, ?, ?, ?, ?, ?)`, r.ID, r.Agent, r.Kind, r.Content, r.Created.UnixMilli(), sqlite.Millis(r.Forgotten))
		event(tier, r.ID, r.Agent)
	}
	told := map[string]bool{}
	for _, r := range p.scratch {
		do(`INSERT INTO scratch VALUES (?, ?, ?, ?, ?, ?, ?)`, r.Conversation, r.Agent, r.Key, string(r.Value), r.Created.UnixMilli(), r.Updated.UnixMilli(), r.Shared)
		if !told[r.Conversation] { // one entry for all: its keys are their agent's
			told[r.Conversation] = true
			event(Scope{Tier: Conversation, Conversation: r.Conversation}.String(), r.Conversation, "")
		}
	}
	for _, r := range p.revisions {
		do(`INSERT INTO revisions VALUES (?, ?, ?, ?, ?)`, r.Subject, r.Revision, r.At.UnixMilli(), r.Actor, string(r.Before))
	}
	return err
}

// storeItems stores items without embeddings, and has them indexed many at a time.
func (p *importPlan) storeItems(tx *sqlite.Tx) error {
	const many = 5000
	for some := range slices.Chunk(p.items, many) {
		docs := make([]index.Doc, 0, len(some))
		for i := range some {
			it := &some[i]
			if it.Curator == CuratorAuthor && !p.im.s.opt.Author { // what an agent brings in is not the author's word, whatever the document says
				it.Curator = CuratorImport
			}
			if !p.im.s.opt.Author {
				it.Accesses = 0
			}
			if err := insertRow(tx, it); err != nil {
				return err
			}
			if err := p.f.event(tx, Event{Verb: VerbImported, Scope: it.Scope().String(), Subject: it.ID, agent: it.Agent}); err != nil {
				return err
			}
			if it.Forgotten == nil {
				docs = append(docs, document(it, nil))
			}
		}
		if err := p.f.Index.Put(tx, docs...); err != nil {
			return err
		}
	}
	return nil
}
