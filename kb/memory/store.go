package memory

import (
	"cmp"
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

var (
	invalid, conflict = fault.Invalid.New, fault.Conflict.New
	unknown, oneOf    = fault.Unknown, fault.OneOf
	clip              = fault.Clip
)

// Steps of several errors.
var (
	forAuthor = fault.Step{Text: "if the author wants it, {} says so; the log records it",
		Args: map[string]string{"author": "", "reason": "WHY"}}
	startStep         = fault.Do("memory.conversation.start", "{} starts a new one")
	showConversations = fault.Do("memory.conversation.list", "{} shows them")
	showChannels      = fault.Do("memory.channel.list", "{} shows the channels")
	showWorkspaces    = fault.Do("memory.workspaces", "{} lists those that have a memory")
	showScrub         = fault.Step{
		Text: "a dry run shows what would be removed, and the hash that confirms it"}
)

//go:embed migrations/0001_memory.sql
var migration1 string

//go:embed migrations/0002_archived.sql
var migration2 string

//go:embed migrations/0003_shared.sql
var migration3 string

//go:embed migrations/0004_passes.sql
var migration4 string

var schema = sqlite.Schema{
	Name: "memory", ApplicationID: 0x626d6d31,
	Migrations: []string{migration1, migration2, migration3, migration4}}

var indexConfig = index.Config{
	Name: "memory_index", Weights: []float64{1.5, 1, 1}, K1: 1.2, B: 0.75, FunctionWeight: 0.15}

// kind describes a file. Active and archived items are indexed.
var kind = store.Kind{Name: "the memory", Schema: schema, Index: indexConfig, Table: "items",
	Live: "forgotten IS NULL", Row: "item", Dim: true, Batch: 5000,
	Tables: []string{"meta", "channels", "conversations", "items", "revisions", "named",
		"notes", "scratch", "events", "consolidated", "asked"},
	Invariants: invariants,
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]store.Doc, error) {
		items, err := itemsWhere(tx, where, args...)
		docs := make([]store.Doc, len(items))
		for i := range items {
			docs[i] = store.Doc{Kept: index.Kept{
				Doc: document(&items[i], nil), Model: items[i].Model},
				Meaning: embeddingText(&items[i])}
		}
		return docs, err
	}}

// Options say who opens the memory, and for which workspace.
type Options struct {
	// the root directory of the project; "": only the account tier
	Workspace string
	// the caller, who alone sees what is private; "": what is everybody's
	Agent    string
	Unproven bool
	// the caller is a person, who may do everything
	Author bool
	// Reason is why the caller claims to act as the author. It is stored in the log.
	Reason string
	// KeepSecrets stores, but for items, what looks like a secret.
	KeepSecrets bool
	Grants      []string
	// Tiers that the caller may reach; nil: all.
	Tiers []string
	Actor string
	// the caller's session; "": each day of an agent
	Session  string
	Embedder embed.Embedder
	Rates    Rates
	// Resolve returns the state of an item's source ("superseded by k3f…", "changed since"), or "".
	Resolve func(ctx context.Context, it *Item) string
	// Threshold returns the threshold of evidence in a memory of one item for a model,
	// and false if it was not calibrated. nil: only words count.
	Threshold func(ctx context.Context, model string) (float64, bool)
	Now       func() time.Time
}

// Grants of agents.
const (
	GrantNamed  = "named" // write named entries
	GrantScrub  = "scrub" // scrub and purge, but not whole workspaces; see GrantScrubMode
	GrantAuthor = "author"
	// GrantConversations gives access to all conversations; GrantConversation to one.
	GrantConversations = "conversations"
)

func GrantConversation(ref string) string { return "conversation:" + ref }

// GrantScrubMode is the grant to scrub in one mode. GrantScrub includes all modes but ScrubAll.
func GrantScrubMode(mode string) string { return GrantScrub + ":" + mode }

// CheckGrant refuses an unknown grant.
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

// Store is the memory of one caller, safe for concurrent use by any number of processes.
type Store struct {
	home  string
	opt   Options
	now   func() time.Time
	rates Rates
	cap   int // most active items of a scope, for tests; 0: Cap

	mu      sync.Mutex
	files   map[bool]*file // the account's file by true, the workspace's by false
	opening chan struct{}
}

type file struct {
	*store.File
	s       *Store
	account bool

	mu      sync.Mutex
	touched map[int64]touch  // accesses not yet written
	asked   map[askedBy]bool // questions not yet written
	since   time.Time        // time of the oldest access not yet written

	reasoned *sqlite.Tx // the transaction that has recorded the caller's reason
}

type touch struct {
	times int
	at    time.Time
}

func Dir(home string) string { return filepath.Join(home, "memory") }

func AccountPath(home string) string { return filepath.Join(Dir(home), "account.sqlite3") }

// WorkspacePath is named by the path's last part, for people, and a hash of the whole.
func WorkspacePath(home, workspace string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' ||
			r == '_' {
			return r
		}
		return '_'
	}, filepath.Base(workspace))
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(Dir(home), "workspaces", fmt.Sprintf("%.40s-%x.sqlite3", name, sum[:8]))
}

// Open returns the memory of a data home, whose files are opened when needed.
func Open(home string, opt Options) (*Store, error) {
	s := &Store{home: home, opt: opt, now: opt.Now, rates: opt.Rates, files: map[bool]*file{},
		opening: make(chan struct{}, 1)}
	if s.now == nil {
		s.now = time.Now
	}
	if s.rates == (Rates{}) {
		s.rates = DefaultRates
	}
	s.opt.Actor = cmp.Or(s.opt.Actor, opt.Agent)
	if err := cmp.Or(checkMaybeAgent(opt.Agent), checkReason(opt.Reason),
		oneOf("tier", Tiers, opt.Tiers...)); err != nil {
		return nil, err
	}
	if opt.Workspace != "" && !filepath.IsAbs(opt.Workspace) {
		return nil, invalid(fmt.Sprintf("the workspace %q is not an absolute path",
			clip(opt.Workspace, 100)), "give the path from the root")
	}
	if opt.Workspace != "" {
		s.opt.Workspace = filepath.Clean(opt.Workspace)
	}
	return s, nil
}

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

func (s *Store) Workspace() string { return s.opt.Workspace }

func (s *Store) Agent() string { return s.opt.Agent }

// Reaches reports whether a tier is granted, and has its workspace.
func (s *Store) Reaches(tier string) bool { return s.allowed(tier) == nil }

// ErrNoWorkspace is the cause of an error about a tier of a workspace, where there is none.
var ErrNoWorkspace = errors.New("no workspace")

func (s *Store) allowed(tier string) error {
	if err := oneOf("tier", Tiers, tier); err != nil {
		return err
	}
	if s.opt.Tiers != nil && !slices.Contains(s.opt.Tiers, tier) {
		return fault.Denied.New("the "+tier+" tier is not granted to this caller",
			"the person who set it up can grant it")
	}
	if tier != Account && s.opt.Workspace == "" {
		return &fault.Error{Kind: fault.Invalid, Cause: ErrNoWorkspace,
			Msg: "no workspace here, so there is no " + tier + " tier",
			Next: fault.Steps("go into a project's directory", fault.Give("workspace", "",
				"or name one with {}"), fault.Step{Text: "the account tier works everywhere"})}
	}
	return nil
}

// reached yields the caller's existing files, the workspace's first, or the first error.
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

func (s *Store) each(ctx context.Context, fn func(*file, *sqlite.Tx) error) error {
	for f, err := range s.reached(ctx) {
		if err == nil {
			err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errNoFile = errors.New("nothing is stored there yet")

// file returns the file of a tier; if it does not exist, make creates it, else errNoFile.
func (s *Store) file(ctx context.Context, tier string, make bool) (*file, error) {
	if err := s.allowed(tier); err != nil {
		return nil, err
	}
	return s.open(ctx, tier == Account, make)
}

// reading runs fn on a snapshot of a tier's file. If the file does not exist, fn is not called.
func (s *Store) reading(ctx context.Context, tier string, fn func(*file, *sqlite.Tx) error) error {
	return s.readingOr(ctx, tier, nil, fn)
}

// readingOr is reading with an error for a file that does not exist.
func (s *Store) readingOr(ctx context.Context, tier string, none error, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, tier, false)
	switch {
	case errors.Is(err, errNoFile):
		return none
	case err != nil:
		return err
	}
	return f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) })
}

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
	f.File, err = kind.Open(ctx, path, mode,
		store.Options{Now: s.now, Ready: f.isOwned, Prepare: f.initialise})
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

func (f *file) owner() string {
	if f.account {
		return "account"
	}
	return "workspace " + f.s.opt.Workspace
}

// isOwned reports whether the file has an owner. It refuses the file of another owner.
func (f *file) isOwned(tx *sqlite.Tx) (bool, error) {
	have, err := ownerIn(tx)
	if have != "" && have != f.owner() {
		return false, sqlite.Fault(fault.Corrupt, "",
			fmt.Sprintf("holds the memory of the %s, not of the %s", clip(have, 200),
				clip(f.owner(), 200)), nil)
	}
	return have != "", err
}

func ownerIn(tx *sqlite.Tx) (string, error) {
	return sqlite.One[string](tx, `SELECT coalesce(max(value), '') FROM meta WHERE key = 'owner'`)
}

// initialise writes what every file has: its owner and the default channel.
func (f *file) initialise(tx *sqlite.Tx) error {
	_, err := tx.Exec(`INSERT INTO meta VALUES ('owner', ?)`, f.owner())
	if err == nil && !f.account {
		_, err = tx.Exec(`INSERT INTO channels VALUES (?, '', 1, ?)`, DefaultChannel,
			tx.Now.UnixMilli())
	}
	return err
}

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

func document(it *Item, v embed.Vector) index.Doc {
	d := index.Doc{ID: it.n, Text: []string{it.Title, it.Content, strings.Join(it.Tags, "\n")},
		Vector: v}
	d.Keywords = []string{kwTier + it.Tier, keyword(kwAgent, it.Agent), kwCurator + it.Curator,
		keyword(kwSource, it.Source)}
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

func (it *Item) stored() store.Columns {
	return append(it.columns(), "text_hash", textHash(it.Content))
}

var itemColumns = "n, " + new(Item).columns().Names("", "")

func itemsWhere(tx *sqlite.Tx, where string, args ...any) (all []Item, err error) {
	var it Item
	err = tx.Each(it.columns().Dest("an item %s whose tags", &it.n), func() error {
		all = append(all, it)
		it = Item{}
		return nil
	}, `SELECT `+itemColumns+` FROM items WHERE `+where, args...)
	return all, err
}

func notFound(id string) error {
	return fault.NotFound.New(fmt.Sprintf("memory %s not found", clip(id, 60)), "",
		fault.Do("memory.list", "{} lists all; only their agent sees private ones"))
}

// requireGrant refuses an operation for which the caller lacks a grant; what is the message.
func (s *Store) requireGrant(grant, what string) error {
	if s.opt.Author || slices.Contains(s.opt.Grants, grant) {
		return nil
	}
	return fault.Denied.New(what,
		"ask the person who set the agent up: it needs the grant \""+grant+"\"", forAuthor)
}
