package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/cmd/board/base"
	"blackboard/embed/minilm"
	"blackboard/testdata/expect"
)

// tinyModel writes the model that the script model_pull.txtar carries.
func tinyModel(t *testing.T) string {
	t.Helper()
	script := expect.Value(os.ReadFile(filepath.Join(repo(t), "testdata", "script", "model_pull.txtar")))(t)
	file := func(name string) []byte {
		_, rest, found := strings.Cut(string(script), "\n-- "+name+" --\n")
		text, _, _ := strings.Cut(rest, "\n-- ")
		if !found {
			t.Fatalf("the script has no file %s", name)
		}
		return []byte(text + "\n")
	}
	weights := expect.Value(base64.StdEncoding.DecodeString(strings.ReplaceAll(string(file("tiny.b64")), "\n", "")))(t)
	dir := filepath.Join(t.TempDir(), "tiny")
	expect.OK(t, os.Mkdir(dir, 0o700))
	for name, data := range map[string][]byte{"model.onnx": weights, "tokenizer.json": file("tiny/tokenizer.json"), "config.json": file("tiny/config.json")} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return dir
}

// runModel runs a command and returns its exit code and what it wrote.
func runModel(ctx context.Context, env map[string]string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(ctx, args, func(k string) string { return env[k] }, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// A modelCommand is one whose JSON is held against testdata/json/<name>.txt.
type modelCommand struct {
	name string
	args []string
}

// modelContract is the environment for the commands of models, and these.
func modelContract(t *testing.T) (env map[string]string, all []modelCommand) {
	t.Helper()
	dir, home := tinyModel(t), t.TempDir()
	env = map[string]string{"BOARD_DAEMON": "off", "BOARD_HOME": home}
	return env, []modelCommand{
		{"model_pull", []string{"pull", "tiny", "--from", dir}},
		{"model_verify", []string{"verify"}},
		{"model_use", []string{"use", "tiny"}},
		{"model_list", []string{"list"}},
		{"model_available", []string{"list", "--available"}},
	}
}

// TestModelJSONContract: fields are only added, as in TestJSONContract.
func TestModelJSONContract(t *testing.T) {
	env, commands := modelContract(t)
	for _, c := range commands {
		code, out, errs := runModel(t.Context(), env, append([]string{"model", "--json"}, c.args...)...)
		if code != base.ExitOK || errs != "" {
			t.Fatalf("%s: exit %d: %s", c.name, code, errs)
		}
		var v any
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, out)
		}
		have := map[string]string{}
		shape("", v, have)
		golden := filepath.Join(repo(t), "testdata", "json", c.name+".txt")
		if *updateGolden {
			var lines []string
			for path, kind := range have {
				lines = append(lines, path+"="+kind)
			}
			slices.Sort(lines)
			expect.OK(t, os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		}
		want := expect.Value(os.ReadFile(golden))(t)
		for _, line := range strings.Fields(string(want)) {
			path, kind, _ := strings.Cut(line, "=")
			if now, ok := have[path]; !ok || now != kind && kind != "null" && now != "null" {
				t.Errorf("%s: the contract has %s, the answer %q", c.name, line, now)
			}
		}
	}
}

// TestModelPullFromHub plays a hub: its address comes from the environment, and its failures get
// their exit codes.
func TestModelPullFromHub(t *testing.T) {
	dir := tinyModel(t)
	status := 0
	var asked []string
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath())
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/resolve/"):]
		name = strings.TrimPrefix(strings.TrimPrefix(name, "/resolve/main/"), "/resolve/refs/pr/1/")
		http.ServeFile(w, r, filepath.Join(dir, filepath.FromSlash(name)))
	}))
	defer hub.Close()
	env := map[string]string{"BOARD_DAEMON": "off", "BOARD_HOME": t.TempDir(), "HF_ENDPOINT": hub.URL}
	for _, test := range []struct {
		status, exit int
		words        string
	}{
		{404, base.ExitNotFound, "has no onnx/model.onnx or model.onnx"},
		{403, base.ExitFailure, "refuses config.json of tiny: 403 Forbidden"},
		{500, base.ExitFailure, "500 Internal Server Error"},
	} {
		status = test.status
		code, out, errs := runModel(t.Context(), env, "model", "pull", "org/tiny")
		if code != test.exit || out != "" || !strings.Contains(errs, test.words) || !strings.Contains(errs, "try: ") {
			t.Errorf("%d: exit %d, %q, %q", test.status, code, out, errs)
		}
	}
	status, asked = 0, nil
	code, out, errs := runModel(t.Context(), env, "model", "pull", "org/tiny", "--revision", "refs/pr/1")
	if code != base.ExitOK || !strings.Contains(out, "tiny installed: 3 files") || !slices.Contains(asked, "/org/tiny/resolve/refs%2Fpr%2F1/config.json") {
		t.Errorf("exit %d, %q, %q, asked for %q", code, out, errs, asked)
	}
	// The default model is known to the byte, and this is not it.
	code, _, errs = runModel(t.Context(), env, "model", "pull", "--revision", "main")
	if code != base.ExitFailure || !strings.Contains(errs, "is not the published file") {
		t.Errorf("exit %d, %q", code, errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, errs = runModel(ctx, env, "model", "pull", "org/tiny", "--force")
	if code != base.ExitFailure || !strings.Contains(errs, "interrupted") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestProgressBar(t *testing.T) {
	var errs bytes.Buffer
	b := &pullBar{StatusLine: base.StatusLine{Program: &base.Program{Err: &errs}, Draw: true}, model: "m"}
	b.show(minilm.Progress{File: "onnx/model.onnx", Done: 45_000_000, Total: 90_000_000})
	b.show(minilm.Progress{File: "other", Done: 5})
	b.show(minilm.Progress{Waiting: true})
	b.Clear()
	got := errs.String()
	for _, want := range []string{"\ronnx/model.onnx", "[############............]  50 %  45.0 MB of 90.0 MB", "other  0.0 MB", "waiting for it\n", "\r\x1b[K"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	errs.Reset()
	quiet := &pullBar{StatusLine: base.StatusLine{Program: &base.Program{Err: &errs}}, quiet: true}
	quiet.show(minilm.Progress{File: "x", Done: 1, Total: 2})
	quiet.show(minilm.Progress{Waiting: true})
	quiet.Clear()
	if errs.Len() > 0 {
		t.Errorf("it said %q", &errs)
	}
}
