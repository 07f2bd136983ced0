// Package rank orders candidates: it fuses the lanes of a search, diversifies, boosts,
// and cuts off what is too weak. Everything here is a pure function: nothing reads a
// clock, a file or a map's chance order, and nothing but [Sort] changes what it is given.
//
// # The order of a search
//
//	fused := rank.Convex(                                  // or rank.RRF(rank.K, nil, lexical, dense)
//		rank.Lane{Scores: lexical, Weight: 1, Norm: rank.NormMax},
//		rank.Lane{Scores: dense, Weight: 1, Norm: rank.NormNone})
//	placed, moves := rank.Boost(rank.Normalize(fused), rank.Push{ID: 7, Places: 2, Why: "workspace"})
//	hits := rank.MMR(placed, 0.7, 10, func(a, b int64) float64 { return embed.Cosine(vec[a], vec[b]) })
//
// [Floor] drops the tail of what a search found.
//
// # Scales
//
// A lane's scores mean something only next to each other: a cosine lies in -1..1, BM25
// has no upper end, a reciprocal rank with k = 60 is at most 1/61. Adding a constant to
// one of them, or weighing one against another, drowns one of the two. So [Convex] brings
// every lane to 0..1 first, [MMR] does it with relevance, and [Boost] counts in places
// instead of in scores.
//
// # What every function promises
//
//   - No result is NaN or infinite, whatever comes in. A NaN is a missing score: the worst in a sort, nothing in a sum. Where it has
//     to become a number, it becomes -1e300, and scores beyond ±1e300 become ±1e300. (Sort leaves scores as they are.)
//   - [RRF] and [Convex] depend on what is in a list, not on how it is arranged. [Boost] reads it as standing best first,
//     and [MMR] does so between candidates that come out equal.
//   - Among equals the higher id, the newer one, comes first.
package rank
