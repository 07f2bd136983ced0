// JavaScript and TypeScript: a client for board, typed and without dependencies

// The package of board on npm brings it. Without that: `board help javascript >board.mjs`,
// from which TypeScript takes the types too (allowJs). It starts the command board for each
// call and reads its JSON: `board help json`. What it calls again: `board help output`.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/**
 * A flag of a command: true is the flag alone, a list repeats it.
 * @typedef {string | number | boolean | string[] | undefined} Flag
 * @typedef {{[name: string]: Flag}} Flags
 */

/** @typedef {"critical" | "high" | "medium" | "low"} Priority */

/**
 * What a finding says besides its text. source is FILE:LINE, "DOC @ PLACE" or a URL, quote
 * is verbatim. With a key, a call that is repeated writes nothing the second time.
 * @typedef {{source?: string, quote?: string, must?: boolean, key?: string, tag?: string[],
 *   confidence?: number, type?: string, supports?: string[], contradicts?: string[],
 *   supersedes?: string[]} & Flags} Finding
 */

/**
 * One of postAll: content, and what else it has. A link may be "@key" of another one.
 * @typedef {{content: string, type?: string, source?: string, source_doc?: string,
 *   source_ref?: string, quote?: string, evidence?: string, confidence?: number | null,
 *   must_surface?: boolean, drop_duty?: string, tags?: string[], supports?: string[],
 *   contradicts?: string[], supersedes?: string[], addresses?: string[], key?: string,
 *   worker?: string}} BatchItem
 */

// `board help json post` has the further fields of these, and so on.
/**
 * @typedef {{id: string, content: string, type: string, status: string, source_doc: string,
 *   source_ref: string, evidence: string, confidence: number | null, worker: string,
 *   tags: string[], must_surface: boolean, supports: string[], contradicts: string[],
 *   supersedes: string[], addresses: string[], key: string}} Entry
 * @typedef {{id: string, content: string, worker: string, doubted: boolean, verdict: string,
 *   note: string}} Checked
 * @typedef {{worker: string, entry: string, command: string, holds: boolean, why: string,
 *   verdict: "passed" | "failed" | "stale" | "untold" | "not found" | "unseen"}} Ran
 * @typedef {{id: string, content: string, priority: Priority, status: string, worker: string,
 *   addressed_by: string, reason: string, claimed_by: string}} Question
 * @typedef {{worker: string, status: string, reason: string}} Expected
 * @typedef {{run: string, goal: string, seq: number, expected: Expected[]}} State
 * @typedef {{rule: string, id: string, priority: string, content: string, worker: string}} Reason
 * @typedef {{open: boolean, reasons: Reason[]}} Verdict
 * @typedef {{file: string, line: number, text: string}} Place
 * @typedef {{report: string, line: number, text: string, kind: string,
 *   verdict: "supported" | "derived" | "source" | "unsupported", cause: string,
 *   entries: string[], source: Place | null, why: string}} Fact
 * @typedef {{passed: boolean, unsupported: number, facts: Fact[]}} Trace
 * @typedef {{id: string, why: string, content: string, present: boolean, unsure: boolean,
 *   cause: string, missing_tokens: string[], missing_numbers: string[]}} SurvivalItem
 * @typedef {{passed: boolean, missing: number, items: SurvivalItem[]}} Survival
 * @typedef {{passed: boolean, doubted: number, items: Checked[]}} Verify
 * @typedef {{report: string, line: number, handle: string, id: string,
 *   verdict: "good" | "stale" | "foreign" | "forged", why: string}} Citation
 */

/**
 * One step of a check, with its details under its own name, unless it was skipped.
 * @typedef {{name: "gate" | "verify" | "conflicts" | "survival" | "trace" | "ran" | "citations",
 *   passed: boolean, skipped: boolean, why: string, headline: string, warnings: string[],
 *   gate?: Verdict, verify?: Verify, conflicts?: any, survival?: Survival, trace?: Trace,
 *   ran?: Ran[], citations?: Citation[]}} Step
 * @typedef {{passed: boolean, steps: Step[]}} Check
 * @typedef {{text: string, tokens: number, omitted_must: string[]}} Digest
 * @typedef {{file: string, format: string, entries: number, signals: number}} Exported
 * @typedef {{key: string, value: any, version: number}} Variable
 * @typedef {{id: string, kind: string, title: string, body: string, source: string,
 *   tags: string[], refs: string[]}} Capsule
 * @typedef {Capsule & {score: number}} Hit
 */

/**
 * An entry, and what came of posting it. existing: its key was used before, and nothing was
 * written. checked is null if it names no source, or the run has none; so is ran without ran.
 * @typedef {Entry & {existing: boolean, checked: Checked | null, ran: Ran | null}} Posted
 */

/**
 * A worker that is done, and what hooks saw of the commands that it says to have run.
 * @typedef {Expected & {ran: Ran[]}} Done
 */

/**
 * What any command prints. A command has those of these keys that its method reads.
 * @typedef {{state: State, entry: Entry, existing: boolean, checked: Checked | null,
 *   ran: any, posted: {entry: Entry, existing: boolean}[], entries: Entry[], signal: Question, signals: Question[],
 *   expected: Expected[], verdict: Verdict, check: Check, digest: Digest, export: Exported,
 *   variable: Variable, capsule: Capsule, stored: Capsule[], hits: Hit[],
 *   brief: {block: string}}} Answer
 */

/** What a command could not do, and what to do next: code, exitCode, nextStep. */
export class BoardError extends Error {
  /** @param {number} exitCode @param {{code: string, message: string, try: string}} error */
  constructor(exitCode, error) {
    super([error.message, error.try].filter(Boolean).join("; try: "));
    this.exitCode = exitCode;
    this.code = error.code;
    this.nextStep = error.try;
  }
}

/**
 * Return the command board of the npm package around this file, or that of $PATH.
 * @returns {string}
 */
export function program() {
  try {
    return createRequire(import.meta.url)("./program.cjs");
  } catch {
    return "board";
  }
}

/** A run, as one worker sees it. */
export class Board {
  /**
   * cwd is where the command runs: files are named from there, board.yaml is found there.
   * @param {string} run @param {string} worker
   * @param {string | {program?: string, cwd?: string}} [options] the program, or both
   */
  constructor(run, worker, options = {}) {
    const given = typeof options === "string" ? { program: options } : options;
    this.program = given.program ?? program();
    /** @type {string | undefined} */
    this.cwd = given.cwd;
    /** @type {Record<string, string | undefined>} */
    this.env = { ...process.env, BOARD_RUN: run, BOARD_WORKER: worker };
  }

  /**
   * Run any command. Exit codes in answers are results, not errors.
   * {ifMatch: 3} is --if-match 3; {tag: ["a", "b"]} is --tag a --tag b.
   * @param {string[]} args @param {Flags} [flags] @param {string} [text] @param {number[]} [answers]
   * @returns {Promise<Answer>}
   */
  async call(args, flags = {}, text = "", answers = []) {
    const line = [...args, "--json"];
    for (const [name, value] of Object.entries(flags)) {
      const flag = "--" + name.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase());
      for (const v of Array.isArray(value) ? value : [value]) {
        if (v !== undefined && v !== false) line.push(v === true ? flag : `${flag}=${v}`);
      }
    }
    for (const pause of [200, 1000, 5000, 0]) {
      const { code, out, err } = await run(this, line, text);
      if (code === 0 || answers.includes(code)) {
        process.stderr.write(err); // notes, such as that a run was created
        return JSON.parse(out);
      }
      const error = errorIn(err, code);
      if (!["busy", "database_away", "timeout"].includes(error.code) || !pause) {
        throw new BoardError(code, error);
      }
      await sleep(pause);
    }
    throw new Error("the last try returns or throws");
  }

  /**
   * Create the run, or join it: the workers that the gate waits for, and the files that
   * quotes are checked against.
   * @param {string} goal @param {{expect?: string[], sources?: string[]} & Flags} [flags]
   */
  async start(goal, flags) {
    return (await this.call(["start"], { goal: goal || undefined, ...flags })).state;
  }

  // A text that begins with a dash is a text. Further flags: board COMMAND --help.

  /**
   * Post a finding. The entry comes with checked, ran (of {ran: "go test ./..."}) and existing.
   * @param {string} text @param {Finding} [flags]
   */
  async post(text, flags) {
    return posted(await this.call(["post", "-"], flags, text));
  }

  /**
   * Post all or none: [{content: "…", source: "auth.go:42", quote: "…"}, …]
   * @param {BatchItem[]} posts @param {Flags} [flags]
   */
  async postAll(posts, flags) {
    const lines = posts.map((p) => JSON.stringify(p)).join("\n");
    return (await this.call(["post"], { batch: true, ...flags }, lines)).posted.map((p) => p.entry);
  }

  /**
   * Amend an entry; what is not given is taken over. Returns the new one.
   * @param {string} entry @param {string} [text] @param {Finding} [flags]
   */
  async correct(entry, text, flags) {
    const words = text === undefined ? [] : ["-"];
    return posted(await this.call(["correct", entry, ...words], flags, text));
  }

  /**
   * Raise a question; critical and high ones keep the gate closed.
   * @param {string} question @param {{priority?: Priority, key?: string, origin?: string} & Flags} [flags]
   */
  async ask(question, flags) {
    return (await this.call(["ask", "-"], flags, question)).signal;
  }

  /**
   * Claim a question, or the most urgent free one. null: it is taken, or none is free.
   * @param {string} [question] @param {Flags} [flags]
   */
  async claim(question, flags) {
    try {
      return (await this.call(question ? ["claim", question] : ["claim"], flags)).signal;
    } catch (e) {
      if (e instanceof BoardError && e.exitCode === 6) return null;
      throw e;
    }
  }

  /**
   * Answer a question with a finding, as post takes it.
   * @param {string} question @param {string} text @param {Finding} [flags]
   */
  async answer(question, text, flags) {
    return posted(await this.call(["answer", question, "-"], flags, text));
  }

  /**
   * Leave a question open, for a reason that stays on record.
   * @param {string} question @param {string} reason
   */
  async waive(question, reason) {
    return (await this.call(["waive", question], { reason })).signal;
  }

  /** @param {Flags} [flags] */
  async questions(flags) {
    return (await this.call(["signals"], flags)).signals;
  }

  /**
   * Name workers that the gate waits for; {drop: "reader-2", reason: "…"} ends that.
   * @param {string[]} workers @param {Flags} [flags]
   */
  async expect(workers, flags) {
    return (await this.call(["expect", ...workers], flags)).expected;
  }

  /**
   * Say that this worker has finished, or those that are named. {ran: ["go test ./..."]} says
   * what passed; ran of each worker is what hooks saw of that.
   * @param {string[]} [workers] @param {{ran?: string[]} & Flags} [flags]
   * @returns {Promise<Done[]>}
   */
  async done(workers = [], flags) {
    const { expected, ran } = await this.call(["done", ...workers], flags);
    /** @type {Ran[]} */
    const all = ran ?? [];
    return expected.map((e) => ({ ...e, ran: all.filter((r) => r.worker === e.worker) }));
  }

  /**
   * Return one entry or question whole, with its links and history.
   * @param {string} id
   */
  async show(id) {
    return this.call(["show", id]);
  }

  /**
   * Return entries, the newest first; {order: "best"} puts the best match first.
   * @param {string} [words] @param {Flags} [flags]
   */
  async query(words = "", flags) {
    return (await this.call(["query", ...words.split(/\s+/).filter(Boolean)], flags)).entries;
  }

  /**
   * Return a variable of the run.
   * @param {string} key @param {unknown} [otherwise]
   * @returns {Promise<any>}
   */
  async get(key, otherwise = null) {
    return (await this.call(["state", "get", key], { default: JSON.stringify(otherwise) })).variable.value;
  }

  /**
   * Set a variable of the run; {ifMatch: VERSION} only if nobody else has.
   * @param {string} key @param {unknown} value @param {Flags} [flags]
   */
  async set(key, value, flags) {
    return (await this.call(["state", "set", key, "-"], flags, JSON.stringify(value))).variable;
  }

  /**
   * Return the verdict. "10m" waits until the gate is open, at most so long.
   * @param {string} [wait] @param {Flags} [flags]
   */
  async gate(wait, flags) {
    return (await this.call(["gate"], { wait: wait !== undefined, timeout: wait, ...flags }, "", [3])).verdict;
  }

  /**
   * Return the findings as markdown, for the writer of a report.
   * @param {{budget?: number} & Flags} [flags]
   */
  async digest(flags) {
    return (await this.call(["digest"], flags)).digest;
  }

  /**
   * Return the result of all checks. Its passed is the verdict. An invented figure fails it
   * only if a policy says `trace: {max_unsupported: 0}`: that of {policy: "FILE"}, or board.yaml
   * in cwd or above. The trace.facts of the step trace has the figures.
   * @param {string | string[]} reports
   * @param {{sources?: string[], policy?: string} & Flags} [flags]
   */
  async check(reports, flags) {
    return (await this.call(["check", ...[reports].flat()], flags, "", [3, 4])).check;
  }

  /**
   * Write the run to a .jsonl, .md or .html file.
   * @param {string} file @param {Flags} [flags]
   */
  async export(file, flags) {
    return (await this.call(["export"], { output: file, ...flags })).export;
  }

  // The knowledge base: what earlier runs have left, and what later ones shall have.

  /**
   * Return what is known about a task, as text for a prompt; "" for nothing.
   * @param {string} task @param {Flags} [flags]
   */
  async brief(task, flags) {
    return (await this.call(["kb", "brief"], { task, ...flags })).brief.block;
  }

  /** @param {string} question @param {Flags} [flags] */
  async search(question, flags) {
    return (await this.call(["kb", "search", "-"], flags, question)).hits;
  }

  /**
   * Store what is verified; {source: "auth.go:42"} says where it can be checked.
   * @param {string} text @param {string} title @param {Flags} [flags]
   */
  async remember(text, title, flags) {
    return (await this.call(["kb", "remember", "-"], { title, ...flags }, text)).capsule;
  }

  /**
   * Store the LEARNING: lines of a worker's answer; return the new capsules.
   * @param {string} text @param {Flags} [flags]
   */
  async learn(text, flags) {
    return (await this.call(["kb", "learn", "-"], flags, text)).stored;
  }

  /**
   * Make a capsule from an entry.
   * @param {string} entry @param {Flags} [flags]
   */
  async promote(entry, flags) {
    return (await this.call(["kb", "promote", entry], flags)).capsule;
  }
}

/** @param {Answer} answer @returns {Posted} */
function posted({ entry, existing, checked, ran }) {
  return { ...entry, existing, checked: checked ?? null, ran: ran ?? null };
}

/**
 * @param {Board} board @param {string[]} args @param {string} text
 * @returns {Promise<{code: number, out: string, err: string}>}
 */
function run({ program, env, cwd }, args, text) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd });
    let out = "", err = "";
    child.stdout.setEncoding("utf8").on("data", (s) => (out += s));
    child.stderr.setEncoding("utf8").on("data", (s) => (err += s));
    child.stdin.on("error", () => {}); // a command that reads no text may be gone already
    child.on("error", (e) => reject(unstarted(program, cwd, e)));
    child.on("close", (code) => resolve({ code: code ?? 1, out, err }));
    child.stdin.end(text);
  });
}

/** @param {string} program @param {string | undefined} cwd @param {Error} e */
function unstarted(program, cwd, e) {
  if (cwd !== undefined && !existsSync(cwd)) {
    const message = `there is no directory ${cwd}`;
    return new BoardError(127, { code: "not_found", message, try: "another cwd" });
  }
  const message = `${program} cannot be started: ${e.message}`;
  const next = "install board (npm install its package, or put its binary into $PATH), or name it: "
    + "new Board(run, worker, { program })";
  return new BoardError(127, { code: "no_program", message, try: next });
}

/** @param {string} err @param {number} code */
function errorIn(err, code) {
  try { // the error is the last line; notes may stand before it
    return JSON.parse(err.trim().split("\n").at(-1) ?? "").error;
  } catch {
    return { code: "failure", message: err || `exit code ${code}`, try: "" };
  }
}

// An example: two workers, a question, and a report that is held against it all.
async function example() {
  await writeFile("auth.txt", "Tokens expire after 30 days.\nNobody rotates the keys.\n");
  const reader = new Board("from-javascript", "reader"), writer = new Board("from-javascript", "writer");
  await reader.start("How long do tokens live?", { sources: ["auth.txt"] });
  const where = { source: "auth.txt:1", quote: "expire after 30 days", must: true, key: "reader/1" };
  const found = await reader.post("Tokens expire after 30 days", where);
  await reader.ask("Who rotates the keys?", { priority: "high", key: "reader/2", origin: found.id });
  console.log("gate open:", (await writer.gate()).open);
  const question = await writer.claim();
  if (question) {
    const answer = { source: "auth.txt:2", must: true, key: "writer/1" };
    await writer.answer(question.id, "Nobody rotates the keys", answer);
  }
  console.log("gate open:", (await writer.gate("1m")).open);
  await writeFile("report.md", "Tokens expire after 30 days. Nobody rotates the keys.\n");
  console.log("report passed:", (await writer.check("report.md")).passed);
}

// No await here: require() takes no module that waits.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) example();
