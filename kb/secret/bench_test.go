package secret

import (
	"strings"
	"testing"
)

// plainProse has no keyword, which is rarer than it seems: "they" and the end of a sentence are
// two. prose has the usual ones.
var (
	plainProse = repeat("The retry worker waits 30 ms, then doubles it up to a minute; we saw no loss in 14 runs (load 250/r) ", 64<<10)
	prose      = repeat("They found that the access key of the batch job expires, so the worker asks for a new token. See the docs of the API. ", 64<<10)
)

func repeat(s string, size int) string { return strings.Repeat(s, size/len(s)+1)[:size] }

func BenchmarkFind(b *testing.B) {
	token := " gh" + "p_" + newMaker(5).of(mixed, 36) + " "
	for name, text := range map[string]string{
		"plain 1K": plainProse[:1<<10], "plain 64K": plainProse,
		"prose 1K": prose[:1<<10], "prose 64K": prose,
		"secret 1K": prose[:500] + token + prose[:500],
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text)
			}
		})
	}
}

func BenchmarkMask(b *testing.B) {
	m := newMaker(6)
	var many strings.Builder
	for many.Len() < 64<<10 {
		many.WriteString("token=gh" + "p_" + m.of(mixed, 36) + "; ")
	}
	for name, text := range map[string]string{"prose 1K": prose[:1<<10], "secrets 64K": many.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Mask(text)
			}
		})
	}
}

// BenchmarkRead is what the first Find of a process does before it looks at the text.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		readShapes()
	}
}
