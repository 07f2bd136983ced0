package board

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

func checkAll(what string, got, have []string) error {
	for _, g := range got {
		if !slices.Contains(have, g) {
			return unknown(what, g, have)
		}
	}
	return nil
}

// sql returns what follows the columns of a SELECT for the query, with its arguments.
func (q *Query) sql() (string, []any, error) {
	if err := checkAll("type", q.Types, EntryTypes); err != nil {
		return "", nil, err
	}
	if err := checkAll("status", q.Statuses, EntryStatuses); err != nil {
		return "", nil, err
	}
	if q.Limit < 0 || q.Since < 0 {
		return "", nil, invalid("a limit or an event number is negative", "give 0 or more")
	}
	from, id := ` FROM entries e`, "e.id"
	var where []string
	var args []any
	order := q.Order
	if q.Match != "" {
		match, ok := ftsQuery(q.Match)
		if !ok {
			return "", nil, invalid(fmt.Sprintf("%q has no word to search for", clip(q.Match, 60)), "--contains finds any characters")
		}
		from = ` FROM entries_fts f JOIN entries e ON e.id = f.rowid`
		where, args = append(where, `f.entries_fts MATCH ?`), append(args, match)
		id = "f.rowid" // FTS5 walks its rows in this order by itself, so a limit ends the walk
	}
	addIn(&where, &args, "e.type", q.Types)
	addIn(&where, &args, "e.status", q.Statuses)
	if len(q.Statuses) > 0 && !slices.Contains(q.Statuses, Active) {
		where = append(where, unsettled)
	}
	addIn(&where, &args, "e.worker", q.Workers)
	for _, t := range q.Tags {
		where, args = append(where, `e.id IN (SELECT entry FROM entry_tags WHERE tag = ?)`), append(args, t)
	}
	if q.Signal != "" {
		n, err := ParseSignalID(q.Signal)
		if err != nil {
			return "", nil, err
		}
		where, args = append(where, `e.id IN (SELECT src FROM links WHERE dst = ? AND kind = 'addresses')`), append(args, n)
	}
	if q.MustSurface {
		where = append(where, `e.must_surface = 1`)
	}
	if q.Since > 0 {
		// Ids and event numbers rise together, so the first id after the event bounds the range.
		where, args = append(where, `e.id > coalesce((SELECT max(id) FROM entries WHERE seq <= ?), 0)`, `e.seq > ?`), append(args, q.Since, q.Since)
		if order == "" {
			order = Oldest
		}
	}
	if len(q.Contains) > MaxField {
		return "", nil, invalid(fmt.Sprintf("the text to look for has %d bytes; at most %d are taken", len(q.Contains), MaxField), "a part of it will do")
	}
	if q.Contains != "" {
		where, args = append(where, `e.content LIKE ? ESCAPE '\'`), append(args, "%"+likeEscape.Replace(q.Contains)+"%")
		if words := innerWords(q.Contains); len(words) > 0 && q.Match == "" {
			// An entry with the text has its inner words as words; the index finds those without reading every entry.
			from, id = ` FROM entries_fts f JOIN entries e ON e.id = f.rowid`, "f.rowid"
			where, args = append(where, `f.entries_fts MATCH ?`), append(args, `content : ("`+strings.Join(words, `" AND "`)+`")`)
		}
	}
	by := map[string]string{"": id + " DESC", Newest: id + " DESC", Oldest: id, Best: "bm25(f.entries_fts), f.rowid DESC"}[order]
	switch {
	case by == "":
		return "", nil, unknown("order", order, []string{Newest, Oldest, Best})
	case order == Best && q.Match == "":
		return "", nil, invalid("the order best needs a text to match", "add --match, or order by newest or oldest")
	}
	sql := from + whereClause(where) + ` ORDER BY ` + by
	if q.Limit > 0 {
		sql += fmt.Sprintf(` LIMIT %d`, q.Limit+1)
	}
	return sql, args, nil
}

// unsettled says nothing new beside a status that is not active, but it is what the partial index entries_unsettled is about.
const unsettled = `e.status <> 'active'`

// innerWords returns the words of a text that have a blank on both sides, as far as they are plain ASCII: whatever text holds this one,
// the tokeniser makes words of them.
func innerWords(text string) []string {
	fields := strings.Split(text, " ")
	var words []string
	for i := 1; i+1 < len(fields); i++ {
		if w := fields[i]; w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
			words = append(words, w)
		}
	}
	return words
}

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ftsQuery turns what a person types into FTS5 syntax: every word must occur; "a phrase" in that order; word* begins a word;
// -word must not occur. Anything else is text. It reports false if there is nothing to search for. The result never is a syntax error.
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
		} else if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' }); i >= 0 {
			term, text = text[:i], text[i:]
		} else {
			term, text = text, ""
		}
		prefix := strings.HasSuffix(term, "*")
		term = strings.TrimRight(term, "*")
		if !strings.ContainsFunc(term, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
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
