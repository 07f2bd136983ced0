package home

import (
	"context"
	"sync"

	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// The stores of a data home are opened here alone, so that there is one place that knows what is
// open, and how.

// Knowledge opens the knowledge base of a data home, and returns fault.NotFound if there is none.
func Knowledge(ctx context.Context, home string, opt kb.Options) (*kb.KB, error) {
	return kb.OpenExisting(ctx, home, opt)
}

// MakeKnowledge opens the knowledge base of a data home, and makes it if there is none.
func MakeKnowledge(ctx context.Context, home string, opt kb.Options) (*kb.KB, error) {
	return kb.Open(ctx, home, opt)
}

// Memory opens the memory of a data home for one caller. Files are opened when they are first
// needed.
func Memory(home string, opt memory.Options) (*memory.Store, error) { return memory.Open(home, opt) }

// Context opens the context store of a directory, and says what its first use has imported.
func Context(ctx context.Context, dir string, opt chunks.Options) (*chunks.Store,
	chunks.ImportResult, error) {
	return chunks.Open(ctx, dir, opt)
}

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

// Open returns what is open, or opens it anew: when the file is another one by now, or has to be
// warm and is not. A question that is called off does not leave the opening half done for the
// next. With opened it is new.
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

// Close closes all that was opened, and returns the notes that nobody has taken.
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
