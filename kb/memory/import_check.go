package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/kb/memory/exchange"
)

// Bounds for times and counts in a record: beyond them a clock was wrong, or sums could
// overflow.
const (
	importAhead  = 24 * time.Hour // how far a time may be ahead of this clock
	importCounts = 1_000_000_000
)

var (
	importFirst = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	importLast  = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// checkReach refuses records of tiers that the caller cannot reach.
func (im *importer) checkReach(tier string) error {
	if !slices.Contains(Tiers, tier) {
		return unknown("tier", tier, Tiers)
	}
	return im.s.allowed(tier)
}

// checkOwner refuses private records of another agent, unless a person imports them.
func (im *importer) checkOwner(agent string) error {
	if agent != "" {
		if err := checkAgent(agent); err != nil {
			return err
		}
	}
	if agent != im.s.opt.Agent && !im.s.opt.Author {
		return fault.Denied.New(fmt.Sprintf("it belongs to %q only", clip(agent, 60)),
			"that agent or a person can import it")
	}
	return nil
}

// checkPast normalises a time in the past.
func (im *importer) checkPast(what string, t *time.Time) error {
	if t.IsZero() {
		return invalid("it has no time when it was "+what, exchange.Hint)
	}
	*t = t.UTC().Truncate(time.Millisecond)
	if t.Before(importFirst) || t.After(im.now.Add(importAhead)) {
		return invalid(fmt.Sprintf("it was %s in %s, which is impossible", what,
			t.Format(time.RFC3339)), "the clock of one of the machines is wrong")
	}
	return nil
}

// checkMaybe is checkPast for an optional time.
func (im *importer) checkMaybe(what string, t *time.Time) (*time.Time, error) {
	if t == nil {
		return nil, nil
	}
	at := *t
	err := im.checkPast(what, &at)
	return &at, err
}

func checkCount(what string, n, least int) error {
	if n < least || n > importCounts {
		return invalid(fmt.Sprintf("%s is %d, which is impossible", what, n), exchange.Hint)
	}
	return nil
}

func (im *importer) checkChannel(r *exchange.Channel) error {
	if err := im.s.allowed(Channel); err != nil {
		return err
	}
	if err := checkName("channel", r.Name); err != nil {
		return err
	}
	r.Description = strings.TrimSpace(r.Description)
	if err := checkLine("the description", r.Description, MaxField); err != nil {
		return err
	}
	if err := im.checkSecrets("the name", r.Name, "the description", r.Description); err != nil {
		return err
	}
	return im.checkPast("created", &r.Created)
}

func (im *importer) checkConversation(r *exchange.Conversation) (err error) {
	if err := im.s.allowed(Conversation); err != nil {
		return err
	}
	if err := checkRef(r.Ref); err != nil {
		return err
	}
	if err := checkName("channel", r.Channel); err != nil {
		return err
	}
	if err := checkLine("the thread", r.Thread, MaxField); err != nil {
		return err
	}
	if r.Agent != "" {
		if err := checkAgent(r.Agent); err != nil {
			return err
		}
	}
	if err := im.checkPast("started", &r.Started); err != nil {
		return err
	}
	if r.Ended, err = im.checkMaybe("ended", r.Ended); err != nil {
		return err
	}
	if r.Archived, err = im.checkMaybe("archived", r.Archived); err != nil {
		return err
	}
	if !slices.Contains(Statuses, r.Status) {
		return unknown("status", r.Status, Statuses)
	}
	if (r.Ended != nil) != (r.Status != StatusActive) ||
		(r.Archived != nil) != (r.Status == StatusArchived) {
		return invalid("it is "+r.Status+", which contradicts its times", exchange.Hint)
	}
	return nil
}

// checkItem converts a record to an item that the caller may store.
func (im *importer) checkItem(r *exchange.Item) (Item, error) {
	if err := im.checkReach(r.Tier); err != nil {
		return Item{}, err
	}
	if r.Agent != "" {
		if err := im.checkOwner(r.Agent); err != nil {
			return Item{}, err
		}
	}
	return im.toItem(r)
}

// toItem converts a record to a valid item of any owner.
func (im *importer) toItem(r *exchange.Item) (Item, error) {
	it := itemOf(r)
	if err := checkID(it.ID); err != nil || it.ID[0] != 'm' {
		return it, invalid(fmt.Sprintf("%q is not the id of an item", clip(it.ID, 60)),
			"ids look like m3f9x0c2ma")
	}
	if it.Curator == "" {
		it.Curator = CuratorImport
	}
	if err := it.normalise(); err != nil {
		return it, err
	}
	if it.Expires != nil && (it.Expires.Before(importFirst) || it.Expires.After(importLast)) {
		return it, invalid("its expiry time is impossible", "give another time, or none")
	}
	if err := im.checkPast("created", &it.Created); err != nil {
		return it, err
	}
	for _, t := range []struct {
		what string
		at   *time.Time
	}{{"changed", &it.Updated}, {"read", &it.Accessed}} {
		if t.at.IsZero() {
			*t.at = it.Created
		}
		if err := im.checkPast(t.what, t.at); err != nil {
			return it, err
		}
	}
	if it.Revision == 0 {
		it.Revision = 1
	}
	if err := checkCount("its revision", it.Revision, 1); err != nil {
		return it, err
	}
	if err := checkCount("its access count", it.Accesses, 0); err != nil {
		return it, err
	}
	var err error
	if it.Forgotten, err = im.checkMaybe("forgotten", it.Forgotten); err != nil {
		return it, err
	}
	if it.Archived, err = im.checkMaybe("archived", it.Archived); err != nil {
		return it, err
	}
	if it.Archived != nil && it.Forgotten != nil {
		return it, invalid("it is both archived and forgotten", exchange.Hint)
	}
	if it.Forgotten == nil && (it.Rule != "" || it.ReplacedBy != "") {
		return it, invalid("it has a replacement but is not forgotten", exchange.Hint)
	}
	if it.Forgotten != nil {
		if err := checkName("rule", it.Rule); err != nil {
			return it, err
		}
	}
	if it.ReplacedBy != "" {
		if err := checkID(it.ReplacedBy); err != nil || it.ReplacedBy[0] != 'm' ||
			it.ReplacedBy == it.ID {
			return it, invalid(fmt.Sprintf("it was replaced by %q, which is not an id",
				clip(it.ReplacedBy, 60)), "ids look like m3f9x0c2ma")
		}
	}
	return it, im.checkSecret(&it)
}

func (im *importer) checkSecret(it *Item) error {
	if im.opt.Force {
		return nil
	}
	return refuseSecret(it)
}

// checkSecrets checks texts for secrets. Each text follows its name.
func (im *importer) checkSecrets(texts ...string) error {
	if im.opt.Force {
		return nil
	}
	return refuseSecretIn(keepSecret, texts...)
}

func (im *importer) checkNamed(r *exchange.Named) error {
	if err := checkNamedTier(r.Tier); err != nil {
		return err
	}
	if err := im.s.allowed(r.Tier); err != nil {
		return err
	}
	if err := im.s.mayName(); err != nil {
		return err
	}
	if err := checkName("named entry", r.Name); err != nil {
		return err
	}
	if err := normaliseNamed(r); err != nil {
		return err
	}
	if err := im.checkSecrets("the name", r.Name, "the entry", r.Body); err != nil {
		return err
	}
	if err := im.checkPast("created", &r.Created); err != nil {
		return err
	}
	if r.Updated.IsZero() {
		r.Updated = r.Created
	}
	if err := im.checkPast("changed", &r.Updated); err != nil {
		return err
	}
	if r.Revision == 0 {
		r.Revision = 1
	}
	return checkCount("its revision", r.Revision, 1)
}

func checkNamedTier(tier string) error {
	if tier != Workspace && tier != Account {
		return unknown("tier", tier, []string{Workspace, Account})
	}
	return nil
}

// normaliseNamed normalises a named entry's body and curator, as EditNamed does.
func normaliseNamed(r *exchange.Named) (err error) {
	if r.Body, err = namedBody(r.Body); err != nil {
		return err
	}
	if r.Curator == "" {
		r.Curator = CuratorImport
	}
	if !slices.Contains(Curators, r.Curator) {
		return unknown("curator", r.Curator, Curators)
	}
	return nil
}

func (im *importer) checkNote(r *exchange.Note) (err error) {
	if err := checkID(r.ID); err != nil || r.ID[0] != 'j' {
		return invalid(fmt.Sprintf("%q is not the id of a note", clip(r.ID, 60)),
			"ids look like j3f9x0c2ma")
	}
	if r.Kind != Journal && r.Kind != Core {
		return unknown("kind of note", r.Kind, []string{Journal, Core})
	}
	if err := checkNamedTier(r.Tier); err != nil {
		return err
	}
	if err := im.s.allowed(r.Tier); err != nil {
		return err
	}
	if r.Agent == "" {
		return invalid("it has no agent", "journals and core memories belong to an agent")
	}
	if err := im.checkOwner(r.Agent); err != nil {
		return err
	}
	r.Content = strings.TrimSpace(r.Content)
	if err := checkContent(r.Content); err != nil {
		return err
	}
	if err := im.checkPast("created", &r.Created); err != nil {
		return err
	}
	if r.Forgotten, err = im.checkMaybe("forgotten", r.Forgotten); err != nil {
		return err
	}
	return im.checkSecret(&Item{Content: r.Content})
}

func (im *importer) checkScratch(r *exchange.Scratch) error {
	if err := im.s.allowed(Conversation); err != nil {
		return err
	}
	if err := checkRef(r.Conversation); err != nil {
		return err
	}
	if err := im.checkOwner(r.Agent); err != nil {
		return err
	}
	if err := checkName("working note", r.Key); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, r.Value); err != nil {
		return invalid("the value is not JSON", `write a text "in quotes"`)
	}
	if r.Value = b.Bytes(); len(r.Value) > MaxScratch {
		return invalid(fmt.Sprintf("the value has %d bytes; at most %d are allowed", len(r.Value),
			MaxScratch), "keep it in a file and store the path")
	}
	if err := im.checkSecrets("the key", r.Key, "the value", textIn(r.Value)); err != nil {
		return err
	}
	if err := im.checkPast("created", &r.Created); err != nil {
		return err
	}
	if r.Updated.IsZero() {
		r.Updated = r.Created
	}
	return im.checkPast("changed", &r.Updated)
}

// checkRevision checks a revision by itself. Whether its subject exists is checked
// later.
func (im *importer) checkRevision(r *exchange.Revision) error {
	if err := checkNamedTier(r.Tier); err != nil {
		return err
	}
	if r.Actor != "" {
		if err := checkLine("the actor", r.Actor, MaxAgent); err != nil {
			return err
		}
	}
	if err := im.checkPast("made", &r.At); err != nil {
		return err
	}
	if err := checkCount("its number", r.Revision, 1); err != nil {
		return err
	}
	var before any
	if name, named := strings.CutPrefix(r.Subject, "named:"); named {
		if err := im.s.allowed(r.Tier); err != nil {
			return err
		}
		if err := im.s.mayName(); err != nil {
			return err
		}
		var n exchange.Named
		if why := exchange.ReadRecord(r.Before, &n); why != "" {
			return invalid("the earlier version: "+why, exchange.Hint)
		}
		if err := checkName("named entry", n.Name); err != nil {
			return err
		}
		if r.Subject = namedSubject(n.Name); !strings.EqualFold(name, n.Name) || n.Tier != r.Tier {
			return invalid("it is a revision of another entry", exchange.Hint)
		}
		if err := normaliseNamed(&n); err != nil {
			return err
		}
		if err := im.checkSecrets("the entry before", n.Body); err != nil {
			return err
		}
		if err := checkCount("the revision", n.Revision, 1); err != nil {
			return err
		}
		for _, t := range []*time.Time{&n.Created, &n.Updated} {
			if err := im.checkPast("written", t); err != nil {
				return err
			}
		}
		before = Named(n)
	} else {
		var was Item
		if why := exchange.ReadRecord(r.Before, &was); why != "" {
			return invalid("the earlier version: "+why, exchange.Hint)
		}
		record := recordOf(&was)
		it, err := im.toItem(&record)
		if err != nil {
			return err
		}
		if it.ID != r.Subject || it.Revision != r.Revision {
			return invalid("it is a revision of another item", exchange.Hint)
		}
		if (it.Tier == Account) != (r.Tier == Account) {
			return invalid("it is a revision of an item in another tier", exchange.Hint)
		}
		// The embedding's model is kept as it was.
		if err := checkLine("the model's name", was.Model, MaxField); err != nil {
			return err
		}
		if err := checkCount("the model's dimension", was.Dim, 0); err != nil {
			return err
		}
		it.Model, it.Dim = was.Model, was.Dim
		before = it
	}
	raw, err := json.Marshal(before) // in the format of this version
	r.Before = raw
	return err
}

// sameItem compares items, ignoring what reading changes.
func sameItem(a, b *Item) bool {
	x, y := recordOf(a), recordOf(b)
	x.Accesses, x.Accessed = y.Accesses, y.Accessed
	// imported by an agent; see storeItems
	if x.Curator == CuratorAuthor && y.Curator == CuratorImport {
		x.Curator = y.Curator
	}
	return exchange.Same(x, y)
}
