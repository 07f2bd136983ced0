package kb

import (
	"errors"
	"io/fs"

	"blackboard/kb/markdown"
)

// markStale marks the sections whose document has changed or gone, for sure.
func (r *Result) markStale() {
	sums := map[string]string{} // by file; "" is unknown
	for i := range r.Hits {
		in := r.Hits[i].Ingested
		if in == nil {
			continue
		}
		sum, known := sums[in.File]
		if !known {
			switch text, err := markdown.Read(in.File); {
			case errors.Is(err, fs.ErrNotExist):
				sum = "gone"
			case err == nil:
				sum = textSum(text)
			}
			sums[in.File] = sum
		}
		switch sum {
		case "", in.SHA256:
		case "gone":
			r.Hits[i].Stale = sum
		default:
			r.Hits[i].Stale = "changed"
		}
	}
}

// Cite returns the source of a hit, with what became of the file since.
func (h *Hit) Cite() string {
	switch h.Stale {
	case "gone":
		return h.Source + " (the file is gone)"
	case "changed":
		return h.Source + " (the file has changed since)"
	}
	return h.Source
}
