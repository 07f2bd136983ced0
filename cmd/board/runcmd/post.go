package runcmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/verify"
	"blackboard/cmd/board/base"
)

// postFlags are the fields of an entry.
func postFlags(defaultType string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "type", Aliases: []string{"t"},
			Usage: "`TYPE`: " + strings.Join(board.EntryTypes, ", ") + " (default " + defaultType + ")"},
		&cli.StringFlag{Name: "source",
			Usage: "where it comes from: `FILE:LINE`, \"DOC @ PLACE\", an address, kb:ID"},
		&cli.StringFlag{Name: "source-doc", Hidden: true},
		&cli.StringFlag{Name: "source-ref", Hidden: true},
		&cli.StringFlag{Name: "quote", Aliases: []string{"evidence", "e"},
			Usage: "its words there, verbatim (`TEXT`)"},
		&cli.StringFlag{Name: "confidence", Aliases: []string{"c"}, Usage: "0 (a guess) to 1 (certain)"},
		&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
			Usage: "`TAG`, repeatable or with commas"},
		&cli.BoolFlag{Name: "must", Aliases: []string{"must-surface"},
			Usage: "the report must have it (always so for what contradicts another entry)"},
		dropDutyFlag(),
		&cli.StringFlag{Name: "key", Aliases: []string{"k"},
			Usage: "a `KEY` of your own: posting again under it returns the first entry"},
	}
}

func dropDutyFlag() cli.Flag {
	return &cli.StringFlag{Name: "drop-duty",
		Usage: "`REASON` why it need not surface although the superseded entry had to (else it must, " +
			"too)"}
}

// linkFlags are the flags for links of an entry; contradicts adds to what that one says.
func linkFlags(contradicts string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "supports", Usage: "`ENTRY` that it supports"},
		&cli.StringSliceFlag{Name: "contradicts",
			Usage: "`ENTRY` that becomes disputed by it" + contradicts},
		&cli.StringSliceFlag{Name: "supersedes", Usage: "`ENTRY` that it replaces"},
		&cli.StringSliceFlag{Name: "addresses", Usage: "open `SIGNAL` that it answers"},
	}
}

func linksFrom(c *cli.Context) board.Links {
	return board.Links{Supports: base.List(c, "supports"), Contradicts: base.List(c, "contradicts"),
		Supersedes: base.List(c, "supersedes"), Addresses: base.List(c, "addresses")}
}

func (p *program) postCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "post", Aliases: []string{"add"}, Category: base.CategoryWrite,
			Usage: "put a finding on the board", ArgsUsage: "TEXT | - | --batch [FILE]",
			Description: `The text is the argument, or standard input. All links and their effects
are written in one transaction, or nothing.

--batch reads JSON lines from FILE or standard input, all or nothing. Fields: content,
type, source_doc, source_ref, evidence, confidence, must_surface, drop_duty, key, worker;
lists: tags, supports, contradicts, supersedes, addresses. Within a batch a link may name
another post by its key:
{"content":"…","key":"a"} and {"content":"…","supports":["@a"]}.`,
			Flags: base.JoinFlags(postFlags(board.Observation),
				linkFlags("; makes contradiction the default type"),
				[]cli.Flag{&cli.BoolFlag{Name: "batch", Usage: "read posts as JSON lines"},
					base.KeepSecretFlag(),
					base.QuietFlag(), noCreateFlag()}, base.WriteFlags()),
			Action: p.post,
		},
		{
			Name: "correct", Category: base.CategoryWrite,
			Usage: "amend an entry; what is not given is taken over", ArgsUsage: "ENTRY [TEXT | -]",
			Description: `A new entry takes its place, with its source, quote, type, tags, confidence, duty and
links, and answers the question that it answered. For a new claim: board post --supersedes.`,
			Flags: base.JoinFlags(postFlags("as it is"), linkFlags(""), []cli.Flag{base.KeepSecretFlag(),
				base.QuietFlag()}, base.WriteFlags()),
			Action: p.correct,
		},
		{
			Name: "link", Category: base.CategoryWrite,
			Usage:     "add a link to an entry that is on the board",
			ArgsUsage: "ENTRY --supports|--contradicts|--supersedes|--addresses ID",
			Flags: base.JoinFlags(linkFlags(""), []cli.Flag{dropDutyFlag(), base.KeepSecretFlag()},
				base.WriteFlags()),
			Action: p.link,
		},
	}
}

// postFrom reads the flags of an entry.
func postFrom(c *cli.Context, content string) (board.Post, error) {
	post := board.Post{Content: content, SourceDoc: c.String("source-doc"),
		SourceRef: c.String("source-ref"), Evidence: c.String("quote"),
		Tags: base.List(c, "tag"), MustSurface: c.Bool("must"), DropDuty: c.String("drop-duty"),
		Key: c.String("key")}
	if post.SourceDoc == "" {
		var place string
		post.SourceDoc, place = board.SplitSource(c.String("source"))
		post.SourceRef = cmp.Or(post.SourceRef, place)
	}
	post.SetLinks(linksFrom(c))
	if c.IsSet("type") {
		post.Type = c.String("type")
		if post.Type == "" {
			return post, base.Usagef("choose one of "+strings.Join(board.EntryTypes, ", "),
				"--type is empty")
		}
	}
	if err := checkDropDuty(c); err != nil {
		return post, err
	}
	if c.IsSet("confidence") {
		f, err := strconv.ParseFloat(c.String("confidence"), 64)
		if err != nil {
			return post, base.Usagef("0 is a guess, 1 is certain",
				"confidence %q is not a number between 0 and 1", c.String("confidence"))
		}
		post.Confidence = &f
	}
	return post, nil
}

// checkDropDuty refuses to drop a duty without a reason.
func checkDropDuty(c *cli.Context) error {
	if c.IsSet("drop-duty") && strings.TrimSpace(c.String("drop-duty")) == "" {
		return base.Usagef("say why: it is what the reader of the report will see",
			"--drop-duty is empty")
	}
	return nil
}

func (p *program) post(c *cli.Context) error {
	if c.Bool("batch") {
		return p.postBatch(c)
	}
	content, err := p.Content(c, "content", c.Args().Slice())
	if err != nil {
		return err
	}
	post, err := postFrom(c, content)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenOrCreateRun(c))(func(b *board.Board) error {
		posted, err := b.Post(c.Context, p.WorkerName(c), post)
		if err != nil {
			return err
		}
		p.noteCreated(b)
		checked := p.checkPosted(c, b, posted)
		return p.Answer(c, nil, func() {
			p.printPosted(c, b.Run(), posted)
			p.printFeedback(c, checked)
		}, "entry", posted.Entry, "existing", posted.Existing, "checked", checked)
	})
}

// checkPosted holds a finding against its source as soon as it is on the board. The post
// counts whatever comes of that.
func (p *program) checkPosted(c *cli.Context, b *board.Board,
	posted board.Posted) *verify.ItemResult {
	if posted.Entry.SourceDoc == "" || c.Bool("quiet") {
		return nil
	}
	var checked *verify.ItemResult
	follow, err := p.policy(c, b)
	if err == nil {
		checked, err = check.Posted(c.Context, b, &follow, p.WorkerName(c), &posted, false)
	}
	if err != nil {
		p.Messagef("%s was not checked: %s", posted.Entry.ID, base.Line(err.Error(), 200))
	}
	return checked
}

// printFeedback prints what came of checkPosted, and how to mend what is doubted.
func (p *program) printFeedback(c *cli.Context, checked *verify.ItemResult) {
	if checked == nil || c.Bool("quiet") {
		return
	}
	color := base.Yellow
	if checked.Doubted {
		color = base.Red
	} else if verify.Sound(checked.Verdict) {
		color = base.Green
	}
	for i, line := range strings.Split(checked.Feedback(), "\n") {
		if line = base.Line(line, 300); i == 0 {
			line = p.Paint(color, line)
		} else {
			line = "  " + line
		}
		p.Printf("%s\n", line)
	}
	if checked.Doubted {
		p.Printf("  %s\n", base.CommandFor(check.Mend(checked)))
	}
}

func (p *program) correct(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board correct ENTRY \"the text as it should be\"`", "no entry is given")
	}
	content := ""
	if c.NArg() > 1 {
		var err error
		if content, err = p.Content(c, "content", c.Args().Tail()); err != nil {
			return err
		}
	}
	given, err := postFrom(c, content)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		id := c.Args().First()
		posted, err := b.Correct(c.Context, p.WorkerName(c), id, func(post *board.Post) {
			amend(c, post, &given)
		})
		if err != nil {
			return err
		}
		checked := p.checkPosted(c, b, posted)
		return p.Answer(c, nil, func() {
			if c.Bool("quiet") {
				p.Printf("%s\n", posted.Entry.ID)
				return
			}
			p.Printf("%s corrects %s%s\n", posted.Entry.ID, id, linkSummary(&posted.Entry))
			p.printFeedback(c, checked)
		}, "entry", posted.Entry, "existing", posted.Existing, "checked", checked)
	})
}

// amend puts what a command gives in the place of what an entry has.
func amend(c *cli.Context, post, given *board.Post) {
	if given.Content != "" {
		post.Content = given.Content
	}
	for _, f := range []struct {
		name string
		take func()
	}{
		{"type", func() { post.Type = given.Type }},
		{"source", func() { post.SourceDoc, post.SourceRef = given.SourceDoc, given.SourceRef }},
		{"source-doc", func() { post.SourceDoc = given.SourceDoc }},
		{"source-ref", func() { post.SourceRef = given.SourceRef }},
		{"quote", func() { post.Evidence = given.Evidence }},
		{"confidence", func() { post.Confidence = given.Confidence }},
		{"tag", func() { post.Tags = given.Tags }},
		{"must", func() { post.MustSurface = given.MustSurface }},
		{"drop-duty", func() { post.DropDuty, post.MustSurface = given.DropDuty, false }},
		{"key", func() { post.Key = given.Key }},
		{"supports", func() { post.Supports = given.Supports }},
		{"contradicts", func() { post.Contradicts = given.Contradicts }},
		{"supersedes", func() { post.Supersedes = given.Supersedes }},
		{"addresses", func() { post.Addresses = given.Addresses }},
	} {
		if c.IsSet(f.name) {
			f.take()
		}
	}
}

// noteCreated tells that a command created its run, so that a misspelled name is
// noticed.
func (p *program) noteCreated(b *board.Board) {
	if b.Created() {
		p.Messagef("%s", board.Created(b.Run(), p.RunNames()))
	}
}

// printPosted prints the result of a post.
func (p *program) printPosted(c *cli.Context, run string, posted board.Posted) {
	e := &posted.Entry
	switch {
	case c.Bool("quiet"):
		p.Printf("%s\n", e.ID)
	case posted.Existing:
		p.Printf("%s %s is already on %s, under this key\n", e.ID, e.Type, run)
	default:
		p.Printf("%s %s posted to %s%s\n", e.ID, e.Type, run, linkSummary(e))
	}
	p.noteReopened(e.ID, posted.Reopened)
}

// noteReopened tells which questions are open again, since the entry supersedes their answer.
func (p *program) noteReopened(entry string, ids []string) {
	if len(ids) > 0 {
		p.Messagef("open again: %s. %s supersedes what answered before; if it answers too, "+
			"`board answer %s --entry %s`", strings.Join(ids, " "), entry, ids[0], entry)
	}
}

func linkSummary(e *board.Entry) string {
	s := ""
	for _, kind := range board.LinkKinds {
		if ids := e.Of(kind); len(ids) > 0 {
			s += ", " + kind + " " + strings.Join(ids, " ")
		}
	}
	if e.MustSurface {
		s += ", must surface"
	}
	return s
}

// maxBatchBytes bounds the input of a batch.
const maxBatchBytes = 256 << 20

func (p *program) postBatch(c *cli.Context) error {
	for _, f := range base.JoinFlags(postFlags(""), linkFlags("")) {
		if name := f.Names()[0]; c.IsSet(name) {
			return base.Usagef("put it into the JSON lines", "--%s does not go with --batch", name)
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
	return base.OnBoard(p.OpenOrCreateRun(c))(func(b *board.Board) error {
		posted, err := b.PostBatch(c.Context, p.WorkerName(c), posts)
		if err != nil {
			return err
		}
		p.noteCreated(b)
		return p.Answer(c, nil, func() {
			for _, e := range posted {
				p.printPosted(c, b.Run(), e)
			}
		}, "posted", posted)
	})
}

// parseBatch reads one post per line. Empty lines are skipped. An unknown field is an
// error, since its value would be lost.
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
		var post board.Post
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
			err = fmt.Errorf("%s must be %s, not a %s", wrong.Field, kind, wrong.Value)
		} else if errors.As(err, &wrong) {
			err = fmt.Errorf("it is a JSON %s, not an object", wrong.Value)
			if wrong.Value == "array" {
				err = errors.New("it is a JSON array; `jq -c '.[]'` writes each of its objects on a line")
			}
		}
		if err != nil {
			return nil, base.Usagef("one JSON object per line; `board post --help` lists the fields",
				"line %d of the batch: %s", i+1, strings.TrimPrefix(err.Error(), "json: "))
		}
		posts = append(posts, post)
	}
	return posts, nil
}

func (p *program) link(c *cli.Context) error {
	if c.NArg() != 1 {
		return base.Usagef("`board link ENTRY --supports ENTRY`", "one entry is needed, but %d are given",
			c.NArg())
	}
	if err := checkDropDuty(c); err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		l, err := b.LinkDropping(c.Context, p.WorkerName(c), c.Args().First(), linksFrom(c),
			c.String("drop-duty"))
		return p.Answer(c, err, func() {
			p.Printf("%s %s%s\n", l.ID, l.Type, linkSummary(&l.Entry))
			p.noteReopened(l.ID, l.Reopened)
		}, "entry", l.Entry, "reopened", l.Reopened)
	})
}

// noCreateFlag is for commands whose first write creates the run.
func noCreateFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-create",
		Usage: "fail if the run does not exist, instead of creating it; $BOARD_CREATE=off does so " +
			"for all commands"}
}
