package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestTelemetry: nothing is sent unless OpenTelemetry's variables say where to; then each gate, check
// and search is a span, and each verdict an event of it. A collector that is away changes no verdict.
func TestTelemetry(t *testing.T) {
	type message struct {
		path, header string
		body         map[string]any
	}
	var got []message
	status := http.StatusOK
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := message{path: r.URL.Path, header: r.Header.Get("X-Key")}
		if err := json.NewDecoder(r.Body).Decode(&m.body); err != nil {
			t.Error(err)
		}
		got = append(got, m)
		w.WriteHeader(status)
	}))
	defer collector.Close()
	home := t.TempDir()
	settings := map[string]string{"BOARD_HOME": home, "BOARD_DAEMON": "off", "BOARD_POLICY": "none",
		"BOARD_MODEL_DIR": filepath.Join(home, "none"), "BOARD_RUN": "r", "BOARD_WORKER": "w"}
	call := func(args ...string) (code int, said string) {
		got = nil
		var err strings.Builder
		code = run(context.Background(), args, func(name string) string { return settings[name] }, strings.NewReader(""), io.Discard, &err)
		return code, err.String()
	}
	call("post", "Tokens never expire")
	call("ask", "Who rotates the keys?", "--priority", "high")
	if code, _ := call("gate"); code != 3 || got != nil {
		t.Fatalf("without the variables: exit code %d, sent %v", code, got)
	}
	settings["OTEL_EXPORTER_OTLP_ENDPOINT"], settings["OTEL_EXPORTER_OTLP_HEADERS"] = collector.URL+"/", "x-key=a%20b"
	settings["TRACEPARENT"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	settings["OTEL_RESOURCE_ATTRIBUTES"], settings["OTEL_SERVICE_NAME"] = "team=red", "audits"
	if code, _ := call("post", "no span"); code != 0 || got != nil {
		t.Errorf("post: exit code %d, sent %v", code, got)
	}
	if code, said := call("gate"); code != 3 || len(got) != 2 || said != "" {
		t.Fatalf("gate: exit code %d, sent %v, said %s", code, got, said)
	}
	spans, logs := got[0], got[1]
	text := func(v any) string { data, _ := json.Marshal(v); return string(data) }
	if spans.path != "/v1/traces" || logs.path != "/v1/logs" || spans.header != "a b" {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{`"name":"board gate"`, `"traceId":"0af7651916cd43dd8448eb211c80319c"`, `"parentSpanId":"b7ad6b7169203331"`, `"stringValue":"audits"`, `"key":"team"`, `"key":"process.exit.code","value":{"intValue":"3"}`} {
		if !strings.Contains(text(spans.body), want) {
			t.Errorf("the span lacks %s: %s", want, text(spans.body))
		}
	}
	for _, want := range []string{`"eventName":"gen_ai.evaluation.result"`, `"key":"gen_ai.evaluation.name","value":{"stringValue":"gate"}`, `"key":"gen_ai.evaluation.score.label","value":{"stringValue":"failed"}`, `"traceId":"0af7651916cd43dd8448eb211c80319c"`} {
		if !strings.Contains(text(logs.body), want) {
			t.Errorf("the event lacks %s: %s", want, text(logs.body))
		}
	}
	if code, _ := call("check"); code != 3 || len(got) != 2 || strings.Count(text(got[1].body), "gen_ai.evaluation.result") < 3 {
		t.Errorf("check: exit code %d, sent %s", code, text(got))
	}
	if code, _ := call("kb", "search", "tokens"); len(got) != 1 || !strings.Contains(text(got[0].body), "board kb search") {
		t.Errorf("kb search: exit code %d, sent %s", code, text(got))
	}
	status = http.StatusBadGateway
	if code, said := call("gate"); code != 3 || !strings.Contains(said, "the collector has got nothing of this command") {
		t.Errorf("a collector that is away: exit code %d, said %s", code, said)
	}
	settings["OTEL_SDK_DISABLED"] = "true"
	if call("gate"); got != nil {
		t.Errorf("switched off it sends %v", got)
	}
}
