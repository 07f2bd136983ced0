package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/lazyregexp"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// Two things that are said of what an item was derived from.
const (
	derivedGone    = "not there any more"
	derivedChanged = "changed since"
)

// resolver says how it stands with what an item was derived from. It is a help to the reader and never an error: where it cannot know, it says nothing. What it needs is opened when
// the first item asks for it, once, and neither read as an access nor brought up to date.
type resolver struct {
	*program
	home, workspace string
	memory          *memory.Store
	kb              *kb.KB
	noKB            error // why there is none
	boards          map[string]*board.Board
}

func (r *resolver) close() {
	if r.kb != nil {
		r.kb.Close()
	}
	for _, b := range r.boards {
		if b != nil {
			b.Close()
		}
	}
}

func (r *resolver) resolve(ctx context.Context, it *memory.Item) string {
	kind, name, _ := strings.Cut(it.DerivedFrom, ":")
	switch kind {
	case "":
		return ""
	case "kb":
		return r.capsule(ctx, name, it.Created)
	case "board":
		return r.onBoard(ctx, name)
	case "memory":
		return r.item(ctx, name, it.Created)
	}
	if it.Tier == memory.Account { // which knows no workspace that a path could begin in
		return ""
	}
	return r.file(it.DerivedFrom, it.Created)
}

func (r *resolver) capsule(ctx context.Context, id string, since time.Time) string {
	if r.kb == nil && r.noKB == nil {
		r.kb, r.noKB = kb.OpenExisting(ctx, r.home, kb.Options{Sync: kb.SyncNever})
	}
	err := r.noKB
	var c kb.Capsule
	if err == nil {
		c, err = r.kb.Get(ctx, id)
	}
	switch {
	case errors.Is(err, fault.NotFound):
		return derivedGone
	case err != nil:
		return ""
	case c.SupersededBy != "":
		return "superseded by " + c.SupersededBy
	case c.Retired != nil:
		return "retired"
	case c.Updated.After(since):
		return derivedChanged
	}
	return ""
}

// onBoard looks at an entry or a signal. What an entry says never changes; how it stands does.
func (r *resolver) onBoard(ctx context.Context, name string) string {
	run, id, ok := strings.Cut(name, "/")
	if !ok || board.CheckRun(run) != nil {
		return ""
	}
	b, known := r.boards[run]
	if !known {
		var err error
		if b, err = board.Open(ctx, filepath.Join(r.home, "boards"), run); err != nil && !errors.Is(err, fault.NotFound) {
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
		case errors.Is(err, fault.NotFound):
			return derivedGone
		case err != nil || s.Signal.Status == board.SignalOpen:
			return ""
		case s.Signal.AddressedBy != "":
			return "addressed by " + s.Signal.AddressedBy
		}
		return s.Signal.Status
	}
	e, err := b.Entry(ctx, id)
	switch {
	case errors.Is(err, fault.NotFound):
		return derivedGone
	case err != nil || e.Entry.Status == board.Active:
		return ""
	}
	by := map[string]string{board.Superseded: board.Supersedes, board.Disputed: board.Contradicts}[e.Entry.Status]
	for i := len(e.Linked) - 1; i >= 0; i-- { // the newest
		if e.Linked[i].Kind == by {
			return e.Entry.Status + " by " + e.Linked[i].From
		}
	}
	return e.Entry.Status
}

// item looks at another item. One that belongs to somebody else, or to another workspace, is like one that never was.
func (r *resolver) item(ctx context.Context, id string, since time.Time) string {
	it, err := r.memory.Peek(ctx, id)
	switch {
	case errors.Is(err, fault.NotFound):
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
	case it.Updated.After(since):
		return derivedChanged
	}
	return ""
}

var (
	// lineOf is what follows a path to say where in the file: ":12", ":12-20", ":12:3", "#L12-L20".
	lineOf = lazyregexp.New(`(?::[0-9]+(?:[-:][0-9]+)*|#L[0-9]+(?:-L?[0-9]+)?)$`)
	// namesFile is what can only be meant as a file, even where there is none: other texts name people and tickets.
	namesFile = lazyregexp.New(`^[^\s:?*]*[^\s:?*/]\.[A-Za-z][A-Za-z0-9]{0,7}$`)
)

// file looks at a path in the workspace. Others are not looked at: it is the item's author who names them.
func (r *resolver) file(path string, since time.Time) string {
	if r.workspace == "" {
		return ""
	}
	path = filepath.FromSlash(lineOf.ReplaceAllString(path, ""))
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(r.workspace, path)
		if err != nil {
			return ""
		}
		path = rel
	}
	if !filepath.IsLocal(path) {
		return ""
	}
	info, err := os.Stat(filepath.Join(r.workspace, path))
	switch {
	case errors.Is(err, os.ErrNotExist) && namesFile.MatchString(path):
		return derivedGone
	case err != nil || info.IsDir():
		return ""
	case info.ModTime().After(since):
		return derivedChanged
	}
	return ""
}
