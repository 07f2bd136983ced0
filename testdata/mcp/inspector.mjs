// Lists the tools (strictly) and calls every one of them with the MCP Inspector's command line, over stdio and over HTTP.
//
//   npm install node@24 @modelcontextprotocol/inspector        # in a directory of its own
//   PATH=$PWD/node_modules/.bin:$PATH node PATH/TO/testdata/mcp/inspector.mjs BOARD
//
// BOARD is the program. It skips, and says so, where the Inspector is not installed. The calls are those of calls.jsonl, which the Go tests make too.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const board = path.resolve(process.argv[2] ?? 'board')
const bin = (process.env.PATH ?? '').split(':').map(d => path.join(d, 'mcp-inspector')).find(p => fs.existsSync(p))
if (!bin) {
  console.log('skipped: mcp-inspector is not on the PATH')
  process.exit(0)
}
const calls = fs.readFileSync(new URL('calls.jsonl', import.meta.url), 'utf8').trim().split('\n').map(l => JSON.parse(l))
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'inspector-'))
let failed = 0

function inspect(target, env, ...args) {
  const r = spawnSync(bin, ['--cli', ...target, ...args, '--format', 'json', '-q'], { env, encoding: 'utf8', timeout: 60_000 })
  return { code: r.status, out: r.stdout, err: r.stderr }
}

function all(name, target, env) {
  const listed = inspect(target, env, '--method', 'tools/list', '--strict')
  const tools = new Set(JSON.parse(listed.out || '{"result":{"tools":[]}}').result.tools.map(t => t.name))
  if (listed.code !== 0) {
    failed++
    console.log(`${name}: tools/list --strict: exit ${listed.code}\n${listed.err}`)
  }
  const saved = {}
  let done = 0
  for (const c of calls) {
    tools.delete(c.tool)
    const args = JSON.stringify({ ...c.args, format: 'json' }).replace(/"\$(\w+)"/g, (_, k) => JSON.stringify(saved[k] ?? ''))
    const r = inspect(target, env, '--method', 'tools/call', '--tool-name', c.tool, '--tool-args-json', args)
    if (r.code !== 0 && !(c.needs === 'model')) {
      failed++
      console.log(`${name}: ${c.tool} ${args}: exit ${r.code}\n${r.out}${r.err}`)
      continue
    }
    done++
    for (const [key, where] of Object.entries(c.save ?? {})) {
      const answer = JSON.parse(r.out)
      saved[key] = where.split('.').reduce((v, k) => v?.[k], answer.result.structuredContent)
    }
  }
  for (const t of tools) {
    failed++
    console.log(`${name}: ${t} is never called`)
  }
  for (const m of [['resources/list'], ['resources/templates/list'], ['resources/read', '--uri', 'board://run/r1/state']]) {
    const r = inspect(target, env, '--method', ...m)
    if (r.code !== 0) {
      failed++
      console.log(`${name}: ${m.join(' ')}: exit ${r.code}\n${r.out}${r.err}`)
    }
  }
  console.log(`${name}: ${done} of ${calls.length} calls answered`)
}

function home(name) {
  const at = path.join(dir, name)
  fs.mkdirSync(path.join(at, 'project', 'docs'), { recursive: true })
  fs.writeFileSync(path.join(at, 'project', 'docs', 'a.md'), '# Refunds\n\nThey need a key.\n')
  return at
}

const stdio = home('stdio')
const serve = ['--profile', 'all', '--grant', 'all', '--run', 'r1', '--workspace', path.join(stdio, 'project'), '--store', path.join(stdio, 'store')]
// What follows -- would be taken as the Inspector's own, so the server is a script.
const script = path.join(dir, 'serve.sh')
fs.writeFileSync(script, `#!/bin/sh\nexec env BOARD_HOME='${stdio}/home' BOARD_DAEMON=off '${board}' mcp ${serve.map(a => `'${a}'`).join(' ')}\n`, { mode: 0o755 })
all('stdio', [script], process.env)

const http = home('http')
const env = { ...process.env, BOARD_HOME: path.join(http, 'home'), XDG_RUNTIME_DIR: path.join(http, 'run') }
const port = 20_000 + (process.pid % 20_000)
fs.mkdirSync(env.BOARD_HOME, { recursive: true })
const token = spawnSync(board, ['daemon', 'token'], { env, encoding: 'utf8' }).stdout.trim()
const daemon = spawn(board, ['daemon', 'run', '--listen', `127.0.0.1:${port}`, '--agent', 'inspector', '--profile', 'all', '--grant', 'all', '--run', 'r1', '--workspace', path.join(http, 'project'), '--store', path.join(http, 'store')], { env, stdio: 'inherit' })
try {
  for (let i = 0; i < 100 && spawnSync(board, ['daemon', 'status'], { env }).status !== 0; i++) spawnSync('sleep', ['0.05'])
  all('http', [`http://127.0.0.1:${port}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`], env)
} finally {
  daemon.kill('SIGTERM')
  await new Promise(r => daemon.once('exit', r))
  fs.rmSync(dir, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
