package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board/text"
)

const (
	// MaxMessage is how many bytes a message over stdio may have. What is too long for
	// its field is refused by name; what is longer than this is refused as a whole.
	MaxMessage = 32 << 20
	// maxDepth is how deep its values may nest: deeper would end the session in the SDK.
	maxDepth = 500
	// afterInput is how long calls that are under way have once the input has ended.
	afterInput = 5 * time.Second
)

const (
	codeParse   = -32700
	codeInvalid = -32600
	codeBusy    = -32000
)

// Stdio is a client on two streams, one message per line. An invalid message is answered
// with an error, and the session goes on. A client that ends its input still gets the
// answers to its requests.
//
// It replaces sdk.IOTransport, which would decode each message three more times, each
// time into a new buffer of 64 KB.
type Stdio struct {
	in  *bufio.Reader
	end error // what the input ended with
	why error // what Read has ended with

	incoming chan jsonrpc.Message // what the server shall see
	readAll  chan struct{}        // closed at the end of the input
	// closed at the end of the input, when what was asked is answered
	ended     chan struct{}
	finished  chan struct{} // closed when nothing more is to be read
	closed    chan struct{}
	closeOnce sync.Once
	endOnce   sync.Once

	// apart from mu: a client that does not read must not keep its input from being read
	writing sync.Mutex
	out     io.Writer

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // the unanswered requests
	left int                 // answers that are being written
	none chan struct{}       // closed when there are neither; nil: nobody waits
}

func NewStdio(in io.Reader, out io.Writer) *Stdio {
	return &Stdio{why: io.EOF, in: bufio.NewReaderSize(in, 64<<10), out: out,
		open: map[jsonrpc.ID]bool{}, incoming: make(chan jsonrpc.Message),
		readAll: make(chan struct{}), ended: make(chan struct{}), finished: make(chan struct{}),
		closed: make(chan struct{})}
}

// Finish ends reading, as the input's end does: what was asked is still answered.
func (s *Stdio) Finish() {
	s.endOnce.Do(func() { close(s.finished) })
}

// Connect begins to read; the SDK calls it once.
func (s *Stdio) Connect(context.Context) (sdk.Connection, error) {
	go s.read()
	go func() {
		defer close(s.ended)
		select {
		case <-s.readAll:
			s.why = s.end
		case <-s.finished:
		case <-s.closed:
			return
		}
		s.wait()
	}()
	return s, nil
}

func (s *Stdio) read() {
	for s.end == nil {
		m := s.next()
		if m == nil {
			continue
		}
		select {
		case s.incoming <- m:
			// The read that comes next holds this goroutine's processor for a while. Without
			// this, whoever has the message would wait until another one takes it over.
			runtime.Gosched()
		case <-s.finished:
			s.pass(m)
		case <-s.closed:
			return
		}
	}
	close(s.readAll)
}

// pass answers a request that was read after Finish with an error.
func (s *Stdio) pass(m jsonrpc.Message) {
	q, ok := m.(*jsonrpc.Request)
	if !ok || !q.IsCall() {
		return
	}
	if id, err := json.Marshal(q.ID.Raw()); err == nil {
		s.refuse(id, codeBusy, "the server ends")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, q.ID)
	s.tell()
}

// SessionID is empty: the streams are the session.
func (s *Stdio) SessionID() string { return "" }

// Close ends reading and leaves the streams open, which are the caller's.
func (s *Stdio) Close() error {
	s.closeOnce.Do(func() { close(s.closed) })
	return nil
}

// Read returns the next message for the server; io.EOF at the end of the input.
func (s *Stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.closed:
		return nil, io.EOF
	case m := <-s.incoming:
		return m, nil
	case <-s.ended:
		return nil, s.why
	}
}

// message is as much of a message as matters here.
type message struct {
	Version string
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
}

// idOf is an id by value (5 is 5.0), invalid if empty or null. A fraction, or 2^53 and more, is an
// error: the SDK would not give it back as it came.
func idOf(raw json.RawMessage) (jsonrpc.ID, error) {
	var v any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			return jsonrpc.ID{}, err
		}
	}
	if n, ok := v.(float64); ok && (n != math.Trunc(n) || math.Abs(n) >= 1<<53) {
		return jsonrpc.ID{}, fmt.Errorf("the id %s is not an integer below 2^53", raw)
	}
	return jsonrpc.MakeID(v)
}

// readMessage reads a message; false if it is invalid. Names are case-sensitive, as they
// are to the SDK, for which an invalid message ends the session.
func readMessage(line []byte) (m message, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return m, false
	}
	m.ID, m.Params = members["id"], members["params"]
	ok = json.Unmarshal(members["jsonrpc"], &m.Version) == nil && m.Version == "2.0"
	if method, there := members["method"]; there {
		ok = ok && json.Unmarshal(method, &m.Method) == nil && m.Method != ""
	} else {
		ok = ok && len(m.ID) > 0
	}
	if len(m.ID) > 0 && !bytes.ContainsAny(m.ID[:1], `"-0123456789`) {
		m.ID, ok = nil, false
	}
	return m, ok
}

// next reads a line, and returns its message if the server shall see it.
func (s *Stdio) next() jsonrpc.Message {
	line, long, err := text.Line(s.in, MaxMessage)
	s.end = err
	switch {
	case long:
		s.refuse(nil, codeInvalid, fmt.Sprintf("the message is longer than %d MB", MaxMessage>>20))
		return nil
	case len(bytes.TrimSpace(line)) == 0:
		return nil
	}
	m, ok := readMessage(line)
	if !ok && !json.Valid(line) {
		s.refuse(nil, codeParse, "the line is not valid JSON")
		return nil
	}
	if deep(line) {
		s.refuse(m.ID, codeInvalid, fmt.Sprintf("the message is nested deeper than %d levels",
			maxDepth))
		return nil
	}
	if bytes.TrimSpace(line)[0] != '{' {
		s.refuse(nil, codeInvalid, "a message is a JSON object, one a line")
		return nil
	}
	if !ok {
		s.refuse(m.ID, codeInvalid, "the object is not a JSON-RPC 2.0 message")
		return nil
	}
	id, err := idOf(m.ID)
	var answer jsonrpc.Message
	if err == nil && m.Method == "" {
		answer, err = jsonrpc.DecodeMessage(line) // to a question of the server's
	}
	switch {
	case err != nil:
		s.refuse(m.ID, codeInvalid, "the object is not a JSON-RPC 2.0 message")
		return nil
	case answer != nil:
		return answer
	case !s.begin(&m, id):
		s.refuse(m.ID, codeInvalid, "the id is in use by a request that is not answered yet")
		return nil
	}
	return &jsonrpc.Request{ID: id, Method: m.Method, Params: m.Params}
}

func deep(data []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// begin notes a request; false if its id is taken.
func (s *Stdio) begin(m *message, id jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		var of struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.Params, &of)
		if other, err := idOf(of.RequestID); err == nil {
			delete(s.open, other) // it may never be answered
		}
		s.tell()
	// the last lives as long as the client
	case !id.IsValid() || m.Method == "subscriptions/listen":
	case s.open[id]:
		return false
	default:
		s.open[id] = true
	}
	return true
}

// wait waits until all requests are answered, or for a while.
func (s *Stdio) wait() {
	s.mu.Lock()
	if len(s.open) == 0 && s.left == 0 {
		s.mu.Unlock()
		return
	}
	none := make(chan struct{})
	s.none = none
	s.mu.Unlock()
	select {
	case <-none:
	case <-time.After(afterInput):
	}
}

func (s *Stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := encode(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if answer, ok := m.(*jsonrpc.Response); ok {
		delete(s.open, answer.ID) // before it is written: then the client may use the id again
	}
	s.left++
	s.mu.Unlock()
	s.writing.Lock()
	_, err = s.out.Write(line)
	s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	s.tell()
	return err
}

// encode is a message as a line. A result is JSON already, and goes into the line as it
// is: the SDK would parse it once more to make it compact, which it is.
func encode(m jsonrpc.Message) ([]byte, error) {
	answer, ok := m.(*jsonrpc.Response)
	if !ok || answer.Error != nil || len(answer.Result) == 0 || bytes.IndexByte(answer.Result,
		'\n') >= 0 {
		line, err := jsonrpc.EncodeMessage(m)
		return append(line, '\n'), err
	}
	id, err := json.Marshal(answer.ID.Raw())
	if err != nil {
		return nil, err
	}
	line := make([]byte, 0, len(answer.Result)+len(id)+40)
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	line = append(line, id...)
	line = append(line, `,"result":`...)
	line = append(line, answer.Result...)
	return append(line, "}\n"...), nil
}

// tell wakes wait once all requests are answered and all answers written. The lock is held.
func (s *Stdio) tell() {
	if len(s.open) == 0 && s.left == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

func (s *Stdio) refuse(id json.RawMessage, code int, text string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.out.Write(refusalOf(id, code, text)) // who cannot be written to is gone
}

// refusalOf is the error that answers a message which the server does not see, as a line.
func refusalOf(id json.RawMessage, code int, text string) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	// the id has been read as JSON
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": text}})
	return append(data, '\n')
}
