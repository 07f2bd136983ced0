//go:build !unix

package served

import "errors"

// Start reports that commands cannot be served here.
func Start(program, source string, n int) (stop func(), err error) {
	return nil, errors.New("commands are served on Unix only")
}

// Serve does nothing.
func Serve(run Command) {}
