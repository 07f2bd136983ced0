package daemon

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/hooks/mcp"
	"blackboard/testdata/expect"
)

// TestPlantedDirectories: where anybody may make files, a directory that somebody else has made,
// or may write to, holds no socket of ours: no daemon listens there, and no client asks there.
func TestPlantedDirectories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are another thing there")
	}
	other := t.TempDir()
	for name, plant := range map[string]func(dir string) error{
		"others may write to it": func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o777)
		},
		"its group may write to it": func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o770)
		},
		"it is a link":  func(dir string) error { return os.Symlink(other, dir) },
		"it is a file":  func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"it leads away": func(dir string) error { return os.Symlink(filepath.Join(other, "nowhere"), dir) },
	} {
		place := placeOf(t, home(t))
		shared := filepath.Join(home(t), "s")
		place.Socket = filepath.Join(shared, "a.sock")
		expect.OK(t, plant(shared))
		ctx, cancel := context.WithCancel(t.Context())
		err := Run(ctx, Config{Place: place, Build: "test", OpenModel: noModel}, cancel)
		cancel()
		if err == nil {
			t.Errorf("%s: a daemon ran", name)
		}
		if err := Spawn(place, "/nonexistent", nil, nil); err == nil {
			t.Errorf("%s: a daemon was started", name)
		}
		l, err := net.Listen("unix", place.Socket) // somebody else's
		if err != nil {
			continue
		}
		if NewClient(place, "test", "").There() {
			t.Errorf("%s: a client asks there", name)
		}
		l.Close()
	}
	if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}

// TestPlantedSocket: what lies in the socket's place and is none is put aside, and a link there is
// not followed.
func TestPlantedSocket(t *testing.T) {
	dir := home(t)
	place := placeOf(t, dir)
	expect.OK(t, place.prepare())
	target := filepath.Join(t.TempDir(), "target")
	expect.OK(t, os.WriteFile(target, []byte("of somebody"), 0o600))
	if err := os.Symlink(target, place.Socket); err != nil {
		t.Skip(err)
	}
	r := start(t, dir, nil)
	if _, err := r.client(t).Status(t.Context()); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "of somebody" {
		t.Errorf("what it leads to is %q, %v", data, err)
	}
	if info, err := os.Stat(place.Socket); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	if to, err := os.Readlink(place.Socket + ".aside"); err != nil || to != target {
		t.Errorf("put aside: %q, %v", to, err)
	}
}

// TestNotesOfOthers: a note of where the socket is leads a client to no relative, missing or
// endless path.
func TestNotesOfOthers(t *testing.T) {
	for _, note := range []string{"", "relative.sock", "../../x.sock", "/nonexistent/x.sock", "/" + strings.Repeat("a", maxSocket) + ".sock", strings.Repeat("x", 1<<20)} {
		place := placeOf(t, home(t))
		expect.OK(t, place.prepare())
		expect.OK(t, os.WriteFile(place.Note, []byte(note), 0o600))
		if again, err := PlaceOf(place.Home, noEnv); err != nil || again.Socket != place.Socket {
			t.Errorf("%.40q leads to %q, %v", note, again.Socket, err)
		}
	}
}

// TestPathsOverTCP: no way to write a path, a method or a header opens what is not granted or not
// served.
func TestPathsOverTCP(t *testing.T) {
	grants := expect.Value(mcp.ParseGrants([]string{"run:mine:read"}))(t)
	r := start(t, home(t), func(c *Config) { c.TCP = &TCP{Addr: "127.0.0.1:0", MCP: &mcp.Config{Grants: grants}} })
	st := expect.Value(r.client(t).Status(t.Context()))(t)
	token := expect.Value(Token(r.place))(t)
	client := &http.Client{Transport: shows{token}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	const search = `{"Query":{"Text":"capsule","Mode":"bm25"}}`
	for _, path := range []string{
		"/v1/search", "/v1//search", "//v1/search", "/v1/./search", "/v1/x/../search", "/v1/%73earch", "/v1/search/", "/V1/search", "/v1/search%00", "/v1/search;x", "/v1%2fsearch", "/%2e%2e/v1/search",
		"/v1/events", "/v1//events", "/v1/%65vents", "/v1/events?run=", "/v1/events?run=mine&run=secret", "/v1/events?run=..%2fx", "/v1/events?RUN=mine", "/v1/events?run=mine;run=secret", "/v1/events#?run=mine",
		"/v1/stop", "/v1/../v1/stop", "/v1/embed", "/v1/model", "/debug/pprof/heap", "/debug/pprof/../pprof/profile", "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", `/..\..\etc`, "/mcp/../v1/stop",
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodHead, http.MethodPut, "STOP"} {
			req, err := http.NewRequestWithContext(t.Context(), method, "http://"+st.Listen+path, strings.NewReader(search))
			if err != nil {
				continue
			}
			req.Header.Set("X-HTTP-Method-Override", http.MethodPost)
			req.Header.Set("X-Forwarded-Host", "localhost")
			resp, err := client.Do(req)
			if err != nil {
				t.Errorf("%s %s: %v", method, path, err)
				continue
			}
			resp.Body.Close()
			if resp.StatusCode < 300 || resp.StatusCode >= 500 {
				t.Errorf("%s %s: %s", method, path, resp.Status)
			}
		}
	}
	if _, err := r.client(t).Status(t.Context()); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
