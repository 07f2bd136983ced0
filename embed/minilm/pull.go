package minilm

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// Hub is the default hub for models.
const Hub = "https://huggingface.co"

// PullOptions configure a pull.
type PullOptions struct {
	Manifest Manifest
	Dir      string // of the model
	Endpoint string // of a hub, with models at ENDPOINT/REPO/resolve/REVISION; "": Hub
	From     string // instead of a hub: the URL below which the files lie, or a directory
	Force    bool   // replace an installed model
	Progress func(Progress)

	client *http.Client
	stall  time.Duration
	origin string // of the files
}

type Progress struct {
	Waiting bool // for another process that pulls into the same directory
	File    string
	Done    int64
	Total   int64 // 0 if unknown
}

type Pulled struct {
	Name    string `json:"name"`
	Dir     string `json:"dir"`
	Source  string `json:"source"`
	Bytes   int64  `json:"bytes"`
	Pinned  bool   `json:"pinned"`  // it is the published one; else no more is known than that it loads
	Already bool   `json:"already"` // nothing was downloaded
	Files   []File `json:"files"`   // the installed files; empty for a model that no pull has installed
}

// Pull installs a model in a directory, completely or not at all. Files are downloaded into a
// directory beside it, compared with their checksums and loaded as a test; then that directory
// takes the name. After an interruption the next Pull continues with files of known checksums. A
// sound installed model is not downloaded again, a damaged one is. A directory with files that no
// Pull has installed is never replaced, and another model only with Force.
//
// Concurrent pulls wait for each other. Errors match a kind of package fault, or the context's.
func Pull(ctx context.Context, o PullOptions) (*Pulled, error) {
	var err error
	named := o.Dir
	if o.Dir, err = filepath.Abs(named); err != nil || named == "" || filepath.Dir(o.Dir) == o.Dir {
		return nil, failure(fault.Invalid, "name another one with BOARD_MODEL_DIR", err, "%q cannot be a model's directory", named)
	}
	if real, err := filepath.EvalSymlinks(o.Dir); err == nil {
		o.Dir = real
	}
	o.stall = cmp.Or(o.stall, stallTime)
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	f, err := o.source()
	if err != nil {
		return nil, err
	}
	// before the lock: a complete directory may be one that this user cannot write to
	if done := o.findInstalled(); done != nil {
		return done, nil
	}
	unlock, err := o.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if done := o.findInstalled(); done != nil { // pulled meanwhile by another process
		return done, nil
	}
	if err := o.checkReplaceable(); err != nil {
		return nil, err
	}
	r, err := o.stage(ctx, f)
	if err != nil {
		return nil, err
	}
	name, err := o.tryOut(ctx)
	if err != nil {
		os.RemoveAll(o.beside(".part")) // a retry would find the same
		return nil, err
	}
	if err := o.install(); err != nil {
		return nil, err
	}
	return o.pulled(r, name == o.Manifest.Name || o.From == "" && o.Manifest.Pinned()), nil
}

func (o *PullOptions) pulled(r *record, published bool) *Pulled {
	out := &Pulled{Name: o.Manifest.Name, Dir: o.Dir, Source: r.Source, Pinned: published, Files: r.Files}
	for _, f := range r.Files {
		out.Bytes += f.Bytes
	}
	return out
}

// beside returns a hidden path beside the model's directory, with its name and a suffix.
func (o *PullOptions) beside(suffix string) string {
	return filepath.Join(filepath.Dir(o.Dir), "."+filepath.Base(o.Dir)+suffix)
}

func (o *PullOptions) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o700); err != nil {
		return nil, cannotWrite(err, o.Dir)
	}
	waiting := time.AfterFunc(200*time.Millisecond, func() { o.Progress(Progress{Waiting: true}) })
	defer waiting.Stop()
	unlock, err = disk.Lock(ctx, o.beside(".lock"))
	if err != nil && ctx.Err() == nil {
		err = cannotWrite(err, o.Dir)
	}
	return unlock, err
}

// newClient uses the proxy, reads files below dir, and follows no redirect from https to http.
func newClient(dir string) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.RegisterProtocol("file", http.NewFileTransport(http.Dir(dir)))
	return &http.Client{Transport: t, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) >= 10 || via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errors.New("it redirects in a loop or to an unencrypted address")
		}
		return nil
	}}
}

func (o *PullOptions) source() (*fetcher, error) {
	address := o.From
	switch {
	case o.From != "" && !strings.Contains(o.From, "://"):
		return o.directory()
	case o.From == "" && o.Manifest.Repo == "":
		return nil, failure(fault.Invalid, "name it as the hub does, ORGANISATION/"+o.Manifest.Name, nil, "%s is not known by name", o.Manifest.Name).
			Then(fault.Give("from", "", "or say where it is with {}"), fault.Step{Text: "without a name, " + DefaultModel + " is fetched"})
	case o.From == "":
		address = cmp.Or(o.Endpoint, Hub)
	}
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, failure(fault.Invalid, "an address, such as HF_ENDPOINT, begins with https:// or http:// and names a host", nil, "%q is not an address", address)
	}
	if o.From == "" {
		base = base.JoinPath(o.Manifest.Repo, "resolve", url.PathEscape(o.Manifest.Revision))
	}
	o.client, o.origin = cmp.Or(o.client, newClient("")), base.Redacted()
	return &fetcher{PullOptions: o, base: base, name: base.Host}, nil
}

func (o *PullOptions) directory() (*fetcher, error) {
	dir, err := filepath.Abs(o.From)
	if err == nil {
		_, err = os.ReadDir(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failure(fault.NotFound, "name a directory, or an address that begins with https://", nil, "directory %s not found", dir)
	}
	if err != nil || dir == o.Dir && o.Force {
		return nil, failure(fault.Invalid, "name a directory that has the model's files", err, "%s cannot be fetched from", dir)
	}
	o.client, o.origin = newClient(dir), dir
	return &fetcher{PullOptions: o, base: &url.URL{Scheme: "file", Path: "/"}, name: dir}, nil
}

// findInstalled returns the installed model if it is the wanted one and sound, else nil.
func (o *PullOptions) findInstalled() *Pulled {
	m := o.Manifest
	r, err := readRecord(o.Dir)
	name, unknown := Identify(o.Dir)
	switch {
	case o.Force || err != nil || unknown != nil,
		r != nil && (r.Name != m.Name || len(checkFiles(o.Dir, r.Files)) > 0),
		m.Pinned() && name != m.Name && len(checkFiles(o.Dir, m.Files)) > 0,
		!m.Pinned() && r == nil && filepath.Base(o.Dir) != m.Name:
		return nil
	case r == nil:
		r = &record{Files: []File{}}
	}
	done := o.pulled(r, m.Pinned())
	done.Already = true
	return done
}

func (o *PullOptions) checkReplaceable() error {
	const hint = "move it away, or name another directory with BOARD_MODEL_DIR"
	r, _ := readRecord(o.Dir) // without a readable one, nothing was installed
	if r == nil {
		r = &record{Name: o.Manifest.Name}
	}
	ours := []string{filepath.Join(o.Dir, recordName)}
	for _, f := range r.Files {
		ours = append(ours, f.in(o.Dir))
	}
	foreign := ""
	err := filepath.WalkDir(o.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.Contains(ours, path) {
			foreign = path
			return fs.SkipAll
		}
		return err
	})
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cannotWrite(err, o.Dir)
	case foreign == o.Dir:
		return failure(fault.Conflict, hint, nil, "%s is a file", o.Dir)
	case foreign != "":
		return failure(fault.Conflict, hint, nil, "%s was not installed by a pull, and would be deleted", foreign)
	case r.Name != o.Manifest.Name && !o.Force:
		return failure(fault.Conflict, "", nil, "%s holds another model, %s", o.Dir, r.Name).
			Then(fault.Give("force", "", "{} replaces it"), fault.Step{Text: "or name another directory with BOARD_MODEL_DIR"})
	}
	return nil
}

// stage downloads and records files. After an error, those that can be checked stay.
func (o *PullOptions) stage(ctx context.Context, f *fetcher) (_ *record, err error) {
	staging := o.beside(".part")
	r := &record{V: 1, Name: o.Manifest.Name, Source: o.origin, Revision: o.Manifest.Revision}
	files := o.Manifest.Files
	if o.From != "" { // whatever is there: its content says whether it is the known model
		files = anyFiles
	}
	if files[0].SHA256 == "" {
		os.RemoveAll(staging)
		defer func() {
			if err != nil {
				os.RemoveAll(staging)
			}
		}()
	}
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return nil, cannotWrite(err, staging)
	}
	for _, file := range files {
		to := file.in(staging)
		if sum, err := sumOf(to); err == nil && sum == file.SHA256 {
			r.Files = append(r.Files, file)
			continue
		}
		if isUnneeded(staging, file.Name) {
			continue
		}
		got, err := f.fetch(ctx, file, to)
		switch {
		case err == nil:
			r.Files = append(r.Files, got)
		case err != errAbsent:
			return nil, err
		case file.SHA256 != "":
			return nil, failure(fault.NotFound, "", nil, "%s has no %s of %s", o.origin, file.Name, o.Manifest.Name).Then(hintSource...)
		}
	}
	return r, cannotWrite(r.write(staging), staging)
}

var hintSource = []fault.Step{{Text: "name a BERT-like sentence-embedding model in ONNX form with a WordPiece tokenizer.json, and the place directly below which all its files lie"},
	fault.Give("revision", "main", "of a hub, {} is the newest one"), fault.Give("from", "", "{} names another place")}

// isUnneeded: one form of the weights is enough.
func isUnneeded(dir, name string) bool {
	c := config{dir: dir}
	c.readLimits() // errors show when the model is loaded
	switch name {
	case staticWeights:
		return !c.static
	case "onnx/model.onnx", "model.onnx":
		return c.static || c.findWeights() == nil
	}
	return false
}

// tryOut checks that what was fetched is a model with sound vectors, and returns its name.
func (o *PullOptions) tryOut(ctx context.Context) (name string, err error) {
	e, err := Open(ctx, o.beside(".part"))
	if err == nil {
		defer e.Close()
		name = e.Model().Name
		_, _, err = e.tryOut(ctx)
	}
	var known *fault.Error
	if errors.As(err, &known) { // name the files by their source
		known = &fault.Error{Kind: known.Kind, Msg: strings.ReplaceAll(known.Msg, o.beside(".part"), o.origin), Next: hintSource, Cause: known.Cause}
		if err = known; known.Kind == fault.NoModel {
			known.Kind = fault.NotFound
		}
	}
	return name, err
}

func (o *PullOptions) install() error {
	staging, old := o.beside(".part"), o.beside(".old")
	if err := cmp.Or(disk.SyncDir(staging), os.RemoveAll(old)); err != nil {
		return cannotWrite(err, old)
	}
	if err := os.Rename(o.Dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(fault.ReadOnly, "it may be a mount point, or its parent may belong to somebody else: name a directory below it with BOARD_MODEL_DIR", errors.Unwrap(err), "%s cannot be replaced", o.Dir)
	}
	if err := os.Rename(staging, o.Dir); err != nil {
		os.Rename(old, o.Dir)
		return cannotWrite(err, o.Dir)
	}
	disk.SyncDir(filepath.Dir(o.Dir)) // installed, even if this fails
	os.RemoveAll(old)                 // the next pull tries again
	return nil
}
