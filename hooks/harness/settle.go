package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// maxRecord is how much of the end of a harness's own record is read, in bytes.
const maxRecord = 4 << 20

// Settles says whether the harness's own record tells more of how tools went than its hooks do.
func (h *Harness) Settles() bool { return h.settle != nil }

// A Use is one of a tool, as the harness's own record tells it.
type Use struct {
	Tool
	Time time.Time // zero if the record does not say
}

// Settle reads from the end of a harness's own record how uses of tools went: those that are
// wanted, each with its exit code and what went wrong, or with the files that it changed.
func (h *Harness) Settle(record string, wanted func(*Use) bool) (known []Use, err error) {
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
		if !bytes.Contains(line, []byte("_output\"")) && !bytes.Contains(line, []byte(`"FileChange"`)) {
			continue
		}
		o, err := parse(line)
		if err != nil {
			continue
		}
		if tool, ok := h.settle(o); ok && tool.ID != "" {
			use := Use{Tool: tool}
			use.Time, _ = time.Parse(time.RFC3339, o.str("timestamp"))
			if wanted(&use) {
				known = append(known, use)
			}
		}
	}
	return known, nil
}
