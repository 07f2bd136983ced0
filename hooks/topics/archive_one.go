package topics

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// ArchiveTopic archives and removes one topic: fault.Conflict if pinned, fault.NotFound without
// files. Errors of single files go into the result, as with Archive.
func (d *Dir) ArchiveTopic(ctx context.Context, root, into, topic string,
	opt ArchiveOptions) (ArchiveResult, error) {
	all, err := d.List()
	i := slices.IndexFunc(all, func(t Info) bool { return t.Name == topic })
	switch {
	case err != nil:
		return ArchiveResult{}, err
	case i < 0:
		return ArchiveResult{}, d.noFiles(topic)
	case all[i].Pinned:
		return ArchiveResult{}, fault.Conflict.New("topic "+topic+
			" is pinned for "+d.workspace, "",
			fault.Do("topic.unpin", "{} unpins it"))
	}
	a, done, err := newArchiver(ctx, root, into, opt)
	if err != nil {
		return a.result, err
	}
	defer done()
	a.only, a.may = topic, func(now *Info) bool { return now.Name == topic && !now.Pinned }
	err = a.archiveWorkspace(ctx, d)
	if err == nil && !opt.DryRun && len(a.result.Moved) == 0 && len(a.result.Problems) == 0 {
		a.addProblem(fault.Busy.New("topic "+topic+" was changed in the meantime and "+
			"was not removed",
			"try again"))
	}
	return a.result, err
}

// Restore copies the latest version of each file of a topic from the archive back, and
// returns the copies. Restored files count as changed now, so that the next run does
// not remove them. If the topic exists, the error is fault.Conflict; if the archive
// does not have it, fault.NotFound.
func (d *Dir) Restore(ctx context.Context, into, topic string) ([]ArchivedFile, error) {
	if err := CheckName(topic); err != nil {
		return nil, err
	}
	all, err := Archived(ctx, into, d.workspace)
	if err != nil {
		return nil, err
	}
	latest := map[string]ArchivedFile{} // by the file's extension
	for _, f := range all {             // the latest day first
		name, ext := topicOf(filepath.Base(f.Path))
		if _, known := latest[ext]; !known && strings.EqualFold(name, topic) {
			latest[ext] = f
		}
	}
	if len(latest) == 0 {
		return nil, fault.NotFound.New("no archived files of topic "+
			topic+" of "+d.workspace, "",
			fault.Do("topic.archived", "{} lists the archive"))
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if found, _ := d.List(); slices.ContainsFunc(found,
		func(t Info) bool { return strings.EqualFold(t.Name, topic) }) {
		return nil, fault.Conflict.New("topic "+topic+" already exists in "+d.workspace, "",
			fault.Do("topic.archive", "{} archives and removes it", "topic", topic))
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
	return restored, disk.SyncDir(d.path)
}
