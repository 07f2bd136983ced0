package hooks

// qwen is Qwen Code: Claude's events with Gemini's tools. It tells of a prompt before every request to its model; only the first has what the user has submitted.
var qwen = &harness{
	name: "qwen", aliases: []string{"qwen-code"}, events: claudeEvents, injects: []string{SessionStart, Prompt},
	eventOf: claude.eventOf,
	decode: func(e *Event, p object) {
		common(e, p)
		if e.Kind == Prompt {
			e.Prompt = p.str("submitted_prompt")
			e.Continuation = e.Prompt == ""
		}
		decodeTool(e, p)
		switch {
		case e.Tool == nil:
		case e.Kind == ToolResult:
			e.Tool.geminiResult(p.obj("tool_response"))
		case e.Kind == ToolFailure && e.Tool.Command != "":
			e.Tool.told(e.Tool.Error)
		}
	},
	encode: hookSpecific,
}
