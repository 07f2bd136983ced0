// Package tui is the program's screen: watch a run live, walk its evidence, act on it,
// search the knowledge base, look after the memory.
//
// It adds no operation. Whatever a key does is one method of package board, kb or
// kb/memory, done in the name of Config.Worker.
//
// # How it is made
//
// One tea.Model (model.go) holds a stack of pages and at most a few overlays above them.
// A page fills the screen between the header and the last two lines: the runs, a run, an
// entry or a signal, what was given, survival, the check, a capsule, the memory. An
// overlay lies over a page: the search (K), a form, a list to choose from, the help.
//
//	tui.go      Config and Run
//	model.go    the stack, and who gets which message; model_keys.go where keys and the mouse go, model_view.go the header and the last two lines
//	app.go      what all pages share: how they ask, say, open and close something, and give the screen to an editor
//	actions.go  what a page answers to; the keys themselves are in tui/keys
//	contact.go  whether the server of the boards answers: what says that it does not, and what is read anew when it is back
//	words.go    next steps of errors by their keys; notice.go what is told to somebody who looks elsewhere; fresh.go marks what changed
//	styles.go   every look; themes.go the colours they have, and what a terminal can show of them
//	text.go     cells: cutting, wrapping, cleaning what agents wrote; graphemes.go makes them as many for every terminal
//	list.go     a list of which only what is seen is made; filter.go narrows one
//	doclines.go a text to scroll through, with places in it to go to, and the writer of its lines
//	form.go     questions: a reason, a new entry, are you sure
//	jump.go     the box of : and ?, jump_to.go the places and the keys in it
//	runs.go     the page of all runs; runs_act.go makes, sorts and deletes them
//	run.go      the page of a run, run_layout.go its layout; feed*.go lists its entries, questions.go what is asked of it and keeps
//	            the gate closed, run_panes.go its workers, preview.go shows what is chosen beside the lists, live.go follows
//	            it, timeline.go is the log below them (curve.go draws its curve), replay.go goes back in time, changes.go
//	            says what has changed between two moments, act.go is what can be done on it, detail.go shows one entry or
//	            signal, and links.go where its links lead
//	textlinks.go  where the texts of entries, signals, capsules, items of the memory and findings lead
//	given.go    what was given of the knowledge base, and the way from a capsule to the entry that it comes from
//	survival*.go  a report held against a run; check*.go a run held against its policy
//	search*.go  the knowledge base and the memory: questions; capsule*.go one capsule, whose text markdown*.go lays out
//	memory*.go  the memory: memory.go the page with its tabs, memory_read.go its rows, memory_detail.go and memory_facts.go
//	            one thing of it, memory_hands.go, memory_write.go, memory_back.go and memory_scrub.go what can be done with it
//	revisions.go  what a capsule, an item or a named entry said before, and how it is made that again
//
// # Rules
//
//   - No IO in Init, Update or View: it is done in commands (app.ask), which come back as an answer: a function that Update
//     calls, unless the page that asked was left. Of a question that is asked again and again only the last answer counts
//     (latest); what is read once at a time is read again if something happened meanwhile (once).
//   - Sizes are pushed down (setSize), never pulled. Every line a page gives is exactly as wide as it was told, and there are as many as it was told.
//   - What agents wrote is hostile to a terminal: it passes clean or oneLine before it is shown.
//   - Nothing is said by colour alone: with NO_COLOR every screen still says all of it. What is chosen keeps its colours.
//   - A cluster of characters that terminals differ about is shown as a simpler one (certain): the tests hold each line against both ways to count its cells.
//   - A list asks for what it shows and a little more: of the entries only what is seen is held, of the past as well. What a filter has found is held as long as it is
//     shown.
//
// # How many keys it takes
//
// Of what people come for, from the list of runs at 80 × 24; … is the text that is typed,
// which does not count. TestTasks plays each; none may take more than 8:
//
//	3  what blocks, and why                                 enter 2 enter
//	4  who contradicts whom                                 enter : … enter enter
//	2  the moment of most open questions                    enter ^
//	4  an entry by a phrase, and what is around it          enter / … enter enter
//	6  waive a question, and take it back                   enter 2 w … enter u enter
//	8  promote, find again, edit, retire, restore           enter P ctrl+s K … ctrl+o d enter O
//	5  an earlier revision of a capsule, made what it says  K … enter O enter O
//	3  what is known, the retired too                       K tab f
//	2  an item of the memory by words, of any tier          K … enter
//	5  forget an item, and take it back                     M d enter u enter
//	4  end a conversation                                   M 8 d enter
//	6  archive a conversation, and reopen it                M 8 j d enter O
//	4  what is missing in a report                          enter S … enter enter
//	3  a file that a text names, at its line                enter G o
//	5  make a run, and delete it for good                   + … ctrl+s esc D … enter
//
// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26), in a terminal of 160
// × 50, with a run of 538 entries and 230 signals or one of 100,000 entries alike: 31 ms
// from the start of the process to the run on the screen, 0.7 to 0.8 ms of work for a key
// (6 ms until the terminal has it: it draws 60 times a second), and an entry that another
// process posts is on the screen 38 ms after its commit. It holds 5 MB of what it shows
// after a walk through all 100,000, in a process of 45 to 60 MB. Going to any moment of
// 100,000 events takes 0.07 s, of which 0.06 are the pause that a hand has to rest; the
// process holds 80 MB at most.
//
// Idle, in tmux, it takes 1.1 times what an empty Bubble Tea program takes beside it: 6
// ms of work a second.
//
//	go test -run '^$' -bench . ./tui
package tui
