package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/embed/minilm"
)

func (p *program) modelCommand() *cli.Command {
	return &cli.Command{
		Name: "model", Category: catKnow, Usage: "the embedding model: pull, verify, list, path, engine, bench",
		Description: `The model is in $BOARD_MODEL_DIR, else in models/` + minilm.DefaultModel + ` of the data home. It is never fetched unless asked for.`,
		Subcommands: []*cli.Command{
			{
				Name: "pull", Usage: "fetch a model: 90 MB, resumed where it was interrupted, checked, all or nothing", ArgsUsage: "[NAME]",
				Description: `NAME is ` + minilm.DefaultModel + ` (the default; its files are known to the byte), or ORGANISATION/MODEL as the hub calls it, or with --from any
name. Any BERT-like sentence-embedding model in ONNX form will do. The hub is $HF_ENDPOINT, else ` + minilm.Hub + `;
a proxy is taken from the environment. A model that is there and sound is not fetched again.`,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "from", Usage: "fetch from `PLACE`: the address below which the files lie, or a directory that has them"},
					&cli.StringFlag{Name: "revision", Usage: "the `REVISION` of the hub's repository; default: the one whose files are known, else main"},
					&cli.BoolFlag{Name: "force", Usage: "replace a model that is there"},
					&cli.BoolFlag{Name: "int8", Usage: "the default model with weights of 8 bits: a model of its own, for ONNX Runtime"},
					jsonFlag(),
				},
				Action: p.modelPull,
			},
			{
				Name: "verify", Usage: "say whether a model is sound: exit 0 yes, 1 no, 5 no model", ArgsUsage: "[NAME | DIR]",
				Description: `Its files are held against the published or installed ones by SHA-256, it is loaded, and its vectors are looked at. Known vectors
decide beyond doubt: a JSON list of {"text", "embedding"}, named with --reference or lying in the directory as reference_vectors.json.`,
				Flags:  []cli.Flag{&cli.StringFlag{Name: "reference", Usage: "compare with the known vectors in `FILE`"}, jsonFlag()},
				Action: p.modelVerify,
			},
			{
				Name: "list", Usage: "list the models that are there", Action: p.modelList,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "available", Usage: "those that can be fetched, with what their publishers say"}, jsonFlag()},
			},
			{
				Name: "path", Usage: "print the directory of the model that is used: exit 5 if there is none", Flags: []cli.Flag{jsonFlag()}, Action: p.modelPath,
			},
			{
				Name: "engine", Usage: "say what computes the model here, and why", Action: p.modelEngine,
				Description: `ONNX Runtime, where its library is installed: several times as fast. $BOARD_ONNXRUNTIME names the library, or is off; else it is looked for
in the usual places. It is never fetched. The library runs in a process of its own, of a daemon, or of a command that embeds a great deal.
Without one, or when it is too old or broken, hugot computes the same vectors: it is part of this program.`,
				Flags: []cli.Flag{jsonFlag()},
			},
			{
				Name: "bench", Usage: "measure how fast models are here with each engine, and how much memory they take", ArgsUsage: "[NAME | DIR]...",
				Flags: []cli.Flag{
					&cli.IntFlag{Name: "texts", Usage: "`N` texts for the throughput of each length", Value: 32},
					&cli.StringFlag{Name: "tokens", Usage: "`LENGTHS` of texts in tokens", Value: "14,200"},
					jsonFlag(),
				},
				Action: p.modelBench,
			},
		},
	}
}

// asAbsent is for commands whose object is the model: where there is none, they have found nothing.
func asAbsent(err error) error {
	if errors.Is(err, fault.NoModel) {
		return &fault.Error{Kind: fault.NotFound, Msg: err.Error(), Next: fault.Next(err), Cause: err}
	}
	return err
}

func (p *program) modelPull(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("name one", "`board model pull` takes one name, but got %d", c.NArg())
	}
	name := minilm.DefaultModel
	if c.Bool("int8") {
		name = minilm.Int8().Name
	}
	if c.NArg() == 1 {
		if c.Bool("int8") {
			return usagef("leave one out", "--int8 is a form of %s, and a name is given", minilm.DefaultModel)
		}
		name = c.Args().First()
	}
	m, err := minilm.Named(name)
	if err != nil {
		return err
	}
	if c.IsSet("revision") {
		m.Revision = c.String("revision")
		if c.IsSet("from") {
			return usagef("leave one out", "--revision is for the hub, and --from names another place")
		}
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	dir := minilm.DefaultDir(home, p.env)
	if p.env("BOARD_MODEL_DIR") == "" {
		dir = filepath.Join(modelsDir(home), m.Name)
	}
	bar := &pullBar{statusLine: p.statusLine(), model: m.Name, quiet: c.Bool("json")}
	done, err := minilm.Pull(c.Context, minilm.PullOptions{
		Manifest: m, Dir: dir, Endpoint: p.env("HF_ENDPOINT"), From: c.String("from"), Force: c.Bool("force"), Progress: bar.show,
	})
	bar.clear()
	if err != nil {
		if c.Context.Err() != nil && !c.Bool("json") {
			p.talk("what has been fetched is kept; the same command continues")
		}
		return err
	}
	if c.Bool("json") {
		return p.json("model", done)
	}
	if done.Already {
		p.printf("%s is there already: %s\n", done.Name, done.Dir)
	} else {
		p.printf("%s installed: %s, %s\n", done.Name, count(int64(len(done.Files)), "file", "files"), megabytes(done.Bytes))
		p.printf("  in   %s\n  from %s\n", done.Dir, safe(done.Source))
	}
	if done.Pinned {
		p.printf("  the files are the published ones, by SHA-256\n")
	} else if !done.Already {
		p.printf("  the files load; what they should be is not known\n")
	}
	if c.Bool("int8") && !p.hasFastEngine(c.Context) {
		p.talk("without ONNX Runtime it is slower than the full model; `board model engine` says why there is none")
	}
	if used := minilm.DefaultDir(home, p.env); used != dir {
		p.talk("to use it: export BOARD_MODEL_DIR=%s", done.Dir)
	}
	return nil
}

func modelsDir(home string) string { return filepath.Join(home, "models") }

func megabytes(n int64) string { return text.Megabytes(n) }

// modelDir is the directory of the model that a command is about: the one used, or one named, or a directory.
func (p *program) modelDir(c *cli.Context) (string, error) {
	if c.NArg() > 1 {
		return "", usagef("name one", "`board model %s` takes one model, but got %d", c.Command.Name, c.NArg())
	}
	if c.NArg() == 0 {
		home, err := p.dataHome()
		return minilm.DefaultDir(home, p.env), err
	}
	return p.namedModelDir(c.Args().First())
}

func (p *program) namedModelDir(name string) (string, error) {
	home, err := p.dataHome()
	if err != nil {
		return "", err
	}
	used := minilm.DefaultDir(home, p.env)
	switch {
	case name == filepath.Base(used):
		return used, nil
	case name == "":
		return "", usagef("`board model list` shows them", "the model's name is empty")
	case strings.ContainsRune(name, filepath.Separator) || strings.HasPrefix(name, "."):
		return filepath.Abs(name)
	}
	dir := filepath.Join(modelsDir(home), name)
	if _, err := os.Stat(dir); err != nil {
		if here, err := os.Stat(name); err == nil && here.IsDir() {
			return filepath.Abs(name)
		}
		return "", fault.NotFound.New(fmt.Sprintf("there is no model %s in %s", line(name, 60), modelsDir(home)), "`board model list` shows those that are there, `board model pull` fetches one")
	}
	return dir, nil
}

func (p *program) modelVerify(c *cli.Context) error {
	dir, err := p.modelDir(c)
	if err != nil {
		return err
	}
	if c.IsSet("reference") && c.String("reference") == "" {
		return usagef("name a file of known vectors, or leave it out", "--reference is empty")
	}
	r, err := minilm.Verify(c.Context, dir, c.String("reference"))
	if err != nil {
		return asAbsent(err)
	}
	if c.Bool("json") {
		err = p.json("verify", r)
	} else {
		verdict := p.paint(green, "sound")
		if !r.OK {
			verdict = p.paint(red, "FAILED")
		}
		p.printf("%s: %s\n", r.Dir, verdict)
		for _, check := range r.Checks {
			mark := "ok    "
			if !check.OK {
				mark = p.paint(red, "FAILED")
			}
			p.printf("  %-9s  %s  %s\n", check.Name, mark, safe(check.Detail))
		}
		if r.Reference != nil && !r.OK {
			p.printf("  the text that is farthest off: %s\n", line(r.Reference.Worst, 100))
		}
		switch {
		case !r.Checks[0].OK: // the files
			p.talk("`board model pull` repairs what it has installed, and fetches only what is damaged")
		case r.OK && r.Reference == nil:
			p.talk("not compared with known vectors; --reference FILE does it")
		}
	}
	if err == nil && !r.OK {
		return verdictError(exitFailure)
	}
	return err
}

// modelEntry is a model in the list.
type modelEntry struct {
	minilm.Info
	Default bool   `json:"default"` // it is the one that is used
	Error   string `json:"error"`
}

func (p *program) models() (models []modelEntry, err error) {
	home, err := p.dataHome()
	if err != nil {
		return nil, err
	}
	used := minilm.DefaultDir(home, p.env)
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
		if info, err := os.Stat(path); err == nil && info.IsDir() && !strings.HasPrefix(e.Name(), ".") { // with a dot: an unfinished pull
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
	if c.Bool("available") {
		return p.modelAvailable(c)
	}
	models, err := p.models()
	return p.answer(c, err, func() {
		width, used := 0, false
		for _, m := range models {
			width, used = max(width, len(m.Name)), used || m.Default
		}
		for _, m := range models {
			mark := " "
			if m.Default {
				mark = "*"
			}
			state := fmt.Sprintf("%4d-d  %4d tokens  %8s", m.Dim, m.MaxTokens, megabytes(m.Bytes))
			if m.Error != "" {
				state = p.paint(red, "ERROR") + "  " + safe(m.Error)
			}
			p.printf("%s %-*s  %s  %s\n", mark, width, safe(m.Name), state, p.paint(dim, safe(m.Dir)))
		}
		if !used {
			p.talk("no model is in use: `board model pull` fetches %s; or name a model's directory with BOARD_MODEL_DIR", minilm.DefaultModel)
		}
	}, "models", models)
}

func (p *program) modelPath(c *cli.Context) error {
	dir, err := p.modelDir(c)
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	info, err := minilm.Inspect(dir)
	if err != nil {
		return asAbsent(err)
	}
	return p.answer(c, nil, func() { p.printf("%s\n", info.Dir) }, "path", info.Dir)
}
