package mcp

import (
	"encoding/json"
	"reflect"
	"testing"

	"blackboard/board/op"
	"blackboard/hooks/ops"
)

// TestPlainArguments holds the short way to read arguments to the long one: what it
// takes, the long one reads as the same.
func TestPlainArguments(t *testing.T) {
	taken := 0
	for _, raw := range []string{
		`{}`, ``, `null`, `[]`, `5`, `{`, `{"limit":1}`, `{"limit":1.0}`, `{"limit":0}`,
		`{"limit":501}`, `{"limit":2.5}`, `{"limit":"1"}`, `{"limit":null}`,
		`{"limit":-1,"offset":3}`, `{"offset":1e2}`,
		`{"agent":"a","limit":500}`, `{"agent":""}`, `{"agent":5}`, `{"Agent":"a"}`,
		`{"AGENT":"a","agent":"b"}`, `{"agent":"a","agent":"b"}`, `{"agent":3,"agent":"b"}`,
		`{"agent":"\u0061\ud800"}`,
		`{"tags":["a"]}`, `{"tags":[]}`, `{"tags":"a"}`, `{"more":1}`, `{"agent":{}}`,
		`{"agent":true}`, `{"id":"x"}`, `{"id":"x","id":null}`, `{"id":null}`,
		`{"key":"k","value":{"a":[1]}}`, `{"key":"k","value":1}`, `{"key":"k"}`,
		`{"query":"q","min_score":0.1,"top_k":20}`, `{"query":"q","search_mode":"bm25"}`,
		`{"query":"q","top_k":21}`, `{"max_tokens":300,"id":"x"}`,
		`{"max_tokens":1e9,"id":"x"}`,
		`{"run":"r1","entry":"e1"}`, `{"content":"c","type":"finding","confidence":0.5}`,
		`{"content":"c","confidence":2}`, `{"query":"q","limit":3,"all":true}`,
		`{"all":"true"}`,
	} {
		for _, read := range []func(*testing.T, string) bool{
			readBothWays[listContextIn], readBothWays[chunkIDIn], readBothWays[setStateIn],
			readBothWays[searchContextIn], readBothWays[stateKeyIn], readBothWays[ops.PostIn],
			readBothWays[searchIn],
		} {
			if read(t, raw) {
				taken++
			}
		}
	}
	if taken < 11 {
		t.Errorf("the short way took %d", taken)
	}
}

// readBothWays reports whether the short way takes arguments.
func readBothWays[In any](t *testing.T, raw string) bool {
	t.Helper()
	s, err := op.SchemaOf(reflect.TypeFor[In](), true, enums())
	if err != nil {
		t.Fatal(err)
	}
	takeMaxTokens(s)
	defaults := op.Defaults(s)
	var short, long In
	if !op.DecodePlain(json.RawMessage(raw), s, defaults, &short) {
		return false
	}
	if err := op.Decode(json.RawMessage(raw), s, op.Param, &long); err != nil {
		t.Errorf("%T %s: only the short way takes it: %v", short, raw, err)
	} else if !reflect.DeepEqual(short, long) {
		t.Errorf("%T %s: %+v, the long way %+v", short, raw, short, long)
	}
	return true
}
