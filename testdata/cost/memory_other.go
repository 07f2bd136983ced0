//go:build !linux

package cost

import "testing"

// Main runs a package's tests. Quick tests collect less garbage.
func Main(m *testing.M) int {
	collectLess()
	return m.Run()
}
