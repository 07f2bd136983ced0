package topics

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"blackboard/board/text"
)

// maxSmall is the most bytes read of a file that should have a line or two.
const maxSmall = 64 << 10

const branchPrefix = "refs/heads/"

// hash matches a commit: SHA-1 or SHA-256.
var hash = text.NewRegexp(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// readHead returns the branch of a repository or worktree, and the state of its HEAD. It need not read packed refs,
// since HEAD is never packed.
func readHead(git string) (branch, head string) {
	if git == "" {
		return "", HeadUnknown
	}
	name := filepath.Join(git, "HEAD")
	if target, err := os.Readlink(name); err == nil { // written by old versions of git
		return refBranch(target)
	}
	text, err := readSmall(name)
	if err != nil {
		return "", HeadUnknown
	}
	text = strings.TrimSpace(text)
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		return refBranch(strings.TrimSpace(ref))
	}
	if !hash.MatchString(text) {
		return "", HeadUnknown
	}
	if branch := interruptedBranch(git); branch != "" {
		return branch, HeadBranch
	}
	return "", HeadDetached
}

// interruptedBranch is the branch that a rebase or bisect, with HEAD detached, will return to.
func interruptedBranch(git string) string {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
		if text, err := readSmall(filepath.Join(git, filepath.FromSlash(name))); err == nil {
			branch, _ := refBranch(strings.TrimSpace(text)) // "detached HEAD" is none
			return branch
		}
	}
	text, err := readSmall(filepath.Join(git, "BISECT_START"))
	if text = strings.TrimSpace(text); err == nil && !hash.MatchString(text) && validBranch(text) {
		return text
	}
	return ""
}

// refBranch returns the branch of a full ref.
func refBranch(ref string) (branch, head string) {
	branch, ok := strings.CutPrefix(ref, branchPrefix)
	if !ok || !validBranch(branch) {
		return "", HeadUnknown
	}
	return branch, HeadBranch
}

// validBranch reports whether git accepts a branch's name. It refuses ".invalid": HEAD
// has that name when the refs are kept in tables, which hold the true branch.
func validBranch(name string) bool {
	if name == "" || strings.HasSuffix(name, ".") || strings.ContainsAny(name, " ~^:?*[\\") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// Commit is the commit checked out in a working tree, "" if it cannot be read. It runs no git.
func Commit(workspace string) string {
	git, _ := findWorkTree(workspace)
	if git == "" {
		return ""
	}
	head, _ := readSmall(filepath.Join(git, "HEAD"))
	ref, isRef := strings.CutPrefix(strings.TrimSpace(head), "ref: ")
	if !isRef {
		return commitOf(head)
	}
	common := git // of a worktree, the repository that it belongs to has the branches
	if to, err := readSmall(filepath.Join(git, "commondir")); err == nil {
		if common = strings.TrimSpace(to); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	if text, err := readSmall(filepath.Join(common, filepath.FromSlash(ref))); err == nil {
		return commitOf(text)
	}
	packed, _, _ := readFile(filepath.Join(common, "packed-refs"), 1<<20)
	for line := range strings.Lines(string(packed)) {
		if text, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == ref {
			return commitOf(text)
		}
	}
	return ""
}

func commitOf(text string) string {
	if text = strings.TrimSpace(text); hash.MatchString(text) {
		return text
	}
	return ""
}
