package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// A release of this machine's platform, which testdata/publish/test.sh has made.
func made(t *testing.T) (dist, binary string) {
	t.Helper()
	dist = os.Getenv("BOARD_TEST_DIST")
	if dist == "" {
		t.Skip("BOARD_TEST_DIST is not set: testdata/publish/test.sh makes a release and sets it")
	}
	return dist, one(t, filepath.Join(dist, "board-v*-"+runtime.GOOS+"-"+runtime.GOARCH))
}

// one is the only file of a pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

func readJSON(t *testing.T, name string) (o object) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return o
}

// pathWith is an environment in which the program is called board, with a data home of its own.
func pathWith(t *testing.T, binary string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(dir, "board")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+t.TempDir(),
		"BOARD_HOME="+t.TempDir(), "BOARD_DAEMON=off", "XDG_RUNTIME_DIR="+t.TempDir())
}

// TestPlugin: each file of the plugin says what its format wants and nothing more, its hooks answer,
// and its servers start.
func TestPlugin(t *testing.T) {
	dist, binary := made(t)
	env := pathWith(t, binary)
	dir := filepath.Join(dist, "plugin")
	allowed := []string{"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
	portable := readJSON(t, filepath.Join(dir, "plugin.json"))
	for name := range portable {
		if !slices.Contains(allowed, name) {
			t.Errorf("plugin.json has %q, which Agent Plugins 1.0 refuses", name)
		}
	}
	if portable["$schema"] != agentPlugins+"plugin.schema.json" || readJSON(t, filepath.Join(dir, "mcp.json"))["$schema"] != agentPlugins+"mcp.schema.json" {
		t.Error("plugin.json or mcp.json does not name its schema")
	}
	skill, err := os.ReadFile(filepath.Join(dir, "skills", "board", "SKILL.md"))
	if err != nil || !bytes.HasPrefix(skill, []byte("---\nname: board\ndescription: ")) || bytes.Contains(skill, []byte("board setup")) {
		t.Errorf("SKILL.md: %v\n%.200s", err, skill)
	}
	for _, name := range []string{"mcp.json", ".mcp.json", "codex.mcp.json", "gemini/gemini-extension.json"} {
		server := readJSON(t, filepath.Join(dir, name))["mcpServers"].(object)["board"].(object)
		args := []string{}
		for _, a := range server["args"].([]any) {
			args = append(args, a.(string))
		}
		speaks(t, name, env, server["command"].(string), args...)
	}
	for _, name := range []string{"hooks/hooks.json", "hooks/codex.json", "gemini/hooks/hooks.json"} {
		events := readJSON(t, filepath.Join(dir, name))["hooks"].(object)
		if len(events) < 4 {
			t.Errorf("%s has the events %v alone", name, slices.Sorted(maps.Keys(events)))
		}
		for event, groups := range events {
			for _, g := range groups.([]any) {
				line := g.(object)["hooks"].([]any)[0].(object)["command"].(string)
				cmd := exec.Command("sh", "-c", line)
				cmd.Env, cmd.Dir = env, t.TempDir()
				cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%q}`, event, cmd.Dir))
				if out, err := cmd.Output(); err != nil || !json.Valid(out) {
					t.Errorf("%s: `%s` says %s: %v", name, line, out, err)
				}
			}
		}
	}
}

// speaks starts an MCP server and asks who it is.
func speaks(t *testing.T, what string, env []string, program string, args ...string) {
	t.Helper()
	cmd := exec.Command("/usr/bin/env", append([]string{program}, args...)...) // it looks into env's $PATH
	cmd.Env, cmd.Dir = env, t.TempDir()
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"serverInfo":{"name":"board"`)) {
		t.Errorf("%s: %s %v answers %s: %v", what, program, args, out, err)
	}
}

// TestRegistry: server.json names the packages that are there, which name it in turn, and each
// bundle starts.
func TestRegistry(t *testing.T) {
	dist, binary := made(t)
	server := readJSON(t, filepath.Join(dist, "server.json"))
	name := server["name"].(string)
	if server["$schema"] != serverSchema || len(server["description"].(string)) > 100 {
		t.Errorf("server.json: %v", server)
	}
	kinds := map[string]bool{}
	for _, p := range server["packages"].([]any) {
		p := p.(object)
		kind, identifier := p["registryType"].(string), p["identifier"].(string)
		kinds[kind] = true
		switch kind {
		case "npm":
			tgz := one(t, filepath.Join(dist, strings.ReplaceAll(strings.TrimPrefix(identifier, "@"), "/", "-")+"-"+p["version"].(string)+".tgz"))
			var manifest packageJSON
			if err := json.Unmarshal(untar(t, tgz)["package/package.json"], &manifest); err != nil || manifest.MCPName != name || manifest.Name != identifier {
				t.Errorf("package.json: %+v: %v", manifest, err)
			}
		case "pypi":
			for file, data := range unzip(t, one(t, filepath.Join(dist, "*.whl"))) {
				if strings.HasSuffix(file, "/METADATA") && !bytes.Contains(data, []byte("\nmcp-name: "+name+"\n")) {
					t.Errorf("the wheel does not name %s: %s", name, data)
				}
			}
		case "mcpb":
			path := filepath.Join(dist, filepath.Base(identifier))
			data, err := os.ReadFile(path)
			if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != p["fileSha256"] {
				t.Errorf("%s: another checksum, or %v", identifier, err)
			}
			files := unzip(t, path)
			var manifest struct {
				Server struct {
					Type      string
					Entry     string `json:"entry_point"`
					MCPConfig struct {
						Command string
						Args    []string
					} `json:"mcp_config"`
				}
			}
			if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || manifest.Server.Type != "binary" {
				t.Fatalf("%+v: %v", manifest, err)
			}
			dir := t.TempDir()
			program := filepath.Join(dir, "server", "board")
			if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, files[manifest.Server.Entry], 0o700); err != nil {
				t.Fatal(err)
			}
			speaks(t, path, pathWith(t, binary), strings.ReplaceAll(manifest.Server.MCPConfig.Command, "${__dirname}", dir), manifest.Server.MCPConfig.Args...)
		}
	}
	if len(kinds) != 3 {
		t.Errorf("server.json has only %v", kinds)
	}
}

// TestLicences: each module of the binary is in the list, with a licence, and its text in every
// package.
func TestLicences(t *testing.T) {
	dist, binary := made(t)
	listed := map[string]string{}
	for _, p := range readJSON(t, one(t, filepath.Join(dist, "*.spdx.json")))["packages"].([]any) {
		p := p.(object)
		listed[p["name"].(string)] = p["licenseConcluded"].(string)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil || len(info.Deps) < 10 {
		t.Fatalf("%v: %v", info, err)
	}
	notices, err := os.ReadFile(filepath.Join(dist, noticesFile+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if listed[m.Path] == "" || !bytes.Contains(notices, []byte(m.Path+" "+m.Version+"\n")) {
			t.Errorf("%s has no licence in the list, or no text in the notices", m.Path)
		}
	}
	packages := []map[string][]byte{unzip(t, one(t, filepath.Join(dist, "*.whl"))), unzip(t, one(t, filepath.Join(dist, "*.mcpb")))}
	tgz, err := filepath.Glob(filepath.Join(dist, "*.tgz"))
	if err != nil || len(tgz) != 2 {
		t.Errorf("npm packages: %v, %v", tgz, err)
	}
	for _, name := range tgz {
		packages = append(packages, untar(t, name))
	}
	if runtime.GOOS == "linux" {
		_, files := imageOf(t, dist)
		packages = append(packages, files)
	}
	for i, files := range packages {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool {
			return filepath.Base(name) == noticesFile && bytes.Equal(files[name], notices)
		}) {
			t.Errorf("package %d has no %s: %v", i, noticesFile, slices.Sorted(maps.Keys(files)))
		}
	}
}

func untar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return untarred(t, data)
}

// untarred are the files of an archive by their names, gzipped or not.
func untarred(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(data)
	if zipped, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		r = zipped
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

func unzip(t *testing.T, name string) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(opened); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// imageOf follows the image from index.json to the files of the layer for this machine, and checks
// each digest on the way.
func imageOf(t *testing.T, dist string) (config object, files map[string][]byte) {
	t.Helper()
	layout := untar(t, one(t, filepath.Join(dist, "*-oci.tar")))
	blob := func(descriptor any) []byte {
		t.Helper()
		sum := strings.TrimPrefix(descriptor.(object)["digest"].(string), "sha256:")
		data := layout["blobs/sha256/"+sum]
		if fmt.Sprintf("%x", sha256.Sum256(data)) != sum || float64(len(data)) != descriptor.(object)["size"] {
			t.Fatalf("the blob %s has other bytes", sum)
		}
		return data
	}
	parse := func(data []byte) (o object) {
		t.Helper()
		if err := json.Unmarshal(data, &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	index := parse(blob(parse(layout["index.json"])["manifests"].([]any)[0]))
	for _, m := range index["manifests"].([]any) {
		if m.(object)["platform"].(object)["architecture"] == runtime.GOARCH {
			manifest := parse(blob(m))
			layer := blob(manifest["layers"].([]any)[0])
			config = parse(blob(manifest["config"]))
			zipped, err := gzip.NewReader(bytes.NewReader(layer))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(zipped)
			if err != nil {
				t.Fatal(err)
			}
			if diff := config["rootfs"].(object)["diff_ids"].([]any)[0]; diff != fmt.Sprintf("sha256:%x", sha256.Sum256(raw)) {
				t.Errorf("the layer is not %v", diff)
			}
			return config, untarred(t, raw)
		}
	}
	t.Fatalf("the image has nothing for %s", runtime.GOARCH)
	return nil, nil
}

// TestImage unpacks the image, and runs it as its user in a namespace that has nothing else.
func TestImage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("namespaces are Linux's")
	}
	dist, _ := made(t)
	config, files := imageOf(t, dist)
	told := config["config"].(object)
	if told["User"] != fmt.Sprintf("%d:%d", nobody, nobody) || told["Volumes"].(object)["/data"] == nil {
		t.Errorf("config: %v", told)
	}
	pool, count := x509.NewCertPool(), 0
	for rest := files["etc/ssl/certs/ca-certificates.crt"]; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		pool.AddCert(c)
		count++
	}
	if count < 100 {
		t.Errorf("the image has %d authorities", count)
	}
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil || os.Getuid() != 0 {
		t.Skipf("no namespace of another user can be made here (%v): the image was unpacked, NOT run", err)
	}
	root := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, files[name], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(root, "data"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	in := func(args ...string) string {
		t.Helper()
		line := []string{"--mount", "--pid", "--net", "--fork", "--root=" + root, "--wd=" + told["WorkingDir"].(string),
			"--setgid", fmt.Sprint(nobody), "--setuid", fmt.Sprint(nobody), told["Entrypoint"].([]any)[0].(string)}
		cmd := exec.Command("unshare", append(line, args...)...)
		for _, v := range told["Env"].([]any) {
			cmd.Env = append(cmd.Env, v.(string))
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("board %v in the image: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := in("version"); out != "board v1.2.3\n" {
		t.Errorf("version: %s", out)
	}
	in("post", "Tokens never expire", "--run", "r", "--worker", "w")
	if out := in("query", "tokens", "--run", "r"); !strings.Contains(out, "Tokens never expire") {
		t.Errorf("query: %s", out)
	}
	if _, err := os.Stat(filepath.Join(root, "data", "boards")); err != nil {
		t.Error(err)
	}
}

// TestCompose: the services of compose.yaml run the image that there is, with commands that exist.
func TestCompose(t *testing.T) {
	dist, binary := made(t)
	data, err := os.ReadFile(filepath.Join(dist, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	prepare, board := file.Services["prepare"], file.Services["board"]
	if prepare.Image != "board:1.2.3" || board.Image != prepare.Image || board.Environment["BOARD_DATABASE_URL"] == "" {
		t.Errorf("%+v", file.Services)
	}
	cmd := exec.Command(binary, append(prepare.Command, "--help")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("board %v: %v\n%s", prepare.Command, err, out)
	}
}
