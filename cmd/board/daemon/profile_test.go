package daemon

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"blackboard/testdata/cost"
)

// TestProfile: who has the socket gets profiles in the form that `go tool pprof` reads.
func TestProfile(t *testing.T) {
	cost.SkipQuick(t)
	r := start(t, home(t), nil)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.place.Socket)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
	defer client.CloseIdleConnections()
	for path, want := range map[string]struct {
		status int
		begins string
	}{
		"heap":              {200, "\x1f\x8b"}, // compressed
		"goroutine?debug=1": {200, "goroutine profile:"},
		"trace?seconds=1":   {200, "go 1."},
		"nothing":           {404, "404"},
	} {
		res, err := client.Get("http://board/debug/pprof/" + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != want.status || !strings.HasPrefix(string(b), want.begins) {
			t.Errorf("%s: %s, %v, %.40q", path, res.Status, err, b)
		}
	}
}
