package kb

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared/potion"
)

// docQuestions were written before anything was asked, from what one knows of the libraries: a
// question, the document that answers it, and words that the section with the answer must have.
var docQuestions = []struct{ question, document, answer string }{
	{"how do I make a flag required in a cli app", `cli/v2.*flags\.md`, `Required: true`},
	{"take an exclusive file lock without blocking", `flock.*README`, `TryLock`},
	{"render a table with a border and styled rows in the terminal", `lipgloss.*README`, `table\.New|Rendering Tables`},
	{"attach a stack trace to an error and retrieve its original cause", `pkg/errors.*README`, `errors\.Cause`},
	{"print a number of bytes as a size that people can read", `go-humanize.*README`, `(?i)bytes`},
	{"change the log verbosity level of klog", `klog.*README`, `verbosity|-v `},
	{"run an onnx model for text embeddings in pure Go without cgo", `gomlx.*README`, `(?i)cgo|pure Go|native Go`},
	{"how many files can be watched at once, inotify limits on linux", `fsnotify.*README`, `max_user_watches`},
	{"which languages does the stemmer support", `snowball.*README`, `Swedish`},
	{"fail on unknown fields when decoding TOML strictly", `go-toml.*README`, `(?i)strict`},
}

// TestIngestDocs ingests the documents of the modules that this one depends on, and asks the
// questions. What it finds is logged; it fails if it is less than it was.
func TestIngestDocs(t *testing.T) {
	cost.SkipUnlessLong(t)
	cmd := exec.Command("go", "list", "-m", "-f", "{{if and .Dir (not .Main)}}{{.Dir}}{{end}}", "all")
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	out, err := cmd.Output()
	dirs := strings.Fields(string(out))
	for _, module := range []string{"urfave/cli", "gofrs/flock", "charmbracelet/lipgloss", "pkg/errors", "go-humanize", "klog", "gomlx", "fsnotify", "snowball", "go-toml"} {
		if !slices.ContainsFunc(dirs, func(d string) bool { return strings.Contains(d, module) }) {
			t.Skipf("the module cache has no sources of %s (%v)", module, err)
		}
	}
	emb := potion.Open(t)
	k := newKB(t, emb)
	r := expect.Value(k.Ingest(t.Context(), dirs, IngestOptions{Scope: "universal"}))(t)
	t.Logf("%d documents, %d sections, %d refused", len(r.New), r.Capsules, len(r.Refused))
	again, err := k.Ingest(t.Context(), dirs, IngestOptions{Scope: "universal"})
	if err != nil || again.Unchanged != len(r.New) || again.Capsules != 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	modes := []string{ModeBM25}
	if emb != nil {
		modes = append(modes, ModeHybrid)
	}
	for _, mode := range modes {
		found := 0
		for _, q := range docQuestions {
			document, answer := regexp.MustCompile(q.document), regexp.MustCompile(q.answer)
			hits := ask(t, k, Query{Text: q.question, Mode: mode, Limit: 5}).Hits
			at := 1 + slices.IndexFunc(hits, func(h Hit) bool { return document.MatchString(h.Source) && answer.MatchString(h.Body) })
			if at > 0 {
				found++
			}
			t.Logf("%-7s #%d  %s", mode, at, q.question)
		}
		t.Logf("%s: %d of %d among the first five", mode, found, len(docQuestions))
		if found < 8 {
			t.Errorf("%s finds %d of the answers; it found 8", mode, found)
		}
	}
}
