package board

import (
	"context"
	"strings"

	"blackboard/board/postgres"
	"blackboard/board/store"
)

// placeOf returns where the runs of a directory are; what UseDatabase returned counts as
// a directory.
var placeOf = func(dir string) store.Place {
	if p := postgres.At(dir); p != nil {
		return p
	}
	return files(dir)
}

// UseDatabase reads the URL of a PostgreSQL database (postgres://user@host/database). It
// returns a name that can be used wherever a directory of boards is expected. The name
// has no password in it.
func UseDatabase(url string) (dir string, err error) {
	p, err := postgres.Open(url)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}

// OnContact returns a context. While a request with it goes to the database of dir, told
// gets an error as soon as the server seems to be away, and nil when it has answered. It
// is called often, by several goroutines; never for files.
func OnContact(ctx context.Context, dir string, told func(away error)) context.Context {
	return store.OnContact(ctx, func(place string, away error) {
		if place == dir {
			told(away)
		}
	})
}

// DatabaseName is the name of the database that dir stands for, without its user; "" for
// files.
func DatabaseName(dir string) string {
	if p := postgres.At(dir); p != nil {
		return strings.TrimPrefix(p.Name(""), "the ")
	}
	return ""
}
