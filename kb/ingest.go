package kb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/markdown"
	"blackboard/kb/secret"
	"blackboard/kb/store"
)

type IngestOptions struct {
	Workspace, Project, Scope string // for the capsules; the default scope is Remember's
	Tags, DomainTags          []string
	Force                     bool // keep suspected secrets; otherwise they are masked
	Prune                     bool
	DryRun                    bool
	NoEmbedding               bool
	// keep the scope, tags, workspace and project that a known document was ingested with
	KeepOptions bool
	Progress    func(what string, done, of int)
	// Shared returns what a file shares with other worktrees, or "": that is stored once.
	Shared func(file string) string
}

type IngestedAll struct {
	New       []string `json:"new"`       // documents
	Changed   []string `json:"changed"`   // documents
	Unchanged int      `json:"unchanged"` // documents
	Pruned    []string `json:"pruned"`    // documents
	// documents that no longer exist and whose capsules stay
	Gone     []string `json:"gone"`
	Capsules int      `json:"capsules"` // capsules written
	Empty    []string `json:"empty"`    // documents without any text
	// documents that another worktree has too, with the path there
	Elsewhere map[string]string `json:"elsewhere"`
	Kept      int               `json:"kept"`    // unchanged sections of changed documents
	Removed   int               `json:"removed"` // sections that no longer exist
	Refused   []Refused         `json:"refused"`
	Masked    []Masked          `json:"masked"` // sections in which secrets were masked
	Warnings  []string          `json:"warnings"`
}

// Masked is a section in which what looks like a secret was masked.
type Masked struct {
	From  string `json:"from"` // file:line of the section
	Title string `json:"title"`
	Rule  string `json:"rule"`  // rule that matched
	Count int    `json:"count"` // number of masked secrets
}

func (m Masked) String() string {
	return fmt.Sprintf("%s (%s): masked what looks like a secret: %d × %s", m.From, m.Title,
		m.Count, m.Rule)
}

// Ingest stores each section of markdown documents as a capsule of the kind doc. A document is
// identified by its path and content. An unchanged document is skipped. The capsules of a changed
// one are replaced in one step; unchanged sections keep their capsule.
func (k *KB) Ingest(ctx context.Context, paths []string, opt IngestOptions) (
	r IngestedAll, err error) {
	r = IngestedAll{New: []string{}, Changed: []string{}, Pruned: []string{}, Gone: []string{},
		Refused: []Refused{}, Masked: []Masked{}, Warnings: []string{}, Empty: []string{},
		Elsewhere: map[string]string{}}
	probe := Capsule{Kind: KindDoc, Scope: opt.Scope, Title: "x", Body: "x", Tags: opt.Tags,
		DomainTags: opt.DomainTags, Workspace: opt.Workspace, Project: opt.Project}
	if err := probe.Normalise(); err != nil {
		return r, err
	}
	if opt.Progress == nil {
		opt.Progress = func(string, int, int) {}
	}
	own := "" // the knowledge base has no folder
	if k.sidecars != "" {
		own = filepath.Dir(k.sidecars)
	}
	files, folders, err := markdown.Find(ctx, paths, own, r.refuse)
	if err != nil {
		return r, err
	}
	known, err := k.ingested(ctx)
	if err != nil {
		return r, err
	}
	worktrees := opt.groupByShared(known)
	for i, file := range files {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		opt.Progress("ingesting", i, len(files))
		if known[file].sha256 == "" && opt.isElsewhere(file, worktrees, known, &r) {
			continue
		}
		if err := k.ingestOne(ctx, file, known[file], &probe, &opt, &r); err != nil {
			return r, err
		}
	}
	opt.Progress("ingesting", len(files), len(files))
	return r, k.pruneGone(ctx, folders, known, &opt, &r)
}

func textSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// groupByShared groups the known documents by opt.Shared, if there is one.
func (opt *IngestOptions) groupByShared(known map[string]ingestedDoc) map[string][]string {
	all := map[string][]string{}
	for file := range known {
		if opt.Shared == nil {
			break
		}
		if key := opt.Shared(file); key != "" {
			all[key] = append(all[key], file)
		}
	}
	return all
}

// isElsewhere reports, and notes in r, whether another worktree still has the same document.
func (opt *IngestOptions) isElsewhere(file string, worktrees map[string][]string,
	known map[string]ingestedDoc, r *IngestedAll) bool {
	if len(worktrees) == 0 {
		return false
	}
	text, err := markdown.Read(file)
	for _, other := range worktrees[opt.Shared(file)] {
		if err == nil && other != file && known[other].sha256 == cutAs(textSum(text)) {
			if now, err := markdown.Read(other); err == nil && now == text {
				r.Elsewhere[file] = other
				r.Unchanged++
				return true
			}
		}
	}
	return false
}

// cutting is the version of the rules for sections: raised, all documents are read again.
const cutting = 3

type ingestedDoc struct {
	sha256  string // as written by cutAs
	refused int    // sections that were refused and will be tried again
}

// cutAs returns the stored hash of a document, with the version of the rules.
func cutAs(sha string) string { return fmt.Sprintf("%d:%s", cutting, sha) }

func (k *KB) ingested(ctx context.Context) (map[string]ingestedDoc, error) {
	known := map[string]ingestedDoc{}
	err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		var file string
		var d ingestedDoc
		return tx.Each([]any{&file, &d.sha256, &d.refused}, func() error {
			known[file] = d
			return nil
		}, `SELECT file, sha256, refused FROM ingested`)
	})
	return known, err
}

var errDocumentChanged = errors.New("the document changed repeatedly while it was ingested")

// ingestOne ingests a document and retries if it changes meanwhile.
func (k *KB) ingestOne(ctx context.Context, file string, known ingestedDoc, like *Capsule,
	opt *IngestOptions, r *IngestedAll) error {
	for try := 0; ; try++ {
		refused, masked := len(r.Refused), len(r.Masked)
		err := k.ingestOnce(ctx, file, known, like, opt, r)
		if !errors.Is(err, errDocumentChanged) || try == 4 {
			return err
		}
		r.Refused, r.Masked = r.Refused[:refused], r.Masked[:masked]
		all, err := k.ingested(ctx)
		if err != nil {
			return err
		}
		known = all[file]
	}
}

func (k *KB) ingestOnce(ctx context.Context, file string, known ingestedDoc, like *Capsule,
	opt *IngestOptions, r *IngestedAll) error {
	text, err := markdown.Read(file)
	if err != nil {
		r.refuse(file, err)
		return nil
	}
	sha := textSum(text)
	tagged := *like
	tagged.Tags = sortedTags(slices.Concat(like.Tags, markdown.ReadFront(text).Tags))
	like = &tagged
	asBefore := known.sha256 == cutAs(sha)
	settled := asBefore && known.refused == 0 && !opt.Force
	if settled && opt.KeepOptions {
		r.Unchanged++
		return nil
	}
	if known.sha256 != "" {
		var old []Capsule
		if err := k.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
			old, err = capsulesWhere(tx, `ingest_file = ? LIMIT 1`, file)
			return err
		}); err != nil {
			return err
		}
		if len(old) > 0 && opt.KeepOptions {
			o := &old[0]
			like = &Capsule{Kind: like.Kind, Scope: o.Scope, Workspace: o.Workspace,
				Project: o.Project, Tags: sortedTags(slices.Concat(o.Tags, like.Tags)),
				DomainTags: o.DomainTags}
		}
		if settled && (len(old) == 0 || sameOptions(&old[0], like)) {
			r.Unchanged++
			return nil
		}
	}
	parts := r.parts(file, text, opt)
	if len(parts) == 0 {
		r.Empty = append(r.Empty, file)
		if known.sha256 == "" {
			return nil
		}
	}
	if len(parts) > markdown.MaxSections {
		r.refuse(file, fmt.Errorf("it has %d sections; a document has at most %d", len(parts),
			markdown.MaxSections))
		return nil
	}
	caps := sections(file, sha, parts, like, opt, r)
	refused := len(parts) - len(caps)
	var written, kept, removed int
	if opt.DryRun {
		err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
			found, err := capsulesWhere(tx, `ingest_file = ?`, file)
			old := make([]*Capsule, len(found))
			for i := range found {
				old[i] = &found[i]
			}
			same, gone := match(old, caps)
			written, kept, removed = len(caps)-len(same), len(same), len(gone)
			return err
		})
	} else {
		written, kept, removed, err = k.replaceSections(ctx, file, sha, text, refused, caps, opt, r)
	}
	if err != nil {
		return fmt.Errorf("ingest %s: %w", file, err)
	}
	again := asBefore && (known.refused > 0 || opt.Force) ||
		!asBefore && strings.HasSuffix(known.sha256, sha)
	// it was only read again because of refused or masked sections, or new rules
	if again && written+removed == 0 {
		r.Unchanged++
		return nil
	}
	r.note(file, known.sha256)
	r.Capsules, r.Kept, r.Removed = r.Capsules+written, r.Kept+kept, r.Removed+removed
	return nil
}

func (k *KB) replaceSections(ctx context.Context, file, sha, text string, refused int,
	caps []Capsule, opt *IngestOptions, r *IngestedAll) (written, kept, removed int, err error) {
	vectors, err := k.embedChunks(ctx, file, caps, opt, r)
	if err != nil {
		return 0, 0, 0, err
	}
	var warnings []string
	err = k.change(ctx, func(ch *change) (err error) {
		if now, err := markdown.Read(file); err != nil || now != text {
			return errDocumentChanged
		}
		written, kept, removed, warnings, err = ch.swap(file, sha, refused, caps, vectors)
		return err
	})
	for _, w := range warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
	return written, kept, removed, err
}

// parts cuts a document and masks secrets in the whole: one may span two sections.
func (r *IngestedAll) parts(file, text string, opt *IngestOptions) []markdown.Section {
	if opt.Force {
		return markdown.Sections(file, text)
	}
	text, masked := secret.MaskLines(text)
	parts := markdown.Sections(file, text)
	at, first := 0, len(r.Masked)
	for _, m := range masked {
		for at+1 < len(parts) && parts[at+1].Line <= m.Line {
			at++
		}
		if len(parts) == 0 {
			break
		}
		from := fmt.Sprintf("%s:%d", file, parts[at].Line)
		i := slices.IndexFunc(r.Masked[first:],
			func(o Masked) bool { return o.From == from && o.Rule == m.Rule })
		if i < 0 {
			i = len(r.Masked) - first
			r.Masked = append(r.Masked, Masked{From: from, Title: parts[at].Title, Rule: m.Rule})
		}
		r.Masked[first+i].Count++
	}
	return parts
}

// sections makes a capsule of each section, or refuses it.
func sections(file, sha string, parts []markdown.Section, like *Capsule, opt *IngestOptions,
	r *IngestedAll) []Capsule {
	caps := make([]Capsule, 0, len(parts))
	for _, p := range parts {
		c := *like
		c.Title, c.Body, c.Source = p.Title, p.Body, fmt.Sprintf("%s:%d", file, p.Line)
		err := c.Normalise()
		if err == nil && !opt.Force {
			err = c.CheckSecrets()
		}
		if err != nil {
			r.Refused = append(r.Refused, Refused{From: c.Source, Why: err.Error()})
			continue
		}
		caps = append(caps, c)
	}
	for i := range caps {
		caps[i].Ingested = &Ingested{File: file, SHA256: sha, Part: i + 1, Of: len(caps)}
	}
	return caps
}

func (r *IngestedAll) refuse(path string, err error) {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path is reported separately
	}
	r.Refused = append(r.Refused, Refused{From: path, Why: err.Error()})
}

func (r *IngestedAll) note(file, was string) {
	if was == "" {
		r.New = append(r.New, file)
	} else {
		r.Changed = append(r.Changed, file)
	}
}

// embedChunks embeds new sections, in the places of caps; nil for others, and after a failure.
func (k *KB) embedChunks(ctx context.Context, file string, caps []Capsule, opt *IngestOptions,
	r *IngestedAll) ([]embed.Vector, error) {
	vectors := make([]embed.Vector, len(caps))
	if k.emb == nil || opt.NoEmbedding {
		return vectors, nil
	}
	have := map[string]bool{}
	if err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		old, err := capsulesWhere(tx, `ingest_file = ? AND model <> ''`, file)
		for i := range old {
			have[old[i].section()] = true
		}
		return err
	}); err != nil {
		return nil, err
	}
	var texts []string
	var of []int
	for i := range caps {
		if !have[caps[i].section()] {
			texts, of = append(texts, embeddingText(&caps[i])), append(of, i)
		}
	}
	for at := 0; at < len(texts); at += store.EmbedBatch {
		end := min(at+store.EmbedBatch, len(texts))
		vs, err := store.Vectors(ctx, k.emb, texts[at:end])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			if w := fmt.Sprintf("some capsules have no embedding: %v", err); !slices.Contains(
				r.Warnings, w) {
				r.Warnings = append(r.Warnings, w)
			}
			return vectors, nil
		}
		for i, v := range vs {
			vectors[of[at+i]] = v
		}
	}
	return vectors, nil
}

// swap replaces and counts a document's capsules; those of unchanged sections it only moves.
func (ch *change) swap(file, sha string, refused int, caps []Capsule, vectors []embed.Vector) (
	written, kept, removed int, warnings []string, err error) {
	found, err := capsulesWhere(ch.tx, `ingest_file = ? ORDER BY ingest_part`, file)
	if err != nil {
		return 0, 0, 0, nil, err
	}
	var old []*Capsule
	for i := range found {
		c, err := ch.get(found[i].ID) // with edits of its file by hand
		if err != nil {
			return 0, 0, 0, nil, err
		}
		if c.Ingested != nil {
			old = append(old, c)
		}
	}
	same, gone := match(old, caps)
	var pending []string
	for i := range caps {
		if same[i] != nil {
			continue
		}
		if caps[i].ID, err = ch.newUniqueID(); err != nil {
			return 0, 0, 0, nil, err
		}
		pending = append(pending, caps[i].ID)
	}
	for _, c := range gone {
		pending = append(pending, c.ID)
	}
	if err := ch.writePending(pending); err != nil {
		return 0, 0, 0, nil, err
	}
	for i := range caps {
		c := &caps[i]
		if same[i] != nil {
			if err := ch.updatePosition(same[i], c); err != nil {
				return 0, 0, 0, nil, err
			}
			kept++
			continue
		}
		v, err := ch.k.db.Usable(ch.tx, ch.k.emb, vectors[i], &warnings)
		if err != nil {
			return 0, 0, 0, nil, err
		}
		if err := ch.insert(c, v, VerbIngested,
			fmt.Sprintf("part %d of %d of %s", i+1, len(caps), file)); err != nil {
			return 0, 0, 0, nil, err
		}
		written++
	}
	for _, c := range gone {
		if err := ch.drop(c, "its document has changed"); err != nil {
			return 0, 0, 0, nil, err
		}
		removed++
	}
	ch.removePending()
	_, err = ch.tx.Exec(`INSERT INTO ingested (file, sha256, parts, refused, at)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (file) DO UPDATE
		SET sha256 = excluded.sha256, parts = excluded.parts, refused = excluded.refused,
		at = excluded.at`, file, cutAs(sha), len(caps), refused, ch.tx.Now.UnixMilli())
	return written, kept, removed, warnings, err
}

// match finds the old capsules of sections (same, by place), and those that are gone.
func match(old []*Capsule, caps []Capsule) (same map[int]*Capsule, gone []*Capsule) {
	left := map[string][]*Capsule{} // by text
	for _, c := range old {
		left[c.section()] = append(left[c.section()], c)
	}
	same = map[int]*Capsule{}
	for i := range caps {
		text := caps[i].section()
		if l := left[text]; len(l) > 0 {
			same[i], left[text] = l[0], l[1:]
		}
	}
	for _, l := range left {
		gone = append(gone, l...)
	}
	slices.SortFunc(gone, func(a, b *Capsule) int { return cmp.Compare(a.n, b.n) })
	return same, gone
}

func (c *Capsule) section() string { return c.Title + "\n" + c.Body }

func sameOptions(a, b *Capsule) bool {
	return slices.Equal(a.Tags, b.Tags) && slices.Equal(a.DomainTags, b.DomainTags) &&
		a.Project == b.Project && a.Workspace == b.Workspace && a.Scope == b.Scope
}

// updatePosition stores where a section now is: a new revision only for other options.
func (ch *change) updatePosition(old, c *Capsule) error {
	now := *old
	now.Source, now.Ingested = c.Source, c.Ingested
	now.Tags, now.DomainTags, now.Project, now.Workspace, now.Scope = c.Tags, c.DomainTags,
		c.Project, c.Workspace, c.Scope
	if sameContent(old, &now) {
		return nil
	}
	if !sameOptions(old, &now) {
		return ch.update(old, &now, nil, VerbIngested, "",
			"its document was ingested with other options")
	}
	if err := ch.writeSidecar(&now); err != nil {
		return err
	}
	if _, err := ch.tx.Exec(`UPDATE capsules
		SET source = ?, ingest_sha = ?, ingest_part = ?, ingest_of = ? WHERE n = ?`,
		now.Source, now.Ingested.SHA256, now.Ingested.Part, now.Ingested.Of, now.n); err != nil {
		return err
	}
	if err := ch.writeIndex(); err != nil {
		return err
	}
	vs, err := ch.k.index.Vectors(ch.tx, now.n)
	if err != nil {
		return err
	}
	return ch.k.index.Put(ch.tx, document(&now, vs[now.n])) // the source is indexed too
}
