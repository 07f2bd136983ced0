package home

import (
	"context"
	"sync"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// The stores of a data home are opened here alone, so that there is one place that knows what is
// open, and how.

var (
	// Knowledge opens the knowledge base of a data home: fault.NotFound if there is none.
	Knowledge = kb.OpenExisting
	// MakeKnowledge opens it, and makes it if there is none.
	MakeKnowledge = kb.Open
	// Memory opens the memory of a data home for one caller, and its files when they are needed.
	Memory = memory.Open
	// Context opens the context store of a directory, and says what its first use has imported.
	Context = chunks.Open
	// Run opens a run of a directory, or of a database (see board.UseDatabase).
	Run = board.Open
	// RunToPost opens a run whose first write makes it.
	RunToPost = board.OpenOrCreate
	// AwaitRun opens a run as soon as there is one.
	AwaitRun = board.WaitRun
	// NewRun makes a run, with a policy on record unless that is nil.
	NewRun = board.Create
)

// KeptKnowledge is a knowledge base that a long process keeps open: once with a model and once
// without, as it is asked. Its zero value has none open. It is safe for concurrent use.
type KeptKnowledge struct {
	mu   sync.Mutex
	kept map[bool]keptKB // by whether it has a model
	all  []*kb.KB        // one that is replaced may still be searched
}

type keptKB struct {
	*kb.KB
	warm bool
}

// Open returns the open knowledge base, or opens it if the file was replaced since, or has to be
// warm and is not; opened reports that. A cancelled ctx does not stop the opening, which the next
// caller can use.
func (k *KeptKnowledge) Open(ctx context.Context, home string, opt kb.Options) (
	open *kb.KB, opened bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	model := opt.Embedder != nil
	have := k.kept[model]
	opt.Warm = opt.Warm || have.warm
	if have.KB != nil && have.warm == opt.Warm && have.CheckFile() == nil {
		return have.KB, false, nil
	}
	open, err = Knowledge(context.WithoutCancel(ctx), home, opt)
	if err != nil {
		return nil, false, err
	}
	if k.kept == nil {
		k.kept = map[bool]keptKB{}
	}
	k.kept[model], k.all = keptKB{open, opt.Warm}, append(k.all, open)
	return open, true, nil
}

// Close closes all that was opened, and returns their pending notes.
func (k *KeptKnowledge) Close() (notes []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, open := range k.all {
		notes = append(notes, open.TakeNotes()...)
		open.Close()
	}
	k.kept, k.all = nil, nil
	return notes
}
