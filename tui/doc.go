// Package tui is the program's screen. On it a person watches runs live, follows their
// evidence, acts on them, searches the knowledge base and edits the memory.
//
// It adds no operation. Each key calls one method of package board, kb or kb/memory, as
// page.Config.Worker.
//
// # How it is made
//
// One tea.Model (model.go) has a stack of pages, and some overlays above them. A page fills
// the screen between the header and the last two lines: the runs, a run, an entry or a
// signal, the check, what is known (the search K, the memory M), a capsule or an item. An
// overlay lies over a page: a form, a list of choices, the help.
//
// Each kind of page has a package of its own:
//
//	tui/runs   all runs, one run with its past, an entry or a signal; a run against its
//	           policy (C), and against a report (S)
//	tui/items  capsules and the memory, in one list; one of them; what a run was given
//
// They stand on packages that know no page:
//
//	tui/page   what all pages share: commands, keys, lists, texts, forms, notices, links
//	tui/cells  cutting, wrapping and cleaning texts, with a certain width; styles by the
//	           terminal's abilities; fields, headings and markdown as lines
//	tui/dark   keeps other commands quiet; it stands alone, since it must be ready before
//	           the packages of the terminal are
//
// Above them, this package puts the program together:
//
//	tui.go         Run
//	model.go       the stack, and the routing of messages; model_keys.go routes keys,
//	               model_view.go has the header and the last two lines
//	openers.go     how a page opens one of another package
//	jump_to.go     the box of : and ?, and its targets
//
// The packages of pages do not import each other. A page that opens one of another package
// asks for it: page.Openers.
//
// Tests of the whole program are here, with the golden screens in testdata. Those of a
// part are in its package; testdata/tuitest has what both need.
//
// # Rules
//
//   - No IO in Init, Update or View. Commands do it (page.App.Ask); their answer is a
//     function that Update calls, unless the page was closed. Of a repeated query only the
//     last answer counts (page.Latest). Events during a read cause another one (page.Once).
//   - Sizes are pushed down (SetSize), never pulled. A page returns exactly as many lines,
//     of exactly as many cells, as it was told.
//   - Texts of agents can be hostile to a terminal: they pass cells.Clean or cells.OneLine
//     first.
//   - No information is in colours alone: with NO_COLOR every screen still has all of it.
//     A selected row keeps its colours, or is reversed and has none.
//   - A cluster whose width differs between terminals is shown as a simpler one (package
//     cells). The tests check each line with both ways to count its cells.
//   - A list reads only its visible rows and some around them, also in the past. The
//     results of a filter are kept while they are shown.
//
// # How many keys it takes
//
// For the usual tasks, from the list of runs at 80 × 24. … is a typed text, which does not
// count. TestTasks plays each; none may take more than 8 keys:
//
//	0  which run needs me                                   –
//	3  what blocks its gate                                 enter 2 enter
//	6  answer that question, with a quote                   enter 2 a … tab … tab … ctrl+s
//	0  who is silent                                        –
//	1  which report failed, and what its check finds        C
//	3  which worker found a thing                           enter / … enter
//	3  to the capsule that a finding names, and back        enter o esc
//	7  both sides of a contradiction, and settle it         enter : … enter n enter b … enter
//	3  what changed in the last hour                        enter : … enter
//	3  the run as it was at a time                          enter : … enter
//	1  knowledge by kind                                    K …
//	1  is a hit weak                                        K …
//	2  the memory of a channel                              M 2
//	4  export a run                                         enter : … enter enter
//	2  copy an id                                           enter y
//	2  follow a run, and keep one's place                   enter j
//	1  leave                                                q
//	4  who contradicts whom                                 enter : … enter enter
//	4  an entry by a phrase, and what is around it          enter / … enter enter
//	6  waive a question, and undo that                      enter 2 w … enter u enter
//	8  promote, find again, edit, retire, restore           enter P ctrl+s K … ctrl+o d enter O
//	3  what is known, the retired too                       K tab f
//	2  an item of the memory by words, of any tier          K … enter
//	5  forget an item, and undo that                        M d enter u enter
//	5  what is missing in a report                          enter S … enter n enter
//	7  accept a doubt, and leave the report as it is        enter S … enter n n b … enter
//	3  a file that a text names, at its line                enter G o
package tui
