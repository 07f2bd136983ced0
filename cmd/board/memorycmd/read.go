package memorycmd

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

func (p *program) memoryItemCommands() []*cli.Command {
	noEmbed := &cli.BoolFlag{Name: "no-embed",
		Usage: "store it without an embedding; `board kb reembed` adds it"}
	update := p.operation(&ops.MemoryUpdate, noEmbed)
	change := update.Action
	update.Action = func(c *cli.Context) error {
		changes := func(name string) bool {
			return name != "if-version" && name != "why" &&
				name != "force" && name != "no-embed" && name != "json" && name != "quiet" &&
				!slices.ContainsFunc(speakerFlags(), func(f cli.Flag) bool { return f.Names()[0] == name })
		}
		if c.NArg() == 1 && !slices.ContainsFunc(c.LocalFlagNames(), changes) {
			return p.editItem(c, c.Args().First())
		}
		return change(c)
	}
	return []*cli.Command{p.operation(&ops.MemoryPut, noEmbed), update,
		p.operation(&ops.MemoryForget), p.operation(&ops.MemoryRead), p.operation(&ops.MemoryList),
		p.operation(&ops.MemoryGet), p.operation(&ops.Orient)}
}

func (p *program) editItem(c *cli.Context, id string) error {
	revision, err := base.IfRevision(c)
	if err != nil {
		return err
	}
	var it memory.Item
	h := &host{p, c}
	return p.Edit(c.Context, id, "`board memory update "+id+
		" CONTENT`; on a terminal, with $EDITOR set, its content is opened", func() (string, error) {
		err := h.Memory(c.Context, false, func(m *memory.Store) (err error) {
			it, err = m.Peek(c.Context, id)
			return err
		})
		return it.Content, err
	}, func(edited string) error {
		revision = cmp.Or(revision, &it.Revision) // what somebody else wrote meanwhile is not lost
		out, err := ops.MemoryUpdate.Do(c.Context, h, ops.MemoryUpdateIn{ID: id, Revision: revision,
			Content: strings.TrimSpace(edited), Reason: cmp.Or(c.String("why"), c.String("reason")),
			Lasting:     ops.Lasting{Given: op.Giving("content")},
			KeepSecrets: ops.KeepSecrets{KeepSecret: c.Bool("force")}})
		return p.AnswerWith(c, ops.MemoryUpdate.Answer(out), err)
	})
}

// noteMemoryAbove tells that a directory above the workspace has a memory, if the workspace has
// none: outside of a repository each directory is a workspace.
func (p *program) noteMemoryAbove(home, ws string) {
	has := func(dir string) bool {
		_, err := os.Stat(memory.WorkspacePath(home, dir))
		return err == nil
	}
	if ws == "" || has(ws) {
		return
	}
	for dir, up := ws, filepath.Dir(ws); up != dir; dir, up = up, filepath.Dir(up) {
		if has(up) {
			p.Messagef("note: this directory has no memory yet; %s has one: --workspace %[1]s reads it",
				base.Safe(up))
			return
		}
	}
}
