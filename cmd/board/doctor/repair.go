package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

type Step struct {
	Offer string // what it does, after "`board doctor --repair`"
	// Changes are the files whose content it changes, which the backup has before it begins.
	Changes []string
	do      func(ctx context.Context, b *backup) (string, error)
}

type Plan struct {
	Steps  []Finding // that have a step
	Backup string    // the directory that keeps what was there before
}

type Repaired struct {
	Area    string   `json:"area"`    // as in the finding
	What    string   `json:"what"`    // as in the finding
	Does    string   `json:"does"`    // what the repair does
	Changes []string `json:"changes"` // files that were copied into the backup before
	Say     string   `json:"say"`     // what it did
	Error   string   `json:"error"`   // why it could not, "" if it could
}

// Plan says what would be done about what was found.
func (d *Doctor) Plan() Plan {
	p := Plan{Backup: backupName(d.Home, d.now)}
	for _, f := range d.all {
		if f.Step != nil {
			p.Steps = append(p.Steps, f)
		}
	}
	return p
}

// Repair makes the backup and does the plan. Called off, it leaves the rest; look again.
func (d *Doctor) Repair(ctx context.Context, p Plan) ([]Repaired, error) {
	defer d.Progress("", 0, 0)
	b := &backup{home: d.Home, dir: p.Backup}
	var changes []string
	for _, f := range p.Steps {
		changes = append(changes, f.Step.Changes...)
	}
	if err := b.begin(changes); err != nil {
		return nil, err
	}
	done := []Repaired{}
	for i, f := range p.Steps {
		if ctx.Err() != nil {
			break
		}
		d.Progress("repair: "+f.What, i, len(p.Steps))
		done = append(done, runStep(ctx, f, b))
	}
	return done, errors.Join(b.log.Sync(), b.log.Close())
}

// runStep copies what a step changes, and does it. A failed step keeps no other back.
func runStep(ctx context.Context, f Finding, b *backup) Repaired {
	r := Repaired{Area: f.Area, What: f.What, Does: f.Step.Offer, Changes: append([]string{}, f.Step.Changes...)}
	var err error
	for _, path := range f.Step.Changes {
		if err = b.copy(ctx, path); err != nil {
			err = fmt.Errorf("nothing was changed, since there is no backup: %w", err)
			break
		}
	}
	if err == nil {
		r.Say, err = f.Step.do(ctx, b)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (d *Doctor) closeModes(paths []string) *Step {
	return &Step{Offer: "gives these to their owner alone", do: func(_ context.Context, b *backup) (string, error) {
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
		return "for the owner alone: " + text.Count(n, "path", "paths"), nil
	}}
}

func (d *Doctor) moveLeftovers(paths []string) *Step {
	return &Step{Offer: "moves them into the backup", do: func(ctx context.Context, b *backup) (string, error) {
		for _, path := range paths {
			if err := b.take(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
		return "in the backup: " + text.Count(int64(len(paths)), "path", "paths"), nil
	}}
}

// rebuildKB returns the step that makes the database of the knowledge base anew from the capsules' files.
func (d *Doctor) rebuildKB() *Step {
	const offer = "rebuilds it from the capsules' files, with what can be read of the history of changes; all of it stays in the backup"
	return &Step{Offer: offer, Changes: []string{kb.Path(d.Home)}, do: func(ctx context.Context, b *backup) (string, error) {
		r, err := kb.Rebuild(ctx, d.Home, kb.Options{Actor: "doctor"})
		if err != nil {
			return "", err
		}
		// where it was moved to; the backup has it already, and is the place for it
		if r.Aside != "" {
			if err := b.takeAside(ctx, r.Aside); err != nil {
				return "", err
			}
		}
		say := text.Count(int64(r.Capsules), "capsule", "capsules") + ", " + text.Count(int64(len(r.Quarantined)), "file", "files") + " put into quarantine"
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
		// which is told by itself
		if errors.Is(err, fault.NoModel) || errors.Is(err, fault.BadModel) {
			return say, nil
		}
		return say + ", " + embedded, err
	}}
}

// reindexKB returns the step that makes the search index of the knowledge base anew from the capsules.
func (d *Doctor) reindexKB() *Step {
	return &Step{Offer: "rebuilds it from the capsules", Changes: []string{kb.Path(d.Home)}, do: func(ctx context.Context, _ *backup) (string, error) {
		k, err := kbhome.Knowledge(ctx, d.Home, kb.Options{Sync: kb.SyncNever, Actor: "doctor"})
		if err != nil {
			return "", err
		}
		defer k.Close()
		return "rebuilt", k.Reindex(ctx)
	}}
}

// reembedKB returns the step that gives capsules the embeddings that they have not.
func (d *Doctor) reembedKB() *Step {
	return &Step{Offer: "gives them one", Changes: []string{kb.Path(d.Home)}, do: func(ctx context.Context, _ *backup) (string, error) { return d.embedCapsules(ctx) }}
}

func (d *Doctor) embedCapsules(ctx context.Context) (string, error) {
	model, err := d.Model(ctx)
	if err != nil {
		return "", err
	}
	k, err := kbhome.Knowledge(ctx, d.Home, kb.Options{Sync: kb.SyncNever, Actor: "doctor", Embedder: model})
	if err != nil {
		return "", err
	}
	defer k.Close()
	r, err := k.Reembed(ctx, func(done, of int) { d.Progress("repair: embeddings", done, of) })
	return text.Count(int64(r.Embedded), "capsule", "capsules") + " embedded", err
}

// reindexMemory returns the step that makes the search index of one file of the memory anew.
func (d *Doctor) reindexMemory(path string) *Step {
	return &Step{Offer: "rebuilds the index from the items", Changes: []string{path}, do: func(ctx context.Context, _ *backup) (string, error) {
		return "rebuilt", memory.Reindex(ctx, path)
	}}
}

// reembedMemory returns the step that gives the items of one file of the memory, a workspace's or the account's, the
// embeddings that they have not.
func (d *Doctor) reembedMemory(path, workspace string) *Step {
	return &Step{Offer: "gives them one", Changes: []string{path}, do: func(ctx context.Context, _ *backup) (string, error) {
		model, err := d.Model(ctx)
		if err != nil {
			return "", err
		}
		n, err := memory.ReembedFile(ctx, d.Home, workspace, model, func(done, of int) { d.Progress("repair: embeddings", done, of) })
		return text.Count(int64(n), "item", "items") + " embedded", err
	}}
}
