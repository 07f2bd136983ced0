//go:build !linux

package sqlite

// changes is nothing: kqueue would open the file, whose closing drops the locks of SQLite, and
// Windows tells of writes when the file is closed.
func changes(string) (<-chan struct{}, func()) { return nil, func() {} }

func changesIn(string) (<-chan struct{}, func()) { return nil, func() {} }
