// Runs a model with onnxruntime-node, for the tests of embed/ort to measure themselves against: speed.mjs MODEL THREADS. A line of input
// says how many tokens and how many runs; a line of output says how many milliseconds each run took. "cold" runs once, and ends.
import readline from 'node:readline';
import { createRequire } from 'node:module';

const ort = createRequire(process.cwd() + '/')('onnxruntime-node');
const [model, threads, cold] = process.argv.slice(2);
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: +threads });
const tensor = (n, value) => new ort.Tensor('int64', BigInt64Array.from({ length: n }, value), [1, n]);
const run = async (tokens) => {
  const all = { input_ids: tensor(tokens, (_, i) => BigInt(5 + (i % 90))), attention_mask: tensor(tokens, () => 1n), token_type_ids: tensor(tokens, () => 0n) };
  return (await session.run(Object.fromEntries(session.inputNames.map((name) => [name, all[name]])))).last_hidden_state.data[0];
};

if (cold) {
  console.log(await run(+cold));
  process.exit(0);
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [tokens, runs] = line.split(' ').map(Number);
  const took = [];
  for (let i = 0; i < runs; i++) {
    const start = process.hrtime.bigint();
    await run(tokens);
    took.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  console.log(took.join(' '));
}
