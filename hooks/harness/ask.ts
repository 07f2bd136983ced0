import { spawn } from "node:child_process"

const program = "@PROGRAM@"
const patience = 4000 // milliseconds

type Answer = { additionalContext?: string; hookSpecificOutput?: { additionalContext?: string } }

function ask(event: string, payload: object): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, ["hook", event, "--harness", "@HARNESS@"], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill("SIGKILL"), patience)
    let out = ""
    const done = () => {
      clearTimeout(timer)
      try {
        const answer: Answer = JSON.parse(out)
        resolve(answer.additionalContext ?? answer.hookSpecificOutput?.additionalContext ?? "")
      } catch {
        resolve("")
      }
    }
    child.on("error", done)
    child.on("close", done)
    child.stdout.setEncoding("utf8").on("data", (text: string) => { out += text })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}
