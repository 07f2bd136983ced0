// Written by `board setup`; a change is lost at the next one. `board setup --uninstall @HARNESS@` removes it.
//
// Tells board what happens in a session, and puts what board answers behind the prompt. It never keeps pi waiting for long, and never fails: no answer is an answer.

// @ASK@

export default function (pi: any) {
  let source: string | undefined = "startup" // why the session begins, until board was told
  const inputs = new Map<string, unknown>() // of tool calls that run; their end does not have it
  const pending = new Set<Promise<string>>()

  const about = (ctx: any) => ({
    session_id: ctx.sessionManager.getSessionId(), transcript_path: ctx.sessionManager.getSessionFile() ?? null, cwd: ctx.cwd, mode: ctx.mode,
  })

  pi.on("session_start", (event: any) => { source = event.reason ?? "startup" })
  pi.on("session_compact", () => { source = "compact" })

  pi.on("before_agent_start", async (event: any, ctx: any) => {
    if (event.messageType && event.messageType !== "user") return
    const texts: string[] = []
    if (source) {
      const begun = source
      source = undefined
      texts.push(await ask("SessionStart", { ...about(ctx), source: begun }))
    }
    texts.push(await ask("UserPromptSubmit", { ...about(ctx), prompt: event.prompt }))
    const content = texts.filter(Boolean).join("\n\n")
    if (content) return { message: { customType: "board", content, display: false, details: {} } }
  })

  pi.on("tool_execution_start", (event: any) => { inputs.set(event.toolCallId, event.args) })
  pi.on("tool_execution_end", (event: any, ctx: any) => {
    const tool_input = inputs.get(event.toolCallId)
    inputs.delete(event.toolCallId)
    const call = ask(event.isError ? "PostToolUseFailure" : "PostToolUse", {
      ...about(ctx), tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input, tool_response: event.result, duration_ms: event.durationMs,
    })
    pending.add(call)
    void call.finally(() => pending.delete(call))
  })

  pi.on("session_shutdown", async (event: any, ctx: any) => {
    await Promise.all(pending)
    await ask("SessionEnd", { ...about(ctx), reason: event.reason })
  })
}
