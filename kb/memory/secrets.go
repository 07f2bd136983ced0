package memory

import (
	"encoding/json"
	"fmt"
	"strings"

	"blackboard/board/fault"
	"blackboard/kb/secret"
)

// refuseSecret refuses an item that holds what looks like a secret: other agents read it,
// and it is exported.
func refuseSecret(it *Item) error {
	return refuseSecretIn(keepSecret, "the title", it.Title, "the content", it.Content, "the source", it.Source,
		"the derivation link", it.DerivedFrom, "a tag", strings.Join(it.Tags, "\n"), theReason, it.Why)
}

// refuseSecrets does so for other texts, each after what it is.
func (s *Store) refuseSecrets(texts ...string) error {
	if s.opt.KeepSecrets {
		return nil
	}
	return refuseSecretIn(keepSecret, texts...)
}

// keepSecret is the way to store it all the same.
var keepSecret = fault.Give("keep_secret", "", "{} stores it if it is none")

const theReason = "the reason"

// checkReason refuses a reason that the log could not keep for good: nothing is kept
// there that looks like a secret.
func checkReason(reason string) error {
	if err := checkLine(theReason, reason, maxWhy); err != nil {
		return err
	}
	return refuseSecretIn(fault.Step{}, theReason, reason)
}

func refuseSecretIn(otherwise fault.Step, texts ...string) error {
	for i := 0; i < len(texts); i += 2 {
		if found := secret.Find(texts[i+1]); len(found) > 0 {
			return conflict(fmt.Sprintf("%s holds what looks like a secret: %s", texts[i], found[0].Description),
				"say where it is kept instead of what it is", otherwise)
		}
	}
	return nil
}

// textIn returns what a JSON value says: as it is written, and its texts without their
// escapes.
func textIn(value []byte) string {
	all := []string{string(value)}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				walk(key)
				walk(e)
			}
		}
	}
	var v any
	if json.Unmarshal(value, &v) == nil {
		walk(v)
	}
	return strings.Join(all, "\n")
}
