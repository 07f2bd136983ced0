package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"blackboard/board/disk"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// hookEnv is the environment of a data home with a knowledge base, some of whose capsules are
// about tests, and a gate that is calibrated. There is no daemon and no model.
func hookEnv(t testing.TB) map[string]string {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	k := expect.Value(kb.Open(t.Context(), home, kb.Options{}))(t)
	defer k.Close()
	for i := range 20 {
		c := kb.Capsule{Kind: "fact", Scope: "universal", Title: fmt.Sprintf("Unrelated matter %d", i), Body: fmt.Sprintf("The colour of the house number %d was chosen by its owner.", i), Source: "s"}
		if i == 0 {
			c.Title, c.Body = "Tests: run generate first", "go test fails on a fresh clone with undefined schema until make generate has run"
		}
		expect.Value(k.Remember(t.Context(), c, kb.RememberOptions{Force: true}))(t)
	}
	expect.Value(k.Calibrate(t.Context()))(t)
	return map[string]string{"BOARD_HOME": home, "BOARD_SPEC_ROOT": filepath.Join(dir, "specs"), "BOARD_CONFIG_DIR": filepath.Join(dir, "config"), "BOARD_WORKSPACE": dir,
		"BOARD_DAEMON": daemon.Off, "BOARD_HOOK_TIMEOUT": "1m"}
}

const hookPrompt = `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"why do the tests fail with undefined schema on a fresh clone?"}`

// runHook runs the command, and fails unless it ends well, with one JSON object and no word on
// standard error.
func runHook(t testing.TB, env map[string]string, payload []byte, args ...string) string {
	t.Helper()
	env = maps.Clone(env) // what a hook gave up still reads it
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"hook"}, args...), func(k string) string { return env[k] }, bytes.NewReader(payload), &out, &errs)
	var object map[string]any
	if err := json.Unmarshal(out.Bytes(), &object); code != base.ExitOK || errs.Len() > 0 || err != nil || object == nil {
		t.Fatalf("board hook %q with %.300q: exit %d, %q, standard error %q (%v)", args, payload, code, &out, &errs, err)
	}
	return out.String()
}

// TestHookFixtures: every payload of every harness, whole and cut off, has one answer of the
// command.
func TestHookFixtures(t *testing.T) {
	t.Parallel()
	root := filepath.Join(shared(), "fixtures")
	if shared() == "" || !disk.IsDir(root) {
		t.Skip("the payload fixtures are absent (set BOARD_SHARED)")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d fixtures: %v", len(files), err)
	}
	env := hookEnv(t)
	for i, name := range files {
		if cost.Quick() && i%5 > 0 { // the race detector looks at how, not at what
			continue
		}
		data := expect.Value(os.ReadFile(name))(t)
		harness, event := filepath.Base(filepath.Dir(name)), strings.Split(filepath.Base(name), ".")[0]
		for _, percent := range []int{100, 90, 50, 10} {
			runHook(t, env, data[:len(data)*percent/100], event, "--harness", harness)
		}
		runHook(t, env, data)
	}
}

// TestHookBudget: --budget and --limit bound the answer; what is no number counts as not given.
func TestHookBudget(t *testing.T) {
	t.Parallel()
	env := hookEnv(t)
	if out := runHook(t, env, []byte(hookPrompt), "UserPromptSubmit", "--budget", "10"); out != "{}\n" {
		t.Errorf("with ten tokens: %s", out)
	}
	if out := runHook(t, env, []byte(hookPrompt), "UserPromptSubmit", "--budget", "some", "--limit", "1"); !strings.Contains(out, "run generate first") || strings.Count(out, "- [") != 1 {
		t.Errorf("with one capsule: %s", out)
	}
}

// TestHookHungDaemon: a daemon that takes the call and never answers has a part of the time; the
// rest is for the file.
func TestHookHungDaemon(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	env := hookEnv(t)
	env["BOARD_DAEMON"], env["BOARD_HOOK_TIMEOUT"] = daemon.Auto, "7s" // the longest of which a search of the daemon's own limit does not end the half
	short := expect.Value(os.MkdirTemp("", "bh"))(t)
	t.Cleanup(func() { os.RemoveAll(short) })
	env["XDG_RUNTIME_DIR"] = short
	place := expect.Value(daemon.PlaceOf(env["BOARD_HOME"], func(k string) string { return env[k] }))(t)
	expect.OK(t, os.MkdirAll(filepath.Dir(place.Socket), 0o700))
	l := expect.Value(net.Listen("unix", place.Socket))(t)
	t.Cleanup(func() { l.Close() })
	var calls atomic.Int32
	go func() {
		for {
			if _, err := l.Accept(); err != nil { // what is accepted is left alone
				return
			}
			calls.Add(1)
		}
	}()
	if out := runHook(t, env, []byte(hookPrompt), "UserPromptSubmit"); !strings.Contains(out, "run generate first") || calls.Load() == 0 {
		t.Errorf("after %d calls: %s", calls.Load(), out)
	}
	// With the least time there is, it may be that nothing is known; an answer there is.
	env["BOARD_HOOK_TIMEOUT"] = "20ms"
	runHook(t, env, []byte(strings.ReplaceAll(hookPrompt, "s1", "s2")), "UserPromptSubmit")
	// Who insists on the daemon gets nothing, and the log says why.
	env["BOARD_DAEMON"], env["BOARD_HOOK_TIMEOUT"] = daemon.Require, "7s"
	if out := runHook(t, env, []byte(strings.ReplaceAll(hookPrompt, "s1", "s3")), "UserPromptSubmit"); out != "{}\n" {
		t.Errorf("without the daemon that is required: %s", out)
	}
	if log, err := os.ReadFile(filepath.Join(env["BOARD_HOME"], "log", "hooks.log")); err != nil || !strings.Contains(string(log), "the daemon did not answer") {
		t.Errorf("logged: %s (%v)", log, err)
	}
}

// BenchmarkHook runs the prompt's hook of the built program, a whole process for each call, over
// 10,000 capsules: without a daemon, and with one that has the model potion-base-2M warm; and the
// hook of a tool. "true" is what starting any process costs here.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	exe := filepath.Join(dir, "board")
	build := exec.Command("go", "build", "-trimpath", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	model := filepath.Join(shared(), "models", "potion-base-2M")
	if shared() == "" || !disk.IsDir(model) {
		b.Skip("needs potion-base-2M")
	}
	short := expect.Value(os.MkdirTemp("", "bh"))(b)
	b.Cleanup(func() { os.RemoveAll(short) })
	daemonMode := daemon.Off
	call := func(stdin, name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Stdin = strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "BOARD_HOME="+filepath.Join(dir, "home"), "BOARD_MODEL_DIR="+model, "BOARD_WORKSPACE="+dir,
			"BOARD_SPEC_ROOT="+filepath.Join(dir, "specs"), "XDG_RUNTIME_DIR="+short, "BOARD_DAEMON="+daemonMode)
		out, err := cmd.CombinedOutput()
		if err == nil && len(args) > 0 && args[0] == "hook" && !bytes.HasPrefix(out, []byte("{")) {
			err = errors.New("no answer")
		}
		if err != nil {
			return fmt.Errorf("%q: %v\n%s", args, err, out)
		}
		return nil
	}
	var capsules strings.Builder
	capsules.WriteString(`{"v":1,"schema":"blackboard.capsules"}` + "\n")
	for i := range 10_000 {
		fmt.Fprintf(&capsules, `{"kind":"fact","scope":"universal","title":"The %s of the service %d","body":"%s"}`+"\n", benchWord(i), i, benchText(i))
	}
	file := filepath.Join(dir, "capsules.jsonl")
	expect.OK(b, os.WriteFile(file, []byte(capsules.String()), 0o600))
	for _, args := range [][]string{{"kb", "import", file, "--apply"}, {"kb", "calibrate"}} {
		expect.OK(b, call("", exe, args...))
	}
	measure := func(name string, do func(i int) error) {
		b.Run(name, func(b *testing.B) { cost.Timed(b, do) })
	}
	prompt := func(i int) error {
		return call(fmt.Sprintf(`{"session_id":"s%d","prompt":"why does the %s of service %d say that %s?"}`, i, benchWord(i), i, benchText(i)[:60]), exe, "hook", "UserPromptSubmit", "--harness", "claude")
	}
	measure("true", func(int) error { return call("", "true") })
	measure("prompt", prompt)
	daemonMode = daemon.Auto
	expect.OK(b, call("", exe, "daemon", "start"))
	defer call("", exe, "daemon", "stop")
	expect.OK(b, call("", exe, "kb", "search", "warm", "it"))
	measure("daemon", prompt)
	measure("tool", func(i int) error {
		return call(fmt.Sprintf(`{"session_id":"t","tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":"make"}}`, i), exe, "hook", "PostToolUse", "--harness", "claude")
	})
}

// benchWord is one of some thousand words, and benchText a text of them.
func benchWord(i int) string {
	const syllables = "barolumitekanosepidufoge"
	w := ""
	for n := i*7919%4096 + 300; n > 0; n /= 12 {
		w += syllables[n%12*2 : n%12*2+2]
	}
	return w
}

func benchText(i int) string {
	var words []string
	for j := range 60 {
		words = append(words, benchWord(i*31+j*j))
	}
	return strings.Join(words, " ")
}
