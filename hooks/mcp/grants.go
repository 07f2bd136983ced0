package mcp

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

// Grants beside run:NAME, run:NAME:read and conversation:REF. Who may write may read.
const (
	RunRead  = "run:read"
	RunWrite = "run:write"
	KBRead   = ops.KBRead
	KBWrite  = ops.KBWrite
	// the memory's conversation, channel and workspace tiers, and the caller's own notes
	WorkspaceRead  = ops.WorkspaceRead
	WorkspaceWrite = ops.WorkspaceWrite
	AccountRead    = "account:read" // the memory's account tier
	AccountWrite   = "account:write"
	ContextRead    = "context:read"
	ContextWrite   = "context:write"
	NamedWrite     = "named:write" // write named entries
	Scrub          = "scrub"       // remove memories for good; scrub:MODE in one mode
	ScrubAll       = "scrub:all"   // remove a workspace as a whole, which scrub does not let
	// Conversations takes part in all, conversation:REF in one; without, in the client's own.
	Conversations = memory.GrantConversations
	Files         = "files" // name files of this machine: reports to check, documents to ingest
)

var AllGrants = []string{RunRead, RunWrite, KBRead, KBWrite, WorkspaceRead, WorkspaceWrite,
	AccountRead, AccountWrite, ContextRead, ContextWrite, NamedWrite, Scrub, ScrubAll,
	Conversations, Files}

// Defaults: who starts a server as a process of its own gets all that a command of that
// user could do, but for what belongs to the person: the account's memory, named entries,
// scrubs. Who comes over the network reads.
var (
	ProcessGrants = []string{RunWrite, KBWrite, WorkspaceWrite, ContextWrite, Files}
	NetworkGrants = []string{RunRead, KBRead, WorkspaceRead}
)

// Grants are what a caller may do. The zero value is nothing.
type Grants struct {
	has  map[string]bool
	runs map[string]bool // of single runs: whether they may be written to
}

// ParseGrants reads a list of grants; "all" is all. Its error names the one that there is not.
func ParseGrants(list []string) (Grants, error) {
	g := Grants{has: map[string]bool{}, runs: map[string]bool{}}
	for _, grant := range list {
		parts := strings.Split(grant, ":")
		switch {
		case grant == "all":
			for _, all := range AllGrants {
				g.has[all] = true
			}
		case slices.Contains(AllGrants, grant), (parts[0] == "conversation" ||
			parts[0] == Scrub) && memory.CheckGrant(grant) == nil:
			g.has[grant] = true
		case parts[0] == "run" && (len(parts) == 2 || len(parts) == 3 &&
			slices.Contains([]string{"read", "write"}, parts[2])) &&
			board.CheckRun(parts[1]) == nil:
			g.runs[parts[1]] = g.runs[parts[1]] || len(parts) == 2 || parts[2] == "write"
		default:
			return Grants{}, fmt.Errorf("unknown grant %q: choose among %s, run:NAME, "+
				"run:NAME:read, conversation:REF, scrub:MODE, all", grant,
				strings.Join(AllGrants, ", "))
		}
	}
	for _, grant := range AllGrants {
		if read, ok := strings.CutSuffix(grant, ":write"); ok && g.has[grant] {
			g.has[read+":read"] = true
		}
	}
	return g, nil
}

func denied(what, grant string) error {
	return fault.Denied.New(what+" is not granted to this client",
		"the operator of the server can grant "+grant)
}

// need returns an error if a grant is missing; what names the thing that takes it. "" is no grant.
func (g Grants) need(grant, what string) error {
	if grant == "" || g.has[grant] {
		return nil
	}
	return denied(what, grant)
}

// resolves reports whether the caller may know how a memory's origins stand.
func (g Grants) resolves(from string) bool {
	kind, name, _ := strings.Cut(from, ":")
	switch kind {
	case "kb":
		return g.has[KBRead]
	case "board":
		run, _, _ := strings.Cut(name, "/")
		return g.run(run, false) == nil
	case "memory": // it is looked for as the caller
		return true
	}
	return g.has[Files]
}

func (g Grants) scrub(grant string) error {
	if g.has[grant] || grant != ScrubAll && g.has[Scrub] {
		return nil
	}
	return denied("a scrub in the mode "+strings.TrimPrefix(grant, Scrub+":"), grant)
}

func (g Grants) run(name string, write bool) error {
	writes, named := g.runs[name]
	switch {
	case g.has[RunWrite] || named && writes:
		return nil
	case write:
		return denied(fmt.Sprintf("writing to the run %s", name), "run:"+name)
	case g.has[RunRead] || named:
		return nil
	}
	return denied(fmt.Sprintf("reading the run %s", name), "run:"+name+":read")
}

func (g Grants) tiers() []string {
	tiers := []string{}
	if g.has[WorkspaceRead] {
		tiers = append(tiers, memory.Conversation, memory.Channel, memory.Workspace)
	}
	if g.has[AccountRead] {
		tiers = append(tiers, memory.Account)
	}
	return tiers
}

func (g Grants) writable() (tiers []string) {
	tiers = []string{}
	for _, t := range memory.Tiers {
		if g.writeTier(t) == nil {
			tiers = append(tiers, t)
		}
	}
	return tiers
}

func (g Grants) readTier(tier string) error {
	if tier == memory.Account {
		return g.need(AccountRead, "reading the account's memory")
	}
	return g.need(WorkspaceRead, "reading the workspace's memory")
}

func (g Grants) MayRead(run string) error {
	if run == "" {
		return g.need(RunRead, "reading all runs")
	}
	return g.run(run, false)
}

func (g Grants) MaySearch() error { return g.need(KBRead, "reading the knowledge base") }

func (g Grants) writeTier(tier string) error {
	if tier == memory.Account {
		return g.need(AccountWrite, "writing to the account's memory")
	}
	return g.need(WorkspaceWrite, "writing to the workspace's memory")
}

func (g Grants) ofMemory() (list []string) {
	if g.has[NamedWrite] {
		list = append(list, memory.GrantNamed)
	}
	for grant := range g.has {
		if memory.CheckGrant(grant) == nil { // they have the same name there
			list = append(list, grant)
		}
	}
	return list
}
