package board

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/fault"
)

// maxIrys bounds an Irys board, in bytes.
const maxIrys = 256 << 20

// An Irys board is one JSON object. Its ids repeat, since a worker that started late may
// count from the same number as another. A reference by id therefore means the nearest
// earlier one (see resolve). Entries and signals get new ids; the old ones are kept as
// external ids.
type irysBoard struct {
	Task    string       `json:"task_instruction"`
	Entries []irysEntry  `json:"entries"`
	Signals []irysSignal `json:"signals"`
	extra   map[string]json.RawMessage
}

type irysEntry struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Content string `json:"content"`
	Source  *struct {
		Document string `json:"document"`
		Section  string `json:"section"`
		Evidence string `json:"evidence"`
	} `json:"source"`
	CreatedBy struct {
		Worker string `json:"worker_id"`
	} `json:"created_by"`
	Confidence  *float64 `json:"confidence"`
	Tags        []string `json:"tags"`
	Status      string   `json:"status"`
	Supports    []string `json:"supports"`
	Contradicts []string `json:"contradicts"`
	Supersedes  []string `json:"supersedes"`
	Addresses   []string `json:"addresses_signals"`
	extra       map[string]json.RawMessage
}

type irysSignal struct {
	ID          string  `json:"id"`
	Content     string  `json:"content"`
	Origin      string  `json:"origin_entry"`
	Priority    string  `json:"priority"`
	Status      string  `json:"status"`
	AddressedBy *string `json:"addressed_by"`
	extra       map[string]json.RawMessage
}

// The fields of each object that our boards have too; the others are kept in the log.
var (
	irysBoardFields = []string{"task_instruction", "entries", "signals"}
	irysEntryFields = []string{"id", "type", "content", "source", "confidence", "tags", "status",
		"supports", "contradicts", "supersedes", "addresses_signals"}
	irysSignalFields = []string{"id", "content", "priority", "status", "addressed_by"}
)

func (b *irysBoard) UnmarshalJSON(data []byte) error {
	type plain irysBoard
	return decodeWithRest(data, (*plain)(b), &b.extra, irysBoardFields)
}

func (e *irysEntry) UnmarshalJSON(data []byte) error {
	type plain irysEntry
	return decodeWithRest(data, (*plain)(e), &e.extra, irysEntryFields)
}

func (s *irysSignal) UnmarshalJSON(data []byte) error {
	type plain irysSignal
	return decodeWithRest(data, (*plain)(s), &s.extra, irysSignalFields)
}

// decodeWithRest decodes an object into a struct and keeps the other fields.
func decodeWithRest(data []byte, into any, rest *map[string]json.RawMessage, taken []string) error {
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	if err := json.Unmarshal(data, rest); err != nil {
		return err
	}
	for k, v := range *rest {
		if slices.Contains(taken, k) || string(v) == "null" {
			delete(*rest, k)
			continue
		}
		var c bytes.Buffer
		if err := json.Compact(&c, v); err != nil {
			return err
		}
		(*rest)[k] = c.Bytes()
	}
	return nil
}

func readIrys(r io.Reader) (*irysBoard, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxIrys+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxIrys {
		return nil, invalid(fmt.Sprintf("the input has more than %d MiB", maxIrys>>20),
			"leave out entries that nobody needs, or import parts of it as runs of their own")
	}
	if !utf8.Valid(data) {
		return nil, invalid("the input is not valid UTF-8", "convert it to UTF-8 first")
	}
	b := &irysBoard{}
	if err := json.Unmarshal(data, b); err != nil {
		problem := "an Irys board: "
		if !json.Valid(data) {
			problem = "valid JSON: "
		}
		return nil, invalid("the input is not "+problem+err.Error(), "", exportOrIrys)
	}
	if b.Entries == nil || b.Signals == nil {
		return nil, invalid("the input is JSON, but has no entries or no signals", "", exportOrIrys)
	}
	return b, nil
}

// irysImport turns an Irys board into steps on ours: first the seed signals; then each
// entry with the links whose targets exist, followed by its answers and questions; last,
// what expired.
type irysImport struct {
	src      *irysBoard
	must     []string
	posts    []Post
	links    []Links // by position: e<n+1> and s<n+1>-to-be of the source order
	answers  map[int][]int
	raised   map[int][]int // entry (-1: none) → the signals that arose from it
	notes    []string
	signalID []int64 // our ids, once raised
}

func importIrys(ctx context.Context, dir, worker string, r *bufio.Reader,
	opt ImportOptions) (Imported, error) {
	src, err := readIrys(r)
	if err != nil {
		return Imported{}, err
	}
	if opt.Run == "" {
		return Imported{}, invalid("an Irys board does not say what its run is called", "",
			fault.Give("run", "", "name it with {}"))
	}
	im := &irysImport{src: src, must: opt.MustSurface, answers: map[int][]int{},
		raised: map[int][]int{}, notes: []string{},
		signalID: make([]int64, len(src.Signals))}
	if err := im.prepare(); err != nil {
		return Imported{}, err
	}
	b, err := OpenOrCreate(ctx, dir, opt.Run)
	if err != nil {
		return Imported{}, err
	}
	defer b.Close()
	out := Imported{Run: opt.Run, Format: "irys", Entries: len(src.Entries),
		Signals: len(src.Signals), Notes: im.notes}
	err = b.write(ctx, worker, func(w *writer) error {
		if err := w.mustBeNew(opt.Run); err != nil {
			return err
		}
		if err := w.event(verbImport, opt.Run, importPayload{Name: opt.Run, Format: "irys",
			Source: opt.Source, Extra: src.extra}); err != nil {
			return err
		}
		if err := im.write(w); err != nil {
			return err
		}
		if out.Variables, err = im.writeSpent(w); err != nil {
			return err
		}
		out.Events = w.seq
		return w.tx.QueryRow(`SELECT count(*) FROM links`).Scan(&out.Links)
	}, withGoal(src.Task))
	return out, err
}

// prepare checks every entry and signal and resolves all references, without touching a
// board.
func (im *irysImport) prepare() error {
	if err := checkText("the task", im.src.Task, MaxContent, false); err != nil {
		return err
	}
	entries, signals := map[string][]int{}, map[string][]int{}
	for i, e := range im.src.Entries {
		entries[e.ID] = append(entries[e.ID], i)
	}
	for i, s := range im.src.Signals {
		signals[s.ID] = append(signals[s.ID], i)
	}
	im.links = make([]Links, len(im.src.Entries))
	for i := range im.src.Entries {
		if err := im.prepareEntry(i, entries, signals); err != nil {
			return err
		}
	}
	after := make([][]int, len(im.links))
	for i, l := range im.links {
		for _, id := range l.Supersedes {
			n, _ := ParseEntryID(id)
			after[i] = append(after[i], int(n)-1)
		}
	}
	if c := cycle(after); c != nil {
		names := make([]string, len(c))
		for k, i := range c {
			names[k] = im.src.Entries[i].ID
		}
		return invalid("entries of the source supersede each other in a cycle: "+strings.Join(names,
			" → "), "remove one of the links in the source")
	}
	for i := range im.src.Signals {
		if err := im.prepareSignal(i, entries); err != nil {
			return err
		}
	}
	return nil
}

func (im *irysImport) prepareEntry(i int, entries, signals map[string][]int) error {
	e := &im.src.Entries[i]
	where := fmt.Sprintf("entry %s (number %d): ", clip(e.ID, 60), i+1)
	if err := checkText("the id", e.ID, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	p := Post{Type: e.Type, Content: e.Content, Confidence: e.Confidence, Tags: e.Tags,
		Worker: e.CreatedBy.Worker}
	if p.Type == "" {
		return prefixed(where, unknown("type", "", EntryTypes))
	}
	if p.Worker == "" {
		p.Worker = "irys"
	}
	if e.Source != nil {
		p.SourceDoc, p.SourceRef, p.Evidence = e.Source.Document, e.Source.Section,
			e.Source.Evidence
	}
	if e.Status != "" && !slices.Contains(EntryStatuses, e.Status) {
		return prefixed(where, unknown("status", e.Status, EntryStatuses))
	}
	if n := len(e.Supports) + len(e.Contradicts) + len(e.Supersedes) +
		len(e.Addresses); n > MaxLinks {
		return invalid(fmt.Sprintf("%sit has %d links; at most %d are allowed", where, n, MaxLinks),
			"leave some of them out in the source")
	}
	var leftOut []string
	for _, kind := range LinkKinds {
		from := map[string][]string{Supports: e.Supports, Contradicts: e.Contradicts,
			Supersedes: e.Supersedes, Addresses: e.Addresses}[kind]
		for _, id := range from {
			var target string
			if kind == Addresses {
				if j := im.answered(signals[id], e.ID); j >= 0 {
					target = SignalID(int64(j) + 1)
					p.MustSurface = p.MustSurface || slices.Contains(im.must,
						im.src.Signals[j].Priority)
				}
			} else if j := resolve(entries[id], i); j >= 0 {
				target = EntryID(int64(j) + 1)
			}
			list := im.links[i].of(kind)
			if target == "" || slices.Contains(*list, target) {
				leftOut = append(leftOut, kind+" "+id)
				im.notes = append(im.notes,
					fmt.Sprintf("entry %s %s %s, which is not another entry or signal of the "+
						"source: the link is kept in the log only", clip(e.ID, 40), kind,
						clip(id, 40)))
				continue
			}
			*list = append(*list, target)
		}
	}
	e.extra = keepLeftOut(e.extra, leftOut)
	if err := p.prepare(); err != nil {
		return prefixed(where, err)
	}
	im.posts = append(im.posts, p)
	return nil
}

// keepLeftOut keeps in the log the links that have no target, or are repeated.
func keepLeftOut(extra map[string]json.RawMessage, links []string) map[string]json.RawMessage {
	if len(links) == 0 {
		return extra
	}
	var kept []string
	json.Unmarshal(extra["links_left_out"], &kept)
	data, _ := json.Marshal(append(kept, links...)) // strings always marshal
	extra["links_left_out"] = data
	return extra
}

// resolve picks the entry that a reference from entry i means: the nearest before it,
// else the first after it, never i itself; -1 for none.
func resolve(candidates []int, i int) int {
	at, itself := slices.BinarySearch(candidates, i)
	switch {
	case at > 0:
		return candidates[at-1]
	case itself:
		at++
	}
	if at < len(candidates) {
		return candidates[at]
	}
	return -1
}

// answered picks the signal that an entry answers: the one that names the entry too, else
// one that was addressed, else the first.
func (im *irysImport) answered(candidates []int, entry string) int {
	best := -1
	for _, c := range candidates {
		s := &im.src.Signals[c]
		switch {
		case s.AddressedBy != nil && *s.AddressedBy == entry:
			return c
		case best < 0, s.Status == Addressed && im.src.Signals[best].Status != Addressed:
			best = c
		}
	}
	return best
}

func (im *irysImport) prepareSignal(i int, entries map[string][]int) error {
	s := &im.src.Signals[i]
	where := fmt.Sprintf("signal %s (number %d): ", clip(s.ID, 60), i+1)
	if err := checkText("the id", s.ID, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	if s.Priority == "" {
		return prefixed(where, unknown("priority", "", Priorities))
	}
	if err := (&Raise{Content: s.Content, Priority: s.Priority}).prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains([]string{SignalOpen, Addressed, Waived, "expired"}, s.Status) {
		return prefixed(where, unknown("status", s.Status,
			[]string{SignalOpen, Addressed, "expired"}))
	}
	if s.Status == Addressed {
		by := -1
		if s.AddressedBy != nil {
			by = im.answerer(entries[*s.AddressedBy], s.ID)
		}
		if by < 0 {
			return invalid(where+"it is addressed, but by no entry of the source",
				"mark it open in the source, or name the entry in addressed_by")
		}
		im.answers[by] = append(im.answers[by], i)
	}
	origin := -1
	if from := entries[s.Origin]; len(from) > 0 {
		origin = from[0]
	}
	im.raised[origin] = append(im.raised[origin], i)
	return nil
}

// answerer picks the entry that addressed a signal: one that says so, else the first with
// that id; -1 for none.
func (im *irysImport) answerer(candidates []int, signal string) int {
	for _, c := range candidates {
		if slices.Contains(im.src.Entries[c].Addresses, signal) {
			return c
		}
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return -1
}
