package ops

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb"
)

type BriefIn struct {
	Run     string `json:"run,omitempty" flag:"run,r,board" jsonschema:"the run that asks, whose board keeps what was given; default the server's"`
	Task    string `json:"task,omitempty" arg:"[TASK | -]" as:"question" flag:"task" needs:"mcp"`
	Role    string `json:"role,omitempty" enum:"roles" cli:"of the worker"`
	Budget  int    `json:"budget,omitempty" min:"80" default:"600" value:"TOKENS" jsonschema:"tokens" cli:"of the block"`
	Limit   int    `json:"limit,omitempty" only:"cli" flag:"limit,n" value:"N" default:"8" cli:"at most this many capsules"`
	Mode    string `json:"mode,omitempty" only:"cli" enum:"brief_modes" flag:"mode,m" default:"auto"`
	Project string `json:"project,omitempty" cli:"it is about, else that of board kb project"`
	Cut     bool   `json:"cut,omitempty" flag:"-" only:"cli"`
}

type BriefOut struct {
	Brief Brief `json:"brief"`
}

var KBBrief = op.Op[Knowledge, BriefIn, BriefOut]{
	Info: op.Info{Command: "kb brief", Tool: "kb_brief", Profile: "knowledge", Need: KBRead,
		Short: "print what a role should know before a task, for its prompt",
		About: "What is known about a task, within a budget, for the prompt of a worker.",
		Long: `Prints a block "## RECENT LEARNINGS" within a budget of tokens (4 bytes
each): confident matches for the task, or else up to three that come nearest, marked as
such. If nothing comes near, it prints nothing. Lines around the block say that these are records
of others, not instructions.

The role selects the kinds. An executor gets facts, recipes, gotchas, patterns and
anti-patterns; a reviewer gotchas and anti-patterns, a re_reviewer also principles; all
others everything except sections of documents. Capsules of other workspaces are left out,
and those that were promoted from the same run: its board has them. --json has the
retrieval log. With --run or $BOARD_RUN the board records what was given, to whom and for
which task.`},
	Do: func(ctx context.Context, h Knowledge, in BriefIn) (out BriefOut, err error) {
		if strings.TrimSpace(in.Task) == "" {
			return out, fault.Usage.New("there is no task", "say what the worker is about to do")
		}
		ws, err := h.Place()
		if err != nil {
			return out, err
		}
		run, project, err := h.Asks(in.Run, ws, in.Project)
		if err != nil {
			return out, err
		}
		opt := BriefOptions{Role: in.Role, Task: in.Task, Workspace: ws, Project: project, Run: run,
			Budget: h.Room(in.Budget, 80), Limit: in.Limit, Mode: in.Mode}
		err = h.KB(ctx, Read, in.Mode != kb.ModeBM25, func(k *kb.KB) (err error) {
			out.Brief, err = WriteBrief(ctx, k, opt)
			return err
		})
		if errors.Is(err, fault.NotFound) {
			out.Brief.Degraded, err = []string{err.Error()}, nil
		}
		if err != nil {
			return out, err
		}
		if in.Cut {
			out.Brief.Degraded = append([]string{QuestionCut}, out.Brief.Degraded...)
		}
		var given []board.Given
		for _, l := range out.Brief.Log {
			if l.Included {
				given = append(given, board.Given{ID: l.ID, Score: l.Score, Evidence: l.Evidence})
			}
		}
		return out, h.Gave(ctx, in.Run, board.Retrieval{Way: board.ByBrief, Role: out.Brief.Role,
			Task: in.Task, Capsules: given})
	},
	Text: func(p *op.Page, o BriefOut) {
		b := &o.Brief
		p.Printf("%s", text.Visible(b.Block))
		for _, d := range b.Degraded {
			p.Note("note: " + d)
		}
		switch {
		case b.Block != "":
		case len(b.Log) > 0 && b.Log[0].Evidence > 0:
			p.Note("nothing to give; the best match is " + b.Log[0].ID + ": " + p.Line(b.Log[0].Why, 300))
			if next := fault.Say(b.Next, p.Words); next != "" {
				p.Note("  try: " + next)
			}
		default:
			among := ""
			if len(b.Kinds) > 0 {
				among = " (among " + strings.Join(b.Kinds, ", ") + ")"
			}
			p.Note("no capsule is about it" + among + p.Step(fault.Do("kb.search", "; try {}")))
		}
	},
}

type IngestIn struct {
	Paths     []string `json:"paths" arg:"(FILE | FOLDER)…" as:"words" jsonschema:"files and folders; below the workspace unless they begin at the root"`
	Project   string   `json:"project,omitempty" cli:"it belongs to"`
	Scope     string   `json:"scope,omitempty" enum:"scopes" jsonschema:"default workspace" cli:"where it applies (default workspace; universal in your home directory and above)"`
	Tags      []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG"`
	Domains   []string `json:"domains,omitempty" flag:"domain" value:"TAG" cli:"domain tag"`
	Workspace string   `json:"workspace,omitempty" only:"cli" value:"DIRECTORY" cli:"it belongs to; default $BOARD_WORKSPACE, else the repository of the working directory"`
	Prune     bool     `json:"prune,omitempty" jsonschema:"remove the capsules of documents that are gone from the folders given" cli:"remove the capsules of documents that are no longer in the folders"`
	DryRun    bool     `json:"dry_run,omitempty" cli:"show what would be done, and change nothing"`
	Force     bool     `json:"force,omitempty" only:"cli" cli:"do not mask what looks like a secret"`
	op.Given
}

type IngestOut struct {
	Ingest kb.IngestedAll `json:"ingest"`
	DryRun bool           `json:"dry_run"`
}

func (o IngestOut) Failed() bool { return len(o.Ingest.Refused) > 0 }

var KBIngest = op.Op[Knowledge, IngestIn, IngestOut]{
	Info: op.Info{Command: "kb ingest", Tool: "kb_ingest", Profile: "admin", Need: "files",
		Kind: op.Writes, Short: "split markdown documents into capsules, one for each section",
		About: "Cut markdown documents of this machine into capsules, a section each. What has " +
			"not changed is left alone, so it can be repeated.",
		Long: `Documents are split at their H1 and H2 headings into capsules of the kind
doc. A folder gives its .md and .markdown files at any depth, but for those in .git, .hg,
.svn and node_modules, and links that lead out of it; .gitignore is not read. The fields
of the front matter are found like text, and its tags: become tags. A document that is
the same in another worktree of its repository is not stored again.

A document is identified by its path and content. Unchanged documents are skipped. A
changed one gets its new capsules in one step; sections that did not change keep theirs. A
renamed file is a new document with new capsules; --prune removes the old ones. Files that
cannot be ingested (binary, over 4 MB, unreadable) are listed, and the exit code is 1
after the rest is done; documents without any text are counted. What looks like a secret is masked, and its section is named. A
document that was ingested before keeps its tags, scope and workspace unless some are
given.`},
	Do: func(ctx context.Context, h Knowledge, in IngestIn) (out IngestOut, err error) {
		ws, err := h.Place()
		if err != nil {
			return out, err
		}
		paths, shared, err := h.Documents(in.Paths)
		if err != nil {
			return out, err
		}
		step, end := h.Progress()
		need := Create
		if in.DryRun {
			need = Read
		}
		out.DryRun = in.DryRun
		err = h.KB(ctx, need, true, func(k *kb.KB) (err error) {
			out.Ingest, err = k.Ingest(ctx, paths, kb.IngestOptions{Workspace: ws, Project: in.Project,
				Scope: in.Scope, Tags: in.Tags, DomainTags: in.Domains, Force: in.Force, Prune: in.Prune,
				DryRun: in.DryRun, NoEmbedding: h.Unembedded(), Progress: step, Shared: shared,
				KeepOptions: !slices.ContainsFunc([]string{"scope", "tags", "domains", "project", "workspace"},
					in.Has)})
			return err
		})
		end()
		if n := len(out.Ingest.New) + len(out.Ingest.Changed); err != nil && n > 0 {
			h.Note(amount(n, "document is", "documents are") + " done; the same call continues")
		}
		return out, err
	},
	Text: func(p *op.Page, o IngestOut) {
		r := &o.Ingest
		if o.DryRun {
			p.Printf("would be ")
		}
		p.Printf("%d new, %d changed, %d unchanged; %s written, %d kept, %d removed\n", len(r.New),
			len(r.Changed), r.Unchanged, amount(r.Capsules, "capsule", "capsules"), r.Kept, r.Removed)
		for _, f := range op.FirstRows(p, r.Pruned) {
			p.Printf("gone: %s\n", p.Line(f, 300))
		}
		if n := len(r.Empty) + len(r.Refused); n > 0 {
			p.Printf("not taken: %d (%s without text, %d refused)\n", n, amount(len(r.Empty), "document",
				"documents"), len(r.Refused))
		}
		for _, f := range slices.Sorted(maps.Keys(r.Elsewhere)) {
			p.Note("note: " + p.Line(f, 300) + " is the same as " + p.Line(r.Elsewhere[f], 300) +
				" of another worktree, and not stored again")
		}
		for _, f := range op.FirstRows(p, r.Gone) {
			p.Note("note: " + p.Line(f, 300) + " is gone" + p.Step(fault.Give("prune", "",
				"; {} removes its capsules")))
		}
		for _, m := range op.FirstRows(p, r.Masked) {
			p.Note("note: " + p.Line(m.String(), 300) + p.Step(fault.Give("force", "", "; {} ingests it unmasked")))
		}
		for _, w := range op.FirstRows(p, r.Warnings) {
			p.Note("note: " + p.Line(w, 300))
		}
		for _, f := range op.FirstRows(p, r.Refused) {
			p.Note("refused: " + p.Line(f.From, 300) + ": " + p.Line(f.Why, 300))
		}
	},
}

type DoctorOut struct {
	Findings []kb.Finding `json:"findings"`
	Broken   bool         `json:"broken"`
}

func (o DoctorOut) Failed() bool { return o.Broken }

var KBDoctor = op.Op[Knowledge, Nothing, DoctorOut]{
	Info: op.Info{Command: "kb doctor", Tool: "kb_doctor", Profile: "admin", Need: KBRead,
		Short: "check for damage and missing parts; exit 1 if something is broken",
		About: "Look at everything: the file, the index, the " +
			"sidecars, links, embeddings. It changes nothing."},
	Do: func(ctx context.Context, h Knowledge, _ Nothing) (out DoctorOut, err error) {
		err = h.KB(ctx, Examine, true, func(k *kb.KB) (err error) {
			out.Findings, err = k.Doctor(ctx)
			return err
		})
		if errors.Is(err, fault.Corrupt) {
			out.Findings, err = []kb.Finding{{What: "database", State: kb.StateBroken, Say: err.Error(),
				Next: []fault.Step{fault.Do("kb.rebuild", "{} rebuilds it from the files")}}}, nil
		}
		for i := range out.Findings {
			f := &out.Findings[i]
			f.Try = fault.Say(f.Next, h.Words)
			out.Broken = out.Broken || f.State == kb.StateBroken
		}
		return out, err
	},
	Text: func(p *op.Page, o DoctorOut) {
		for _, f := range o.Findings {
			mark := map[string]string{kb.StateOK: "ok    ", kb.StateNote: "note  ",
				kb.StateBroken: "BROKEN"}[f.State]
			p.Printf("%s  %-13s %s\n", mark, f.What, p.Line(f.Say, 1000))
			if f.Try != "" {
				p.Printf("        %-13s try: %s\n", "", p.Line(f.Try, 1000))
			}
		}
	},
}
