package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// These tests keep every kind of database open in this process, run commands and tools in
// the same process, and ask the system after each whether the open connections have lost a
// lock. Closing a descriptor of a database, or of its -shm, behind SQLite's back drops all
// locks that the process has on it. Another process then removes the WAL with what was
// acknowledged. Two changes show that the tests catch it: with a sqlite.writable that opens
// and closes the file, as it once did, most commands fail here, from the first post on; with
// a sqlite.File that does not keep its descriptor, those fail that read files.

// locked are bytes of a file that an open connection has locked all the time.
type locked struct {
	path        string
	file        os.FileInfo
	first, last uint64
}

// isHeld reports whether this process has a POSIX lock on the bytes. It asks for the
// locks of each descriptor, since /proc/locks, which lists those of all processes,
// leaves some out when others come and go.
func (l *locked) isHeld(t *testing.T) bool {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("this system does not list descriptors: %v", err)
	}
	for _, fd := range fds {
		if of, err := os.Stat("/proc/self/fd/" + fd.Name()); err != nil || !os.SameFile(of, l.file) {
			continue
		}
		info, _ := os.ReadFile("/proc/self/fdinfo/" + fd.Name()) // nothing: it was closed meanwhile
		// lock: 1: POSIX ADVISORY READ 1234 08:01:5678 128 128
		for line := range strings.Lines(string(info)) {
			f := strings.Fields(line)
			if len(f) != 9 || f[2] != "POSIX" {
				continue
			}
			from, errFrom := strconv.ParseUint(f[7], 10, 64)
			to, errTo := strconv.ParseUint(f[8], 10, 64)
			if errFrom == nil && errTo == nil && from <= l.first && l.last <= to {
				return true
			}
		}
	}
	return false
}

// holding keeps the stores of a contract open, those that there are.
type holding struct {
	t     *testing.T
	c     *contract
	paths []string // of all databases
	open  []io.Closer
	locks []locked
	held  map[string]bool // by path: was it ever open
	m     *memory.Store   // one of those that are open
}

func newHolding(t *testing.T) *holding {
	t.Helper()
	c := newContract(t)
	workspace := expect.Value(filepath.EvalSymlinks(c.dir))(t)
	h := &holding{t: t, c: c, held: map[string]bool{}}
	home := c.env["BOARD_HOME"]
	h.paths = []string{
		sqlite.RunPath(filepath.Join(home, "boards"), "contract"), kb.Path(home),
		memory.AccountPath(home), memory.WorkspacePath(home, workspace),
		filepath.Join(c.env["AGENT_STORE_PATH"], chunks.FileName),
	}
	t.Cleanup(h.close)
	return h
}

func (h *holding) close() {
	for _, o := range h.open {
		o.Close()
	}
	h.open, h.locks = nil, nil
}

// refresh opens what is not open yet, and what is another file by now.
func (h *holding) refresh() {
	t := h.t
	t.Helper()
	current := true
	for _, path := range h.paths {
		file, err := os.Stat(path)
		i := slices.IndexFunc(h.locks, func(l locked) bool { return l.path == path })
		if i < 0 {
			current = current && err != nil
		} else {
			current = current && err == nil && os.SameFile(file, h.locks[i].file)
		}
	}
	if current {
		return
	}
	h.close()
	ctx, home := t.Context(), h.c.env["BOARD_HOME"]
	keep := func(o io.Closer, err error) {
		t.Helper()
		if err == nil {
			h.open = append(h.open, o)
		} else if !errors.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
	}
	b, err := board.Open(ctx, filepath.Dir(h.paths[0]), "contract")
	keep(b, err)
	k, err := kb.OpenExisting(ctx, home, kb.Options{Sync: kb.SyncNever})
	keep(k, err)
	workspace := expect.Value(filepath.EvalSymlinks(h.c.dir))(t)
	m, err := memory.Open(home, memory.Options{Workspace: workspace, Agent: "w"})
	keep(m, err)
	h.m = m
	if _, err := m.Stats(ctx); err != nil { // opens its files
		t.Fatal(err)
	}
	s, _, err := chunks.Open(ctx, h.c.env["AGENT_STORE_PATH"], chunks.Options{})
	keep(s, err)
	for _, path := range h.paths {
		file, err := os.Stat(path)
		if err != nil {
			continue // not made yet
		}
		shm := expect.Value(os.Stat(path + "-shm"))(t)
		// What SQLite has locked in WAL mode (its os_unix.c): the shared range, and the byte
		// that says that the -shm is in use.
		const shared, inUse = 0x40000002, 128
		both := []locked{{path, file, shared, shared + 509}, {path + "-shm", shm, inUse, inUse}}
		for _, l := range both {
			if !l.isHeld(t) {
				t.Fatalf("%s is open, and has no lock", l.path)
			}
			h.locks = append(h.locks, l)
		}
		h.held[path] = true
	}
}

// fill makes every store.
func (h *holding) fill() {
	h.t.Helper()
	for _, line := range []string{
		`new contract`, `start contract`, `kb remember "they are shut" --title doors`, `memory put "of here"`,
		`memory put "of everywhere" --tier account`, `context write content --topic topic`,
	} {
		h.command(line, base.ExitOK)
	}
	h.refresh()
}

// step does something while the stores are open, and sees that they keep their locks.
func (h *holding) step(what string, do func()) {
	h.t.Helper()
	h.refresh()
	do()
	lost := false
	for _, l := range h.locks {
		if !l.isHeld(h.t) {
			h.t.Errorf("%s: the lock on %s is lost", what, l.path)
			lost = true
		}
	}
	if lost {
		h.close() // so that the next step begins with all of them
	}
}

// command runs a command. Its exit code is one of wants, if there are any.
func (h *holding) command(line string, wants ...int) {
	h.t.Helper()
	h.step("board "+line, func() {
		var out bytes.Buffer
		env := func(k string) string { return h.c.env[k] }
		code := run(h.t.Context(), splitWords(line), env, strings.NewReader(""), &out, &out)
		if len(wants) > 0 && !slices.Contains(wants, code) {
			h.t.Errorf("board %s: exit %d: %s", line, code, &out)
		}
	})
}

// lockLines go on where contractCommands end: commands and ways through them that those
// leave out.
var lockLines = []string{
	`source add report.md`, `source rm report.md`,
	`new other`, `start other`, `import export.jsonl -r third`, `rm third --yes`, `rm other --yes`, `runs --check`,
	`signal "q2"`, `signal "q3"`, `claim`, `post "answers it" --addresses s2`, `wait s2`,
	`wait --gate --block none`,
	`claim s3`, `release s3`, `address s3 "answer"`, `state set phase 2`,
	`state set phase 3 --if-match 3`,
	`export -o report.html`, `export -o export.md`, `export -o copy.jsonl`,
	`kb export all.jsonl --documents`, `kb import all.jsonl`, `kb ingest doc.md --prune`,
	`kb learn learned.txt`, `kb curate`, `kb rebuild`,
	`memory export all.json --everything --author --reason test`, `memory import all.json`, `memory scrub account`,
	`memory put "of another project" --workspace specs`, `memory channel create aside`,
	`memory channel describe aside "what is aside"`, `memory channel rm aside`,
	`doctor --full`, `doctor --repair --yes`,
}

// readingLines read files that the user names: %s is a database in use, or its -shm. The
// folders have it in them, see link.
var readingLines = []string{
	`survival %s`, `survival report.md %s`, `post --batch %s`, `import %s -r taken`,
	`topic edit auth --file %s`, `kb ingest %s --force`, `kb ingest linked --force`,
	`kb import %s`, `kb import linked`, `kb import linked/store.db`,
	`kb learn %s`,
	`memory import %s`, `context import --store linked`,
	`context import --store linked/files`, `doctor --full`,
}

// link gives a file more names, under which the folders of readingLines have it.
func (h *holding) link(path string) {
	h.t.Helper()
	h.refresh()
	for _, name := range []string{"linked/notes.md", "linked/store.db", "linked/corpus.jsonl",
		"linked/files/chunks/a.md", "linked/files/state/a.json", "store/store.db"} {
		os.Remove(name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.Link(path, name)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// TestCommandsKeepLocks runs every command that offers an operation of the stores while
// they are open in the same process.
func TestCommandsKeepLocks(t *testing.T) {
	cost.SkipQuick(t)
	h := newHolding(t)
	offers := map[string]bool{}
	commands := (&program{&base.Program{Env: func(string) string { return "" }}}).commands()
	note := func(line string) {
		t.Helper()
		name, _, err := pathAndFlags(commands, splitWords(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for name != "" { // `memory named list` is of `memory named`
			offers[name] = true
			name = name[:max(0, strings.LastIndex(name, " "))]
		}
	}
	h.command(`memory put "of everywhere" --tier account`, base.ExitOK)
	for _, c := range contractCommands {
		note(c.line)
		h.step("board "+c.line, func() { h.c.run(c.name, c.line) })
	}
	delete(h.c.env, "BOARD_WORKER") // a person may do more
	for _, line := range lockLines {
		note(line)
		h.command(line, base.ExitOK)
	}
	talks, err := h.m.Conversations(t.Context(), "", memory.Statuses, 1)
	if err != nil || len(talks) == 0 {
		t.Fatalf("no conversation to invite to: %v", err)
	}
	invite := fmt.Sprintf(`memory conversation invite %s other --author --reason test`, talks[0].Ref)
	note(invite)
	h.command(invite, base.ExitOK)
	expect.OK(t, os.Rename("specs", "moved"))
	adopt := fmt.Sprintf(`memory adopt %s/specs --workspace moved --author --reason test`, h.c.dir)
	note(adopt)
	h.command(adopt, base.ExitOK)
	for kind, table := range operations {
		for name, o := range table {
			if !offers[o.command] && o.command != inside {
				t.Errorf("%s.%s: no line here runs `board %s`", kind, name, o.command)
			}
		}
	}
	for _, path := range h.paths {
		if !h.held[path] {
			t.Errorf("%s was never open", path)
		}
	}
}

// TestReadingKeepsLocks names databases in use, and their -shm, to commands that read
// files. What they make of them does not matter, as long as no lock is lost.
func TestReadingKeepsLocks(t *testing.T) {
	cost.SkipQuick(t)
	cost.SkipShort(t)
	h := newHolding(t)
	h.fill()
	h.command(`topic use auth`, base.ExitOK)
	for _, path := range h.paths {
		for _, suffix := range []string{"", "-shm"} {
			for _, line := range readingLines {
				h.link(path + suffix)
				h.command(strings.ReplaceAll(line, "%s", path+suffix))
			}
		}
	}
}

// TestToolsKeepLocks is the same for an MCP server in this process: for tools of every
// store, and for those that read files.
func TestToolsKeepLocks(t *testing.T) {
	cost.SkipQuick(t)
	h := newHolding(t)
	h.fill()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"mcp", "--profile", "all", "--grant", "all"},
			func(k string) string { return h.c.env[k] }, fromClient, toClient, &errs)
	}()
	c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil))(t)
	call := func(must bool, tool string, args map[string]any) {
		t.Helper()
		h.step(fmt.Sprint(tool, " ", args), func() {
			r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
			if err != nil || must && r.IsError {
				t.Errorf("%s: %+v, %v", tool, r, err)
			}
		})
	}
	for range 2 {
		call(true, "board_post", map[string]any{"content": "found"})
		call(true, "board_state", nil)
		call(true, "kb_search", map[string]any{"query": "doors"})
		call(true, "kb_doctor", nil)
		call(true, "memory_put", map[string]any{"content": "told"})
		call(true, "memory_put", map[string]any{"content": "told everybody", "tier": "account"})
		call(true, "memory_read", map[string]any{"query": "told"})
		call(true, "write_context", map[string]any{"topic": "t", "content": "c"})
		call(true, "search_context", map[string]any{"query": "t"})
		for _, path := range h.paths {
			for _, suffix := range []string{"", "-shm"} {
				h.link(path + suffix)
				file := path + suffix
				call(false, "board_survival", map[string]any{"files": []string{file, "linked/notes.md"}})
				call(false, "board_check", map[string]any{"files": []string{file}, "sources": []string{"linked"}})
				call(false, "kb_ingest", map[string]any{"paths": []string{file, "linked"}})
			}
		}
	}
	h.step("the end of the server", func() {
		c.Close()
		if code := <-done; code != base.ExitOK {
			t.Errorf("exit %d: %s", code, &errs)
		}
	})
}
