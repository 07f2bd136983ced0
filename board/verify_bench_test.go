package board

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// BenchmarkVerify holds 100,000 entries against 200 documents of 300 KiB: 10,000 with a
// quote, of which each third one is altered, and 40,000 that name a source without one.
func BenchmarkVerify(bench *testing.B) {
	const documents, entries, quotes = 200, 100_000, 10_000
	dir := bench.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf(
			"%c%c%s",
			'a'+i%26,
			'a'+i/26%26,
			strings.Repeat(string(rune('a'+i/676)), 1+i%7),
		)
	}
	sentences := make([][]string, documents)
	for d := range documents {
		var b strings.Builder
		for b.Len() < 300<<10 {
			words := make([]string, 14)
			for i := range words {
				words[i] = vocabulary[int(r.ExpFloat64()*2000)%len(vocabulary)]
			}
			words[r.IntN(14)] = fmt.Sprint(r.IntN(100_000))
			s := strings.Join(words, " ")
			sentences[d] = append(sentences[d], s)
			b.WriteString(s + ".\n")
		}
		expect.OK(bench, os.WriteFile(filepath.Join(dir, fmt.Sprintf("doc%d.md", d)), []byte(b.String()), 0o644))
	}
	b := expect.Value(OpenOrCreate(bench.Context(), bench.TempDir(), "bench"))(bench)
	defer b.Close()
	for at := 0; at < entries; at += MaxBatch {
		posts := make([]Post, MaxBatch)
		for i := range posts {
			n := at + i
			d := n % documents
			s := sentences[d][n%len(sentences[d])]
			posts[i] = Post{Content: fmt.Sprintf("Finding %d: %s", n, s[:40])}
			if n < entries/2 {
				posts[i].SourceDoc, posts[i].Content = fmt.Sprintf("doc%d", d), "We saw "+s
			}
			if n < quotes {
				if posts[i].Evidence = s; n%3 == 0 {
					posts[i].Evidence = strings.Replace(s, " ", " not ", 3)
				}
			}
		}
		expect.Value(b.PostBatch(bench.Context(), "w", posts))(bench)
	}
	files := expect.Value(verify.FindFiles(dir))(bench)
	for bench.Loop() {
		v := expect.Value(b.Verify(bench.Context(), "w", VerifyOptions{Files: files, NoRecord: true}))(bench)
		if v.Checked != entries/2 || v.Doubted < quotes/3 {
			bench.Fatalf("%d checked, %d doubted", v.Checked, v.Doubted)
		}
	}
}
