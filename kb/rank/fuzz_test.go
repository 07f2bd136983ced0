package rank

import (
	"encoding/binary"
	"math"
	"testing"
)

// candidates reads candidates out of fuzz bytes: ids that meet again, scores that are round, odd
// or anything.
func candidates(data []byte, most int) []Scored {
	var out []Scored
	for len(data) >= 2 && len(out) < most {
		c, kind := Scored{ID: int64(int8(data[0]))}, data[1]
		data = data[2:]
		switch {
		case kind < 64:
			c.Score = odd[int(kind)%len(odd)]
		case kind < 200 || len(data) < 8:
			c.Score = float64(int(kind)-100) / 16
		default:
			c.Score = math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
		}
		out = append(out, c)
	}
	return out
}

// seed bytes: a plain lane, one with twins, one with odd scores.
var seeds = []string{"", "\x01\x90\x02\x80\x03\x70", "\x01\x90\x01\x80\x02\x80\x02\x90\x03\x70", "\x01\x00\x02\x01\x03\x02\x04\x07\x05\x08", "\x01\xff\x01\x02\x03\x04\x05\x06\xef\x7f"}

func FuzzMMR(f *testing.F) {
	for _, a := range seeds {
		f.Add([]byte(a), .7, 3, uint64(1))
	}
	f.Add([]byte(seeds[2]), nan, -1, uint64(2))
	f.Fuzz(func(t *testing.T, a []byte, lambda float64, limit int, seed uint64) {
		checkMMR(t, candidates(a, 25), lambda, min(limit, 1000), seed)
	})
}

func FuzzBoost(f *testing.F) {
	for _, a := range seeds {
		f.Add([]byte(a), []byte("\x01\x02\x03\xfe"), math.MaxInt)
	}
	f.Fuzz(func(t *testing.T, a, pushes []byte, far int) {
		var p []Push
		for ; len(pushes) >= 2 && len(p) < 20; pushes = pushes[2:] {
			p = append(p, Push{int64(int8(pushes[0])), int(int8(pushes[1])), ""})
			if pushes[1] == 0x80 {
				p[len(p)-1].Places = far
			}
		}
		checkBoost(t, candidates(a, 30), p)
	})
}
