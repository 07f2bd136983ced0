export type Flag = string | number | boolean | string[] | undefined;
export type Flags = {
    [name: string]: Flag;
};
export type Priority = "critical" | "high" | "medium" | "low";
export type Finding = {
    source?: string;
    quote?: string;
    must?: boolean;
    key?: string;
    tag?: string[];
    confidence?: number;
    type?: string;
    supports?: string[];
    contradicts?: string[];
    supersedes?: string[];
} & Flags;
export type BatchItem = {
    content: string;
    type?: string;
    source?: string;
    source_doc?: string;
    source_ref?: string;
    quote?: string;
    evidence?: string;
    confidence?: number | null;
    must_surface?: boolean;
    drop_duty?: string;
    tags?: string[];
    supports?: string[];
    contradicts?: string[];
    supersedes?: string[];
    addresses?: string[];
    key?: string;
    worker?: string;
};
export type Entry = {
    id: string;
    content: string;
    type: string;
    status: string;
    source_doc: string;
    source_ref: string;
    evidence: string;
    confidence: number | null;
    worker: string;
    tags: string[];
    must_surface: boolean;
    supports: string[];
    contradicts: string[];
    supersedes: string[];
    addresses: string[];
    key: string;
};
export type Checked = {
    id: string;
    content: string;
    worker: string;
    doubted: boolean;
    verdict: string;
    note: string;
};
export type Ran = {
    worker: string;
    entry: string;
    command: string;
    holds: boolean;
    why: string;
    verdict: "passed" | "failed" | "stale" | "untold" | "not found" | "unseen";
};
export type Question = {
    id: string;
    content: string;
    priority: Priority;
    status: string;
    worker: string;
    addressed_by: string;
    reason: string;
    claimed_by: string;
};
export type Expected = {
    worker: string;
    status: string;
    reason: string;
};
export type State = {
    run: string;
    goal: string;
    seq: number;
    expected: Expected[];
};
export type Reason = {
    rule: string;
    id: string;
    priority: string;
    content: string;
    worker: string;
};
export type Verdict = {
    open: boolean;
    reasons: Reason[];
};
export type Place = {
    file: string;
    line: number;
    text: string;
};
export type Fact = {
    report: string;
    line: number;
    text: string;
    kind: string;
    verdict: "supported" | "derived" | "source" | "unsupported";
    cause: string;
    entries: string[];
    source: Place | null;
    why: string;
};
export type Trace = {
    passed: boolean;
    unsupported: number;
    facts: Fact[];
};
export type SurvivalItem = {
    id: string;
    why: string;
    content: string;
    present: boolean;
    unsure: boolean;
    cause: string;
    missing_tokens: string[];
    missing_numbers: string[];
};
export type Survival = {
    passed: boolean;
    missing: number;
    items: SurvivalItem[];
};
export type Verify = {
    passed: boolean;
    doubted: number;
    items: Checked[];
};
export type Citation = {
    report: string;
    line: number;
    handle: string;
    id: string;
    verdict: "good" | "stale" | "foreign" | "forged";
    why: string;
};
export type Step = {
    name: "gate" | "verify" | "conflicts" | "survival" | "trace" | "ran" | "citations";
    passed: boolean;
    skipped: boolean;
    why: string;
    headline: string;
    warnings: string[];
    gate?: Verdict;
    verify?: Verify;
    conflicts?: any;
    survival?: Survival;
    trace?: Trace;
    ran?: Ran[];
    citations?: Citation[];
};
export type Check = {
    passed: boolean;
    steps: Step[];
};
export type Digest = {
    text: string;
    tokens: number;
    omitted_must: string[];
};
export type Exported = {
    file: string;
    format: string;
    entries: number;
    signals: number;
};
export type Variable = {
    key: string;
    value: any;
    version: number;
};
export type Capsule = {
    id: string;
    kind: string;
    title: string;
    body: string;
    source: string;
    tags: string[];
    refs: string[];
};
export type Hit = Capsule & {
    score: number;
};
export type Posted = Entry & {
    existing: boolean;
    checked: Checked | null;
    ran: Ran | null;
};
export type Done = Expected & {
    ran: Ran[];
};
export type Answer = {
    state: State;
    entry: Entry;
    existing: boolean;
    checked: Checked | null;
    ran: any;
    posted: {
        entry: Entry;
        existing: boolean;
    }[];
    entries: Entry[];
    signal: Question;
    signals: Question[];
    expected: Expected[];
    verdict: Verdict;
    check: Check;
    digest: Digest;
    export: Exported;
    variable: Variable;
    capsule: Capsule;
    stored: Capsule[];
    hits: Hit[];
    brief: {
        block: string;
    };
};
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
export declare class BoardError extends Error {
    exitCode: number;
    code: string;
    nextStep: string;
    /** @param {number} exitCode @param {{code: string, message: string, try: string}} error */
    constructor(exitCode: number, error: {
        code: string;
        message: string;
        try: string;
    });
}
/**
 * Return the command board of the npm package around this file, or that of $PATH.
 * @returns {string}
 */
export declare function program(): string;
/** A run, as one worker sees it. */
export declare class Board {
    program: string;
    /** @type {string | undefined} */
    cwd: string | undefined;
    /** @type {Record<string, string | undefined>} */
    env: Record<string, string | undefined>;
    /**
     * cwd is where the command runs: files are named from there, board.yaml is found there.
     * @param {string} run @param {string} worker
     * @param {string | {program?: string, cwd?: string}} [options] the program, or both
     */
    constructor(run: string, worker: string, options?: string | {
        program?: string;
        cwd?: string;
    });
    /**
     * Run any command. Exit codes in answers are results, not errors.
     * {ifMatch: 3} is --if-match 3; {tag: ["a", "b"]} is --tag a --tag b.
     * @param {string[]} args @param {Flags} [flags] @param {string} [text] @param {number[]} [answers]
     * @returns {Promise<Answer>}
     */
    call(args: string[], flags?: Flags, text?: string, answers?: number[]): Promise<Answer>;
    /**
     * Create the run, or join it: the workers that the gate waits for, and the files that
     * quotes are checked against.
     * @param {string} goal @param {{expect?: string[], sources?: string[]} & Flags} [flags]
     */
    start(goal: string, flags?: {
        expect?: string[];
        sources?: string[];
    } & Flags): Promise<State>;
    /**
     * Post a finding. The entry comes with checked, ran (of {ran: "go test ./..."}) and existing.
     * @param {string} text @param {Finding} [flags]
     */
    post(text: string, flags?: Finding): Promise<Posted>;
    /**
     * Post all or none: [{content: "…", source: "auth.go:42", quote: "…"}, …]
     * @param {BatchItem[]} posts @param {Flags} [flags]
     */
    postAll(posts: BatchItem[], flags?: Flags): Promise<Entry[]>;
    /**
     * Amend an entry; what is not given is taken over. Returns the new one.
     * @param {string} entry @param {string} [text] @param {Finding} [flags]
     */
    correct(entry: string, text?: string, flags?: Finding): Promise<Posted>;
    /**
     * Raise a question; critical and high ones keep the gate closed.
     * @param {string} question @param {{priority?: Priority, key?: string, origin?: string} & Flags} [flags]
     */
    ask(question: string, flags?: {
        priority?: Priority;
        key?: string;
        origin?: string;
    } & Flags): Promise<Question>;
    /**
     * Claim a question, or the most urgent free one. null: it is taken, or none is free.
     * @param {string} [question] @param {Flags} [flags]
     */
    claim(question?: string, flags?: Flags): Promise<Question | null>;
    /**
     * Answer a question with a finding, as post takes it.
     * @param {string} question @param {string} text @param {Finding} [flags]
     */
    answer(question: string, text: string, flags?: Finding): Promise<Posted>;
    /**
     * Leave a question open, for a reason that stays on record.
     * @param {string} question @param {string} reason
     */
    waive(question: string, reason: string): Promise<Question>;
    /** @param {Flags} [flags] */
    questions(flags?: Flags): Promise<Question[]>;
    /**
     * Name workers that the gate waits for; {drop: "reader-2", reason: "…"} ends that.
     * @param {string[]} workers @param {Flags} [flags]
     */
    expect(workers: string[], flags?: Flags): Promise<Expected[]>;
    /**
     * Say that this worker has finished, or those that are named. {ran: ["go test ./..."]} says
     * what passed; ran of each worker is what hooks saw of that.
     * @param {string[]} [workers] @param {{ran?: string[]} & Flags} [flags]
     * @returns {Promise<Done[]>}
     */
    done(workers?: string[], flags?: {
        ran?: string[];
    } & Flags): Promise<Done[]>;
    /**
     * Return one entry or question whole, with its links and history.
     * @param {string} id
     */
    show(id: string): Promise<Answer>;
    /**
     * Return entries, the newest first; {order: "best"} puts the best match first.
     * @param {string} [words] @param {Flags} [flags]
     */
    query(words?: string, flags?: Flags): Promise<Entry[]>;
    /**
     * Return a variable of the run.
     * @param {string} key @param {unknown} [otherwise]
     * @returns {Promise<any>}
     */
    get(key: string, otherwise?: unknown): Promise<any>;
    /**
     * Set a variable of the run; {ifMatch: VERSION} only if nobody else has.
     * @param {string} key @param {unknown} value @param {Flags} [flags]
     */
    set(key: string, value: unknown, flags?: Flags): Promise<Variable>;
    /**
     * Return the verdict. "10m" waits until the gate is open, at most so long.
     * @param {string} [wait] @param {Flags} [flags]
     */
    gate(wait?: string, flags?: Flags): Promise<Verdict>;
    /**
     * Return the findings as markdown, for the writer of a report.
     * @param {{budget?: number} & Flags} [flags]
     */
    digest(flags?: {
        budget?: number;
    } & Flags): Promise<Digest>;
    /**
     * Return the result of all checks. Its passed is the verdict. An invented figure fails it
     * only if a policy says `trace: {max_unsupported: 0}`: that of {policy: "FILE"}, or board.yaml
     * in cwd or above. The trace.facts of the step trace has the figures.
     * @param {string | string[]} reports
     * @param {{sources?: string[], policy?: string} & Flags} [flags]
     */
    check(reports: string | string[], flags?: {
        sources?: string[];
        policy?: string;
    } & Flags): Promise<Check>;
    /**
     * Write the run to a .jsonl, .md or .html file.
     * @param {string} file @param {Flags} [flags]
     */
    export(file: string, flags?: Flags): Promise<Exported>;
    /**
     * Return what is known about a task, as text for a prompt; "" for nothing.
     * @param {string} task @param {Flags} [flags]
     */
    brief(task: string, flags?: Flags): Promise<string>;
    /** @param {string} question @param {Flags} [flags] */
    search(question: string, flags?: Flags): Promise<Hit[]>;
    /**
     * Store what is verified; {source: "auth.go:42"} says where it can be checked.
     * @param {string} text @param {string} title @param {Flags} [flags]
     */
    remember(text: string, title: string, flags?: Flags): Promise<Capsule>;
    /**
     * Store the LEARNING: lines of a worker's answer; return the new capsules.
     * @param {string} text @param {Flags} [flags]
     */
    learn(text: string, flags?: Flags): Promise<Capsule[]>;
    /**
     * Make a capsule from an entry.
     * @param {string} entry @param {Flags} [flags]
     */
    promote(entry: string, flags?: Flags): Promise<Capsule>;
}
