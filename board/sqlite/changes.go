package sqlite

// Changes notifies of writes to a database, to its file or its WAL, by any process. One
// value may stand for many writes or for none. The channel is nil if the system cannot
// notify of every write, or $BOARD_WATCH is "poll"; the caller must poll the file then.
// stop releases the channel.
func Changes(path string) (changed <-chan struct{}, stop func()) { return changes(path) }

// ChangesIn is Changes for all databases in a directory, including new ones.
func ChangesIn(dir string) (changed <-chan struct{}, stop func()) { return changesIn(dir) }
