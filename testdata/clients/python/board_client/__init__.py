# Python: a client for board, typed and without dependencies

# The package of board on PyPI brings it. Without that: `board help python >board_client.py`.
# It starts the command board for each call and reads its JSON: `board help json`. What it
# calls again, and when: `board help output`. Python 3.8 or newer.

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence,
                    Tuple, TypedDict, Union, cast)

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

Texts = Union[str, Sequence[str], None]

# What follows is written by a test, from the tables of `board help json` and the flags.

CapsuleKind = Literal["fact", "gotcha", "pattern", "anti_pattern", "recipe", "principle", "doc"]
EntryType = Literal["observation", "analysis", "calculation", "strategy", "gap", "contradiction"]
Priority = Literal["critical", "high", "medium", "low"]
Scope = Literal["workspace", "project", "domain", "universal"]


class Acceptance(TypedDict):
    doubt: str; id: str; check: str; verdict: str; reason: str; worker: str; person: bool
    at: str; seq: int


class Alike(TypedDict):
    id: str; title: str; cosine: Optional[float]; differ: List[str]


class Brief(TypedDict):
    role: str; task: str; kinds: List[str]; mode: str; block: str; weak: bool; tokens: int
    budget: int; retrieval_log: List[BriefEntry]; degraded: List[str]


class Capsule(TypedDict):
    id: str; kind: CapsuleKind; scope: str; title: str; body: str; tags: List[str]
    domain_tags: List[str]; source: str; confidence: Optional[float]; verified_by: str
    supersedes: List[str]; superseded_by: str; refs: List[str]; workspace: str; project: str
    decay_score: float; created: str; updated: str; retrieved: Optional[str]
    retired: Optional[str]; retired_why: str; revision: int; ingested: Optional[Ingested]
    embedding_model: str; dim: int


class Check(TypedDict):
    run: str; seq: int; passed: bool; policy: str; recorded: Optional[PolicyRef]; note: str
    reports: List[str]; steps: List[Step]


class Checked(TypedDict):
    id: str; type: str; worker: str; content: str; must_surface: bool; doubted: bool
    source_doc: str; source_ref: str; evidence: str; verdict: str; note: str
    differences: List[Difference]; missing: List[Value]; passage: Optional[Passage]
    other_language: bool; source: str; file: str; sha256: str; parts: NotRequired[List[Part]]
    doubt: str; accepted: Optional[Acceptance]; earlier: str; addresses: List[str]


class Conflicts(TypedDict):
    run: str; seq: int; compared: int; looked: int; total: int; pairs: List[Conflict]


class Variable(TypedDict):
    key: str; value: Any; version: int; updated: str; worker: str


class Digest(TypedDict):
    text: str; tokens: int; included: int; omitted: int; omitted_must: List[str]


class DroppedDuty(TypedDict):
    id: str; by: str; seq: int; worker: str; reason: str


class Entry(TypedDict):
    id: str; seq: int; created: str; type: str
    status: Literal["active", "disputed", "superseded"]; content: str; source_doc: str
    source_ref: str; evidence: str; sources: NotRequired[List[Cited]]
    confidence: Optional[float]; worker: str; tags: List[str]; must_surface: bool
    supports: List[str]; contradicts: List[str]; supersedes: List[str]; addresses: List[str]
    key: str; external_id: str; verified: Optional[Verification]


class Event(TypedDict):
    seq: int; at: str; actor: str; verb: str; id: str; payload: Any


class Expansion(TypedDict):
    missing: str; terms: List[str]


class Expected(TypedDict):
    worker: str; seq: int; status: Literal["expected", "done", "dropped"]; at: str; by: str
    reason: str


class Exported(TypedDict):
    file: str; format: Literal["jsonl", "md", "html"]; entries: int; signals: int; omitted: int
    omitted_must: List[str]


class Verdict(TypedDict):
    run: str; seq: int; open: bool; policy: Policy; recorded: Optional[PolicyRef]
    reasons: List[Reason]; signals: SignalCounts; disputed: int


class Hit(TypedDict):
    id: str; kind: CapsuleKind; scope: str; title: str; body: str; tags: List[str]
    domain_tags: List[str]; source: str; confidence: Optional[float]; verified_by: str
    supersedes: List[str]; superseded_by: str; refs: List[str]; workspace: str; project: str
    decay_score: float; created: str; updated: str; retrieved: Optional[str]
    retired: Optional[str]; retired_why: str; revision: int; ingested: Optional[Ingested]
    embedding_model: str; dim: int; score: float; bm25_rank: int; vector_rank: int
    bm25_score: float; cosine_score: Optional[float]; rrf_score: float; evidence: float
    weak: bool; why: NotRequired[str]; snippet: str; stale: NotRequired[str]; boosts: List[str]
    terms: NotRequired[List[TermScore]]


class MemoryItem(TypedDict):
    id: str; tier: str; channel: str; conversation: str; agent: str; title: str; content: str
    curator: str; source: str; importance: float
    lifetime: Literal["long_term", "short_term", "conversation"]; tags: List[str]
    access_count: int; created: str; updated: str; accessed: str; expires: Optional[str]
    derived_from: str; revision: int; archived: Optional[str]; forgotten: Optional[str]
    rule: str; replaced_by: str; why: str; embedding_model: str; dim: int


BacklinkFrom = TypedDict("BacklinkFrom", {"from": "str"})


class Backlink(BacklinkFrom):
    kind: str; line: str


class UsedPolicy(TypedDict):
    path: str; recorded: Optional[PolicyRef]; note: str


class Item(TypedDict):
    entry: Entry; existing: bool; reopened: NotRequired[List[str]]; corrects: NotRequired[str]
    changed: NotRequired[List[str]]; reason: NotRequired[str]; checked: Optional[Checked]


class Question(TypedDict):
    id: str; seq: int; created: str; content: str; priority: Priority
    status: Literal["open", "addressed", "waived"]; worker: str; to: str; origin: str
    addressed_by: str; reason: str; closed_by: str; closed: Optional[str]; claimed_by: str
    lease_until: Optional[str]; key: str; external_id: str


class Ran(TypedDict):
    seq: int; at: str; worker: str; entry: str; command: str; dir: str; exit: int
    verdict: Literal["passed", "failed", "stale", "untold", "not found", "unseen"]; holds: bool
    why: str; receipt: int


class Receipt(TypedDict):
    seq: int; worker: str; command: str; path: str; dir: str; root: str; began: str
    duration_ms: Optional[int]; exit_code: Optional[int]; output: str; commit: str; dirty: bool
    harness: str; session: str; use: str; transcript: str; compared: str; edited_since: bool


KbRefusedFrom = TypedDict("KbRefusedFrom", {"from": "str"})


class KbRefused(KbRefusedFrom):
    why: str


class Retrieval(TypedDict):
    seq: int; at: str; worker: str; way: str; role: str; task: str; capsules: List[Given]


class Settlement(TypedDict):
    a: str; b: str; reason: str; worker: str; at: str; seq: int


class SourceAdded(TypedDict):
    name: str; path: str; sha256: str; size: int; text: bool; seq: int; at: str; worker: str
    change: Literal["added", "changed", "unchanged"]


class State(TypedDict):
    run: str; goal: str; created: str; updated: str; seq: int; entries: EntryCounts
    signals: SignalCounts; links: Dict[str, int]; workers: List[Worker]
    variables: List[Variable]; expected: List[Expected]; retrievals: int; receipts: int
    checks: List[CheckRecord]


class Slice(TypedDict):
    tier: str; hits: List[MemoryHit]


class Verify(TypedDict):
    run: str; seq: int; passed: bool; checked: int; doubted: int; accepted: int; unchecked: int
    unsourced: int; concluded: List[str]; unsure: List[str]; other_language: int
    sources: List[SourceResult]; items: List[Checked]; recorded: int; not_recorded: str


class BriefEntry(TypedDict):
    id: str; kind: str; title: str; score: float; bm25_score: float
    cosine_score: Optional[float]; evidence: float; weak: bool; boosts: List[str]; included: bool
    why: str


class Ingested(TypedDict):
    file: str; sha256: str; part: int; of: int


class PolicyRef(TypedDict):
    path: str; sha256: str; seq: int; reason: str


class Step(TypedDict):
    name: Literal["gate", "verify", "conflicts", "survival", "trace", "ran", "citations"]
    passed: bool; skipped: bool; why: str; headline: str; warnings: List[str]
    gate: NotRequired[Verdict]; verify: NotRequired[Verify]; conflicts: NotRequired[Conflicts]
    survival: NotRequired[Survival]; trace: NotRequired[Trace]; ran: NotRequired[List[Ran]]
    citations: NotRequired[List[Citation]]


class Difference(TypedDict):
    quote: str; source: str


class Value(TypedDict):
    kind: Literal["number", "date", "identifier", "name"]; text: str


class Passage(TypedDict):
    line: int; where: str; text: str


class Part(TypedDict):
    source_doc: str; source_ref: str; evidence: str; verdict: str; note: str
    differences: List[Difference]; missing: List[Value]; passage: Optional[Passage]
    other_language: bool; source: str; file: str; sha256: str


class Conflict(TypedDict):
    a: Side; b: Side; kind: Literal["figure", "date", "negation", "order"]; why: List[str]
    score: float; likely: bool; signal: str


class Cited(TypedDict):
    source_doc: str; source_ref: str; evidence: str


class Verification(TypedDict):
    verdict: str; source: str; sha256: str; place: str; note: str; parts: NotRequired[List[Held]]
    seq: int; at: str; worker: str; stale: bool; doubt: NotRequired[str]
    accepted: NotRequired[Acceptance]


class Policy(TypedDict):
    block: List[str]; expect: List[str]; max_open: Optional[int]; max_disputed: Optional[int]
    max_conflicts: Optional[int]; min_entries: int; require_source: bool; require_verified: bool
    require_evidence: bool; require_ran: List[str]; require_ran_by: Dict[str, List[str]]
    accept: AcceptPolicy


class Reason(TypedDict):
    rule: Literal["empty", "min-entries", "expected", "open-signal", "max-open", "max-disputed", "max-conflicts", "require-source", "require-verified", "accepted", "require-evidence", "require-ran"]
    id: str; other: str; priority: str; content: str; worker: str; claimed_by: str; to: str
    clear: str; next: List[Next]


class SignalCounts(TypedDict):
    total: int; open: Dict[str, int]; addressed: Dict[str, int]; waived: Dict[str, int]


class TermScore(TypedDict):
    term: str; df: int; tf: float; score: float


class Given(TypedDict):
    id: str; score: float; evidence: float


class EntryCounts(TypedDict):
    total: int; by_type: Dict[str, int]; by_status: Dict[str, int]; must_surface: int


class Worker(TypedDict):
    name: str; entries: int; events: int; last: str


class CheckRecord(TypedDict):
    seq: int; at: str; worker: str; reports: List[str]; sha256: str; dir: str; passed: bool
    steps: List[CheckedStep]; judged_at: int; entries: int


class MemoryHit(TypedDict):
    id: str; tier: str; channel: str; conversation: str; agent: str; title: str; content: str
    curator: str; source: str; importance: float
    lifetime: Literal["long_term", "short_term", "conversation"]; tags: List[str]
    access_count: int; created: str; updated: str; accessed: str; expires: Optional[str]
    derived_from: str; revision: int; archived: Optional[str]; forgotten: Optional[str]
    rule: str; replaced_by: str; why: str; embedding_model: str; dim: int; relevance: float
    score: float; evidence: float; weak: bool; text_rank: int; vector_rank: int
    cosine: Optional[float]; derived_note: str; frame: str; replaces: List[str]; newer: str


class SourceResult(TypedDict):
    name: str; file: str; sha256: str; registered: bool; changed: bool; findings: int
    doubted: int


class Survival(TypedDict):
    run: str; seq: int; reports: List[str]; skipped: NotRequired[List[Skipped]]; passed: bool
    checked: int; missing: int; accepted: int; unsure: int; items: List[SurvivalItem]
    empty: bool; min_items: int; warning: str; dropped: List[Dropped]
    unmarked_answers: NotRequired[List[str]]; semantic: Optional[Semantic]


class Trace(TypedDict):
    run: str; seq: int; reports: List[str]; sources: int; passed: bool; checked: int
    supported: int; derived: int; source_only: int; unsupported: int; unsure: int; unsaid: int
    share: float; facts: List[Fact]; passages: List[TracePassage]


class Citation(TypedDict):
    report: str; line: int; handle: str; id: str
    verdict: Literal["good", "stale", "foreign", "forged"]; why: str


class Side(TypedDict):
    id: str; type: str; worker: str; source: str; content: str


class Held(TypedDict):
    verdict: str; source: str; sha256: str; place: str; note: str


class AcceptPolicy(TypedDict):
    max: Optional[int]; checks: List[str]


class Next(TypedDict):
    op: NotRequired[str]; args: NotRequired[Dict[str, str]]; text: str


class CheckedStep(TypedDict):
    name: str; passed: bool; skipped: bool; wrong: int; unsure: int


class Skipped(TypedDict):
    file: str; reason: str


class SurvivalItem(TypedDict):
    id: str; why: Literal["must-surface", "contradiction", "open signal", "waived signal"]
    type: str; priority: str; worker: str; content: str; reason: str; present: bool; unsure: bool
    cause: Literal["absent", "number differs", "contradicted", "scattered", ""]; coverage: float
    missing_tokens: List[str]; missing_numbers: List[str]; passage: Optional[SurvivalPassage]
    reasons: NotRequired[List[str]]; lacks: NotRequired[List[str]]; cosine: Optional[float]
    by_meaning: bool; doubt: NotRequired[str]; accepted: NotRequired[Acceptance]


class Dropped(TypedDict):
    id: str; by: str; worker: str; reason: str; content: str


class Semantic(TypedDict):
    model: str; min_cosine: float


FactFrom = TypedDict("FactFrom", {"from": "List[str]"})


class Fact(FactFrom):
    report: str; line: int; text: str; kind: str
    verdict: Literal["supported", "derived", "source", "unsupported"]; cause: str
    entries: List[str]; source: Optional[Place]; unsure: bool; why: str; passage: int


class TracePassage(TypedDict):
    report: str; line: int; text: str; facts: int; missing: int; entries: List[str]


class SurvivalPassage(TypedDict):
    report: str; line: int; where: str; text: str


class Place(TypedDict):
    file: str; line: int; text: str


class Fields(TypedDict):
    acceptance: Acceptance; alike: List[Alike]; brief: Brief; capsule: Capsule
    changed: List[str]; check: Check; checked: Optional[Checked]; confirmed: Any
    conflicts: Conflicts; corrects: str; degraded: List[str]; deleted: Variable; digest: Digest
    dropped_duties: List[DroppedDuty]; dry_run: bool; duplicates: int; entries: List[Entry]
    entry: Entry; event: Event; evidence: float; existed: bool; existing: bool
    expanded: List[Expansion]; expected: List[Expected]; export: Exported; format: str
    gate: Verdict; gated: bool; history: List[Event]; hits: List[Hit]; item: MemoryItem
    items: List[MemoryItem]; lines: int; linked_by: List[Backlink]; missing: List[str]; mode: str
    more: bool; notes: List[str]; older: List[str]; policy: UsedPolicy; posted: List[Item]
    raised: List[Question]; ran: Any; ran_claims: List[Ran]; receipts: List[Receipt]
    refused: List[KbRefused]; reopened: List[str]; retrievals: List[Retrieval]; said_again: int
    settled: List[Settlement]; settlement: Settlement; signal: Question; signals: List[Question]
    similar: List[Entry]; since: Optional[str]; sources: List[SourceAdded]; spoken: int
    state: State; stored: List[Capsule]; threshold: float; tiers: List[Slice]; total: int
    unchanged: bool; unsure: List[KbRefused]; variable: Variable; verdict: Verdict
    verify: Verify; warnings: List[str]


class StartFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; reason: Optional[str]; force: Optional[bool]
    policy: Optional[str]


class PostFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; type: Optional[EntryType]; evidence: Texts
    source_doc: Optional[str]; source_ref: Optional[str]; confidence: Optional[float]; tag: Texts
    tags: Texts; must_surface: Optional[bool]; drop_duty: Optional[str]; supports: Texts
    contradicts: Texts; supersedes: Texts; addresses: Texts; ran: Optional[str]
    force: Optional[bool]; no_create: Optional[bool]


class CorrectFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; type: Optional[EntryType]; evidence: Texts
    source_doc: Optional[str]; source_ref: Optional[str]; confidence: Optional[float]; tag: Texts
    tags: Texts; must: Optional[bool]; must_surface: Optional[bool]; drop_duty: Optional[str]
    supports: Texts; contradicts: Texts; supersedes: Texts; addresses: Texts; ran: Optional[str]
    key: Optional[str]; reason: Optional[str]; force: Optional[bool]


class AnswerFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; type: Optional[EntryType]; evidence: Texts
    source_doc: Optional[str]; source_ref: Optional[str]; confidence: Optional[float]; tag: Texts
    tags: Texts; must_surface: Optional[bool]; drop_duty: Optional[str]; supports: Texts
    contradicts: Texts; supersedes: Texts; addresses: Texts; ran: Optional[str]
    force: Optional[bool]


class LinkFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; supports: Texts; contradicts: Texts
    supersedes: Texts; addresses: Texts; drop_duty: Optional[str]; force: Optional[bool]


class AcceptFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; revoke: Optional[bool]; force: Optional[bool]


class AskFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; to: Optional[str]; origin: Optional[str]
    force: Optional[bool]; no_create: Optional[bool]


class ClaimFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; min_priority: Optional[Priority]; tag: Texts
    lease: Optional[str]; force: Optional[bool]


class WaiveFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; force: Optional[bool]


class ReopenFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; note: Optional[str]; force: Optional[bool]


class SignalsFlags(TypedDict, total=False):
    run: Optional[str]
    status: Union[Literal["open", "addressed", "waived"], Sequence[Literal["open", "addressed", "waived"]], None]
    priority: Union[Priority, Sequence[Priority], None]; by: Optional[str]
    claimed_by: Optional[str]; free: Optional[bool]; limit: Optional[float]


class ExpectFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; again: Optional[bool]; drop: Optional[str]
    reason: Optional[str]; force: Optional[bool]; no_create: Optional[bool]


class DoneFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; reason: Optional[str]; note: Optional[str]
    ran: Texts; force: Optional[bool]


class ShowFlags(TypedDict, total=False):
    at: Optional[float]; run: Optional[str]


class QueryFlags(TypedDict, total=False):
    run: Optional[str]; match_: Optional[str]; contains: Optional[str]
    type: Union[EntryType, Sequence[EntryType], None]
    status: Union[Literal["active", "disputed", "superseded"], Sequence[Literal["active", "disputed", "superseded"]], None]
    by: Texts; tag: Texts; tags: Texts; signal: Optional[str]; must: Optional[bool]
    must_surface: Optional[bool]; since: Optional[float]; before: Optional[str]
    order: Optional[Literal["newest", "oldest", "best"]]; limit: Optional[float]
    full: Optional[bool]


class StateGetFlags(TypedDict, total=False):
    run: Optional[str]


class StateSetFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; if_version: Optional[float]
    if_match: Optional[float]; force: Optional[bool]; no_create: Optional[bool]


class WaitFlags(TypedDict, total=False):
    block: Texts; max_open: Optional[float]; max_disputed: Optional[float]
    max_conflicts: Optional[float]; min_entries: Optional[float]; require_source: Optional[bool]
    require_verified: Optional[bool]; require_evidence: Optional[bool]; run: Optional[str]


class GateFlags(TypedDict, total=False):
    run: Optional[str]; block: Texts; max_open: Optional[float]; max_disputed: Optional[float]
    max_conflicts: Optional[float]; min_entries: Optional[float]; require_source: Optional[bool]
    require_verified: Optional[bool]; require_evidence: Optional[bool]; policy: Optional[str]
    output: Optional[str]


class DigestFlags(TypedDict, total=False):
    tag: Optional[str]; output: Optional[str]; policy: Optional[str]; run: Optional[str]


class CheckFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; force: Optional[bool]; report: Texts
    only: Optional[Literal["gate", "verify", "conflicts", "survival", "trace", "ran", "citations"]]
    dry_run: Optional[bool]; no_record: Optional[bool]; outside: Optional[bool]
    policy: Optional[str]; output: Optional[str]


class VerifyFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; dry_run: Optional[bool]; no_record: Optional[bool]
    all: Optional[bool]; outside: Optional[bool]; policy: Optional[str]; output: Optional[str]


class ConflictsFlags(TypedDict, total=False):
    run: Optional[str]; worker: Optional[str]; limit: Optional[float]
    type: Union[EntryType, Sequence[EntryType], None]; raise_: Optional[bool]
    priority: Optional[Priority]; strict: Optional[bool]; policy: Optional[str]
    output: Optional[str]


class SourceAddFlags(TypedDict, total=False):
    text: Optional[bool]; force: Optional[bool]; no_create: Optional[bool]; worker: Optional[str]
    run: Optional[str]


class ExportFlags(TypedDict, total=False):
    budget: Optional[float]; appendix: Optional[bool]; report: Texts; sources: Texts
    policy: Optional[str]; outside: Optional[bool]; run: Optional[str]


class KbBriefFlags(TypedDict, total=False):
    run: Optional[str]
    role: Optional[Literal["planner", "executor", "reviewer", "re_reviewer", "reflector"]]
    budget: Optional[float]; limit: Optional[float]
    mode: Optional[Literal["auto", "hybrid", "bm25"]]; project: Optional[str]
    workspace: Optional[str]; worker: Optional[str]


class KbSearchFlags(TypedDict, total=False):
    kind: Union[CapsuleKind, Sequence[CapsuleKind], None]
    scope: Union[Scope, Sequence[Scope], None]; tag: Texts; tags: Texts; domain: Texts
    project: Texts; here: Optional[bool]; superseded: Optional[bool]; retired: Optional[bool]
    all: Optional[bool]; run: Optional[str]
    mode: Optional[Literal["auto", "hybrid", "bm25", "vector"]]; limit: Optional[float]
    gate: Optional[bool]; no_docs: Optional[bool]; explain: Optional[bool]; full: Optional[bool]
    no_mmr: Optional[bool]; workspace: Optional[str]; worker: Optional[str]


class KbRememberFlags(TypedDict, total=False):
    kind: Optional[CapsuleKind]; scope: Optional[Scope]; source: Optional[str]
    confidence: Optional[float]; verified_by: Optional[str]; tag: Texts; tags: Texts
    domain: Texts; project: Optional[str]; ref: Texts; supersedes: Texts; force: Optional[bool]
    no_embed: Optional[bool]; workspace: Optional[str]; worker: Optional[str]


class KbLearnFlags(TypedDict, total=False):
    role: Optional[str]; run: Optional[str]; project: Optional[str]; workspace: Optional[str]
    dry_run: Optional[bool]; force: Optional[bool]; worker: Optional[str]


class KbPromoteFlags(TypedDict, total=False):
    title: Optional[str]; kind: Optional[CapsuleKind]; scope: Optional[Scope]; tag: Texts
    tags: Texts; domain: Texts; confidence: Optional[float]; verified_by: Optional[str]
    project: Optional[str]; supersedes: Texts; force: Optional[bool]; no_embed: Optional[bool]
    run: Optional[str]; worker: Optional[str]; workspace: Optional[str]


class MemoryPutFlags(TypedDict, total=False):
    tier: Optional[Literal["conversation", "channel", "workspace", "account", "journal", "core"]]
    channel: Optional[str]; conversation: Optional[str]; title: Optional[str]
    importance: Union[str, float, None]
    lifetime: Optional[Literal["long_term", "short_term", "conversation"]]; tag: Texts
    tags: Texts; source: Optional[str]; derived_from: Optional[str]; private: Optional[bool]
    ttl: Optional[str]; expires: Optional[str]; force: Optional[bool]; no_embed: Optional[bool]
    agent: Optional[str]; author: Optional[bool]; reason: Optional[str]; workspace: Optional[str]


class MemoryReadFlags(TypedDict, total=False):
    tier: Union[Literal["conversation", "channel", "workspace", "account"], Sequence[Literal["conversation", "channel", "workspace", "account"]], None]
    tiers: Union[Literal["conversation", "channel", "workspace", "account"], Sequence[Literal["conversation", "channel", "workspace", "account"]], None]
    channel: Optional[str]; tag: Texts; tags: Texts
    curator: Union[Literal["agent", "author", "import"], Sequence[Literal["agent", "author", "import"]], None]
    source: Texts; conversation: Optional[str]; min_importance: Union[str, float, None]
    limit: Optional[float]; archived: Optional[bool]; full: Optional[bool]; agent: Optional[str]
    author: Optional[bool]; reason: Optional[str]; workspace: Optional[str]


class MemoryUpdateFlags(TypedDict, total=False):
    title: Optional[str]; importance: Union[str, float, None]
    lifetime: Optional[Literal["long_term", "short_term", "conversation"]]; tag: Texts
    tags: Texts; add_tag: Texts; remove_tag: Texts; source: Optional[str]
    derived_from: Optional[str]; ttl: Optional[str]; expires: Optional[str]
    if_version: Optional[float]; if_revision: Optional[float]; why: Optional[str]
    force: Optional[bool]; no_embed: Optional[bool]; agent: Optional[str]; author: Optional[bool]
    reason: Optional[str]; workspace: Optional[str]


class MemoryForgetFlags(TypedDict, total=False):
    why: Optional[str]; replaced_by: Optional[str]; force: Optional[bool]; agent: Optional[str]
    author: Optional[bool]; reason: Optional[str]; workspace: Optional[str]


# So far the types.

class Finding(PostFlags, total=False):
    """One of post_all, in the words of post or of its JSON. A link may be "@key" of another one."""

    content: str
    source: Texts
    quote: Texts
    must: Optional[bool]
    key: Optional[str]


class Posted(Entry):
    """An entry, and what came of posting it. existing: its key was used before, and nothing was
    written. checked is None if it names no source, or the run has none; so is ran without ran=."""

    existing: bool
    checked: Optional[Checked]
    ran: Optional[Ran]
    similar: List[Entry]
    corrects: NotRequired[str]
    changed: NotRequired[List[str]]
    reopened: NotRequired[List[str]]


class Linked(Entry):
    reopened: List[str]


class Done(Expected):
    """A worker that is done, and what came of the commands that it says to have run."""

    ran: List[Ran]


Fault = TypedDict("Fault", {"code": str, "message": str, "try": str, "next": "List[Next]"})


class Answer(Fields):
    """What any command prints. A command has those of these keys that its method reads; error is
    there if an exit code of answers came without an answer."""

    error: NotRequired[Fault]


class BoardError(Exception):
    """What a command could not do, and what to do next: .code, .exit_code, .next_step, and as
    operations .next."""

    def __init__(self, exit_code: int, error: Mapping[str, Any]) -> None:
        super().__init__("; try: ".join(filter(None, (error["message"], error["try"]))))
        self.exit_code, self.code, self.next_step = exit_code, error["code"], error["try"]
        self.next: List[Next] = error.get("next", [])


def program() -> str:
    """Return the command board that was installed with this Python, or that of $PATH."""
    name = "board.exe" if os.name == "nt" else "board"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    return beside if os.path.exists(beside) else "board"


def unstarted(program: str, cwd: Any, e: OSError) -> Dict[str, str]:
    """Return the error of a command that could not be started, or not there."""
    if cwd is not None and not os.path.isdir(cwd):
        return {"code": "not_found", "message": f"there is no directory {cwd}", "try": "another cwd"}
    return {"code": "no_program", "message": f"{program} cannot be started: {e.strerror}",
            "try": "install board (pip install its package, or put its binary into $PATH), or "
                   "name it: Board(run, worker, program=…)"}


def error_in(stderr: str, exit_code: int) -> Any:
    """Return the error that a command printed: the last line; notes may stand before it."""
    try:
        return json.loads(stderr.splitlines()[-1])["error"]
    except (IndexError, KeyError, ValueError):
        message = stderr or f"exit code {exit_code}"
        return {"code": "failure", "message": message, "try": "", "next": []}


def posted(answer: Any) -> Posted:
    """Return the entry of an answer, with what came of it."""
    known = {"existing", "checked", "ran", "similar", "corrects", "changed", "reopened"}
    more = {k: v for k, v in answer.items() if k in known}
    return cast(Posted, {**answer["entry"], "checked": None, "ran": None, "similar": [], **more})


def batched(item: Mapping[str, Any]) -> Dict[str, Any]:
    """Return a finding in the words of a batch."""
    out: Dict[str, Any] = {}
    for name, value in item.items():
        name = {"must": "must_surface", "tag": "tags", "evidence": "quote", "type_": "type"}.get(name, name)
        if name in ("tags", "supports", "contradicts", "supersedes", "addresses") and isinstance(value, str):
            value = [value]
        out[name] = value
    given = {k: [out[k]] if isinstance(out[k], str) else list(out[k]) for k in ("source", "quote") if out.get(k)}
    for name, values in given.items():
        out[name] = values[0]
    more = [{k: v[n] for k, v in given.items() if n < len(v)} for n in range(1, max(map(len, given.values()), default=0))]
    return {**out, "more_sources": more} if more else out


def note(text: str) -> None:
    sys.stderr.write(text)


class Board:
    """A run, as one worker sees it."""

    def __init__(self, run: str, worker: str, program: str = program(),
                 cwd: Union[str, "os.PathLike[str]", None] = None,
                 notes: Optional[Callable[[str], object]] = note, timeout: Optional[float] = None) -> None:
        """cwd is where the command runs: files are named from there, board.yaml is found there.
        notes takes what commands remark; None: nobody. timeout: seconds for each call."""
        self.program, self.cwd, self.notes, self.timeout = program, cwd, notes, timeout
        self.env = dict(os.environ, BOARD_RUN=run, BOARD_WORKER=worker)
        self.memory = Memory(self)

    def call(self, args: Sequence[str], flags: Mapping[str, object] = {}, text: str = "",
             answers: Tuple[int, ...] = (), timeout: Optional[float] = None) -> Answer:
        """Run any command, with any flag. Exit codes in answers are results, not errors.

        {"must": True} is --must; {"tag": ["a", "b"]} is --tag a --tag b. What stands behind "--" in
        args is no flag.
        """
        args = list(args)
        end = args.index("--") if "--" in args else len(args)
        line = args[:end]
        for name, value in flags.items():
            flag = "--" + name.rstrip("_").replace("_", "-")  # type_ is --type
            values: Any = [value] if isinstance(value, (str, int, float)) else value or ()
            for v in values:
                if v is not False:
                    line.append(flag if v is True else f"{flag}={v}")
        # The time that was to be waited is over: no error that another try mends.
        waits = args[:1] == ["wait"] or any(word.startswith("--timeout") for word in line)
        line = [self.program, *line, "--json", *args[end:]]
        timeout = self.timeout if timeout is None else timeout
        for pause in (0.2, 1, 5, None):
            try:
                done = subprocess.run(line, input=text, capture_output=True, encoding="utf-8",
                                      env=self.env, cwd=self.cwd, timeout=timeout)
            except OSError as e:
                raise BoardError(127, unstarted(self.program, self.cwd, e)) from e
            except subprocess.TimeoutExpired as e:
                message = f"{' '.join(line)} took longer than {timeout} s"
                raise BoardError(124, {"code": "timeout", "message": message, "try": "a longer timeout"}) from e
            if done.returncode in (0, *answers):
                if not done.stdout:
                    return cast(Answer, {"error": error_in(done.stderr, done.returncode)})
                if done.stderr and self.notes:
                    self.notes(done.stderr)  # such as that a run was created
                answer: Answer = json.loads(done.stdout)
                return answer
            error = error_in(done.stderr, done.returncode)
            if (error["code"] not in ("busy", "database_away", "timeout") or pause is None
                    or error["code"] == "timeout" and waits):
                raise BoardError(done.returncode, error)
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _question(self, exit_code: int, args: Sequence[str], flags: Mapping[str, object]) -> Optional[Question]:
        """Return the question of an answer; None after this exit code."""
        try:
            return self.call(args, flags)["signal"]
        except BoardError as e:
            if e.exit_code == exit_code and e.code in ("conflict", "timeout"):
                return None
            raise

    def start(self, goal: str = "", expect: Sequence[str] = (), sources: Sequence[str] = (),
              **flags: Unpack[StartFlags]) -> State:
        """Create the run, or join it: the workers that the gate waits for, and the files that
        quotes are checked against."""
        given = {"goal": goal or None, "expect": expect, "sources": sources, **flags}
        return self.call(["start"], given)["state"]

    # A text that begins with a dash is a text. The flags of a method are those of its command,
    # board COMMAND --help; call takes any. With a key, a call that is repeated writes nothing the
    # second time.

    def post(self, text: str, source: Texts = None, quote: Texts = None, must: bool = False,
             key: Optional[str] = None, **flags: Unpack[PostFlags]) -> Posted:
        """Post a finding. source is FILE:LINE, "DOC @ PLACE" or a URL; quote is verbatim; the n-th
        quote is of the n-th source.

        The entry comes with "checked", "ran" (of ran="go test ./..."), "similar" and "existing"."""
        given = {"source": source, "quote": quote, "must": must, "key": key, **flags}
        return posted(self.call(["post", "-"], given, text))

    def post_all(self, posts: Sequence[Finding], run: Optional[str] = None, worker: Optional[str] = None,
                 no_create: bool = False, force: bool = False) -> List[Posted]:
        """Post all or none: [{"content": "…", "source": "auth.go:42", "quote": "…"}, …]"""
        lines = "\n".join(json.dumps(batched(p)) for p in posts)
        given = {"batch": True, "run": run, "worker": worker, "no_create": no_create, "force": force}
        return [posted(p) for p in self.call(["post"], given, lines)["posted"]]

    def correct(self, entry: str, text: Optional[str] = None, source: Texts = None,
                quote: Texts = None, **flags: Unpack[CorrectFlags]) -> Posted:
        """Amend an entry; what is not given is taken over. Return the new one."""
        words = [] if text is None else ["-"]
        given = {"source": source, "quote": quote, **flags}
        return posted(self.call(["correct", entry, *words], given, text or ""))

    def link(self, entry: str, **flags: Unpack[LinkFlags]) -> Linked:
        """Link an entry to others: supersedes="e3"."""
        answer = self.call(["link", entry], flags)
        return {**answer["entry"], "reopened": answer["reopened"]}

    def accept(self, doubt: str, reason: str, **flags: Unpack[AcceptFlags]) -> Acceptance:
        """Say why a doubt is no fault: its id (["checked"]["doubt"]), or the entry. Another one than
        its author does."""
        return self.call(["accept", doubt], {"reason": reason, **flags})["acceptance"]

    def settle(self, entry: str, other: str, reason: str, **flags: Unpack[AcceptFlags]) -> Settlement:
        """Say why two entries both hold."""
        return self.call(["accept", entry, other], {"reason": reason, **flags})["settlement"]

    def ask(self, question: str, priority: Priority = "medium", key: Optional[str] = None,
            **flags: Unpack[AskFlags]) -> Question:
        """Raise a question; critical and high ones keep the gate closed."""
        return self.call(["ask", "-"], {"priority": priority, "key": key, **flags}, question)["signal"]

    def claim(self, question: Optional[str] = None, **flags: Unpack[ClaimFlags]) -> Optional[Question]:
        """Claim a question, or the most urgent free one. None: it is taken, or none is free."""
        return self._question(6, ["claim", *filter(None, [question])], flags)

    def release(self, question: str, **flags: Unpack[ClaimFlags]) -> Question:
        """Give a claimed question back."""
        return self.call(["claim", question], {"release": True, **flags})["signal"]

    def answer(self, question: str, text: str, source: Texts = None, quote: Texts = None,
               must: Optional[bool] = None, key: Optional[str] = None, **flags: Unpack[AnswerFlags]) -> Posted:
        """Answer a question with a finding, as post takes it. link(entry, addresses=question)
        answers it by one that is there."""
        given = {"source": source, "quote": quote, "key": key, **flags,
                 "must": "false" if must is False else must}  # an urgent one must surface else
        return posted(self.call(["answer", question, "-"], given, text))

    def wait(self, question: str, timeout: Optional[str] = None, **flags: Unpack[WaitFlags]) -> Optional[Question]:
        """Wait until a question is closed, and return it. None: it is open after so long, such as "10m"."""
        return self._question(1, ["wait", question], {"timeout": timeout, **flags})

    def waive(self, question: str, reason: str, **flags: Unpack[WaiveFlags]) -> Question:
        """Leave a question open, for a reason that stays on record."""
        return self.call(["waive", question], {"reason": reason, **flags})["signal"]

    def reopen(self, question: str, reason: Optional[str] = None, **flags: Unpack[ReopenFlags]) -> Question:
        """Open an answered or waived question again."""
        return self.call(["reopen", question], {"reason": reason, **flags})["signal"]

    def questions(self, **flags: Unpack[SignalsFlags]) -> List[Question]:
        return self.call(["signals"], flags)["signals"]

    def expect(self, *workers: str, **flags: Unpack[ExpectFlags]) -> List[Expected]:
        """Name workers that the gate waits for; drop="reader-2", reason="…" ends that."""
        return self.call(["expect", *workers], flags)["expected"]

    def done(self, *workers: str, **flags: Unpack[DoneFlags]) -> List[Done]:
        """Say that this worker has finished, or those that are named. ran=["go test ./..."] says
        what passed; "ran" of each worker is what hooks saw of that."""
        answer = self.call(["done", *workers], flags)
        ran: List[Ran] = answer.get("ran") or []
        return [{**e, "ran": [r for r in ran if r["worker"] == e["worker"]]}
                for e in answer["expected"]]

    def show(self, id: str, **flags: Unpack[ShowFlags]) -> Answer:
        """Return one entry or question whole, with its links and history."""
        return self.call(["show", id], flags)

    def query(self, words: str = "", **flags: Unpack[QueryFlags]) -> List[Entry]:
        """Return entries, the newest first; order="best" puts the best match first."""
        return self.call(["query", "--", *words.split()], flags)["entries"]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a variable of the run."""
        return self.call(["state", "get", key], {"default": json.dumps(default)})["variable"]["value"]

    def set(self, key: str, value: Any, **flags: Unpack[StateSetFlags]) -> Variable:
        """Set a variable of the run; if_match=VERSION only if nobody else has."""
        return self.call(["state", "set", key, "-"], flags, json.dumps(value))["variable"]

    def gate(self, wait: Optional[str] = None, **flags: Unpack[GateFlags]) -> Verdict:
        """Return the verdict. wait="10m" waits until the gate is open, at most so long."""
        given = {"wait": wait is not None, "timeout": wait, **flags}
        return self.call(["gate"], given, answers=(3,))["verdict"]

    def digest(self, budget: int = 0, **flags: Unpack[DigestFlags]) -> Digest:
        """Return the findings as markdown, for the writer of a report."""
        return self.call(["digest"], {"budget": budget, **flags})["digest"]

    def check(self, *reports: str, sources: Sequence[str] = (), **flags: Unpack[CheckFlags]) -> Check:
        """Return the result of all checks. Its "passed" is the verdict.

        An invented figure fails it only if a policy says `trace: {max_unsupported: 0}`: that of
        policy="FILE", or board.yaml in cwd or above. step["trace"]["facts"] has the figures; those
        that fail are neither supported nor derived, and not unsure.
        """
        given = {"sources": sources, **flags}
        return self.call(["check", *reports], given, answers=(3, 4))["check"]

    def verify(self, *entries: str, sources: Sequence[str] = (), **flags: Unpack[VerifyFlags]) -> Verify:
        """Hold findings against their sources: all, or those that are named."""
        return self.call(["verify", *entries], {"sources": sources, **flags}, answers=(4,))["verify"]

    def conflicts(self, **flags: Unpack[ConflictsFlags]) -> Conflicts:
        """Return pairs of findings that may contradict each other."""
        return self.call(["conflicts"], flags, answers=(4,))["conflicts"]

    def add_sources(self, *paths: str, **flags: Unpack[SourceAddFlags]) -> List[SourceAdded]:
        """Register files that quotes are checked against, and all files below directories."""
        return self.call(["source", "add", *paths], flags)["sources"]

    def export(self, file: str, **flags: Unpack[ExportFlags]) -> Exported:
        """Write the run to a .jsonl, .md or .html file."""
        return self.call(["export"], {"output": file, **flags})["export"]

    # The knowledge base: what earlier runs have left, and what later ones shall have.

    def brief(self, task: str, **flags: Unpack[KbBriefFlags]) -> str:
        """Return what is known about a task, as text for a prompt; "" for nothing."""
        return self.call(["kb", "brief"], {"task": task, **flags})["brief"]["block"]

    def search(self, question: str, **flags: Unpack[KbSearchFlags]) -> List[Hit]:
        return self.call(["kb", "search", "-"], flags, question)["hits"]

    def remember(self, text: str, title: str, **flags: Unpack[KbRememberFlags]) -> Capsule:
        """Store what is verified; source="auth.go:42" says where it can be checked."""
        return self.call(["kb", "remember", "-"], {"title": title, **flags}, text)["capsule"]

    def learn(self, text: str, **flags: Unpack[KbLearnFlags]) -> List[Capsule]:
        """Store the LEARNING: lines of a worker's answer; return the new capsules."""
        return self.call(["kb", "learn", "-"], flags, text)["stored"]

    def promote(self, entry: str, **flags: Unpack[KbPromoteFlags]) -> Capsule:
        """Make a capsule from an entry."""
        return self.call(["kb", "promote", entry], flags)["capsule"]


class Memory:
    """The memory of agents, as board.memory: `board help memory`."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def put(self, text: str, **flags: Unpack[MemoryPutFlags]) -> MemoryItem:
        return self.board.call(["memory", "put", "-"], flags, text)["item"]

    def read(self, question: str = "", **flags: Unpack[MemoryReadFlags]) -> List[Slice]:
        """Return the hits of each tier; without a question what counts now."""
        return self.board.call(["memory", "read", *(["-"] if question else [])], flags, question)["tiers"]

    def update(self, id: str, text: Optional[str] = None, **flags: Unpack[MemoryUpdateFlags]) -> MemoryItem:
        """Change an item; what is not given stays."""
        words = [] if text is None else ["-"]
        return self.board.call(["memory", "update", id, *words], flags, text or "")["item"]

    def forget(self, *ids: str, **flags: Unpack[MemoryForgetFlags]) -> List[MemoryItem]:
        """Hide items from reads; why="…" is kept."""
        return self.board.call(["memory", "forget", *ids], flags)["items"]


# An example: two workers, a question, and a report that is held against it all.
if __name__ == "__main__":
    with open("auth.txt", "w", encoding="utf-8") as source:
        source.write("Tokens expire after 30 days.\nNobody rotates the keys.\n")
    reader, writer = Board("from-python", "reader"), Board("from-python", "writer")
    reader.start("How long do tokens live?", sources=["auth.txt"])
    found = reader.post("Tokens expire after 30 days", "auth.txt:1", "expire after 30 days",
                        must=True, key="reader/1")
    reader.ask("Who rotates the keys?", "high", key="reader/2", origin=found["id"])
    print("gate open:", writer.gate()["open"])
    if question := writer.claim():
        writer.answer(question["id"], "Nobody rotates the keys", "auth.txt:2", must=True,
                      key="writer/1")
    print("gate open:", writer.gate(wait="1m")["open"])
    with open("report.md", "w", encoding="utf-8") as report:
        report.write("Tokens expire after 30 days. Nobody rotates the keys.\n")
    print("report passed:", writer.check("report.md")["passed"])
