package runcmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) postCommands() []*cli.Command {
	post := p.operation(&ops.Post, noCreateFlag(),
		&cli.BoolFlag{Name: "batch", Usage: "read posts as JSON lines"})
	post.ArgsUsage += " | --batch [FILE]"
	one := post.Action
	post.Action = func(c *cli.Context) error {
		if c.Bool("batch") {
			return p.postBatch(c)
		}
		return one(c)
	}
	return []*cli.Command{post, p.operation(&ops.Correct), p.operation(&ops.Link)}
}

func (p *program) signalCommands() []*cli.Command {
	return []*cli.Command{p.operation(&ops.Ask, noCreateFlag()), p.operation(&ops.Claim),
		p.operation(&ops.Answer), p.operation(&ops.Waive), p.operation(&ops.Reopen)}
}

func (p *program) expectCommands() []*cli.Command {
	return []*cli.Command{p.operation(&ops.Expect, noCreateFlag()), p.operation(&ops.Done)}
}

const maxBatchBytes = 256 << 20

func (p *program) postBatch(c *cli.Context) error {
	for _, f := range op.Fields(reflect.TypeFor[ops.Finding]()) {
		if names := f.Flags(); len(names) > 0 && c.IsSet(names[0]) {
			return base.Usagef("put it into the JSON lines", "--%s does not go with --batch", names[0])
		}
	}
	if c.NArg() > 1 {
		return base.Usagef("join the files, or post them one by one",
			"--batch takes one file, but got %d", c.NArg())
	}
	in, name := p.In, "standard input"
	if f := c.Args().First(); f != "" && f != "-" {
		file, err := base.OpenInput(f)
		if err != nil {
			return err
		}
		defer file.Close()
		in, name = file, f
	}
	data, err := p.ReadAll(c.Context, in, maxBatchBytes+1)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxBatchBytes {
		return base.Usagef("split it", "%s has more than %d MiB", name, maxBatchBytes>>20)
	}
	posts, err := parseBatch(data)
	if err != nil {
		return err
	}
	p.MaskSecrets(c)
	out, err := ops.PostAll(c.Context, &host{p, c}, ops.On{}, posts, false)
	return p.AnswerWith(c, ops.Post.Answer(out), err)
}

// parseBatch reads a post per line, skipping empty ones. Unknown fields, else lost, are errors.
func parseBatch(data []byte) ([]board.Post, error) {
	var posts []board.Post
	for i, l := range bytes.Split(data, []byte("\n")) {
		if l = bytes.TrimSpace(l); len(l) == 0 {
			continue
		}
		if !utf8.Valid(l) { // encoding/json would put replacement characters into it
			return nil, base.Usagef("convert it to UTF-8 first",
				"line %d of the batch is not valid UTF-8", i+1)
		}
		dec := json.NewDecoder(bytes.NewReader(l))
		dec.DisallowUnknownFields()
		var post struct {
			board.Post
			Source, Quote string       // as the flags of one post
			MoreSources   []ops.Source `json:"more_sources"`
		}
		err := dec.Decode(&post)
		if err == nil && dec.More() {
			err = errors.New("more than one JSON value")
		}
		var wrong *json.UnmarshalTypeError
		var syntax *json.SyntaxError
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the object does not end on this line; `jq -c .` writes each on one line")
		} else if errors.As(err, &syntax) {
			err = fmt.Errorf("it is not JSON: %w", err)
		} else if errors.As(err, &wrong) && wrong.Field != "" {
			kind := map[reflect.Kind]string{reflect.Slice: `a list: ["e1"]`, reflect.String: "a string",
				reflect.Pointer: "a number", reflect.Float64: "a number",
				reflect.Bool: "true or false"}[wrong.Type.Kind()]
			field := strings.TrimPrefix(wrong.Field, "Post.")
			err = fmt.Errorf("%s must be %s, not a %s", field, kind, wrong.Value)
		} else if errors.As(err, &wrong) {
			err = fmt.Errorf("it is a JSON %s, not an object", wrong.Value)
			if wrong.Value == "array" {
				err = errors.New("it is a JSON array; `jq -c '.[]'` writes each of its objects on a line")
			}
		}
		if err != nil {
			return nil, base.Usagef(fieldMeant(err)+
				"one JSON object per line; `board post --help` lists the fields",
				"line %d of the batch: %s", i+1, strings.TrimPrefix(err.Error(), "json: "))
		}
		if post.SourceDoc == "" {
			doc, place := board.SplitSource(post.Source)
			post.SourceDoc, post.SourceRef = doc, cmp.Or(post.SourceRef, place)
		}
		post.Evidence = cmp.Or(post.Evidence, post.Quote)
		for i := range post.MoreSources {
			post.Cite(post.MoreSources[i].Cited())
		}
		posts = append(posts, post.Post)
	}
	return posts, nil
}

// fieldMeant asks for the field that a misspelled one may be, or is "".
func fieldMeant(err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	if !unknown {
		return ""
	}
	fields := []string{"source", "quote", "more_sources"}
	for post, i := reflect.TypeFor[board.Post](), 0; i < post.NumField(); i++ {
		field, _, _ := strings.Cut(post.Field(i).Tag.Get("json"), ",")
		fields = append(fields, field)
	}
	return fault.DidYouMean(strings.Trim(name, `"`), fields)
}

// noteCreated tells that a command created its run, so that a misspelled name is noticed.
func (p *program) noteCreated(b *board.Board) {
	if b.Created() {
		p.Messagef("%s", board.Created(b.Run(), p.RunNames()))
	}
}

// noCreateFlag is for commands whose first write creates the run.
func noCreateFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-create",
		Usage: "fail if the run does not exist, instead of creating it; $BOARD_CREATE=off does so " +
			"for all commands"}
}
