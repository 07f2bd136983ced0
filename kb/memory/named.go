package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Named entries that always exist, empty at first.
const (
	Voice = "VOICE" // of a workspace: the tone of texts written for it
	Soul  = "SOUL"  // of the account: how the agent behaves everywhere
)

const MaxNamed = 50_000

// Named is an entry with a name, written by its author: always loaded first, never ranked.
type Named struct {
	Name     string    `json:"name"`
	Tier     string    `json:"tier"` // workspace or account
	Body     string    `json:"body"` // markdown; "": not written yet
	Curator  string    `json:"curator"`
	Revision int       `json:"revision"` // 0: not written yet
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// version identifies a revision of an entry in OrientQuery.Given.
func (n *Named) version() string { return fmt.Sprintf("%s/%s@%d", n.Tier, n.Name, n.Revision) }

// NamedTier returns the tier of an entry if none is given.
func NamedTier(name, tier string) (string, error) {
	switch {
	case tier == "" && strings.EqualFold(name, Soul):
		return Account, nil
	case tier == "":
		return Workspace, nil
	}
	return tier, oneOf("tier of a named entry", ownTiers, tier)
}

// Named returns the tiers' named entries, VOICE and SOUL first, then by name.
func (s *Store) Named(ctx context.Context, tiers ...string) ([]Named, error) {
	if len(tiers) == 0 {
		for _, t := range ownTiers {
			if s.Reaches(t) {
				tiers = append(tiers, t)
			}
		}
	}
	all := []Named{}
	for _, tier := range tiers {
		if _, err := NamedTier("", tier); err != nil {
			return nil, err
		}
		first := Voice
		if tier == Account {
			first = Soul
		}
		var found []Named
		if err := s.reading(ctx, tier, func(_ *file, tx *sqlite.Tx) (err error) {
			found, err = namedWhere(tx, tier, `TRUE ORDER BY name <> ?, name`, first)
			return err
		}); err != nil {
			return nil, err
		}
		if len(found) == 0 || !strings.EqualFold(found[0].Name, first) {
			all = append(all, Named{Name: first, Tier: tier})
		}
		all = append(all, found...)
	}
	return all, nil
}

func namedWhere(tx *sqlite.Tx, tier, where string, args ...any) (all []Named, err error) {
	n := Named{Tier: tier}
	err = eachRecord(tx, n.columns(), `named WHERE `+where, func() error {
		all = append(all, n)
		return nil
	}, args...)
	return all, err
}

// GetNamed returns a named entry. VOICE and SOUL exist, empty, before they are written.
func (s *Store) GetNamed(ctx context.Context, name, tier string) (Named, error) {
	tier, err := NamedTier(name, tier)
	if err := cmp.Or(checkName("named entry", name), err); err != nil {
		return Named{}, err
	}
	all, err := s.Named(ctx, tier)
	if err != nil {
		return Named{}, err
	}
	for _, n := range all {
		if strings.EqualFold(n.Name, name) {
			return n, nil
		}
	}
	return Named{}, fault.NotFound.New(fmt.Sprintf("named entry %s not found in the %s tier",
		name, tier), "", fault.Do("memory.named.list", "{} shows them"),
		fault.Do("memory.named.edit", "{} writes one"))
}

func (s *Store) mayName() error {
	return s.requireGrant(GrantNamed,
		"only the author writes named entries; agents read them")
}

// AnyRevision tells EditNamed to accept any current revision.
const AnyRevision = -1

// EditNamed writes a named entry of that revision, 0 for a new one, or AnyRevision.
func (s *Store) EditNamed(ctx context.Context, name, tier, body string, revision int) (
	Named, error) {
	tier, err := NamedTier(name, tier)
	if err := cmp.Or(checkName("named entry", name), err, s.allowed(tier), s.mayName()); err != nil {
		return Named{}, err
	}
	if revision < AnyRevision {
		return Named{}, invalid(fmt.Sprintf("%d is not a revision", revision), "",
			fault.Do("memory.named.show",
				"{} shows the revision; 0 is for a new entry", "name", name))
	}
	if body, err = namedBody(body); err != nil {
		return Named{}, err
	}
	if err := s.refuseSecrets("the name", name, "the entry", body); err != nil {
		return Named{}, err
	}
	out := Named{Name: name, Tier: tier, Body: body, Curator: CuratorAuthor, Revision: 1}
	err = s.writing(ctx, tier, func(f *file, tx *sqlite.Tx) error {
		all, err := namedWhere(tx, tier, `name = ?`, name)
		if err != nil {
			return err
		}
		have := Named{Name: name, Created: tx.Now}
		if len(all) > 0 {
			have = all[0]
		}
		if revision != AnyRevision && revision != have.Revision {
			return conflict(fmt.Sprintf("%s is at revision %d, not %d: it has changed since",
				name, have.Revision, revision), "read the current text and edit that")
		}
		out.Name, out.Created, out.Updated = have.Name, have.Created, tx.Now
		out.Revision = have.Revision + 1
		switch {
		case len(all) > 0 && have.Body == body:
			out = have
			return nil
		case len(all) > 0:
			err = f.keepNamed(tx, &have)
		default: // it goes on after a removed entry of that name, so that a revision is unique
			err = tx.QueryRow(`SELECT coalesce(max(json_extract(before, '$.revision')), 0) + 1
				FROM revisions WHERE subject = ?`, namedSubject(name)).Scan(&out.Revision)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT OR REPLACE INTO named VALUES (?, ?, ?, ?, ?, ?)`, out.Name,
			body, out.Curator, out.Revision, out.Created.UnixMilli(),
			tx.Now.UnixMilli()); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: VerbNamed, Scope: tier, Subject: namedSubject(out.Name)})
	})
	return out, err
}

func namedBody(body string) (string, error) {
	body = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	if body == "" {
		return "", invalid("the entry is empty", "write a text, or remove the entry")
	}
	if n := utf8.RuneCountInString(body); n > MaxNamed {
		return "", invalid(fmt.Sprintf("the entry has %d characters; at most %d are allowed", n,
			MaxNamed), "it is read in every turn: keep what matters")
	}
	return body, checkText("the entry", body)
}

func namedSubject(name string) string { return "named:" + strings.ToUpper(name) }

// keepNamed stores the current text as a revision. Numbers continue after a removal.
func (f *file) keepNamed(tx *sqlite.Tx, n *Named) error {
	before, err := json.Marshal(n)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO revisions SELECT ?1, 1 + coalesce(max(revision), 0), ?2, ?3, ?4
		FROM revisions WHERE subject = ?1`,
		namedSubject(n.Name), tx.Now.UnixMilli(), f.s.opt.Actor, string(before))
	return err
}

// RemoveNamed removes a named entry. Its texts stay among its revisions.
func (s *Store) RemoveNamed(ctx context.Context, name, tier string) (Named, error) {
	n, err := s.GetNamed(ctx, name, tier)
	if err != nil {
		return n, err
	}
	if err := s.mayName(); err != nil {
		return n, err
	}
	if n.Revision == 0 {
		return n, fault.NotFound.New("there is no text in "+n.Name+" yet", "",
			fault.Do("memory.named.edit", "{} writes it", "name", n.Name))
	}
	err = s.writing(ctx, n.Tier, func(f *file, tx *sqlite.Tx) error {
		all, err := namedWhere(tx, n.Tier, `name = ?`, name)
		if err == nil && len(all) > 0 {
			n = all[0]
			err = f.keepNamed(tx, &n)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM named WHERE name = ?`, name); err != nil {
			return err
		}
		return f.event(tx, Event{
			Verb: VerbNamedGone, Scope: n.Tier, Subject: namedSubject(n.Name)})
	})
	return n, err
}

func (s *Store) NamedRevisions(ctx context.Context, name, tier string) ([]Named, error) {
	tier, err := NamedTier(name, tier)
	if err != nil {
		return nil, err
	}
	all := []Named{}
	err = s.reading(ctx, tier, func(_ *file, tx *sqlite.Tx) error {
		all, err = sqlite.All(tx,
			func(n *Named) []any { return []any{sqlite.JSON(n, "a revision of %s that", &name)} },
			`SELECT before FROM revisions WHERE subject = ? ORDER BY revision`, namedSubject(name))
		return err
	})
	return all, err
}
