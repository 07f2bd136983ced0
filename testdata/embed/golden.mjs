// Writes golden-<model>.json: texts and the vectors that ONNX Runtime gives them, with the tokens of @huggingface/tokenizers and the
// pooling that the model's files ask for. See README.md for how to run it.
import fs from 'node:fs';
import path from 'node:path';
import crypto from 'node:crypto';
import ort from 'onnxruntime-node';
import { Tokenizer } from '@huggingface/tokenizers';

const [out, ...dirs] = process.argv.slice(2);
const texts = [
  'The gate stays shut while a critical question is open.', 'gate', 'Workers worked each night; the batch retried (twice)?', 'the key is of the worker',
  'The nightly batch retries; refunds need an idempotency key.', 'How do I rotate the signing keys?', 'NAÏVE Café: 3.5 % of "evidence"', '中文 and 語',
  'capturePane() in scripts/build.sh:42', '😀 unknown ☃', '[SEP] in [MASK] text', 'a', 'ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok',
  'the table of evidence is open while each worker retries a batch, '.repeat(2), 'one two three four five six seven eight nine ten eleven twelve thirteen', '', '   ',
  'a gate is a gate. '.repeat(40),
];

for (const dir of dirs) {
  const json = (name, otherwise) => {
    const file = path.join(dir, name);
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : otherwise;
  };
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json', {}));
  const limit = json('sentence_bert_config.json', {}).max_seq_length ?? Math.min(json('config.json').max_position_embeddings, json('tokenizer_config.json').model_max_length);
  const pooling = json('1_Pooling/config.json', { pooling_mode_mean_tokens: true });
  const file = [path.join(dir, 'onnx', 'model.onnx'), path.join(dir, 'model.onnx')].find((f) => fs.existsSync(f));
  const session = await ort.InferenceSession.create(file);
  const special = json('tokenizer.json').post_processor ? 1 : 0;
  const vectors = [];
  for (const text of texts) {
    let { ids } = tokenizer.encode(text);
    if (ids.length > limit) ids = special ? [...ids.slice(0, limit - 1), ids.at(-1)] : ids.slice(0, limit);
    if (ids.length === 0) continue; // nothing to run; the contract says zeros
    const tensor = (values) => new ort.Tensor('int64', BigInt64Array.from(values.map(BigInt)), [1, ids.length]);
    const all = { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(ids.map(() => 0)) };
    const result = (await session.run(Object.fromEntries(session.inputNames.map((n) => [n, all[n]])))).last_hidden_state;
    const dim = result.dims[2];
    const v = new Float64Array(dim);
    for (let k = 0; k < dim; k++) {
      const column = ids.map((_, i) => result.data[i * dim + k]);
      if (pooling.pooling_mode_cls_token) v[k] = column[0];
      else if (pooling.pooling_mode_max_tokens) v[k] = Math.max(...column);
      else v[k] = column.reduce((a, b) => a + b, 0) / ids.length;
    }
    const norm = Math.hypot(...v) || 1;
    vectors.push({ text, vector: [...v].map((x) => +(x / norm).toFixed(6)) });
    if (dim > 100 && vectors.length === 6) break;
  }
  const sha256 = crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  const model = path.basename(dir);
  fs.writeFileSync(path.join(out, `golden-${model}.json`), `{"model":${JSON.stringify(model)},"sha256":"${sha256}","vectors":[\n`
    + vectors.map((v) => JSON.stringify(v)).join(',\n') + '\n]}\n');
  console.log(model, vectors.length, 'vectors');
}
