package mcp

import (
	"cmp"
	"fmt"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/kb/secret"
)

// entryFields are what a finding is posted with.
type entryFields struct {
	Content string `json:"content" jsonschema:"one finding, with its numbers"`
	Type    string `json:"type,omitempty" enum:"entry_types" jsonschema:"its kind; default observation"`
	source
	Confidence  *float64 `json:"confidence,omitempty" min:"0" max:"1" jsonschema:"0 to 1"`
	Tags        []string `json:"tags,omitempty" jsonschema:"topics"`
	MustSurface bool     `json:"must_surface,omitempty" jsonschema:"the report has to carry it"`
	DropDuty    string   `json:"drop_duty,omitempty" jsonschema:"why it need not surface, though what it supersedes had to" rare:"true"`
	Supports    []string `json:"supports,omitempty" jsonschema:"entries it backs (e12)"`
	Contradicts []string `json:"contradicts,omitempty" jsonschema:"entries it disputes"`
	Supersedes  []string `json:"supersedes,omitempty" jsonschema:"entries it replaces"`
	Addresses   []string `json:"addresses,omitempty" jsonschema:"signals it answers (s3)" rare:"true"`
	Key         string   `json:"key,omitempty" jsonschema:"makes a retry safe"`
}

// source is where a finding comes from.
type source struct {
	Source    string `json:"source,omitempty" jsonschema:"FILE:LINE, DOC @ PLACE, URL, command or kb:ID"`
	Quote     string `json:"quote,omitempty" jsonschema:"its words there, verbatim"`
	SourceDoc string `json:"source_doc,omitempty" jsonschema:"document of the source" rare:"true"`
	SourceRef string `json:"source_ref,omitempty" jsonschema:"place in it" rare:"true"`
	Evidence  string `json:"evidence,omitempty" jsonschema:"the quote" rare:"true"`
}

// parts are the document, the place in it and the quote.
func (s *source) parts() (doc, place, quote string) {
	doc, place = s.SourceDoc, s.SourceRef
	if doc == "" {
		var in string
		doc, in = board.SplitSource(s.Source)
		place = cmp.Or(place, in)
	}
	return doc, place, cmp.Or(s.Quote, s.Evidence)
}

func (e *entryFields) post() board.Post {
	doc, place, quote := e.parts()
	return board.Post{Type: e.Type, Content: e.Content, SourceDoc: doc,
		SourceRef: place, Evidence: quote, Confidence: e.Confidence, Tags: e.Tags,
		MustSurface: e.MustSurface, DropDuty: e.DropDuty,
		Supports: e.Supports, Contradicts: e.Contradicts, Supersedes: e.Supersedes,
		Addresses: e.Addresses, Key: e.Key}
}

// on says on which board, and as whom.
type on struct {
	Run    string `json:"run,omitempty" jsonschema:"default the server's"`
	Worker string `json:"worker,omitempty" jsonschema:"default the client's"`
	keepSecret
}

// keepSecret is for writes to what masks or refuses secrets.
type keepSecret struct {
	KeepSecret bool `json:"keep_secret,omitempty" jsonschema:"even a secret" rare:"true"`
}

// guard has the writes of a call mask or refuse what looks like a secret, and tell so, or
// keep it.
func (k keepSecret) guard(c *call) {
	c.keepSecret = k.KeepSecret
	c.ctx = secret.Writing(c.ctx, k.KeepSecret, func(notes []string) {
		c.notes = append(c.notes, secret.Note(notes, "keep_secret"))
	})
}

// by is the worker that acts. Over the network it may be unknown.
func (o *on) by(c *call) (string, error) {
	if o.Worker == "" && c.anonymous() && c.client == unnamed {
		return "", badArgument("give worker, who posts, such as reader-1",
			"this client gave no name over HTTP, so the entry would have no author")
	}
	return c.worker(o.Worker), nil
}

// onRun says on which board.
type onRun struct {
	Run string `json:"run,omitempty" jsonschema:"default the server's"`
}

type postIn struct {
	on
	entryFields
	More []entryFields `json:"more,omitempty" jsonschema:"further findings, all or none; @key links them" rare:"true"`
}

type postedOut struct {
	ID       string      `json:"id"`
	Type     string      `json:"type"`
	Status   string      `json:"status"`
	Existing bool        `json:"existing" jsonschema:"the key was used before; nothing was added"`
	Reopened []string    `json:"reopened,omitempty" jsonschema:"signals that are open again: it supersedes their answer"`
	Checked  *checkedOut `json:"checked,omitempty" jsonschema:"the finding held against its source"`
}

// checkedOut is what came of holding a finding against its source when it was posted.
type checkedOut struct {
	Verdict string `json:"verdict"`
	Doubted bool   `json:"doubted"`
	Text    string `json:"text" jsonschema:"what was found, or is nearest"`
}

// checkPosted holds a finding that has just been posted against its source. Who may not
// read files gets what the board keeps of them. The post counts whatever comes of it.
func (c *call) checkPosted(b *board.Board, who string, p *board.Posted) *checkedOut {
	if p.Entry.SourceDoc == "" {
		return nil
	}
	f, err := c.policy(b)
	if err != nil {
		return nil
	}
	item, err := check.Posted(c.ctx, b, &f, who, p, !c.cfg.Grants.has[Files])
	if err != nil || item == nil {
		return nil
	}
	out := &checkedOut{Verdict: item.Verdict, Doubted: item.Doubted, Text: item.Feedback()}
	if item.Doubted {
		out.Text += "\n" + check.Mend(item).In(c.words(nil))
	}
	return out
}

type correctIn struct {
	on
	ID      string `json:"id" jsonschema:"e12"`
	Content string `json:"content,omitempty" jsonschema:"new text"`
	source
}

// correct amends an entry; what is not given is taken over.
func (c *call) correct(in correctIn) (out postOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(in.Run, true, func(b *board.Board) error {
		posted, err := b.Correct(c.ctx, who, in.ID, func(p *board.Post) {
			doc, place, quote := in.parts()
			p.Content = cmp.Or(in.Content, p.Content)
			if doc != "" {
				p.SourceDoc, p.SourceRef = doc, place
			}
			p.SourceRef, p.Evidence = cmp.Or(place, p.SourceRef), cmp.Or(quote, p.Evidence)
		})
		if err != nil {
			return err
		}
		out = postOut{Run: b.Run(), Entries: []postedOut{{ID: posted.Entry.ID,
			Type: posted.Entry.Type, Status: posted.Entry.Status, Reopened: posted.Reopened,
			Checked: c.checkPosted(b, who, &posted)}}}
		text = fmt.Sprintf("%s %s corrects %s in %s%s", posted.Entry.ID, posted.Entry.Type, in.ID, b.Run(),
			out.Entries[0].Checked.lines(posted.Entry.ID))
		return nil
	})
	return out, text, err
}

// lines are the outcome below the answer that says what was posted.
func (o *checkedOut) lines(id string) string {
	if o == nil {
		return ""
	}
	return "\n" + id + " " + indented(o.Text)
}

// openAgain tells of signals that are open again.
func openAgain(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (open again, as their answer is superseded: " + strings.Join(ids, " ") + ")"
}

type postOut struct {
	Run     string      `json:"run"`
	Entries []postedOut `json:"entries"`
	NewRun  bool        `json:"new_run" jsonschema:"this was the first entry of the run"`
}

func (s *Server) addRunTools() {
	add(s, tool{name: "board_post", title: "Post findings", profile: ProfileRun, kind: writes,
		about: "Post a finding with its source as soon as you have it. Link it to what it " +
			"supports, contradicts, supersedes or answers."}, (*call).post)
	add(s, tool{name: "board_correct", title: "Amend a finding", profile: ProfileRun, kind: writes,
		about: "Amend an entry. What you leave out is taken over."}, (*call).correct)
	add(s, tool{name: "board_signal", title: "Raise an open question", profile: ProfileRun,
		kind: writes,
		about: "Raise a question that you cannot answer now. Critical and high ones keep the " +
			"gate closed."}, (*call).signal)
	add(s, tool{name: "board_query", title: "Look for entries", profile: ProfileRun, kind: reads,
		budget: usualTokens,
		about: "Find entries by words, type, status, worker, tag, or the signal they answer. " +
			"Look before you post."}, (*call).query)
	add(s, tool{name: "board_state", title: "Where the run stands", profile: ProfileRun,
		kind: reads, budget: glanceTokens,
		about: "The run at a glance: goal, counts, open signals, workers, variables. Start " +
			"here. Without a run it lists the runs."}, (*call).state)
	add(s, tool{name: "board_var_get", rare: true, title: "Read run variables", profile: ProfileRun,
		kind: reads, budget: usualTokens,
		about: "Read the run's shared variables; without a key, all of them."}, (*call).varGet)
	add(s, tool{name: "board_var_set", rare: true, title: "Set or delete a run variable", profile: ProfileRun,
		kind: writes,
		about: "Set a shared variable of the run. Give if_version (0: it is new), and nobody's " +
			"change is lost."}, (*call).varSet)
}

func (c *call) post(in postIn) (out postOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	posts := []board.Post{in.post()}
	for i := range in.More {
		posts = append(posts, in.More[i].post())
	}
	err = c.onNewBoard(in.Run, func(b *board.Board) error {
		posted, err := b.PostBatch(c.ctx, who, posts)
		if err != nil {
			return err
		}
		out = postOut{Run: b.Run(), NewRun: b.Created(), Entries: []postedOut{}}
		var said []string
		for _, p := range posted {
			out.Entries = append(out.Entries, postedOut{ID: p.Entry.ID, Type: p.Entry.Type,
				Status: p.Entry.Status, Existing: p.Existing, Reopened: p.Reopened})
			note := ""
			if p.Existing {
				note = " (was there already)"
			}
			said = append(said, p.Entry.ID+" "+p.Entry.Type+note+openAgain(p.Reopened))
		}
		text = fmt.Sprintf("Posted to %s: %s", b.Run(), strings.Join(said, ", "))
		for i := range posted {
			checked := c.checkPosted(b, who, &posted[i])
			out.Entries[i].Checked = checked
			text += checked.lines(posted[i].Entry.ID)
		}
		return nil
	})
	return out, text, err
}

type signalIn struct {
	on
	Content  string `json:"content" jsonschema:"the question"`
	Priority string `json:"priority,omitempty" enum:"priorities" default:"medium" jsonschema:"what depends on it; default medium"`
	Origin   string `json:"origin,omitempty" jsonschema:"the entry it arises from"`
	Key      string `json:"key,omitempty" jsonschema:"makes a retry safe" rare:"true"`
}

// signalOut is a signal as agents need it.
type signalOut struct {
	ID         string `json:"id"`
	Content    string `json:"content,omitempty"`
	Priority   string `json:"priority"`
	Status     string `json:"status"`
	Worker     string `json:"worker"`
	Origin     string `json:"origin,omitempty"`
	AnsweredBy string `json:"addressed_by,omitempty"`
	Reason     string `json:"reason,omitempty"`
	ClaimedBy  string `json:"claimed_by,omitempty"`
	LeaseUntil string `json:"lease_until,omitempty"`
}

func (k cut) signal(s *board.Signal) signalOut {
	out := signalOut{ID: s.ID, Content: k.text(s.Content, "board_show", s.ID),
		Priority: s.Priority, Status: s.Status, Worker: s.Worker, Origin: s.Origin,
		AnsweredBy: s.AddressedBy, Reason: k.text(s.Reason, "board_show", s.ID),
		ClaimedBy: s.ClaimedBy}
	if s.LeaseUntil != nil {
		out.LeaseUntil = timeText(*s.LeaseUntil)
	}
	return out
}

// line puts a signal on one line.
func (s *signalOut) line() string {
	said := []string{"by " + inLine(s.Worker)}
	if s.Origin != "" {
		said = append(said, "from "+s.Origin)
	}
	if s.ClaimedBy != "" {
		said = append(said, fmt.Sprintf("claimed by %s until %s", inLine(s.ClaimedBy), s.LeaseUntil))
	}
	if s.AnsweredBy != "" {
		said = append(said, "answered by "+s.AnsweredBy)
	}
	if s.Reason != "" {
		said = append(said, "reason: "+inLine(s.Reason))
	}
	return fmt.Sprintf("%s [%s, %s] %s (%s)", s.ID, s.Priority, s.Status, inLine(s.Content),
		strings.Join(said, "; "))
}

type raisedOut struct {
	signalResult
	Existing bool `json:"existing"`
}

func (c *call) signal(in signalIn) (out raisedOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	err = c.onNewBoard(in.Run, func(b *board.Board) error {
		r, err := b.Signal(c.ctx, who, board.Raise{Content: in.Content, Priority: in.Priority,
			Origin: in.Origin, Key: in.Key})
		if err != nil {
			return err
		}
		c.room = echoTokens
		out, text = fitted(c, func(k cut) (raisedOut, string) {
			s := k.signal(&r.Signal)
			return raisedOut{signalResult{b.Run(), s}, r.Existing}, fmt.Sprintf("Raised in %s: %s",
				b.Run(), s.line())
		})
		return nil
	})
	return out, text, err
}

type queryIn struct {
	onRun
	Match       string   `json:"match,omitempty" jsonschema:"words, \"phrases\", word*, -without"`
	Contains    string   `json:"contains,omitempty" rare:"true"`
	Types       []string `json:"types,omitempty" enum:"entry_types" rare:"true"`
	Statuses    []string `json:"statuses,omitempty" enum:"entry_statuses" rare:"true"`
	Workers     []string `json:"workers,omitempty" jsonschema:"of these" rare:"true"`
	Tags        []string `json:"tags,omitempty" jsonschema:"with all of these"`
	Signal      string   `json:"signal,omitempty" jsonschema:"answers to it (s3)" rare:"true"`
	MustSurface bool     `json:"must_surface,omitempty" jsonschema:"only these" rare:"true"`
	Since       int64    `json:"since,omitempty" min:"0" jsonschema:"after this event (seq)" rare:"true"`
	Before      string   `json:"before,omitempty" jsonschema:"for the next page: the last entry of this one" rare:"true"`
	Order       string   `json:"order,omitempty" enum:"orders" jsonschema:"default newest; oldest with since" rare:"true"`
	Limit       int      `json:"limit,omitempty" min:"1" max:"200" default:"50" jsonschema:"default 50" rare:"true"`
}

// entryOut is an entry as agents need it. What it says is in the text.
type entryOut struct {
	ID          string   `json:"id"`
	Seq         int64    `json:"seq"`
	Type        string   `json:"type"`
	Status      string   `json:"status"`
	Content     string   `json:"content,omitempty"`
	SourceDoc   string   `json:"source_doc,omitempty"`
	SourceRef   string   `json:"source_ref,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	Worker      string   `json:"worker"`
	Tags        []string `json:"tags,omitempty"`
	MustSurface bool     `json:"must_surface,omitempty"`
	Supports    []string `json:"supports,omitempty"`
	Contradicts []string `json:"contradicts,omitempty" jsonschema:"entries it disputes"`
	Supersedes  []string `json:"supersedes,omitempty" jsonschema:"entries it replaces"`
	Addresses   []string `json:"addresses,omitempty"`
}

func (k cut) entry(e *board.Entry) entryOut {
	show := func(s string) string { return k.text(s, "board_show", e.ID) }
	return entryOut{ID: e.ID, Seq: e.Seq, Type: e.Type, Status: e.Status, Content: show(e.Content),
		SourceDoc: show(e.SourceDoc), SourceRef: show(e.SourceRef), Evidence: show(e.Evidence),
		Confidence: e.Confidence,
		Worker:     e.Worker, Tags: some(k, e.Tags), MustSurface: e.MustSurface,
		Supports: some(k, e.Supports), Contradicts: some(k, e.Contradicts),
		Supersedes: some(k, e.Supersedes), Addresses: some(k, e.Addresses)}
}

// block writes an entry for a reader.
func (e *entryOut) block() string {
	head := fmt.Sprintf("%s %s", e.ID, e.Type)
	if e.Status != board.Active {
		head += " (" + e.Status + ")"
	}
	head += " by " + inLine(e.Worker)
	if e.MustSurface {
		head += ", must surface"
	}
	text := head + ": " + indented(e.Content)
	if source := strings.Trim(e.SourceDoc+":"+e.SourceRef, ":"); source != "" {
		text += "\n  source: " + inLine(source)
	}
	if e.Evidence != "" {
		text += "\n  evidence: " + indented(e.Evidence)
	}
	for _, l := range []struct {
		kind string
		to   []string
	}{{board.Supports, e.Supports}, {board.Contradicts, e.Contradicts},
		{board.Supersedes, e.Supersedes}, {board.Addresses, e.Addresses}} {
		if len(l.to) > 0 {
			text += fmt.Sprintf("\n  %s: %s", l.kind, strings.Join(l.to, ", "))
		}
	}
	return text
}

type queryOut struct {
	Run     string     `json:"run"`
	Entries []entryOut `json:"entries"`
	More    bool       `json:"more" jsonschema:"the limit, or the room of the answer, cut the list"`
}

// rest says how to get at the entries beyond the limit, and beyond the room of the
// answer.
func (in *queryIn) rest(shown []entryOut, all int) string {
	n := len(shown)
	switch {
	case n == 0:
		return "No room for an entry: raise max_tokens."
	case in.Order == board.Newest || in.Order == "" && in.Since == 0:
		return fmt.Sprintf("There are more than these %d: narrow it, or ask for those before %s.",
			n, shown[n-1].ID)
	case in.Order != board.Best:
		return fmt.Sprintf("There are more than these %d: narrow it, or ask for those since %d.",
			n, shown[n-1].Seq)
	case n < all:
		return fmt.Sprintf("There are more than these %d: narrow it, or raise max_tokens.", n)
	}
	return fmt.Sprintf("There are more than these %d: narrow it, or raise the limit.", n)
}

func (c *call) query(in queryIn) (out queryOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		found, err := b.Query(c.ctx, board.Query{Types: in.Types, Statuses: in.Statuses,
			Workers: in.Workers, Tags: in.Tags, Signal: in.Signal, MustSurface: in.MustSurface,
			Since: in.Since, Before: in.Before, Match: in.Match, Contains: in.Contains,
			Order: in.Order, Limit: in.Limit})
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (queryOut, string) {
			shown := some(k, found.Entries)
			out := queryOut{b.Run(), each(shown, k.entry), found.More ||
				len(shown) < len(found.Entries)}
			text := lines(out.Entries, "\n\n", "No entry of "+b.Run()+" matches.",
				(*entryOut).block)
			if out.More {
				text += "\n\n" + in.rest(out.Entries, len(found.Entries))
			}
			return out, text
		})
		return nil
	})
	return out, text, err
}
