package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// chromium is a browser that the test drives by its protocol, over two pipes.
type chromium struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	n       int
	session string
	errors  []string // that the page's console showed
}

// openChromium starts the browser of the distribution, or skips the test.
func openChromium(t *testing.T) *chromium {
	t.Helper()
	var exe string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			exe = path
			break
		}
	}
	if exe == "" {
		t.Skip("there is no Chromium on this machine")
	}
	in, to := expect.Values(os.Pipe())(t)
	from, out := expect.Values(os.Pipe())(t)
	ctx, stop := context.WithCancel(context.Background())
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, exe, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+dir, "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.ExtraFiles = []*os.File{in, out} // 3 and 4
	expect.OK(t, cmd.Start())
	in.Close()
	out.Close()
	t.Cleanup(func() {
		to.Close() // it ends by itself then
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(wait.Limit(t)):
		}
		stop()
		<-ended
		from.Close()
	})
	b := &chromium{t: t, to: to, from: bufio.NewReader(from)}
	var made struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Log", "Runtime"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call asks the browser, and notes errors of the page that it tells meanwhile.
func (b *chromium) call(method string, params, result any) {
	b.t.Helper()
	b.n++
	m := map[string]any{"id": b.n, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	data, err := json.Marshal(m)
	if err == nil {
		_, err = b.to.Write(append(data, 0))
	}
	for err == nil {
		if data, err = b.from.ReadBytes(0); err != nil {
			break
		}
		var answer struct {
			ID     int
			Method string
			Params struct{ Entry struct{ Level, Text string } }
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err = json.Unmarshal(data[:len(data)-1], &answer); err != nil {
			break
		}
		if answer.Method == "Log.entryAdded" && answer.Params.Entry.Level == "error" ||
			answer.Method == "Runtime.exceptionThrown" {
			b.errors = append(b.errors, string(data))
		}
		if answer.ID != b.n {
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error)
		}
		if result != nil {
			err = json.Unmarshal(answer.Result, result)
		}
		if err == nil {
			return
		}
	}
	b.t.Fatalf("%s: %v", method, err)
}

// value is what an expression is in the page, as text.
func (b *chromium) value(expression string) string {
	b.t.Helper()
	var got struct{ Result struct{ Value any } }
	b.call("Runtime.evaluate", map[string]any{"expression": expression}, &got)
	return fmt.Sprint(got.Result.Value)
}

// until waits until an expression is true in the page.
func (b *chromium) until(expression string) {
	b.t.Helper()
	wait.For(b.t, func() bool { return b.value(expression) == "true" },
		func() string { return expression + ": " + strings.Join(b.errors, "\n") })
}

func (b *chromium) press(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": key, "windowsVirtualKeyCode": code}
		if key == "Enter" {
			p["text"] = "\r"
		}
		b.call("Input.dispatchKeyEvent", p, nil)
	}
}

// TestWebInABrowser looks at the pages as somebody with a browser, a keyboard or a screen
// reader does.
func TestWebInABrowser(t *testing.T) {
	cost.SkipUnlessLong(t)
	b := openChromium(t)
	_, run, at := watchedRun(t, 60)
	base, _, _ := strings.Cut(at.URL, "/?")
	b.call("Page.navigate", map[string]any{"url": at.URL}, nil)
	b.until(`document.title == "Runs: blackboard" && location.search == ""`)
	b.call("Page.navigate", map[string]any{"url": base + "/run/audit"}, nil)
	b.until(`document.title == "audit: blackboard" && document.getElementById("status").textContent == "Live"`)
	for expression, want := range map[string]string{
		`document.querySelector("h1").textContent`:                                                                                  "audit",
		`document.images.length + document.querySelectorAll("article script").length`:                                               "0",
		`getComputedStyle(document.body).margin`:                                                                                    "0px",
		`document.querySelectorAll("main, nav, #page > header").length`:                                                             "3",
		`[...document.querySelectorAll("section")].filter(s => !document.getElementById(s.getAttribute("aria-labelledby"))).length`: "0",
		`document.documentElement.lang`:                                                                                             "en",
	} {
		if got := b.value(expression); got != want {
			t.Errorf("%s is %s, not %s", expression, got, want)
		}
	}
	b.press("Tab", 9)
	if got := b.value(`document.activeElement.textContent`); got != "Skip to the run" {
		t.Errorf("the first key leads to %q", got)
	}
	b.press("Enter", 13)
	b.until(`location.hash == "#main"`)

	b.value(`window.scrollTo(0, 900)`)
	begin := time.Now()
	posted := expect.Value(run.Post(t.Context(), "ben", board.Post{Type: board.Observation, SourceDoc: "doc1.md",
		Content: "Posted while somebody looks. " + hostile}))(t)
	b.until(`document.getElementById("` + posted.Entry.ID + `") != null`)
	t.Logf("a post is shown after %v", time.Since(begin).Round(time.Millisecond))
	if got := b.value(`window.scrollY > 800`); got != "true" {
		t.Errorf("the reader was moved to %s", b.value("window.scrollY"))
	}
	if got := b.value(`document.title`); got != "audit: blackboard" {
		t.Errorf("the title is %q", got)
	}
	if len(b.errors) > 0 {
		t.Errorf("errors in the page:\n%s", strings.Join(b.errors, "\n"))
	}
}
