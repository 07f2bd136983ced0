package fault

import (
	"errors"
	"net/http"
)

// Kind says what sort of thing went wrong. It is an error itself, for errors.Is.
type Kind int

// Kinds of error. Failure is what has no kind of its own.
const (
	Failure  Kind = iota
	Usage         // the command line makes no sense
	Invalid       // a value that can never be right
	NotFound      // it names what is not there
	Conflict      // valid, but not in the current state
	Timeout       // what was waited for did not happen in time
	Denied        // the caller may not do this
	Busy          // another writer held the lock until the timeout
	Full          // no space is left, on the disk or in a quota
	ReadOnly      // the storage is read-only, or this user may not write to it
	Corrupt       // a file is damaged, or not ours, or does not agree with itself
	BadIndex      // a search index is damaged; it is derived, and can be built again
	Newer         // a later version of the program has migrated the file
	Gone          // a file was removed or replaced while it was open
	NoModel       // no embedding model, or a file it cannot do without is absent
	BadModel      // the model is corrupt, or of a kind that is not supported
	Closed        // what was called has been closed
	Away          // the database server cannot be reached, or is not set up
)

// JSON-RPC codes, for requests that are not calls of tools.
const (
	rpcParams   = -32602
	rpcInternal = -32603
)

// kinds is the one table of what a kind means outside of the program.
var kinds = [...]struct {
	text   string // unique: it is also the kind's name between the daemon and its clients
	code   string // in JSON errors
	exit   int
	status int // of HTTP
	rpc    int64
}{
	Failure:  {"failure", "failure", 1, http.StatusInternalServerError, rpcInternal},
	Usage:    {"wrong usage", "usage", 2, http.StatusBadRequest, rpcParams},
	Invalid:  {"invalid", "invalid", 2, http.StatusBadRequest, rpcParams},
	NotFound: {"not found", "not_found", 5, http.StatusNotFound, rpcParams},
	Conflict: {"conflict", "conflict", 6, http.StatusConflict, rpcInternal},
	Timeout:  {"timed out", "timeout", 1, http.StatusGatewayTimeout, rpcInternal},
	Denied:   {"not granted", "denied", 1, http.StatusForbidden, rpcParams},
	Busy:     {"busy", "busy", 1, http.StatusServiceUnavailable, rpcInternal},
	Full:     {"no space left", "disk_full", 1, http.StatusInsufficientStorage, rpcInternal},
	ReadOnly: {"read-only storage", "read_only", 1, http.StatusInternalServerError, rpcInternal},
	Corrupt:  {"damaged file", "corrupt", 1, http.StatusInternalServerError, rpcInternal},
	BadIndex: {"the search index is damaged", "corrupt", 1, http.StatusInternalServerError,
		rpcInternal},
	Newer: {"file of a newer version", "newer_file", 1, http.StatusInternalServerError,
		rpcInternal},
	Gone:    {"file was removed", "conflict", 6, http.StatusGone, rpcInternal},
	NoModel: {"no embedding model", "no_model", 1, http.StatusNotFound, rpcInternal},
	BadModel: {"unusable embedding model", "bad_model", 1, http.StatusInternalServerError,
		rpcInternal},
	Closed: {"the embedder is closed", "failure", 1, http.StatusServiceUnavailable, rpcInternal},
	Away:   {"database away", "database_away", 1, http.StatusServiceUnavailable, rpcInternal},
}

// KindOf returns the kind of an error: the first in its chain, or Failure.
func KindOf(err error) Kind {
	k := Failure
	errors.As(err, &k)
	return k
}

// KindNamed returns the kind whose text is name, or Failure.
func KindNamed(name string) Kind {
	for k := range kinds {
		if kinds[k].text == name {
			return Kind(k)
		}
	}
	return Failure
}

// Error returns the kind's text, which names it alone.
func (k Kind) Error() string { return kinds[k].text }

// Code is the kind in JSON errors.
func (k Kind) Code() string { return kinds[k].code }

// Exit is the exit code of a command that ends with it.
func (k Kind) Exit() int { return kinds[k].exit }

// Status is its HTTP status.
func (k Kind) Status() int { return kinds[k].status }

// RPC is its JSON-RPC code.
func (k Kind) RPC() int64 { return kinds[k].rpc }
