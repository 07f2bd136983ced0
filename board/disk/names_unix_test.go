//go:build unix && !solaris && !aix

package disk

import (
	"context"
	"errors"
	"testing"

	"blackboard/testdata/expect"
)

// TestLockNames: those who open share the lock, and who takes names away has it alone.
func TestLockNames(t *testing.T) {
	dir := t.TempDir()
	lock := func(ctx context.Context, alone bool) (func(), error) {
		t.Helper()
		return LockNames(ctx, dir, alone)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	one := expect.Value(lock(t.Context(), false))(t)
	two, err := lock(gone, false)
	if err != nil {
		t.Fatalf("a second one does not wait: %v", err)
	}
	two()
	if _, err := lock(gone, true); !errors.Is(err, context.Canceled) {
		t.Errorf("alone beside another: %v", err)
	}
	one()
	alone := expect.Value(lock(gone, true))(t)
	if _, err := lock(gone, false); !errors.Is(err, context.Canceled) {
		t.Errorf("beside one who is alone: %v", err)
	}
	alone()
	if _, err := LockNames(gone, dir+"/none", true); err != nil {
		t.Errorf("a directory that is not there: %v", err)
	}
}
