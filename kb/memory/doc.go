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
// An item's relevance is its importance × rate^hours since it was last asked for × (1 + ln(1 + accesses)); see Rates. It orders what is read and is no reason to remove anything, but for
// what consolidation does to short-term items.
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
//	consolidated           how far consolidation has come
//	memory_index_*         the search index (package kb/index) over live items, derived from them, with the embeddings
//
// A change is one transaction with its event. Forgetting keeps the item, out of every read; only a scrub removes.
package memory
