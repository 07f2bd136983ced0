package learn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"blackboard/kb"
)

// A reflector's answer is a list of capsules in JSON. Models put prose and fences around it, wrap
// it, and vary the types: the parser is tolerant where the meaning is clear.

// answer is an object of a reflector's answer: a list, one capsule, or a turn among them.
type answer struct {
	Capsules, Learnings json.RawMessage
	Messages            []json.RawMessage
	Kind, Title, Body   any
	Type, Role          string
	Info, Message       json.RawMessage
}

// findBuried finds a list in prose, at the beginning of a line; broken says why it is none.
func (l *learner) findBuried(text []byte) (found bool, broken error) {
	for at := 0; at < len(text); {
		if rest := text[at:]; rest[0] == '[' || rest[0] == '{' {
			var doc json.RawMessage
			if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&doc); err != nil {
				broken = errors.Join(broken, err)
				if at == 0 || len(broken.Error()) > 500 { // each try reads on to the end at worst
					return false, broken
				}
			} else if l.readDocument(doc, "", false) {
				return true, nil
			}
		}
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return false, broken
}

// readDocument reads a list of capsules, or of messages, bare or in an object; false if it is none.
// Unless sure, its items must look like capsules.
func (l *learner) readDocument(data []byte, from string, sure bool) bool {
	data = bytes.TrimSpace(data)
	var list []json.RawMessage
	if len(data) == 0 || !json.Valid(data) {
		return false
	}
	if data[0] == '{' {
		var t answer
		json.Unmarshal(data, &t)
		switch {
		case t.Capsules != nil:
			json.Unmarshal(t.Capsules, &list)
			sure = true
		case t.Learnings != nil:
			json.Unmarshal(t.Learnings, &list)
			sure = true
		case len(t.Messages) > 0 && from == "":
			list = t.Messages
		case t.Title != nil || t.Body != nil:
			list = []json.RawMessage{data}
		default:
			return false
		}
	} else if json.Unmarshal(data, &list) != nil {
		return false
	}
	for i, raw := range list {
		var t answer
		json.Unmarshal(raw, &t)
		at := fmt.Sprintf("item %d", i+1)
		if from != "" {
			at = from + ", " + at
		}
		switch isCapsule := t.Title != nil || t.Body != nil; {
		case !isCapsule && from == "" && sure && (t.Role != "" || t.Info != nil ||
			t.Message != nil || t.Type != ""):
			l.takeTurn(raw, at)
		case i == 0 && !sure && !(isCapsule && t.Kind != nil):
			return false
		default:
			l.readItem(raw, at)
		}
	}
	return true
}

func (l *learner) readItem(raw json.RawMessage, from string) {
	var o looseObject
	if json.Unmarshal(raw, &o.fields) != nil || o.fields == nil {
		l.refuse(from, `it is not an object with a "kind", a "title" and a "body"`)
		return
	}
	c := kb.Capsule{Title: o.text("title"), Body: o.text("body"), Source: o.text("source"),
		VerifiedBy: o.text("verified_by"), Scope: strings.ToLower(o.text("scope")),
		Tags: o.list("tags"), DomainTags: o.list("domain_tags"), Refs: o.list("refs"),
		Supersedes: o.list("supersedes")}
	label := o.text("kind")
	c.Confidence = o.fraction("confidence")
	if o.bad != "" {
		l.refuse(from, "its %q has the wrong type", o.bad)
		return
	}
	kind, tags := parseLabel(label)
	if label != "" && (kind == "" || strings.ContainsAny(label, ",;/")) {
		l.refuseKind(from, label)
		return
	}
	if c.Kind = kind; kind == "" {
		c.Kind = roleKind(l.workerRole, c.Title+" "+c.Body)
	}
	c.Tags = append(c.Tags, tags...)
	c.Body = cmp.Or(c.Body, c.Title)
	if c.Title = strings.Join(strings.Fields(c.Title), " "); c.Title == "" {
		c.Title = TitleOf(c.Body)
	}
	if c.Scope == "workspace" { // as without one; which workspace is not known here
		c.Scope = ""
	}
	if isPlaceholder(c.Body) {
		l.notePlaceholder(from, c.Body)
		return
	}
	l.add(from, c)
}

// A looseObject is read as a model writes it: a list may be a string with commas, a
// number a string. What nevertheless fits nowhere is remembered, so that all fields can
// be read before it is refused.
type looseObject struct {
	fields map[string]any
	bad    string // a field of the wrong type
}

func (o *looseObject) text(key string) string {
	switch v := o.fields[key].(type) {
	case nil:
	case string:
		return strings.TrimSpace(v)
	default:
		o.bad = key
	}
	return ""
}

func (o *looseObject) list(key string) (out []string) {
	switch v := o.fields[key].(type) {
	case nil:
	case string:
		return splitTags(v)
	case []any:
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				o.bad = key
			}
			out = append(out, s)
		}
	default:
		o.bad = key
	}
	return out
}

func (o *looseObject) fraction(key string) *float64 {
	switch v := o.fields[key].(type) {
	case nil:
		return nil
	case float64:
		return &v
	case string:
		if f, ok := parseFraction(v); ok {
			return &f
		} else if v == "" {
			return nil
		}
	}
	o.bad = key
	return nil
}
