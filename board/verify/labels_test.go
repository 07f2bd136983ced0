package verify

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blackboard/board/documents"
)

// labelled is a quote of testdata/verify, which says what its fields are.
type labelled struct {
	ID, Source, Form, How, Label, Invented, Claim string
	From, To                                      int
	Join                                          *struct{ From, To int }
	Edits                                         []struct {
		At, Cut int
		Put     string
	}
	ClaimedLine int `json:"claimed_line"`
	Elsewhere   bool
}

// labelledSource is a document that quotes are cut from.
type labelledSource struct {
	Name, Root, Path, Format, SHA256 string

	data   []byte
	source *Source
}

// Least figures on the labelled quotes, as shares: of altered quotes that are found
// out, of true ones that are doubted, and of true ones with a wrong reference of which
// that is said.
const (
	leastFound   = .98
	mostDoubted  = .02
	leastElsewhe = .98
)

// TestLabels holds the matcher to quotes of real documents that were labelled before it
// was written. The odd ones may be tuned on, the even ones are not.
func TestLabels(t *testing.T) {
	var set struct {
		Sources []*labelledSource
		Quotes  []labelled
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "verify", "quotes.json"))
	if err == nil {
		err = json.Unmarshal(data, &set)
	}
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]*labelledSource{}
	for _, s := range set.Sources {
		if err := s.open(); err != nil {
			t.Skipf(
				"the source %s of the labelled quotes is not the file that they were cut from: %v",
				s.Name,
				err,
			)
		}
		sources[s.Name] = s
	}
	type tally struct{ altered, found, plain, doubted, wrong, said int }
	var all, even tally
	kinds := map[string]*[2]int{} // right, all
	for _, q := range set.Quotes {
		s := sources[q.Source]
		text := q.text(s)
		o := s.source.Check(
			&Finding{Evidence: text, SourceRef: fmt.Sprint("line ", q.ClaimedLine),
				SourceDoc: q.Source, Content: q.Claim},
		)
		right := false
		number, _ := strconv.Atoi(strings.TrimLeft(q.ID, "abcdefghijklmnopqrstuvwxyz-"))
		for _, c := range []*tally{&all, &even} {
			if c == &even && number%2 == 1 {
				continue
			}
			if q.Label == "altered" {
				right = Doubted(o.Verdict)
				c.altered++
				c.found += one(right)
				continue
			}
			right = !Doubted(o.Verdict)
			c.plain++
			c.doubted += one(!right)
			if q.Elsewhere {
				c.wrong++
				c.said += one(strings.Contains(o.Note, "the reference says"))
			}
		}
		kind := q.Label + " " + q.How
		if kinds[kind] == nil {
			kinds[kind] = new([2]int)
		}
		kinds[kind][0] += one(right)
		kinds[kind][1]++
		if !right {
			half := "even"
			if number%2 == 1 {
				half = fmt.Sprintf("%q: %s", text, o.Note)
			}
			t.Logf("%s, %s %s: %s; %s", q.ID, q.Label, q.How, o.Verdict, half)
		}
	}
	for what, c := range map[string]tally{"all": all, "even": even} {
		t.Logf(
			"%s: of %d altered quotes %d are found out, of %d true ones %d are doubted; of %d with a wrong reference it is said of %d",
			what,
			c.altered,
			c.found,
			c.plain,
			c.doubted,
			c.wrong,
			c.said,
		)
	}
	for _, kind := range slices.Sorted(func(yield func(string) bool) {
		for k := range kinds {
			if !yield(k) {
				return
			}
		}
	}) {
		t.Logf("%-20s %d of %d", kind, kinds[kind][0], kinds[kind][1])
	}
	if share(all.found, all.altered) < leastFound || share(all.doubted, all.plain) > mostDoubted ||
		share(all.said, all.wrong) < leastElsewhe {
		t.Errorf("%+v", all)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// open reads the source where this toolchain has it.
func (s *labelledSource) open() error {
	root, err := exec.Command("go", "env", s.Root).Output()
	if err != nil {
		return err
	}
	path := filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(s.Path))
	if s.data, err = os.ReadFile(path); err != nil {
		return err
	}
	if sum := sha256.Sum256(s.data); hex.EncodeToString(sum[:]) != s.SHA256 {
		return fmt.Errorf("its SHA-256 is %x", sum)
	}
	d, err := documents.Open(path)
	s.source = NewSource(d)
	return err
}

// text puts the quote together as testdata/verify/README.md says.
func (q *labelled) text(s *labelledSource) string {
	if q.Invented != "" {
		return q.Invented
	}
	text := q.cut(s, q.From, q.To)
	if q.Join != nil {
		text += " " + q.cut(s, q.Join.From, q.Join.To)
	}
	edits := slices.Clone(q.Edits)
	slices.SortFunc(edits, func(a, b struct {
		At, Cut int
		Put     string
	}) int {
		return cmp.Compare(b.At, a.At)
	})
	for _, e := range edits {
		text = text[:e.At] + e.Put + text[e.At+e.Cut:]
	}
	return text
}

var (
	labelTag     = regexp.MustCompile(`(?s)<!--.*?-->|</?[A-Za-z][^<>]*>`)
	labelComment = regexp.MustCompile(`(?m)^[ \t]*(//[ \t]?|/\*|\*/)`)
	labelBlank   = regexp.MustCompile("[ \t\r\n\f\v]+")
	labelCode    = regexp.MustCompile("`([^`]+)`")
	labelLink    = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
	labelStrong  = regexp.MustCompile(`(?s)\*\*(\S.*?)\*\*`)
	labelEm      = regexp.MustCompile(`(^|[^\w*])\*(\S[^*]*?)\*`)
	labelEm2     = regexp.MustCompile(`(^|[^\w_])_(\S[^_]*?)_([^\w_]|$)`)
	labelKept    = regexp.MustCompile("\x00(\\d+)\x00")
)

func (q *labelled) cut(s *labelledSource, from, to int) string {
	text := string(s.data[from:to])
	switch {
	case q.Form == "exact":
		return text
	case s.Format == "html":
		text = html.UnescapeString(labelTag.ReplaceAllString(text, ""))
	case s.Format == "go":
		text = labelComment.ReplaceAllString(text, "")
	case s.Format == "markdown" && q.Form == "plain":
		var code []string
		text = labelCode.ReplaceAllStringFunc(text, func(c string) string {
			code = append(code, strings.Trim(c, "`"))
			return fmt.Sprintf("\x00%d\x00", len(code)-1)
		})
		text = labelLink.ReplaceAllString(text, "$1")
		text = html.UnescapeString(labelTag.ReplaceAllString(text, ""))
		text = labelStrong.ReplaceAllString(text, "$1")
		text = labelEm.ReplaceAllString(text, "$1$2")
		text = labelEm2.ReplaceAllString(text, "$1$2$3")
		text = labelKept.ReplaceAllStringFunc(text, func(k string) string {
			n, _ := strconv.Atoi(strings.Trim(k, "\x00"))
			return code[n]
		})
	}
	return strings.Trim(labelBlank.ReplaceAllString(text, " "), " \t\r\n\f\v")
}
