package minilm

import (
	"errors"
	"math"

	"blackboard/embed"
)

// pooling is how the token vectors of a text become one vector.
type pooling string

const (
	poolMean pooling = "mean"
	poolCLS  pooling = "cls" // the vector of the first token
	poolMax  pooling = "max" // the maximum at each index
)

// pool returns one vector, not normalized; tokens is not empty. hugot has only the mean.
func (p pooling) pool(tokens [][]float32, dim int) embed.Vector {
	v := make(embed.Vector, dim)
	copy(v, tokens[0])
	if p == poolCLS {
		return v
	}
	for _, token := range tokens[1:] {
		for i, x := range token {
			if p == poolMean {
				v[i] += x // the sum differs from the mean only in length
			} else {
				v[i] = max(v[i], x)
			}
		}
	}
	return v
}

// normalizeFinite scales v in place to length 1, zeros stay; it refuses NaN and infinity.
func normalizeFinite(v embed.Vector) (embed.Vector, error) {
	v.Normalize()
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, errors.New("its numbers are not finite")
		}
	}
	return v, nil
}
