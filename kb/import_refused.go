package kb

// Refused is a thing that cannot become a capsule, and why.
type Refused struct {
	From string `json:"from"`
	Why  string `json:"why"`
}
