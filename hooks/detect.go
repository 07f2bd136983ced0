package hooks

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// geminiOnly are events that no other harness has.
var geminiOnly = []string{"BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress"}

// detect says which harness a payload is of. The payload goes before the name that the installer gave, since several harnesses read Claude's configuration too; the name goes before the
// environment, which an agent inherits from the agent that started it.
func detect(p object, named string, env func(string) string) *harness {
	if h := byShape(p); h != nil {
		return h
	}
	if h := byName(named); h != nil {
		return h
	}
	for _, v := range []struct {
		name string
		h    *harness
	}{{"CURSOR_VERSION", cursor}, {"QWEN_CODE_SESSION_ID", qwen}, {"GEMINI_SESSION_ID", gemini}, {"FACTORY_PROJECT_DIR", factory}} {
		if env(v.name) != "" {
			return v.h
		}
	}
	return claude
}

// byShape tells a harness by what only its payloads have; nil if nothing tells.
func byShape(p object) *harness {
	_, sentAt := p["timestamp"].(json.Number)
	transcript := strings.ReplaceAll(p.str("transcript_path"), `\`, "/")
	mode := p.str("permission_mode")
	switch {
	case p.has("cursor_version"):
		return cursor
	case p.has("agent_action_name"):
		return windsurf
	case p.has("hookEventName") && p.has("sessionId"):
		return vscode
	case p.has("sessionId") && sentAt, p.obj("tool_result").has("result_type"), p.has("initial_prompt"):
		return copilot
	case slices.Contains(geminiOnly, p.str("hook_event_name")), strings.Contains(transcript, "/.gemini/"):
		return gemini
	case strings.Contains(transcript, "/.qwen/"), p.has("tool_call_id"), mode == "auto_edit", mode == "yolo":
		return qwen
	case p.has("turn_id"), strings.HasPrefix(path.Base(transcript), "rollout-"):
		return codex
	case p.has("hook") && p.obj("input") != nil:
		return opencode
	case p.obj("event").has("type") && p.obj("ctx") != nil:
		return pi
	}
	return nil
}

// borrowed says that a harness has called what was installed for Claude: it reads Claude's configuration besides its own. It has hooks of its own, so that an answer here would be the second one.
func (h *harness) borrowed(named string) bool {
	return byName(named) == claude && (h == cursor || h == vscode || h == copilot)
}
