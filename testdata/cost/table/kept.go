//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// talker is a process that answers one line with one line.
type talker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *bench) talk(cmd *exec.Cmd) (*talker, error) {
	t := &talker{cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.in, t.out = in, bufio.NewReaderSize(out, 1<<20)
	b.ends = append(b.ends, func() { in.Close(); _ = cmd.Wait() })
	return t, cmd.Start()
}

// ask sends a line and waits for the answer's.
func (t *talker) ask(line string) (cost, string, error) {
	before, begin := state(t.cmd).cpu, time.Now()
	if _, err := io.WriteString(t.in, line+"\n"); err != nil {
		return cost{}, "", err
	}
	answer, err := t.out.ReadString('\n')
	took := time.Since(begin)
	return cost{took, state(t.cmd).cpu - before}, answer, err
}

// shell is sqlite3 on a database in WAL mode with synchronous=FULL, as ours are.
func (b *bench) shell(file string) *exec.Cmd {
	cmd := exec.CommandContext(b.ctx, "sqlite3", "-batch", file)
	cmd.Dir = b.dir
	return cmd
}

const shellTable = `PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS ` +
	`entries(id INTEGER PRIMARY KEY, at TEXT, worker TEXT, content TEXT);`

const shellInsert = `INSERT INTO entries(at,worker,content) VALUES(datetime(),'w','a finding about ` +
	`a thing');`

// hasShell says whether SQLite's shell is installed, and notes it if not.
func (b *bench) hasShell() bool {
	_, err := exec.LookPath("sqlite3")
	if err != nil && len(b.notes) == 0 {
		b.note("sqlite3 is not installed: the rows of SQLite's shell are left out")
	}
	return err == nil
}

// posts are one post and one read by id over a connection that is kept, beside SQLite's shell
// at the same safety.
func (b *bench) posts() error {
	if b.hasShell() {
		t, err := b.talk(b.shell(filepath.Join(b.dir, "kept.db")))
		if err != nil {
			return err
		}
		if _, _, err := t.ask(shellTable); err != nil { // journal_mode answers
			return err
		}
		b.addTalk("sqlite3 kept: insert", "", 0, t, shellInsert+" SELECT 'ok';", "ok")
		b.addTalk("sqlite3 kept: read by id", "", 0, t, "SELECT content FROM entries WHERE id=1;", "a ")
	}
	for i, exe := range b.boards {
		name := "MCP "
		if i > 0 {
			name = exe + " " + name
		}
		if err := b.postsOver(name, exe, fmt.Sprint("mcp", i)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) postsOver(name, exe, dir string) error {
	home, err := b.home(dir)
	if err != nil {
		return err
	}
	c := call{exe: exe, home: home}
	if err := b.do(c, []string{"new", "r"}, []string{"post", "first"}, []string{"kb", "remember",
		"--title", "The thing of a service fails", "It fails when the service is new."}); err != nil {
		return err
	}
	t, err := b.talk(b.command(c, "mcp", "--profile", "all", "--grant", "all"))
	if err != nil {
		return err
	}
	if _, _, err := t.ask(request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"table","version":"1"}}`)); err != nil {
		return err
	}
	if _, err := io.WriteString(t.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+
		"\n"); err != nil {
		return err
	}
	id, err := b.firstCapsule(c)
	if err != nil {
		return err
	}
	b.addTalk(name+"board_post", "sqlite3 kept: insert", 0, t, tool("board_post",
		`{"content":"a finding about a thing","source_doc":"a.go"}`), "e")
	b.addTalk(name+"write_context", "sqlite3 kept: insert", 0, t, tool("write_context",
		`{"topic":"a thing","content":"a finding about a thing"}`), "saved")
	b.addTalk(name+"board_show", "sqlite3 kept: read by id", 4, t, tool("board_show", `{"id":"e1"}`),
		"first")
	b.addTalk(name+"kb_get", "sqlite3 kept: read by id", 4, t, tool("kb_get", `{"id":"`+id+`"}`),
		"thing")
	return nil
}

// firstCapsule is the id of the capsule that a base has.
func (b *bench) firstCapsule(c call) (string, error) {
	out, err := b.command(c, "kb", "list", "--json").Output()
	if err != nil {
		return "", err
	}
	var list struct{ Capsules []struct{ ID string } }
	if err := json.Unmarshal(out, &list); err != nil || len(list.Capsules) == 0 {
		return "", fmt.Errorf("no capsule in %.200s: %w", out, err)
	}
	return list.Capsules[0].ID, nil
}

func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func tool(name, args string) string {
	return request("tools/call", `{"name":"`+name+`","arguments":`+args+`}`)
}

// addTalk adds a row of one question, whose answer must have a text and no error.
func (b *bench) addTalk(name, floor string, aim float64, t *talker, line, has string) {
	b.add(name, floor, aim, func() (cost, error) {
		took, answer, err := t.ask(line)
		if err == nil && (!strings.Contains(answer, has) || strings.Contains(answer, `"isError":true`)) {
			err = fmt.Errorf("the answer is %.300s", answer)
		}
		return took, err
	})
}
