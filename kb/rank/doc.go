// Package rank orders candidates: it weighs words and meaning, fuses lists, diversifies, boosts,
// and judges how sure a text is to be about a question. Everything here is a pure function: nothing
// reads a clock, a file or a map's chance order, and nothing but [Sort] changes what it is given.
//
// # The order of a search
//
//	scale := rank.ScaleOf("all-MiniLM-L6-v2")              // "": by words alone
//	list := []rank.Scored{{7, scale.Score(terms, bm25, cosine)}} // … of each candidate of both lanes
//	rank.Sort(list)
//	placed, moves := rank.Boost(rank.Normalize(list), rank.Push{ID: 7, Places: 2, Why: "workspace"})
//	hits := rank.MMR(placed, 0.7, 10, func(a, b int64) float64 { return embed.Cosine(vec[a], vec[b]) })
//
// [Question.Of] is the evidence of each hit, and [Scale.Least] the evidence from which it
// counts. [Reciprocal] fuses lists whose scores cannot be compared.
//
// # What every function promises
//
//   - No result is NaN or infinite, whatever comes in. A NaN is a missing score: the worst
//     in a sort, nothing in a sum. Where it has to become a number, it becomes -1e300, and
//     scores beyond ±1e300 become ±1e300. (Sort leaves scores as they are.)
//   - [Boost] reads a list as standing best first, and [MMR] does so between candidates that
//     come out equal.
//   - Among equals the higher id, the newer one, comes first.
package rank
