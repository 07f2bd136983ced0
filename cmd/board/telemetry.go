package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/cmd/board/base"
)

// traced are the commands that telemetry is about.
var traced = []string{"gate", "check", "kb search"}

// telemetry returns what sends a command's span and verdicts when it has ended, in OTLP/JSON, as the
// variables of OpenTelemetry say. Its SDK would cost every start 1.4 ms and 8 MB of program.
func (p *program) telemetry(args []string) (sent func(code int)) {
	to := func(signal string) string {
		if at := p.Env("OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_ENDPOINT"); at != "" {
			return at
		}
		if at := p.Env("OTEL_EXPORTER_OTLP_ENDPOINT"); at != "" {
			return strings.TrimSuffix(at, "/") + "/v1/" + signal
		}
		return ""
	}
	name := strings.Join(args[:min(2, len(args))], " ")
	if len(args) > 0 && args[0] != "kb" {
		name = args[0]
	}
	if to("traces")+to("logs") == "" || p.Env("OTEL_SDK_DISABLED") == "true" ||
		!slices.Contains(traced, name) {
		return func(int) {}
	}
	s := span{name: name, begin: time.Now(), trace: randomID(16), id: randomID(8)}
	if f := strings.Split(p.Env("TRACEPARENT"), "-"); len(f) == 4 {
		s.trace, s.parent = f[1], f[2]
	}
	return func(code int) {
		s.end, s.code = time.Now(), code
		about := p.resource()
		for _, message := range []struct {
			to   string
			body object
		}{{to("traces"), s.traces(about)}, {to("logs"), s.logs(about, p.Verdicts)}} {
			if err := p.send(message.to, message.body); err != nil {
				p.Messagef("note: the collector has got nothing of this command: %s",
					base.Line(err.Error(), 200))
				return
			}
		}
	}
}

type object = map[string]any

type span struct {
	name, trace, id, parent string
	begin, end              time.Time
	code                    int
}

func (s *span) traces(resource object) object {
	const internal, failed = 1, 2 // of OTLP's enumerations
	one := object{"traceId": s.trace, "spanId": s.id, "parentSpanId": s.parent, "kind": internal,
		"name": "board " + s.name, "startTimeUnixNano": nano(s.begin), "endTimeUnixNano": nano(s.end),
		"attributes": []object{attribute("process.exit.code", object{"intValue": strconv.Itoa(s.code)})}}
	if s.code != 0 && s.code != base.ExitGate && s.code != base.ExitSurvival { // these are verdicts
		one["status"] = object{"code": failed}
	}
	return object{"resourceSpans": []object{{"resource": resource,
		"scopeSpans": []object{{"scope": object{"name": "board"}, "spans": []object{one}}}}}}
}

// logs has an event for each verdict; nil without one.
func (s *span) logs(resource object, verdicts []base.Verdict) object {
	var records []object
	for _, v := range verdicts {
		label := map[bool]string{true: "passed", false: "failed"}[v.Passed]
		if v.Skipped {
			label = "not checked"
		}
		records = append(records, object{"timeUnixNano": nano(s.end), "traceId": s.trace,
			"spanId": s.id, "eventName": "gen_ai.evaluation.result", "attributes": []object{
				attribute("gen_ai.evaluation.name", object{"stringValue": v.Name}),
				attribute("gen_ai.evaluation.score.label", object{"stringValue": label}),
				attribute("gen_ai.evaluation.explanation", object{"stringValue": v.Headline})}})
	}
	if records == nil {
		return nil
	}
	return object{"resourceLogs": []object{{"resource": resource,
		"scopeLogs": []object{{"scope": object{"name": "board"}, "logRecords": records}}}}}
}

// resource says who speaks: the service's name, and what OTEL_RESOURCE_ATTRIBUTES adds.
func (p *program) resource() object {
	all := []object{attribute("service.name",
		object{"stringValue": cmp.Or(p.Env("OTEL_SERVICE_NAME"), "board")}),
		attribute("service.version", object{"stringValue": base.Version()})}
	for key, value := range pairs(p.Env("OTEL_RESOURCE_ATTRIBUTES")) {
		all = append(all, attribute(key, object{"stringValue": value}))
	}
	return object{"attributes": all}
}

// send posts a message within OTEL_EXPORTER_OTLP_TIMEOUT (2 seconds, since somebody waits).
func (p *program) send(to string, body object) error {
	if to == "" || body == nil {
		return nil
	}
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	limit := 2 * time.Second
	if ms, err := strconv.Atoi(p.Env("OTEL_EXPORTER_OTLP_TIMEOUT")); err == nil && ms > 0 {
		limit = time.Duration(ms) * time.Millisecond
	}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	for key, value := range pairs(p.Env("OTEL_EXPORTER_OTLP_HEADERS")) {
		request.Header.Set(key, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", to, answer.Status)
	}
	return nil
}

func attribute(key string, value object) object { return object{"key": key, "value": value} }

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func randomID(bytes int) string {
	id := make([]byte, bytes)
	rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// pairs reads "a=1,b=%20", as OpenTelemetry writes lists in a variable.
func pairs(list string) map[string]string {
	all := map[string]string{}
	for _, pair := range strings.Split(list, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
				all[strings.TrimSpace(key)] = plain
			}
		}
	}
	return all
}
