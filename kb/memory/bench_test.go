package memory

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// benchText gives words as often as a language does: few of them most of the time.
func benchText(r *rand.Rand, z *rand.Zipf, n int) string {
	s := ""
	for range n {
		s += fmt.Sprintf("w%d ", z.Uint64())
	}
	return s
}

// fill puts n items into scopes in one transaction each, with embeddings if there is an embedder.
func fill(b testing.TB, s *Store, n int, scopes ...Scope) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	z := rand.NewZipf(r, 1.2, 4, 20_000)
	for _, sc := range scopes {
		f := expect.Value(s.file(b.Context(), sc.Tier, true))(b)
		for done := 0; done < n; {
			items := make([]Item, min(1000, n-done))
			texts := make([]string, len(items))
			for i := range items {
				items[i] = Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Content: benchText(r, z, 30), Importance: r.Float64(), Curator: CuratorAgent, Source: "researcher"}
				expect.OK(b, items[i].normalise())
				texts[i] = embeddingText(&items[i])
			}
			vs := make([]embed.Vector, len(items))
			if s.opt.Embedder != nil {
				vs = expect.Value(s.opt.Embedder.Embed(b.Context(), texts))(b)
			}
			expect.OK(b, f.WriteIndex(b.Context(), func(tx *sqlite.Tx) error {
				for i := range items {
					var w []string
					if err := f.add(tx, &items[i], vs[i], &w, VerbPut, ""); err != nil {
						return err
					}
				}
				return nil
			}))
			done += len(items)
		}
	}
}

// BenchmarkMemory measures with 10,000 items in each of the workspace, the account and a channel,
// with embeddings given: the model's own time is not in it. The store is warm.
func BenchmarkMemory(b *testing.B) {
	home := b.TempDir()
	opt := Options{Workspace: filepath.Join(home, "project"), Author: true, Embedder: bag{}}
	s := expect.Value(Open(home, opt))(b)
	defer s.Close()
	conv, _ := expect.Values(s.StartConversation(b.Context(), "", ""))(b)
	fill(b, s, 10_000, Scope{Tier: Workspace}, Scope{Tier: Account}, Scope{Tier: Channel, Channel: DefaultChannel})
	fill(b, s, 100, Scope{Tier: Conversation, Conversation: conv.Ref})
	expect.Value(s.EditNamed(b.Context(), Voice, "", "Plain words, short sentences.", -1))(b)
	r := rand.New(rand.NewPCG(2, 2))
	z := rand.NewZipf(r, 1.2, 4, 20_000)
	n := 0
	b.Run("put", func(b *testing.B) {
		cost.Timed(b, func(int) error {
			n++
			_, err := s.Put(b.Context(), Item{Tier: Workspace, Content: fmt.Sprint(benchText(r, z, 30), n), Importance: .5}, PutOptions{})
			return err
		})
	})
	b.Run("put/words", func(b *testing.B) {
		plain := expect.Value(Open(home, Options{Workspace: opt.Workspace, Author: true}))(b)
		defer plain.Close()
		cost.Timed(b, func(int) error {
			n++
			_, err := plain.Put(b.Context(), Item{Tier: Workspace, Content: fmt.Sprint(benchText(r, z, 30), n), Importance: .5}, PutOptions{})
			return err
		})
	})
	b.Run("read", func(b *testing.B) {
		cost.Timed(b, func(int) error {
			_, err := s.Read(b.Context(), Query{Tiers: []string{Workspace}, Text: benchText(r, z, 6)})
			return err
		})
	})
	b.Run("read/relevance", func(b *testing.B) {
		cost.Timed(b, func(int) error {
			_, err := s.Read(b.Context(), Query{Tiers: []string{Workspace}})
			return err
		})
	})
	b.Run("orient", func(b *testing.B) {
		cost.Timed(b, func(int) error {
			_, err := s.Orient(b.Context(), OrientQuery{Text: benchText(r, z, 6), Conversation: conv.Ref})
			return err
		})
	})
	b.Run("open+read", func(b *testing.B) {
		cost.Timed(b, func(int) error {
			cold, err := Open(home, Options{Workspace: opt.Workspace, Author: true})
			if err != nil {
				return err
			}
			defer cold.Close()
			_, err = cold.Read(b.Context(), Query{Tiers: []string{Workspace}, Text: benchText(r, z, 6)})
			return err
		})
	})
}
