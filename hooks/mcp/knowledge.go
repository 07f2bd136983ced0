package mcp

import (
	"cmp"

	"blackboard/board"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/secret"
)

// noKB is the answer before anything was remembered.
const noKB = "no knowledge base yet; the first kb_remember creates it"

func (c *call) find(q kb.Query) (r kb.Result, notes []string, err error) {
	if c.cfg.Search != nil {
		return c.cfg.Search(c.ctx, q)
	}
	err = c.onKB(kbhome.Knowledge, q.Mode != kb.ModeBM25, func(k *kb.KB) (err error) {
		r, err = k.Search(c.ctx, q)
		notes = k.TakeNotes()
		return err
	})
	return r, notes, err
}

// keep notes on a run's board what was given. The question is answered anyway, and makes no run;
// who may not write to the run leaves no words there.
func (c *call) keep(run string, r board.Retrieval) {
	if run = cmp.Or(run, c.ownRun()); run == "" || len(r.Capsules) == 0 {
		return
	}
	r.Task = secret.Redact(r.Task)
	err := c.onBoard(run, true, func(b *board.Board) error {
		return b.Retrieved(c.ctx, c.worker(""), r)
	})
	if err != nil {
		c.notes = append(c.notes, "what was given is not kept on the board: "+err.Error())
	}
}
