package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/board/verify"
)

// fields are those of a finding, but for what it says.
type fields struct {
	Type        string   `json:"type,omitempty" enum:"entry_types" flag:"type,t" jsonschema:"kind; default observation" cli:"its kind; default observation, or contradiction, and analysis of an answer"`
	Source      string   `json:"source,omitempty" value:"FILE:LINE" nth:"source" jsonschema:"FILE:LINE, DOC @ PLACE, URL, command, kb:ID"`
	Quote       string   `json:"quote,omitempty" flag:"quote,evidence,e" value:"TEXT" nth:"source" jsonschema:"its words there, verbatim" cli:"its words there, verbatim; repeated, the n-th is of the n-th source"`
	MoreSources []Source `json:"more_sources,omitempty" only:"mcp" jsonschema:"others"`
	SourceDoc   string   `json:"source_doc,omitempty" hidden:"true" rare:"true" jsonschema:"document of the source"`
	SourceRef   string   `json:"source_ref,omitempty" hidden:"true" rare:"true" jsonschema:"place in it"`
	Evidence    string   `json:"evidence,omitempty" only:"mcp" rare:"true" jsonschema:"the quote"`
	Confidence  *float64 `json:"confidence,omitempty" min:"0" max:"1" flag:"confidence,c" value:"NUMBER" jsonschema:"0 to 1"`
	Tags        []string `json:"tags,omitempty" flag:"tag,tags" jsonschema:"topics"`
	MustSurface bool     `json:"must_surface,omitempty" flag:"must,must-surface" jsonschema:"the report is wrong without it" cli:"the report has to carry it, as always what contradicts another entry"`
	DropDuty    *string  `json:"drop_duty,omitempty" value:"REASON" rare:"true" jsonschema:"why it need not surface, though what it supersedes had to"`
	Supports    []string `json:"supports,omitempty" value:"ENTRY" jsonschema:"entries it backs"`
	Contradicts []string `json:"contradicts,omitempty" value:"ENTRY" jsonschema:"entries it disputes" cli:"entries it disputes; makes contradiction the default type"`
	Supersedes  []string `json:"supersedes,omitempty" value:"ENTRY" jsonschema:"entries it replaces"`
	Addresses   []string `json:"addresses,omitempty" value:"QUESTION" rare:"true" jsonschema:"questions it answers (s3)"`
	Ran         string   `json:"ran,omitempty" value:"COMMAND" rare:"true" blank:"no" jsonschema:"command that shows it" cli:"the command that shows it; what hooks saw of it is said at once"`
	Key         string   `json:"key,omitempty" flag:"key,k" jsonschema:"your id; a retry is safe"`
}

type Source struct {
	Source    string `json:"source" jsonschema:"as above"`
	Quote     string `json:"quote,omitempty" jsonschema:"same"`
	SourceDoc string `json:"source_doc,omitempty" rare:"never" jsonschema:"document of the source"`
	SourceRef string `json:"source_ref,omitempty" rare:"never" jsonschema:"place in it"`
	Evidence  string `json:"evidence,omitempty" rare:"never" jsonschema:"the quote"`
}

func (s *Source) Cited() board.Cited {
	doc, place := s.SourceDoc, ""
	if doc == "" {
		doc, place = board.SplitSource(s.Source)
	}
	return board.Cited{SourceDoc: doc, SourceRef: cmp.Or(s.SourceRef, place),
		Evidence: cmp.Or(s.Quote, s.Evidence)}
}

type Finding struct {
	Content string `json:"content" arg:"TEXT | -" as:"text" jsonschema:"the finding, with its numbers"`
	fields
}

func (f *fields) post(content string) (board.Post, error) {
	first := (&Source{f.Source, f.Quote, f.SourceDoc, f.SourceRef, f.Evidence}).Cited()
	p := board.Post{Content: content, Type: f.Type, SourceDoc: first.SourceDoc,
		SourceRef: first.SourceRef, Evidence: first.Evidence, Confidence: f.Confidence, Tags: f.Tags,
		MustSurface: f.MustSurface, Supports: f.Supports, Contradicts: f.Contradicts,
		Supersedes: f.Supersedes, Addresses: f.Addresses, Key: f.Key}
	for i := range f.MoreSources {
		p.Cite(f.MoreSources[i].Cited())
	}
	if f.Ran != "" && p.SourceDoc == "" {
		p.SourceDoc, p.SourceRef = f.Ran, "exit 0"
	}
	var err error
	p.DropDuty, err = duty(f.DropDuty)
	return p, err
}

// duty is why something need not surface; it cannot be empty.
func duty(reason *string) (string, error) {
	if reason == nil {
		return "", nil
	}
	if strings.TrimSpace(*reason) == "" {
		return "", fault.Usage.New("there is no reason to drop the duty",
			"say why: it is what the reader of the report will see")
	}
	return *reason, nil
}

type PostIn struct {
	On
	Finding
	More []Finding `json:"more,omitempty" only:"mcp" rare:"true" jsonschema:"further findings, all or none; @key links them"`
	KeepSecrets
}

type PostOut struct {
	*One
	Posted []OneOfSeveral `json:"posted,omitempty"`
	run    string
}

type OneOfSeveral struct {
	board.Posted
	Checked *verify.ItemResult `json:"checked"`
}

type One struct {
	Entry    board.Entry        `json:"entry"`
	Existing bool               `json:"existing"`
	Checked  *verify.ItemResult `json:"checked"`
	// Ran is what hooks saw of the command that is the finding's source.
	Ran     *board.RanClaim `json:"ran,omitempty"`
	Similar []board.Entry   `json:"similar,omitempty"` // entries that say nearly the same as a new one
}

func (o PostOut) IDs() []string {
	if o.One != nil {
		return []string{o.Entry.ID}
	}
	return op.Each(o.Posted, func(p *OneOfSeveral) string { return p.Entry.ID })
}

var Post = op.Op[Runs, PostIn, PostOut]{
	Info: op.Info{Command: "post", Aliases: []string{"add"}, Group: "Post and settle",
		Tool: "board_post", Profile: "run", Kind: op.Writes,
		Short: "put a finding on the board",
		About: "Post one finding, with source and verbatim quote, as soon as you have it. The " +
			"answer says if the quote was found.",
		Long: `The text is the argument, or standard input. All links and their effects
are written in one transaction, or nothing.

--batch reads JSON lines from FILE or standard input, all or nothing. Fields: content,
type, source (or source_doc, source_ref), quote, more_sources (each with these), confidence, must_surface, drop_duty, key,
worker; lists: tags, supports, contradicts, supersedes, addresses. Within a batch a link may
name another post by its key:
{"content":"…","key":"a"} and {"content":"…","supports":["@a"]}.`},
	Do: func(ctx context.Context, h Runs, in PostIn) (PostOut, error) {
		var posts []board.Post
		for _, f := range append([]Finding{in.Finding}, in.More...) {
			p, err := f.post(f.Content)
			if err != nil {
				return PostOut{}, err
			}
			posts = append(posts, p)
		}
		return PostAll(ctx, h, in.On, posts, len(in.More) == 0)
	},
	Text: PostText,
}

// PostAll posts findings, all or none, and holds them against their sources. With one, it answers as for one finding.
func PostAll(ctx context.Context, h Runs, on On, posts []board.Post, one bool) (out PostOut,
	err error) {
	err = withBoardWorker(ctx, h, on, Create, func(b *board.Board, who string) error {
		out.run = b.Run()
		all, err := b.PostBatch(ctx, who, posts)
		if err != nil {
			return err
		}
		for i := range all {
			noteReopened(h, all[i].Entry.ID, all[i].Reopened)
		}
		checked := verifyPosts(ctx, h, b, who, all...)
		noteFirst(ctx, h, b, who, len(checked) > 0, all...)
		if p := &all[0]; one {
			out.One = &One{p.Entry, p.Existing, checked[p.Entry.ID], heldRan(ctx, h, b, who, &p.Entry), b.Similar(ctx, p)}
			return nil
		}
		out.Posted = op.Each(all, func(p *board.Posted) OneOfSeveral { return OneOfSeveral{*p, checked[p.Entry.ID]} })
		return nil
	})
	return out, err
}

func PostText(p *op.Page, o PostOut) {
	if o.One != nil {
		printPosted(p, o.run, &o.Entry, o.Existing)
		printFeedback(p, o.Checked)
		if o.Ran != nil {
			printRan(p, o.Ran)
		}
		printSimilar(p, o.Similar)
	}
	for i := range o.Posted {
		printPosted(p, o.run, &o.Posted[i].Entry, o.Posted[i].Existing)
		printFeedback(p, o.Posted[i].Checked)
	}
}

func printPosted(p *op.Page, run string, e *board.Entry, existing bool) {
	if existing {
		p.Printf("%s %s is already on %s, under this key\n", e.ID, e.Type, run)
		return
	}
	p.Printf("%s %s posted to %s%s\n", e.ID, e.Type, run, linkSummary(e))
}

func linkSummary(e *board.Entry) string {
	s := linksOf(e)
	if e.MustSurface {
		s += ", must surface"
	}
	return s
}

func linksOf(e *board.Entry) (s string) {
	for _, kind := range board.LinkKinds {
		if ids := e.Of(kind); len(ids) > 0 {
			s += ", " + kind + " " + strings.Join(ids, " ")
		}
	}
	return s
}

// noteReopened tells which questions are open again, since the entry supersedes their answer.
func noteReopened(h Runs, entry string, ids []string) {
	if len(ids) > 0 {
		h.Note(fmt.Sprintf("open again: %s. %s supersedes what answered before", strings.Join(ids, " "),
			entry) + fault.Do("signal.address", "; if it answers too, {}", "signal", ids[0],
			"entry", entry).In(h.Words))
	}
}

// verifyPosts holds findings against their sources as soon as they are on the board, and returns what came of it by
// entry. The posts count whatever that is.
func verifyPosts(ctx context.Context, h Runs, b *board.Board, who string,
	posted ...board.Posted) map[string]*verify.ItemResult {
	posts, files := h.CanVerify()
	if !posts || !slices.ContainsFunc(posted, func(p board.Posted) bool { return p.Entry.SourceDoc != "" }) {
		return nil
	}
	var items []verify.ItemResult
	left := 0
	follow, err := h.Policy(ctx, b)
	if err == nil {
		items, left, err = check.VerifyPosted(ctx, b, &follow, who, posted, !files)
	}
	if err != nil {
		h.Note(fmt.Sprintf("%s was not checked: %s", posted[0].Entry.ID, board.Line(err.Error(), 200)))
	} else if left > 0 {
		h.Note(fmt.Sprintf("there was no time to hold %s against the source%s", text.Count(int64(left), "finding", "findings"),
			fault.Do("entry.verify", ": {} does").In(h.Words)))
	}
	checked := map[string]*verify.ItemResult{}
	for i := range items {
		checked[items[i].ID] = &items[i]
	}
	return checked
}

// printFeedback tells what came of verifyPost for each source, and how to mend what is doubted.
func printFeedback(p *op.Page, checked *verify.ItemResult) {
	if checked == nil {
		return
	}
	for _, part := range checked.Each() {
		color := op.Yellow
		if verify.Doubted(part.Verdict) {
			color = op.Red
		} else if verify.Sound(part.Verdict) {
			color = op.Green
		}
		first, more, _ := strings.Cut(part.Feedback(), "\n")
		p.Printf("%s\n", p.Paint(color, p.Line(first, 300)))
		if more != "" {
			p.Printf("  %s\n", p.Line(more, 300))
		}
	}
	if checked.Doubted {
		p.Printf("  %s\n", check.Mend(checked, "{}").In(p.Words))
	}
}

func printSimilar(p *op.Page, all []board.Entry) {
	for i := range all {
		e, by := &all[i], p.Line(all[i].Worker, board.MaxName)
		if source := sourceOf(e); source != "" {
			by += ", " + p.Line(source, 60)
		}
		p.Printf("similar: %s by %s “%s”: support it or contradict it\n", e.ID, by,
			p.Text(e.Content, 160, "entry.show", e.ID))
	}
}

type CorrectIn struct {
	On
	ID      string `json:"id" arg:"ENTRY" jsonschema:"e12"`
	Content string `json:"content,omitempty" arg:"[TEXT | -]" as:"text" jsonschema:"new text"`
	fields
	Reason string `json:"reason,omitempty" value:"TEXT" rare:"true" jsonschema:"why"`
	KeepSecrets
	op.Given
}

type CorrectOut struct {
	One
	*board.Correction
}

func (o CorrectOut) IDs() []string { return []string{o.Entry.ID} }

var Correct = op.Op[Runs, CorrectIn, CorrectOut]{
	Info: op.Info{Command: "correct", Group: "Post and settle", Tool: "board_correct", Profile: "run",
		Kind: op.Writes, Shows: []string{"run", "worker", "id", "content", "source", "quote"},
		Short: "amend an entry; what is not given is taken over",
		About: "Amend an entry. What you leave out is taken over.",
		Long: `A new entry takes its place, with its source, quote, type, tags, confidence, duty and
links, and answers the question that it answered. A new claim is a post that supersedes it.
A bad post leaves the digest once another one supersedes it: board link e9 --supersedes e3.`},
	Do: func(ctx context.Context, h Runs, in CorrectIn) (out CorrectOut, err error) {
		given, err := in.post(in.Content)
		if err != nil {
			return out, err
		}
		err = withBoardWorker(ctx, h, in.On, Write, func(b *board.Board, who string) error {
			p, err := b.Correct(ctx, who, in.ID, in.Reason, func(e *board.Entry, p *board.Post) error {
				return in.amend(e, p, &given)
			})
			if err == nil {
				out = CorrectOut{One{p.Entry, p.Existing, verifyPosts(ctx, h, b, who, p)[p.Entry.ID], nil, nil}, p.Correction}
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o CorrectOut) {
		p.Printf("%s corrects %s%s\n", o.Entry.ID, p.Text(o.Correction.Describe(), 400, "entry.show", o.Entry.ID),
			linkSummary(&o.Entry))
		printFeedback(p, o.Checked)
	},
}

// amend puts what a call gives in the place of what an entry has. Of several sources it amends
// the one that it names by its document, or it gives others for all of them.
func (in *CorrectIn) amend(e *board.Entry, p, given *board.Post) error {
	g, named := &in.Given, true
	at := slices.IndexFunc(p.Sources, func(c board.Cited) bool { return c.SourceDoc == given.SourceDoc })
	switch n := len(p.Sources); {
	case n > 0 && given.SourceDoc == "" && (in.Has("quote") || in.Has("source_ref")):
		return fault.Usage.New(fmt.Sprintf("%s has %d sources: say whose quote it is", in.ID, n), "",
			fault.Give("source", e.Decides().SourceDoc, "name its document: {}"))
	case at >= 0 && len(given.Sources) == 0:
		c := &p.Sources[at]
		if c.SourceRef = cmp.Or(given.SourceRef, c.SourceRef); in.Has("quote") || in.Has("evidence") {
			c.Evidence = given.Evidence
		}
		p.SourceDoc, p.SourceRef, p.Evidence = "", "", "" // as the list has them
		given.Evidence, named = "", false
	case len(given.Sources) > 0 || given.SourceDoc != "":
		p.Sources = given.Sources
	}
	if given.Content != "" {
		p.Content = given.Content
	}
	if named {
		op.Take(g, &p.SourceDoc, given.SourceDoc, "source", "source_doc")
		op.Take(g, &p.SourceRef, given.SourceRef, "source", "source_doc")
	}
	op.Take(g, &p.SourceRef, given.SourceRef, "source_ref")
	op.Take(g, &p.Type, given.Type, "type")
	op.Take(g, &p.Evidence, given.Evidence, "quote", "evidence")
	op.Take(g, &p.Confidence, given.Confidence, "confidence")
	op.Take(g, &p.Tags, given.Tags, "tags")
	op.Take(g, &p.MustSurface, given.MustSurface, "must_surface")
	op.Take(g, &p.MustSurface, false, "drop_duty")
	op.Take(g, &p.DropDuty, given.DropDuty, "drop_duty")
	op.Take(g, &p.Key, given.Key, "key")
	op.Take(g, &p.Supports, given.Supports, "supports")
	op.Take(g, &p.Contradicts, given.Contradicts, "contradicts")
	op.Take(g, &p.Supersedes, given.Supersedes, "supersedes")
	op.Take(g, &p.Addresses, given.Addresses, "addresses")
	return nil
}

type LinkIn struct {
	On
	Entry       string   `json:"entry" arg:"ENTRY" jsonschema:"e12"`
	Supports    []string `json:"supports,omitempty" value:"ENTRY" jsonschema:"entries it backs"`
	Contradicts []string `json:"contradicts,omitempty" value:"ENTRY" jsonschema:"entries it disputes"`
	Supersedes  []string `json:"supersedes,omitempty" value:"ENTRY" rare:"true" jsonschema:"entries it replaces"`
	Addresses   []string `json:"addresses,omitempty" value:"QUESTION" jsonschema:"questions it answers"`
	DropDuty    *string  `json:"drop_duty,omitempty" value:"REASON" jsonschema:"why it need not surface, though what it supersedes had to"`
	KeepSecrets
}

type LinkOut struct {
	Entry    board.Entry `json:"entry"`
	Reopened []string    `json:"reopened"`
}

var Link = op.Op[Runs, LinkIn, LinkOut]{
	Info: op.Info{Command: "link", Group: "Post and settle", Tool: "board_link", Profile: "run",
		Kind: op.Writes, Short: "add a link to an entry that is on the board",
		About: "Link an entry that is posted."},
	Do: func(ctx context.Context, h Runs, in LinkIn) (out LinkOut, err error) {
		drop, err := duty(in.DropDuty)
		if err != nil {
			return out, err
		}
		err = withBoardWorker(ctx, h, in.On, Write, func(b *board.Board, who string) error {
			l, err := b.LinkDropping(ctx, who, in.Entry, board.Links{Supports: in.Supports,
				Contradicts: in.Contradicts, Supersedes: in.Supersedes, Addresses: in.Addresses}, drop)
			if err == nil {
				out = LinkOut{l.Entry, l.Reopened}
				noteReopened(h, l.ID, l.Reopened)
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o LinkOut) {
		p.Printf("%s %s%s\n", o.Entry.ID, o.Entry.Type, linkSummary(&o.Entry))
	},
}
