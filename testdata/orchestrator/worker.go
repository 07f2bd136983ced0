package main

import (
	"context"
	"errors"

	"blackboard/board"
	"blackboard/board/fault"
)

// worker is somebody who reads some of the documents.
type worker struct {
	name string
	find func(*task)                                // posts what the documents say, and asks what they do not answer
	says func(t *task, question string) *board.Post // what the documents answer to a question; nil if they do not
}

// task is what a worker does at a time. After the first error, which err keeps, its methods do
// nothing.
type task struct {
	ctx    context.Context
	board  *board.Board
	worker string
	folder string
	known  string // what earlier runs have learned: it belongs in an agent's prompt
	err    error
}

// answer claims and answers the open questions that the worker's documents answer, and is done.
// What somebody else has claimed or closed meanwhile is left to them.
func (w *worker) answer(t *task) {
	open, err := t.board.Signals(t.ctx, board.SignalQuery{Statuses: []string{board.SignalOpen}})
	if err != nil {
		t.err = err
	}
	for _, s := range open.Signals {
		p := w.says(t, s.Content)
		if p == nil || t.err != nil { // its documents do not say: the question is for another, or for a person
			t.err = nil
			continue
		}
		switch _, err := t.board.Claim(t.ctx, w.name, s.ID, board.DefaultLease); {
		case errors.Is(err, fault.Conflict):
			continue
		case err != nil:
			t.err = err
			return
		}
		_, _, t.err = t.board.PostAddressing(t.ctx, w.name, s.ID, *p, nil)
	}
	if t.err == nil {
		_, t.err = t.board.Done(t.ctx, w.name) // the gate waits for it no longer
	}
}

// post posts a finding, and returns its id. The key makes a retry safe: the same finding is posted
// once.
func (t *task) post(key string, p board.Post) string {
	if t.err != nil {
		return ""
	}
	p.Key = t.worker + "/" + key
	posted, err := t.board.Post(t.ctx, t.worker, p)
	t.err = err
	return posted.Entry.ID
}

// ask raises a question.
func (t *task) ask(key, priority, origin, question string) {
	if t.err == nil {
		_, t.err = t.board.Signal(t.ctx, t.worker, board.Raise{Content: question, Priority: priority, Origin: origin, Key: t.worker + "/" + key})
	}
}
