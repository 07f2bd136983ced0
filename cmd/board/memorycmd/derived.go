package memorycmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// States of the source that an item was derived from.
const (
	derivedGone    = "not there any more"
	derivedChanged = "changed since"
	notChecked     = "not checked" // it may be a file, and cannot be looked at
)

// Resolver tells whether the source that an item was derived from is missing or has
// changed. It helps the reader and never fails: what it does not know, it leaves out.
// It opens stores at the first need, once, and neither counts as an access nor updates
// them.
type Resolver struct {
	*program
	workspace string
	memory    *memory.Store
	kb        *kb.KB
	noKB      error // why there is none
	boards    map[string]*board.Board
}

func (r *Resolver) Close() {
	if r.kb != nil {
		r.kb.Close()
	}
	for _, b := range r.boards {
		if b != nil {
			b.Close()
		}
	}
}

// Resolve returns the state of an item's source, "" if it is unchanged or unknown.
func (r *Resolver) Resolve(ctx context.Context, it *memory.Item) string {
	kind, name, _ := strings.Cut(it.DerivedFrom, ":")
	switch kind {
	case "":
		return ""
	case "kb":
		return r.capsule(ctx, name, it)
	case "board":
		return r.onBoard(ctx, name)
	case "memory":
		return r.item(ctx, name, it)
	}
	root := r.workspace
	if it.Tier == memory.Account { // which knows no workspace that a path could begin in
		root = ""
	}
	return r.file(ctx, root, it)
}

// missing reports whether there is nothing of a name, or can be nothing.
func missing(err error) bool {
	return errors.Is(err, fault.NotFound) || errors.Is(err, fault.Invalid)
}

func (r *Resolver) changed(ctx context.Context, it *memory.Item, at time.Time) string {
	if at.After(it.Created) && at.After(r.memory.LastTextChange(ctx, it)) {
		return derivedChanged
	}
	return ""
}

func (r *Resolver) capsule(ctx context.Context, id string, of *memory.Item) string {
	if r.kb == nil && r.noKB == nil {
		home, err := r.program.KBHome()
		if r.noKB = err; err == nil {
			r.kb, r.noKB = kbhome.Knowledge(ctx, home, kb.Options{Sync: kb.SyncNever})
		}
	}
	err := r.noKB
	var c kb.Capsule
	if err == nil {
		c, err = r.kb.Get(ctx, id)
	}
	switch {
	case missing(err):
		return derivedGone
	case err != nil:
		return ""
	case c.SupersededBy != "":
		return "superseded by " + c.SupersededBy
	case c.Retired != nil:
		return "retired"
	}
	return r.changed(ctx, of, c.Updated)
}

func (r *Resolver) onBoard(ctx context.Context, name string) string {
	run, id, ok := strings.Cut(name, "/")
	if !ok || board.CheckRun(run) != nil {
		return ""
	}
	b, known := r.boards[run]
	if !known {
		dir, err := r.BoardsDir()
		if err != nil {
			return ""
		}
		if b, err = kbhome.Run(ctx, dir, run); err != nil && !errors.Is(err, fault.NotFound) {
			return ""
		}
		if r.boards == nil {
			r.boards = map[string]*board.Board{}
		}
		r.boards[run] = b // nil: there is no such run
	}
	if b == nil {
		return derivedGone
	}
	if strings.HasPrefix(id, "s") {
		s, err := b.SignalByID(ctx, id)
		switch {
		case missing(err):
			return derivedGone
		case err != nil || s.Signal.Status == board.SignalOpen:
			return ""
		case s.Signal.AddressedBy != "":
			return "answered by " + s.Signal.AddressedBy
		}
		return s.Signal.Status
	}
	e, err := b.Entry(ctx, id)
	switch {
	case missing(err):
		return derivedGone
	case err != nil || e.Entry.Status == board.Active:
		return ""
	}
	by := map[string]string{board.Superseded: board.Supersedes,
		board.Disputed: board.Contradicts}[e.Entry.Status]
	for i := len(e.Linked) - 1; i >= 0; i-- { // the newest
		if e.Linked[i].Kind == by {
			return e.Entry.Status + " by " + e.Linked[i].From
		}
	}
	return e.Entry.Status
}

// item returns the state of another item. One of another agent or workspace is like a missing one.
func (r *Resolver) item(ctx context.Context, id string, of *memory.Item) string {
	it, err := r.memory.Peek(ctx, id)
	switch {
	case missing(err):
		return "not found"
	case err != nil:
		return ""
	case it.ReplacedBy != "":
		return "replaced by " + it.ReplacedBy
	case it.Archived != nil:
		return "archived"
	case it.Forgotten != nil:
		return "forgotten"
	case it.Expires != nil && !it.Expires.After(time.Now()):
		return "expired"
	}
	return r.changed(ctx, of, it.Updated)
}

var (
	// lineOf is the position after a path: ":12", ":12-20", ":12:3", "#L12-L20".
	lineOf = text.NewRegexp(`(?::[0-9]+(?:[-:][0-9]+)*|#L[0-9]+(?:-L?[0-9]+)?)$`)
	// namesFile is what can only be meant as a file, even where there is none: other
	// texts name people and tickets.
	namesFile = text.NewRegexp(`^[^\s:?*]*[^\s:?*/]\.[A-Za-z][A-Za-z0-9]{0,7}$`)
)

// file returns the state of a file in the workspace. A path outside of it is not looked at, as the item's author
// chooses it: the state is notChecked, or "" if the text may not be a path at all.
func (r *Resolver) file(ctx context.Context, root string, it *memory.Item) string {
	path := filepath.FromSlash(lineOf.ReplaceAllString(it.DerivedFrom, ""))
	unknown := ""
	if filepath.IsAbs(path) || !strings.ContainsAny(path, ":#*? \t\n") &&
		strings.ContainsFunc(path, unicode.IsLetter) {
		unknown = notChecked
	}
	if root == "" {
		return unknown
	}
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return unknown
		}
		path = rel
	}
	if !filepath.IsLocal(path) {
		return unknown
	}
	info, err := os.Stat(filepath.Join(root, path))
	switch {
	case errors.Is(err, os.ErrNotExist) && namesFile.MatchString(path):
		return derivedGone
	case err != nil:
		return unknown
	case info.IsDir():
		return ""
	}
	return r.changed(ctx, it, info.ModTime())
}
