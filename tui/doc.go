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
// Tests of the whole program are here, with the golden screens in testdata; TestTasks counts
// the keys that usual tasks take. Those of a part are in its package; testdata/tuitest has
// what both need.
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
package tui
