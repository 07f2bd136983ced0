package transport

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// pieces is an answer that notes how many bytes came after each time that was given.
type pieces struct {
	*httptest.ResponseRecorder
	writes []int
}

func (p *pieces) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return errors.New("without limit")
	}
	p.writes = append(p.writes, 0)
	return nil
}

func (p *pieces) Write(b []byte) (int, error) {
	if len(p.writes) == 0 {
		p.writes = append(p.writes, 1<<30) // without limit
	}
	p.writes[len(p.writes)-1] += len(b)
	return p.ResponseRecorder.Write(b)
}

// TestPaced: a client has a time for each piece of a long answer.
func TestPaced(t *testing.T) {
	w := &pieces{ResponseRecorder: httptest.NewRecorder()}
	long := strings.Repeat("long ", 100_000)
	if n, err := newPaced(w).Write([]byte(long)); err != nil || n != len(long) ||
		w.Body.String() != long {
		t.Error(n, err)
	}
	if n := slices.Max(w.writes); n > 1<<16 {
		t.Errorf("%d bytes at once", n)
	}
}
