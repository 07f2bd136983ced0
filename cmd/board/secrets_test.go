package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// labelled is a sentence and the secret in it, "" for none.
type labelled struct{ ID, Kind, Text, Secret string }

// secretStores are the commands that write a text, by the store that they write to.
var secretStores = map[string]func(text string) (args []string, stdin string){
	"knowledge base": func(s string) ([]string, string) {
		return []string{"kb", "remember", "-", "--title", "a note", "--no-embed"}, s
	},
	"memory":  func(s string) ([]string, string) { return []string{"memory", "put", "-", "--no-embed"}, s },
	"journal": func(s string) ([]string, string) { return []string{"memory", "journal", "-"}, s },
	"core":    func(s string) ([]string, string) { return []string{"memory", "core", "-"}, s },
	"topics":  func(s string) ([]string, string) { return []string{"topic", "note", "-"}, s },
	"context": func(s string) ([]string, string) {
		return []string{"context", "write", "--topic", "t", "-", "--no-import", "--no-embed"}, s
	},
	"state":    func(s string) ([]string, string) { return []string{"context", "set", "k", "-", "--string"}, s },
	"board":    func(s string) ([]string, string) { return []string{"post", "-"}, s },
	"question": func(s string) ([]string, string) { return []string{"signal", "-"}, s },
	"board batch": func(s string) ([]string, string) {
		b, _ := json.Marshal(map[string]string{"content": s})
		return []string{"post", "--batch", "-"}, string(b)
	},
}

// TestSecretsInStores writes labelled sentences to each store, and looks for their secrets in the
// store's files. BOARD_SECRETS names files of other sentences, BOARD_SECRETS_MAX how many of each
// kind are written (0: all), BOARD_BINARY another program to ask.
func TestSecretsInStores(t *testing.T) {
	program, err := exec.LookPath("board")
	if other := os.Getenv("BOARD_BINARY"); other != "" {
		program, err = other, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	most, all := 3, []labelled{}
	if n, err := strconv.Atoi(os.Getenv("BOARD_SECRETS_MAX")); err == nil {
		most = n
	}
	for _, path := range strings.Fields(os.Getenv("BOARD_SECRETS")) {
		all = append(all, readLabelled(t, path)...)
	}
	bound := len(all) == 0
	if bound {
		all = ownSentences
	}
	all = spread(all, most)
	for _, name := range slices.Sorted(maps.Keys(secretStores)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets, found, harmless, touched := 0, 0, 0, 0
			for _, s := range all {
				home := t.TempDir()
				args, stdin := secretStores[name](s.Text)
				stderr, failed := write(t, program, home, args, stdin)
				flagged := strings.Contains(stderr, "looks like a secret")
				switch {
				case failed && !flagged:
					t.Fatalf("%s: %s", s.ID, stderr)
				case s.Secret == "":
					if harmless++; flagged {
						touched++
						t.Logf("harmless, but masked or refused: %s: %s", s.ID, s.Text)
					}
				default:
					if secrets++; !holds(t, home, s.Secret) {
						found++
					} else {
						t.Logf("stored: %s: %s", s.ID, s.Text)
					}
				}
			}
			t.Logf("%d of %d secrets found, %d of %d harmless sentences masked or refused", found, secrets, touched, harmless)
			if bound && (found < secrets || touched > 0) {
				t.Error("all should be found, and none masked or refused")
			}
		})
	}
}

// ownSentences are made here, so that no scanner finds a token in this file.
var ownSentences = []labelled{
	{"token", "token", "OPENROUTER_API_KEY=sk-or-" + "v1-" + strings.Repeat("0a1b2c3d", 8), "sk-or-" + "v1-" + strings.Repeat("0a1b2c3d", 8)},
	{"plain", "plain", "The database password is Rosen!Garten9 at the moment.", "Rosen!Garten9"},
	{"german", "german", "Das Admin-Passwort lautet Schneemann7.", "Schneemann7"},
	{"spoken", "spoken", "Hey, bluecheese42 gets you into the staging admin until Friday.", "bluecheese42"},
	{"number", "number", "Die Schranke am Hof öffnet sich mit 4402.", "4402"},
	{"harmless", "harmless", "The password is hashed before it is stored; the token expires after 15 minutes.", ""},
}

func readLabelled(t *testing.T, path string) (all []labelled) {
	t.Helper()
	data := expect.Value(os.ReadFile(path))(t)
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var s labelled
		expect.OK(t, dec.Decode(&s))
		all = append(all, s)
	}
	return all
}

// spread takes most sentences of each kind, from the whole list.
func spread(all []labelled, most int) (some []labelled) {
	of := map[string][]labelled{}
	for _, s := range all {
		of[s.Kind] = append(of[s.Kind], s)
	}
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		list := of[kind]
		n := len(list)
		if most > 0 {
			n = min(n, most)
		}
		for i := range n {
			some = append(some, list[i*len(list)/n])
		}
	}
	return some
}

func write(t *testing.T, program, home string, args []string, stdin string) (stderr string, failed bool) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "BOARD_HOME="+filepath.Join(home, "home"), "AGENT_STORE_PATH="+filepath.Join(home, "context"), "BOARD_SPEC_ROOT="+filepath.Join(home, "specs"),
		"HOME="+filepath.Join(home, "user"), "BOARD_RUN=r", "BOARD_SESSION=s", "BOARD_WORKER=ann", "BOARD_DAEMON=off", "BOARD_WORKSPACE="+home)
	cmd.Stdin = strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	return errs.String(), err != nil
}

// holds reports whether a file below dir has the secret, of several lines the first.
func holds(t *testing.T, dir, secret string) bool {
	t.Helper()
	secret, _, _ = strings.Cut(secret, "\n")
	found := false
	expect.OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(secret))
		return err
	}))
	return found
}
