//go:build !linux

package sqlite

// Changes returns nothing here. kqueue would open the file, and closing it would drop the
// locks of SQLite; Windows notifies only when the file is closed.
func Changes(string) (<-chan struct{}, func()) { return nil, func() {} }

func ChangesIn(string) (<-chan struct{}, func()) { return nil, func() {} }
