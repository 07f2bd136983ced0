package page

// Question is a query with its filters.
type Question struct {
	Text        string
	Mode        string // one of kb.Modes; "": auto
	Kind, Scope string // "": all
	Where       string // one of searchPlacesOf; "": everywhere
	Retired     bool   // without a text: with retired and superseded ones
	Order       int    // without a text: an index of browseOrders
}

// SearchState is the state of a search that is kept when it closes.
type SearchState struct {
	Question
	Chosen  string // the capsule at the cursor; "": the best
	Explain bool   // scores are explained
}
