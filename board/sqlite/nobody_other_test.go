//go:build !unix

package sqlite

import "testing"

func runAsNobody(t *testing.T, _, _ string) { t.Skip("needs Unix users") }
