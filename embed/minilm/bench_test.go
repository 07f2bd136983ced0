package minilm

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

// corpus is the first n abstracts of a retrieval set.
func corpus(b *testing.B, n int) []string {
	b.Helper()
	f := expect.Value(os.Open(shared(b, "data", "eval", "scifact", "corpus.jsonl")))(b)
	defer f.Close()
	var texts []string
	for lines := bufio.NewScanner(f); len(texts) < n && lines.Scan(); {
		var doc struct{ Title, Text string }
		expect.OK(b, json.Unmarshal(lines.Bytes(), &doc))
		texts = append(texts, doc.Title+" "+doc.Text)
	}
	return texts
}

func benchmarkEmbed(b *testing.B, e *Embedder, texts []string) {
	b.Helper()
	ctx := context.Background()
	if _, err := e.Embed(ctx, texts); err != nil { // compiles the model for their lengths
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		expect.Value(e.Embed(ctx, texts))(b)
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}

func BenchmarkPotion(b *testing.B) {
	e := open(b, potionDir(b))
	b.Run("query", func(b *testing.B) { benchmarkEmbed(b, e, []string{"how do I rotate the signing keys?"}) })
	b.Run("abstracts", func(b *testing.B) { benchmarkEmbed(b, e, corpus(b, 500)) })
}

// BenchmarkMiniLMShaped costs what MiniLM costs: the work does not depend on the weights.
func BenchmarkMiniLMShaped(b *testing.B) {
	e := open(b, models.Write(b, "minilm-shaped", nil))
	b.Run("14 tokens", func(b *testing.B) { benchmarkEmbed(b, e, []string{strings.Repeat("gate ", 12)}) })
	b.Run("200 tokens", func(b *testing.B) {
		benchmarkEmbed(b, e, strings.SplitAfter(strings.Repeat(strings.Repeat("gate ", 198)+"\n", 4), "\n")[:4])
	})
}

func BenchmarkOpenPotion(b *testing.B) {
	dir := potionDir(b)
	for b.Loop() {
		e := expect.Value(Open(context.Background(), dir))(b)
		e.Close()
	}
}

// BenchmarkTokenizeCorpus reads ordinary prose with the vocabulary of MiniLM and no
// limit.
func BenchmarkTokenizeCorpus(b *testing.B) {
	tok := readTokens(b, miniLMReference(b), 1<<30)
	texts := corpus(b, 2000)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, text := range texts {
			tok.encode(text)
		}
	}
}
