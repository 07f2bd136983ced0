package minilm

// Choice is a model that can be fetched and used, with what is published about it.
type Choice struct {
	Pull      string  `json:"pull"` // what `board model pull` takes
	Bytes     int64   `json:"bytes"`
	Dim       int     `json:"dim"`
	MaxTokens int     `json:"max_tokens"`
	Language  string  `json:"language"`
	Retrieval float64 `json:"retrieval"` // mean nDCG@10 of MTEB's 15 English retrieval sets; 0: not published
	Note      string  `json:"note"`
}

// Available are models that are worth choosing.
func Available() []Choice {
	return []Choice{
		{DefaultModel, size(allMiniLM), 384, 256, "English", 41.95, "the default"},
		{signedModel, size(known()[1]), 384, 256, "English", 0, "the default in 8 bits, for ONNX Runtime on ARM and on x86-64 with VNNI"},
		{unsignedModel, size(known()[2]), 384, 256, "English", 0, "the same for other x86-64"},
		{"BAAI/bge-small-en-v1.5", 134_000_000, 384, 512, "English", 51.68, "better, and half as fast: 12 layers"},
		{"BAAI/bge-base-en-v1.5", 436_000_000, 768, 512, "English", 53.25, "better still, for ONNX Runtime"},
	}
}

func size(m Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
