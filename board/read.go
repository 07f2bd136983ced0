package board

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
)

const entryColumns = `e.id, e.seq, e.created, e.type, e.status, e.content, e.source_doc, e.source_ref, e.evidence, e.confidence, e.worker, e.tags,
	e.must_surface, e.key, e.external_id, e.sources`

const signalColumns = `s.id, s.seq, s.created, s.content, s.priority, s.status, s.worker, s.origin, s.addressed_by, s.reason, s.closed_by, s.closed,
	s.claimed_by, s.lease_until, s.key, s.external_id, s.addressee`

// selectEntries runs a query that binds e to entries in its FROM, and fills in the links.
func selectEntries(tx *store.Tx, rest string, args ...any) ([]Entry, error) {
	entries := []Entry{}
	var e Entry
	var id int64
	var key, external sql.NullString
	if err := tx.Each([]any{&id, &e.Seq, store.Time(&e.Created), &e.Type, &e.Status, &e.Content,
		&e.SourceDoc, &e.SourceRef, &e.Evidence, &e.Confidence,
		&e.Worker, store.JSON(&e.Tags, "an entry e%d whose tags", &id), &e.MustSurface, &key,
		&external, store.JSON(&e.Sources, "an entry e%d whose sources", &id)}, func() error {
		e.ID, e.Key, e.ExternalID = EntryID(id), key.String, external.String
		entries = append(entries, e)
		e = Entry{}
		return nil
	}, `SELECT `+entryColumns+` `+rest, args...); err != nil {
		return nil, err
	}
	return entries, fillLinks(tx, entries)
}

// fillLinks fills in entries' links and verdicts: by id for few, for many by reading all.
func fillLinks(tx *store.Tx, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	index := make(map[int64]*Entry, len(entries))
	for i := range entries {
		entries[i].FillNil()
		n, err := ParseEntryID(entries[i].ID)
		if err != nil {
			return err
		}
		index[n] = &entries[i]
	}
	var src, dst int64
	var kind string
	fill := func(rest string, args ...any) error {
		return tx.Each([]any{&src, &kind, &dst}, func() error {
			if e := index[src]; e != nil {
				list := e.List(kind)
				if kind == Addresses {
					*list = append(*list, SignalID(dst))
				} else {
					*list = append(*list, EntryID(dst))
				}
			}
			return nil
		}, `SELECT src, kind, dst FROM links `+rest, args...)
	}
	if err := fillVerified(tx, index); err != nil {
		return err
	}
	if len(entries) > 2000 {
		return fill(`ORDER BY src, kind, pos`)
	}
	return fill(`WHERE src IN (`+theseIDs+`) ORDER BY src, kind, pos`, listIDs(index))
}

// theseIDs selects numbers with one statement, since each may cross a network.
const theseIDs = `SELECT CAST(value AS BIGINT) FROM json_each(?)`

func listIDs(index map[int64]*Entry) string {
	return store.List(slices.Collect(maps.Keys(index)))
}

// selectSignals runs a query that binds s to signals in its FROM.
func selectSignals(tx *store.Tx, rest string, args ...any) ([]Signal, error) {
	signals := []Signal{}
	var s Signal
	var id int64
	var priority int
	var origin, by sql.NullInt64
	var key, external sql.NullString
	err := tx.Each([]any{&id, &s.Seq, store.Time(&s.Created), &s.Content, &priority, &s.Status,
		&s.Worker, &origin, &by, &s.Reason, &s.ClosedBy, store.MaybeTime(&s.Closed),
		&s.ClaimedBy, store.MaybeTime(&s.LeaseUntil), &key, &external, &s.To}, func() error {
		if priority < 0 || priority >= len(Priorities) {
			return badPriority(SignalID(id), priority)
		}
		s.ID, s.Priority, s.Key, s.ExternalID = SignalID(id), Priorities[priority], key.String,
			external.String
		if origin.Valid {
			s.Origin = EntryID(origin.Int64)
		}
		if by.Valid {
			s.AddressedBy = EntryID(by.Int64)
		}
		signals = append(signals, s)
		s = Signal{}
		return nil
	}, `SELECT `+signalColumns+` `+rest, args...)
	return signals, err
}

// badPriority is for a priority that does not exist: another program wrote to the file.
func badPriority(id string, priority int) error {
	return store.Fault(fault.Corrupt, "",
		fmt.Sprintf("has a question %s with the priority %d, which is unknown", id, priority), nil)
}

// first returns the first of the rows that were found, nil if there are none.
func first[T any](all []T, err error) (*T, error) {
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

func getEntry(tx *store.Tx, id int64) (*Entry, error) {
	e, err := first(selectEntries(tx, `FROM entries e WHERE e.id = ?`, id))
	if err == nil && e == nil {
		err = notFound(fmt.Sprintf("there is no entry %s on this board", EntryID(id)), "",
			fault.Do("entry.list", "{} lists the entries"))
	}
	return e, err
}

func getSignal(tx *store.Tx, id int64) (*Signal, error) {
	s, err := first(selectSignals(tx, `FROM signals s WHERE s.id = ?`, id))
	if err == nil && s == nil {
		err = notFound(fmt.Sprintf("there is no question %s on this board", SignalID(id)), "",
			fault.Do("signal.list", "{} lists the questions"))
	}
	return s, err
}

func entryByKey(tx *store.Tx, key string) (*Entry, error) {
	return first(selectEntries(tx, `FROM entries e WHERE e.key = ?`, key))
}

func signalByKey(tx *store.Tx, key string) (*Signal, error) {
	return first(selectSignals(tx, `FROM signals s WHERE s.key = ?`, key))
}

type Backlink struct {
	Kind string `json:"kind"` // one of LinkKinds
	From string `json:"from"` // the linking entry
	Line string `json:"line"` // the beginning of the linking entry
}

type EntryDetail struct {
	Entry  Entry      `json:"entry"`
	Linked []Backlink `json:"linked_by"`
	Raised []Signal   `json:"raised"` // signals that arose from it
	// SurfaceWaivers say why it need not be in the report although it had to surface: its own, and
	// those of the entries that it supersedes.
	SurfaceWaivers []DroppedDuty `json:"dropped_duties"`
	// Settled are the settlements with other entries.
	Settled []Settlement `json:"settled"`
	History []Event      `json:"history"`
}

type SignalDetail struct {
	Signal  Signal     `json:"signal"`
	Linked  []Backlink `json:"linked_by"`
	History []Event    `json:"history"`
}

func (b *Board) Entry(ctx context.Context, id string) (EntryDetail, error) {
	n, err := ParseEntryID(id)
	if err != nil {
		return EntryDetail{}, err
	}
	var d EntryDetail
	err = b.read(ctx, func(tx *store.Tx) error {
		e, err := getEntry(tx, n)
		if err != nil {
			return err
		}
		d.Entry = *e
		if d.Linked, err = backlinks(tx, n, `l.kind <> 'addresses'`); err != nil {
			return err
		}
		if d.Raised, err = selectSignals(tx, `FROM signals s WHERE s.origin = ? ORDER BY s.id`,
			n); err != nil {
			return err
		}
		dropped, err := droppedDuties(tx)
		if err != nil {
			return err
		}
		d.SurfaceWaivers = (&Snapshot{SurfaceWaivers: dropped}).DroppedOf(id)
		all, err := settlements(tx)
		if err != nil {
			return err
		}
		d.Settled = record.SettlementsOf(all, id)
		d.History, err = history(tx, id)
		return err
	})
	return d, err
}

func (b *Board) SignalByID(ctx context.Context, id string) (SignalDetail, error) {
	n, err := ParseSignalID(id)
	if err != nil {
		return SignalDetail{}, err
	}
	var d SignalDetail
	err = b.read(ctx, func(tx *store.Tx) error {
		s, err := getSignal(tx, n)
		if err != nil {
			return err
		}
		d.Signal = *s
		if d.Linked, err = backlinks(tx, n, `l.kind = 'addresses'`); err != nil {
			return err
		}
		d.History, err = history(tx, id)
		return err
	})
	return d, err
}

func backlinks(tx *store.Tx, dst int64, where string, args ...any) ([]Backlink, error) {
	links := []Backlink{}
	var kindOf, content string
	var src int64
	err := tx.Each([]any{&kindOf, &src, &content}, func() error {
		links = append(links, Backlink{kindOf, EntryID(src), Line(content, 100)})
		return nil
	}, `SELECT l.kind, l.src, e.content FROM links l JOIN entries e ON e.id = l.src WHERE l.dst = ? AND `+where+` ORDER BY l.src, l.kind`,
		append([]any{dst}, args...)...)
	return links, err
}

// history returns the events of an entry or a signal, oldest first.
func history(tx *store.Tx, id string) ([]Event, error) {
	return selectEvents(tx, `WHERE id = ? AND verb NOT IN (SELECT value FROM json_each(?)) ORDER BY seq`,
		id, store.List(otherIDs))
}

// otherIDs are verbs whose id is no entry's or signal's: a run, variable or worker may be e1.
var otherIDs = []string{record.VerbCreate, record.VerbImport, record.VerbSet, record.VerbDelete, record.VerbRetrieval, record.VerbSource,
	record.VerbExpect, record.VerbDone, record.VerbDrop, record.VerbPolicy}

// Query selects entries. An empty field selects everything. A list selects any of its
// members, except Tags, which must all be there.
type Query struct {
	Types       []string
	Statuses    []string
	Workers     []string
	Tags        []string
	Signal      string // entries that address this signal
	MustSurface bool
	Since       int64 // entries posted after this event
	// only entries before this one: the last of the previous page. Not with OrderBest
	Before   string
	Match    string // full text: words (all of them), "phrases", word*, -without
	Contains string // a substring of the content, letter case ignored for ASCII
	Source   string // a substring of the source document's name, the same
	Order    string // newest, oldest or best; default: oldest with Since, else newest
	Limit    int    // 0: no limit

	past *Past // as it was then; nil: now
}

// Orders of a query.
const (
	Newest = "newest"
	Oldest = "oldest"
	Best   = "best" // by BM25; needs Match, all of whose hits are scored
)

type Found struct {
	Entries []Entry `json:"entries"`
	More    bool    `json:"more"` // the limit cut the list
}

// Query returns the entries that match.
//
// Errors: fault.Invalid for unknown types and statuses, and for malformed ids;
// fault.NotFound for a signal, or an entry to begin before, that does not exist.
func (b *Board) Query(ctx context.Context, q Query) (Found, error) {
	if err := q.check(); err != nil {
		return Found{}, err
	}
	var found Found
	err := b.read(ctx, func(tx *store.Tx) error {
		if q.Signal != "" {
			n, _ := ParseSignalID(q.Signal)
			if _, err := getSignal(tx, n); err != nil {
				return err
			}
		}
		if q.Before != "" {
			n, _ := ParseEntryID(q.Before)
			if _, err := getEntry(tx, n); err != nil {
				return err
			}
		}
		if !utf8.ValidString(q.Contains) || strings.ContainsRune(q.Contains, 0) {
			found.Entries = []Entry{} // no content has it
			return nil
		}
		sql, args, err := q.sql(tx)
		if err != nil {
			return err
		}
		found.Entries, err = selectEntries(tx, sql, args...)
		if q.Limit > 0 && len(found.Entries) > q.Limit {
			found.Entries, found.More = found.Entries[:q.Limit], true
		}
		return err
	})
	return found, err
}

type SignalQuery struct {
	Statuses   []string
	Priorities []string
	Worker     string // raised by
	ClaimedBy  string // by whom, while the lease runs
	Free       bool   // open and held by nobody
	// a worker: signals that it has claimed under a running lease, that are for it, or whose
	// content has its name as @WORKER or at the beginning of a longer @name
	For   string
	Limit int // 0: no limit
}

type SignalsFound struct {
	Signals []Signal `json:"signals"`
	More    bool     `json:"more"` // the limit cut the list
}

// Signals returns those that match: open ones, then the most urgent, then the oldest first.
func (b *Board) Signals(ctx context.Context, q SignalQuery) (SignalsFound, error) {
	var where []string
	var args []any
	if err := record.CheckAll("status", q.Statuses, SignalStatuses); err != nil {
		return SignalsFound{}, err
	}
	addIn(&where, &args, "s.status", q.Statuses)
	if len(q.Priorities) > 0 {
		if err := record.CheckAll("priority", q.Priorities, Priorities); err != nil {
			return SignalsFound{}, err
		}
		where = append(where, `s.priority IN (?`+strings.Repeat(", ?", len(q.Priorities)-1)+`)`)
		for _, p := range q.Priorities {
			rank, _ := PriorityRank(p)
			args = append(args, rank)
		}
	}
	if q.Worker != "" {
		where, args = append(where, "s.worker = ?"), append(args, q.Worker)
	}
	var out SignalsFound
	err := b.read(ctx, func(tx *store.Tx) (err error) {
		from, to := record.LeaseBounds(tx.Now)
		if q.ClaimedBy != "" {
			where, args = append(where, "s.claimed_by = ? AND s.lease_until BETWEEN ? AND ?"),
				append(args, q.ClaimedBy, from, to)
		}
		if q.Free {
			where, args = append(where,
				"s.status = 'open' AND (s.claimed_by = '' OR s.lease_until NOT BETWEEN ? AND ?)"),
				append(args, from, to)
		}
		if q.For != "" {
			where, args = append(where,
				"(s.claimed_by = ? AND s.lease_until BETWEEN ? AND ? OR s.addressee = ? OR instr(s.content, ?) > 0)"),
				append(args, q.For, from, to, q.For, "@"+q.For)
		}
		sql := `FROM signals s` + whereClause(where) +
			` ORDER BY s.status <> 'open', s.priority, s.id`
		if q.Limit > 0 {
			sql += fmt.Sprintf(" LIMIT %d", q.Limit+1)
		}
		out.Signals, err = selectSignals(tx, sql, args...)
		if q.Limit > 0 && len(out.Signals) > q.Limit {
			out.Signals, out.More = out.Signals[:q.Limit], true
		}
		return err
	})
	return out, err
}

func whereClause(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

func addIn(where *[]string, args *[]any, column string, values []string) {
	if len(values) == 0 {
		return
	}
	*where = append(*where, column+` IN (?`+strings.Repeat(", ?", len(values)-1)+`)`)
	for _, v := range values {
		*args = append(*args, v)
	}
}

// check says what is wrong with the query, as far as that does not depend on the board.
func (q *Query) check() error {
	if err := record.CheckAll("type", q.Types, EntryTypes); err != nil {
		return err
	}
	if err := record.CheckAll("status", q.Statuses, EntryStatuses); err != nil {
		return err
	}
	if q.Signal != "" {
		if _, err := ParseSignalID(q.Signal); err != nil {
			return err
		}
	}
	if q.Before != "" {
		if _, err := ParseEntryID(q.Before); err != nil {
			return err
		}
	}
	switch {
	case q.Limit < 0 || q.Since < 0:
		return invalid("a limit or an event number is negative", "give 0 or more")
	case len(q.Contains) > MaxField:
		return invalid(fmt.Sprintf("the text to look for has %d bytes; at most %d are allowed",
			len(q.Contains), MaxField), "a part of it will do")
	case q.Order != "" && q.Order != Newest && q.Order != Oldest && q.Order != Best:
		return record.Unknown("order", q.Order, []string{Newest, Oldest, Best})
	case q.Order == Best && q.Match == "":
		return invalid("the order best needs a text to match", "order by newest or oldest",
			fault.Give("match", "", "or add {}"))
	case q.Order == Best && q.Before != "":
		return invalid(fmt.Sprintf("the order best has no page before %s: its pages follow the "+
			"score, not the age", q.Before), "order by newest or oldest, or raise the limit")
	}
	if q.Match != "" {
		if _, ok := ftsQuery(q.Match); !ok {
			return invalid(fmt.Sprintf("%q has no word to search for", clip(q.Match, 60)), "",
				fault.Give("contains", "", "{} finds any characters"))
		}
	}
	return nil
}

// sql is a checked query's SELECT after the columns, and its arguments.
func (q *Query) sql(tx *store.Tx) (string, []any, error) {
	var where []string
	var args []any
	from, id := `entries e`, "e.id"
	var hits store.Hits
	if match, _ := ftsQuery(q.Match); match != "" {
		var err error
		if hits, err = tx.Match(match); err != nil {
			return "", nil, err
		}
		from, where, args = hits.From, hits.Conditions(), slices.Clone(hits.Args)
		id = "f.rowid" // FTS5 walks its rows in this order by itself, so a limit ends the walk
	}
	before := int64(math.MaxInt64) // which no entry has
	if q.Before != "" {
		n, err := ParseEntryID(q.Before)
		if err != nil {
			return "", nil, err
		}
		where, args, before = append(where, id+` < ?`), append(args, n), n
	}
	addIn(&where, &args, "e.type", q.Types)
	if q.past != nil {
		then, arg := q.past.where(q, id)
		where, args = append(where, then), append(args, arg)
	} else if addIn(&where, &args, "e.status", q.Statuses); len(q.Statuses) > 0 &&
		!slices.Contains(q.Statuses, Active) {
		where = append(where, unsettled)
	}
	addIn(&where, &args, "e.worker", q.Workers)
	for _, t := range q.Tags {
		where, args = append(where,
			`e.id IN (SELECT entry FROM entry_tags WHERE tag = ? AND entry < ?)`),
			append(args, t, before)
	}
	if q.Signal != "" {
		n, err := ParseSignalID(q.Signal)
		if err != nil {
			return "", nil, err
		}
		where, args = append(where,
			`e.id IN (SELECT src FROM links WHERE dst = ? AND kind = 'addresses')`), append(args, n)
	}
	if q.MustSurface {
		where = append(where, `e.must_surface = 1`)
	}
	order := cmp.Or(q.Order, Newest)
	if q.Since > 0 {
		// Ids rise with event numbers: the first id after the event bounds the range.
		where, args = append(where,
			id+` > coalesce((SELECT max(id) FROM entries WHERE seq <= ?), 0)`, `e.seq > ?`),
			append(args, q.Since, q.Since)
		order = cmp.Or(q.Order, Oldest)
	}
	for _, has := range [][2]string{{"e.content", q.Contains}, {"e.source_doc", q.Source}} {
		if column, part := has[0], has[1]; part != "" {
			where, args = append(where, column+` LIKE ? ESCAPE '\'`),
				append(args, "%"+likeEscape.Replace(part)+"%")
		}
	}
	by := map[string]string{Newest: id + " DESC", Oldest: id, Best: hits.Best}[order]
	sql := ` FROM ` + from + whereClause(where) + ` ORDER BY ` + by
	if q.Limit > 0 {
		sql += fmt.Sprintf(` LIMIT %d`, q.Limit+1)
	}
	return sql, args, nil
}

// unsettled adds nothing to an inactive status, but the partial index entries_unsettled needs it.
const unsettled = `e.status <> 'active'`

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ftsQuery turns what a person types into the syntax of FTS5. Every word must occur; "a
// phrase" must occur in that order; word* is the beginning of a word; -word must not
// occur. Anything else is text, so the result is never a syntax error. It returns false
// if there is nothing to search for.
func ftsQuery(text string) (string, bool) {
	var want, without []string
	for text = strings.ToValidUTF8(text, " "); ; {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			break
		}
		negative := len(text) > 1 && text[0] == '-' && !unicode.IsSpace(rune(text[1]))
		if negative {
			text = text[1:]
		}
		var term string
		if text[0] == '"' {
			term, text, _ = strings.Cut(text[1:], `"`)
		} else if i := strings.IndexFunc(text, func(r rune) bool {
			return unicode.IsSpace(r) ||
				r == '"'
		}); i >= 0 {
			term, text = text[:i], text[i:]
		} else {
			term, text = text, ""
		}
		prefix := strings.HasSuffix(term, "*")
		term = strings.TrimRight(term, "*")
		if !strings.ContainsFunc(term, func(r rune) bool {
			return unicode.IsLetter(r) ||
				unicode.IsDigit(r)
		}) {
			continue
		}
		term = `"` + strings.ReplaceAll(strings.ReplaceAll(term, "\x00", " "), `"`, `""`) + `"`
		if prefix {
			term += "*"
		}
		if negative {
			without = append(without, term)
		} else {
			want = append(want, term)
		}
	}
	if len(want) == 0 {
		return "", false
	}
	q := strings.Join(want, " AND ")
	if len(without) > 0 {
		q = "(" + q + ") NOT (" + strings.Join(without, " OR ") + ")"
	}
	return q, true
}
