package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// repairStep is something that is mended.
type repairStep struct {
	offer string // what it does, after "`board doctor --repair`"
	// changes are the files whose content it changes. They are copied into the backup before it begins.
	changes []string
	do      func(ctx context.Context, b *repairBackup) (string, error)
}

// repaired is what became of a step.
type repaired struct {
	Area    string   `json:"area"`
	What    string   `json:"what"`
	Does    string   `json:"does"`
	Changes []string `json:"changes"` // files that were copied into the backup before
	Say     string   `json:"say"`     // what it did
	Error   string   `json:"error"`   // why it could not, "" if it could
}

// repair shows the plan, asks, makes the backup, does it, and looks again.
func (d *doctor) repair(c *cli.Context) error {
	var steps []*doctorFinding
	for i := range d.all {
		if d.all[i].step != nil {
			steps = append(steps, &d.all[i])
		}
	}
	if len(steps) == 0 {
		return d.tell(c, []repaired{}, "")
	}
	b := &repairBackup{home: d.home, dir: backupName(d.home, d.now)}
	if !c.Bool("json") {
		d.showPlan(steps, b)
	}
	if !c.Bool("yes") {
		if !isTerminal(d.in) || c.Bool("json") {
			return usagef("add --yes to do it; without --repair nothing is changed", "there is nobody to ask: standard input is no terminal, or --json is given")
		}
		if !d.agreed("Do this? [y/N] ") {
			d.talk("nothing was changed")
			return verdictError(exitFailure)
		}
	}
	var changes []string
	for _, f := range steps {
		changes = append(changes, f.step.changes...)
	}
	if err := b.begin(changes); err != nil {
		return err
	}
	done := []repaired{}
	for i, f := range steps {
		if c.Context.Err() != nil {
			break // looking again says so
		}
		d.bar.show("repair: "+f.What, i, len(steps))
		done = append(done, d.runStep(c.Context, f, b))
	}
	d.bar.clear()
	if err := b.end(); err != nil {
		return err
	}
	if !c.Bool("json") {
		d.showDone(done, b)
	}
	if err := d.look(c.Context); err != nil {
		return err
	}
	return d.tell(c, done, b.dir)
}

// runStep copies what a step changes, and does it. A step that fails keeps no other from being done.
func (d *doctor) runStep(ctx context.Context, f *doctorFinding, b *repairBackup) repaired {
	r := repaired{Area: f.Area, What: f.What, Does: f.step.offer, Changes: append([]string{}, f.step.changes...)}
	var err error
	for _, path := range f.step.changes {
		if err = b.copy(ctx, path); err != nil {
			err = fmt.Errorf("nothing was changed, since there is no backup: %w", err)
			break
		}
	}
	if err == nil {
		r.Say, err = f.step.do(ctx, b)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (d *doctor) showPlan(steps []*doctorFinding, b *repairBackup) {
	d.printf("%s\n", d.paint(bold, "what would be done"))
	for _, f := range steps {
		d.printf("  %s, %s: %s\n", f.Area, line(f.What, 60), safe(f.step.offer))
		d.printf("    found: %s\n", safe(f.Say))
		for _, path := range f.step.changes {
			d.printf("    copied before: %s\n", safe(path))
		}
	}
	d.printf("  the backup: %s\n", safe(b.dir))
}

func (d *doctor) showDone(done []repaired, b *repairBackup) {
	d.printf("%s\n", d.paint(bold, "what was done"))
	for _, r := range done {
		if r.Error != "" {
			d.printf("  %s  %s, %s: %s\n", d.paint(red, "FAILED"), r.Area, line(r.What, 60), safe(r.Error))
		} else {
			d.printf("  %s  %s, %s: %s\n", d.paint(green, "done  "), r.Area, line(r.What, 60), safe(r.Say))
		}
	}
	d.printf("  what was there before: %s\n", safe(b.dir))
}

// closeModes takes from others what rights they have to paths.
func (d *doctor) closeModes(paths []string) *repairStep {
	return &repairStep{offer: "gives these to their owner alone", do: func(_ context.Context, b *repairBackup) (string, error) {
		n := int64(0)
		for _, path := range paths {
			info, err := os.Lstat(path)
			if errors.Is(err, fs.ErrNotExist) { // gone meanwhile
				continue
			}
			if err != nil {
				return "", err
			}
			if info.Mode()&fs.ModeSymlink != 0 {
				continue
			}
			if err := b.note("mode %04o was that of %s", info.Mode().Perm(), path); err != nil {
				return "", err
			}
			if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil {
				return "", err
			}
			n++
		}
		return "for the owner alone: " + count(n, "path", "paths"), nil
	}}
}

// moveLeftovers moves files into the backup.
func (d *doctor) moveLeftovers(paths []string) *repairStep {
	return &repairStep{offer: "moves them into the backup", do: func(ctx context.Context, b *repairBackup) (string, error) {
		for _, path := range paths {
			if err := b.take(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
		return "in the backup: " + count(int64(len(paths)), "path", "paths"), nil
	}}
}

// removeSocket removes a socket that nobody listens at, and the note that names it. A socket holds nothing.
func (d *doctor) removeSocket(socket string) *repairStep {
	return &repairStep{offer: "removes the socket", do: func(ctx context.Context, b *repairBackup) (string, error) {
		if !refused(socket) {
			return "", errors.New("somebody listens at it now")
		}
		place, err := d.daemonPlace()
		if err != nil {
			return "", err
		}
		if err := b.note("removed the socket %s, which nobody listened at", socket); err != nil {
			return "", err
		}
		if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if noted, err := os.ReadFile(place.Note); err == nil && string(noted) == socket {
			return "removed, with the note of where it was", b.take(ctx, place.Note)
		}
		return "removed", nil
	}}
}

// removeNote moves the note of where a socket was into the backup.
func (d *doctor) removeNote(path string) *repairStep {
	return &repairStep{offer: "moves the note into the backup", do: func(ctx context.Context, b *repairBackup) (string, error) {
		return "in the backup", b.take(ctx, path)
	}}
}

// rebuildKB makes the database of the knowledge base anew from the capsules' files.
func (d *doctor) rebuildKB() *repairStep {
	const offer = "makes it anew from the capsules' files, with what can be read of the history of changes; all of it stays in the backup"
	return &repairStep{offer: offer, changes: []string{kb.Path(d.home)}, do: func(ctx context.Context, b *repairBackup) (string, error) {
		r, err := kb.Rebuild(ctx, d.home, kb.Options{Actor: "doctor"}, kb.RebuildOptions{})
		if err != nil {
			return "", err
		}
		if r.Aside != "" { // where it was moved to; the backup has it already, and is the place for it
			if err := b.takeAside(ctx, r.Aside); err != nil {
				return "", err
			}
		}
		say := count(int64(r.Capsules), "capsule", "capsules") + ", " + count(int64(len(r.Quarantined)), "file", "files") + " put into quarantine"
		if len(r.Lost) > 0 {
			say += "; lost: " + strings.Join(r.Lost, "; ")
		}
		if err := b.noteLost("the knowledge base", r.Lost); err != nil {
			return "", err
		}
		if r.Unembedded == 0 {
			return say, nil
		}
		embedded, err := d.embedCapsules(ctx)
		if errors.Is(err, fault.NoModel) || errors.Is(err, fault.BadModel) { // which is told by itself
			return say, nil
		}
		return say + ", " + embedded, err
	}}
}

// reindexKB makes the search index of the knowledge base anew from the capsules.
func (d *doctor) reindexKB() *repairStep {
	return &repairStep{offer: "makes it anew from the capsules", changes: []string{kb.Path(d.home)}, do: func(ctx context.Context, _ *repairBackup) (string, error) {
		k, err := kb.OpenExisting(ctx, d.home, kb.Options{Sync: kb.SyncNever, Actor: "doctor"})
		if err != nil {
			return "", err
		}
		defer k.Close()
		return "made anew", k.Reindex(ctx)
	}}
}

// reembedKB gives capsules the embeddings that they have not.
func (d *doctor) reembedKB() *repairStep {
	return &repairStep{offer: "gives them one", changes: []string{kb.Path(d.home)}, do: func(ctx context.Context, _ *repairBackup) (string, error) { return d.embedCapsules(ctx) }}
}

func (d *doctor) embedCapsules(ctx context.Context) (string, error) {
	model, err := d.ownEmbedder(ctx)
	if err != nil {
		return "", err
	}
	k, err := kb.OpenExisting(ctx, d.home, kb.Options{Sync: kb.SyncNever, Actor: "doctor", Embedder: model})
	if err != nil {
		return "", err
	}
	defer k.Close()
	r, err := k.Reembed(ctx, func(done, of int) { d.bar.show("repair: embeddings", done, of) })
	return count(int64(r.Embedded), "capsule", "capsules") + " embedded", err
}

// reindexMemory makes the search index of one file of the memory anew.
func (d *doctor) reindexMemory(path string) *repairStep {
	return &repairStep{offer: "makes the index anew from the items", changes: []string{path}, do: func(ctx context.Context, _ *repairBackup) (string, error) {
		return "made anew", memory.Reindex(ctx, path)
	}}
}

// reembedMemory gives the items of one file of the memory the embeddings that they have not: a workspace's, or the account's.
func (d *doctor) reembedMemory(path, workspace string) *repairStep {
	return &repairStep{offer: "gives them one", changes: []string{path}, do: func(ctx context.Context, _ *repairBackup) (string, error) {
		model, err := d.ownEmbedder(ctx)
		if err != nil {
			return "", err
		}
		opt := memory.Options{Workspace: workspace, Author: true, Actor: "doctor", Embedder: model, Tiers: []string{memory.Account}}
		if workspace != "" {
			opt.Tiers = slices.DeleteFunc(slices.Clone(memory.Tiers), func(t string) bool { return t == memory.Account })
		}
		s, err := memory.Open(d.home, opt)
		if err != nil {
			return "", err
		}
		defer s.Close()
		r, err := s.Reembed(ctx, 0, func(done, of int) { d.bar.show("repair: embeddings", done, of) })
		return count(int64(r.Embedded), "item", "items") + " embedded", err
	}}
}

// cutWorklog takes the unfinished last line off a worklog, in the turn of those who write there.
func (d *doctor) cutWorklog(dir *topics.Dir, path string) *repairStep {
	return &repairStep{offer: "takes that line off", changes: []string{path}, do: func(ctx context.Context, b *repairBackup) (string, error) {
		done, err := takeTurn(ctx, filepath.Join(dir.Path(), "_lock"))
		if err != nil {
			return "", err
		}
		defer done()
		at, err := tornTail(path)
		if err != nil {
			return "", err
		}
		if at < 0 {
			return "somebody has written on meanwhile, and mended it", nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		// The time stays: it is that of the last thing that was done there.
		if err := os.Truncate(path, at); err != nil {
			return "", err
		}
		return fmt.Sprintf("%d bytes taken off", info.Size()-at), os.Chtimes(path, time.Time{}, info.ModTime())
	}}
}
