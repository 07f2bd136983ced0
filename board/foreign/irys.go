package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"blackboard/board/fault"
)

// maxIrys bounds an Irys board, in bytes.
const maxIrys = 256 << 20

// MaxRead is how many bytes of an input to read: one more than an Irys board may have.
const MaxRead = maxIrys + 1

// The fields of each object of an Irys board that our boards have too; the others are kept in
// the log.
var (
	irysBoardFields = []string{"task_instruction", "entries", "signals"}
	irysEntryFields = []string{"id", "type", "content", "source", "confidence", "tags", "status",
		"supports", "contradicts", "supersedes", "addresses_signals"}
	irysSignalFields = []string{"id", "content", "priority", "status", "addressed_by"}
)

// UnmarshalJSON reads the object, and keeps the fields that our boards do not have.
func (b *Board) UnmarshalJSON(data []byte) error {
	type plain Board
	return decodeWithRest(data, (*plain)(b), &b.Extra, irysBoardFields)
}

// UnmarshalJSON reads the object, and keeps the fields that our boards do not have.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type plain Entry
	return decodeWithRest(data, (*plain)(e), &e.Extra, irysEntryFields)
}

// UnmarshalJSON reads the object, and keeps the fields that our boards do not have.
func (s *Signal) UnmarshalJSON(data []byte) error {
	type plain Signal
	return decodeWithRest(data, (*plain)(s), &s.Extra, irysSignalFields)
}

// decodeWithRest decodes an object into a struct and keeps the other fields.
func decodeWithRest(
	data []byte, into any, rest *map[string]json.RawMessage, taken []string,
) error {
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	if err := json.Unmarshal(data, rest); err != nil {
		return err
	}
	for k, v := range *rest {
		if slices.Contains(taken, k) || string(v) == "null" {
			delete(*rest, k)
			continue
		}
		var c bytes.Buffer
		if err := json.Compact(&c, v); err != nil {
			return err
		}
		(*rest)[k] = c.Bytes()
	}
	return nil
}

// ReadIrys reads an Irys board. It checks the format, and not what the fields say.
func ReadIrys(data []byte) (*Board, error) {
	if len(data) > maxIrys {
		return nil, fault.Invalid.New(fmt.Sprintf("the input has more than %d MiB", maxIrys>>20),
			"leave out entries that nobody needs, or import parts of it as runs of their own")
	}
	if !utf8.Valid(data) {
		return nil, fault.Invalid.New("the input is not valid UTF-8", "convert it to UTF-8 first")
	}
	b := &Board{Format: Irys}
	if err := json.Unmarshal(data, b); err != nil {
		problem := "an Irys board: "
		if !json.Valid(data) {
			problem = "valid JSON: "
		}
		return nil, fault.Invalid.New("the input is not "+problem+err.Error(), "", Accepted)
	}
	if b.Entries == nil || b.Signals == nil {
		return nil, fault.Invalid.New("the input is JSON, but has no entries or no signals", "",
			Accepted)
	}
	return b, nil
}
