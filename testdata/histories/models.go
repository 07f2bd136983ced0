package histories

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// judgeTime is how long the history of one thing may take to be judged.
const judgeTime = 20 * time.Second

// register is a value with a version: of a variable, a capsule, a memory, a state.
type register struct {
	value   string
	version int64
	over    bool // the files were read: a call without an answer that comes after that never had its effect
}

// registers is a model of compare-and-set. A call without an answer may have had its effect at any
// later time, or never.
func registers(start register, versioned bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return start },
		Step: func(state, input, _ any) (bool, any) {
			s, o := state.(register), input.(*Op)
			next := register{o.Value, s.version + 1, false}
			match := o.If < 0 || o.If == s.version
			switch {
			case s.over:
				return o.Out == Unknown || o.Out == Failed, s
			case o.Kind == "read": // of a caller, or of the files in the end
				same := !versioned && s.value == o.Got || versioned && s.version == o.Ver && (s.version == 0 || s.value == o.Got)
				return same, register{s.value, s.version, o.N == 0}
			case o.Out == Refused:
				return o.If >= 0 && o.If != s.version, s
			case o.Out == OK:
				return match && (!versioned || o.Ver == next.version), next
			}
			return match, next
		},
	}
}

// claimed is a signal.
type claimed struct {
	status, by string
	over       bool // as of register
}

var signals = porcupine.Model{
	Init: func() any { return claimed{status: "open"} },
	Step: func(state, input, _ any) (bool, any) {
		s, o := state.(claimed), input.(*Op)
		open := s.status == "open"
		var can bool
		var next claimed
		switch o.Kind {
		case "claim":
			can, next = open && (s.by == "" || s.by == o.Caller), claimed{status: "open", by: o.Caller}
		case "release":
			can, next = s.by == o.Caller, claimed{status: s.status}
		case "address":
			can, next = open, claimed{status: "addressed"}
		case "waive":
			can, next = open, claimed{status: "waived"}
		case "reopen":
			can, next = !open, claimed{status: "open"}
		}
		switch {
		case s.over:
			return o.Out == Unknown || o.Out == Failed, s
		case o.Kind == "read":
			return s.status == o.Got && s.by == o.Value, claimed{s.status, s.by, o.N == 0}
		case o.Out == Refused && strings.Contains(o.Err, "in another session"): // of the server that had the name before
			return open && s.by == o.Caller, s
		case o.Out == Refused:
			return !can, s
		}
		return can, next
	},
}

// linearizable judges each thing that callers compete for.
func (j *judgement) linearizable() {
	of := map[string]map[string][]*Op{"var": {}, "signal": {}, "capsule": {}, "item": {}, "state": {}}
	what := map[string]string{"var-set": "var", "var-cas": "var", "var-get": "var", "claim": "signal", "release": "signal", "address": "signal", "waive": "signal",
		"reopen": "signal", "edit": "capsule", "retire": "capsule", "kb-read": "capsule", "update": "item", "forget": "item", "set": "state", "get": "state"}
	starts := map[string]register{}
	for _, o := range j.Ops {
		if kind := what[o.Kind]; kind != "" && o.Key != "" {
			of[kind][o.Key] = append(of[kind][o.Key], o)
		}
		if o.Out == OK && (o.Kind == "remember" || o.Kind == "put") {
			starts[first(o.IDs)] = register{value: o.Value, version: 1}
		}
	}
	for key, ops := range of["var"] {
		v := j.vars[key]
		j.check("the variable "+key, registers(register{}, true), ops, &Op{Ver: v.version, Got: decoded(v.value)})
	}
	for id, ops := range of["signal"] {
		s := j.signals[id]
		j.check("the signal "+id, signals, ops, &Op{Got: s.status, Value: s.claimedBy})
	}
	for id, ops := range of["capsule"] {
		if c := j.capsules[id]; !includes(ops, "retire") {
			j.check("the capsule "+id, registers(starts[id], true), ops, &Op{Ver: c.version, Got: c.value})
		}
	}
	for id, ops := range of["item"] {
		if m := j.items[id]; !includes(ops, "forget") {
			j.check("the memory "+id, registers(starts[id], true), ops, &Op{Ver: m.version, Got: m.value})
		}
	}
	for key, ops := range of["state"] {
		got := "<nil>"
		if v, ok := j.states[key]; ok {
			got = decoded(v)
		}
		j.check("the state "+key, registers(register{value: "<nil>"}, false), ops, &Op{Got: got})
	}
}

func includes(ops []*Op, kind string) bool {
	for _, o := range ops {
		if o.Kind == kind {
			return true
		}
	}
	return false
}

// decoded is a JSON number as callers print it.
func decoded(v string) string {
	var n json.Number
	if json.Unmarshal([]byte(v), &n) == nil {
		return n.String()
	}
	return v
}

func (j *judgement) check(what string, model porcupine.Model, ops []*Op, end *Op) {
	var history []porcupine.Operation
	last := int64(0)
	for _, o := range ops {
		last = max(last, o.Call, o.Return)
	}
	clients := map[string]int{}
	for _, o := range ops {
		in := *o
		back := o.Return
		switch o.Kind {
		case "var-get", "get", "kb-read":
			if o.Out != OK && o.Out != Refused {
				continue
			}
			if o.Out == Refused || o.Got == "" && o.Ver == 0 { // it was not there
				in.Got, in.Ver = "<nil>", 0
			}
			in.Kind = "read"
		}
		if in.Out == Unknown || in.Out == Failed {
			back = math.MaxInt64
		}
		if _, ok := clients[o.Caller]; !ok {
			clients[o.Caller] = len(clients)
		}
		history = append(history, porcupine.Operation{ClientId: clients[o.Caller], Input: &in, Call: o.Call, Return: back})
	}
	end.Kind, end.Out, end.If = "read", OK, -1
	history = append(history, porcupine.Operation{ClientId: len(clients), Input: end, Call: last + 1, Return: last + 2})
	switch porcupine.CheckOperationsTimeout(model, history, judgeTime) {
	case porcupine.Illegal:
		j.add("the calls about "+what+" have no order that explains their answers and what is there in the end", ops...)
	case porcupine.Unknown:
		j.Undecided++
	}
}
