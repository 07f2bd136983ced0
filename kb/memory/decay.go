package memory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Rates say by what share an item keeps its relevance each hour that nobody asks for it. Of conversations nothing fades.
type Rates struct {
	Channel, Workspace, Account float64
}

// DefaultRates leave 17, 43 and 71 % after seven days.
var DefaultRates = Rates{Channel: 0.990, Workspace: 0.995, Account: 0.998}

// ParseRates reads rates like "channel=0.99,workspace=0.995"; those that are left out are the defaults.
func ParseRates(s string) (Rates, error) {
	r := DefaultRates
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		tier, value, _ := strings.Cut(part, "=")
		f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(f > 0 && f <= 1) {
			return r, invalid(fmt.Sprintf("%q is no rate of decay", clip(part, 40)), "write channel=0.99,workspace=0.995,account=0.998: the share that is left after an hour, above 0, at most 1")
		}
		switch strings.TrimSpace(tier) {
		case Channel:
			r.Channel = f
		case Workspace:
			r.Workspace = f
		case Account:
			r.Account = f
		default:
			return r, unknown("tier with a rate of decay", tier, []string{Channel, Workspace, Account})
		}
	}
	return r, nil
}

func (r Rates) of(tier string) float64 {
	switch tier {
	case Channel:
		return r.Channel
	case Workspace:
		return r.Workspace
	case Account:
		return r.Account
	}
	return 1
}

// Relevance says how much an item counts now, from 0 to more than 1: importance × rate^hours × (1 + ln(1 + accesses)), with the hours since the last access.
func (r Rates) Relevance(it *Item, now time.Time) float64 {
	hours := max(0, now.Sub(it.Accessed).Hours())
	return it.Importance * math.Pow(r.of(it.Tier), hours) * (1 + math.Log1p(float64(max(0, it.Accesses))))
}
