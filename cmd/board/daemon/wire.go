package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"blackboard/board"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/kb/index"
	"blackboard/kb/memory"
)

// Headers of requests.
const (
	headerBuild = "Board-Build" // of the client: only the same build is served
)

// maxRequest and maxResponse bound bodies, in bytes.
const (
	maxRequest  = 8 << 20
	maxResponse = 256 << 20
)

// Errors of the daemon itself.
var (
	// ErrNone is that there is no daemon, or none that can be used.
	ErrNone = errors.New("no daemon")
	// ErrOtherBuild is that the daemon is of another build of the program.
	ErrOtherBuild = errors.New("the daemon is of another build")
	// ErrOtherModel is that the daemon has another model's directory than the client.
	ErrOtherModel = errors.New("the daemon has another model")
	// ErrBadRequest is that the daemon could not read what it was sent.
	ErrBadRequest = errors.New("bad request")
)

// identities are the errors that keep what they are on their way through the socket. The first that matches decides.
var identities = []struct {
	name   string
	is     error
	status int
}{
	{"other_build", ErrOtherBuild, http.StatusConflict},
	{"other_model", ErrOtherModel, http.StatusConflict},
	{"bad_request", ErrBadRequest, http.StatusBadRequest},
	{"kb_invalid", kb.ErrInvalid, http.StatusBadRequest},
	{"kb_not_found", kb.ErrNotFound, http.StatusNotFound},
	{"kb_conflict", kb.ErrConflict, http.StatusConflict},
	{"memory_invalid", memory.ErrInvalid, http.StatusBadRequest},
	{"memory_not_found", memory.ErrNotFound, http.StatusNotFound},
	{"memory_conflict", memory.ErrConflict, http.StatusConflict},
	{"memory_denied", memory.ErrDenied, http.StatusForbidden},
	{"board_invalid", board.ErrInvalid, http.StatusBadRequest},
	{"board_not_found", board.ErrNotFound, http.StatusNotFound},
	{"board_conflict", board.ErrConflict, http.StatusConflict},
	{"index_other_model", index.ErrOtherModel, http.StatusConflict},
	{"index_corrupt", index.ErrCorrupt, http.StatusInternalServerError},
	{"no_model", embed.ErrNoModel, http.StatusNotFound},
	{"bad_model", embed.ErrBadModel, http.StatusInternalServerError},
	{"embedder_closed", embed.ErrClosed, http.StatusServiceUnavailable},
	{"gone", sqlite.ErrGone, http.StatusGone},
	{"newer", sqlite.ErrNewer, http.StatusInternalServerError},
	{"corrupt", sqlite.ErrCorrupt, http.StatusInternalServerError},
	{"busy", sqlite.ErrBusy, http.StatusServiceUnavailable},
	{"full", sqlite.ErrFull, http.StatusInsufficientStorage},
	{"read_only", sqlite.ErrReadOnly, http.StatusInternalServerError},
	{"cancelled", context.Canceled, 499},
	{"deadline", context.DeadlineExceeded, http.StatusGatewayTimeout},
}

// wireError is an error on its way.
type wireError struct {
	Kind    string `json:"kind"` // a name of identities; "" for none of them
	Message string `json:"message"`
	Try     string `json:"try"`
	ID      string `json:"id"`
}

func encodeError(err error) (wireError, int) {
	w, status := wireError{Message: err.Error()}, http.StatusInternalServerError
	for _, id := range identities {
		if errors.Is(err, id.is) {
			w.Kind, status = id.name, id.status
			break
		}
	}
	var hint interface{ Try() string }
	if errors.As(err, &hint) {
		w.Try = hint.Try()
	}
	var ke *kb.Error
	if errors.As(err, &ke) {
		w.ID = ke.ID
	}
	return w, status
}

// RemoteError is an error of the daemon: it says the same, and is the same to errors.Is.
type RemoteError struct {
	wire wireError
	is   error
}

func (e *RemoteError) Error() string { return e.wire.Message }
func (e *RemoteError) Unwrap() error { return e.is }

// Try returns the next step.
func (e *RemoteError) Try() string { return e.wire.Try }

func decodeError(w wireError) error {
	for _, id := range identities {
		if id.name != w.Kind {
			continue
		}
		switch id.is {
		case kb.ErrInvalid, kb.ErrNotFound, kb.ErrConflict:
			return &kb.Error{Kind: id.is, Msg: w.Message, Hint: w.Try, ID: w.ID}
		}
		return &RemoteError{w, id.is}
	}
	return &RemoteError{w, nil}
}

// handle serves a verb: fn from a request to a response.
func handle[Req, Res any](s *Server, verb string, fn func(context.Context, Req) (Res, error)) {
	s.mux.HandleFunc("POST /v1/"+verb, func(w http.ResponseWriter, r *http.Request) {
		var req Req
		err := s.admit(r, verb)
		if err == nil {
			err = readJSON(http.MaxBytesReader(w, r.Body, maxRequest), &req)
		}
		var res Res
		if err == nil {
			err = s.run(r.Context(), verb, func(ctx context.Context) (err error) {
				res, err = fn(ctx, req)
				return err
			})
		}
		w.Header().Set("Content-Type", "application/json")
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(readWithin)) // a client that does not read must not keep anything
		if err != nil {
			writeError(w, err)
			return
		}
		json.NewEncoder(w).Encode(res)
	})
}

// writeError answers with an error.
func writeError(w http.ResponseWriter, err error) {
	body, status := encodeError(err)
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": body}) // the client may be gone
}

// readJSON reads one value and nothing after it.
func readJSON(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more than one value")
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadRequest, err)
	}
	return nil
}

// call asks a daemon, which has so long to answer. An error that matches ErrNone says that it could not be asked, or has not answered in time.
func call[Req, Res any](caller context.Context, c *Client, verb string, within time.Duration, req Req) (res Res, err error) {
	ctx, cancel := context.WithTimeout(caller, within+c.patience)
	defer cancel()
	body, err := json.Marshal(req)
	if err != nil {
		return res, err
	}
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://board/v1/"+verb, bytes.NewReader(body))
	if err != nil {
		return res, err
	}
	hr.Header.Set("Content-Type", "application/json")
	hr.Header.Set(headerBuild, c.build)
	resp, err := c.http.Do(hr)
	if err != nil {
		if caller.Err() != nil {
			return res, caller.Err()
		}
		return res, fmt.Errorf("%w: %w", ErrNone, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		if caller.Err() != nil {
			return res, caller.Err()
		}
		return res, fmt.Errorf("%w: it broke off: %w", ErrNone, err)
	}
	if resp.StatusCode != http.StatusOK {
		var failed struct {
			Error *wireError `json:"error"`
		}
		if json.Unmarshal(data, &failed) != nil || failed.Error == nil {
			return res, fmt.Errorf("%w: it answered %s", ErrNone, resp.Status)
		}
		return res, decodeError(*failed.Error)
	}
	if err := json.Unmarshal(data, &res); err != nil {
		return res, fmt.Errorf("%w: its answer cannot be read: %w", ErrNone, err)
	}
	return res, nil
}

// Build names the build of this program: its version, and the file that it runs from, so that two builds of one version differ.
func Build(version string) string {
	exe, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(exe)
	if err != nil {
		return version
	}
	return fmt.Sprintf("%s %d-%s", version, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}
