package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"blackboard/board"
	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/text"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
	"blackboard/kb/index"
	"blackboard/kb/memory"
)

// lookAtDatabase asks the server that has boards and knowledge, if one is named.
func (d *Doctor) lookAtDatabase(ctx context.Context) {
	switch at, say, err := d.Database(ctx); {
	case err != nil:
		d.failed("server", err)
	case say != "":
		d.served = at
		d.ok("server", "%s", say)
	}
}

// looking is how many boards are checked at the same time. The checks mostly wait for the disk.
const looking = 4

// lookAtBoards verifies every run: an earlier version's damage is found without being asked for.
func (d *Doctor) lookAtBoards(ctx context.Context) {
	dir := filepath.Join(d.Home, "boards")
	names, err := board.RunNames(dir)
	if err != nil {
		d.failed("directory", err)
		return
	}
	errs, slots := make([]error, len(names)), make(chan struct{}, looking)
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := 0
	for i, name := range names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = kbhome.CheckRun(ctx, dir, name)
			mu.Lock()
			defer mu.Unlock()
			done++
			d.Progress("boards", done, len(names))
		})
	}
	wg.Wait()
	sound := 0
	for i, name := range names {
		switch err := errs[i]; {
		case err == nil:
			sound++
		case errors.Is(err, fault.NotFound):
			if info, statErr := os.Stat(sqlite.RunPath(dir, name)); statErr == nil && d.now.Sub(info.ModTime()) > staleAfter {
				d.note(name, "the first post makes it a run", "the file has no events: the process that created it ended too early, or the file was emptied")
			}
		default:
			d.brokenBoard(ctx, dir, name, err)
		}
	}
	d.ok("runs", "%d verified", sound)
}

// brokenBoard adds that a board cannot be used. Bad content is made anew from a whole event log;
// else what can be read goes into a new run.
func (d *Doctor) brokenBoard(ctx context.Context, dir, name string, err error) {
	if !isDamage(err) || ctx.Err() != nil {
		d.failed(name, err)
		return
	}
	as := name + board.SalvageSuffix
	if _, statErr := os.Lstat(sqlite.RunPath(dir, as)); statErr == nil {
		d.broken(name, "`board show -r "+as+"`; then `board rm "+name+"`, when it is no longer needed", "%s; what can be read of it is in the run %s", d.short(err.Error()), as)
		return
	}
	s, readErr := board.ReadDamaged(ctx, dir, name)
	switch {
	case readErr != nil || board.CheckRun(as) != nil && !s.Whole:
		d.failed(name, err)
	case s.Whole:
		d.repairable(name, kb.StateBroken, d.rebuildBoard(dir, name, s), "%s", d.short(err.Error()))
	default:
		d.repairable(name, kb.StateBroken, d.salvageBoard(dir, name, as, s), "%s", d.short(err.Error()))
	}
}

// lookAtKB asks the knowledge base's doctor, without --full only for what a damaged file shows.
func (d *Doctor) lookAtKB(ctx context.Context) {
	if d.served != "" {
		d.lookAtServedKB(ctx)
		return
	}
	path := kb.Path(d.Home)
	sidecars, err := capsuleFiles(d.Home)
	if err != nil {
		d.failed("files", err)
		return
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if sidecars == 0 {
			d.ok("database", "there is none yet")
		} else {
			d.repairable("database", kb.StateBroken, d.rebuildKB(), "it is missing, but the files of %s exist", text.Count(sidecars, "capsule", "capsules"))
		}
		return
	}
	k, err := kbhome.Knowledge(ctx, d.Home, kb.Options{Sync: kb.SyncNever, Actor: "doctor"})
	switch {
	case errors.Is(err, fault.NotFound):
		d.ok("database", "there is none yet")
		return
	case err != nil:
		d.brokenKB(ctx, err, sidecars)
		return
	}
	defer k.Close()
	s, err := k.Stats(ctx)
	if err != nil {
		d.brokenKB(ctx, err, sidecars)
		return
	}
	if !d.askKB(ctx, k, sidecars) {
		return
	}
	what := "database"
	if d.Full { // of which there is a finding already
		what = "capsules"
	}
	d.ok(what, "%s, %d standing, %d embedded; %s", text.Count(s.Capsules, "capsule", "capsules"), s.Standing, s.Embedded, text.Count(sidecars, "file", "files"))
	d.tellEmbeddings("embeddings", "capsules", embedded{total: s.Capsules, bare: s.Capsules - s.Embedded, model: s.Model, again: "`board kb reembed`", step: d.reembedKB})
}

// lookAtServedKB asks a knowledge base that is on a server and has no files here.
func (d *Doctor) lookAtServedKB(ctx context.Context) {
	k, err := kbhome.Knowledge(ctx, d.served, kb.Options{Sync: kb.SyncNever, Actor: "doctor"})
	if errors.Is(err, fault.NotFound) {
		d.ok("database", "there is none yet")
		return
	}
	var s kb.Stats
	if err == nil {
		defer k.Close()
		s, err = k.Stats(ctx)
	}
	if err != nil {
		d.failed("database", err)
		return
	}
	d.ok("database", "%s, %d standing, %d embedded", text.Count(s.Capsules, "capsule", "capsules"), s.Standing, s.Embedded)
}

// capsuleFiles counts the files of capsules in a data home.
func capsuleFiles(home string) (n int64, err error) {
	entries, err := os.ReadDir(kb.Sidecars(home))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "k") && filepath.Ext(e.Name()) == ".md" {
			n++
		}
	}
	return n, nil
}

// brokenKB adds that the database cannot be used. Where its content is what is wrong, it
// can be made anew from the capsules' files, if there are any.
func (d *Doctor) brokenKB(ctx context.Context, err error, sidecars int64) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, index.ErrCorrupt):
		d.repairable("search index", kb.StateBroken, d.reindexKB(), "%s", d.short(err.Error()))
	case !errors.Is(err, fault.Corrupt):
		d.failed("database", err)
	case sidecars == 0:
		d.broken("database", "restore kb/kb.sqlite3, or the capsules' files, from a backup", "%s, and there are no capsules' files to rebuild it from", d.short(err.Error()))
	default:
		d.repairable("database", kb.StateBroken, d.rebuildKB(), "%s", d.short(err.Error()))
	}
}

// askKB adds what the knowledge base's own doctor finds; false: the database cannot be read.
func (d *Doctor) askKB(ctx context.Context, k *kb.KB, sidecars int64) bool {
	ask := k.Examine
	if d.Full {
		ask = k.Doctor
	}
	found, err := ask(ctx)
	if err != nil {
		d.brokenKB(ctx, err, sidecars)
		return false
	}
	sound := true
	for _, f := range found {
		switch {
		case f.State == kb.StateOK && !d.Full: // one line says it
		case f.What == "embeddings": // which are told without a model being loaded
		case f.What == "database" && f.State == kb.StateBroken:
			d.brokenKB(ctx, sqlite.Fault(fault.Corrupt, kb.Path(d.Home), strings.TrimPrefix(f.Say, kb.Path(d.Home)+" "), nil), sidecars)
			sound = false
		case f.What == "search index" && f.State == kb.StateBroken:
			d.repairable(f.What, f.State, d.reindexKB(), "%s", d.short(f.Say))
		default:
			d.add(Finding{What: f.What, State: f.State, Say: d.short(f.Say), Try: fault.Say(f.Next, d.Words)})
		}
	}
	return sound
}

// lookAtMemory checks each file of the memory; with --full the search indexes, too.
func (d *Doctor) lookAtMemory(ctx context.Context) {
	paths, err := memory.Paths(d.Home)
	if err != nil {
		d.failed("files", err)
		return
	}
	live, bare, sound := int64(0), int64(0), 0
	for i, path := range paths {
		if ctx.Err() != nil {
			return
		}
		d.Progress("memory", i, len(paths))
		h, err := memory.Check(ctx, d.Home, path, d.Full)
		name := strings.TrimSuffix(filepath.Base(path), ".sqlite3")
		switch {
		case errors.Is(err, fs.ErrNotExist): // nothing was written to it yet
			continue
		case err != nil && !h.Misnamed:
			d.brokenStore(ctx, name, path, err, memory.Salvage)
			continue
		case err != nil:
			d.failed(name, err)
			continue
		case h.Index != nil:
			d.repairable(name, kb.StateBroken, d.reindexMemory(path), "the search index: %s", d.short(h.Index.Error()))
		default:
			sound++
		}
		if h.Gaps > 0 {
			d.note(name, "", "%s missing from its log of what was done", text.Count(h.Gaps, "event is", "events are"))
		}
		live, bare = live+int64(h.Live+h.Archived), bare+int64(h.Unembedded)
		if h.Workspace != "" && !disk.IsDir(h.Workspace) {
			d.note(name, "if the project has moved, run `board memory adopt` in its new directory", "its workspace %s is gone, and has %s", h.Workspace, text.Count(int64(h.Live+h.Archived), "item", "items"))
		}
		mend := func() *Step { return d.reembedMemory(path, h.Workspace) }
		d.tellEmbeddings(name, "items", embedded{total: int64(h.Live + h.Archived), bare: int64(h.Unembedded), model: h.Model, again: "`board kb reembed`", step: mend})
	}
	d.ok("files", "%s, %s, %d embedded", text.Count(int64(sound), "file", "files"), text.Count(live, "item", "items"), live-bare)
	d.lookAtClone()
}

// lookAtClone says where else this repository is known from, while it has no memory of its own.
func (d *Doctor) lookAtClone() {
	user, _ := topics.Home(d.Env)
	dir, err := os.Getwd()
	if err == nil {
		dir, err = kbhome.Find(dir, user, d.Home)
	}
	if err != nil || memory.HasMemory(d.Home, dir) {
		return
	}
	for _, place := range kbhome.Elsewhere(d.Home, dir) {
		d.note("workspace", "if it is the same project, run `board memory adopt "+place+
			"` here; else `board memory adopt --none`",
			"this repository is known as %s, with the same first commit and remote", place)
	}
}

type embedded struct {
	total, bare int64
	model       string // of those there are
	again       string // what changes over to another model
	step        func() *Step
}

// tellEmbeddings says what has no embedding, if there is a model that could give it one.
func (d *Doctor) tellEmbeddings(what, many string, e embedded) {
	if d.modelErr != nil || e.total == 0 { // that there is no model is told by itself
		return
	}
	switch {
	case e.model != "" && e.model != d.identity:
		how := e.again + " changes over"
		if d.upkeep {
			how = "the daemon changes over in a while, or at once " + e.again
		}
		d.note(what, how, "the embeddings are of %s, and the model here is %s", e.model, d.identity)
	case e.bare == 0:
	case d.upkeep:
		d.note(what, "the daemon gives them one in a while", "%d of %d %s have no embedding", e.bare, e.total, many)
	default:
		d.repairable(what, kb.StateNote, e.step(), "%d of %d %s have no embedding", e.bare, e.total, many)
	}
}

func (d *Doctor) lookAtChunks(ctx context.Context) {
	dir, err := filepath.Abs(chunks.DefaultDir(d.Env))
	if err != nil {
		d.failed("store", err)
		return
	}
	path := filepath.Join(dir, chunks.FileName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		d.ok("store", "there is none here")
		return
	}
	d.lookAtLinks(path)
	var st chunks.Status
	s, _, err := kbhome.Context(ctx, dir, chunks.Options{})
	if err == nil {
		if st, err = s.Status(ctx); err == nil {
			err = s.Check(ctx)
		}
		s.Close()
	}
	if err != nil {
		d.brokenStore(ctx, "store", path, err, chunks.Salvage)
		return
	}
	d.ok("store", "%s: %s, %d embedded, %s", dir, text.Count(int64(st.Chunks), "chunk", "chunks"), st.Embedded, text.Count(int64(st.State), "key", "keys"))
}
