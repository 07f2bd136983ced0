package board

import (
	"fmt"
	"strings"
	"testing"

	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/testdata/expect"
)

// manyEvents returns a board whose log has three pages, with posts, links, signals and variables.
func manyEvents(t *testing.T) *Board {
	t.Helper()
	b := newBoard(t)
	for i := range 4 {
		var posts []Post
		for j := range 280 {
			p := Post{Content: fmt.Sprint("finding ", j)}
			if i > 0 && j%50 == 0 {
				p.Contradicts = []string{EntryID(int64(i))}
			}
			posts = append(posts, p)
		}
		expect.Value(b.PostBatch(t.Context(), "w", posts))(t)
		expect.Value(b.Signal(t.Context(), "w", Raise{Content: "which?"}))(t)
		expect.Value(b.Set(t.Context(), "w", "phase", fmt.Append(nil, i), AnyVersion))(t)
	}
	return b
}

// TestReplayPages: around the ends of the pages in which the log is read, a replay gives what its
// events give one by one. What is wrong with an event is said on whichever page it is, and only by
// replays that come to it.
func TestReplayPages(t *testing.T) {
	b := manyEvents(t)
	now := expect.Value(b.Snapshot(t.Context()))(t)
	if now.Seq < 2*record.ReplayPage+50 {
		t.Fatalf("%d events are not three pages", now.Seq)
	}
	for _, seq := range []int64{1, record.ReplayPage - 1, record.ReplayPage, record.ReplayPage + 1, 2*record.ReplayPage - 1, 2 * record.ReplayPage, 2*record.ReplayPage + 1, now.Seq} {
		r := record.NewReplayer()
		for e, err := range b.Events(t.Context(), 0) {
			if err != nil || e.Seq > seq {
				break
			}
			expect.OK(t, r.Apply(e))
		}
		got := expect.Value(b.Replay(t.Context(), seq))(t)
		if diff := r.Finish().Diff(got); diff != "" || got.Seq != seq {
			t.Errorf("event %d: the replay ends at %d: %s", seq, got.Seq, diff)
		}
	}
	if got, err := b.Replay(t.Context(), now.Seq); err != nil || now.Diff(got) != "" {
		t.Errorf("%s, %v", now.Diff(got), err)
	}

	damage := func(sql string, args ...any) {
		t.Helper()
		expect.OK(t, b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(sql, args...); return err }))
	}
	if onFiles {
		damage(`DROP TRIGGER events_no_update`)
		damage(`DROP TRIGGER events_no_delete`)
	} else {
		damage(`ALTER TABLE all_events DISABLE TRIGGER USER`)
	}
	for _, c := range []struct { // each before the one above
		seq       int64
		sql, says string
	}{
		{2*record.ReplayPage + 20, `UPDATE events SET verb = 'sing' WHERE seq = ?`, "event %d (sing e"},
		{2 * record.ReplayPage, `UPDATE events SET payload = '{"content":' WHERE seq = ?`, "event %d (post e"},
		{record.ReplayPage + 100, `DELETE FROM events WHERE seq = ?`, "event %d was expected"},
	} {
		damage(c.sql, c.seq)
		if s, err := b.Replay(t.Context(), c.seq-1); err != nil || s.Seq != c.seq-1 {
			t.Errorf("%s: the event before: %v", c.sql, err)
		}
		for _, seq := range []int64{c.seq, c.seq + 1, now.Seq} {
			if _, err := b.Replay(t.Context(), seq); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(c.says, c.seq)) {
				t.Errorf("%s: up to %d: %v, want %q", c.sql, seq, err, fmt.Sprintf(c.says, c.seq))
			}
		}
	}
}
