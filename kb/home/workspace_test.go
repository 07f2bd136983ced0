package home

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/tree"
)

// plantRoot is a directory that no repository is above of.
func plantRoot(t *testing.T) string {
	t.Helper()
	root := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	if ws, err := Find(root, "/", ""); err != nil || ws != root {
		t.Skipf("the temporary directory lies in the workspace %s (%v)", ws, err)
	}
	return root
}

var (
	head = "ref: refs/heads/main\n"
	// a repository with a worktree beside it and one inside it
	worktrees = [][2]string{
		{"main/.git/HEAD", head}, {"main/src/deep/", ""},
		{"main/.git/worktrees/wt/HEAD", head}, {"main/.git/worktrees/wt/commondir", "../..\n"}, {"main/.git/worktrees/wt/gitdir", "{}/wt/.git\n"},
		{"wt/.git", "gitdir: {}/main/.git/worktrees/wt\n"}, {"wt/src/deep/", ""},
		{"main/.git/worktrees/in/HEAD", head}, {"main/.git/worktrees/in/commondir", "../..\n"}, {"main/.git/worktrees/in/gitdir", "{}/main/.worktrees/in/.git\n"},
		{"main/.worktrees/in/.git", "gitdir: {}/main/.git/worktrees/in\n"},
	}
	dotfiles = [][2]string{
		{"home/.git/HEAD", head}, {"home/notes/today/", ""}, {"home/project/.git/HEAD", head}, {"home/project/src/", ""},
		{"home/.git/worktrees/wt/HEAD", head}, {"home/.git/worktrees/wt/commondir", "../..\n"}, {"home/.git/worktrees/wt/gitdir", "{}/home/wt/.git\n"},
		{"home/wt/.git", "gitdir: {}/home/.git/worktrees/wt\n"}, {"home/wt/sub/", ""},
	}
	bare = [][2]string{
		{"srv/repo.git/HEAD", head}, {"srv/repo.git/worktrees/wt/HEAD", head}, {"srv/repo.git/worktrees/wt/commondir", "../..\n"}, {"srv/repo.git/worktrees/wt/gitdir", "{}/wt/.git\n"},
		{"wt/.git", "gitdir: {}/srv/repo.git/worktrees/wt\n"}, {"wt/src/", ""},
	}
	// a bare repository hidden in the directory of its worktrees, with a .git that names it
	hidden = [][2]string{
		{"proj/.git", "gitdir: ./.bare\n"}, {"proj/.bare/HEAD", head},
		{"proj/.bare/worktrees/main/HEAD", head}, {"proj/.bare/worktrees/main/commondir", "../..\n"}, {"proj/.bare/worktrees/main/gitdir", "{}/proj/main/.git\n"}, {"proj/main/.git", "gitdir: ../.bare/worktrees/main\n"},
		{"proj/.bare/worktrees/fix/HEAD", head}, {"proj/.bare/worktrees/fix/commondir", "{}/proj/.bare\n"}, {"proj/.bare/worktrees/fix/gitdir", "../../../fix/.git\n"}, {"proj/fix/.git", "gitdir: {}/proj/.bare/worktrees/fix\n"}, {"proj/fix/src/", ""},
	}
	// a git directory elsewhere, as git init --separate-git-dir makes it, with a
	// worktree; and one whose config says where it is checked out
	apart = [][2]string{
		{"store/x.git/HEAD", head}, {"store/x.git/config", "[core]\n\tbare = false\n"}, {"x/.git", "gitdir: {}/store/x.git\n"}, {"x/y/", ""},
		{"store/x.git/worktrees/wt/commondir", "../..\n"}, {"store/x.git/worktrees/wt/gitdir", "{}/wt/.git\n"}, {"wt/.git", "gitdir: {}/store/x.git/worktrees/wt\n"}, {"wt/y/", ""},
	}
	apartNamed = append([][2]string{{"store/x.git/config.worktree", "[core]\n\tworktree = \"../../x\"\n"}}, apart...)
	// a submodule as git makes it, with a worktree
	subWorktree = append([][2]string{
		{"super/.git/modules/sub/config", "[core]\n\tbare = false\n\tworktree = ../../../lib/sub\n"},
		{"super/.git/modules/sub/worktrees/wt/commondir", "../..\n"}, {"super/.git/modules/sub/worktrees/wt/gitdir", "{}/wt/.git\n"}, {"wt/.git", "gitdir: {}/super/.git/modules/sub/worktrees/wt\n"},
	}, submodule...)
	submodule = [][2]string{
		{"super/.git/HEAD", head}, {"super/.git/modules/sub/HEAD", head}, {"super/lib/sub/.git", "gitdir: ../../.git/modules/sub\n"}, {"super/lib/sub/src/", ""},
	}
)

// TestFind: one repository is one workspace from everywhere in it and all its worktrees, and
// nothing else is.
func TestFind(t *testing.T) {
	cost.SkipTable(t)
	for _, test := range []struct {
		name      string
		tree      [][2]string
		dir, want string // below the root; a want of "" is no workspace, of "!" an error
		home      string // default: somewhere else
	}{
		{"a plain directory is itself", [][2]string{{"plain/x/", ""}}, "plain/x", "plain/x", ""},
		{"a repository", worktrees, "main", "main", ""},
		{"below it", worktrees, "main/src", "main", ""},
		{"deep below it", worktrees, "main/src/deep", "main", ""},
		{"a worktree beside it", worktrees, "wt", "main", ""},
		{"below the worktree", worktrees, "wt/src/deep", "main", ""},
		{"a worktree inside it", worktrees, "main/.worktrees/in", "main", ""},
		{"between the two", worktrees, "main/.worktrees", "main", ""},
		{"inside .git", worktrees, "main/.git/worktrees/wt", "main", ""},
		{"beside them", worktrees, ".", ".", ""},
		{"a worktree named by a relative path", [][2]string{{"main/.git/HEAD", head}, {"main/.git/worktrees/wt/commondir", "../..\n"}, {"main/.git/worktrees/wt/gitdir", "../../../../a/wt/.git\n"}, {"a/wt/.git", "gitdir: ../../main/.git/worktrees/wt\n"}}, "a/wt", "main", ""},
		{"an absolute commondir", [][2]string{{"main/.git/HEAD", head}, {"main/.git/worktrees/wt/commondir", "{}/main/.git"}, {"main/.git/worktrees/wt/gitdir", "{}/wt/.git"}, {"wt/.git", "gitdir: {}/main/.git/worktrees/wt"}}, "wt", "main", ""},
		{"line ends of Windows", [][2]string{{"main/.git/HEAD", head}, {"main/.git/worktrees/wt/commondir", "../..\r\n"}, {"main/.git/worktrees/wt/gitdir", "{}/wt/.git\r\n"}, {"wt/.git", "gitdir: {}/main/.git/worktrees/wt\r\n"}}, "wt", "main", ""},
		{"spaces and other letters", [][2]string{{"mein Büro/項目/.git/HEAD", head}, {"mein Büro/項目/x y/", ""}}, "mein Büro/項目/x y", "mein Büro/項目", ""},

		{"a worktree of a bare repository", bare, "wt", "srv/repo.git", ""},
		{"below it", bare, "wt/src", "srv/repo.git", ""},
		{"the bare repository itself", bare, "srv/repo.git", "srv/repo.git", ""},
		{"a hidden bare repository", hidden, "proj", "proj", ""},
		{"its worktree", hidden, "proj/main", "proj", ""},
		{"its other worktree", hidden, "proj/fix/src", "proj", ""},

		{"a submodule is a project of its own", submodule, "super/lib/sub", "super/lib/sub", ""},
		{"below it", submodule, "super/lib/sub/src", "super/lib/sub", ""},
		{"beside it", submodule, "super/lib", "super", ""},
		{"a repository in a repository", [][2]string{{"outer/.git/HEAD", head}, {"outer/vendor/inner/.git/HEAD", head}, {"outer/vendor/inner/x/", ""}}, "outer/vendor/inner/x", "outer/vendor/inner", ""},
		{"between them", [][2]string{{"outer/.git/HEAD", head}, {"outer/vendor/inner/.git/HEAD", head}}, "outer/vendor", "outer", ""},
		{"a git directory elsewhere", apart, "x/y", "x", ""},
		{"its worktree", apart, "wt/y", "store/x.git", ""},
		{"one that says where it is", apartNamed, "x/y", "x", ""},
		{"the worktree of that", apartNamed, "wt/y", "x", ""},
		{"the worktree of a submodule", subWorktree, "wt", "super/lib/sub", ""},
		{"the submodule of that", subWorktree, "super/lib/sub", "super/lib/sub", ""},

		{"a planted commondir", append([][2]string{{"evil/.git", "gitdir: gd\n"}, {"evil/gd/commondir", "../../main/.git\n"}, {"evil/gd/HEAD", head}, {"evil/gd/gitdir", "{}/evil/.git\n"}}, worktrees...), "evil", "evil", ""},
		{"a planted .git that names a repository", append([][2]string{{"evil/.git", "gitdir: ../main/.git\n"}}, worktrees...), "evil", "evil", ""},
		{"one that names another's worktree", append([][2]string{{"evil/.git", "gitdir: ../main/.git/worktrees/wt\n"}}, worktrees...), "evil", "evil", ""},
		{"one that is a link to another's", append([][2]string{{"evil/.git", "-> {}/wt/.git"}}, worktrees...), "evil", "evil", ""},
		{"one with a git directory that is a link", append([][2]string{{"evil/.git", "gitdir: gd\n"}, {"evil/gd", "-> {}/main/.git/worktrees/wt"}}, worktrees...), "evil", "evil", ""},
		{"one that names a plain directory", [][2]string{{"plain/HEAD", head}, {"evil/.git", "gitdir: ../plain\n"}}, "evil", "evil", ""},
		{"one that names a working tree", append([][2]string{{"evil/.git", "gitdir: ../main\n"}}, worktrees...), "evil", "evil", ""},
		{"one of a bare repository", append([][2]string{{"evil/.git", "gitdir: gd\n"}, {"evil/gd/commondir", "../../srv/repo.git\n"}}, bare...), "evil", "evil", ""},
		{"one that names a bare repository", append([][2]string{{"evil/.git", "gitdir: ../srv/repo.git\n"}, {"srv/repo.git/config", "[core]\n\tbare = true\n"}}, bare...), "evil", "evil", ""},
		{"one of a hidden repository", append([][2]string{{"evil/.git", "gitdir: gd\n"}, {"evil/gd/commondir", "../../proj/.bare\n"}}, hidden...), "evil", "evil", ""},
		{"one that names a submodule's", append([][2]string{{"evil/.git", "gitdir: ../super/.git/modules/sub\n"}}, submodule...), "evil", "evil", ""},
		{"one that names a git directory elsewhere", append([][2]string{{"evil/.git", "gitdir: ../store/x.git\n"}}, apart...), "evil", "evil", ""},
		{"one that names a git directory that is another's", append([][2]string{{"evil/.git", "gitdir: ../store/x.git\n"}}, apartNamed...), "evil", "evil", ""},
		{"one of whose own core.worktree is another's", append([][2]string{{"evil/.git", "gitdir: gd\n"}, {"evil/gd/HEAD", head}, {"evil/gd/config", "[core]\n\tworktree = {}/main\n"}}, worktrees...), "evil", "evil", ""},

		{"an empty .git is none", [][2]string{{"p/.git/", ""}, {"p/x/", ""}}, "p/x", "p/x", ""},
		{"an empty .git in a repository", [][2]string{{"r/.git/HEAD", head}, {"r/p/.git/", ""}}, "r/p", "r", ""},
		{"a .git that is some other file", [][2]string{{"p/.git", "hello"}, {"p/x/", ""}}, "p/x", "p/x", ""},
		{"such a file in a repository", [][2]string{{"r/.git/HEAD", head}, {"r/p/.git", ""}}, "r/p", "r", ""},
		{"a gitdir that leads nowhere", [][2]string{{"p/.git", "gitdir: /nowhere/at/all\n"}, {"p/x/", ""}}, "p/x", "p", ""},
		{"a commondir that leads nowhere", [][2]string{{"g/HEAD", head}, {"g/commondir", "../nowhere\n"}, {"p/.git", "gitdir: ../g\n"}, {"p/x/", ""}}, "p/x", "p", ""},

		{"a link to a repository", append([][2]string{{"link", "-> {}/main"}}, worktrees...), "link", "main", ""},
		{"a link into one", append([][2]string{{"link", "-> {}/main/src"}}, worktrees...), "link/deep", "main", ""},
		{"a link out of one", append([][2]string{{"other/", ""}, {"main/out", "-> {}/other"}}, worktrees...), "main/out", "other", ""},
		{"a repository reached through a link", append([][2]string{{"here", "-> {}"}}, worktrees...), "here/wt/src", "main", ""},
		{"a file stands for its directory", [][2]string{{"p/file", "x"}}, "p/file", "p", ""},
		{"a file in a repository", append([][2]string{{"main/src/file", "x"}}, worktrees...), "main/src/file", "main", ""},
		{"dots in the name", worktrees, "wt/src/../../main/./src", "main", ""},

		{"the home directory is nobody's", [][2]string{{"home/", ""}}, "home", "", "home"},
		{"nor through a link", [][2]string{{"home/", ""}, {"link", "-> {}/home"}}, "link", "", "home"},
		{"nor when $HOME is a link", [][2]string{{"real/", ""}, {"home", "-> {}/real"}}, "real", "", "home"},
		{"below it, without git", [][2]string{{"home/notes/x/", ""}}, "home/notes/x", "home/notes/x", "home"},
		{"below it, with git", [][2]string{{"home/p/.git/HEAD", head}, {"home/p/x/", ""}}, "home/p/x", "home/p", "home"},
		{"a home in git", dotfiles, "home", "", "home"},
		{"below a home in git", dotfiles, "home/notes/today", "home/notes/today", "home"},
		{"a repository below a home in git", dotfiles, "home/project/src", "home/project", "home"},
		{"a worktree of a home in git", dotfiles, "home/wt", "home/wt", "home"},
		{"below that worktree", dotfiles, "home/wt/sub", "home/wt", "home"},
		{"a home that is not there", [][2]string{{"p/", ""}}, "p", "p", "nowhere"},

		{"a missing directory", nil, "nowhere", "!", ""},
		{"a link that leads nowhere", [][2]string{{"link", "-> {}/nowhere"}}, "link", "!", ""},
		{"below a file", [][2]string{{"file", "x"}}, "file/x", "!", ""},
		{"a link to itself", [][2]string{{"loop", "-> loop"}}, "loop", "!", ""},
	} {
		t.Run(strings.ReplaceAll(test.name, "/", "_"), func(t *testing.T) {
			root := plantRoot(t)
			tree.Plant(t, root, test.tree)
			home := filepath.Join(root, "elsewhere")
			if test.home != "" {
				home = filepath.Join(root, test.home)
			}
			// Not joined: Join would take the dots out.
			got, err := Find(root+string(filepath.Separator)+filepath.FromSlash(test.dir), home, "")
			switch {
			case test.want == "!":
				if err == nil {
					t.Errorf("%s: %q and no error", test.dir, got)
				}
			case err != nil:
				t.Error(err)
			case test.want == "" && got != "" || test.want != "" && got != filepath.Join(root, filepath.FromSlash(test.want)):
				t.Errorf("%s is in %q, not %q", test.dir, got, test.want)
			}
		})
	}
}

func TestFindElsewhere(t *testing.T) {
	root := plantRoot(t)
	tree.Plant(t, root, worktrees)
	if ws, err := Find("/", root, ""); err != nil || ws != "" {
		t.Errorf("the file system's root is %q, %v", ws, err)
	}
	for _, home := range []string{"", "relative", root + "/"} {
		if ws, err := Find(filepath.Join(root, "wt"), home, ""); err != nil || ws != filepath.Join(root, "main") {
			t.Errorf("with the home %q: %q, %v", home, ws, err)
		}
	}
	if ws, err := Find(root+"/./", root+"//", ""); err != nil || ws != "" {
		t.Errorf("a home with slashes: %q, %v", ws, err)
	}
	t.Chdir(filepath.Join(root, "wt", "src"))
	for _, dir := range []string{".", "deep", "..", "../../main", ""} {
		if ws, err := Find(dir, "", ""); err != nil || ws != filepath.Join(root, "main") {
			t.Errorf("from %q: %q, %v", dir, ws, err)
		}
	}
	_, err := Find("nowhere", "", "")
	if e := (*fault.Error)(nil); !errors.Is(err, fault.Invalid) || !errors.As(err, &e) || len(e.Next) == 0 || !strings.Contains(e.Msg, filepath.Join(root, "wt", "src", "nowhere")) {
		t.Errorf("a missing directory: %v", err)
	}
}

// TestFindGit holds the rule against what git itself makes, in case the layouts above are not what
// it writes.
func TestFindGit(t *testing.T) {
	cost.SkipUnlessLong(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := plantRoot(t)
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = filepath.Join(root, dir)
		for _, e := range os.Environ() {
			if !strings.HasPrefix(e, "GIT_") {
				cmd.Env = append(cmd.Env, e)
			}
		}
		cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("", "init", "-q", "main")
	git("main", "commit", "-q", "--allow-empty", "-m", "x")
	git("main", "worktree", "add", "-q", "../wt")
	git("main", "worktree", "add", "-q", "in/side")
	git("", "clone", "-q", "--bare", "main", "bare.git")
	git("bare.git", "worktree", "add", "-q", "../of-bare")
	git("", "init", "-q", "super")
	git("super", "submodule", "add", "-q", "../main", "sub")
	git("", "clone", "-q", "--bare", "main", "proj/.bare")
	tree.Plant(t, root, [][2]string{{"proj/.git", "gitdir: ./.bare\n"}})
	git("proj", "worktree", "add", "-q", "feature")
	git("", "init", "-q", "--separate-git-dir", "store.git", "apart")
	tree.Plant(t, root, [][2]string{{"apart/a", "1"}, {"apart/deep/b", "2"}})
	git("apart", "add", ".")
	git("apart", "commit", "-q", "-m", "x")
	git("apart", "worktree", "add", "-q", "../of-apart")
	tree.Plant(t, root, [][2]string{{"evil/.git", "gitdir: ../store.git\n"}, {"evil/a", "1"}})
	git("super/sub", "worktree", "add", "-q", "../../of-sub")
	git("", "clone", "-q", "main", "sparse")
	git("sparse", "sparse-checkout", "set", "x")
	git("sparse", "worktree", "add", "-q", "../of-sparse")
	for dir, want := range map[string]string{
		"main": "main", "wt": "main", "main/in/side": "main", "main/.git": "main", "of-bare": "bare.git", "bare.git": "bare.git",
		"super": "super", "super/sub": "super/sub", "proj": "proj", "proj/feature": "proj",
		"apart": "apart", "apart/deep": "apart", "of-apart/deep": "store.git", "evil": "evil", "of-sub": "super/sub", "sparse": "sparse", "of-sparse": "sparse",
	} {
		if got, err := Find(filepath.Join(root, dir), "", ""); err != nil || got != filepath.Join(root, want) {
			t.Errorf("%s is in %q, not %q: %v", dir, got, want, err)
		}
	}
}
