//go:build !linux

package sqlite

// changes returns nothing here. kqueue would open the file, and closing it would drop the
// locks of SQLite; Windows notifies only when the file is closed.
func changes(string) (<-chan struct{}, func()) { return nil, func() {} }

func changesIn(string) (<-chan struct{}, func()) { return nil, func() {} }
