package clash

import "testing"

func TestSame(t *testing.T) {
	const body = "The workers keep the lease until the queue is drained."
	for _, tc := range []struct {
		a, b Text
		want bool
	}{
		{Text{"Leases", body},
			Text{"leases", "the **workers** keep a lease until the queue is drained"}, true},
		{Text{"Leases of workers", body}, Text{"Until the queue is drained", body}, true},
		{Text{"Leases", body}, Text{"How long workers hold on", body}, false},
		{Text{"prod", body}, Text{"staging", body}, false}, // of other subjects
		{Text{"gateway", body}, Text{"the worker pool", body}, false},
		{Text{"auth", body}, Text{"", body}, false},
		{Text{"", "The cache is always warm"}, Text{"", "The cache is always warm?"}, false},
		{Text{"", "Why is the cache warm"}, Text{"", "Why is the cache warm?"}, true},
		{Text{"Queue", body}, Text{"Draining", body}, true},
		// a title made from the body
		{Text{"The workers keep…", body}, Text{"Leases of workers", body}, true},
		{Text{"Leases of runner-1", body}, Text{"Leases of runner-2", body}, false},
		{Text{"Leases on Monday", body}, Text{"Leases on Tuesday", body}, false},
		{Text{"Leases", body}, Text{"Leases are not renewed", body}, false},
		{Text{"Billing calls ledger", body}, Text{"Ledger calls billing", body}, false},
		{Text{"When leases are enabled", body}, Text{"With every lease disabled", body}, false},
		{Text{"Port", "8080"}, Text{"Default of the proxy", "8080"}, false},
		{Text{"Leases", body},
			Text{"Leases", "The workers keep the lease until the queue is not drained."}, false},
		{Text{"", "***"}, Text{"", "---"}, false},
	} {
		a, b := Read(tc.a), Read(tc.b)
		if a.Same(b) != tc.want || b.Same(a) != tc.want {
			t.Errorf("%q and %q: %v, not %v", tc.a, tc.b, a.Same(b), tc.want)
		}
		if tc.want && a.Key() != b.Key() {
			t.Errorf("%q and %q have other keys", tc.a, tc.b)
		}
	}
	a, b := Read(Text{"t", "one two three four"}), Read(Text{"t", "one two three five"})
	if got := a.Shared(b); got != 0.8 {
		t.Errorf("they share %v", got)
	}
}
