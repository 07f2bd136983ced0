package hooks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared/potion"
)

// A recallSet is a project's knowledge and prompts, in testdata/recall. The sets were
// written and labelled before anything was searched for, by authors who had not seen
// this code. shop and infra are those on which the constants of package kb were chosen;
// field and audit were kept back.
type recallSet struct {
	name            string
	capsules        []kb.Capsule
	ids             []string // of the capsules, in the set
	on, other, both []recallPrompt
}

type recallPrompt struct {
	Prompt, Class, Text string
	Relevant            []string
}

func readRecallSet(t *testing.T, name string) recallSet {
	t.Helper()
	path := filepath.Join("..", "testdata", "recall", name+".jsonl")
	f := expect.Value(os.Open(path))(t)
	defer f.Close()
	set := recallSet{name: name}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var l struct {
			Capsule, Kind, Title, Body string
			recallPrompt
		}
		expect.OK(t, json.Unmarshal(sc.Bytes(), &l))
		switch {
		case l.Capsule != "":
			set.ids = append(set.ids, l.Capsule)
			set.capsules = append(set.capsules, kb.Capsule{Kind: l.Kind, Scope: "universal",
				Title: l.Title, Body: l.Body})
		case l.Class == "on":
			set.on = append(set.on, l.recallPrompt)
		default:
			set.other = append(set.other, l.recallPrompt)
		}
	}
	set.both = slices.Concat(set.on, set.other)
	return set
}

// goDocs are the doc comments of functions of the toolchain's own library: knowledge
// about something else, to search among.
func goDocs(t *testing.T, kind string, most int) (out []kb.Capsule) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src"),
		func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case len(out) >= most:
				return filepath.SkipAll
			case d.IsDir():
				if slices.Contains([]string{"internal", "vendor", "cmd", "testdata"}, d.Name()) {
					return filepath.SkipDir
				}
				return nil
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(gotoken.NewFileSet(), path, nil,
				parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() &&
					len(strings.Fields(fn.Doc.Text())) > 8 && len(out) < most {
					out = append(out, kb.Capsule{Kind: kind,
						Scope: "universal", Title: f.Name.Name +
							"." + fn.Name.Name, Body: fn.Doc.Text()})
				}
			}
			return nil
		})
	if err != nil || len(out) < most {
		t.Skipf("the sources of the Go library are not here: %d of %d, %v", len(out), most, err)
	}
	return out
}

// recallRates are shares of the prompts.
type recallRates struct{ right, wrong, off, vague, technical float64 }

// recallCount counts what prompts were given.
type recallCount struct {
	asked        map[string]int
	right, wrong int
	something    map[string]int
}

func (c *recallCount) rates() recallRates {
	share := func(n int, class string) float64 {
		return float64(n) / float64(max(1, c.asked[class]))
	}
	return recallRates{share(c.right, "on"), share(c.wrong, "on"), share(c.something["off"],
		"off"), share(c.something["vague"], "vague"), share(c.something["technical"], "technical")}
}

// recallBase is a knowledge base to ask, made from a calibrated empty one.
func recallBase(t *testing.T, empty string, emb embed.Embedder, capsules []kb.Capsule) (*kb.KB,
	[]string) {
	t.Helper()
	home := t.TempDir()
	expect.OK(t, os.CopyFS(home, os.DirFS(empty)))
	k := expect.Value(kb.Open(t.Context(), home, kb.Options{Embedder: emb}))(t)
	var set kb.ImportSet
	for _, c := range capsules {
		set.Items = append(set.Items, kb.Incoming{Capsule: c})
	}
	out := expect.Value(k.Import(t.Context(), &set, kb.ImportOptions{Force: true}))(t)
	if len(out.Stored) != len(capsules) {
		t.Fatalf("%d of %d capsules are stored", len(out.Stored), len(capsules))
	}
	ids := make([]string, len(capsules))
	for i := range out.Stored {
		ids[i] = out.Stored[i].Capsule.ID
	}
	return k, ids
}

// ask gives prompts as a session's only ones, and counts.
func (c *recallCount) ask(t *testing.T, k *kb.KB, names map[string]string,
	prompts []recallPrompt) {
	t.Helper()
	for _, p := range prompts {
		c.asked[p.Class]++
		if trivial(p.Text) {
			continue
		}
		turn := &turn{Config: Config{Searcher: k, Env: func(string) string { return "" }},
			depth: Depths[0]}
		hits := expect.Value(turn.lookup(t.Context(), kb.Query{Text: clip(clean(p.Text), maxQuery),
			Floor: turn.depth.Floor, Peek: true}, &sessionState{}, turn.depth.Items))(t)
		right := slices.ContainsFunc(hits,
			func(h kb.Hit) bool { return slices.Contains(p.Relevant, names[h.ID]) })
		wrong := slices.ContainsFunc(hits,
			func(h kb.Hit) bool { return !slices.Contains(p.Relevant, names[h.ID]) })
		switch {
		case p.Class != "on" && len(hits) > 0:
			c.something[p.Class]++
		case p.Class == "on":
			if right {
				c.right++
			}
			if wrong {
				c.wrong++
			}
		}
	}
}

// recallFloors are a little below what was measured for the sets that were kept back, by
// the number of capsules.
var recallFloors = map[string]map[int]float64{
	"words alone":    {1: 0.9, 5: 0.9, 30: 0.75, 230: 0.55, 3000: 0.5},
	"potion-base-2M": {1: 0.9, 5: 0.9, 30: 0.8, 230: 0.68, 3000: 0.62},
}

// recallSizes are the bases that are measured.
var recallSizes = []struct {
	name                     string
	capsules, sections, most int // most: prompts, or bases of few capsules, that are tried
}{{"1", 1, 0, 15}, {"5", 5, 0, 5}, {"30", 30, 0, 2}, {"230", 230, 0, 1}, {"230 and 60 sections",
	230, 60, 1}, {"230 and 3,000 sections", 230, 3000, 1}, {"3,000", 3000, 0, 1}}

// measureRecall asks in bases of each size, or only in those of at most 300.
func measureRecall(t *testing.T, set recallSet, emb embed.Embedder, empty string, large bool) map[string]recallRates {
	all := map[string]recallRates{}
	for _, size := range recallSizes {
		r := rand.New(rand.NewPCG(1, 2))
		if size.capsules+size.sections > 300 && !large {
			continue
		}
		c := &recallCount{asked: map[string]int{}, something: map[string]int{}}
		per := max(1, size.capsules*2/3) // prompts of a base that it can answer
		tried := 0
		for part := range slices.Chunk(set.on, per) {
			if tried++; tried > size.most {
				break
			}
			var capsules []kb.Capsule
			var names []string
			take := func(i int) {
				if !slices.Contains(names, set.ids[i]) && len(names) < size.capsules {
					names, capsules = append(names, set.ids[i]), append(capsules, set.capsules[i])
				}
			}
			prompts := slices.Concat(part, set.other)
			if size.capsules < len(set.capsules) {
				for _, p := range part {
					for _, id := range p.Relevant {
						take(slices.Index(set.ids, id))
					}
				}
				for len(names) < size.capsules {
					take(r.IntN(len(set.ids)))
				}
			} else {
				prompts = set.both
				for i := range set.ids {
					take(i)
				}
				capsules = slices.Concat(capsules, goDocs(t, "fact", size.capsules-len(set.ids)))
			}
			capsules = slices.Concat(capsules, goDocs(t, kb.KindDoc, size.sections))
			k, ids := recallBase(t, empty, emb, capsules)
			byID := map[string]string{}
			for i, name := range names {
				byID[ids[i]] = name
			}
			c.ask(t, k, byID, prompts)
			expect.OK(t, k.Close())
		}
		all[size.name] = c.rates()
	}
	return all
}

// TestRecallQuality measures what prompts are given unasked in bases of several sizes:
// the right capsule, something else, or something where nothing is known.
func TestRecallQuality(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	embedders := map[string]embed.Embedder{"words alone": nil}
	if m := potion.Open(t); m != nil {
		embedders["potion-base-2M"] = m
	}
	for mode, emb := range embedders {
		empty := t.TempDir()
		k := expect.Value(kb.Open(t.Context(), empty, kb.Options{Embedder: emb}))(t)
		c := expect.Value(k.Calibrate(t.Context()))(t)
		k.Close()
		t.Logf("%s: the threshold is %.3f", mode, c[0].Threshold)
		sets := []string{"field", "audit", "shop", "infra"}
		if !cost.Long() {
			sets = sets[:2] // those that are held
		}
		if cost.Quick() {
			sets = sets[:1]
		}
		large := "audit" // of those that are held, the one that is asked in large bases
		if emb == nil {
			large = "field"
		}
		for _, name := range sets {
			held := name == "field" || name == "audit"
			all := measureRecall(t, readRecallSet(t, name), emb, empty, name == large && cost.Long())
			table := fmt.Sprintf("%-16s %-24s right wrong  off  vague technical", mode, name)
			for _, size := range recallSizes {
				if r, ok := all[size.name]; ok {
					table += fmt.Sprintf("\n%-16s %-24s %5.2f %5.2f %5.2f %5.2f %5.2f", "",
						size.name, r.right, r.wrong, r.off, r.vague, r.technical)
					least := recallFloors[mode][size.capsules]
					given := 0.1
					if size.sections == 3000 {
						given = 0.15
					}
					if held && r.right < least || r.wrong > 0.2 ||
						max(r.off, r.vague, r.technical) > given {
						t.Errorf("%s, %s, %s: right %.2f (at least %.2f), wrong %.2f, given for nothing %.2f %.2f %.2f", mode, name, size.name, r.right, least, r.wrong, r.off, r.vague, r.technical)
					}
				}
			}
			t.Log(table)
		}
	}
}
