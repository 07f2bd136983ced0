package memory

import (
	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// searchReads is about how many vectors a search reads from the file, if there are as many that it may find.
const searchReads = 1000

// nearIndex searches a file's index for many items one after the other.
type nearIndex struct {
	f    *file
	warm *index.Index
}

// search returns the nearest. left is how many more searches there will be at least, and among how many items.
func (x *nearIndex) search(tx *sqlite.Tx, q index.Query, left, among int) ([]index.Candidate, error) {
	ix := x.f.index
	if x.warm != nil {
		ix = x.warm
	}
	res, err := ix.Search(tx, q)
	if err != nil {
		return nil, err
	}
	if x.warm == nil && !x.f.s.opt.Warm && int64(left)*int64(min(among, searchReads)) > res.Vectors {
		// All searches together would read more vectors than there are, so those are read once: into an index of its own, that the memory may be free again when this is over.
		x.warm = index.New(indexConfig)
		if err := x.warm.Warm(tx); err != nil {
			return nil, err
		}
	}
	return res.Candidates, nil
}

// filter says to the index what where says to SQL, for items that have exactly these readers.
func (s Scope) filter(agent string) index.Filter {
	f := index.Filter{All: [][]string{{kwTier + s.Tier}, {keyword(kwAgent, agent)}}}
	switch s.Tier {
	case Channel:
		f.All = append(f.All, []string{kwChannel + s.Channel})
	case Conversation:
		f.All = append(f.All, []string{kwConversation + s.Conversation})
	}
	return f
}
