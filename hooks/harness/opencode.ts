// Written by `board setup`; a change is lost at the next one. `board setup --uninstall @HARNESS@` removes it.
//
// Tells board what happens in a session, and puts what board answers before the model: once for the session as a system message, once for each prompt behind it.
// It never keeps OpenCode waiting for long, and never fails: no answer is an answer.

// @ASK@

export const Board = async ({ directory, worktree }: any) => {
  const sessions = new Map<string, Promise<string>>() // what was answered when a session began; the same bytes go with each request
  const children = new Set<string>() // sessions of subagents, which are left alone
  const told = new Set<string>() // tool calls
  const pending = new Set<Promise<string>>()
  let title = "You are a title generator" // how the request for a session's title begins

  const about = (session: string) => ({ session_id: session, cwd: directory, worktree })
  const tell = (event: string, payload: object) => {
    const call = ask(event, payload)
    pending.add(call)
    void call.finally(() => pending.delete(call))
  }
  const tool = (part: any) => {
    const { state } = part
    if (part.type !== "tool" || (state?.status !== "completed" && state?.status !== "error") || told.has(part.callID)) return
    told.add(part.callID)
    tell(state.status === "error" ? "PostToolUseFailure" : "PostToolUse", {
      ...about(part.sessionID), tool_name: part.tool, tool_use_id: part.callID, tool_input: state.input, tool_response: state.output,
      error: state.error, metadata: state.metadata, duration_ms: state.time ? state.time.end - state.time.start : undefined,
    })
  }

  return {
    config: async (config: any) => {
      title = config.agent?.title?.prompt?.trim() || title
    },
    event: async ({ event }: any) => {
      const { part, info, sessionID } = event.properties ?? {}
      switch (event.type) {
        case "session.created":
          if (info?.parentID) children.add(info.id)
          break
        case "message.part.updated":
          if (part) tool(part)
          break
        case "session.compacted":
          sessions.delete(sessionID)
          break
        case "session.idle": // `opencode run` ends here
          await Promise.all(pending)
          break
        case "session.deleted": {
          const id = info?.id ?? sessionID
          sessions.delete(id)
          if (!children.delete(id)) await ask("SessionEnd", { ...about(id), reason: "deleted" })
        }
      }
    },
    "chat.message": async (input: any, output: any) => {
      if (children.has(input.sessionID)) return
      const prompt = output.parts.filter((part: any) => part.type === "text" && !part.synthetic).map((part: any) => part.text).join("\n")
      if (!prompt.trim()) return
      const text = await ask("UserPromptSubmit", { ...about(input.sessionID), prompt, agent: input.agent })
      if (!text) return
      const last = output.parts.map((part: any) => part.id).sort().at(-1) ?? "prt_" // parts are sent in the order of their ids
      output.parts.push({ id: last + "b", sessionID: input.sessionID, messageID: output.message.id, type: "text", text, synthetic: true })
    },
    "experimental.chat.system.transform": async (input: any, output: any) => {
      const id = input.sessionID
      if (!id || children.has(id) || output.system.some((text: string) => text.trimStart().startsWith(title))) return
      if (!sessions.has(id)) sessions.set(id, ask("SessionStart", { ...about(id), source: "startup" }))
      const text = await sessions.get(id)
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input: any, output: any) => {
      if (children.has(input.sessionID)) return
      const text = await ask("PreCompact", about(input.sessionID))
      if (text) output.context.push(text)
    },
    dispose: async () => {
      await Promise.all(pending)
    },
  }
}
