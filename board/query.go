package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/fault"
	"blackboard/board/store"
)

func checkAll(what string, got, have []string) error {
	for _, g := range got {
		if !slices.Contains(have, g) {
			return unknown(what, g, have)
		}
	}
	return nil
}

// check says what is wrong with the query, as far as that does not depend on the board.
func (q *Query) check() error {
	if err := checkAll("type", q.Types, EntryTypes); err != nil {
		return err
	}
	if err := checkAll("status", q.Statuses, EntryStatuses); err != nil {
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
		return unknown("order", q.Order, []string{Newest, Oldest, Best})
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

// sql returns the part of a SELECT after its columns, with its arguments, for a checked
// query.
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
		// Ids and event numbers rise together, so the first id after the event bounds the
		// range.
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

// unsettled adds nothing to a status that is not active, but the partial index
// entries_unsettled needs it.
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
