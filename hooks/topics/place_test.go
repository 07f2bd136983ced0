package topics

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
	if p, err := Find(root, "/"); err != nil || p.Workspace != root || p.Head != HeadNone {
		t.Skipf("the temporary directory lies in the workspace %s (%v)", p.Workspace, err)
	}
	return root
}

// on is a HEAD on a branch, commit a detached one.
func on(branch string) string { return "ref: refs/heads/" + branch + "\n" }

const commit = "0123456789abcdef0123456789abcdef01234567"

// repo is a repository in a directory.
func repo(dir, head string) [][2]string { return [][2]string{{dir + "/.git/HEAD", head}} }

func with(tree [][2]string, more ...[2]string) [][2]string {
	return append(tree[:len(tree):len(tree)], more...)
}

var (
	// a repository with a worktree beside it and one inside it
	worktrees = [][2]string{
		{"main/.git/HEAD", on("main")}, {"main/src/deep/", ""},
		{"main/.git/worktrees/wt/HEAD", on("feature/x")},
		{"main/.git/worktrees/wt/commondir", "../..\n"},
		{"wt/.git", "gitdir: {}/main/.git/worktrees/wt\n"}, {"wt/src/deep/", ""},
		{"main/.git/worktrees/in/HEAD", on("fix")},
		{"main/.git/worktrees/in/commondir", "../..\n"},
		{"main/.worktrees/in/.git", "gitdir: ../../.git/worktrees/in\n"},
	}
	submodule = [][2]string{
		{"super/.git/HEAD", on("topic")}, {"super/.git/modules/sub/HEAD", commit + "\n"},
		{"super/lib/sub/.git", "gitdir: ../../.git/modules/sub\n"}, {"super/lib/sub/src/", ""},
	}
	bareTree = [][2]string{
		{"srv/repo.git/HEAD", on("trunk")}, {"srv/repo.git/objects/", ""},
		{"srv/repo.git/refs/heads/", ""},
		{"srv/repo.git/worktrees/wt/HEAD", on("fix")}, {"srv/repo.git/worktrees/wt/commondir",
			"../..\n"}, {"wt/.git", "gitdir: {}/srv/repo.git/worktrees/wt\n"},
	}
	// a bare repository hidden in the directory of its worktrees, with a .git that
	// names it
	hidden = [][2]string{
		{"proj/.git", "gitdir: ./.bare\n"}, {"proj/.bare/HEAD", on("main")},
		{"proj/.bare/objects/", ""}, {"proj/.bare/refs/", ""},
		{"proj/.bare/worktrees/fix/HEAD", on("fix")}, {"proj/.bare/worktrees/fix/commondir",
			"../..\n"}, {"proj/fix/.git", "gitdir: {}/proj/.bare/worktrees/fix\n"},
	}
	dotfiles = [][2]string{{"home/.git/HEAD", on("dots")}, {"home/notes/today/", ""},
		{"home/p/.git/HEAD", on("x")},
		{"home/.git/worktrees/wt/HEAD", on("w")}, {"home/.git/worktrees/wt/commondir", "../..\n"},
		{"home/wt/.git", "gitdir: {}/home/.git/worktrees/wt\n"}}
)

// Topics in the table below: of a session with the id S, in a workspace where nothing
// is pinned.
const (
	own = "session-S"
	cur = Current
)

// TestResolve: which workspace, branch and topic a session has, from where it works.
func TestResolve(t *testing.T) {
	for _, test := range []struct {
		name             string
		tree             [][2]string
		dir, want        string // below the root; a want of "" is no workspace, of "!" an error
		branch, head, is string
		home             string // default: somewhere else
	}{
		{"a shared branch", repo("r", on("main")), "r", "r", "main", HeadBranch, own, ""},
		{"master", repo("r", on("master")), "r", "r", "master", HeadBranch, own, ""},
		{"dev", repo("r", on("dev")), "r", "r", "dev", HeadBranch, own, ""},
		{"develop", repo("r", on("develop")), "r", "r", "develop", HeadBranch, own, ""},
		{"trunk", repo("r", on("trunk")), "r", "r", "trunk", HeadBranch, own, ""},
		{"another branch", repo("r", on("feature")), "r", "r", "feature", HeadBranch, cur, ""},
		{"a branch with slashes", repo("r", on("u/fix/1")), "r", "r",
			"u/fix/1", HeadBranch, cur, ""},
		{"a branch that only begins like a shared one", repo("r", on("main-2")), "r", "r",
			"main-2", HeadBranch, cur, ""},
		{"a shared name in a folder", repo("r", on("u/main")), "r", "r",
			"u/main", HeadBranch, cur, ""},
		{"another case", repo("r", on("Main")), "r", "r", "Main", HeadBranch, cur, ""},
		{"letters of all kinds", repo("r", on("größe/項目")), "r", "r",
			"größe/項目", HeadBranch, cur, ""},
		{"a branch without a commit", repo("r", on("new")), "r", "r", "new", HeadBranch, cur, ""},
		{"packed refs do not matter", with(repo("r", on("fix")), [2]string{"r/.git/packed-refs",
			commit + " refs/heads/main\n"}), "r", "r", "fix", HeadBranch, cur, ""},

		{"detached", repo("r", commit+"\n"), "r", "r", "", HeadDetached, own, ""},
		{"detached, SHA-256", repo("r", commit+commit[:24]+"\n"), "r", "r",
			"", HeadDetached, own, ""},
		{"a rebase goes back to its branch", with(repo("r", commit),
			[2]string{"r/.git/rebase-merge/head-name", "refs/heads/fix\n"}), "r", "r",
			"fix", HeadBranch, cur, ""},
		{"a rebase by patches", with(repo("r", commit), [2]string{"r/.git/rebase-apply/head-name",
			"refs/heads/main\n"}), "r", "r", "main", HeadBranch, own, ""},
		{"a rebase of no branch", with(repo("r", commit),
			[2]string{"r/.git/rebase-merge/head-name", "detached HEAD\n"}), "r", "r",
			"", HeadDetached, own, ""},
		{"a bisect", with(repo("r", commit), [2]string{"r/.git/BISECT_START", "fix\n"}), "r", "r",
			"fix", HeadBranch, cur, ""},
		{"a bisect of no branch", with(repo("r", commit), [2]string{"r/.git/BISECT_START",
			commit + "\n"}), "r", "r", "", HeadDetached, own, ""},
		{"a rebase that is over", with(repo("r", on("other")), [2]string{"r/.git/BISECT_START",
			"fix\n"}), "r", "r", "other", HeadBranch, cur, ""},

		{"no git", [][2]string{{"plain/x/", ""}}, "plain/x", "plain/x", "", HeadNone, own, ""},
		{"below a repository", repo("r", on("fix")), "r/.git/..", "r", "fix", HeadBranch, cur, ""},
		{"deep below it", worktrees, "main/src/deep", "main", "main", HeadBranch, own, ""},
		{"a worktree is a workspace of its own", worktrees, "wt", "wt",
			"feature/x", HeadBranch, cur, ""},
		{"below the worktree", worktrees, "wt/src/deep", "wt", "feature/x", HeadBranch, cur, ""},
		{"a worktree inside the repository", worktrees, "main/.worktrees/in", "main/.worktrees/in",
			"fix", HeadBranch, cur, ""},
		{"between the two", worktrees, "main/.worktrees", "main", "main", HeadBranch, own, ""},
		{"inside .git", worktrees, "main/.git/worktrees/wt", "main", "main", HeadBranch, own, ""},
		{"beside them", worktrees, ".", ".", "", HeadNone, own, ""},
		{"a submodule", submodule, "super/lib/sub/src", "super/lib/sub",
			"", HeadDetached, own, ""},
		{"beside the submodule", submodule, "super/lib", "super", "topic", HeadBranch, cur, ""},
		{"a repository in a repository", with(repo("o", on("main")),
			repo("o/vendor/i", on("fix"))...), "o/vendor/i", "o/vendor/i",
			"fix", HeadBranch, cur, ""},
		{"a git directory elsewhere", [][2]string{{"store/x.git/HEAD", on("fix")},
			{"x/.git", "gitdir: {}/store/x.git\n"}, {"x/y/", ""}}, "x/y", "x",
			"fix", HeadBranch, cur, ""},
		{"line ends of Windows", [][2]string{{"store/HEAD", "ref: refs/heads/fix\r\n"},
			{"x/.git", "gitdir: ../store\r\n"}}, "x", "x", "fix", HeadBranch, cur, ""},

		{"a bare repository", bareTree, "srv/repo.git", "srv/repo.git",
			"trunk", HeadBranch, own, ""},
		{"inside the bare repository", bareTree, "srv/repo.git/refs/heads", "srv/repo.git",
			"trunk", HeadBranch, own, ""},
		{"its worktree", bareTree, "wt", "wt", "fix", HeadBranch, cur, ""},
		{"a hidden bare repository", hidden, "proj", "proj", "main", HeadBranch, own, ""},
		{"inside the hidden one", hidden, "proj/.bare/refs", "proj", "main", HeadBranch, own, ""},
		{"a worktree of the hidden one", hidden, "proj/fix", "proj/fix",
			"fix", HeadBranch, cur, ""},
		{"what only looks like one", [][2]string{{"x/HEAD", on("fix")}, {"x/refs/", ""}}, "x",
			"x", "", HeadNone, own, ""},

		{"refs in tables: HEAD does not say the branch", repo("r", on(".invalid")), "r", "r",
			"", HeadUnknown, own, ""},
		{"a ref that is no branch", repo("r", "ref: refs/remotes/origin/main\n"), "r", "r",
			"", HeadUnknown, own, ""},
		{"a ref without a blank", repo("r", "ref:refs/heads/fix"), "r", "r",
			"fix", HeadBranch, cur, ""},
		{"a ref of nothing", repo("r", "ref: \n"), "r", "r", "", HeadUnknown, own, ""},
		{"a ref with an empty name", repo("r", "ref: refs/heads/\n"), "r", "r",
			"", HeadUnknown, own, ""},
		{"a ref that climbs", repo("r", "ref: refs/heads/../../x\n"), "r", "r",
			"", HeadUnknown, own, ""},
		{"a ref of two lines", repo("r", "ref: refs/heads/a\nb\n"), "r", "r",
			"", HeadUnknown, own, ""},
		{"a HEAD that is garbage", repo("r", "\x00\xff garbage"), "r", "r",
			"", HeadUnknown, own, ""},
		{"an empty HEAD", repo("r", ""), "r", "r", "", HeadUnknown, own, ""},
		{"a HEAD that is a directory", [][2]string{{"r/.git/HEAD/", ""}}, "r", "r",
			"", HeadUnknown, own, ""},
		{"a HEAD without an end", repo("r", strings.Repeat("x", maxSmall+1)), "r", "r",
			"", HeadUnknown, own, ""},
		{"a HEAD that is a link", [][2]string{{"r/.git/HEAD", "-> refs/heads/fix"}}, "r", "r",
			"fix", HeadBranch, cur, ""},
		{"a gitdir that leads nowhere", [][2]string{{"r/.git", "gitdir: /nowhere/at/all\n"}}, "r",
			"r", "", HeadUnknown, own, ""},
		{"an empty .git is none", [][2]string{{"p/.git/", ""}, {"p/x/", ""}}, "p/x",
			"p/x", "", HeadNone, own, ""},
		{"an empty .git in a repository", with(repo("r", on("fix")), [2]string{"r/p/.git/", ""}),
			"r/p", "r", "fix", HeadBranch, cur, ""},
		{"a .git that is some other file", with(repo("r", on("fix")), [2]string{"r/p/.git",
			"hello"}), "r/p", "r", "fix", HeadBranch, cur, ""},
		{"a .git that is a link to nowhere", with(repo("r", on("fix")), [2]string{"r/p/.git",
			"-> gone"}), "r/p", "r", "fix", HeadBranch, cur, ""},

		{"a link to a repository", with(worktrees, [2]string{"link", "-> {}/wt"}), "link", "wt",
			"feature/x", HeadBranch, cur, ""},
		{"a link into one", with(worktrees, [2]string{"link", "-> {}/wt/src"}), "link/deep", "wt",
			"feature/x", HeadBranch, cur, ""},
		{"a link out of one", with(worktrees, [2]string{"other/", ""}, [2]string{"main/out",
			"-> {}/other"}), "main/out", "other", "", HeadNone, own, ""},
		{"a file stands for its directory", with(worktrees, [2]string{"wt/src/file", "x"}),
			"wt/src/file", "wt", "feature/x", HeadBranch, cur, ""},
		{"dots in the name", worktrees, "main/src/../../wt/./src", "wt",
			"feature/x", HeadBranch, cur, ""},
		{"spaces and letters of all kinds", with(repo("mein Büro/項目", on("fix")),
			[2]string{"mein Büro/項目/x y/", ""}), "mein Büro/項目/x y", "mein Büro/項目",
			"fix", HeadBranch, cur, ""},

		{"the home directory is nobody's", [][2]string{{"home/", ""}}, "home", "",
			"", HeadNone, "", "home"},
		{"nor through a link", [][2]string{{"home/", ""}, {"link", "-> {}/home"}}, "link", "",
			"", HeadNone, "", "home"},
		{"a home in git", dotfiles, "home", "", "", HeadNone, "", "home"},
		{"below a home in git", dotfiles, "home/notes/today", "home/notes/today",
			"", HeadNone, own, "home"},
		{"a repository below a home in git", dotfiles, "home/p", "home/p", "x",
			HeadBranch, cur, "home"},
		{"a worktree of a home in git", dotfiles, "home/wt", "home/wt", "w",
			HeadBranch, cur, "home"},
		{"below a home without git", [][2]string{{"home/notes/x/", ""}}, "home/notes/x",
			"home/notes/x", "", HeadNone, own, "home"},

		{"a missing directory", nil, "nowhere", "!", "", "", "", ""},
		{"a link that leads nowhere", [][2]string{{"link", "-> {}/nowhere"}},
			"link", "!", "", "", "", ""},
		{"a link to itself", [][2]string{{"loop", "-> loop"}}, "loop", "!", "", "", "", ""},
	} {
		t.Run(strings.ReplaceAll(test.name, "/", "_"), func(t *testing.T) {
			root := plantRoot(t)
			tree.Plant(t, root, test.tree)
			home := filepath.Join(root, "elsewhere")
			if test.home != "" {
				home = filepath.Join(root, test.home)
			}
			// Not joined: Join would take the dots out.
			got, err := Find(root+string(filepath.Separator)+filepath.FromSlash(test.dir), home)
			if test.want == "!" {
				if err == nil {
					t.Errorf("%s: %+v and no error", test.dir, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := Place{Branch: test.branch, Head: test.head}
			if test.want != "" {
				want.Workspace = filepath.Join(root, filepath.FromSlash(test.want))
			}
			if got != want {
				t.Errorf("%s is in %+v, not %+v", test.dir, got, want)
			}
			d, err := Open(filepath.Join(root, "specs"), got.Workspace, Options{})
			if test.want == "" {
				if !errors.Is(err, fault.Invalid) {
					t.Errorf("nobody's workspace was opened: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if topic := d.Resolve("S", got); topic.Name != test.is || topic.Explicit ||
				topic.Why == "" || topic.Kind != KindOf(topic.Name) {
				t.Errorf("the topic is %+v, not %s", topic, test.is)
			}
			if topic := d.Resolve("", got); topic.Name != strings.TrimSuffix(test.is, own) {
				t.Errorf("without a session the topic is %+v", topic)
			}
			if _, err := os.Stat(filepath.Join(root, "specs")); err == nil {
				t.Error("looking has made files")
			}
		})
	}
}

// TestFindElsewhere: what the table cannot say.
func TestFindElsewhere(t *testing.T) {
	root := plantRoot(t)
	tree.Plant(t, root, worktrees)
	if p, err := Find("/", root); err != nil || p.Workspace != "" {
		t.Errorf("the file system's root is %+v, %v", p, err)
	}
	for _, home := range []string{"", "relative", root + "/", filepath.Join(root, "gone")} {
		if p, err := Find(filepath.Join(root, "wt"), home); err != nil ||
			p.Workspace != filepath.Join(root, "wt") {
			t.Errorf("with the home %q: %+v, %v", home, p, err)
		}
	}
	t.Chdir(filepath.Join(root, "wt", "src"))
	for _, dir := range []string{".", "deep", "..", ""} {
		if p, err := Find(dir, ""); err != nil || p.Workspace != filepath.Join(root, "wt") {
			t.Errorf("from %q: %+v, %v", dir, p, err)
		}
	}
	t.Setenv("GIT_DIR", filepath.Join(root, "main", ".git")) // as inside a git hook
	if p, err := Find(".", ""); err != nil || p.Branch != "feature/x" {
		t.Errorf("with $GIT_DIR: %+v, %v", p, err)
	}
	if os.Geteuid() != 0 { // whom no file is closed to
		head := filepath.Join(root, "main", ".git", "HEAD")
		expect.OK(t, os.Chmod(head, 0))
		if p, err := Find(filepath.Join(root, "main"), ""); err != nil || p.Head != HeadUnknown ||
			p.Workspace != filepath.Join(root, "main") {
			t.Errorf("with a HEAD that cannot be read: %+v, %v", p, err)
		}
	}
	gone := filepath.Join(root, "gone")
	expect.OK(t, os.Mkdir(gone, 0o700))
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skip("the working directory cannot be deleted here")
	}
	for _, dir := range []string{".", "", gone} {
		if p, err := Find(dir, ""); !errors.Is(err, fault.Invalid) {
			t.Errorf("from a directory that is gone, %q: %+v, %v", dir, p, err)
		}
	}
}

// TestFindGit holds the rule against what git itself makes, in case the layouts above
// are not what it writes.
func TestFindGit(t *testing.T) {
	cost.SkipUnlessLong(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := plantRoot(t)
	git := func(dir string, args ...string) error {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c",
			"user.email=t@example.org", "-c", "protocol.file.allow=always", "-c",
			"init.defaultBranch=main"}, args...)...)
		cmd.Dir = filepath.Join(root, dir)
		for _, e := range os.Environ() {
			if !strings.HasPrefix(e, "GIT_") {
				cmd.Env = append(cmd.Env, e)
			}
		}
		cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true")
		out, err := cmd.CombinedOutput()
		t.Logf("git %v: %s", args, out)
		return err
	}
	must := func(dir string, args ...string) {
		t.Helper()
		if err := git(dir, args...); err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
	}
	must("", "init", "-q", "main")
	tree.Plant(t, root, [][2]string{{"main/f", "1"}})
	must("main", "add", "f")
	must("main", "commit", "-q", "-m", "x")
	must("main", "worktree", "add", "-q", "-b", "side", "../wt")
	must("main", "worktree", "add", "-q", "-b", "in", "in/side")
	must("main", "pack-refs", "--all")
	must("", "clone", "-q", "--bare", "main", "bare.git")
	must("bare.git", "worktree", "add", "-q", "-b", "of", "../of-bare")
	must("", "init", "-q", "-b", "work", "super")
	must("super", "submodule", "add", "-q", "../main", "sub")
	must("", "clone", "-q", "--separate-git-dir=elsewhere.git", "main", "sep")
	must("", "clone", "-q", "main", "loose")
	must("loose", "checkout", "-q", "--detach")
	must("", "init", "-q", "-b", "fresh", "unborn")
	// A rebase that stops at a conflict.
	must("", "clone", "-q", "main", "conflict")
	for _, branch := range []string{"one", "two"} {
		must("conflict", "checkout", "-q", "-b", branch, "origin/main")
		tree.Plant(t, root, [][2]string{{"conflict/f", branch}})
		must("conflict", "commit", "-q", "-a", "-m", branch)
	}
	if git("conflict", "rebase", "one") == nil {
		t.Fatal("the rebase met no conflict")
	}
	for _, test := range []struct{ dir, want, branch, head string }{
		{"main", "main", "main", HeadBranch}, {"wt", "wt", "side", HeadBranch},
		{"main/in/side", "main/in/side", "in", HeadBranch},
		{"bare.git", "bare.git", "main", HeadBranch},
		{"bare.git/refs/heads", "bare.git", "main", HeadBranch}, {"of-bare", "of-bare", "of",
			HeadBranch}, {"super", "super", "work", HeadBranch},
		{"super/sub", "super/sub", "main", HeadBranch},
		{"sep", "sep", "main", HeadBranch}, {"loose", "loose", "", HeadDetached},
		{"unborn", "unborn", "fresh", HeadBranch}, {"conflict", "conflict", "two", HeadBranch},
	} {
		got, err := Find(filepath.Join(root, test.dir), "")
		if want := (Place{filepath.Join(root, test.want), test.branch, test.head}); err != nil ||
			got != want {
			t.Errorf("%s is in %+v, %v, not %+v", test.dir, got, err, want)
		}
	}
}
