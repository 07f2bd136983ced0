// JavaScript and TypeScript: a client for board, without dependencies

// Save it with `board help javascript >board_client.mjs`. It starts the command board for
// each call and reads its JSON: `board help json`. What it retries: `board help output`.
// TypeScript takes its types from the comments (allowJs, checkJs).

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

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

/** @typedef {Record<string, string | number | boolean | string[] | undefined>} Flags */

/** A run, as one worker sees it. */
export class Board {
  /** @param {string} run @param {string} worker @param {string} [program] */
  constructor(run, worker, program = "board") {
    this.program = program;
    this.env = { ...process.env, BOARD_RUN: run, BOARD_WORKER: worker };
  }

  /**
   * Run a command. Exit codes in answers are results, not errors.
   * {mustSurface: true} is --must-surface; {tag: ["a", "b"]} is --tag a --tag b.
   * @param {string[]} args @param {Flags} [flags] @param {string} [text] @param {number[]} [answers]
   * @returns {Promise<any>}
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
      const { code, out, err } = await start(this.program, line, this.env, text);
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
  }

  /**
   * Create the run. One that exists is not changed: a program may start again.
   * @param {string} goal @param {Flags} [flags]
   */
  async new(goal, flags) {
    return (await this.call(["new"], { goal, existsOk: true, ...flags })).state;
  }

  // With a key, a call that is repeated writes nothing the second time.

  /** @param {string} text @param {string} key @param {Flags} [flags] */
  async post(text, key, flags) {
    return (await this.call(["post", "-"], { key, ...flags }, text)).entry;
  }

  /** @param {string} text @param {string} key @param {Flags} [flags] */
  async signal(text, key, flags) {
    return (await this.call(["signal", "-"], { key, ...flags }, text)).signal;
  }

  /**
   * Claim a signal, or the most urgent free one. null: it is taken, or none is free.
   * @param {string} [signal] @param {Flags} [flags]
   */
  async claim(signal, flags) {
    try {
      return (await this.call(signal ? ["claim", signal] : ["claim"], flags)).signal;
    } catch (e) {
      if (e instanceof BoardError && e.exitCode === 6) return null;
      throw e;
    }
  }

  /** @param {string} signal @param {string} text @param {string} key @param {Flags} [flags] */
  async address(signal, text, key, flags) {
    return (await this.call(["address", signal, "-"], { key, ...flags }, text)).entry;
  }

  /**
   * Leave a question open, for a reason that stays on record.
   * @param {string} signal @param {string} reason
   */
  async waive(signal, reason) {
    return (await this.call(["waive", signal], { reason })).signal;
  }

  /**
   * Return the verdict. "10m" waits until the gate is open, at most so long.
   * @param {string} [wait]
   */
  async gate(wait) {
    return (await this.call(["gate"], { wait: wait !== undefined, timeout: wait }, "", [3])).verdict;
  }

  /**
   * Return entries, the newest first; {order: "best"} puts the best match first.
   * @param {string} [words] @param {Flags} [flags]
   */
  async query(words = "", flags) {
    return (await this.call(["query", ...words.split(/\s+/).filter(Boolean)], flags)).entries;
  }

  /** @param {string[]} workers */
  async expect(...workers) {
    return (await this.call(["expect", ...workers])).expected;
  }

  async done() {
    return (await this.call(["done"])).expected;
  }

  /** @param {string} report */
  async survival(report) {
    return (await this.call(["survival", report], {}, "", [4])).survival;
  }

  /**
   * Return the result of all checks. Its passed is the verdict.
   * @param {...string} reports
   */
  async check(...reports) {
    return (await this.call(["check", ...reports], {}, "", [3, 4])).check;
  }

  /**
   * Return the findings as markdown, for the writer of a report; {budget: 4000} limits it.
   * @param {Flags} [flags]
   */
  async digest(flags) {
    return (await this.call(["export"], { format: "md", ...flags })).digest.text;
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

/**
 * @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} env
 * @param {string} text
 * @returns {Promise<{code: number, out: string, err: string}>}
 */
function start(program, args, env, text) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env });
    let out = "", err = "";
    child.stdout.setEncoding("utf8").on("data", (s) => (out += s));
    child.stderr.setEncoding("utf8").on("data", (s) => (err += s));
    child.stdin.on("error", () => {}); // a command that reads no text may be gone already
    child.on("error", reject).on("close", (code) => resolve({ code: code ?? 1, out, err }));
    child.stdin.end(text);
  });
}

/** @param {string} err @param {number} code */
function errorIn(err, code) {
  try { // the error is the last line; notes may stand before it
    return JSON.parse(err.trim().split("\n").at(-1) ?? "").error;
  } catch {
    return { code: "failure", message: err || `exit code ${code}`, try: "" };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // An example: a finding, a question and its answer.
  const reader = new Board("from-javascript", "reader"), writer = new Board("from-javascript", "writer");
  await reader.new("How long do tokens live?");
  const found = await reader.post("Tokens never expire", "reader/1", { sourceDoc: "auth.go", mustSurface: true });
  await reader.signal("Who rotates the keys?", "reader/2", { priority: "high", origin: found.id });
  console.log("gate open:", (await writer.gate()).open);
  const question = await writer.claim();
  if (question) {
    await writer.address(question.id, "Nobody rotates the keys", "writer/1", { sourceDoc: "cron.log" });
  }
  console.log("gate open:", (await writer.gate("1m")).open);
  await writeFile("report.md", "Tokens never expire. Nobody rotates the keys.\n");
  console.log("report passed:", (await writer.check("report.md")).passed);
}
