package page

// SearchState is the state of a search that is kept when it closes.
type SearchState struct {
	Text   string // the question, as it was typed
	Chosen string // the id of what was chosen; "": the best
}
