package memory

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

//go:embed migrations/0001_memory.sql
var migration1 string

//go:embed migrations/0002_archived.sql
var migration2 string

//go:embed migrations/0003_shared.sql
var migration3 string

var schema = sqlite.Schema{Name: "memory", ApplicationID: 0x626d6d31, Migrations: []string{migration1, migration2, migration3}}

var indexConfig = index.Config{Name: "memory_index", Weights: []float64{1.5, 1, 1}, K1: 1.2, B: 0.75, FunctionWeight: 0.15}

// kind is what a file holds. The index has the live and the archived items.
var kind = store.Kind{Name: "the memory", Schema: schema, Index: indexConfig, Table: "items", Live: "forgotten IS NULL", Row: "item", Dim: true, Batch: 5000,
	Tables:     []string{"meta", "channels", "conversations", "items", "revisions", "named", "notes", "scratch", "events", "consolidated", "asked", "passes", "pass_steps"},
	Invariants: invariants,
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]store.Doc, error) {
		items, err := itemsWhere(tx, where, args...)
		docs := make([]store.Doc, len(items))
		for i := range items {
			docs[i] = store.Doc{Kept: index.Kept{Doc: document(&items[i], nil), Model: items[i].Model}, Meaning: embeddingText(&items[i])}
		}
		return docs, err
	}}

// Options say who opens the memory, and for where.
type Options struct {
	// Workspace is the root directory of the project, "" for none: then there is the account tier only.
	Workspace string
	// Agent is who asks. Private items, journals and core memories are seen by their agent alone. "" sees what is everybody's.
	Agent string
	// Unproven says that Agent is what the caller calls itself, which anybody could: it
	// takes part in no conversation by that.
	Unproven bool
	// Author says that a person is asking, who may do everything.
	Author bool
	// Reason is why the caller acts as the author, where nothing but its word says so. It
	// is kept in the log beside what was done.
	Reason string
	// KeepSecrets has named entries, working notes, threads, descriptions and reasons stored
	// though they hold what looks like a secret.
	KeepSecrets bool
	// Grants are what an agent may do besides.
	Grants []string
	// Tiers are those that the caller may reach; nil: all.
	Tiers []string
	// Actor is who the log of events names; Agent, if it is empty.
	Actor string
	// Session is the caller's session: what several of them ask for becomes long-term. "": each day of an agent is one.
	Session string
	// Embedder turns texts into vectors; nil: there is none, and questions are answered by words alone.
	Embedder embed.Embedder
	// Warm keeps what searches read in memory, for a process that lives.
	Warm bool
	// Rates of decay; the zero value is DefaultRates.
	Rates Rates
	// Resolve says how it stands with what an item was derived from ("superseded by k3f…", "changed since"), "" if there is nothing to say.
	Resolve func(ctx context.Context, it *Item) string
	// Threshold says from which evidence on an item is surely about a question, among one item, with cosines
	// of a model; false if nobody has measured it. Nil: words alone judge.
	Threshold func(ctx context.Context, model string) (float64, bool)
	// Now replaces the clock.
	Now func() time.Time
}

// Grants of agents.
const (
	GrantNamed = "named" // write named entries
	GrantScrub = "scrub" // scrub and purge, but for whole workspaces; see GrantScrubMode
	// GrantAuthor lets it change and forget items that a person has put.
	GrantAuthor = "author"
	// GrantConversations lets it take part in all conversations; GrantConversation in
	// one.
	GrantConversations = "conversations"
)

// GrantConversation lets an agent take part in one conversation.
func GrantConversation(ref string) string { return "conversation:" + ref }

// GrantScrubMode lets an agent scrub in one mode. GrantScrub is for all but ScrubAll,
// which takes its own.
func GrantScrubMode(mode string) string { return GrantScrub + ":" + mode }

// CheckGrant refuses a grant that there is not.
func CheckGrant(grant string) error {
	all := []string{GrantNamed, GrantScrub, GrantAuthor, GrantConversations}
	for _, mode := range ScrubModes {
		all = append(all, GrantScrubMode(mode))
	}
	if slices.Contains(all, grant) {
		return nil
	}
	if ref, one := strings.CutPrefix(grant, GrantConversation("")); one {
		return checkRef(ref)
	}
	return unknown("grant", grant, append(all, GrantConversation("REF")))
}

// Store is the memory as one caller reaches it: the account's file, and that of one workspace. No method takes the name of another. It is safe for concurrent use, by any number of
// processes.
type Store struct {
	home  string
	opt   Options
	now   func() time.Time
	rates Rates
	cap   int // of live items in a scope, for tests; 0: Cap

	mu      sync.Mutex
	files   map[bool]*file // by whether it is the account's
	opening chan struct{}  // whoever holds it opens a file: others wait no longer than their contexts let them
}

// file is one SQLite file with its index.
type file struct {
	*store.File
	s       *Store
	account bool

	mu      sync.Mutex
	touched map[int64]touch  // accesses that are not written yet
	asked   map[askedBy]bool // questions that are not written yet
	since   time.Time        // of the oldest access

	reasoned *sqlite.Tx // the transaction in which the log has the caller's reason
}

type touch struct {
	times int
	at    time.Time
}

// Dir returns the directory of the memory in a data home.
func Dir(home string) string { return filepath.Join(home, "memory") }

// AccountPath returns the file of the account tier in a data home.
func AccountPath(home string) string { return filepath.Join(Dir(home), "account.sqlite3") }

// WorkspacePath returns the file of a workspace's tiers in a data home: the last part of its path, so that a person knows it, and a hash of all of it.
func WorkspacePath(home, workspace string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, filepath.Base(workspace))
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(Dir(home), "workspaces", fmt.Sprintf("%.40s-%x.sqlite3", name, sum[:8]))
}

// Open returns the memory of a data home. Files are opened when they are needed, and made when something is written.
func Open(home string, opt Options) (*Store, error) {
	s := &Store{home: home, opt: opt, now: opt.Now, rates: opt.Rates, files: map[bool]*file{}, opening: make(chan struct{}, 1)}
	if s.now == nil {
		s.now = time.Now
	}
	if s.rates == (Rates{}) {
		s.rates = DefaultRates
	}
	if s.opt.Actor == "" {
		s.opt.Actor = opt.Agent
	}
	if opt.Agent != "" {
		if err := checkAgent(opt.Agent); err != nil {
			return nil, err
		}
	}
	if err := checkReason(opt.Reason); err != nil {
		return nil, err
	}
	for _, t := range opt.Tiers {
		if !slices.Contains(Tiers, t) {
			return nil, unknown("tier", t, Tiers)
		}
	}
	if opt.Workspace != "" && !filepath.IsAbs(opt.Workspace) {
		return nil, invalid(fmt.Sprintf("the workspace %q is no whole path", clip(opt.Workspace, 100)), "give it from the root on")
	}
	if opt.Workspace != "" {
		s.opt.Workspace = filepath.Clean(opt.Workspace)
	}
	return s, nil
}

// Close writes what is still to be written of accesses and closes the files.
func (s *Store) Close() error {
	s.Flush(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files = map[bool]*file{}
	return errors.Join(errs...)
}

// Workspace returns the workspace's directory, "" if there is none.
func (s *Store) Workspace() string { return s.opt.Workspace }

// Agent returns who asks.
func (s *Store) Agent() string { return s.opt.Agent }

// Reaches reports whether the caller has a tier: by its grants, and because there is a workspace.
func (s *Store) Reaches(tier string) bool { return s.allowed(tier) == nil }

// allowed says why a tier cannot be reached.
func (s *Store) allowed(tier string) error {
	if !slices.Contains(Tiers, tier) {
		return unknown("tier", tier, Tiers)
	}
	if s.opt.Tiers != nil && !slices.Contains(s.opt.Tiers, tier) {
		return fault.Denied.New("the "+tier+" tier is not granted to this caller", "the person who set it up can grant it")
	}
	if tier != Account && s.opt.Workspace == "" {
		return invalid("there is no workspace here, so there is no "+tier+" tier", "go into a project's directory", fault.Give("workspace", "", "or name one with {}"), fault.Step{Text: "the account tier is everywhere"})
	}
	return nil
}

// reached yields the files that the caller reaches, the workspace's first, without those that nobody has written to yet. The first error ends it.
func (s *Store) reached(ctx context.Context) iter.Seq2[*file, error] {
	return func(yield func(*file, error) bool) {
		for _, account := range []bool{false, true} {
			if !s.reachesFile(account) {
				continue
			}
			f, err := s.open(ctx, account, false)
			if errors.Is(err, errNoFile) {
				continue
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// errNoFile is for a file that nobody has written to yet.
var errNoFile = errors.New("nothing is remembered there yet")

// file returns the file of a tier; make says whether it is made if there is none, else that is errNoFile.
func (s *Store) file(ctx context.Context, tier string, make bool) (*file, error) {
	if err := s.allowed(tier); err != nil {
		return nil, err
	}
	return s.open(ctx, tier == Account, make)
}

// reading runs fn on a snapshot of a tier's file, and not at all if nobody has written to it yet.
func (s *Store) reading(ctx context.Context, tier string, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, tier, false)
	if errors.Is(err, errNoFile) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) })
}

// writing runs fn as a transaction of a tier's file, which is made if there is none.
func (s *Store) writing(ctx context.Context, tier string, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, tier, true)
	if err != nil {
		return err
	}
	return f.WriteIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) })
}

func (s *Store) open(ctx context.Context, account, make bool) (*file, error) {
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	f := s.files[account]
	s.mu.Unlock()
	if f != nil {
		return f, nil
	}
	path, mode := AccountPath(s.home), sqlite.ReadWrite
	if !account {
		path = WorkspacePath(s.home, s.opt.Workspace)
	}
	if make {
		mode = sqlite.Create
	}
	f = &file{s: s, account: account, touched: map[int64]touch{}, asked: map[askedBy]bool{}}
	var err error
	f.File, err = kind.Open(ctx, path, mode, store.Options{Warm: s.opt.Warm, Now: s.now, Ready: f.isOwned, Prepare: f.own})
	if errors.Is(err, fs.ErrNotExist) && !make {
		return nil, errNoFile
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.files[account] = f
	s.mu.Unlock()
	return f, nil
}

// owner says whose the file is.
func (f *file) owner() string {
	if f.account {
		return "account"
	}
	return "workspace " + f.s.opt.Workspace
}

// isOwned reports whether the file says whose it is. Another's is refused.
func (f *file) isOwned(tx *sqlite.Tx) (bool, error) {
	have, err := ownerIn(tx)
	if have != "" && have != f.owner() {
		return false, sqlite.Fault(fault.Corrupt, "", fmt.Sprintf("holds the memory of the %s, not of the %s", clip(have, 200), clip(f.owner(), 200)), nil)
	}
	return have != "", err
}

func ownerIn(tx *sqlite.Tx) (string, error) {
	return sqlite.One[string](tx, `SELECT coalesce(max(value), '') FROM meta WHERE key = 'owner'`)
}

// own makes what every file has: whose it is, the default channel.
func (f *file) own(tx *sqlite.Tx) error {
	_, err := tx.Exec(`INSERT INTO meta VALUES ('owner', ?)`, f.owner())
	if err == nil && !f.account {
		_, err = tx.Exec(`INSERT INTO channels VALUES (?, '', 1, ?)`, DefaultChannel, tx.Now.UnixMilli())
	}
	return err
}

// Keywords of the filters.
const (
	kwTier         = "tier:"
	kwChannel      = "channel:"
	kwConversation = "conversation:"
	kwAgent        = "agent:" // with nothing after it: everybody's
	kwCurator      = "curator:"
	kwSource       = "source:"
	kwTag          = "tag:"
	kwArchived     = "archived"
)

func keyword(prefix, value string) string { return store.Keyword(prefix, value, 360, textHash) }

// document is a live or archived item as the index takes it.
func document(it *Item, v embed.Vector) index.Doc {
	d := index.Doc{ID: it.n, Text: []string{it.Title, it.Content, strings.Join(it.Tags, "\n")}, Vector: v}
	d.Keywords = []string{kwTier + it.Tier, keyword(kwAgent, it.Agent), kwCurator + it.Curator, keyword(kwSource, it.Source)}
	if it.Channel != "" {
		d.Keywords = append(d.Keywords, kwChannel+it.Channel)
	}
	if it.Tier == Conversation {
		d.Keywords = append(d.Keywords, kwConversation+it.Conversation)
	}
	for _, t := range it.Tags {
		d.Keywords = append(d.Keywords, kwTag+t)
	}
	if it.Archived != nil {
		d.Keywords = append(d.Keywords, kwArchived)
	}
	return d
}

// columns are an item's, but for its number and the hash of its text.
func (it *Item) columns() store.Columns {
	return store.Columns{"id", &it.ID, "tier", &it.Tier, "channel", &it.Channel,
		"conversation", &it.Conversation, "agent", &it.Agent, "title", &it.Title,
		"content", &it.Content, "curator", &it.Curator, "source", &it.Source,
		"importance", &it.Importance, "lifetime", &it.Lifetime, "tags", &it.Tags,
		"accesses", &it.Accesses, "created", &it.Created, "updated", &it.Updated,
		"accessed", &it.Accessed, "expires", &it.Expires, "derived_from", &it.DerivedFrom,
		"revision", &it.Revision, "forgotten", &it.Forgotten, "rule", &it.Rule, "why", &it.Why,
		"replaced_by", &it.ReplacedBy, "model", &it.Model, "dim", &it.Dim,
		"archived", &it.Archived}
}

// stored are the columns of a row that is written.
func (it *Item) stored() store.Columns {
	return append(it.columns(), "text_hash", textHash(it.Content))
}

var itemColumns = "n, " + new(Item).columns().Names("", "")

// itemsWhere reads items; where is what follows WHERE.
func itemsWhere(tx *sqlite.Tx, where string, args ...any) (all []Item, err error) {
	var it Item
	err = tx.Each(it.columns().Dest("an item %s whose tags", &it.n), func() error {
		all = append(all, it)
		it = Item{}
		return nil
	}, `SELECT `+itemColumns+` FROM items WHERE `+where, args...)
	return all, err
}

// granted refuses to agents what they were not granted; what says what it is.
func (s *Store) granted(grant, what string) error {
	if s.opt.Author || slices.Contains(s.opt.Grants, grant) {
		return nil
	}
	return fault.Denied.New(what, "ask the person who set the agent up: it takes the grant \""+grant+"\"", forAuthor)
}
