package memory

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/memory/exchange"
)

// importPlan decides what to do with a file's records, given what the file has. Building
// it writes nothing.
type importPlan struct {
	im        *importer
	f         *file // nil: the file does not exist
	in        *importFile
	elsewhere map[string]Item

	counts  map[string]ImportCounts
	refused []exchange.ImportRefused
	notes   []string

	hasChannel      map[string]bool
	hasConversation map[string]bool
	// items and named entries of the document, by subject of revisions
	found map[string]fate

	// What to store.
	channels      []exchange.Channel
	conversations []exchange.Conversation
	items         []Item
	named         []exchange.Named
	notesIn       []exchange.Note
	scratch       []exchange.Scratch
	revisions     []exchange.Revision
}

// fate is the decision about a record.
type fate struct {
	what     int
	hidden   bool // the caller may not know about the existing one
	agent    string
	revision int
}

const (
	fateRefused = iota
	fateStored
	fateUnchanged
	fateKept
)

// count counts a decision, and records why something is kept.
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
		p.refused = append(p.refused, exchange.RefusedAt(list, at, why))
	}
	p.counts[list] = c
}

// mayKnow reports whether the caller may be told about a record of an agent.
func (p *importPlan) mayKnow(agent string) bool {
	return p.im.s.opt.Author || p.im.s.visible(agent)
}

// build builds the plan. tx is nil if there is no file.
func (p *importPlan) build(tx *sqlite.Tx) error {
	p.hasChannel, p.hasConversation, p.found = map[string]bool{DefaultChannel: true},
		map[string]bool{}, map[string]fate{}
	for _, step := range []func(*sqlite.Tx) error{
		p.planChannels, p.planConversations, p.planItems, p.planNamed, p.planNotes, p.planScratch,
		p.planRevisions} {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// eachRow runs fn for every row of a query; there are none without a file.
func eachRow(tx *sqlite.Tx, dest []any, fn func() error, query string, args ...any) error {
	if tx == nil {
		return nil
	}
	return tx.Each(dest, fn, query, args...)
}

// keys lists one field of the records as JSON, for a query.
func keys[T any](all []exchange.Incoming[T], key func(*T) string) string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = key(&all[i].Record)
	}
	return sqlite.List(out)
}

func (p *importPlan) planChannels(tx *sqlite.Tx) error {
	if p.in.account {
		return nil
	}
	here := map[string]string{}
	var name, description string
	if err := eachRow(tx, []any{&name, &description}, func() error {
		here[name], p.hasChannel[name] = description, true
		return nil
	}, `SELECT name, description FROM channels`); err != nil {
		return err
	}
	if tx == nil {
		here[DefaultChannel] = "" // every file gets it
	}
	for _, r := range p.in.channels {
		description, is := here[r.Record.Name]
		switch {
		case !is:
			p.count(exchange.ListChannels, r.At, fateStored, "")
			p.channels = append(p.channels, r.Record)
			p.hasChannel[r.Record.Name] = true
		case description == r.Record.Description:
			p.count(exchange.ListChannels, r.At, fateUnchanged, "")
		default:
			p.count(exchange.ListChannels, r.At, fateKept,
				"the channel "+r.Record.Name+" has another description here, which was kept")
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
		all, err := readConversations(tx, `1`)
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
		c := r.Record
		if owner := threads[c.Thread]; c.Thread != "" && owner != "" && owner != c.Ref {
			c.Thread = "" // a thread belongs to one conversation
			if _, is := here[c.Ref]; !is {
				p.notes = append(p.notes,
					fmt.Sprintf("the conversation %s was imported without its thread, which belongs to %s here", c.Ref, owner))
			}
		}
		have, is := here[c.Ref]
		switch {
		case is && exchange.Same(c, conversationRecord(&have)):
			p.count(exchange.ListConversations, r.At, fateUnchanged, "")
		case is:
			p.count(exchange.ListConversations, r.At, fateKept,
				"the conversation "+c.Ref+" differs here and was kept")
		case !p.hasChannel[c.Channel]:
			p.count(exchange.ListConversations, r.At, fateRefused,
				"channel "+c.Channel+" not found here or in the document")
		default:
			p.count(exchange.ListConversations, r.At, fateStored, "")
			p.conversations = append(p.conversations, c)
			threads[c.Thread] = c.Ref
			p.hasConversation[c.Ref] = true
		}
	}
	return nil
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
		it := &r.Record
		have, is := here[it.ID]
		if !is {
			have, is = p.elsewhere[it.ID]
		}
		to, why := fate{what: fateStored, agent: it.Agent, revision: it.Revision}, ""
		switch {
		case is && (!p.mayKnow(have.Agent) || p.im.s.allowed(have.Tier) != nil):
			to.what, to.hidden = fateUnchanged, true // the id is taken
		case is && sameItem(it, &have):
			to.what = fateUnchanged
		case is:
			to.what, why = fateKept, "the item "+it.ID+" differs here and was kept"
		case it.Tier == Channel && !p.hasChannel[it.Channel]:
			to.what, why = fateRefused,
				"channel "+it.Channel+" not found here or in the document"
		case it.Tier == Conversation && !p.hasConversation[it.Conversation]:
			to.what, why = fateRefused,
				"conversation "+it.Conversation+" not found here or in the document"
		default:
			p.items = append(p.items, *it)
		}
		p.count(exchange.ListItems, r.At, to.what, why)
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
			// unless the document has it too, with the same content
			p.found[namedSubject(n.Name)] = fate{what: fateKept}
		}
	}
	for _, r := range p.in.named {
		subject := namedSubject(r.Record.Name)
		have, is := here[subject]
		what, why := fateStored, ""
		switch {
		case is && have.Body == r.Record.Body:
			what = fateUnchanged
		case is:
			what, why = fateKept, "the named entry "+have.Name+
				" differs here and was kept"
		default:
			p.named = append(p.named, r.Record)
		}
		p.count(exchange.ListNamed, r.At, what, why)
		p.found[subject] = fate{what: what}
	}
	return nil
}

func (p *importPlan) planNotes(tx *sqlite.Tx) error {
	here := map[string]exchange.Note{}
	var n exchange.Note
	if err := eachRow(tx, noteColumns(&n), func() error {
		here[n.ID] = n
		return nil
	}, `SELECT id, agent, kind, content, created, forgotten FROM notes WHERE id IN (SELECT value
		FROM json_each(?))`, keys(p.in.notes,
		func(r *exchange.Note) string { return r.ID })); err != nil {
		return err
	}
	for _, r := range p.in.notes {
		have, is := here[r.Record.ID]
		have.Tier = r.Record.Tier
		switch {
		case is && (!p.mayKnow(have.Agent) || exchange.Same(r.Record, have)):
			p.count(exchange.ListNotes, r.At, fateUnchanged, "")
		case is:
			p.count(exchange.ListNotes, r.At, fateKept,
				"the note "+r.Record.ID+" differs here and was kept")
		default:
			p.count(exchange.ListNotes, r.At, fateStored, "")
			p.notesIn = append(p.notesIn, r.Record)
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
	if err := eachRow(tx, []any{&n.conversation, &n.agent, &n.key}, func() error {
		here[n] = true
		many[n.owner]++
		return nil
	}, `SELECT conversation, agent, key FROM scratch WHERE conversation IN (SELECT value
		FROM json_each(?))`, keys(p.in.scratch,
		func(r *exchange.Scratch) string { return r.Conversation })); err != nil {
		return err
	}
	for _, r := range p.in.scratch {
		n := name{owner{r.Record.Conversation, r.Record.Agent}, r.Record.Key}
		switch {
		case here[n]:
			var value string
			if err := tx.QueryRow(`SELECT value FROM scratch WHERE conversation = ? AND agent = ?
				AND key = ?`, n.conversation, n.agent, n.key).Scan(&value); err != nil {
				return err
			}
			if value == string(r.Record.Value) {
				p.count(exchange.ListScratch, r.At, fateUnchanged, "")
			} else {
				p.count(exchange.ListScratch, r.At, fateKept,
					"the working note "+n.key+" of "+n.conversation+
						" differs here and was kept")
			}
		case !p.hasConversation[n.conversation]:
			p.count(exchange.ListScratch, r.At, fateRefused,
				"conversation "+n.conversation+" not found here or in the document")
		case many[n.owner] >= MaxScratchKeys:
			p.count(exchange.ListScratch, r.At, fateRefused,
				fmt.Sprintf("there are already %d working notes", many[n.owner]))
		default:
			many[n.owner]++
			p.count(exchange.ListScratch, r.At, fateStored, "")
			p.scratch = append(p.scratch, r.Record)
		}
	}
	return nil
}

// planRevisions takes the revisions of stored records, and of existing ones that are the
// same as in the document. Revisions of another subject would mix two histories.
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
	if err := eachRow(tx, []any{&n.subject, &n.revision, &before}, func() error {
		here[n] = before
		return nil
	}, `SELECT subject, revision, before FROM revisions WHERE subject IN (SELECT value
		FROM json_each(?))`, keys(p.in.revisions,
		func(r *exchange.Revision) string { return r.Subject })); err != nil {
		return err
	}
	for _, r := range p.in.revisions {
		named := strings.HasPrefix(r.Record.Subject, "named:")
		of, known := p.found[r.Record.Subject]
		// a removed entry: only its history is left
		if !known && named {
			of.what = fateStored
		}
		what, why := fateStored, ""
		before, is := here[name{r.Record.Subject, r.Record.Revision}]
		switch {
		case of.what == fateRefused:
			what, why = fateRefused,
				"item "+r.Record.Subject+" is not in the document, or was refused"
		case of.hidden:
			what = fateUnchanged
		case of.what == fateKept:
			what = fateKept // kept with its subject, which was reported
		case !named && (r.Record.Revision >= of.revision ||
			exchange.AgentOf(r.Record.Before) != of.agent):
			what, why = fateRefused,
				"it does not match the item "+r.Record.Subject+" in the document"
		case is && exchange.SameText(before, r.Record.Before):
			what = fateUnchanged
		case is:
			what, why = fateKept, fmt.Sprintf("revision %d of %s differs here and was kept",
				r.Record.Revision, r.Record.Subject)
		default:
			p.revisions = append(p.revisions, r.Record)
		}
		p.count(exchange.ListRevisions, r.At, what, why)
	}
	return nil
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
			err = p.f.event(tx, Event{
				Verb: VerbImported, Scope: scope, Subject: subject, agent: agent})
		}
	}
	tier := Workspace
	if p.in.account {
		tier = Account
	}
	for _, r := range p.channels {
		do(`INSERT INTO channels VALUES (?, ?, 0, ?)`, r.Name, r.Description,
			r.Created.UnixMilli())
		event(Scope{Tier: Channel, Channel: r.Name}.String(), r.Name, "")
	}
	for _, r := range p.conversations {
		do(`INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, r.Ref, r.Channel, r.Thread,
			r.Agent, r.Status, r.Started.UnixMilli(), sqlite.Millis(r.Ended),
			sqlite.Millis(r.Archived))
		event(Scope{Tier: Conversation, Conversation: r.Ref}.String(), r.Ref, "")
	}
	if err == nil {
		err = p.storeItems(tx)
	}
	for _, r := range p.named {
		do(`INSERT INTO named VALUES (?, ?, ?, ?, ?, ?)`, r.Name, r.Body, r.Curator, r.Revision,
			r.Created.UnixMilli(), r.Updated.UnixMilli())
		event(tier, namedSubject(r.Name), "")
	}
	for _, r := range p.notesIn {
		do(`INSERT INTO notes (id, agent, kind, content, created, forgotten)
			VALUES (?, ?, ?, ?, ?,
			?)`, r.ID, r.Agent, r.Kind, r.Content, r.Created.UnixMilli(), sqlite.Millis(r.Forgotten))
		event(tier, r.ID, r.Agent)
	}
	told := map[string]bool{}
	for _, r := range p.scratch {
		do(`INSERT INTO scratch VALUES (?, ?, ?, ?, ?, ?, ?)`, r.Conversation, r.Agent, r.Key,
			string(r.Value), r.Created.UnixMilli(), r.Updated.UnixMilli(), r.Shared)
		if !told[r.Conversation] { // one event for all keys of a conversation, as keys are private
			told[r.Conversation] = true
			event(Scope{Tier: Conversation, Conversation: r.Conversation}.String(), r.Conversation,
				"")
		}
	}
	for _, r := range p.revisions {
		do(`INSERT INTO revisions VALUES (?, ?, ?, ?, ?)`, r.Subject, r.Revision, r.At.UnixMilli(),
			r.Actor, string(r.Before))
	}
	return err
}

// storeItems stores items without embeddings and indexes them in batches.
func (p *importPlan) storeItems(tx *sqlite.Tx) error {
	const many = 5000
	for some := range slices.Chunk(p.items, many) {
		docs := make([]index.Doc, 0, len(some))
		for i := range some {
			it := &some[i]
			// an item imported by an agent is not the author's, whatever the document
			// says
			if it.Curator == CuratorAuthor && !p.im.s.opt.Author {
				it.Curator = CuratorImport
			}
			if !p.im.s.opt.Author {
				it.Accesses = 0
			}
			if err := insertRow(tx, it); err != nil {
				return err
			}
			if err := p.f.event(tx, Event{
				Verb: VerbImported, Scope: it.Scope().String(), Subject: it.ID,
				agent: it.Agent}); err != nil {
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
