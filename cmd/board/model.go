package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/embed/minilm"
)

func (p *program) modelCommand() *cli.Command {
	return &cli.Command{
		Name: "model", Category: base.CategoryKnow, Usage: "the embedding model: pull, use, verify, list",
		Description: `The model is that of $BOARD_MODEL_DIR, else the one of board model use, else
` + minilm.DefaultModel + ` in the data home. It is only fetched when you ask for it.`,
		Subcommands: []*cli.Command{
			{
				Name: "pull", Usage: "fetch a model, 91 MB, and embed what is stored: checked, all or nothing", ArgsUsage: "[NAME]",
				Description: `NAME is ` + minilm.DefaultModel + ` (the default; its checksums are built in),
or ORGANISATION/MODEL as on the hub, or with --from any name. Sentence-embedding models in
ONNX form work if they are BERT-like, and so do static ones (Model2Vec). hugot's tokenizer
needs a tokenizer.json of the kind WordPiece: Unigram, which most multilingual models have,
and a vocab.txt alone are refused. The hub is $HF_ENDPOINT, else ` + minilm.Hub + `.
A proxy is taken from the environment. A sound model is not fetched again. If the model is the
one in use, capsules, memories and the context store of this directory get its embeddings at
once; capsules and memories by the daemon if it runs.`,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "from", Usage: "fetch from `PLACE`: the address below which the files lie, or a directory that has them"},
					&cli.StringFlag{Name: "revision", Usage: "the `REVISION` of the hub's repository; default: the one whose files are known, else main"},
					&cli.BoolFlag{Name: "force", Usage: "replace a model that is there"},
					base.JSONFlag(),
				},
				Action: p.modelPull,
			},
			{
				Name: "use", Usage: "choose the model that commands, hooks and the daemon use", ArgsUsage: "NAME | DIR",
				Description: `The data home keeps the choice. $BOARD_MODEL_DIR takes precedence. What was embedded with another
model is found by words until it is embedded again: by a running daemon, or by board kb reembed.`,
				Flags:  []cli.Flag{base.JSONFlag()},
				Action: p.modelUse,
			},
			{
				Name: "verify", Usage: "say whether a model is sound: exit 0 yes, 1 no, 5 no model", ArgsUsage: "[NAME | DIR]",
				Description: `It compares the files with the published or installed ones by SHA-256, loads the model, and
checks its vectors.`,
				Flags:  []cli.Flag{base.JSONFlag()},
				Action: p.modelVerify,
			},
			{
				Name: "list", Aliases: []string{"engine"}, Usage: "list the models that are there, and what computes them", Action: p.modelList,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Aliases: []string{"available"}, Usage: "those that can be fetched, with what their publishers say"}, base.JSONFlag()},
			},
		},
	}
}

// asAbsent makes fault.NoModel fault.NotFound, for commands that are about the model.
func asAbsent(err error) error {
	if errors.Is(err, fault.NoModel) {
		return &fault.Error{Kind: fault.NotFound, Msg: err.Error(), Next: fault.Next(err), Cause: err}
	}
	return err
}

func (p *program) modelPull(c *cli.Context) error {
	if c.NArg() > 1 {
		return base.Usagef("name one", "`board model pull` takes one name, but got %d", c.NArg())
	}
	name := minilm.DefaultModel
	if c.NArg() == 1 {
		name = c.Args().First()
	}
	m, err := minilm.Named(name)
	if err != nil {
		return err
	}
	if c.IsSet("revision") {
		m.Revision = c.String("revision")
		if c.IsSet("from") {
			return base.Usagef("leave one out", "--revision is for the hub, and --from names another place")
		}
	}
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	dir := minilm.DefaultDir(home, p.Env)
	if p.Env("BOARD_MODEL_DIR") == "" {
		dir = filepath.Join(modelsDir(home), m.Name)
	}
	bar := &pullBar{StatusLine: p.StatusLine(), model: m.Name, quiet: c.Bool("json")}
	done, err := minilm.Pull(c.Context, minilm.PullOptions{
		Manifest: m, Dir: dir, Endpoint: p.Env("HF_ENDPOINT"), From: c.String("from"), Force: c.Bool("force"), Progress: bar.show,
	})
	bar.Clear()
	if err != nil {
		if c.Context.Err() != nil && m.Pinned() && !c.IsSet("from") && !c.Bool("json") {
			p.Messagef("what has been fetched is kept; the same command continues")
		}
		return err
	}
	chosen, err := useIfAlone(home, dir, p.Env)
	if err != nil {
		return err
	}
	stored := storedEmbedded{}
	if minilm.DefaultDir(home, p.Env) == dir {
		if stored, err = p.embedStored(c.Context, true); err != nil {
			p.Messagef("%s is installed; what is stored could not all be embedded: `board kb reembed` continues", done.Name)
			return err
		}
	}
	if c.Bool("json") {
		return p.JSON("model", done, "embedded", stored)
	}
	if done.Already {
		p.Printf("%s is there already: %s\n", done.Name, done.Dir)
	} else {
		p.Printf("%s installed: %s, %s\n", done.Name, base.Count(int64(len(done.Files)), "file", "files"), base.Megabytes(done.Bytes))
		p.Printf("  in   %s\n  from %s\n", done.Dir, base.Safe(done.Source))
	}
	switch {
	case done.Pinned:
		p.Printf("  weights and tokenizer are the published ones, by SHA-256\n")
	case m.Pinned():
		p.Printf("  it is not the published %s: its weights or its tokenizer are others, and give sound vectors\n", m.Name)
	case !done.Already:
		p.Printf("  it gives sound vectors; no checksums are known for it\n")
	}
	p.sayStored(stored)
	if chosen {
		p.Messagef("%s is the model in use now", done.Name)
	} else if minilm.DefaultDir(home, p.Env) != dir {
		p.Messagef("to use it: `board model use %s`", done.Name)
	}
	return nil
}

// useIfAlone chooses a model that was fetched, if no other is chosen or there to be used, and reports whether it did.
func useIfAlone(home, dir string, env func(string) string) (chosen bool, err error) {
	used := minilm.DefaultDir(home, env)
	if env("BOARD_MODEL_DIR") != "" || used == dir || disk.IsDir(used) {
		return false, nil
	}
	return true, minilm.Choose(home, dir)
}

func (p *program) modelUse(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board model list` shows them", "no model is named")
	}
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	name := c.Args().First()
	dir := filepath.Join(modelsDir(home), name)
	if c.NArg() > 1 || filepath.Base(name) != name || strings.HasPrefix(name, ".") || !disk.IsDir(dir) {
		if dir, err = p.modelDir(c); err != nil {
			return err
		}
	}
	was := p.ModelDir(home)
	if err := minilm.Choose(home, dir); err != nil {
		return asAbsent(err)
	}
	if own := p.Env("BOARD_MODEL_DIR"); own != "" {
		p.Messagef("note: $BOARD_MODEL_DIR takes precedence, and names %s", base.Safe(own))
	}
	now := p.ModelDir(home)
	return p.Answer(c, nil, func() {
		p.Printf("%s is the model in use\n", base.Safe(filepath.Base(now)))
		before, err := minilm.Identify(was)
		if after, _ := minilm.Identify(now); err == nil && before != after {
			p.Messagef("what %s embedded is embedded anew by: board kb reembed", base.Safe(filepath.Base(was)))
		}
	}, "path", now)
}

func modelsDir(home string) string { return filepath.Join(home, "models") }

// modelDir is the directory of the model a command is about: the used, a named one, or a path.
func (p *program) modelDir(c *cli.Context) (string, error) {
	if c.NArg() > 1 {
		return "", base.Usagef("name one", "`board model %s` takes one model, but got %d", c.Command.Name, c.NArg())
	}
	if c.NArg() == 0 {
		home, err := p.DataHome()
		return minilm.DefaultDir(home, p.Env), err
	}
	return p.namedModelDir(c.Args().First())
}

func (p *program) namedModelDir(name string) (string, error) {
	home, err := p.DataHome()
	if err != nil {
		return "", err
	}
	used := minilm.DefaultDir(home, p.Env)
	switch {
	case name == filepath.Base(used):
		return used, nil
	case name == "":
		return "", base.Usagef("`board model list` shows them", "the model's name is empty")
	case strings.ContainsRune(name, filepath.Separator) || strings.HasPrefix(name, "."):
		return filepath.Abs(name)
	}
	dir := filepath.Join(modelsDir(home), name)
	if _, err := os.Stat(dir); err != nil {
		if here, err := os.Stat(name); err == nil && here.IsDir() {
			return filepath.Abs(name)
		}
		return "", fault.NotFound.New(fmt.Sprintf("there is no model %s in %s", base.Line(name, 60), modelsDir(home)), "`board model list` shows those that are there, `board model pull` fetches one")
	}
	return dir, nil
}

func (p *program) modelVerify(c *cli.Context) error {
	dir, err := p.modelDir(c)
	if err != nil {
		return err
	}
	r, err := minilm.Verify(c.Context, dir)
	if err != nil {
		return asAbsent(err)
	}
	return p.AnswerFailed(c, !r.OK, func() {
		verdict := p.Paint(base.Green, "sound")
		if !r.OK {
			verdict = p.Paint(base.Red, "FAILED")
		}
		p.Printf("%s: %s\n", r.Dir, verdict)
		for _, check := range r.Checks {
			mark := "ok    "
			if !check.OK {
				mark = p.Paint(base.Red, "FAILED")
			}
			p.Printf("  %-9s  %s  %s\n", check.Name, mark, base.Safe(check.Detail))
		}
		if !r.Checks[0].OK { // the files
			p.Messagef("`board model pull` fetches anew what it has installed")
		}
	}, "verify", r)
}

type modelEntry struct {
	minilm.Info
	Default bool   `json:"default"` // it is the one that is used
	Error   string `json:"error"`
}

func (p *program) models() (models []modelEntry, err error) {
	home, err := p.DataHome()
	if err != nil {
		return nil, err
	}
	used := minilm.DefaultDir(home, p.Env)
	if used, err = filepath.Abs(used); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(modelsDir(home))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the models: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		path := filepath.Join(modelsDir(home), e.Name())
		// with a dot: an unfinished pull
		if info, err := os.Stat(path); err == nil && info.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			dirs = append(dirs, path)
		}
	}
	if _, err := os.Stat(used); err == nil && !slices.Contains(dirs, used) {
		dirs = append(dirs, used)
	}
	models = []modelEntry{}
	for _, dir := range dirs {
		info, err := minilm.Inspect(dir)
		m := modelEntry{Info: info, Default: dir == used}
		if err != nil {
			m.Error = err.Error()
		}
		models = append(models, m)
	}
	return models, nil
}

func (p *program) modelList(c *cli.Context) error {
	if c.Bool("all") {
		return p.modelAvailable(c)
	}
	models, err := p.models()
	engine := minilm.ThisEngine()
	return p.Answer(c, err, func() {
		width, used := 0, false
		for _, m := range models {
			width, used = max(width, len(m.Name)), used || m.Default
		}
		for _, m := range models {
			mark := " "
			if m.Default {
				mark = "*"
			}
			state := fmt.Sprintf("%4d-d  %4d tokens  %8s", m.Dim, m.MaxTokens, base.Megabytes(m.Bytes))
			if m.Error != "" {
				state = p.Paint(base.Red, "ERROR") + "  " + base.Safe(m.Error)
			}
			p.Printf("%s %-*s  %s  %s\n", mark, width, base.Safe(m.Name), state, p.Paint(base.Dim, base.Safe(m.Dir)))
		}
		if !used {
			p.Messagef("no model is in use: `board model pull` fetches %s; `board model use` chooses one that is there", minilm.DefaultModel)
		}
		p.Messagef("computed by %s", engine)
	}, "models", models, "engine", engine)
}

// modelAvailable shows the models that are worth choosing.
func (p *program) modelAvailable(c *cli.Context) error {
	all, width := minilm.Available(), 0
	for _, m := range all {
		width = max(width, len(m.Pull))
	}
	return p.Answer(c, nil, func() {
		const row = "%-*s  %9s  %5s  %6s  %-12s  %13s"
		p.Printf(row+"\n", width, "model", "size", "dim", "tokens", "language", "retrieval")
		for _, m := range all {
			quality := "not published"
			if m.Retrieval > 0 {
				quality = fmt.Sprintf("%.1f", m.Retrieval)
			}
			p.Printf(row+"  %s\n", width, m.Pull, base.Megabytes(m.Bytes), fmt.Sprintf("%d-d", m.Dim),
				strconv.Itoa(m.MaxTokens), m.Language, quality, p.Paint(base.Dim, m.Note))
		}
		p.Messagef("retrieval is the mean nDCG@10 of MTEB's English sets, as published")
		p.Messagef("`board model pull MODEL` fetches a model; other models need a WordPiece tokenizer.json: hugot's tokenizer reads no Unigram (most multilingual models) and no vocab.txt alone")
	}, "available", all)
}

type pullBar struct {
	base.StatusLine
	model string
	quiet bool // say nothing, also not that another one is waited for
	file  string
	begin time.Time
	first int64 // what was there when the file began
}

func (b *pullBar) show(now minilm.Progress) {
	if now.Waiting {
		if !b.quiet {
			b.Messagef("another pull of %s is under way; waiting for it", b.model)
		}
		return
	}
	if !b.Draw {
		return
	}
	if now.File != b.file {
		b.file, b.begin, b.first = now.File, time.Now(), now.Done
	}
	if now.Total > 0 && now.Total < 1_000_000 && time.Since(b.begin) < time.Second {
		return // gone before anybody could read it
	}
	text := fmt.Sprintf("%s  %s", now.File, base.Megabytes(now.Done))
	if now.Total > 0 {
		text = fmt.Sprintf("%-26s %s %3d %%  %s of %s", now.File, base.Gauge(now.Done, now.Total), 100*now.Done/now.Total, base.Megabytes(now.Done), base.Megabytes(now.Total))
	}
	if took := time.Since(b.begin); took > time.Second {
		rate := float64(now.Done-b.first) / took.Seconds()
		text += fmt.Sprintf("  %.1f MB/s", rate/1e6)
		if left := float64(now.Total - now.Done); left > 0 && rate > 0 {
			text += fmt.Sprintf("  %s left", time.Duration(left/rate*float64(time.Second)).Round(time.Second))
		}
	}
	b.Put(text)
}
