package sqlite

// Changes tells of writes to a database by whichever process: to its file, and to its WAL. What is
// received may stand for many writes, and for none. The channel is nil where the system cannot
// tell of every write, and where $BOARD_WATCH is "poll"; then the file has to be looked at. stop gives the channel back.
func Changes(path string) (changed <-chan struct{}, stop func()) { return changes(path) }

// ChangesIn is Changes for all databases in a directory, those that are not there yet included.
func ChangesIn(dir string) (changed <-chan struct{}, stop func()) { return changesIn(dir) }
