// Runs the conformance suite of the Model Context Protocol: on the program's own server, and on a server of fixtures over the same transport for the scenarios that call tools of the suite's.
//
//   npm install node@24 @modelcontextprotocol/conformance@0.1.16        # in a directory STABLE: revisions up to 2025-11-25
//   npm install @modelcontextprotocol/conformance@0.2.0-alpha.12        # in a directory PRERELEASE: revision 2026-07-28
//   go build -o BOARD ./cmd/board && go test -c -o FIXTURES ./hooks/mcp
//   STABLE/node_modules/.bin/node testdata/mcp/conformance.mjs BOARD FIXTURES STABLE PRERELEASE
//
// A line for each scenario: pass, fail, or n/a with the reason. It exits 1 if one fails, or is of no class below. A suite that is not installed is skipped, in so many words.
// Everything listens on loopback alone, and ends with this script. Extensions of the protocol (tasks, skills) are not offered, and not run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'

// Scenarios that any server answers.
const generic = words(`server-initialize server-stateless ping logging-set-level tools-list resources-list dns-rebinding-protection sep-2164-resource-not-found caching
  http-header-validation server-sse-multiple-streams input-required-result-unsupported-methods`)
// Scenarios that call tools, resources and prompts of the suite's.
const fixtures = words(`completion-complete json-schema-2020-12 http-custom-header-server-validation
  tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-with-logging tools-call-error tools-call-with-progress
  resources-read-text resources-read-binary resources-templates-read
  prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image
  input-required-result-basic-elicitation input-required-result-basic-sampling input-required-result-basic-list-roots input-required-result-request-state
  input-required-result-multiple-input-requests input-required-result-multi-round input-required-result-missing-input-response input-required-result-non-tool-request
  input-required-result-result-type input-required-result-tampered-state input-required-result-capability-check input-required-result-ignore-extra-params input-required-result-validate-input`)
// Scenarios of what the server does not do in the revisions that have sessions.
const asks = 'the server asks the client nothing in the middle of a call; since 2026-07-28 the fixtures ask in their answers'
const waits = 'resources cannot be subscribed to: board_wait waits for what happens'
const sessions = {
  'tools-call-sampling': asks,
  'tools-call-elicitation': asks,
  'elicitation-sep1034-defaults': asks,
  'elicitation-sep1330-enums': asks,
  'resources-subscribe': waits,
  'resources-unsubscribe': waits,
  'server-sse-polling': 'a stream that broke off is not taken up again: its calls have ended with it',
}
// Checks within a generic scenario that call tools of the suite's.
const ofFixtures = words(`sep-2575-server-rejects-undeclared-capability sep-2575-missing-capability-http-400 sep-2575-http-server-no-independent-requests-on-stream
  sep-2575-server-no-log-without-loglevel sep-2575-server-sends-prompts-list-changed-on-subscription sep-2575-server-sends-tools-list-changed-on-subscription`)
const suites = [{ revision: '2025-11-25', version: '0.1.16', args: [] }, { revision: '2026-07-28', version: '0.2.0-alpha.12', args: ['--spec-version', '2026-07-28'] }]

function words(s) {
  return new Set(s.split(/\s+/))
}

// classOf says whether a scenario must pass on a server, and if not, why.
function classOf(scenario, server, revision) {
  if (sessions[scenario] && revision < '2026') return { why: sessions[scenario] }
  if (generic.has(scenario)) return { must: true }
  if (!fixtures.has(scenario)) return { must: true, why: 'it is in no class of this script' }
  return server === 'fixtures' ? { must: true } : { why: 'calls fixtures of the suite\'s' }
}

// run runs a command and returns what it printed. It ends after three minutes whatever it does.
async function run(command, args, options = {}) {
  const child = start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, timeout: 180_000 })
  let out = ''
  let err = ''
  child.stdout.on('data', d => (out += d))
  child.stderr.on('data', d => (err += d))
  const [code] = await once(child, 'close')
  return { code, out, err }
}

// results runs all scenarios of a suite, and returns the checks of each by its name. The suite leaves a directory for each, with the time in its name.
async function results(suite, server) {
  const listed = await run(process.execPath, [suite.bin, 'list', '--server', ...suite.args])
  const of = new Map([...listed.out.matchAll(/^ +- (\S+)/gm)].map(m => [m[1], []]))
  const at = fs.mkdtempSync(path.join(dir, 'results-'))
  const ran = await run(process.execPath, [suite.bin, 'server', '--url', server.url, '--suite', 'all', ...suite.args, '-o', at], { cwd: dir })
  for (const entry of fs.readdirSync(at)) {
    of.set(entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, ''), JSON.parse(fs.readFileSync(path.join(at, entry, 'checks.json'), 'utf8')))
  }
  if ([...of.values()].some(checks => checks.length === 0)) console.error(listed.err + ran.err)
  return of
}

// judge prints a line for each scenario, and returns how many fail.
async function judge(suite, server) {
  let failed = 0
  const all = await results(suite, server)
  if (all.size === 0) throw new Error(`${suite.bin} has no scenarios`)
  for (const [scenario, checks] of all) {
    const { must, why } = classOf(scenario, server.name, suite.revision)
    const aside = server.name === 'board' ? checks.filter(c => ofFixtures.has(c.id)) : []
    const counted = checks.filter(c => !aside.includes(c))
    const bad = counted.filter(c => c.status === 'FAILURE' || c.status === 'WARNING')
    const good = counted.filter(c => c.status === 'SUCCESS').length
    let verdict = 'n/a '
    let say = why
    if (must && (why || bad.length > 0 || good === 0)) {
      failed++
      verdict = 'fail'
      say = why ?? (bad.map(c => `${c.id}: ${c.errorMessage ?? c.status}`).join('; ') || 'nothing was checked')
    } else if (must) {
      verdict = 'pass'
      say = `${good} ${good === 1 ? 'check' : 'checks'}` + (aside.length > 0 ? `; ${aside.length} call fixtures of the suite's` : '')
    }
    console.log(`${server.name.padEnd(8)}  ${suite.revision}  ${verdict}  ${scenario.padEnd(46)}  ${say}`)
  }
  return failed
}

// withToken passes requests on with the token that opens the server, their hosts and origins as they are. The suite knows no tokens.
async function withToken(port, token) {
  const proxy = http.createServer((req, res) => {
    const on = http.request({ host: '127.0.0.1', port, method: req.method, path: req.url, headers: [...req.rawHeaders, 'Authorization', `Bearer ${token}`] }, answer => {
      res.writeHead(answer.statusCode, answer.rawHeaders)
      answer.pipe(res)
      answer.on('error', () => res.destroy())
    })
    on.on('error', () => res.destroy())
    res.on('close', () => on.destroy())
    req.pipe(on)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}

// serveBoard starts the program as a daemon that listens, in a data home of its own.
async function serveBoard() {
  const project = path.join(dir, 'project')
  fs.mkdirSync(project)
  const env = { ...process.env, BOARD_HOME: path.join(dir, 'home'), XDG_RUNTIME_DIR: path.join(dir, 'run') }
  const token = (await run(board, ['daemon', 'token'], { env })).out.trim()
  const daemon = start(board, ['daemon', 'run', '--listen', '127.0.0.1:0', '--profile', 'all', '--grant', 'all', '--workspace', project, '--store', path.join(dir, 'store')], { env })
  for (let i = 0; i < 100 && daemon.exitCode === null; i++) {
    const status = await run(board, ['daemon', 'status', '--json'], { env })
    const listen = status.code === 0 && JSON.parse(status.out).status?.listen
    if (listen) {
      const proxy = await withToken(listen.split(':').at(-1), token)
      const end = async () => {
        proxy.close()
        proxy.closeAllConnections()
        await stop(daemon)
      }
      return { name: 'board', url: `http://127.0.0.1:${proxy.address().port}/mcp`, end }
    }
    await new Promise(r => setTimeout(r, 50))
  }
  throw new Error('the daemon does not listen')
}

// serveFixtures starts the server of fixtures, which prints where it listens.
async function serveFixtures() {
  const child = start(fixtureProgram, [], { env: { ...process.env, MCP_FIXTURES_PORT: '0', TMPDIR: dir } })
  for await (const url of readline.createInterface({ input: child.stdout })) return { name: 'fixtures', url, end: () => stop(child) }
  throw new Error('the server of fixtures does not listen')
}

const children = new Set()

function start(command, args, options) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

const [board, fixtureProgram, ...installed] = process.argv.slice(2).map(a => path.resolve(a))
if (!fixtureProgram) {
  console.error('usage: conformance.mjs BOARD FIXTURES [STABLE [PRERELEASE]]')
  process.exit(2)
}
for (const program of [board, fixtureProgram]) {
  if (!fs.existsSync(program)) {
    console.error(`${program} is not there: build it as the head of this script says`)
    process.exit(2)
  }
}
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-'))
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await Promise.all([...children].map(stop))
    process.exit(1)
  })
}
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  fs.rmSync(dir, { recursive: true, force: true })
})
let failed = 0
let skipped = 0
for (const serve of [serveBoard, serveFixtures]) {
  const server = await serve()
  for (const [i, suite] of suites.entries()) {
    suite.bin = installed[i] && path.join(installed[i], 'node_modules', '.bin', 'conformance')
    if (suite.bin && fs.existsSync(suite.bin)) {
      failed += await judge(suite, server)
      continue
    }
    skipped++
    console.log(`${server.name.padEnd(8)}  ${suite.revision}  skipped: @modelcontextprotocol/conformance@${suite.version} is not installed${installed[i] ? ` in ${installed[i]}` : ''}`)
  }
  await server.end()
}
console.log(`${failed} fail, ${skipped} of ${2 * suites.length} runs skipped`)
process.exitCode = failed ? 1 : 0
