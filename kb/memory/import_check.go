package memory

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/kb/store"
)

// Bounds for times and counts in a record: beyond them a clock was wrong, or sums could overflow.
const (
	importAhead  = 24 * time.Hour // how far a time may be ahead of this clock
	importCounts = 1_000_000_000
)

var (
	importFirst = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	importLast  = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)
)

func (im *importer) checkOwner(agent string) error {
	if err := checkMaybeAgent(agent); err != nil {
		return err
	}
	if agent != im.s.opt.Agent && !im.s.opt.Author {
		return fault.Denied.New(fmt.Sprintf("it belongs to %q only", clip(agent, 60)),
			"that agent or a person can import it")
	}
	return nil
}

// checkPast normalises a time in the past. A zero time is replaced by the other one.
func (im *importer) checkPast(what string, t *time.Time, or time.Time) error {
	if t.IsZero() {
		*t = or
	}
	if t.IsZero() {
		return invalid("it has no time when it was "+what, hintExport)
	}
	*t = t.UTC().Truncate(time.Millisecond)
	if t.Before(importFirst) || t.After(im.now.Add(importAhead)) {
		return invalid(fmt.Sprintf("it was %s in %s, which is impossible", what,
			t.Format(time.RFC3339)), "the clock of one of the machines is wrong")
	}
	return nil
}

func (im *importer) checkMaybe(what string, t **time.Time) error {
	if *t == nil {
		return nil
	}
	*t = new(**t)
	return im.checkPast(what, *t, time.Time{})
}

func checkCount(what string, n, least int) error {
	if n < least || n > importCounts {
		return invalid(fmt.Sprintf("%s is %d, which is impossible", what, n), hintExport)
	}
	return nil
}

// checkSecrets checks texts for secrets. Each text follows its name.
func (im *importer) checkSecrets(texts ...string) error {
	if im.opt.Force {
		return nil
	}
	return refuseSecretIn(keepSecret, texts...)
}

func (r *channelRecord) check(im *importer) error {
	r.Description, r.IsDefault = strings.TrimSpace(r.Description), false
	return cmp.Or(im.s.allowed(Channel), checkName("channel", r.Name),
		checkLine("the description", r.Description, MaxField),
		im.checkSecrets("the name", r.Name, "the description", r.Description),
		im.checkPast("created", &r.Created, time.Time{}))
}

func (r *conversationRecord) check(im *importer) error {
	status := oneOf("status", Statuses, r.Status)
	switch {
	case status != nil:
	case (r.Ended != nil) != (r.Status != StatusActive),
		(r.Archived != nil) != (r.Status == StatusArchived):
		status = invalid("it is "+r.Status+", which contradicts its times", hintExport)
	}
	return cmp.Or(im.s.allowed(Conversation), checkRef(r.Ref),
		checkName("channel", r.Channel), checkLine("the thread", r.Thread, MaxField),
		checkMaybeAgent(r.Agent), im.checkPast("started", &r.Started, time.Time{}),
		im.checkMaybe("ended", &r.Ended), im.checkMaybe("archived", &r.Archived), status)
}

func checkMaybeAgent(agent string) error {
	if agent == "" {
		return nil
	}
	return checkAgent(agent)
}

func (r *itemRecord) check(im *importer) error {
	err := im.s.allowed(r.Tier)
	if err == nil && r.Agent != "" {
		err = im.checkOwner(r.Agent)
	}
	if err == nil {
		err = checkRecordID(r.ID, "m", "an item")
	}
	it := &r.Item
	it.Curator, it.Revision = cmp.Or(it.Curator, CuratorImport), cmp.Or(it.Revision, 1)
	if err = cmp.Or(err, it.normalise()); err != nil {
		return err
	}
	if it.Expires != nil && (it.Expires.Before(importFirst) || it.Expires.After(importLast)) {
		return invalid("its expiry time is impossible", "give another time, or none")
	}
	if err := cmp.Or(im.checkPast("created", &it.Created, time.Time{}),
		im.checkPast("changed", &it.Updated, it.Created), im.checkPast("read", &it.Accessed, it.Created),
		checkCount("its revision", it.Revision, 1), checkCount("its access count", it.Accesses, 0),
		im.checkMaybe("forgotten", &it.Forgotten), im.checkMaybe("archived", &it.Archived),
		checkEnd(it)); err != nil {
		return err
	}
	if !im.s.opt.Author { // what an agent imports is not the author's, whatever the document says
		it.Accesses = 0
		if it.Curator == CuratorAuthor {
			it.Curator = CuratorImport
		}
	}
	if im.opt.Force {
		return nil
	}
	return refuseSecret(it)
}

func checkRecordID(id, letter, what string) error {
	if store.IsID(id, letter) {
		return nil
	}
	return invalid(fmt.Sprintf("%q is not the id of %s", clip(id, 60), what), "ids look like "+letter+"3f9x0c2ma")
}

func checkEnd(it *Item) error {
	switch {
	case it.Archived != nil && it.Forgotten != nil:
		return invalid("it is both archived and forgotten", hintExport)
	case it.Forgotten == nil && (it.Rule != "" || it.ReplacedBy != ""):
		return invalid("it has a replacement but is not forgotten", hintExport)
	case it.Forgotten == nil:
		return nil
	case it.ReplacedBy != "" && (!store.IsID(it.ReplacedBy, "m") || it.ReplacedBy == it.ID):
		return invalid(fmt.Sprintf("it was replaced by %q, which is not an id",
			clip(it.ReplacedBy, 60)), "ids look like m3f9x0c2ma")
	}
	return checkName("rule", it.Rule)
}

func (im *importer) checkNamedTier(tier string) error {
	return cmp.Or(oneOf("tier", ownTiers, tier), im.s.allowed(tier))
}

// check also normalises the body and the curator, as EditNamed does.
func (n *Named) check(im *importer) (err error) {
	n.Revision, n.Curator = cmp.Or(n.Revision, 1), cmp.Or(n.Curator, CuratorImport)
	if err := cmp.Or(im.checkNamedTier(n.Tier), im.s.mayName(), checkName("named entry", n.Name)); err != nil {
		return err
	}
	if n.Body, err = namedBody(n.Body); err != nil {
		return err
	}
	return cmp.Or(oneOf("curator", Curators, n.Curator), im.checkSecrets("the name", n.Name, "the entry", n.Body),
		im.checkPast("created", &n.Created, time.Time{}),
		im.checkPast("changed", &n.Updated, n.Created), checkCount("its revision", n.Revision, 1))
}

func (r *noteRecord) check(im *importer) error {
	r.Content = strings.TrimSpace(r.Content)
	wrong := cmp.Or(checkRecordID(r.ID, "j", "a note"), oneOf("kind of note", noteKinds, r.Kind))
	if wrong == nil && r.Agent == "" {
		wrong = invalid("it has no agent", ownNotes)
	}
	return cmp.Or(wrong, im.checkNamedTier(r.Tier), im.checkOwner(r.Agent),
		checkContent(r.Content), im.checkPast("created", &r.Created, time.Time{}),
		im.checkMaybe("forgotten", &r.Forgotten), im.checkSecrets("the content", r.Content))
}

func (r *scratchRecord) check(im *importer) (err error) {
	if r.Value, err = scratchValue(r.Value); err != nil {
		return err
	}
	return cmp.Or(im.s.allowed(Conversation), checkRef(r.Conversation),
		im.checkOwner(r.Agent), checkName("working note", r.Key),
		im.checkSecrets("the key", r.Key, "the value", textIn(r.Value)),
		im.checkPast("created", &r.Created, time.Time{}),
		im.checkPast("changed", &r.Updated, r.Created))
}
