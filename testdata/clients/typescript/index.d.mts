// The types of index.mjs, which a test writes, and its classes, as `tsc index.mjs --declaration --allowJs` has them.

export type Texts = string | readonly string[];
export type Flag = Texts | number | boolean | undefined;
export type Flags = {[name: string]: Flag};
export type CapsuleKind = "fact" | "gotcha" | "pattern" | "anti_pattern" | "recipe" | "principle" | "doc";
export type EntryType = "observation" | "analysis" | "calculation" | "strategy" | "gap" | "contradiction";
export type Priority = "critical" | "high" | "medium" | "low";
export type Scope = "workspace" | "project" | "domain" | "universal";
export type Acceptance = {doubt: string, id: string, check: string, verdict: string, reason: string,
  worker: string, person: boolean, at: string, seq: number};
export type Alike = {id: string, title: string, cosine: number | null, differ: string[]};
export type Brief = {role: string, task: string, kinds: string[], mode: string, block: string,
  weak: boolean, tokens: number, budget: number, retrieval_log: BriefEntry[],
  degraded: string[]};
export type Capsule = {id: string, kind: CapsuleKind, scope: string, title: string, body: string,
  tags: string[], domain_tags: string[], source: string, confidence: number | null,
  verified_by: string, supersedes: string[], superseded_by: string, refs: string[],
  workspace: string, project: string, decay_score: number, created: string, updated: string,
  retrieved: string | null, retired: string | null, retired_why: string, revision: number,
  ingested: Ingested | null, embedding_model: string, dim: number};
export type Check = {run: string, seq: number, passed: boolean, policy: string,
  recorded: PolicyRef | null, note: string, reports: string[], steps: Step[]};
export type Checked = {id: string, type: string, worker: string, content: string, must_surface: boolean,
  doubted: boolean, source_doc: string, source_ref: string, evidence: string, verdict: string,
  note: string, differences: Difference[], missing: Value[], passage: Passage | null,
  other_language: boolean, source: string, file: string, sha256: string, parts?: Part[],
  doubt: string, accepted: Acceptance | null, earlier: string, addresses: string[]};
export type Conflicts = {run: string, seq: number, compared: number, looked: number, total: number,
  pairs: Conflict[]};
export type Variable = {key: string, value: any, version: number, updated: string, worker: string};
export type Digest = {text: string, tokens: number, included: number, omitted: number,
  omitted_must: string[]};
export type DroppedDuty = {id: string, by: string, seq: number, worker: string, reason: string};
export type Entry = {id: string, seq: number, created: string, type: string,
  status: "active" | "disputed" | "superseded", content: string, source_doc: string,
  source_ref: string, evidence: string, sources?: Cited[], confidence: number | null,
  worker: string, tags: string[], must_surface: boolean, supports: string[],
  contradicts: string[], supersedes: string[], addresses: string[], key: string,
  external_id: string, verified: Verification | null};
export type Event = {seq: number, at: string, actor: string, verb: string, id: string, payload: any};
export type Expansion = {missing: string, terms: string[]};
export type Expected = {worker: string, seq: number, status: "expected" | "done" | "dropped", at: string,
  by: string, reason: string};
export type Exported = {file: string, format: "jsonl" | "md" | "html", entries: number, signals: number,
  omitted: number, omitted_must: string[]};
export type Verdict = {run: string, seq: number, open: boolean, policy: Policy, recorded: PolicyRef | null,
  reasons: Reason[], signals: SignalCounts, disputed: number};
export type Hit = {id: string, kind: CapsuleKind, scope: string, title: string, body: string,
  tags: string[], domain_tags: string[], source: string, confidence: number | null,
  verified_by: string, supersedes: string[], superseded_by: string, refs: string[],
  workspace: string, project: string, decay_score: number, created: string, updated: string,
  retrieved: string | null, retired: string | null, retired_why: string, revision: number,
  ingested: Ingested | null, embedding_model: string, dim: number, score: number,
  bm25_rank: number, vector_rank: number, bm25_score: number, cosine_score: number | null,
  rrf_score: number, evidence: number, weak: boolean, why?: string, snippet: string,
  stale?: string, boosts: string[], terms?: TermScore[]};
export type MemoryItem = {id: string, tier: string, channel: string, conversation: string, agent: string,
  title: string, content: string, curator: string, source: string, importance: number,
  lifetime: "long_term" | "short_term" | "conversation", tags: string[], access_count: number,
  created: string, updated: string, accessed: string, expires: string | null,
  derived_from: string, revision: number, archived: string | null, forgotten: string | null,
  rule: string, replaced_by: string, why: string, embedding_model: string, dim: number};
export type Backlink = {kind: string, from: string, line: string};
export type UsedPolicy = {path: string, recorded: PolicyRef | null, note: string};
export type Item = {entry: Entry, existing: boolean, reopened?: string[], corrects?: string,
  changed?: string[], reason?: string, checked: Checked | null};
export type Question = {id: string, seq: number, created: string, content: string, priority: Priority,
  status: "open" | "addressed" | "waived", worker: string, to: string, origin: string,
  addressed_by: string, reason: string, closed_by: string, closed: string | null,
  claimed_by: string, lease_until: string | null, key: string, external_id: string};
export type Ran = {seq: number, at: string, worker: string, entry: string, command: string,
  dir: string, exit: number,
  verdict: "passed" | "failed" | "stale" | "untold" | "not found" | "unseen", holds: boolean,
  why: string, receipt: number};
export type Receipt = {seq: number, worker: string, command: string, path: string, dir: string,
  root: string, began: string, duration_ms: number | null, exit_code: number | null,
  output: string, commit: string, dirty: boolean, harness: string, session: string,
  use: string, transcript: string, compared: string, edited_since: boolean};
export type KbRefused = {from: string, why: string};
export type Retrieval = {seq: number, at: string, worker: string, way: string, role: string, task: string,
  capsules: Given[]};
export type Settlement = {a: string, b: string, reason: string, worker: string, at: string, seq: number};
export type SourceAdded = {name: string, path: string, sha256: string, size: number, text: boolean,
  seq: number, at: string, worker: string, change: "added" | "changed" | "unchanged"};
export type State = {run: string, goal: string, created: string, updated: string, seq: number,
  entries: EntryCounts, signals: SignalCounts, links: {[name: string]: number},
  workers: Worker[], variables: Variable[], expected: Expected[], retrievals: number,
  receipts: number, checks: CheckRecord[]};
export type Slice = {tier: string, hits: MemoryHit[]};
export type Verify = {run: string, seq: number, passed: boolean, checked: number, doubted: number,
  accepted: number, unchecked: number, unsourced: number, concluded: string[],
  unsure: string[], other_language: number, sources: SourceResult[], items: Checked[],
  recorded: number, not_recorded: string};
export type BriefEntry = {id: string, kind: string, title: string, score: number, bm25_score: number,
  cosine_score: number | null, evidence: number, weak: boolean, boosts: string[],
  included: boolean, why: string};
export type Ingested = {file: string, sha256: string, part: number, of: number};
export type PolicyRef = {path: string, sha256: string, seq: number, reason: string};
export type Step = {name: "gate" | "verify" | "conflicts" | "survival" | "trace" | "ran" | "citations",
  passed: boolean, skipped: boolean, why: string, headline: string, warnings: string[],
  gate?: Verdict, verify?: Verify, conflicts?: Conflicts, survival?: Survival, trace?: Trace,
  ran?: Ran[], citations?: Citation[]};
export type Difference = {quote: string, source: string};
export type Value = {kind: "number" | "date" | "identifier" | "name", text: string};
export type Passage = {line: number, where: string, text: string};
export type Part = {source_doc: string, source_ref: string, evidence: string, verdict: string,
  note: string, differences: Difference[], missing: Value[], passage: Passage | null,
  other_language: boolean, source: string, file: string, sha256: string};
export type Conflict = {a: Side, b: Side, kind: "figure" | "date" | "negation" | "order", why: string[],
  score: number, likely: boolean, signal: string};
export type Cited = {source_doc: string, source_ref: string, evidence: string};
export type Verification = {verdict: string, source: string, sha256: string, place: string, note: string,
  parts?: Held[], seq: number, at: string, worker: string, stale: boolean, doubt?: string,
  accepted?: Acceptance};
export type Policy = {block: string[], expect: string[], max_open: number | null,
  max_disputed: number | null, max_conflicts: number | null, min_entries: number,
  require_source: boolean, require_verified: boolean, require_evidence: boolean,
  require_ran: string[], require_ran_by: {[name: string]: string[]}, accept: AcceptPolicy};
export type Reason = {rule: "empty" | "min-entries" | "expected" | "open-signal" | "max-open" | "max-disputed" | "max-conflicts" | "require-source" | "require-verified" | "accepted" | "require-evidence" | "require-ran",
  id: string, other: string, priority: string, content: string, worker: string,
  claimed_by: string, to: string, clear: string, next: Next[]};
export type SignalCounts = {total: number, open: {[name: string]: number}, addressed: {[name: string]: number},
  waived: {[name: string]: number}};
export type TermScore = {term: string, df: number, tf: number, score: number};
export type Given = {id: string, score: number, evidence: number};
export type EntryCounts = {total: number, by_type: {[name: string]: number},
  by_status: {[name: string]: number}, must_surface: number};
export type Worker = {name: string, entries: number, events: number, last: string};
export type CheckRecord = {seq: number, at: string, worker: string, reports: string[], sha256: string,
  dir: string, passed: boolean, steps: CheckedStep[], judged_at: number, entries: number};
export type MemoryHit = {id: string, tier: string, channel: string, conversation: string, agent: string,
  title: string, content: string, curator: string, source: string, importance: number,
  lifetime: "long_term" | "short_term" | "conversation", tags: string[], access_count: number,
  created: string, updated: string, accessed: string, expires: string | null,
  derived_from: string, revision: number, archived: string | null, forgotten: string | null,
  rule: string, replaced_by: string, why: string, embedding_model: string, dim: number,
  relevance: number, score: number, evidence: number, weak: boolean, text_rank: number,
  vector_rank: number, cosine: number | null, derived_note: string, frame: string,
  replaces: string[], newer: string};
export type SourceResult = {name: string, file: string, sha256: string, registered: boolean, changed: boolean,
  findings: number, doubted: number};
export type Survival = {run: string, seq: number, reports: string[], skipped?: Skipped[], passed: boolean,
  checked: number, missing: number, accepted: number, unsure: number, items: SurvivalItem[],
  empty: boolean, min_items: number, warning: string, dropped: Dropped[],
  unmarked_answers?: string[], semantic: Semantic | null};
export type Trace = {run: string, seq: number, reports: string[], sources: number, passed: boolean,
  checked: number, supported: number, derived: number, source_only: number,
  unsupported: number, unsure: number, unsaid: number, share: number, facts: Fact[],
  passages: TracePassage[]};
export type Citation = {report: string, line: number, handle: string, id: string,
  verdict: "good" | "stale" | "foreign" | "forged", why: string};
export type Side = {id: string, type: string, worker: string, source: string, content: string};
export type Held = {verdict: string, source: string, sha256: string, place: string, note: string};
export type AcceptPolicy = {max: number | null, checks: string[]};
export type Next = {op?: string, args?: {[name: string]: string}, text: string};
export type CheckedStep = {name: string, passed: boolean, skipped: boolean, wrong: number, unsure: number};
export type Skipped = {file: string, reason: string};
export type SurvivalItem = {id: string, why: "must-surface" | "contradiction" | "open signal" | "waived signal",
  type: string, priority: string, worker: string, content: string, reason: string,
  present: boolean, unsure: boolean,
  cause: "absent" | "number differs" | "contradicted" | "scattered" | "", coverage: number,
  missing_tokens: string[], missing_numbers: string[], passage: SurvivalPassage | null,
  reasons?: string[], lacks?: string[], cosine: number | null, by_meaning: boolean,
  doubt?: string, accepted?: Acceptance};
export type Dropped = {id: string, by: string, worker: string, reason: string, content: string};
export type Semantic = {model: string, min_cosine: number};
export type Fact = {report: string, line: number, text: string, kind: string,
  verdict: "supported" | "derived" | "source" | "unsupported", cause: string,
  entries: string[], source: Place | null, unsure: boolean, why: string, from: string[],
  passage: number};
export type TracePassage = {report: string, line: number, text: string, facts: number, missing: number,
  entries: string[]};
export type SurvivalPassage = {report: string, line: number, where: string, text: string};
export type Place = {file: string, line: number, text: string};
export type Fields = {acceptance: Acceptance, alike: Alike[], brief: Brief, capsule: Capsule,
  changed: string[], check: Check, checked: Checked | null, confirmed: any,
  conflicts: Conflicts, corrects: string, degraded: string[], deleted: Variable,
  digest: Digest, dropped_duties: DroppedDuty[], dry_run: boolean, duplicates: number,
  entries: Entry[], entry: Entry, event: Event, evidence: number, existed: boolean,
  existing: boolean, expanded: Expansion[], expected: Expected[], export: Exported,
  format: string, gate: Verdict, gated: boolean, history: Event[], hits: Hit[],
  item: MemoryItem, items: MemoryItem[], lines: number, linked_by: Backlink[],
  missing: string[], mode: string, more: boolean, notes: string[], older: string[],
  policy: UsedPolicy, posted: Item[], raised: Question[], ran: any, ran_claims: Ran[],
  receipts: Receipt[], refused: KbRefused[], reopened: string[], retrievals: Retrieval[],
  said_again: number, settled: Settlement[], settlement: Settlement, signal: Question,
  signals: Question[], similar: Entry[], since: string | null, sources: SourceAdded[],
  spoken: number, state: State, stored: Capsule[], threshold: number, tiers: Slice[],
  total: number, unchanged: boolean, unsure: KbRefused[], variable: Variable, verdict: Verdict,
  verify: Verify, warnings: string[]};
export type StartFlags = {run?: string, worker?: string, expect?: Texts, sources?: Texts, reason?: string,
  force?: boolean, policy?: string};
export type PostFlags = {run?: string, worker?: string, type?: EntryType, source?: Texts, quote?: Texts,
  evidence?: Texts, sourceDoc?: string, source_doc?: string, sourceRef?: string,
  source_ref?: string, confidence?: number, tag?: Texts, tags?: Texts, must?: boolean,
  mustSurface?: boolean, must_surface?: boolean, dropDuty?: string, drop_duty?: string,
  supports?: Texts, contradicts?: Texts, supersedes?: Texts, addresses?: Texts, ran?: string,
  key?: string, force?: boolean, noCreate?: boolean};
export type CorrectFlags = {run?: string, worker?: string, type?: EntryType, source?: Texts, quote?: Texts,
  evidence?: Texts, sourceDoc?: string, source_doc?: string, sourceRef?: string,
  source_ref?: string, confidence?: number, tag?: Texts, tags?: Texts, must?: boolean,
  mustSurface?: boolean, must_surface?: boolean, dropDuty?: string, drop_duty?: string,
  supports?: Texts, contradicts?: Texts, supersedes?: Texts, addresses?: Texts, ran?: string,
  key?: string, reason?: string, force?: boolean};
export type AnswerFlags = {run?: string, worker?: string, type?: EntryType, source?: Texts, quote?: Texts,
  evidence?: Texts, sourceDoc?: string, source_doc?: string, sourceRef?: string,
  source_ref?: string, confidence?: number, tag?: Texts, tags?: Texts, must?: boolean,
  mustSurface?: boolean, must_surface?: boolean, dropDuty?: string, drop_duty?: string,
  supports?: Texts, contradicts?: Texts, supersedes?: Texts, addresses?: Texts, ran?: string,
  key?: string, force?: boolean};
export type LinkFlags = {run?: string, worker?: string, supports?: Texts, contradicts?: Texts,
  supersedes?: Texts, addresses?: Texts, dropDuty?: string, drop_duty?: string, force?: boolean};
export type AcceptFlags = {run?: string, worker?: string, revoke?: boolean, force?: boolean};
export type AskFlags = {run?: string, worker?: string, priority?: Priority, to?: string, origin?: string,
  key?: string, force?: boolean, noCreate?: boolean};
export type ClaimFlags = {run?: string, worker?: string, minPriority?: Priority, tag?: Texts, lease?: string,
  force?: boolean};
export type WaiveFlags = {run?: string, worker?: string, force?: boolean};
export type ReopenFlags = {run?: string, worker?: string, note?: string, force?: boolean};
export type SignalsFlags = {run?: string,
  status?: "open" | "addressed" | "waived" | ("open" | "addressed" | "waived")[],
  priority?: Priority | (Priority)[], by?: string, claimedBy?: string, free?: boolean,
  limit?: number};
export type ExpectFlags = {run?: string, worker?: string, again?: boolean, drop?: string, reason?: string,
  force?: boolean, noCreate?: boolean};
export type DoneFlags = {run?: string, worker?: string, reason?: string, note?: string, ran?: Texts,
  force?: boolean};
export type ShowFlags = {at?: number, run?: string};
export type QueryFlags = {run?: string, match?: string, contains?: string, type?: EntryType | (EntryType)[],
  status?: "active" | "disputed" | "superseded" | ("active" | "disputed" | "superseded")[],
  by?: Texts, tag?: Texts, tags?: Texts, signal?: string, must?: boolean,
  mustSurface?: boolean, must_surface?: boolean, since?: number, before?: string,
  order?: "newest" | "oldest" | "best", limit?: number, full?: boolean};
export type StateGetFlags = {run?: string};
export type StateSetFlags = {run?: string, worker?: string, ifVersion?: number, ifMatch?: number,
  force?: boolean, noCreate?: boolean};
export type WaitFlags = {block?: Texts, maxOpen?: number, maxDisputed?: number, maxConflicts?: number,
  minEntries?: number, requireSource?: boolean, requireVerified?: boolean,
  requireEvidence?: boolean, run?: string};
export type GateFlags = {run?: string, block?: Texts, maxOpen?: number, maxDisputed?: number,
  maxConflicts?: number, minEntries?: number, requireSource?: boolean,
  requireVerified?: boolean, requireEvidence?: boolean, policy?: string, output?: string};
export type DigestFlags = {budget?: number, tag?: string, output?: string, policy?: string, run?: string};
export type CheckFlags = {run?: string, worker?: string, force?: boolean, report?: Texts,
  only?: "gate" | "verify" | "conflicts" | "survival" | "trace" | "ran" | "citations",
  sources?: Texts, dryRun?: boolean, noRecord?: boolean, outside?: boolean, policy?: string,
  output?: string};
export type VerifyFlags = {run?: string, worker?: string, sources?: Texts, dryRun?: boolean,
  noRecord?: boolean, all?: boolean, outside?: boolean, policy?: string, output?: string};
export type ConflictsFlags = {run?: string, worker?: string, limit?: number, type?: EntryType | (EntryType)[],
  raise?: boolean, priority?: Priority, strict?: boolean, policy?: string, output?: string};
export type SourceAddFlags = {text?: boolean, force?: boolean, noCreate?: boolean, worker?: string, run?: string};
export type ExportFlags = {budget?: number, appendix?: boolean, report?: Texts, sources?: Texts,
  policy?: string, outside?: boolean, run?: string};
export type KbBriefFlags = {run?: string,
  role?: "planner" | "executor" | "reviewer" | "re_reviewer" | "reflector", budget?: number,
  limit?: number, mode?: "auto" | "hybrid" | "bm25", project?: string, workspace?: string,
  worker?: string};
export type KbSearchFlags = {kind?: CapsuleKind | (CapsuleKind)[], scope?: Scope | (Scope)[], tag?: Texts,
  tags?: Texts, domain?: Texts, project?: Texts, here?: boolean, superseded?: boolean,
  retired?: boolean, all?: boolean, run?: string, mode?: "auto" | "hybrid" | "bm25" | "vector",
  limit?: number, gate?: boolean, noDocs?: boolean, explain?: boolean, full?: boolean,
  noMmr?: boolean, workspace?: string, worker?: string};
export type KbRememberFlags = {kind?: CapsuleKind, scope?: Scope, source?: string, confidence?: number,
  verifiedBy?: string, tag?: Texts, tags?: Texts, domain?: Texts, project?: string,
  ref?: Texts, supersedes?: Texts, force?: boolean, noEmbed?: boolean, workspace?: string,
  worker?: string};
export type KbLearnFlags = {role?: string, run?: string, project?: string, workspace?: string, dryRun?: boolean,
  force?: boolean, worker?: string};
export type KbPromoteFlags = {title?: string, kind?: CapsuleKind, scope?: Scope, tag?: Texts, tags?: Texts,
  domain?: Texts, confidence?: number, verifiedBy?: string, project?: string,
  supersedes?: Texts, force?: boolean, noEmbed?: boolean, run?: string, worker?: string,
  workspace?: string};
export type MemoryPutFlags = {tier?: "conversation" | "channel" | "workspace" | "account" | "journal" | "core",
  channel?: string, conversation?: string, title?: string, importance?: string | number,
  lifetime?: "long_term" | "short_term" | "conversation", tag?: Texts, tags?: Texts,
  source?: string, derivedFrom?: string, private?: boolean, ttl?: string, expires?: string,
  force?: boolean, noEmbed?: boolean, agent?: string, author?: boolean, reason?: string,
  workspace?: string};
export type MemoryReadFlags = {tier?: "conversation" | "channel" | "workspace" | "account" | ("conversation" | "channel" | "workspace" | "account")[],
  tiers?: "conversation" | "channel" | "workspace" | "account" | ("conversation" | "channel" | "workspace" | "account")[],
  channel?: string, tag?: Texts, tags?: Texts,
  curator?: "agent" | "author" | "import" | ("agent" | "author" | "import")[], source?: Texts,
  conversation?: string, minImportance?: string | number, limit?: number, archived?: boolean,
  full?: boolean, agent?: string, author?: boolean, reason?: string, workspace?: string};
export type MemoryUpdateFlags = {title?: string, importance?: string | number,
  lifetime?: "long_term" | "short_term" | "conversation", tag?: Texts, tags?: Texts,
  addTag?: Texts, removeTag?: Texts, source?: string, derivedFrom?: string, ttl?: string,
  expires?: string, ifVersion?: number, ifRevision?: number, why?: string, force?: boolean,
  noEmbed?: boolean, agent?: string, author?: boolean, reason?: string, workspace?: string};
export type MemoryForgetFlags = {why?: string, replacedBy?: string, force?: boolean, agent?: string,
  author?: boolean, reason?: string, workspace?: string};
export type BatchItem = {content: string} & PostFlags;
export type Finding = PostFlags;
export type Posted = Entry & Pick<Item, "corrects" | "changed" | "reopened"> & {existing: boolean,
  checked: Checked | null, ran: Ran | null, similar: Entry[]};
export type Linked = Entry & {reopened: string[]};
export type Done = Expected & {ran: Ran[]};
export type Fault = {code: string, message: string, try: string, next: Next[]};
export type Answer = Fields & {error?: Fault};
export type Options = {program?: string, cwd?: string, timeout?: number, signal?: AbortSignal,
  notes?: ((text: string) => void) | null};
// So far the types.

/**
 * Return the command board of the npm package around this file, or that of $PATH.
 * @returns {string}
 */
export function program(): string;
/** What a command could not do, and what to do next: code, exitCode, nextStep, and as operations next. */
export class BoardError extends Error {
    /** @param {number} exitCode @param {Omit<Fault, "next"> & {next?: Next[]}} error */
    constructor(exitCode: number, error: Omit<Fault, "next"> & {
        next?: Next[];
    });
    exitCode: number;
    code: string;
    nextStep: string;
    /** @type {Next[]} */
    next: Next[];
}
/** A run, as one worker sees it. */
export class Board {
    /**
     * @param {string} run @param {string} worker
     * @param {string | Options} [options] the program, or all
     */
    constructor(run: string, worker: string, options?: string | Options);
    program: string;
    /** @type {string | undefined} */
    cwd: string | undefined;
    /** @type {number | undefined} */
    timeout: number | undefined;
    /** @type {AbortSignal | undefined} */
    signal: AbortSignal | undefined;
    /** @type {((text: string) => void) | null} */
    notes: ((text: string) => void) | null;
    /** @type {Record<string, string | undefined>} */
    env: Record<string, string | undefined>;
    /** What one run leaves for the next, in tiers. */
    memory: Memory;
    /**
     * Run any command, with any flag. Exit codes in answers are results, not errors.
     * {ifMatch: 3} is --if-match 3; {tag: ["a", "b"]} is --tag a --tag b. What stands behind "--"
     * in args is no flag. timeout and signal are for this call alone.
     * @param {string[]} args @param {Flags} [flags] @param {string} [text]
     * @param {number[] | {answers?: number[], timeout?: number, signal?: AbortSignal}} [options]
     * @returns {Promise<Answer>}
     */
    call(args: string[], flags?: Flags, text?: string, options?: number[] | {
        answers?: number[];
        timeout?: number;
        signal?: AbortSignal;
    }): Promise<Answer>;
    /**
     * Create the run, or join it: the workers that the gate waits for, and the files that
     * quotes are checked against.
     * @param {string} goal @param {StartFlags} [flags]
     */
    start(goal: string, flags?: StartFlags): Promise<State>;
    /**
     * Post a finding. source is FILE:LINE, "DOC @ PLACE" or a URL, quote is verbatim; the n-th
     * quote is of the n-th source. With a key, a call that is repeated writes nothing the second
     * time. The entry comes with checked, ran (of {ran: "go test ./..."}), similar and existing.
     * @param {string} text @param {Finding} [flags]
     */
    post(text: string, flags?: Finding): Promise<Posted>;
    /**
     * Post all or none: [{content: "…", source: "auth.go:42", quote: "…"}, …]
     * @param {BatchItem[]} posts @param {{run?: string, worker?: string, noCreate?: boolean, force?: boolean}} [flags]
     */
    postAll(posts: BatchItem[], flags?: {
        run?: string;
        worker?: string;
        noCreate?: boolean;
        force?: boolean;
    }): Promise<Posted[]>;
    /**
     * Amend an entry; what is not given is taken over. Returns the new one.
     * @param {string} entry @param {string} [text] @param {CorrectFlags} [flags]
     */
    correct(entry: string, text?: string, flags?: CorrectFlags): Promise<Posted>;
    /**
     * Link an entry to others: {supersedes: "e3"}.
     * @param {string} entry @param {LinkFlags} flags
     * @returns {Promise<Linked>}
     */
    link(entry: string, flags: LinkFlags): Promise<Linked>;
    /**
     * Say why a doubt is no fault: its id (checked.doubt), or the entry. Another one than its author does.
     * @param {string} doubt @param {string} reason @param {AcceptFlags} [flags]
     */
    accept(doubt: string, reason: string, flags?: AcceptFlags): Promise<Acceptance>;
    /**
     * Say why two entries both hold.
     * @param {string} entry @param {string} other @param {string} reason @param {AcceptFlags} [flags]
     */
    settle(entry: string, other: string, reason: string, flags?: AcceptFlags): Promise<Settlement>;
    /**
     * Raise a question; critical and high ones keep the gate closed.
     * @param {string} question @param {AskFlags} [flags]
     */
    ask(question: string, flags?: AskFlags): Promise<Question>;
    /**
     * Claim a question, or the most urgent free one. null: it is taken, or none is free.
     * @param {string} [question] @param {ClaimFlags} [flags]
     */
    claim(question?: string, flags?: ClaimFlags): Promise<Question | null>;
    /**
     * Give a claimed question back.
     * @param {string} question @param {ClaimFlags} [flags]
     */
    release(question: string, flags?: ClaimFlags): Promise<Question>;
    /**
     * Answer a question with a finding, as post takes it. link(entry, {addresses: question}) answers
     * it by one that is there.
     * @param {string} question @param {string} text @param {AnswerFlags} [flags]
     */
    answer(question: string, text: string, flags?: AnswerFlags): Promise<Posted>;
    /**
     * Wait until a question is closed, and return it. null: it is open after so long, such as "10m".
     * @param {string} question @param {string} [timeout] @param {WaitFlags} [flags]
     */
    wait(question: string, timeout?: string, flags?: WaitFlags): Promise<Question | null>;
    /**
     * Leave a question open, for a reason that stays on record.
     * @param {string} question @param {string} reason @param {WaiveFlags} [flags]
     */
    waive(question: string, reason: string, flags?: WaiveFlags): Promise<Question>;
    /**
     * Open an answered or waived question again.
     * @param {string} question @param {string} [reason] @param {ReopenFlags} [flags]
     */
    reopen(question: string, reason?: string, flags?: ReopenFlags): Promise<Question>;
    /** @param {SignalsFlags} [flags] */
    questions(flags?: SignalsFlags): Promise<Question[]>;
    /**
     * Name workers that the gate waits for; {drop: "reader-2", reason: "…"} ends that.
     * @param {string[]} workers @param {ExpectFlags} [flags]
     */
    expect(workers: string[], flags?: ExpectFlags): Promise<Expected[]>;
    /**
     * Say that this worker has finished, or those that are named. {ran: ["go test ./..."]} says
     * what passed; ran of each worker is what hooks saw of that.
     * @param {string[]} [workers] @param {DoneFlags} [flags]
     * @returns {Promise<Done[]>}
     */
    done(workers?: string[], flags?: DoneFlags): Promise<Done[]>;
    /**
     * Return one entry or question whole, with its links and history.
     * @param {string} id @param {ShowFlags} [flags]
     */
    show(id: string, flags?: ShowFlags): Promise<Answer>;
    /**
     * Return entries, the newest first; {order: "best"} puts the best match first.
     * @param {string} [words] @param {QueryFlags} [flags]
     */
    query(words?: string, flags?: QueryFlags): Promise<Entry[]>;
    /**
     * Return a variable of the run.
     * @param {string} key @param {unknown} [otherwise]
     * @returns {Promise<any>}
     */
    get(key: string, otherwise?: unknown): Promise<any>;
    /**
     * Set a variable of the run; {ifMatch: VERSION} only if nobody else has.
     * @param {string} key @param {unknown} value @param {StateSetFlags} [flags]
     */
    set(key: string, value: unknown, flags?: StateSetFlags): Promise<Variable>;
    /**
     * Return the verdict. "10m" waits until the gate is open, at most so long.
     * @param {string} [wait] @param {GateFlags} [flags]
     */
    gate(wait?: string, flags?: GateFlags): Promise<Verdict>;
    /**
     * Return the findings as markdown, for the writer of a report.
     * @param {DigestFlags} [flags]
     */
    digest(flags?: DigestFlags): Promise<Digest>;
    /**
     * Return the result of all checks. Its passed is the verdict. An invented figure fails it
     * only if a policy says `trace: {max_unsupported: 0}`: that of {policy: "FILE"}, or board.yaml
     * in cwd or above. The trace.facts of the step trace has the figures; those that fail are
     * neither supported nor derived, and not unsure.
     * @param {string | string[]} reports @param {CheckFlags} [flags]
     */
    check(reports: string | string[], flags?: CheckFlags): Promise<Check>;
    /**
     * Hold findings against their sources: all, or those that are named.
     * @param {string[]} [entries] @param {VerifyFlags} [flags]
     */
    verify(entries?: string[], flags?: VerifyFlags): Promise<Verify>;
    /**
     * Return pairs of findings that may contradict each other.
     * @param {ConflictsFlags} [flags]
     */
    conflicts(flags?: ConflictsFlags): Promise<Conflicts>;
    /**
     * Register files that quotes are checked against, and all files below directories.
     * @param {string[]} paths @param {SourceAddFlags} [flags]
     */
    addSources(paths: string[], flags?: SourceAddFlags): Promise<SourceAdded[]>;
    /**
     * Write the run to a .jsonl, .md or .html file.
     * @param {string} file @param {ExportFlags} [flags]
     */
    export(file: string, flags?: ExportFlags): Promise<Exported>;
    /**
     * Return what is known about a task, as text for a prompt; "" for nothing.
     * @param {string} task @param {KbBriefFlags} [flags]
     */
    brief(task: string, flags?: KbBriefFlags): Promise<string>;
    /** @param {string} question @param {KbSearchFlags} [flags] */
    search(question: string, flags?: KbSearchFlags): Promise<Hit[]>;
    /**
     * Store what is verified; {source: "auth.go:42"} says where it can be checked.
     * @param {string} text @param {string} title @param {KbRememberFlags} [flags]
     */
    remember(text: string, title: string, flags?: KbRememberFlags): Promise<Capsule>;
    /**
     * Store the LEARNING: lines of a worker's answer; return the new capsules.
     * @param {string} text @param {KbLearnFlags} [flags]
     */
    learn(text: string, flags?: KbLearnFlags): Promise<Capsule[]>;
    /**
     * Make a capsule from an entry.
     * @param {string} entry @param {KbPromoteFlags} [flags]
     */
    promote(entry: string, flags?: KbPromoteFlags): Promise<Capsule>;
}
/** The memory of agents: `board help memory`. */
export class Memory {
    /** @param {Board} board */
    constructor(board: Board);
    board: Board;
    /** @param {string} text @param {MemoryPutFlags} [flags] */
    put(text: string, flags?: MemoryPutFlags): Promise<MemoryItem>;
    /**
     * Return the hits of each tier; without a question what counts now.
     * @param {string} [question] @param {MemoryReadFlags} [flags]
     */
    read(question?: string, flags?: MemoryReadFlags): Promise<Slice[]>;
    /**
     * Change an item; what is not given stays.
     * @param {string} id @param {string} [text] @param {MemoryUpdateFlags} [flags]
     */
    update(id: string, text?: string, flags?: MemoryUpdateFlags): Promise<MemoryItem>;
    /**
     * Hide items from reads; {why: "…"} is kept.
     * @param {string | string[]} ids @param {MemoryForgetFlags} [flags]
     */
    forget(ids: string | string[], flags?: MemoryForgetFlags): Promise<MemoryItem[]>;
}
