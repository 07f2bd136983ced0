package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// types are the annotations in the plugins, which Node reads only in newer versions.
var types = regexp.MustCompile(
	`(?m)^type .*$|: (?:Answer|any|object|unknown|string \| undefined|string|Promise<string>)|<(?:string, )?(?:Promise<string>|string|unknown)>`)

// runPlugin runs a script with the plugin, whose board answers every event with its
// name.
func runPlugin(t *testing.T, h *Harness, script string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no node to run the plugin")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "board")
	answer := "#!/bin/sh\ncat >/dev/null\nprintf '{\"additionalContext\":\"%s\"}' \"$2\"\n"
	expect.OK(t, os.WriteFile(program, []byte(answer), 0o755))
	plugin := types.ReplaceAllString(strings.Replace(h.Plugin(), "@PROGRAM@", program, 1), "")
	main := filepath.Join(dir, "main.mjs")
	expect.OK(t, os.WriteFile(main, []byte(plugin+script), 0o600))
	out, err := exec.Command(node, main).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestTitleGetsNoStart: of a session's requests, the one for its title has no start of
// a session.
func TestTitleGetsNoStart(t *testing.T) {
	for _, h := range []*Harness{opencode, kilo} {
		out := runPlugin(t, h, `
const hooks = await Board({directory: "/p", worktree: "/p"})
const asked = async (first) => {
  const output = {system: [first]}
  await hooks["experimental.chat.system.transform"]({sessionID: "s", model: {id: "m"}}, output)
  console.log(output.system.length + " " + (output.system[1] ?? ""))
}
await asked("You are a title generator. You output ONLY a thread title.")
await asked("You are an interactive CLI tool.")
await hooks.config({agent: {title: {prompt: "Name it."}}})
await asked("Name it.\n")
await asked("You are an interactive CLI tool.")
`)
		if want := "1 \n2 SessionStart\n1 \n2 SessionStart\n"; out != want {
			t.Errorf("%s: %q, want %q", h.Name, out, want)
		}
	}
}
