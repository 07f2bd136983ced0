package base

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
)

// NoDatabase for a URL says that boards are files, and ends the search for one.
const NoDatabase = "off"

// DatabaseURL is the boards' database for a directory: --database, $BOARD_DATABASE_URL, or
// board.yaml's (not if dir is ""); "" if they are files.
func (p *Program) DatabaseURL(dir string) (string, error) {
	for _, url := range []string{p.Database, p.Env("BOARD_DATABASE_URL")} {
		if url == NoDatabase {
			return "", nil
		}
		if url != "" {
			return url, nil
		}
	}
	if dir == "" {
		return "", nil
	}
	path, says, err := check.PolicyDatabase(dir)
	if err != nil || says == "" {
		return "", err
	}
	return p.databaseOf(path, says)
}

// databaseOf is the URL that a board.yaml means. The file comes with a repository,
// which may be somebody else's: a URL in it could send all findings to a foreign
// server. So it counts only if the user's environment defines it, or the user has
// allowed it for this file.
func (p *Program) databaseOf(path, says string) (string, error) {
	if name, is := strings.CutPrefix(says, "env:"); is {
		if u := p.Env(name); u != "" {
			return u, nil
		}
		return "", Usagef("set it to postgres://user@host/database; `board help database` says what "+
			"else names one", "%s names the database in $%s, which is not set", path, fault.Clip(name, 60))
	}
	if name, is := strings.CutPrefix(says, "service="); is {
		at := "postgres:///?service=" + url.QueryEscape(name)
		if _, err := board.UseDatabase(at); err != nil {
			return "", fault.With(fmt.Errorf("%s: %w", path, err), fault.Try(err, CommandFor))
		}
		return at, nil
	}
	if err := CheckDatabase(path, says); err != nil {
		return "", err
	}
	note, err := p.AllowanceFile(path, says)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(note); errors.Is(err, fs.ErrNotExist) {
		return "", fault.Denied.New(fmt.Sprintf("%s names the database %s, which is not allowed; "+
			"nothing was read or written", path, fault.Clip(says, 200)),
			"`board database allow` allows it, if you know that server; $BOARD_DATABASE_URL overrides "+
				"it (off: boards are files)")
	} else if err != nil {
		return "", err
	}
	return says, nil
}

func CheckDatabase(path, says string) error {
	u, err := url.Parse(says)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return Usagef("write it as env:NAME, service=NAME, or postgres://user@host/database",
			"%s: the database is invalid", path)
	}
	_, has := u.User.Password()
	for name := range u.Query() {
		has = has || strings.Contains(name, "password")
	}
	if has {
		return Usagef("take it out; $PGPASSWORD or ~/.pgpass has it, or env:NAME names a variable of "+
			"yours with the URL", "%s: the URL of the database has a password, which every reader of "+
			"the file can see", path)
	}
	return nil
}

// AllowanceFile is the file which says that a URL is allowed in a board.yaml. There is
// one for each pair, so that concurrent allowances do not conflict.
func (p *Program) AllowanceFile(path, says string) (string, error) {
	home, err := p.DataHome()
	return filepath.Join(home, "allowed", fmt.Sprintf("%x", sha256.Sum256([]byte(path+"\n"+says)))),
		err
}
