package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxRecord is how much of the end of a harness's own record is read, in bytes.
const maxRecord = 4 << 20

// Settles says whether the harness's own record tells more of how tools went than its hooks do.
func (h *Harness) Settles() bool { return h.settle != nil }

// Settle reads from the end of a harness's own record how uses of tools went: those that are asked
// for by their IDs, each with its exit code and what went wrong.
func (h *Harness) Settle(record string, asked func(id string) bool) (known []Tool, err error) {
	info, err := os.Stat(record)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", record)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(record)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at := max(0, info.Size()-maxRecord)
	data, err := io.ReadAll(io.NewSectionReader(f, at, maxRecord))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte("_output\"")) {
			continue
		}
		if o, err := parse(line); err == nil {
			if use, ok := h.settle(o); ok && use.ID != "" && asked(use.ID) {
				known = append(known, use)
			}
		}
	}
	return known, nil
}
