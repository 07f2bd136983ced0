// Holds the store of agent-memory-store in process and does what it is asked on standard input: fills it, or calls its functions and says how long each call took.
//
//   node --import offline.mjs peer.mjs PATH/TO/agent-memory-store/src       with AGENT_STORE_PATH
//
// A request is a line of JSON, and so is its answer, {"error":…} if it could not be done:
//
//   {"load":[{"id":…,"topic":…,"agent":…,"tags":[…],"content":…,"at":…},…]}     →  {}, once all of them are stored, in one transaction
//   {"tool":"search_context","calls":[{arguments},…],"budget":MILLISECONDS}     →  {"ms":[…]}, a time for each call that was made before the budget was spent, one at least
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const part = name => import(new URL(name, pathToFileURL(process.argv[2] + '/')).href)
const { getDb, insertChunk } = await part('db.js')
const { writeChunk, readChunk, listChunks, searchChunks, getState, setState } = await part('store.js')
const { warmup, isEmbeddingAvailable } = await part('embeddings.js')

const tools = {
  write_context: writeChunk,
  read_context: ({ id }) => readChunk(id),
  list_context: listChunks,
  search_context: ({ query, search_mode }) => searchChunks({ query, mode: search_mode }),
  get_state: ({ key }) => getState(key),
  set_state: ({ key, value }) => setState(key, value),
}

function load(chunks) {
  const db = getDb()
  db.exec('BEGIN IMMEDIATE')
  for (const { at, ...chunk } of chunks) {
    insertChunk({ ...chunk, importance: 'medium', embedding: null, createdAt: at, updatedAt: at, expiresAt: null })
  }
  db.exec('COMMIT')
  return {}
}

async function measure({ tool, calls, budget }) {
  const ms = []
  const end = performance.now() + budget
  for (const call of calls) {
    const start = performance.now()
    const found = await tools[tool](call)
    const now = performance.now()
    if (found === null || found.length === 0) throw new Error(`${tool} ${JSON.stringify(call)} finds nothing`)
    ms.push(now - start)
    if (now >= end) break
  }
  return { ms }
}

await warmup()
if (isEmbeddingAvailable()) throw new Error('there is an embedding model: it is words that are compared')
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  let answer
  try {
    answer = request.load ? load(request.load) : await measure(request)
  } catch (err) {
    answer = { error: String(err) }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
getDb().close()
process.exit(0) // its model's libraries may keep threads
