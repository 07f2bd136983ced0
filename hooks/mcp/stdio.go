package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// MaxMessage is how many bytes a message over stdio may have. What is too long for its field is refused by name; what is longer than this is refused as a whole.
	MaxMessage = 32 << 20
	// maxDepth is how deep its values may be nested. What is deeper would end the session in the SDK.
	maxDepth = 500
	// afterInput is how long calls that are under way have once the input has ended.
	afterInput = 5 * time.Second
)

// Codes of JSON-RPC errors.
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// Stdio is a client on two streams, a message a line. What is no message is answered with an error and passed over, so that one bad line does not cost the session; a client that ends its
// input still gets the answers to what it has asked.
type Stdio struct {
	in   *bufio.Reader
	line []byte // what of the line is not read yet
	end  error

	writing sync.Mutex // apart from mu: a client that does not read must not keep its input from being read
	out     io.Writer

	mu   sync.Mutex
	open map[string]bool // ids of requests that are not answered yet
	left int             // answers that are being written
	none chan struct{}   // closed when there are neither; nil: nobody waits
}

// NewStdio returns the transport for a client.
func NewStdio(in io.Reader, out io.Writer) *Stdio {
	return &Stdio{in: bufio.NewReaderSize(in, 64<<10), out: out, open: map[string]bool{}}
}

// Transport is what the server speaks with.
func (s *Stdio) Transport() sdk.Transport {
	return &sdk.IOTransport{Reader: readSide{s}, Writer: writeSide{s}, MaxLineLength: -1} // it is bounded here
}

type readSide struct{ *Stdio }

func (r readSide) Read(p []byte) (int, error) { return r.read(p) }
func (readSide) Close() error                 { return nil }

type writeSide struct{ *Stdio }

func (w writeSide) Write(p []byte) (int, error) { return w.write(p) }
func (writeSide) Close() error                  { return nil }

// message is as much of a message as matters here.
type message struct {
	Version string
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
}

// key is the id of a message by its value: 5 and 5.0 are one.
func (m *message) key() string {
	var v any
	if json.Unmarshal(m.ID, &v) != nil {
		return string(m.ID)
	}
	return fmt.Sprintf("%T %v", v, v)
}

// readMessage reads a message; false if it is none. Names are taken to the letter, as the SDK does: to it, what is none ends the session.
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

func (s *Stdio) read(p []byte) (int, error) {
	for len(s.line) == 0 {
		if s.end != nil {
			s.wait()
			return 0, s.end
		}
		s.line = s.next()
	}
	n := copy(p, s.line)
	s.line = s.line[n:]
	return n, nil
}

// next reads a line, and returns it if the server shall see it.
func (s *Stdio) next() []byte {
	var line []byte
	long := false
	for {
		part, err := s.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > MaxMessage; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		s.end = err
		break
	}
	switch {
	case long:
		s.refuse(nil, codeInvalid, fmt.Sprintf("the message is longer than %d MB", MaxMessage>>20))
		return nil
	case len(bytes.TrimSpace(line)) == 0:
		return nil
	case !json.Valid(line):
		s.refuse(nil, codeParse, "the line is no JSON")
		return nil
	}
	if line[len(line)-1] != '\n' {
		line = append(line, '\n')
	}
	m, ok := readMessage(line)
	if deep(line) {
		s.refuse(m.ID, codeInvalid, fmt.Sprintf("the message is nested deeper than %d levels", maxDepth))
		return nil
	}
	if bytes.TrimSpace(line)[0] != '{' {
		s.refuse(nil, codeInvalid, "a message is a JSON object, one a line")
		return nil
	}
	if !ok {
		s.refuse(m.ID, codeInvalid, "the object is no JSON-RPC 2.0 message")
		return nil
	}
	if !s.begin(&m) {
		s.refuse(m.ID, codeInvalid, "the id is in use by a request that is not answered yet")
		return nil
	}
	return line
}

// deep reports whether JSON is nested too deep.
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
func (s *Stdio) begin(m *message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		var of struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.Params, &of)
		delete(s.open, (&message{ID: of.RequestID}).key()) // it may never be answered
		s.tell()
	case m.Method == "" || len(m.ID) == 0 || string(m.ID) == "null" || m.Method == "subscriptions/listen": // the last lives as long as the client
	case s.open[m.key()]:
		return false
	default:
		s.open[m.key()] = true
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

func (s *Stdio) write(p []byte) (int, error) {
	s.mu.Lock()
	for line := range bytes.Lines(p) {
		if m, ok := readMessage(line); ok && m.Method == "" {
			delete(s.open, m.key()) // before it is written: whoever has read it may use its id again
		}
	}
	s.left++
	s.mu.Unlock()
	s.writing.Lock()
	n, err := s.out.Write(p)
	s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	s.tell()
	return n, err
}

// tell wakes who waits for all requests to be answered, if they are. The lock is held.
func (s *Stdio) tell() {
	if len(s.open) == 0 && s.left == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// refuse answers what the server does not see.
func (s *Stdio) refuse(id json.RawMessage, code int, text string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.out.Write(append(data, '\n')) // who cannot be written to is gone
}
