package board

import (
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// TestLeaseOfAnotherClock: a run that was made under a clock of 2031 is imported with its leases,
// which nobody has to wait for.
func TestLeaseOfAnotherClock(t *testing.T) {
	b := expect.Value(OpenOrCreate(t.Context(), t.TempDir(), "late"))(t)
	defer b.Close()
	b.SetNow(func() time.Time { return time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC) })
	for range 2 {
		expect.Value(b.Signal(t.Context(), "ann", Raise{Content: "why?"}))(t)
	}
	for _, id := range []string{"s1", "s2"} {
		expect.Value(b.Claim(t.Context(), "ann", id, time.Hour))(t)
	}
	if s, err := b.SignalByID(t.Context(), "s1"); err != nil || !s.Signal.ClaimedAt(time.Date(2031, 5, 4, 3, 30, 0, 0, time.UTC)) {
		t.Errorf("under its own clock it is not held: %+v, %v", s.Signal, err)
	}
	dir := t.TempDir()
	expect.Value(Import(t.Context(), dir, "eve", strings.NewReader(exportedText(t, b)), ImportOptions{}))(t)
	now := mustOpen(t, dir, "late")
	free, err := now.Signals(t.Context(), SignalQuery{Free: true})
	if err != nil || len(free.Signals) != 2 || free.Signals[0].ClaimedAt(time.Now()) {
		t.Errorf("free are %+v, %v", free.Signals, err)
	}
	if held, err := now.Signals(t.Context(), SignalQuery{ClaimedBy: "ann"}); err != nil || len(held.Signals) != 0 {
		t.Errorf("held are %+v, %v", held.Signals, err)
	}
	if s, err := now.ClaimNext(t.Context(), "bob", "", nil, time.Minute); err != nil || s.ID != "s1" || s.ClaimedBy != "bob" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := now.Claim(t.Context(), "bob", "s2", time.Minute); err != nil || s.ClaimedBy != "bob" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := now.Claim(t.Context(), "eve", "s2", time.Minute); err == nil {
		t.Error("a lease of now does not hold")
	}
}

func exportedText(t *testing.T, b *Board) string {
	t.Helper()
	var out strings.Builder
	expect.OK(t, b.Export(t.Context(), &out))
	return out.String()
}
