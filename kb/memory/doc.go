// Package memory is what agents remember of their work: items in four tiers, named entries, journals and core memories, conversations with their working notes.
//
// A Store is the memory as one caller reaches it. It has the account's file and that of one workspace, and no method takes the name of another; an agent's private items, journal, core
// memories and working notes are seen by that agent alone, and tiers that were not granted are not there. A read names its tiers: none inherits from another.
//
// # Tiers
//
//	conversation   one exchange; by recency; until it is archived
//	channel        a topic that conversations of a workspace share; fades fastest
//	workspace      a project
//	account        a person, in all projects; fades slowest
//
// An item's relevance is its importance × rate^hours since it was last asked for × (1 + ln(1 + accesses)); see Rates. It orders what is read and is no reason to remove anything.
//
// # Consolidation
//
// A pass over a scope forgets what has expired and what another item says word for word (clash.Said). What is short-term, of less importance than ArchiveUnder and not read for a year is
// archived: out of every read, unless it asks for the archive, and Restore brings it back. What PromoteSessions sessions asked for becomes long-term; being shown is not being asked for. What may not
// both hold is listed, for a person or an agent that rewrites. Each pass and each rewrite keeps what it did, without content, and Undo takes it back whole.
//
// # Files
//
// memory/account.sqlite3 has the account tier, memory/workspaces/NAME-HASH.sqlite3 the other three of one workspace. Each file says whose it is, and is refused in another's place.
//
//	items                  what is remembered, and what was forgotten, by which rule and replaced by what
//	revisions              what items and named entries said before they were changed
//	named                  entries with names, which their author wrote: always loaded first, never ranked
//	notes                  journals and core memories
//	channels, conversations, scratch
//	events                 everything that was done, without content; never changed, never removed
//	asked                  which sessions asked for an item
//	consolidated           how far consolidation has come
//	passes, pass_steps     what consolidation did, for Undo
//	memory_index_*         the search index (package kb/index) over live and archived items, derived from them, with the embeddings
//
// A change is one transaction with its event. Forgetting keeps the item, out of every read; only a scrub removes.
package memory
