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
 * @typedef {string | readonly string[]} Texts
 * @typedef {Texts | number | boolean | undefined} Flag
 * @typedef {{[name: string]: Flag}} Flags
 */

// What follows is written by a test, from the tables of `board help json` and the flags.

/** @typedef {"fact" | "gotcha" | "pattern" | "anti_pattern" | "recipe" | "principle" | "doc"} CapsuleKind */
/** @typedef {"observation" | "analysis" | "calculation" | "strategy" | "gap" | "contradiction"} EntryType */
/** @typedef {"critical" | "high" | "medium" | "low"} Priority */
/** @typedef {"workspace" | "project" | "domain" | "universal"} Scope */

/**
 * @typedef {{doubt: string, id: string, check: string, verdict: string, reason: string,
 *   worker: string, person: boolean, at: string, seq: number}} Acceptance
 * @typedef {{id: string, title: string, cosine: number | null, differ: string[]}} Alike
 * @typedef {{role: string, task: string, kinds: string[], mode: string, block: string,
 *   weak: boolean, tokens: number, budget: number, retrieval_log: BriefEntry[],
 *   degraded: string[]}} Brief
 * @typedef {{id: string, kind: CapsuleKind, scope: string, title: string, body: string,
 *   tags: string[], domain_tags: string[], source: string, confidence: number | null,
 *   verified_by: string, supersedes: string[], superseded_by: string, refs: string[],
 *   workspace: string, project: string, decay_score: number, created: string, updated: string,
 *   retrieved: string | null, retired: string | null, retired_why: string, revision: number,
 *   ingested: Ingested | null, embedding_model: string, dim: number}} Capsule
 * @typedef {{run: string, seq: number, passed: boolean, policy: string,
 *   recorded: PolicyRef | null, note: string, reports: string[], steps: Step[]}} Check
 * @typedef {{id: string, type: string, worker: string, content: string, must_surface: boolean,
 *   doubted: boolean, source_doc: string, source_ref: string, evidence: string, verdict: string,
 *   note: string, differences: Difference[], missing: Value[], passage: Passage | null,
 *   other_language: boolean, source: string, file: string, sha256: string, parts?: Part[],
 *   doubt: string, accepted: Acceptance | null, earlier: string, addresses: string[]}} Checked
 * @typedef {{run: string, seq: number, compared: number, looked: number, total: number,
 *   pairs: Conflict[]}} Conflicts
 * @typedef {{key: string, value: any, version: number, updated: string, worker: string}} Variable
 * @typedef {{text: string, tokens: number, included: number, omitted: number,
 *   omitted_must: string[]}} Digest
 * @typedef {{id: string, by: string, seq: number, worker: string, reason: string}} DroppedDuty
 * @typedef {{id: string, seq: number, created: string, type: string,
 *   status: "active" | "disputed" | "superseded", content: string, source_doc: string,
 *   source_ref: string, evidence: string, sources?: Cited[], confidence: number | null,
 *   worker: string, tags: string[], must_surface: boolean, supports: string[],
 *   contradicts: string[], supersedes: string[], addresses: string[], key: string,
 *   external_id: string, verified: Verification | null}} Entry
 * @typedef {{seq: number, at: string, actor: string, verb: string, id: string, payload: any}} Event
 * @typedef {{missing: string, terms: string[]}} Expansion
 * @typedef {{worker: string, seq: number, status: "expected" | "done" | "dropped", at: string,
 *   by: string, reason: string}} Expected
 * @typedef {{file: string, format: "jsonl" | "md" | "html", entries: number, signals: number,
 *   omitted: number, omitted_must: string[]}} Exported
 * @typedef {{run: string, seq: number, open: boolean, policy: Policy, recorded: PolicyRef | null,
 *   reasons: Reason[], signals: SignalCounts, disputed: number}} Verdict
 * @typedef {{id: string, kind: CapsuleKind, scope: string, title: string, body: string,
 *   tags: string[], domain_tags: string[], source: string, confidence: number | null,
 *   verified_by: string, supersedes: string[], superseded_by: string, refs: string[],
 *   workspace: string, project: string, decay_score: number, created: string, updated: string,
 *   retrieved: string | null, retired: string | null, retired_why: string, revision: number,
 *   ingested: Ingested | null, embedding_model: string, dim: number, score: number,
 *   bm25_rank: number, vector_rank: number, bm25_score: number, cosine_score: number | null,
 *   rrf_score: number, evidence: number, weak: boolean, why?: string, snippet: string,
 *   stale?: string, boosts: string[], terms?: TermScore[]}} Hit
 * @typedef {{id: string, tier: string, channel: string, conversation: string, agent: string,
 *   title: string, content: string, curator: string, source: string, importance: number,
 *   lifetime: "long_term" | "short_term" | "conversation", tags: string[], access_count: number,
 *   created: string, updated: string, accessed: string, expires: string | null,
 *   derived_from: string, revision: number, archived: string | null, forgotten: string | null,
 *   rule: string, replaced_by: string, why: string, embedding_model: string, dim: number}} MemoryItem
 * @typedef {{kind: string, from: string, line: string}} Backlink
 * @typedef {{path: string, recorded: PolicyRef | null, note: string}} UsedPolicy
 * @typedef {{entry: Entry, existing: boolean, reopened?: string[], corrects?: string,
 *   changed?: string[], reason?: string, checked: Checked | null}} Item
 * @typedef {{id: string, seq: number, created: string, content: string, priority: Priority,
 *   status: "open" | "addressed" | "waived", worker: string, to: string, origin: string,
 *   addressed_by: string, reason: string, closed_by: string, closed: string | null,
 *   claimed_by: string, lease_until: string | null, key: string, external_id: string}} Question
 * @typedef {{seq: number, at: string, worker: string, entry: string, command: string,
 *   dir: string, exit: number,
 *   verdict: "passed" | "failed" | "stale" | "untold" | "not found" | "unseen", holds: boolean,
 *   why: string, receipt: number}} Ran
 * @typedef {{seq: number, worker: string, command: string, path: string, dir: string,
 *   root: string, began: string, duration_ms: number | null, exit_code: number | null,
 *   output: string, commit: string, dirty: boolean, harness: string, session: string,
 *   use: string, transcript: string, compared: string, edited_since: boolean}} Receipt
 * @typedef {{from: string, why: string}} KbRefused
 * @typedef {{seq: number, at: string, worker: string, way: string, role: string, task: string,
 *   capsules: Given[]}} Retrieval
 * @typedef {{a: string, b: string, reason: string, worker: string, at: string, seq: number}} Settlement
 * @typedef {{name: string, path: string, sha256: string, size: number, text: boolean,
 *   seq: number, at: string, worker: string, change: "added" | "changed" | "unchanged"}} SourceAdded
 * @typedef {{run: string, goal: string, created: string, updated: string, seq: number,
 *   entries: EntryCounts, signals: SignalCounts, links: {[name: string]: number},
 *   workers: Worker[], variables: Variable[], expected: Expected[], retrievals: number,
 *   receipts: number, checks: CheckRecord[]}} State
 * @typedef {{tier: string, hits: MemoryHit[]}} Slice
 * @typedef {{run: string, seq: number, passed: boolean, checked: number, doubted: number,
 *   accepted: number, unchecked: number, unsourced: number, concluded: string[],
 *   unsure: string[], other_language: number, sources: SourceResult[], items: Checked[],
 *   recorded: number, not_recorded: string}} Verify
 * @typedef {{id: string, kind: string, title: string, score: number, bm25_score: number,
 *   cosine_score: number | null, evidence: number, weak: boolean, boosts: string[],
 *   included: boolean, why: string}} BriefEntry
 * @typedef {{file: string, sha256: string, part: number, of: number}} Ingested
 * @typedef {{path: string, sha256: string, seq: number, reason: string}} PolicyRef
 * @typedef {{name: "gate" | "verify" | "conflicts" | "survival" | "trace" | "ran" | "citations",
 *   passed: boolean, skipped: boolean, why: string, headline: string, warnings: string[],
 *   gate?: Verdict, verify?: Verify, conflicts?: Conflicts, survival?: Survival, trace?: Trace,
 *   ran?: Ran[], citations?: Citation[]}} Step
 * @typedef {{quote: string, source: string}} Difference
 * @typedef {{kind: "number" | "date" | "identifier" | "name", text: string}} Value
 * @typedef {{line: number, where: string, text: string}} Passage
 * @typedef {{source_doc: string, source_ref: string, evidence: string, verdict: string,
 *   note: string, differences: Difference[], missing: Value[], passage: Passage | null,
 *   other_language: boolean, source: string, file: string, sha256: string}} Part
 * @typedef {{a: Side, b: Side, kind: "figure" | "date" | "negation" | "order", why: string[],
 *   score: number, likely: boolean, signal: string}} Conflict
 * @typedef {{source_doc: string, source_ref: string, evidence: string}} Cited
 * @typedef {{verdict: string, source: string, sha256: string, place: string, note: string,
 *   parts?: Held[], seq: number, at: string, worker: string, stale: boolean, doubt?: string,
 *   accepted?: Acceptance}} Verification
 * @typedef {{block: string[], expect: string[], max_open: number | null,
 *   max_disputed: number | null, max_conflicts: number | null, min_entries: number,
 *   require_source: boolean, require_verified: boolean, require_evidence: boolean,
 *   require_ran: string[], require_ran_by: {[name: string]: string[]}, accept: AcceptPolicy}} Policy
 * @typedef {{rule: "empty" | "min-entries" | "expected" | "open-signal" | "max-open" | "max-disputed" | "max-conflicts" | "require-source" | "require-verified" | "accepted" | "require-evidence" | "require-ran",
 *   id: string, other: string, priority: string, content: string, worker: string,
 *   claimed_by: string, to: string, clear: string, next: Next[]}} Reason
 * @typedef {{total: number, open: {[name: string]: number}, addressed: {[name: string]: number},
 *   waived: {[name: string]: number}}} SignalCounts
 * @typedef {{term: string, df: number, tf: number, score: number}} TermScore
 * @typedef {{id: string, score: number, evidence: number}} Given
 * @typedef {{total: number, by_type: {[name: string]: number},
 *   by_status: {[name: string]: number}, must_surface: number}} EntryCounts
 * @typedef {{name: string, entries: number, events: number, last: string}} Worker
 * @typedef {{seq: number, at: string, worker: string, reports: string[], sha256: string,
 *   dir: string, passed: boolean, steps: CheckedStep[], judged_at: number, entries: number}} CheckRecord
 * @typedef {{id: string, tier: string, channel: string, conversation: string, agent: string,
 *   title: string, content: string, curator: string, source: string, importance: number,
 *   lifetime: "long_term" | "short_term" | "conversation", tags: string[], access_count: number,
 *   created: string, updated: string, accessed: string, expires: string | null,
 *   derived_from: string, revision: number, archived: string | null, forgotten: string | null,
 *   rule: string, replaced_by: string, why: string, embedding_model: string, dim: number,
 *   relevance: number, score: number, evidence: number, weak: boolean, text_rank: number,
 *   vector_rank: number, cosine: number | null, derived_note: string, frame: string,
 *   replaces: string[], newer: string}} MemoryHit
 * @typedef {{name: string, file: string, sha256: string, registered: boolean, changed: boolean,
 *   findings: number, doubted: number}} SourceResult
 * @typedef {{run: string, seq: number, reports: string[], skipped?: Skipped[], passed: boolean,
 *   checked: number, missing: number, accepted: number, unsure: number, items: SurvivalItem[],
 *   empty: boolean, min_items: number, warning: string, dropped: Dropped[],
 *   unmarked_answers?: string[], semantic: Semantic | null}} Survival
 * @typedef {{run: string, seq: number, reports: string[], sources: number, passed: boolean,
 *   checked: number, supported: number, derived: number, source_only: number,
 *   unsupported: number, unsure: number, unsaid: number, share: number, facts: Fact[],
 *   passages: TracePassage[]}} Trace
 * @typedef {{report: string, line: number, handle: string, id: string,
 *   verdict: "good" | "stale" | "foreign" | "forged", why: string}} Citation
 * @typedef {{id: string, type: string, worker: string, source: string, content: string}} Side
 * @typedef {{verdict: string, source: string, sha256: string, place: string, note: string}} Held
 * @typedef {{max: number | null, checks: string[]}} AcceptPolicy
 * @typedef {{op?: string, args?: {[name: string]: string}, text: string}} Next
 * @typedef {{name: string, passed: boolean, skipped: boolean, wrong: number, unsure: number}} CheckedStep
 * @typedef {{file: string, reason: string}} Skipped
 * @typedef {{id: string, why: "must-surface" | "contradiction" | "open signal" | "waived signal",
 *   type: string, priority: string, worker: string, content: string, reason: string,
 *   present: boolean, unsure: boolean,
 *   cause: "absent" | "number differs" | "contradicted" | "scattered" | "", coverage: number,
 *   missing_tokens: string[], missing_numbers: string[], passage: SurvivalPassage | null,
 *   reasons?: string[], lacks?: string[], cosine: number | null, by_meaning: boolean,
 *   doubt?: string, accepted?: Acceptance}} SurvivalItem
 * @typedef {{id: string, by: string, worker: string, reason: string, content: string}} Dropped
 * @typedef {{model: string, min_cosine: number}} Semantic
 * @typedef {{report: string, line: number, text: string, kind: string,
 *   verdict: "supported" | "derived" | "source" | "unsupported", cause: string,
 *   entries: string[], source: Place | null, unsure: boolean, why: string, from: string[],
 *   passage: number}} Fact
 * @typedef {{report: string, line: number, text: string, facts: number, missing: number,
 *   entries: string[]}} TracePassage
 * @typedef {{report: string, line: number, where: string, text: string}} SurvivalPassage
 * @typedef {{file: string, line: number, text: string}} Place
 * @typedef {{acceptance: Acceptance, alike: Alike[], brief: Brief, capsule: Capsule,
 *   changed: string[], check: Check, checked: Checked | null, confirmed: any,
 *   conflicts: Conflicts, corrects: string, degraded: string[], deleted: Variable,
 *   digest: Digest, dropped_duties: DroppedDuty[], dry_run: boolean, duplicates: number,
 *   entries: Entry[], entry: Entry, event: Event, evidence: number, existed: boolean,
 *   existing: boolean, expanded: Expansion[], expected: Expected[], export: Exported,
 *   format: string, gate: Verdict, gated: boolean, history: Event[], hits: Hit[],
 *   item: MemoryItem, items: MemoryItem[], lines: number, linked_by: Backlink[],
 *   missing: string[], mode: string, more: boolean, notes: string[], older: string[],
 *   policy: UsedPolicy, posted: Item[], raised: Question[], ran: any, ran_claims: Ran[],
 *   receipts: Receipt[], refused: KbRefused[], reopened: string[], retrievals: Retrieval[],
 *   said_again: number, settled: Settlement[], settlement: Settlement, signal: Question,
 *   signals: Question[], similar: Entry[], since: string | null, sources: SourceAdded[],
 *   spoken: number, state: State, stored: Capsule[], threshold: number, tiers: Slice[],
 *   total: number, unchanged: boolean, unsure: KbRefused[], variable: Variable, verdict: Verdict,
 *   verify: Verify, warnings: string[]}} Fields
 */

/**
 * @typedef {{run?: string, worker?: string, expect?: Texts, sources?: Texts, reason?: string,
 *   force?: boolean, policy?: string}} StartFlags
 * @typedef {{run?: string, worker?: string, type?: EntryType, source?: Texts, quote?: Texts,
 *   evidence?: Texts, sourceDoc?: string, source_doc?: string, sourceRef?: string,
 *   source_ref?: string, confidence?: number, tag?: Texts, tags?: Texts, must?: boolean,
 *   mustSurface?: boolean, must_surface?: boolean, dropDuty?: string, drop_duty?: string,
 *   supports?: Texts, contradicts?: Texts, supersedes?: Texts, addresses?: Texts, ran?: string,
 *   key?: string, force?: boolean, noCreate?: boolean}} PostFlags
 * @typedef {{run?: string, worker?: string, type?: EntryType, source?: Texts, quote?: Texts,
 *   evidence?: Texts, sourceDoc?: string, source_doc?: string, sourceRef?: string,
 *   source_ref?: string, confidence?: number, tag?: Texts, tags?: Texts, must?: boolean,
 *   mustSurface?: boolean, must_surface?: boolean, dropDuty?: string, drop_duty?: string,
 *   supports?: Texts, contradicts?: Texts, supersedes?: Texts, addresses?: Texts, ran?: string,
 *   key?: string, reason?: string, force?: boolean}} CorrectFlags
 * @typedef {{run?: string, worker?: string, type?: EntryType, source?: Texts, quote?: Texts,
 *   evidence?: Texts, sourceDoc?: string, source_doc?: string, sourceRef?: string,
 *   source_ref?: string, confidence?: number, tag?: Texts, tags?: Texts, must?: boolean,
 *   mustSurface?: boolean, must_surface?: boolean, dropDuty?: string, drop_duty?: string,
 *   supports?: Texts, contradicts?: Texts, supersedes?: Texts, addresses?: Texts, ran?: string,
 *   key?: string, force?: boolean}} AnswerFlags
 * @typedef {{run?: string, worker?: string, supports?: Texts, contradicts?: Texts,
 *   supersedes?: Texts, addresses?: Texts, dropDuty?: string, drop_duty?: string, force?: boolean}} LinkFlags
 * @typedef {{run?: string, worker?: string, revoke?: boolean, force?: boolean}} AcceptFlags
 * @typedef {{run?: string, worker?: string, priority?: Priority, to?: string, origin?: string,
 *   key?: string, force?: boolean, noCreate?: boolean}} AskFlags
 * @typedef {{run?: string, worker?: string, minPriority?: Priority, tag?: Texts, lease?: string,
 *   force?: boolean}} ClaimFlags
 * @typedef {{run?: string, worker?: string, force?: boolean}} WaiveFlags
 * @typedef {{run?: string, worker?: string, note?: string, force?: boolean}} ReopenFlags
 * @typedef {{run?: string,
 *   status?: "open" | "addressed" | "waived" | ("open" | "addressed" | "waived")[],
 *   priority?: Priority | (Priority)[], by?: string, claimedBy?: string, free?: boolean,
 *   limit?: number}} SignalsFlags
 * @typedef {{run?: string, worker?: string, again?: boolean, drop?: string, reason?: string,
 *   force?: boolean, noCreate?: boolean}} ExpectFlags
 * @typedef {{run?: string, worker?: string, reason?: string, note?: string, ran?: Texts,
 *   force?: boolean}} DoneFlags
 * @typedef {{at?: number, run?: string}} ShowFlags
 * @typedef {{run?: string, match?: string, contains?: string, type?: EntryType | (EntryType)[],
 *   status?: "active" | "disputed" | "superseded" | ("active" | "disputed" | "superseded")[],
 *   by?: Texts, tag?: Texts, tags?: Texts, signal?: string, must?: boolean,
 *   mustSurface?: boolean, must_surface?: boolean, since?: number, before?: string,
 *   order?: "newest" | "oldest" | "best", limit?: number, full?: boolean}} QueryFlags
 * @typedef {{run?: string}} StateGetFlags
 * @typedef {{run?: string, worker?: string, ifVersion?: number, ifMatch?: number,
 *   force?: boolean, noCreate?: boolean}} StateSetFlags
 * @typedef {{block?: Texts, maxOpen?: number, maxDisputed?: number, maxConflicts?: number,
 *   minEntries?: number, requireSource?: boolean, requireVerified?: boolean,
 *   requireEvidence?: boolean, run?: string}} WaitFlags
 * @typedef {{run?: string, block?: Texts, maxOpen?: number, maxDisputed?: number,
 *   maxConflicts?: number, minEntries?: number, requireSource?: boolean,
 *   requireVerified?: boolean, requireEvidence?: boolean, policy?: string, output?: string}} GateFlags
 * @typedef {{budget?: number, tag?: string, output?: string, policy?: string, run?: string}} DigestFlags
 * @typedef {{run?: string, worker?: string, force?: boolean, report?: Texts,
 *   only?: "gate" | "verify" | "conflicts" | "survival" | "trace" | "ran" | "citations",
 *   sources?: Texts, dryRun?: boolean, noRecord?: boolean, outside?: boolean, policy?: string,
 *   output?: string}} CheckFlags
 * @typedef {{run?: string, worker?: string, sources?: Texts, dryRun?: boolean,
 *   noRecord?: boolean, all?: boolean, outside?: boolean, policy?: string, output?: string}} VerifyFlags
 * @typedef {{run?: string, worker?: string, limit?: number, type?: EntryType | (EntryType)[],
 *   raise?: boolean, priority?: Priority, strict?: boolean, policy?: string, output?: string}} ConflictsFlags
 * @typedef {{text?: boolean, force?: boolean, noCreate?: boolean, worker?: string, run?: string}} SourceAddFlags
 * @typedef {{budget?: number, appendix?: boolean, report?: Texts, sources?: Texts,
 *   policy?: string, outside?: boolean, run?: string}} ExportFlags
 * @typedef {{run?: string,
 *   role?: "planner" | "executor" | "reviewer" | "re_reviewer" | "reflector", budget?: number,
 *   limit?: number, mode?: "auto" | "hybrid" | "bm25", project?: string, workspace?: string,
 *   worker?: string}} KbBriefFlags
 * @typedef {{kind?: CapsuleKind | (CapsuleKind)[], scope?: Scope | (Scope)[], tag?: Texts,
 *   tags?: Texts, domain?: Texts, project?: Texts, here?: boolean, superseded?: boolean,
 *   retired?: boolean, all?: boolean, run?: string, mode?: "auto" | "hybrid" | "bm25" | "vector",
 *   limit?: number, gate?: boolean, noDocs?: boolean, explain?: boolean, full?: boolean,
 *   noMmr?: boolean, workspace?: string, worker?: string}} KbSearchFlags
 * @typedef {{kind?: CapsuleKind, scope?: Scope, source?: string, confidence?: number,
 *   verifiedBy?: string, tag?: Texts, tags?: Texts, domain?: Texts, project?: string,
 *   ref?: Texts, supersedes?: Texts, force?: boolean, noEmbed?: boolean, workspace?: string,
 *   worker?: string}} KbRememberFlags
 * @typedef {{role?: string, run?: string, project?: string, workspace?: string, dryRun?: boolean,
 *   force?: boolean, worker?: string}} KbLearnFlags
 * @typedef {{title?: string, kind?: CapsuleKind, scope?: Scope, tag?: Texts, tags?: Texts,
 *   domain?: Texts, confidence?: number, verifiedBy?: string, project?: string,
 *   supersedes?: Texts, force?: boolean, noEmbed?: boolean, run?: string, worker?: string,
 *   workspace?: string}} KbPromoteFlags
 * @typedef {{tier?: "conversation" | "channel" | "workspace" | "account" | "journal" | "core",
 *   channel?: string, conversation?: string, title?: string, importance?: string | number,
 *   lifetime?: "long_term" | "short_term" | "conversation", tag?: Texts, tags?: Texts,
 *   source?: string, derivedFrom?: string, private?: boolean, ttl?: string, expires?: string,
 *   force?: boolean, noEmbed?: boolean, agent?: string, author?: boolean, reason?: string,
 *   workspace?: string}} MemoryPutFlags
 * @typedef {{tier?: "conversation" | "channel" | "workspace" | "account" | ("conversation" | "channel" | "workspace" | "account")[],
 *   tiers?: "conversation" | "channel" | "workspace" | "account" | ("conversation" | "channel" | "workspace" | "account")[],
 *   channel?: string, tag?: Texts, tags?: Texts,
 *   curator?: "agent" | "author" | "import" | ("agent" | "author" | "import")[], source?: Texts,
 *   conversation?: string, minImportance?: string | number, limit?: number, archived?: boolean,
 *   full?: boolean, agent?: string, author?: boolean, reason?: string, workspace?: string}} MemoryReadFlags
 * @typedef {{title?: string, importance?: string | number,
 *   lifetime?: "long_term" | "short_term" | "conversation", tag?: Texts, tags?: Texts,
 *   addTag?: Texts, removeTag?: Texts, source?: string, derivedFrom?: string, ttl?: string,
 *   expires?: string, ifVersion?: number, ifRevision?: number, why?: string, force?: boolean,
 *   noEmbed?: boolean, agent?: string, author?: boolean, reason?: string, workspace?: string}} MemoryUpdateFlags
 * @typedef {{why?: string, replacedBy?: string, force?: boolean, agent?: string,
 *   author?: boolean, reason?: string, workspace?: string}} MemoryForgetFlags
 */

// So far the types.

/**
 * A finding of postAll, in the words of post or of its JSON. A link may be "@key" of another one.
 * @typedef {{content: string} & PostFlags} BatchItem
 * @typedef {PostFlags} Finding
 */

/**
 * An entry, and what came of posting it. existing: its key was used before, and nothing was
 * written. checked is null if it names no source, or the run has none; so is ran without ran.
 * @typedef {Entry & Pick<Item, "corrects" | "changed" | "reopened"> & {existing: boolean,
 *   checked: Checked | null, ran: Ran | null, similar: Entry[]}} Posted
 */

/**
 * An entry with a new link, and the questions that this opens again.
 * @typedef {Entry & {reopened: string[]}} Linked
 */

/**
 * A worker that is done, and what hooks saw of the commands that it says to have run.
 * @typedef {Expected & {ran: Ran[]}} Done
 */

/** @typedef {{code: string, message: string, try: string, next: Next[]}} Fault */

/**
 * What any command prints. A command has those of these keys that its method reads; error is
 * there if an exit code of answers came without an answer.
 * @typedef {Fields & {error?: Fault}} Answer
 */

/**
 * cwd: where the command runs; files are named from there, board.yaml is found there. timeout:
 * milliseconds for each call. notes takes what commands remark; null: nobody.
 * @typedef {{program?: string, cwd?: string, timeout?: number, signal?: AbortSignal,
 *   notes?: ((text: string) => void) | null}} Options
 */

/** What a command could not do, and what to do next: code, exitCode, nextStep, and as operations next. */
export class BoardError extends Error {
  /** @param {number} exitCode @param {Omit<Fault, "next"> & {next?: Next[]}} error */
  constructor(exitCode, error) {
    super([error.message, error.try].filter(Boolean).join("; try: "));
    this.exitCode = exitCode;
    this.code = error.code;
    this.nextStep = error.try;
    /** @type {Next[]} */
    this.next = error.next ?? [];
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
   * @param {string} run @param {string} worker
   * @param {string | Options} [options] the program, or all
   */
  constructor(run, worker, options = {}) {
    const given = typeof options === "string" ? { program: options } : options;
    this.program = given.program ?? program();
    /** @type {string | undefined} */
    this.cwd = given.cwd;
    /** @type {number | undefined} */
    this.timeout = given.timeout;
    /** @type {AbortSignal | undefined} */
    this.signal = given.signal;
    /** @type {((text: string) => void) | null} */
    this.notes = given.notes === undefined ? (text) => process.stderr.write(text) : given.notes;
    /** @type {Record<string, string | undefined>} */
    this.env = { ...process.env, BOARD_RUN: run, BOARD_WORKER: worker };
    /** What one run leaves for the next, in tiers. */
    this.memory = new Memory(this);
  }

  /**
   * Run any command, with any flag. Exit codes in answers are results, not errors.
   * {ifMatch: 3} is --if-match 3; {tag: ["a", "b"]} is --tag a --tag b. What stands behind "--"
   * in args is no flag. timeout and signal are for this call alone.
   * @param {string[]} args @param {Flags} [flags] @param {string} [text]
   * @param {number[] | {answers?: number[], timeout?: number, signal?: AbortSignal}} [options]
   * @returns {Promise<Answer>}
   */
  async call(args, flags = {}, text = "", options = {}) {
    const { answers = [], timeout = this.timeout, signal = this.signal } = Array.isArray(options) ? { answers: options } : options;
    const end = args.includes("--") ? args.indexOf("--") : args.length;
    const line = args.slice(0, end);
    for (const [name, value] of Object.entries(flags)) {
      const flag = "--" + snake(name).replaceAll("_", "-");
      for (const v of Array.isArray(value) ? value : [value]) {
        if (v !== undefined && v !== null && v !== false) line.push(v === true ? flag : `${flag}=${v}`);
      }
    }
    // The time that was to be waited is over: no error that another try mends.
    const waits = args[0] === "wait" || line.some((word) => word.startsWith("--timeout"));
    line.push("--json", ...args.slice(end));
    for (const pause of [200, 1000, 5000, 0]) {
      const { code, out, err } = await run(this, line, text, timeout, signal);
      if (code === 0 || answers.includes(code)) {
        if (!out) return /** @type {Answer} */ ({ error: errorIn(err, code) });
        if (err && this.notes) this.notes(err); // such as that a run was created
        return JSON.parse(out);
      }
      const error = errorIn(err, code);
      if (!["busy", "database_away", "timeout"].includes(error.code) || !pause || error.code === "timeout" && waits) {
        throw new BoardError(code, error);
      }
      await sleep(pause, undefined, { signal });
    }
    throw new Error("the last try returns or throws");
  }

  /**
   * Create the run, or join it: the workers that the gate waits for, and the files that
   * quotes are checked against.
   * @param {string} goal @param {StartFlags} [flags]
   */
  async start(goal, flags) {
    return (await this.call(["start"], { goal: goal || undefined, ...flags })).state;
  }

  // A text that begins with a dash is a text. The flags of a method are those of its command,
  // board COMMAND --help; call takes any.

  /**
   * Post a finding. source is FILE:LINE, "DOC @ PLACE" or a URL, quote is verbatim; the n-th
   * quote is of the n-th source. With a key, a call that is repeated writes nothing the second
   * time. The entry comes with checked, ran (of {ran: "go test ./..."}), similar and existing.
   * @param {string} text @param {Finding} [flags]
   */
  async post(text, flags) {
    return posted(await this.call(["post", "-"], flags, text));
  }

  /**
   * Post all or none: [{content: "…", source: "auth.go:42", quote: "…"}, …]
   * @param {BatchItem[]} posts @param {{run?: string, worker?: string, noCreate?: boolean, force?: boolean}} [flags]
   */
  async postAll(posts, flags) {
    const lines = posts.map((p) => JSON.stringify(batched(p))).join("\n");
    return (await this.call(["post"], { batch: true, ...flags }, lines)).posted.map(posted);
  }

  /**
   * Amend an entry; what is not given is taken over. Returns the new one.
   * @param {string} entry @param {string} [text] @param {CorrectFlags} [flags]
   */
  async correct(entry, text, flags) {
    const words = text === undefined ? [] : ["-"];
    return posted(await this.call(["correct", entry, ...words], flags, text));
  }

  /**
   * Link an entry to others: {supersedes: "e3"}.
   * @param {string} entry @param {LinkFlags} flags
   * @returns {Promise<Linked>}
   */
  async link(entry, flags) {
    const { entry: linked, reopened } = await this.call(["link", entry], flags);
    return { ...linked, reopened };
  }

  /**
   * Say why a doubt is no fault: its id (checked.doubt), or the entry. Another one than its author does.
   * @param {string} doubt @param {string} reason @param {AcceptFlags} [flags]
   */
  async accept(doubt, reason, flags) {
    return (await this.call(["accept", doubt], { reason, ...flags })).acceptance;
  }

  /**
   * Say why two entries both hold.
   * @param {string} entry @param {string} other @param {string} reason @param {AcceptFlags} [flags]
   */
  async settle(entry, other, reason, flags) {
    return (await this.call(["accept", entry, other], { reason, ...flags })).settlement;
  }

  /**
   * Raise a question; critical and high ones keep the gate closed.
   * @param {string} question @param {AskFlags} [flags]
   */
  async ask(question, flags) {
    return (await this.call(["ask", "-"], flags, question)).signal;
  }

  /**
   * Claim a question, or the most urgent free one. null: it is taken, or none is free.
   * @param {string} [question] @param {ClaimFlags} [flags]
   */
  async claim(question, flags) {
    return unless(6, this.call(question ? ["claim", question] : ["claim"], flags));
  }

  /**
   * Give a claimed question back.
   * @param {string} question @param {ClaimFlags} [flags]
   */
  async release(question, flags) {
    return (await this.call(["claim", question], { release: true, ...flags })).signal;
  }

  /**
   * Answer a question with a finding, as post takes it. link(entry, {addresses: question}) answers
   * it by one that is there.
   * @param {string} question @param {string} text @param {AnswerFlags} [flags]
   */
  async answer(question, text, flags) {
    const must = flags?.must === false ? "false" : flags?.must; // an urgent one must surface else
    return posted(await this.call(["answer", question, "-"], { ...flags, must }, text));
  }

  /**
   * Wait until a question is closed, and return it. null: it is open after so long, such as "10m".
   * @param {string} question @param {string} [timeout] @param {WaitFlags} [flags]
   */
  async wait(question, timeout, flags) {
    return unless(1, this.call(["wait", question], { timeout, ...flags }));
  }

  /**
   * Leave a question open, for a reason that stays on record.
   * @param {string} question @param {string} reason @param {WaiveFlags} [flags]
   */
  async waive(question, reason, flags) {
    return (await this.call(["waive", question], { reason, ...flags })).signal;
  }

  /**
   * Open an answered or waived question again.
   * @param {string} question @param {string} [reason] @param {ReopenFlags} [flags]
   */
  async reopen(question, reason, flags) {
    return (await this.call(["reopen", question], { reason, ...flags })).signal;
  }

  /** @param {SignalsFlags} [flags] */
  async questions(flags) {
    return (await this.call(["signals"], flags)).signals;
  }

  /**
   * Name workers that the gate waits for; {drop: "reader-2", reason: "…"} ends that.
   * @param {string[]} workers @param {ExpectFlags} [flags]
   */
  async expect(workers, flags) {
    return (await this.call(["expect", ...workers], flags)).expected;
  }

  /**
   * Say that this worker has finished, or those that are named. {ran: ["go test ./..."]} says
   * what passed; ran of each worker is what hooks saw of that.
   * @param {string[]} [workers] @param {DoneFlags} [flags]
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
   * @param {string} id @param {ShowFlags} [flags]
   */
  async show(id, flags) {
    return this.call(["show", id], flags);
  }

  /**
   * Return entries, the newest first; {order: "best"} puts the best match first.
   * @param {string} [words] @param {QueryFlags} [flags]
   */
  async query(words = "", flags) {
    return (await this.call(["query", "--", ...words.split(/\s+/).filter(Boolean)], flags)).entries;
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
   * @param {string} key @param {unknown} value @param {StateSetFlags} [flags]
   */
  async set(key, value, flags) {
    return (await this.call(["state", "set", key, "-"], flags, JSON.stringify(value))).variable;
  }

  /**
   * Return the verdict. "10m" waits until the gate is open, at most so long.
   * @param {string} [wait] @param {GateFlags} [flags]
   */
  async gate(wait, flags) {
    return (await this.call(["gate"], { wait: wait !== undefined, timeout: wait, ...flags }, "", [3])).verdict;
  }

  /**
   * Return the findings as markdown, for the writer of a report.
   * @param {DigestFlags} [flags]
   */
  async digest(flags) {
    return (await this.call(["digest"], flags)).digest;
  }

  /**
   * Return the result of all checks. Its passed is the verdict. An invented figure fails it
   * only if a policy says `trace: {max_unsupported: 0}`: that of {policy: "FILE"}, or board.yaml
   * in cwd or above. The trace.facts of the step trace has the figures; those that fail are
   * neither supported nor derived, and not unsure.
   * @param {string | string[]} reports @param {CheckFlags} [flags]
   */
  async check(reports, flags) {
    return (await this.call(["check", ...[reports].flat()], flags, "", [3, 4])).check;
  }

  /**
   * Hold findings against their sources: all, or those that are named.
   * @param {string[]} [entries] @param {VerifyFlags} [flags]
   */
  async verify(entries = [], flags) {
    return (await this.call(["verify", ...entries], flags, "", [4])).verify;
  }

  /**
   * Return pairs of findings that may contradict each other.
   * @param {ConflictsFlags} [flags]
   */
  async conflicts(flags) {
    return (await this.call(["conflicts"], flags, "", [4])).conflicts;
  }

  /**
   * Register files that quotes are checked against, and all files below directories.
   * @param {string[]} paths @param {SourceAddFlags} [flags]
   */
  async addSources(paths, flags) {
    return (await this.call(["source", "add", ...paths], flags)).sources;
  }

  /**
   * Write the run to a .jsonl, .md or .html file.
   * @param {string} file @param {ExportFlags} [flags]
   */
  async export(file, flags) {
    return (await this.call(["export"], { output: file, ...flags })).export;
  }

  // The knowledge base: what earlier runs have left, and what later ones shall have.

  /**
   * Return what is known about a task, as text for a prompt; "" for nothing.
   * @param {string} task @param {KbBriefFlags} [flags]
   */
  async brief(task, flags) {
    return (await this.call(["kb", "brief"], { task, ...flags })).brief.block;
  }

  /** @param {string} question @param {KbSearchFlags} [flags] */
  async search(question, flags) {
    return (await this.call(["kb", "search", "-"], flags, question)).hits;
  }

  /**
   * Store what is verified; {source: "auth.go:42"} says where it can be checked.
   * @param {string} text @param {string} title @param {KbRememberFlags} [flags]
   */
  async remember(text, title, flags) {
    return (await this.call(["kb", "remember", "-"], { title, ...flags }, text)).capsule;
  }

  /**
   * Store the LEARNING: lines of a worker's answer; return the new capsules.
   * @param {string} text @param {KbLearnFlags} [flags]
   */
  async learn(text, flags) {
    return (await this.call(["kb", "learn", "-"], flags, text)).stored;
  }

  /**
   * Make a capsule from an entry.
   * @param {string} entry @param {KbPromoteFlags} [flags]
   */
  async promote(entry, flags) {
    return (await this.call(["kb", "promote", entry], flags)).capsule;
  }
}

/** The memory of agents: `board help memory`. */
export class Memory {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {string} text @param {MemoryPutFlags} [flags] */
  async put(text, flags) {
    return (await this.board.call(["memory", "put", "-"], flags, text)).item;
  }

  /**
   * Return the hits of each tier; without a question what counts now.
   * @param {string} [question] @param {MemoryReadFlags} [flags]
   */
  async read(question = "", flags) {
    return (await this.board.call(["memory", "read", ...(question ? ["-"] : [])], flags, question)).tiers;
  }

  /**
   * Change an item; what is not given stays.
   * @param {string} id @param {string} [text] @param {MemoryUpdateFlags} [flags]
   */
  async update(id, text, flags) {
    const words = text === undefined ? [] : ["-"];
    return (await this.board.call(["memory", "update", id, ...words], flags, text)).item;
  }

  /**
   * Hide items from reads; {why: "…"} is kept.
   * @param {string | string[]} ids @param {MemoryForgetFlags} [flags]
   */
  async forget(ids, flags) {
    return (await this.board.call(["memory", "forget", ...[ids].flat()], flags)).items;
  }
}

/** @param {Item | Answer} answer @returns {Posted} */
function posted({ entry, existing, corrects, changed, reopened, checked, ...more }) {
  const { ran = null, similar = [] } = /** @type {{ran?: Ran | null, similar?: Entry[]}} */ (more);
  return { ...entry, existing, corrects, changed, reopened, checked: checked ?? null, ran, similar };
}

/**
 * Return a finding in the words of a batch.
 * @param {BatchItem} item
 */
function batched(item) {
  /** @type {Record<string, unknown>} */
  const out = {};
  for (const [name, value] of Object.entries(item)) {
    const field = snake(name);
    const known = { must: "must_surface", tag: "tags", evidence: "quote" }[field] ?? field;
    const list = ["tags", "supports", "contradicts", "supersedes", "addresses"].includes(known);
    out[known] = list && value !== undefined ? [value].flat() : value;
  }
  const sources = [out.source ?? []].flat(), quotes = [out.quote ?? []].flat();
  const more = Array.from({ length: Math.max(sources.length, quotes.length) - 1 }, (_, i) => (
    { source: sources[i + 1], quote: quotes[i + 1] }));
  return { ...out, source: sources[0], quote: quotes[0], more_sources: more.length ? more : out.more_sources };
}

/** @param {string} name */
function snake(name) {
  return name.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase());
}

/**
 * Return the question of an answer; null after this exit code.
 * @param {number} exitCode @param {Promise<Answer>} answer
 */
async function unless(exitCode, answer) {
  try {
    return (await answer).signal;
  } catch (e) {
    if (e instanceof BoardError && e.exitCode === exitCode && ["conflict", "timeout"].includes(e.code)) return null;
    throw e;
  }
}

/**
 * @param {Board} board @param {string[]} args @param {string} text
 * @param {number | undefined} timeout @param {AbortSignal | undefined} signal
 * @returns {Promise<{code: number, out: string, err: string}>}
 */
function run({ program, env, cwd }, args, text, timeout, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, signal, killSignal: "SIGKILL" });
    const timer = timeout === undefined ? undefined : setTimeout(() => {
      const message = `${program} ${args.join(" ")} took longer than ${timeout} ms`;
      reject(new BoardError(124, { code: "timeout", message, try: "a longer timeout" }));
      child.kill("SIGKILL");
    }, timeout);
    let out = "", err = "";
    child.stdout.setEncoding("utf8").on("data", (s) => (out += s));
    child.stderr.setEncoding("utf8").on("data", (s) => (err += s));
    child.stdin.on("error", () => {}); // a command that reads no text may be gone already
    child.on("error", (e) => {
      clearTimeout(timer);
      reject(signal?.aborted ? signal.reason : unstarted(program, cwd, e));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, out, err });
    });
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

/** @param {string} err @param {number} code @returns {Fault} */
function errorIn(err, code) {
  try { // the error is the last line; notes may stand before it
    return JSON.parse(err.trim().split("\n").at(-1) ?? "").error;
  } catch {
    return { code: "failure", message: err || `exit code ${code}`, try: "", next: [] };
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
