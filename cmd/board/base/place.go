package base

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/hooks/topics"
	"blackboard/kb/home"
)

// DataHome is the program's files' directory: $BOARD_HOME, else $XDG_DATA_HOME/blackboard, else
// ~/.local/share/blackboard; with an error if a file is there.
func (p *Program) DataHome() (string, error) {
	home, err := p.dataHome()
	for dir := home; err == nil; dir = filepath.Dir(dir) {
		info, missing := os.Stat(dir)
		if missing != nil && dir != filepath.Dir(dir) {
			continue // created when needed; a file above it makes that impossible
		}
		if missing == nil && !info.IsDir() {
			err = Usagef("move the file away, or name a directory with $BOARD_HOME",
				"the data home %s cannot be used: %s is a file, not a directory", home, dir)
		}
		break
	}
	return home, err
}

func (p *Program) dataHome() (string, error) {
	if dir := p.Env("BOARD_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	// the XDG specification: relative paths are to be ignored
	if dir := p.Env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "blackboard"), nil
	}
	home, err := topics.Home(p.Env)
	if err != nil {
		return "", Usagef("set $BOARD_HOME", "cannot find the data home: %v", err)
	}
	return filepath.Join(home, ".local", "share", "blackboard"), nil
}

func (p *Program) UserHome() string {
	home, _ := topics.Home(p.Env)
	return home
}

// BoardsDir is the directory of the runs' files, or a name for their database.
func (p *Program) BoardsDir() (string, error) { return p.BoardsDirFrom(".") }

// BoardsDirFrom is BoardsDir for another working directory.
func (p *Program) BoardsDirFrom(dir string) (string, error) {
	url, err := p.DatabaseURL(dir)
	if err != nil {
		return "", err
	}
	if url != "" {
		return board.UseDatabase(url)
	}
	home, err := p.DataHome()
	return filepath.Join(home, "boards"), err
}

// KBHome is the knowledge base's home: the data home, or a name for its database.
func (p *Program) KBHome() (string, error) { return p.KBHomeFrom(".") }

// KBHomeFrom is KBHome for another working directory.
func (p *Program) KBHomeFrom(dir string) (string, error) {
	url, err := p.DatabaseURL(dir)
	if err != nil {
		return "", err
	}
	if url != "" {
		return board.UseDatabase(url)
	}
	return p.DataHome()
}

// NamedWorkspace is $BOARD_WORKSPACE. The home directory and the root of the file system are
// nobody's project: they do not count, and the user is told.
func (p *Program) NamedWorkspace() string {
	dir := p.Env("BOARD_WORKSPACE")
	if ws, err := p.FindWorkspace(dir); dir == "" || err != nil || ws != "" {
		return dir
	}
	p.Messagef("note: $BOARD_WORKSPACE is %s, which is no project, and does not count: name the directory of one, or unset it",
		board.Line(dir, 200))
	return ""
}

// Workspace is a command's project: --workspace, else $BOARD_WORKSPACE, else by directory, or "".
func (p *Program) Workspace(c *cli.Context) (string, error) {
	dir := c.String("workspace")
	if !c.IsSet("workspace") {
		if dir = p.NamedWorkspace(); dir == "" {
			var err error
			if dir, err = os.Getwd(); err != nil {
				return "", fmt.Errorf("find the workspace: %w", err)
			}
		}
	}
	if dir == "" {
		return "", nil
	}
	return p.FindWorkspace(dir)
}

// FindWorkspace is the project that a directory belongs to, "" for none.
func (p *Program) FindWorkspace(dir string) (string, error) {
	data, _ := p.DataHome() // whoever needs one says that there is none
	return home.Find(dir, p.UserHome(), data)
}

// SharedPath names a file by its repository, shared by worktrees, and its path there, or "".
func (p *Program) SharedPath(file string) string {
	data, _ := p.DataHome()
	return home.SharedPath(file, data)
}

// EnvList is a comma-separated list in the environment; set is false if empty or missing.
func (p *Program) EnvList(name string) (all []string, set bool) {
	all = []string{}
	value := p.Env(name)
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	}
	return all, value != ""
}
