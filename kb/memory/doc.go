// Package memory is what agents remember of their work: items in four tiers, named
// entries, journals and core memories, and conversations with their working notes.
//
// A Store is the memory as one caller sees it: the account's file and that of one
// workspace. An agent's private items, journal, core memories and working notes are
// visible to that agent only, and tiers that were not granted do not exist for the
// caller. A read names its tiers; they do not inherit from each other.
//
// # Tiers
//
//	conversation   one exchange; ordered by time; until it is archived
//	channel        a topic that conversations of a workspace share; fades fastest
//	workspace      a project
//	account        a person, in all projects; fades slowest
//
// An item's relevance is its importance × rate^hours since the last access × (1 + ln(1
// + accesses)); see Rates. It orders reads and is no reason to remove an item.
//
// # Consolidation
//
// A pass over a scope forgets items that have expired or that another item repeats word for word
// (clash.Said). It archives short-term items of less importance than ArchiveUnder that nobody has
// read for a year: reads leave them out unless they ask for archived items, and Restore brings them
// back. Items that PromoteSessions sessions asked for become long-term; being shown is not being
// asked for. Contradictions are listed for a person, or for an agent that rewrites them. Restore
// also brings back what a pass or a rewrite has forgotten.
//
// # Files
//
// memory/account.sqlite3 has the account tier, and memory/workspaces/NAME-HASH.sqlite3 the other
// three tiers of one workspace. Each file stores its owner and is refused in another's place.
//
//	items                  remembered and forgotten items, with rule and replacement
//	revisions              earlier versions of items and named entries
//	named                  entries with names, by the author: always loaded first
//	notes                  journals and core memories
//	channels, conversations, scratch
//	events                 every change, without content; append-only
//	asked                  which sessions asked for an item
//	consolidated           how far consolidation has come
//	memory_index_*         search index with embeddings (package kb/index), derived
//
// A change is one transaction with its event. Forgetting keeps the item but hides it
// from reads; only a scrub deletes.
//
// testdata/score/README.md has what was measured: how fast it is, and what passes lose.
package memory
