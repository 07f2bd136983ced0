package board

import (
	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/verify"
)

var (
	invalid, notFound, conflict = fault.Invalid.New, fault.NotFound.New, fault.Conflict.New
	clip                        = fault.Clip
)

// Names of package record, for callers that only import this package.
type (
	AcceptPolicy = record.AcceptPolicy
	CheckedStep  = record.CheckedStep
	Cited        = record.Cited
	Correction   = record.Correction
	CountsByName = record.CountsByName
	Did          = record.Did
	DroppedDuty  = record.DroppedDuty
	Entry        = record.Entry
	Event        = record.Event
	Expected     = record.Expected
	Given        = record.Given
	Held         = record.Held
	Links        = record.Links
	NewPolicy    = record.NewPolicy
	Policy       = record.Policy
	PolicyRef    = record.PolicyRef
	Post         = record.Post
	Raise        = record.Raise
	RanClaim     = record.RanClaim
	Receipt      = record.Receipt
	ReportCheck  = record.ReportCheck
	Retrieval    = record.Retrieval
	Settlement   = record.Settlement
	Signal       = record.Signal
	Snapshot     = record.Snapshot
	Source       = record.Source
	State        = record.State
	Variable     = record.Variable
	Verification = record.Verification
	Worker       = record.Worker
)

const (
	Active         = record.Active
	Addressed      = record.Addressed
	Addresses      = record.Addresses
	Analysis       = record.Analysis
	ByBrief        = record.ByBrief
	ByPrompt       = record.ByPrompt
	BySearch       = record.BySearch
	ByStart        = record.ByStart
	Calculation    = record.Calculation
	Contradiction  = record.Contradiction
	Contradicts    = record.Contradicts
	Disputed       = record.Disputed
	Gap            = record.Gap
	MaxBatch       = record.MaxBatch
	MaxContent     = record.MaxContent
	MaxField       = record.MaxField
	MaxLinks       = record.MaxLinks
	MaxName        = record.MaxName
	Observation    = record.Observation
	SignalOpen     = record.SignalOpen
	Strategy       = record.Strategy
	Superseded     = record.Superseded
	Supersedes     = record.Supersedes
	Supports       = record.Supports
	Waived         = record.Waived
	WorkerDone     = record.WorkerDone
	WorkerDropped  = record.WorkerDropped
	WorkerExpected = record.WorkerExpected
)

var (
	CheckRun       = record.CheckRun
	EntryID        = record.EntryID
	EntryStatuses  = record.EntryStatuses
	EntryTypes     = record.EntryTypes
	Line           = record.Line
	LinkKinds      = record.LinkKinds
	ParseEntryID   = record.ParseEntryID
	ParseSignalID  = record.ParseSignalID
	PolicyHash     = record.PolicyHash
	Priorities     = record.Priorities
	PriorityRank   = record.PriorityRank
	SignalID       = record.SignalID
	SignalStatuses = record.SignalStatuses
	SplitSource    = verify.SplitSource
)
