package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"blackboard/board/disk"
)

// maxRecord is how much of a transcript's end is read, in bytes.
const maxRecord = 4 << 20

// Settles reports whether the harness's transcript has more outcomes of tools than its
// hooks get.
func (h *Harness) Settles() bool { return h.settle != nil }

// Use is one use of a tool in the harness's transcript.
type Use struct {
	Tool
	Time time.Time // zero if unknown
}

// Settle reads outcomes of tool uses from the end of a harness's transcript. It returns
// the wanted uses, each with its exit code and error, or with the files that it
// changed.
func (h *Harness) Settle(record string, wanted func(*Use) bool) (known []Use, err error) {
	info, err := os.Stat(record)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", record)
	}
	if err != nil {
		return nil, err
	}
	data, _, err := disk.ReadEnd(record, maxRecord)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte("_output\"")) &&
			!bytes.Contains(line, []byte(`"FileChange"`)) && !bytes.Contains(line, []byte(`"tool_result"`)) {
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
