// Package expect ends a test at an error that it does not expect.
package expect

import "testing"

// OK ends the test if there is an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Value returns what gives the value of a call, or ends the test if the call failed:
// b := expect.Value(Open(ctx, dir, "r"))(t).
func Value[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Values is Value for a call with two values.
func Values[T, U any](v T, w U, err error) func(testing.TB) (T, U) {
	return func(t testing.TB) (T, U) {
		t.Helper()
		OK(t, err)
		return v, w
	}
}
