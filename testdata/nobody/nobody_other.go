//go:build !unix

// Package nobody runs tests as a user who owns nothing.
package nobody

import "testing"

// Run skips the test.
func Run(t *testing.T, _, _ string) { t.Skip("needs Unix users") }
