package board

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Variables that say, by convention, what a run has spent so far: a JSON number each.
// What one worker has spent is in the variable with a dot and the worker's name added:
// tokens.reader-1.
const (
	TokensVariable = "tokens"
	BudgetVariable = "token_budget"
	CostVariable   = "cost" // in whatever is paid
)

// Spent is what a run or a worker has spent; nil if not known.
type Spent struct{ Tokens, Budget, Cost *float64 }

// Spent is what a worker has spent or, with "", the run. If the run does not say, it is
// the sum of its workers.
func (s *State) Spent(worker string) (all Spent) {
	var sum Spent
	for _, v := range s.Variables {
		var n float64
		if json.Unmarshal(v.Value, &n) != nil || n < 0 {
			continue
		}
		name, of, _ := strings.Cut(v.Key, ".")
		into := map[string][2]**float64{
			TokensVariable: {&all.Tokens, &sum.Tokens},
			BudgetVariable: {&all.Budget, nil},
			CostVariable:   {&all.Cost, &sum.Cost},
		}[name]
		switch {
		case into[0] == nil:
		case of == worker:
			*into[0] = &n
		case worker == "" && into[1] != nil:
			if *into[1] == nil {
				*into[1] = new(float64)
			}
			**into[1] += n
		}
	}
	if all.Tokens == nil {
		all.Tokens = sum.Tokens
	}
	if all.Cost == nil {
		all.Cost = sum.Cost
	}
	return all
}

// Describe says it in a few words; "" if nothing is known.
func (s Spent) Describe() string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	var parts []string
	switch {
	case s.Tokens != nil && s.Budget != nil:
		parts = append(parts, number(*s.Tokens)+" of "+number(*s.Budget)+" tokens")
	case s.Tokens != nil:
		parts = append(parts, number(*s.Tokens)+" tokens")
	}
	if s.Cost != nil {
		parts = append(parts, "cost "+number(*s.Cost))
	}
	return strings.Join(parts, ", ")
}
