package clash

import "testing"

func exchange(a, b Text) string { return exchanged(a.Claims(), b.Claims()) }

// TestExchanged: one word or name in another's place may not hold beside it, if it is
// what is said; none of the pairs that were judged to agree is such a pair.
func TestExchanged(t *testing.T) {
	for _, tc := range []struct{ a, b, want string }{
		{"Sessions are kept in Redis", "Sessions are kept in Memcached.",
			"Redis against Memcached"},
		{"Alice owns billing", "Bob owns billing", "Alice against Bob"},
		{"Deploys happen on Tuesday", "Deploys happen on Thursday", "Tuesday against Thursday"},
		{"Releases are cut from main", "Releases are cut from trunk", "main against trunk"},
		{"Passwords are hashed with bcrypt", "Passwords are hashed with argon2id",
			"bcrypt against argon2id"},
		{"Backups are stored in Frankfurt for a year", "Backups are stored in Dublin for a year",
			"Frankfurt against Dublin"},
		{"A release needs two approvals", "A release needs one approval", "two against one"},
		{"Telemetry is opt-in", "Telemetry is opt-out", "opt-in against opt-out"},
		{"The endpoint returns a list", "The endpoint returns an object", "list against object"},
		// of two things
		{"Moved the ledger meeting, Svea is away", "Moved the courier meeting, Svea is away", ""},
		{"The ledger refactoring is half done", "The courier refactoring is half done", ""},
		{"Billing runs on Postgres", "Search runs on Postgres", ""},
		{"The title field is required", "The title field is mandatory", ""},
		{"Alerts go to the staging channel of dev",
			"Alerts go to the staging channel of prod", ""},
		{"The pager of rack r1 is broken", "The pager of rack r2 is broken", ""},
		{"Sessions are kept in Redis", "Sessions live in Memcached", ""},
		{"The cache is warm", "The cache is warm", ""},
	} {
		a, b := Text{"", tc.a}, Text{"", tc.b}
		if got := exchange(a, b); got != tc.want {
			t.Errorf("%q and %q: %q, not %q", tc.a, tc.b, got, tc.want)
		}
		if (exchange(b, a) != "") != (tc.want != "") {
			t.Errorf("%q and %q: not the same the other way round", tc.a, tc.b)
		}
		if exchange(Text{"prod", tc.a}, Text{"staging", tc.b}) != "" {
			t.Errorf("%q and %q: of two subjects", tc.a, tc.b)
		}
	}
	for _, set := range [][]clashPair{clashLonger, clashHeldOut} {
		for _, p := range set {
			if got := exchange(Text{"", p.a}, Text{"", p.b}); got != "" && !p.clash {
				t.Errorf("%q and %q agree: %s", p.a, p.b, got)
			}
		}
	}
	for _, p := range clashPairs {
		if got := exchange(Text{"", p.a}, Text{"", p.b}); got != "" && p.clash == "" {
			t.Errorf("%q and %q agree: %s", p.a, p.b, got)
		}
	}
}
