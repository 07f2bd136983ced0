//go:build !unix || solaris || aix

package disk

import "context"

// LockNames does nothing: on Windows, files that are open keep their names.
func LockNames(context.Context, string, bool) (unlock func(), err error) { return func() {}, nil }
