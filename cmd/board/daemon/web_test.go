package daemon

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// hostile is a text that would be seen by a browser if it were not escaped.
const hostile = `<img src=x onerror="document.title='taken over'"><script>document.title='taken over'</script>`

// watchedRun is a run with something of everything, and a daemon that shows it.
func watchedRun(t *testing.T, entries int) (dir string, b *board.Board, at Web) {
	t.Helper()
	dir = home(t)
	b = expect.Value(board.Create(t.Context(), filepath.Join(dir, "boards"), "audit", "Is it safe? "+hostile, "ana", nil))(t)
	t.Cleanup(func() { b.Close() })
	var posts []board.Post
	for i := range entries {
		posts = append(posts, board.Post{Type: board.Observation, MustSurface: i%3 == 0,
			Content:   fmt.Sprintf("Finding %d: the export writes %d rows a second, measured over an hour", i, 1000+i),
			SourceDoc: fmt.Sprintf("doc%d.md", i%7), SourceRef: "line 3",
			Evidence: strings.Repeat("it writes rows ", 8), Key: fmt.Sprintf("finding-%d", i)})
	}
	posts = append(posts, board.Post{Type: board.Observation, Content: "It writes 7 rows. " + hostile,
		Contradicts: []string{"@finding-0"}})
	expect.Value(b.PostBatch(t.Context(), "ben", posts))(t)
	expect.Value(b.Signal(t.Context(), "ana", board.Raise{Content: "Who owns it? " + hostile,
		Priority: "critical"}))(t)
	expect.Value(b.Expect(t.Context(), "ana", []string{"carla"}, false))(t)
	r := start(t, dir, nil)
	at = expect.Value(r.client(t).Web(t.Context(), ""))(t)
	return dir, b, at
}

// browser is a client that keeps the cookie.
func browser(t *testing.T, at Web) (c *http.Client, base string) {
	t.Helper()
	jar := expect.Value(cookiejar.New(nil))(t)
	c = &http.Client{Jar: jar}
	base, _, _ = strings.Cut(at.URL, "/?")
	if status, _, _ := fetch(t, c, at.URL, nil); status != http.StatusOK {
		t.Fatalf("the address of the pages: %d", status)
	}
	return c, base
}

func fetch(t *testing.T, c *http.Client, url string, change func(*http.Request)) (status int, body string, h http.Header) {
	t.Helper()
	r := expect.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
	if change != nil {
		change(r)
	}
	resp := expect.Value(c.Do(r))(t)
	defer resp.Body.Close()
	data := expect.Value(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(data), resp.Header
}

func TestWebPages(t *testing.T) {
	_, b, at := watchedRun(t, 3)
	c, base := browser(t, at)
	for i, reports := range [][]string{{"report.md"}, {hostile, "b.md"}} {
		expect.OK(t, b.RecordCheck(t.Context(), "ci "+hostile[:5], board.ReportCheck{Reports: reports, SHA256: "aa", JudgedAt: 2,
			Steps: []board.CheckedStep{{Name: "survival", Wrong: 1002 + i, Unsure: 3},
				{Name: "trace", Passed: true, Wrong: 2}, {Name: "verify", Passed: true, Skipped: true}}}))
	}
	st := expect.Value(b.State(t.Context()))(t)
	for _, tc := range []struct{ path, want string }{
		{"/", `<span class="badge open">report.md FAILED: survival 1002</span>`},
		{"/run/audit", `<h2 id="checks">Checks <small>2</small></h2>`},
		{"/run/audit", `<th scope="row">report.md</th><td><span class="badge open">failed</span></td><td class="wrap"><b>survival failed 1,002</b> (3 unsure), trace warns of 2, verify not checked</td>`},
		{"/run/audit", `<span class="badge waived">3 entries since</span>`},
		{"/run/audit/report", `<th scope="row">report.md</th>`},
		{fmt.Sprintf("/run/audit?at=%d", st.Seq-1), `<h2 id="checks">Checks <small>1</small></h2>`},
		{"/", `<a href="/run/audit">audit</a>`},
		{"/", `closed: 2 reasons</span>`},
		{"/run/audit", `<h2 id="gate">Gate closed: 2 reasons</h2>`},
		{"/run/audit", `<th scope="row">carla</th><td>expected</td>`},
		{"/run/audit", `<h3 id="document-2">doc2.md <small>1</small></h3>`},
		{"/run/audit?at=3", "As it was after event 3 of"},
		{"/run/audit/report", "Made by <code>board</code>"},
		{"/style.css", "prefers-color-scheme"},
		{"/live.js", "EventSource"},
	} {
		status, body, h := fetch(t, c, base+tc.path, nil)
		if status != http.StatusOK || !strings.Contains(body, tc.want) {
			t.Errorf("%s: %d, without %q:\n%.3000s", tc.path, status, tc.want, body)
		}
		if strings.Contains(body, "<img") || strings.Contains(body, "<script>document") {
			t.Errorf("%s: a text became part of the page", tc.path)
		}
		if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
			h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", tc.path, h)
		}
	}
	_, page, _ := fetch(t, c, base+"/run/audit", nil)
	if i, j := strings.Index(page, `class="pair"`), strings.Index(page, "rows a second"); i < 0 || j < i {
		t.Errorf("the contradiction is not shown in a pair:\n%s", page)
	}
	expect.OK(t, b.Close())
}

// TestWebChanges: a page is told of a post, and shows it then.
func TestWebChanges(t *testing.T) {
	_, b, at := watchedRun(t, 3)
	c, base := browser(t, at)
	_, page, _ := fetch(t, c, base+"/run/audit", nil)
	_, rest, _ := strings.Cut(page, `data-changes="`)
	stream, _, _ := strings.Cut(rest, `"`)
	for _, path := range []string{stream, "/changes"} {
		resp := expect.Value(c.Get(base + strings.ReplaceAll(path, "&amp;", "&")))(t)
		lines := bufio.NewScanner(resp.Body)
		until := func(line string) bool {
			for lines.Scan() {
				if lines.Text() == line {
					return true
				}
			}
			return false
		}
		begun := "retry: 1000"
		if path == "/changes" { // it tells once, whatever has changed since the page
			begun = "event: change"
		}
		if !until(begun) {
			t.Fatalf("%s: %v", path, lines.Err())
		}
		posted := expect.Value(b.Post(t.Context(), "ben", board.Post{Type: board.Observation, Content: "Late, for " + path}))(t)
		told := until("event: change")
		resp.Body.Close()
		if !told {
			t.Errorf("%s: nothing was told: %v", path, lines.Err())
		}
		if _, page, _ := fetch(t, c, base+"/run/audit", nil); !strings.Contains(page, `id="`+posted.Entry.ID+`"`) {
			t.Errorf("%s: the page has no %s", path, posted.Entry.ID)
		}
	}
}

// TestWebIsBounded: a page of many entries is not longer than what a browser shows at once.
func TestWebIsBounded(t *testing.T) {
	_, _, at := watchedRun(t, 2000)
	c, base := browser(t, at)
	_, page, _ := fetch(t, c, base+"/run/audit", nil)
	const most = 150 << 10
	if len(page) > most || strings.Count(page, "<article") < 50 {
		t.Errorf("%d bytes with %d items", len(page), strings.Count(page, "<article"))
	}
	if !strings.Contains(page, " of 2,001</small>") {
		t.Error("the page does not say how many there are")
	}
}

// TestWebOfARealRun: a run of many workers, questions and long texts is no longer either.
func TestWebOfARealRun(t *testing.T) {
	_, b, at := watchedRun(t, 1)
	for i := range 230 {
		worker, at := fmt.Sprintf("reader_of_document_%d", i%70), "doc"+strconv.Itoa(i%30)
		entry := expect.Value(b.Post(t.Context(), worker, board.Post{Type: board.Observation, MustSurface: i%2 == 0,
			Content:   fmt.Sprintf("Finding %d: ", i) + strings.Repeat("the notice names the debtor & the amount; ", 1+i%20),
			SourceDoc: at, Evidence: strings.Repeat("the debtor named above ", i%12)}))(t)
		s := expect.Value(b.Signal(t.Context(), worker, board.Raise{Priority: board.Priorities[i%4],
			Content: fmt.Sprintf("Question %d: which of the notices holds, ", i) + strings.Repeat("and since when? ", 8)}))(t)
		if i%4 > 0 {
			expect.Value(b.Waive(t.Context(), worker, s.Signal.ID, "it is answered by "+entry.Entry.ID))(t)
		}
	}
	c, base := browser(t, at)
	_, page, _ := fetch(t, c, base+"/run/audit", nil)
	const most = 150 << 10
	if len(page) > most || strings.Count(page, "<article") < 80 {
		t.Errorf("%d bytes with %d items", len(page), strings.Count(page, "<article"))
	}
}

func TestWebRefuses(t *testing.T) {
	dir, _, at := watchedRun(t, 1)
	c, base := browser(t, at)
	stranger := &http.Client{}
	for _, tc := range []struct {
		what, path string
		client     *http.Client
		change     func(*http.Request)
		status     int
		says       string
	}{
		{"no token", "/", stranger, nil, 401, "no token"},
		{"another token", "/?token=AAAA", stranger, nil, 401, "no token"},
		{"no token for a file", "/style.css", stranger, nil, 401, "no token"},
		{"another host", "/", c, func(r *http.Request) { r.Host = "rebound.example:80" }, 403, "this machine"},
		{"another page", "/", c, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403, "this machine"},
		{"a write", "/run/audit", c, func(r *http.Request) { r.Method = http.MethodPost }, 405, "only to read"},
		{"no such run", "/run/none", c, nil, 404, "none"},
		{"no name", "/run/..%2f..%2fetc", c, nil, 404, "no page"},
		{"no such page", "/run/audit/secrets", c, nil, 404, "no page"},
		{"no moment", "/run/audit?at=0", c, nil, 400, "at="},
		{"too late a moment", "/run/audit?at=999", c, nil, 404, "no event 999"},
	} {
		status, body, _ := fetch(t, tc.client, base+tc.path, tc.change)
		if status != tc.status || !strings.Contains(body, tc.says) || strings.Contains(body, "<") {
			t.Errorf("%s: %d %q", tc.what, status, body)
		}
	}
	client := patient(placeOf(t, dir), "test", filepath.Join(dir, "model"))
	defer client.Close()
	if again, err := client.Web(t.Context(), ""); err != nil || again != at {
		t.Errorf("the second time it is %v, %v; the first time %v", again, err, at)
	}
	if _, err := client.Web(t.Context(), "127.0.0.1:1"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("at another port: %v", err)
	}
}

// TestWebIsForThisMachine: others do not get at the pages.
func TestWebIsForThisMachine(t *testing.T) {
	r := start(t, home(t), nil)
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.com:80", "127.0.0.1"} {
		if at, err := r.client(t).Web(t.Context(), addr); fault.KindOf(err) != fault.Usage {
			t.Errorf("%s: %v, %v", addr, at, err)
		}
	}
}
