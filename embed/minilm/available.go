package minilm

// Choice is a model that can be pulled, with what is published about it.
type Choice struct {
	Name      string `json:"name"` // of the installed model
	Pull      string `json:"pull"` // the argument of `board model pull`
	Bytes     int64  `json:"bytes"`
	Dim       int    `json:"dim"`
	MaxTokens int    `json:"max_tokens"`
	Language  string `json:"language"`
	// mean nDCG@10 of MTEB's 15 English retrieval sets; 0: not published
	Retrieval float64 `json:"retrieval"`
	Note      string  `json:"note"`
}

// Available are the recommended models.
func Available() []Choice {
	all := []Choice{
		{"", DefaultModel, size(allMiniLM), 384, 256, "English", 41.95, "the default"},
		{"", "minishlab/potion-base-8M", 31_000_000, 256, 512, "English", 31.71,
			"static: for CI and small machines, a text in less than a millisecond"},
		{"", "BAAI/bge-small-en-v1.5", 134_000_000, 384, 512, "English", 51.68,
			"better, and half as fast: 12 layers"},
		{"", "BAAI/bge-base-en-v1.5", 436_000_000, 768, 512, "English", 53.25,
			"better still, and seven times as slow"},
	}
	for i, c := range all {
		m, _ := Named(c.Pull) // cannot fail: it is a name
		all[i].Name = m.Name
	}
	return all
}

func size(m Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
