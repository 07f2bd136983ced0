package kb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestConfirmLimits: however often something is said, it is never quite sure, never less
// sure, and no larger than a capsule may be.
func TestConfirmLimits(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	sure := .99
	c := put(t, k, Capsule{Title: "flush before close", Body: "else the last page is lost", Confidence: &sure, VerifiedBy: "make test", Scope: "universal"})
	if got, err := k.Confirm(ctx, c.ID, "r0", "reviewer"); err != nil || got.Changed() || *got.After != sure {
		t.Errorf("%+v, %v", got, err)
	}
	unsure := put(t, k, Capsule{Title: "close after flush", Body: "else there is nothing to flush", Scope: "universal"})
	for i := range 120 {
		expect.Value(k.Confirm(ctx, unsure.ID, fmt.Sprintf("a-run-with-a-long-name-%d", i), "reflector"))(t)
	}
	now, err := k.Get(ctx, unsure.ID)
	if err != nil || *now.Confidence != .95 || len(now.Refs) > maxRefs || len(now.VerifiedBy) > MaxField || !strings.HasSuffix(now.VerifiedBy, "run:a-run-with-a-long-name-119 role:reflector") {
		t.Errorf("%+v, %v", now, err)
	}
	if got, err := k.Confirm(ctx, unsure.ID, "a-run-with-a-long-name-110", "reflector"); err != nil || !got.Unchanged {
		t.Errorf("%+v, %v", got, err)
	}
	expect.Value(k.Retire(ctx, c.ID, "wrong"))(t)
	if _, err := k.Confirm(ctx, c.ID, "r1", "reviewer"); !errors.Is(err, fault.Conflict) {
		t.Error(err)
	}
	if _, err := k.Confirm(ctx, "k000000000", "r1", "reviewer"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
