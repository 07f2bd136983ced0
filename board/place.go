package board

import (
	"blackboard/board/postgres"
	"blackboard/board/store"
)

// placeOf is where the runs of a directory are; what UseDatabase returned is one too.
var placeOf = func(dir string) store.Place {
	if p := postgres.At(dir); p != nil {
		return p
	}
	return files(dir)
}

// UseDatabase reads the URL of a PostgreSQL database (postgres://user@host/database), and returns
// what stands for it wherever a directory of boards is named. It has no password in it.
func UseDatabase(url string) (dir string, err error) {
	p, err := postgres.Open(url)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}
