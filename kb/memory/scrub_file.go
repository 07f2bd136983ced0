package memory

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/sqlite"
)

// scrubKinds are the kinds that a manifest counts, in the order of its hash. Private
// items are also among the live, archived or forgotten ones.
var scrubKinds = []string{
	"live", "forgotten", "private", "named", "journal", "core", "scratch", "revisions",
	"conversations", "archived"}

// scrubDigits is the number of hex digits in a manifest's hash.
const scrubDigits = 32

// scrubHash formats a manifest's hash: a digest of what would be deleted, and the
// counts. With the counts, the error for an old hash can tell what has changed:
// 9f86d081884c7d659a2feaa0c55ad015-12.3.0.0.4.1.0.2.0
func scrubHash(digest []byte, counts map[string]int) string {
	n := make([]string, len(scrubKinds))
	for i, kind := range scrubKinds {
		n[i] = strconv.Itoa(counts[kind])
	}
	return hex.EncodeToString(digest)[:scrubDigits] + "-" + strings.Join(n, ".")
}

// parseScrubHash parses the format of scrubHash and returns the counts.
func parseScrubHash(hash string) (map[string]int, error) {
	wrong := func(what string) error {
		return invalid(fmt.Sprintf("%q is not the hash of a manifest: %s", clip(hash, 60), what),
			"",
			showScrub)
	}
	if hash == "" {
		return nil, invalid("the hash of a dry run is missing; it confirms what to delete", "",
			showScrub)
	}
	digest, rest, _ := strings.Cut(hash, "-")
	if len(digest) != scrubDigits || strings.Trim(digest, "0123456789abcdef") != "" {
		return nil, wrong(fmt.Sprintf("it starts with %d hex digits", scrubDigits))
	}
	numbers := strings.Split(rest, ".")
	if len(numbers) != len(scrubKinds) {
		return nil, wrong(fmt.Sprintf("it ends with %d counts", len(scrubKinds)))
	}
	counts := map[string]int{}
	for i, text := range numbers {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strconv.Itoa(n) != text {
			return nil, wrong(fmt.Sprintf("%q is not a count", clip(text, 20)))
		}
		counts[scrubKinds[i]] = n
	}
	return counts, nil
}

// scrubDifference describes how the counts differ.
func scrubDifference(was, is map[string]int) string {
	var all []string
	for _, kind := range scrubKinds {
		if was[kind] != is[kind] {
			all = append(all, fmt.Sprintf("%s %d, now %d", kind, was[kind], is[kind]))
		}
	}
	if len(all) == 0 {
		return "the counts are the same, but an item has changed, or the hash is of another scope or mode"
	}
	return strings.Join(all, "; ")
}

// spread picks at most n elements evenly from a list, including the first and the last.
func spread(all []string, n int) []string {
	if len(all) <= n {
		return slices.Clone(all)
	}
	out := make([]string, n)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(n-1)]
	}
	return out
}

// A workspace is removed in three steps. Its file is emptied and stores the manifest;
// the account's log records it, as the workspace's log is deleted too; the file is
// deleted, if nobody has written to it since. After an interruption, executing the same
// manifest again completes it.

// removedBy is the key in meta of the manifest by which a file was emptied.
const removedBy = "removed by"

// removeWorkspace is Scrub in the mode ScrubAll.
func (s *Store) removeWorkspace(ctx context.Context, q ScrubQuery, confirm string,
	was map[string]int) (Scrubbed, error) {
	out := Scrubbed{Notes: []string{}}
	f, err := s.open(ctx, false, false)
	if errors.Is(err, errNoFile) {
		return out, s.removedBefore(ctx, q, confirm)
	}
	if err != nil {
		return out, err
	}
	if err := f.WriteIndex(ctx,
		func(tx *sqlite.Tx) error { return f.empty(tx, q, confirm, was, &out) }); err != nil {
		return Scrubbed{Notes: []string{}}, err
	}
	if err := s.noteRemoval(ctx, &out); err != nil {
		return out, err
	}
	return out, s.removeFile(ctx, q)
}

// empty deletes everything in a file but its log, if the manifest is confirmed, now or
// earlier.
func (f *file) empty(tx *sqlite.Tx, q ScrubQuery, confirm string, was map[string]int,
	out *Scrubbed) error {
	before, err := f.removed(tx)
	if err != nil {
		return err
	}
	now, err := f.manifest(tx, q)
	if err != nil {
		return err
	}
	if before.Hash == confirm && now.Empty() {
		out.Manifest = before
		return nil
	}
	if out.Manifest, err = f.confirmed(tx, q, confirm, was); err != nil {
		return err
	}
	if out.Hash != confirm { // it is empty, and something else was confirmed
		return nothingToScrub(q)
	}
	logged, err := json.Marshal(out.Manifest)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, removedBy,
		string(logged)); err != nil {
		return err
	}
	return f.scrub(tx, q, out)
}

// removed returns the manifest by which a file was emptied; its hash is "" if it was
// not.
func (f *file) removed(tx *sqlite.Tx) (m Manifest, err error) {
	raw, err := sqlite.One[string](tx, `SELECT coalesce(max(value), '{}') FROM meta WHERE key = ?`,
		removedBy)
	if err == nil {
		err = json.Unmarshal([]byte(raw), &m)
	}
	return m, err
}

// noteRemoval records in the account's log that a workspace was removed, once. It also
// works for callers that cannot reach the account.
func (s *Store) noteRemoval(ctx context.Context, out *Scrubbed) error {
	f, err := s.open(ctx, true, true)
	if err != nil {
		return err
	}
	return f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if noted, err := removalOf(tx, out.Hash); err != nil || noted {
			return err
		}
		return f.scrubEvent(tx, out, Event{Verb: VerbRemoved, Scope: Account, Subject: out.Hash,
			Other: s.opt.Workspace})
	})
}

func removalOf(tx *sqlite.Tx, hash string) (bool, error) {
	return sqlite.One[bool](tx, `SELECT count(*) > 0 FROM events WHERE subject = ? AND verb = ?`,
		hash, VerbRemoved)
}

// removeFile deletes an emptied file, unless somebody has written to it meanwhile.
func (s *Store) removeFile(ctx context.Context, q ScrubQuery) error {
	s.mu.Lock()
	f := s.files[false]
	delete(s.files, false)
	s.mu.Unlock()
	if f != nil {
		if err := f.Close(); err != nil {
			return err
		}
	}
	path := WorkspacePath(s.home, s.opt.Workspace)
	err := sqlite.Remove(ctx, path, func() error {
		db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Read(ctx, func(tx *sqlite.Tx) error {
			f := &file{s: s, File: kind.On(db)}
			m, err := f.manifest(tx, q)
			if err == nil && !m.Empty() {
				err = conflict("something was stored in "+s.opt.Workspace+
					" meanwhile: the confirmed content is deleted, and the new content stays",
					"a dry run shows the current content")
			}
			return err
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removedBefore handles a workspace without a file: the error says whether this manifest has
// removed it.
func (s *Store) removedBefore(ctx context.Context, q ScrubQuery, confirm string) error {
	if err := s.removeFile(ctx, q); err != nil { // files that SQLite kept beside it
		return err
	}
	f, err := s.open(ctx, true, false)
	if errors.Is(err, errNoFile) {
		return nothingToScrub(q)
	}
	if err != nil {
		return err
	}
	return f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		if noted, err := removalOf(tx, confirm); err != nil || !noted {
			return errors.Join(err, nothingToScrub(q))
		}
		return conflict("this manifest was already executed: the workspace is removed",
			"nothing to do")
	})
}
