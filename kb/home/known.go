package home

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/disk"
)

// Known is what the data home keeps about a workspace: how to recognise its repository elsewhere,
// and what its owner has agreed to. Nothing that comes with a repository writes it.
type Known struct {
	Path string `json:"path"`
	// Root and Remote are its first commit and first remote; "" outside of repositories. Both are
	// public, so equal ones are a reason to ask the owner, and give no access.
	Root   string `json:"root"`
	Remote string `json:"remote"`
	// CloneOf is the workspace that this one is a clone of and shares everything with.
	CloneOf string `json:"clone_of,omitempty"`
	Project string `json:"project,omitempty"`
	// Alone: do not ask again whether it is a copy of another one.
	Alone bool `json:"alone,omitempty"`
}

func knownDir(data string) string { return filepath.Join(data, "workspaces") }

func knownPath(data, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(knownDir(data), hex.EncodeToString(sum[:16])+".json")
}

// readKnown returns a record; the zero value if there is none that can be read.
func readKnown(name string) (k Known) {
	b, err := disk.Read(name, maxGitFile)
	if err != nil || json.Unmarshal(b, &k) != nil {
		return Known{}
	}
	return k
}

// Lookup returns what is kept about a workspace, as long as the same repository lies there.
func Lookup(data, workspace string) Known {
	k := readKnown(knownPath(data, workspace))
	if data == "" || k.Path != workspace {
		return Known{Path: workspace}
	}
	if (k.CloneOf != "" || k.Project != "" || k.Alone) && !k.isAt(workspace) {
		return Known{Path: workspace}
	}
	return k
}

// isAt reports whether a directory has the same remote and first commit, or else path.
func (k Known) isAt(workspace string) bool {
	r := openRepo(workspace)
	if r == nil {
		return k.Root == "" && k.Path == workspace
	}
	defer r.close()
	return k.Remote == r.remote() && (k.Root != "" && r.hasRoot(k.Root) ||
		k.Root == "" && k.Path == workspace)
}

// Store keeps a record of a workspace, with its repository as it is now.
func Store(ctx context.Context, data string, k Known) error {
	k.Root, k.Remote = "", ""
	if r := openRepo(k.Path); r != nil {
		k.Root, k.Remote = r.root(ctx), r.remote()
		r.close()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return disk.Write(knownPath(data, k.Path), append(b, '\n'), 0o600)
}

// Recognise stores the first commit and remote of a workspace's repository.
func Recognise(ctx context.Context, data, workspace string) error {
	if data == "" || workspace == "" {
		return nil
	}
	if k := readKnown(knownPath(data, workspace)); k.Root != "" && k.isAt(workspace) {
		return nil
	}
	r := openRepo(workspace)
	if r == nil {
		return nil
	}
	born := r.head() != ""
	r.close()
	if !born {
		return nil // there is nothing to know it by yet
	}
	return Store(ctx, data, Lookup(data, workspace))
}

// Move replaces the record of a workspace that is gone by one of its new place. The project is kept
// only if the same repository is there; nothing else that its owner has agreed to is.
func Move(ctx context.Context, data, from, to string) error {
	name := knownPath(data, from)
	old := readKnown(name)
	now := Known{Path: to}
	if old.Root != "" && old.isAt(to) {
		now.Project = old.Project
	}
	os.Remove(name)
	return Store(ctx, data, now)
}

// Elsewhere returns the other workspaces of this one's first commit and remote, none if it is
// Alone: where it was before it moved, or other clones.
func Elsewhere(data, workspace string) (all []string) {
	entries, err := os.ReadDir(knownDir(data))
	if err != nil || data == "" || Lookup(data, workspace).Alone {
		return nil
	}
	r := openRepo(workspace)
	if r == nil {
		return nil
	}
	defer r.close()
	remote := r.remote()
	for _, e := range entries {
		k := readKnown(filepath.Join(knownDir(data), e.Name()))
		if k.Path == workspace || !filepath.IsAbs(k.Path) || k.CloneOf != "" || k.Root == "" ||
			k.Remote != remote || !r.hasRoot(k.Root) {
			continue
		}
		if _, err := os.Lstat(k.Path); err != nil || k.isAt(k.Path) {
			all = append(all, k.Path)
		}
	}
	return all
}

// resolveClone returns the workspace that a directory shares everything with.
func resolveClone(data, workspace string) string {
	if data == "" {
		return workspace
	}
	if _, err := os.Lstat(knownPath(data, workspace)); err != nil {
		return workspace
	}
	if k := Lookup(data, workspace); filepath.IsAbs(k.CloneOf) {
		return k.CloneOf
	}
	return workspace
}

// remote returns the first remote's address, the same for all protocols and users; "": none.
func (r *repo) remote() string {
	for key, value := range gitConfig(r.read("config", maxGitConfig)) {
		if strings.HasPrefix(key, `remote "`) && strings.HasSuffix(key, `".url`) {
			return plainRemote(value)
		}
	}
	return ""
}

// plainRemote returns host/path of a remote's address, the host in lower case.
func plainRemote(url string) string {
	_, rest, isURL := strings.Cut(url, "://")
	if !isURL {
		rest = url
		if host, path, ok := strings.Cut(url, ":"); ok && !strings.Contains(host, "/") {
			rest = host + "/" + strings.TrimPrefix(path, "/") // as ssh has it
		}
	}
	host, path, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	return host + "/" + strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".git")
}
