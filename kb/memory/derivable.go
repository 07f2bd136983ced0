package memory

import "blackboard/board/text"

var (
	// sizes is what a file, or a look at the directory, says at any time: its size.
	sizes = text.NewRegexp(`(?i)\b(?:has|have|contains?|counts|consists of|hat|haben|enthält)` +
		` (?:about |around |some |exactly |etwa )?[0-9][0-9.,]* ` +
		`(?:lines|files|functions|methods|classes|tests|packages|bytes|kb|commits|zeilen|dateien|funktionen)\b`)
	// ofFile is a name of source code.
	ofFile = text.NewRegexp(`(?i)(?:^|[\s"'(\x60])((?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}|/(?:home|users|srv|work|repos?)/[\w./-]+|` +
		`[\w-]+\.(?:go|py|ts|tsx|rs|java|c|cpp|rb|cs|kt|swift|php|sh|sql))(?:[\s"'):,.\x60]|$)`)
	ofWorkspace = text.NewRegexp(`(?i)\b(?:workspace file|this (?:repository|repo|codebase|project)|` +
		`in diesem (?:projekt|repository))\b`)
)

// misplaced says, with what to do, that a new item is not what the memory, or its tier, is
// for. These are notes: the words alone do not prove it.
func (it *Item) misplaced() (notes []string) {
	said := it.Title + ". " + it.Content
	if sizes.MatchString(said) && (ofFile.MatchString(said) || ofWorkspace.MatchString(said)) {
		notes = append(notes, "the files show this at any time, and it changes with them: note what "+
			"they do not show, such as the reason")
	}
	if it.Tier != Account {
		return notes
	}
	if file := ofFile.FindStringSubmatch(said); file != nil || ofWorkspace.MatchString(said) {
		notes = append(notes, "this seems to be about one project, and the account is read in all: "+
			"the tier workspace is for it")
	}
	return notes
}
