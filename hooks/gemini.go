package hooks

import "strings"

// gemini is Gemini CLI. A command that fails is an ordinary AfterTool whose text has the exit code; without one it went well.
var gemini = &harness{
	name: "gemini", aliases: []string{"gemini-cli"}, events: []eventName{
		{"SessionStart", SessionStart}, {"BeforeAgent", Prompt}, {"BeforeTool", ToolCall}, {"AfterTool", ToolResult}, {"PreCompress", PreCompact}, {"AfterAgent", Stop}, {"SessionEnd", SessionEnd},
	},
	injects: []string{SessionStart, Prompt},
	eventOf: claude.eventOf,
	decode: func(e *Event, p object) {
		common(e, p)
		e.Prompt = unhooked(e.Prompt)
		decodeTool(e, p)
		if e.Tool != nil && e.Kind == ToolResult {
			e.Tool.geminiResult(p.obj("tool_response"))
		}
	},
	encode: hookSpecific,
}

// unhooked is a prompt without the context that hooks have put before it.
func unhooked(prompt string) string {
	const begin, end = "<hook_context>", "</hook_context>"
	for strings.HasPrefix(prompt, begin) {
		_, rest, found := strings.Cut(prompt, end)
		if !found {
			break
		}
		prompt = strings.TrimLeft(rest, "\r\n")
	}
	return prompt
}

// geminiResult reads the answer of a tool, in the form that Gemini and Qwen have for it.
func (t *Tool) geminiResult(r object) {
	if r == nil {
		return
	}
	if wrong := text(r["error"]); wrong != "" {
		t.failed(wrong)
	}
	if t.Command != "" && t.told(text(r["llmContent"])) && !*t.OK && t.Error == "" {
		t.Error = t.Output
	}
	t.went(true)
}
