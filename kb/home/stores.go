package home

import (
	"context"
	"sync"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// The stores of a data home are opened here alone: one place knows what is open.

var (
	Knowledge     = kb.OpenExisting
	MakeKnowledge = kb.Open
	Memory        = memory.Open
	Context       = chunks.Open
	Run           = board.Open
	RunToPost     = board.OpenOrCreate
	AwaitRun      = board.WaitRun
	NewRun        = board.Create
)

// KeptKnowledge is open in a long process, with and without a model; for concurrent use.
type KeptKnowledge struct {
	mu   sync.Mutex
	kept map[bool]keptKB // by whether it has a model
	all  []*kb.KB        // one that is replaced may still be searched
}

type keptKB struct {
	*kb.KB
	warm bool
}

// Open returns the open knowledge base, or opens it anew if the file was replaced or it has to be
// warm; opened reports that. A cancelled ctx does not stop the opening.
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
