package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"blackboard/board/fault"
)

// MaxIrys bounds an Irys board, in bytes.
const MaxIrys = 256 << 20

// Irys is an Irys board, which is one JSON object. Its ids repeat, since a worker that
// started late may count from the same number as another.
type Irys struct {
	Task    string                     `json:"task_instruction"`
	Entries []IrysEntry                `json:"entries"`
	Signals []IrysSignal               `json:"signals"`
	Extra   map[string]json.RawMessage `json:"-"` // the other fields
}

// IrysEntry is an entry of an Irys board.
type IrysEntry struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Content string `json:"content"`
	Source  *struct {
		Document string `json:"document"`
		Section  string `json:"section"`
		Evidence string `json:"evidence"`
	} `json:"source"`
	CreatedBy struct {
		Worker string `json:"worker_id"`
	} `json:"created_by"`
	Confidence  *float64                   `json:"confidence"`
	Tags        []string                   `json:"tags"`
	Status      string                     `json:"status"`
	Supports    []string                   `json:"supports"`
	Contradicts []string                   `json:"contradicts"`
	Supersedes  []string                   `json:"supersedes"`
	Addresses   []string                   `json:"addresses_signals"`
	Extra       map[string]json.RawMessage `json:"-"` // the other fields
}

// IrysSignal is a question of an Irys board.
type IrysSignal struct {
	ID          string                     `json:"id"`
	Content     string                     `json:"content"`
	Origin      string                     `json:"origin_entry"`
	Priority    string                     `json:"priority"`
	Status      string                     `json:"status"`
	AddressedBy *string                    `json:"addressed_by"`
	Extra       map[string]json.RawMessage `json:"-"` // the other fields
}

// The fields of each object that our boards have too; the others are kept in the log.
var (
	irysBoardFields = []string{"task_instruction", "entries", "signals"}
	irysEntryFields = []string{"id", "type", "content", "source", "confidence", "tags", "status",
		"supports", "contradicts", "supersedes", "addresses_signals"}
	irysSignalFields = []string{"id", "content", "priority", "status", "addressed_by"}
)

// UnmarshalJSON reads the object, and keeps the fields that our boards do not have.
func (b *Irys) UnmarshalJSON(data []byte) error {
	type plain Irys
	return decodeWithRest(data, (*plain)(b), &b.Extra, irysBoardFields)
}

// UnmarshalJSON reads the object, and keeps the fields that our boards do not have.
func (e *IrysEntry) UnmarshalJSON(data []byte) error {
	type plain IrysEntry
	return decodeWithRest(data, (*plain)(e), &e.Extra, irysEntryFields)
}

// UnmarshalJSON reads the object, and keeps the fields that our boards do not have.
func (s *IrysSignal) UnmarshalJSON(data []byte) error {
	type plain IrysSignal
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
func ReadIrys(data []byte) (*Irys, error) {
	if len(data) > MaxIrys {
		return nil, fault.Invalid.New(fmt.Sprintf("the input has more than %d MiB", MaxIrys>>20),
			"leave out entries that nobody needs, or import parts of it as runs of their own")
	}
	if !utf8.Valid(data) {
		return nil, fault.Invalid.New("the input is not valid UTF-8", "convert it to UTF-8 first")
	}
	b := &Irys{}
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
