package mcp

import (
	"cmp"
	"errors"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/kb/brief"
	kbhome "blackboard/kb/home"
	"blackboard/kb/secret"
)

func (s *Server) addKnowledgeTools() {
	add(s, tool{Tool: "kb_brief", Short: "What a role should know",
		Profile: ProfileKnowledge, Kind: reads, Need: KBRead,
		About: "What is known about a task, within a budget, for the prompt of a worker."},
		(*call).brief)
}

// noKB is the answer before anything was remembered.
const noKB = "no knowledge base yet; the first kb_remember creates it"

// find searches the knowledge base.
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

// forRun says for which run something is asked.
type forRun struct {
	Run string `json:"run,omitempty" jsonschema:"the run that asks, whose board keeps what was given; default the server's"`
}

// keep notes on the board of a run what was given. A question is answered whatever
// becomes of that, and makes no run; a client that may not write to the run leaves no
// words on its board.
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

type briefIn struct {
	forRun
	Task    string `json:"task"`
	Role    string `json:"role,omitempty" enum:"roles"`
	Budget  int    `json:"budget,omitempty" min:"80" max:"4000" default:"600" jsonschema:"tokens"`
	Project string `json:"project,omitempty"`
}

type briefOut struct {
	Block    string   `json:"block,omitempty" jsonschema:"for the prompt; says so if no match is confident; empty without a match"`
	Tokens   int      `json:"tokens"`
	Capsules []string `json:"capsules" jsonschema:"ids of those that are in it"`
	Degraded []string `json:"degraded"`
}

func (c *call) brief(in briefIn) (out briefOut, text string, err error) {
	out.Capsules, out.Degraded = []string{}, []string{}
	if strings.TrimSpace(in.Task) == "" {
		return out, "", badArgument("say what the worker is about to do", "there is no task")
	}
	budget := c.document(in.Budget, 80)
	err = c.onKB(kbhome.Knowledge, true, func(k *kb.KB) error {
		r, err := brief.Write(c.ctx, k, brief.Options{Role: in.Role, Task: in.Task, Budget: budget,
			Workspace: c.workspace(), Project: in.Project, Run: cmp.Or(in.Run, c.ownRun())})
		if err != nil {
			return err
		}
		out.Block, out.Tokens, out.Degraded = r.Block, r.Tokens, list(r.Degraded)
		var given []board.Given
		for _, b := range r.Log {
			if b.Included {
				out.Capsules = append(out.Capsules, b.ID)
				given = append(given, board.Given{ID: b.ID, Score: b.Score, Evidence: b.Evidence})
			}
		}
		c.keep(in.Run, board.Retrieval{Way: board.ByBrief, Role: in.Role, Task: in.Task,
			Capsules: given})
		text = noted(cmp.Or(out.Block, "No capsule is about this task."),
			out.Degraded)
		return nil
	})
	if errors.Is(err, fault.NotFound) {
		out.Degraded = []string{noKB}
		return out, "No capsules: " + noKB, nil
	}
	return out, text, err
}
