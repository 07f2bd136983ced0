package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board/fault"
)

// Names of tools that are listed: by a server that is given no profile, for a worker, and
// what an orchestrator has besides those. Lists are in this order.
const (
	defaultTools = "board_start board_show board_query board_post board_correct board_accept " +
		"board_ask board_claim board_answer board_waive board_done board_wait board_digest " +
		"board_check kb_search kb_get kb_remember memory_read memory_put memory_update"
	workerTools = "board_show board_query board_post board_correct board_ask board_claim " +
		"board_answer board_waive board_done kb_search kb_get"
	orchestratorTools = defaultTools + " board_link board_reopen board_signals board_gate " +
		"board_survival board_var_get board_var_set kb_brief"
)

// groupsOf are the groups of tools that a profile takes in.
var groupsOf = map[string][]string{
	ProfileWorker:       {ProfileRun, ProfileKnowledge},
	ProfileOrchestrator: {ProfileRun, ProfileKnowledge, ProfileMemory},
	ProfileMemory:       {ProfileTalk},
}

// listedTools are the tools that the profiles list by name; nil: those of their groups.
func listedTools(profiles []string) []string {
	switch {
	case len(profiles) == 0:
		return strings.Fields(defaultTools)
	case slices.Equal(profiles, []string{ProfileWorker}):
		return strings.Fields(workerTools)
	case slices.Equal(profiles, []string{ProfileOrchestrator}):
		return strings.Fields(orchestratorTools)
	}
	return nil
}

// named has a call reach the tool that it means, also by the name that the tool once had. An unknown name is an error,
// with the nearest one.
func (s *Server) named(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, is := req.GetParams().(*sdk.CallToolParamsRaw)
		if !is || call == nil {
			return next(ctx, method, req)
		}
		name := strings.ReplaceAll(call.Name, ".", "_") // memory.read
		if name = meantTool(name, call.Arguments); s.answers[name] != nil {
			call.Name = name
		} else if near := fault.DidYouMean(name, strings.Fields(orchestratorTools)); near != "" {
			return nil, s.refusal(badArgument(near, "unknown tool %q", call.Name))
		}
		return next(ctx, method, req)
	}
}

// meantTool is the tool that a call with this name and these arguments is for.
func meantTool(name string, args json.RawMessage) string {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(args, &given) // the tool says what is wrong with it
	says := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			v := string(given[n])
			return v != "" && v != "null" && v != `""`
		})
	}
	switch {
	case name == "board_signal":
		return "board_ask"
	case name == "board_address":
		return "board_answer"
	case name == "board_settle":
		return "board_accept"
	case name == "board_show" && !says("id", "entry", "signal", "ref"):
		return "board_state"
	case name == "memory_read" && !slices.ContainsFunc(argumentsOf(given),
		func(n string) bool { return n != formatArgument && n != maxTokens && says(n) }):
		return "memory_context"
	}
	return name
}

func argumentsOf(given map[string]json.RawMessage) (names []string) {
	for name := range given {
		names = append(names, name)
	}
	return names
}
