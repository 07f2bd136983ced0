package page

// Question is what is asked of the knowledge base and the memory, as it is typed.
type Question struct {
	Text    string
	Retired bool // with retired, superseded and forgotten ones
}

// SearchState is the state of a search that is kept when it closes.
type SearchState struct {
	Question
	Chosen string // the capsule at the cursor; "": the best
}
