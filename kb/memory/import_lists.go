package memory

import "fmt"

// newImporter returns an importer with its lists, in the order of their names.
func newImporter(s *Store, opt ImportOptions) *importer {
	im := &importer{s: s, opt: opt, now: s.now().UTC()}
	im.items = &listOf[itemRecord]{name: listItems,
		check: im.checkItem, plan: planItems, store: storeItem,
		key:  func(r *itemRecord) string { return r.ID },
		tier: func(r *itemRecord) string { return r.Tier }}
	im.lists = []importList{
		&listOf[channelRecord]{name: listChannels, check: im.checkChannel, plan: planChannels,
			key:  func(r *channelRecord) string { return r.Name },
			tier: func(*channelRecord) string { return Channel },
			store: func(p *filePlan, r *channelRecord) error {
				return p.insert("channels", r.columns(), Scope{Tier: Channel, Channel: r.Name},
					r.Name, "")
			}},
		&listOf[conversationRecord]{name: listConversations,
			check: im.checkConversation, plan: planConversations,
			key:  func(r *conversationRecord) string { return r.Ref },
			tier: func(*conversationRecord) string { return Conversation },
			store: func(p *filePlan, r *conversationRecord) error {
				return p.insert("conversations", r.columns(),
					Scope{Tier: Conversation, Conversation: r.Ref}, r.Ref, "")
			}},
		im.items,
		&listOf[Named]{name: listNamed, check: im.checkNamed, plan: planNamed,
			key:  func(r *Named) string { return r.Tier + " " + namedSubject(r.Name) },
			tier: func(r *Named) string { return r.Tier },
			store: func(p *filePlan, r *Named) error {
				return p.insert("named", r.columns(), Scope{Tier: r.Tier},
					namedSubject(r.Name), "")
			}},
		&listOf[noteRecord]{name: listNotes, check: im.checkNote, plan: planNotes,
			key:  func(r *noteRecord) string { return r.ID },
			tier: func(r *noteRecord) string { return r.Tier },
			store: func(p *filePlan, r *noteRecord) error {
				return p.insert("notes", r.columns(), Scope{Tier: r.Tier}, r.ID, r.Agent)
			}},
		&listOf[scratchRecord]{name: listScratch, check: im.checkScratch, plan: planScratch,
			key: scratchKey, store: storeScratch,
			tier: func(*scratchRecord) string { return Conversation }},
	}
	return im
}

func planChannels(p *filePlan, _ []incoming[channelRecord]) (
	func(*channelRecord) (int, string), error) {
	here := map[string]string{DefaultChannel: ""} // every file gets it
	var c channelRecord
	err := eachRecord(p.tx, c.columns(), "channels", func() error {
		here[c.Name], p.knownChannels[c.Name] = c.Description, true
		return nil
	})
	return func(r *channelRecord) (int, string) {
		description, is := here[r.Name]
		switch {
		case !is:
			p.knownChannels[r.Name] = true
			return fateStored, ""
		case description == r.Description:
			return fateUnchanged, ""
		}
		return fateKept, "the channel " + r.Name + " has another description here, which was kept"
	}, err
}

func planConversations(p *filePlan, _ []incoming[conversationRecord]) (
	func(*conversationRecord) (int, string), error) {
	here, threads := map[string]ConversationInfo{}, map[string]string{}
	var c ConversationInfo
	err := eachRecord(p.tx, c.columns(), "conversations", func() error {
		here[c.Ref], threads[c.Thread], p.knownConversations[c.Ref] = c, c.Ref, true
		return nil
	})
	return func(r *conversationRecord) (int, string) {
		have, is := here[r.Ref]
		if owner := threads[r.Thread]; r.Thread != "" && owner != "" && owner != r.Ref {
			r.Thread = "" // a thread belongs to one conversation
			if !is {
				p.out.Notes = append(p.out.Notes, fmt.Sprintf("the conversation %s was imported "+
					"without its thread, which belongs to %s here", r.Ref, owner))
			}
		}
		switch {
		case is && sameRecord(r, conversationRecord{ConversationInfo: have}):
			return fateUnchanged, ""
		case is:
			return fateKept, "the conversation " + r.Ref + " differs here and was kept"
		case !p.knownChannels[r.Channel]:
			return fateRefused, "channel " + r.Channel + " not found here or in the document"
		}
		threads[r.Thread], p.knownConversations[r.Ref] = r.Ref, true
		return fateStored, ""
	}, err
}

// mayKnow reports whether the caller may be told about a record of an agent.
func (p *filePlan) mayKnow(agent string) bool {
	return p.im.s.opt.Author || p.im.s.visible(agent)
}

func planItems(p *filePlan, items []incoming[itemRecord]) (
	func(*itemRecord) (int, string), error) {
	here := map[string]Item{}
	var err error
	if p.tx != nil {
		here, err = itemsByID(p.tx, items)
	}
	return func(r *itemRecord) (int, string) {
		have, is := here[r.ID]
		if !is {
			have, is = p.elsewhere[r.ID]
		}
		switch {
		case is && (!p.mayKnow(have.Agent) || p.im.s.allowed(have.Tier) != nil):
			return fateUnchanged, "" // the id is taken
		case is && sameItem(r.Item, have):
			return fateUnchanged, ""
		case is:
			return fateKept, "the item " + r.ID + " differs here and was kept"
		case r.Tier == Channel && !p.knownChannels[r.Channel]:
			return fateRefused, "channel " + r.Channel + " not found here or in the document"
		case r.Tier == Conversation && !p.knownConversations[r.Conversation]:
			return fateRefused,
				"conversation " + r.Conversation + " not found here or in the document"
		case r.Forgotten == nil:
			p.unembedded++
		}
		return fateStored, ""
	}, err
}

// storeItem stores an item without an embedding. Items are indexed in batches.
func storeItem(p *filePlan, r *itemRecord) error {
	// an item imported by an agent is not the author's, whatever the document says
	if it := &r.Item; !p.im.s.opt.Author {
		it.Accesses = 0
		if it.Curator == CuratorAuthor {
			it.Curator = CuratorImport
		}
	}
	if err := insertRow(p.tx, &r.Item); err != nil {
		return err
	}
	if r.Forgotten == nil {
		p.docs = append(p.docs, document(&r.Item, nil))
	}
	const many = 5000
	if len(p.docs) == many {
		if err := p.flush(); err != nil {
			return err
		}
	}
	return p.event(r.Scope(), r.ID, r.Agent)
}

func planNamed(p *filePlan, _ []incoming[Named]) (func(*Named) (int, string), error) {
	here := map[string]Named{}
	var n Named
	err := eachRecord(p.tx, n.columns(), "named", func() error {
		here[namedSubject(n.Name)] = n
		return nil
	})
	return func(r *Named) (int, string) {
		switch have, is := here[namedSubject(r.Name)]; {
		case is && have.Body == r.Body:
			return fateUnchanged, ""
		case is:
			return fateKept, "the named entry " + have.Name + " differs here and was kept"
		}
		return fateStored, ""
	}, err
}

func planNotes(p *filePlan, notes []incoming[noteRecord]) (
	func(*noteRecord) (int, string), error) {
	here := map[string]noteRecord{}
	var n noteRecord
	err := eachRecord(p.tx, n.columns(), "notes WHERE id IN (SELECT value FROM json_each(?))",
		func() error {
			here[n.ID] = n
			return nil
		}, keysOf(notes, func(r *noteRecord) string { return r.ID }))
	return func(r *noteRecord) (int, string) {
		have, is := here[r.ID]
		have.Tier = r.Tier
		switch {
		case is && (!p.mayKnow(have.Agent) || sameRecord(r, have)):
			return fateUnchanged, ""
		case is:
			return fateKept, "the note " + r.ID + " differs here and was kept"
		}
		return fateStored, ""
	}, err
}

// scratchKey names a working note: neither a ref code nor a key has a space.
func scratchKey(r *scratchRecord) string { return r.Conversation + " " + r.Key + " " + r.Agent }

func planScratch(p *filePlan, notes []incoming[scratchRecord]) (
	func(*scratchRecord) (int, string), error) {
	here, many := map[string]string{}, map[string]int{} // values by name, notes by owner
	owner := func(r *scratchRecord) string { return r.Conversation + " " + r.Agent }
	var have scratchRecord
	err := eachRecord(p.tx, have.columns(),
		"scratch WHERE conversation IN (SELECT value FROM json_each(?))", func() error {
			here[scratchKey(&have)] = string(have.Value)
			many[owner(&have)]++
			return nil
		}, keysOf(notes, func(r *scratchRecord) string { return r.Conversation }))
	return func(r *scratchRecord) (int, string) {
		value, is := here[scratchKey(r)]
		switch {
		case is && value == string(r.Value):
			return fateUnchanged, ""
		case is:
			return fateKept, "the working note " + r.Key + " of " + r.Conversation +
				" differs here and was kept"
		case !p.knownConversations[r.Conversation]:
			return fateRefused,
				"conversation " + r.Conversation + " not found here or in the document"
		case many[owner(r)] >= MaxScratchKeys:
			return fateRefused,
				fmt.Sprintf("there are already %d working notes", many[owner(r)])
		}
		many[owner(r)]++
		return fateStored, ""
	}, err
}

// storeScratch stores a working note. One event is for all keys of a conversation, as
// keys are private.
func storeScratch(p *filePlan, r *scratchRecord) error {
	if err := r.columns().Add(p.tx, "scratch"); err != nil || p.told[r.Conversation] {
		return err
	}
	p.told[r.Conversation] = true
	return p.event(Scope{Tier: Conversation, Conversation: r.Conversation}, r.Conversation, "")
}
