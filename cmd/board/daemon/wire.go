package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/kb/index"
)

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

// identities are errors without a kind of package fault that the socket keeps as they are.
var identities = []struct {
	name string
	is   error
	kind fault.Kind // whose code and status it has
}{
	{"other_build", ErrOtherBuild, fault.Conflict},
	{"other_model", ErrOtherModel, fault.Conflict},
	{"bad_request", ErrBadRequest, fault.Usage},
	{"index_other_model", index.ErrOtherModel, fault.Conflict},
	{"cancelled", context.Canceled, fault.Closed},
	{"deadline", context.DeadlineExceeded, fault.Timeout},
}

// wireError is an error on its way. Whoever renders it puts its next steps into words.
type wireError struct {
	Kind    string       `json:"kind"` // a name of identities, else that of its kind
	Code    string       `json:"code"` // as in the JSON of commands
	Message string       `json:"message"`
	Try     string       `json:"try"` // the steps in words; clients have their own
	Next    []fault.Step `json:"next"`
	ID      string       `json:"id"`
}

func encodeError(err error) (wireError, int) {
	kind := fault.KindOf(err)
	w := wireError{Kind: kind.Error(), Message: err.Error(), Try: fault.Try(err, nil)}
	w.Next = append([]fault.Step{}, fault.Next(err)...)
	if kind == fault.Failure || errors.Is(err, ErrBadRequest) {
		for _, id := range identities {
			if errors.Is(err, id.is) {
				w.Kind, kind = id.name, id.kind
				break
			}
		}
	}
	var e *fault.Error
	if errors.As(err, &e) {
		w.ID = e.ID
	}
	w.Code = kind.Code()
	return w, kind.Status()
}

func decodeError(w wireError) error {
	e := &fault.Error{Kind: fault.KindNamed(w.Kind), Msg: w.Message, Next: w.Next, ID: w.ID}
	for _, id := range identities {
		if id.name == w.Kind {
			e.Cause = id.is
		}
	}
	return e
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
		// a client that does not read must not keep anything
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(readWithin))
		if err != nil {
			s.writeError(w, 0, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(res)
	})
}

// writeError answers with an error. A status of 0 is that of its kind.
func (s *Server) writeError(w http.ResponseWriter, status int, err error) {
	body, usual := encodeError(err)
	body.Try = fault.Try(err, s.cfg.Words)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(cmp.Or(status, usual))
	json.NewEncoder(w).Encode(map[string]any{"v": 1, "error": body}) // the client may be gone
}

func readJSON(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more than one value")
		}
	}
	if err != nil {
		return badRequest("send one JSON object", "the body cannot be read: %s", unreadable(err))
	}
	return nil
}

// badRequest is about what a client has sent.
func badRequest(try, format string, a ...any) error {
	return &fault.Error{Kind: fault.Usage, Msg: fmt.Sprintf(format, a...), Next: fault.Steps(try, apiHelp), Cause: ErrBadRequest}
}

// unreadable says in the words of JSON what is wrong with a body.
func unreadable(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var long *http.MaxBytesError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends in the middle"
	case errors.As(err, &long):
		return fmt.Sprintf("it has more than %d bytes", long.Limit)
	case errors.As(err, &syntax):
		return fmt.Sprintf("invalid JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("%s is of the wrong type, %s", cmp.Or(strings.ToLower(kind.Field), "the whole"), kind.Value)
	}
	return err.Error()
}

// call asks a daemon, which has so long to answer. An error that matches ErrNone says
// that it could not be asked, or has not answered in time.
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

// Build names the build of this program: its version, and the file that it runs from, so
// that two builds of one version differ.
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
