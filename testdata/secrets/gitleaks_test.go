// Package secrets holds kb/secret against gitleaks: `go test -v ./...` in this folder prints where
// they differ. It is a module of its own, so that the program does not depend on gitleaks.
package secrets

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"blackboard/kb/secret"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// differs is why we do not recognise a gitleaks rule's tokens, or only some. Rules with a path do
// not apply to a text.
var differs = map[string]string{
	"curl-auth-user":           "quotes within an argument; passwords of three characters",
	"facebook-access-token":    "only as the value of a name, since two numbers with a bar are common",
	"generic-api-key":          "a value with = inside is another name with its value",
	"nytimes-access-token":     "names do not have a comma inside",
	"private-key":              "the kind of key is in capitals, and a line has forty characters",
	"curl-auth-header":         "a header of any name, and values that do not look random",
	"sourcegraph-access-token": "40 hex digits in a text that mentions Sourcegraph are a commit",
}

const perRule = 40

// asServices writes what a rule takes in any case as the service does.
var asServices = strings.NewReplacer(`\N`, `\n`, `\R`, `\r`, "clojars_", "CLOJARS_", "eyjrijoi", "eyJrIjoi", "nrjs-", "NRJS-", "nrii-", "NRII-", "nrak-", "NRAK-",
	"aqvn", "AQVN", "atatt3", "ATATT3",
	"xoxP", "xoxp", "xoxB", "xoxb", "-----begin", "-----BEGIN", "private key", "PRIVATE KEY", "key-----", "KEY-----",
	" block-----", " BLOCK-----", "key BLOCK", "KEY BLOCK")

// TestTokens generates tokens from each rule, and asks both for them.
func TestTokens(t *testing.T) {
	d := newDetector(t)
	r := rand.New(rand.NewPCG(1, 2))
	rules, both, theirs := 0, 0, 0
	for _, id := range slices.Sorted(maps.Keys(d.Config.Rules)) {
		rule := d.Config.Rules[id]
		if rule.Regex == nil || rule.Path != nil {
			continue
		}
		re, err := syntax.Parse(rule.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		rules++
		found, missed := 0, []string{}
		for range perRule * 10 {
			if found+len(missed) == perRule {
				break
			}
			text := asServices.Replace(generate(r, re))
			if len(rule.Keywords) > 0 {
				text += "\n# " + rule.Keywords[0]
			}
			if !slices.ContainsFunc(d.DetectString(text), func(f report.Finding) bool { return f.RuleID == id }) {
				continue
			}
			if len(secret.Find(text)) > 0 {
				found++
			} else {
				missed = append(missed, text)
			}
		}
		both, theirs = both+found, theirs+len(missed)
		all := found + len(missed)
		if why := differs[id]; why != "" && len(missed) > 0 {
			t.Logf("%s: %d of %d found: %s", id, found, all, why)
		} else if why != "" || all == 0 || found < all*9/10 {
			t.Errorf("%s: %d of %d found; missed %.150q", id, found, all, missed[:min(3, len(missed))])
		}
	}
	t.Logf("%d rules: of %d tokens that gitleaks finds we find %d", rules, both+theirs, both)
}

// ordinary are texts without a secret: for each name, what makes one.
var ordinary = map[string]func(r *rand.Rand) string{
	"sha":    func(r *rand.Rand) string { return "fixed in " + hex(r, 40) + ", cache key: " + hex(r, 64) },
	"uuid":   func(r *rand.Rand) string { return "request id: " + uuid(r) + " key=" + uuid(r) + "\n" },
	"image":  func(r *rand.Rand) string { return "logo: data:image/png;base64,iVBORw0KGgo" + of(r, base64, 2000) },
	"go.sum": func(r *rand.Rand) string { return "example.com/auth/token v1.2.3 h1:" + of(r, base64, 43) + "=\n" },
	"npm": func(r *rand.Rand) string {
		return `"key-tree": {"version": "1.0.1", "integrity": "sha512-` + of(r, base64, 86) + `=="}`
	},
	"cargo": func(r *rand.Rand) string { return "name = \"secret\"\nchecksum = \"" + hex(r, 64) + "\"\n" },
	"ssh":   func(r *rand.Rand) string { return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + of(r, base64, 43) + " key" },
	"time": func(r *rand.Rand) string {
		return fmt.Sprintf("token_expires: 2026-08-%02dT12:%02d:45Z key=%d\n", r.IntN(28)+1, r.IntN(60), r.Int64())
	},
}

// TestOrdinary: generated texts without a secret, and the files of this project and of the modules
// that it uses.
func TestOrdinary(t *testing.T) {
	d := newDetector(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range slices.Sorted(maps.Keys(ordinary)) {
		ours, theirs := 0, 0
		for range 500 {
			text := ordinary[name](r)
			found := secret.Find(text)
			if len(found) > 0 {
				ours++
				if ours < 3 {
					t.Errorf("%s: %s in %.200q", name, found[0].Rule, text)
				}
			}
			if len(d.DetectString(text)) > 0 {
				theirs++
			}
		}
		t.Logf("%-8s 500 texts: we find %d, gitleaks %d", name, ours, theirs)
	}
}

// TestFiles prints what both find in the files below SECRETS_DIR.
func TestFiles(t *testing.T) {
	dir := os.Getenv("SECRETS_DIR")
	if dir == "" {
		t.Skip("SECRETS_DIR is not set")
	}
	d := newDetector(t)
	files, both, only := 0, 0, [2]int{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || len(b) > 1<<20 || strings.ContainsRune(string(b), 0) {
			return err
		}
		files++
		text := string(b)
		theirs := d.DetectString(text)
		matched := make([]bool, len(theirs))
		for _, f := range secret.Find(text) {
			got, hit := text[f.Start:f.End], false
			for i, o := range theirs {
				if strings.Contains(got, o.Secret) || strings.Contains(o.Secret, got) {
					matched[i], hit = true, true
				}
			}
			if hit {
				both++
			} else {
				only[0]++
				t.Logf("only we: %s:%d: %s: %.100q", path, f.Line, f.Rule, got)
			}
		}
		for i, o := range theirs {
			if !matched[i] {
				only[1]++
				t.Logf("only gitleaks: %s:%d: %s: %.100q", path, o.StartLine+1, o.RuleID, o.Secret)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: both find %d, only we %d, only gitleaks %d", files, both, only[0], only[1])
}

func newDetector(t *testing.T) *detect.Detector {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func of(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func hex(r *rand.Rand, n int) string { return of(r, "0123456789abcdef", n) }

func uuid(r *rand.Rand) string {
	return strings.Join([]string{hex(r, 8), hex(r, 4), hex(r, 4), hex(r, 4), hex(r, 12)}, "-")
}

// generate returns a text that a regexp matches, with few repetitions where any number are
// allowed.
func generate(r *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return strings.ToLower(string(re.Rune)) // as services write it
		}
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) == 2 && re.Rune[0] == 0 { // anything, as between the lines of a key
			return of(r, base64, 1)
		}
		var all []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for c := max(re.Rune[i], ' '); c <= min(re.Rune[i+1], '~'); c++ {
				all = append(all, c)
			}
		}
		if len(all) == 0 {
			return "\n"
		}
		return string(all[r.IntN(len(all))])
	case syntax.OpAnyCharNotNL:
		return "." // what most of them mean
	case syntax.OpAnyChar:
		return of(r, base64, 1)
	case syntax.OpCapture:
		return generate(r, re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least, most := re.Min, re.Max
		switch re.Op {
		case syntax.OpStar:
			least, most = 0, 5
		case syntax.OpPlus:
			least, most = 1, 12
		case syntax.OpQuest:
			least, most = 0, 1
		}
		if most < 0 || most > least+20 {
			most = least + 20
		}
		n := least + r.IntN(most-least+1)
		var b strings.Builder
		for range n {
			b.WriteString(generate(r, re.Sub[0]))
		}
		return b.String()
	case syntax.OpConcat:
		var b strings.Builder
		for _, s := range re.Sub {
			b.WriteString(generate(r, s))
		}
		return b.String()
	case syntax.OpAlternate:
		return generate(r, re.Sub[r.IntN(len(re.Sub))])
	}
	return "" // the ends of words and lines
}
