package minilm

import "blackboard/embed"

// pooling is how the vectors of a text's tokens become one.
type pooling string

const (
	poolMean pooling = "mean"
	poolCLS  pooling = "cls" // the first token's
	poolMax  pooling = "max" // the largest number at each place
)

// pool makes one vector of dim numbers, not scaled to any length. tokens has no padding
// and is not empty.
func (p pooling) pool(tokens [][]float32, dim int) embed.Vector {
	v := make(embed.Vector, dim)
	copy(v, tokens[0])
	if p == poolCLS {
		return v
	}
	for _, token := range tokens[1:] {
		for i, x := range token {
			if p == poolMean {
				v[i] += x // the sum: the mean differs from it in length alone
			} else {
				v[i] = max(v[i], x)
			}
		}
	}
	return v
}
