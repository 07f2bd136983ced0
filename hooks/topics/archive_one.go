package topics

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/replace"
)

// ArchiveTopic copies what has changed of one topic into the archive and, unless it is to be kept,
// takes it away. A topic that is pinned is not taken away: fault.Conflict. One without files is
// fault.NotFound. What Archive says of files and runs holds here too.
func (d *Dir) ArchiveTopic(ctx context.Context, root, into, topic string, keep bool, opt ArchiveOptions) (ArchiveResult, error) {
	find := func() (*Info, error) {
		all, err := d.List()
		if i := slices.IndexFunc(all, func(t Info) bool { return t.Name == topic }); i >= 0 {
			return &all[i], nil
		}
		if err == nil {
			err = fault.NotFound.New("there is nothing of the topic "+topic+" in "+d.workspace, "", fault.Do("topic.list", "{} shows the topics of this workspace"))
		}
		return nil, err
	}
	t, err := find()
	if err != nil {
		return ArchiveResult{}, err
	}
	if t.Pinned && !keep {
		return ArchiveResult{}, fault.Conflict.New("the topic "+topic+" is pinned for "+d.workspace, "",
			fault.Do("topic.unpin", "{} takes the pin away"))
	}
	a, done, err := newArchiver(ctx, root, into, opt)
	if err != nil {
		return a.result, err
	}
	defer done()
	for _, file := range t.files {
		if err := a.file(ctx, d, file); ctx.Err() != nil {
			return a.result, ctx.Err()
		} else {
			a.problem(err)
		}
	}
	if keep || len(a.result.Problems) > 0 {
		return a.result, nil
	}
	a.problem(a.move(ctx, d, t, func(now *Info) bool { return !now.Pinned }))
	if !opt.DryRun && len(a.result.Moved) == 0 && len(a.result.Problems) == 0 {
		a.problem(fault.Busy.New("the topic "+topic+" was changed meanwhile, so it stays", "try again"))
	}
	return a.result, nil
}

// Restore copies the latest version of each file of a topic from the archive back to its place, and
// returns the copies. What is restored counts as changed now, so that the next run does not take it
// away again. A topic that is there is fault.Conflict, one that the archive does not have
// fault.NotFound.
func (d *Dir) Restore(ctx context.Context, into, topic string) ([]ArchivedFile, error) {
	if err := CheckName(topic); err != nil {
		return nil, err
	}
	all, err := Archived(ctx, into, d.workspace)
	if err != nil {
		return nil, err
	}
	latest := map[string]ArchivedFile{} // by what of the topic it is
	for _, f := range all {             // the latest day first
		name, ext := topicOf(filepath.Base(f.Path))
		if _, known := latest[ext]; !known && strings.EqualFold(name, topic) {
			latest[ext] = f
		}
	}
	if len(latest) == 0 {
		return nil, fault.NotFound.New("the archive has nothing of the topic "+topic+" of "+d.workspace, "",
			fault.Do("topic.archived", "{} shows what it has"))
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if found, _ := d.List(); slices.ContainsFunc(found, func(t Info) bool { return strings.EqualFold(t.Name, topic) }) {
		return nil, fault.Conflict.New("the topic "+topic+" is in "+d.workspace+" already", "",
			fault.Do("topic.archive", "{} puts away what is there", "topic", topic))
	}
	restored := []ArchivedFile{}
	for _, ext := range []string{specExt, worklogExt, noContextExt} {
		f, ok := latest[ext]
		if !ok {
			continue
		}
		data, _, err := readFile(f.Path, maxArchived)
		if err == nil {
			err = writeFile(filepath.Join(d.path, filepath.Base(f.Path)), data)
		}
		if err != nil {
			return restored, err
		}
		restored = append(restored, f)
	}
	return restored, replace.SyncDir(d.path)
}
