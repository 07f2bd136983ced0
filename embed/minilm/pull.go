package minilm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/fault"
)

// Hub is the default hub for models.
const Hub = "https://huggingface.co"

// PullOptions configure a pull.
type PullOptions struct {
	Manifest Manifest
	Dir      string // of the model
	// of a hub, which has models at ENDPOINT/ORGANISATION/MODEL/resolve/REVISION; ""
	// means Hub
	Endpoint string
	// instead of a hub: the URL below which the files lie, or a directory with them
	From     string
	Force    bool // replace an installed model
	Progress func(Progress)

	client *http.Client
	stall  time.Duration
	free   func(dir string) (int64, bool)
}

// Progress is the state of a pull.
type Progress struct {
	Waiting bool // for another process that pulls into the same directory
	File    string
	Done    int64
	Total   int64 // 0 if unknown
}

func (o *PullOptions) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Pulled is the result of a pull.
type Pulled struct {
	Name   string `json:"name"`
	Dir    string `json:"dir"`
	Source string `json:"source"`
	Bytes  int64  `json:"bytes"`
	// the checksums are the published ones; otherwise the model loads, and no more is
	// known
	Pinned  bool   `json:"pinned"`
	Already bool   `json:"already"` // nothing was downloaded
	Files   []File `json:"files"`   // the downloaded files
}

// Pull installs a model in a directory, completely or not at all. Files are downloaded
// into ".NAME.part" beside it, synced, compared with their checksums and loaded as a
// test; then the staging directory takes the name. An interrupted Pull leaves its files
// there for the next one. An installed model without damage is not downloaded again, and
// a damaged one is repaired. Anything else is replaced only with Force, and only if all
// its files are those of a model.
//
// Concurrent pulls wait for each other. Errors match a kind of package fault, or the
// context's.
func Pull(ctx context.Context, o PullOptions) (*Pulled, error) {
	o.client, o.stall = cmp.Or(o.client, newClient()), cmp.Or(o.stall, stallTime)
	if o.free == nil {
		o.free = freeSpace
	}
	for _, f := range o.Manifest.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return nil, failure(fault.Invalid, "name the files by paths below the model's directory", nil, "the file %q leads out of the model's directory", f.Name)
		}
	}
	from, err := o.source()
	if err != nil {
		return nil, err
	}
	wanted := o.Manifest
	if o.From != "" { // whatever is there: its content says whether it is the known model
		o.Manifest.Files = anyFiles
	}
	p, err := newPlace(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir = p.dir
	// before the lock: a complete directory may be one that this user cannot write to
	if !o.Force {
		if done := p.sound(wanted); done != nil {
			return done, nil
		}
	}
	if from.dir != "" && sameFile(from.dir, p.dir) {
		return nil, failure(fault.Invalid, "", nil, "%s cannot be fetched from itself", p.dir).Then(fault.Give("from", "", "name another one with {}"))
	}
	if err := os.MkdirAll(filepath.Dir(p.dir), 0o700); err != nil {
		return nil, cannotWrite(err, p.dir)
	}
	unlock, err := p.lock(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.settle(); err != nil {
		return nil, err
	}
	if !o.Force {
		if done := p.sound(wanted); done != nil { // pulled meanwhile by another process
			return done, nil
		}
	}
	if err := p.replaceable(o.Manifest, o.Force); err != nil {
		return nil, err
	}
	files, published, err := p.stage(ctx, &o, from)
	if err != nil {
		return nil, err
	}
	r := &record{V: 1, Name: o.Manifest.Name, Source: from.String(), Revision: o.Manifest.Revision, Files: files}
	if err := cannotWrite(r.write(p.staging), p.staging); err != nil {
		return nil, err
	}
	if err := p.install(); err != nil {
		return nil, err
	}
	return pulled(o.Manifest, p.dir, r, published, false), nil
}

// newClient uses the proxy of the environment and follows redirects, since hubs store
// their files elsewhere, but not from https to http.
func newClient() *http.Client {
	return &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errors.New("it redirects to an unencrypted address")
		}
		if len(via) >= 10 {
			return errors.New("it redirects in a loop")
		}
		return nil
	}}
}

func pulled(m Manifest, dir string, r *record, published, already bool) *Pulled {
	out := &Pulled{Name: m.Name, Dir: dir, Source: r.Source, Pinned: published, Already: already, Files: r.Files}
	for _, f := range r.Files {
		out.Bytes += f.Bytes
	}
	return out
}

// hintFrom is the hint for an invalid source.
const hintFrom = "name a directory that has the model's files, or an address that begins with https://"

// source returns where the files come from.
func (o *PullOptions) source() (source, error) {
	if o.From != "" && !strings.Contains(o.From, "://") {
		dir, err := filepath.Abs(o.From)
		if err != nil {
			return source{}, failure(fault.Invalid, hintFrom, err, "%s is not a directory", o.From)
		}
		info, err := os.Stat(dir)
		if err != nil {
			return source{}, failure(fault.NotFound, hintFrom, errors.Unwrap(err), "directory %s not found", dir)
		}
		if !info.IsDir() {
			return source{}, failure(fault.Invalid, "name the directory that has the model's files", nil, "%s is a file", dir)
		}
		return source{dir: dir}, nil
	}
	what, address := "the source", o.From
	if address == "" {
		if what, address = "HF_ENDPOINT", o.Endpoint; address == "" {
			address = Hub
		}
		if o.Manifest.Repo == "" {
			return source{}, failure(fault.Invalid, "name it as the hub does, ORGANISATION/"+o.Manifest.Name, nil, "%s is not known by name", o.Manifest.Name).
				Then(fault.Give("from", "", "or say where it is with {}"), fault.Step{Text: "without a name, " + DefaultModel + " is fetched"})
		}
	}
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return source{}, failure(fault.Invalid, "an address begins with https:// or http:// and names a host", nil, "%s %q is not an address", what, address)
	}
	if o.From == "" {
		base = base.JoinPath(o.Manifest.Repo, "resolve", url.PathEscape(o.Manifest.Revision))
	}
	return source{base: base}, nil
}

// stage downloads all files into the staging directory and checks that they are a model
// with sound vectors. published says that it is the known one.
func (p *place) stage(ctx context.Context, o *PullOptions, from source) (_ []File, published bool, err error) {
	if err := os.MkdirAll(p.staging, 0o700); err != nil {
		return nil, false, cannotWrite(err, p.staging)
	}
	if err := p.tidy(o.Manifest); err != nil {
		return nil, false, err
	}
	f := &fetcher{opts: o, from: from}
	var files, missing []File
	var need int64
	for _, file := range o.Manifest.Files {
		if file.SHA256 != "" && p.haveAlready(file, !o.Force) {
			files = append(files, file)
			continue
		}
		have, _ := f.resumable(file, file.in(p.staging)+partSuffix)
		missing, need = append(missing, file), need+file.Bytes-have
	}
	if err := o.room(need, o.Manifest.Name); err != nil {
		return nil, false, err
	}
	for _, file := range missing {
		to := file.in(p.staging)
		if table := file.Name == staticWeights; table || path.Ext(file.Name) == ".onnx" {
			c := config{dir: p.staging}
			c.readLimits() // errors show when the model is loaded
			if c.static != table {
				continue
			}
		}
		if file.Unless != "" {
			if _, err := os.Stat(File{Name: file.Unless}.in(p.staging)); err == nil {
				continue
			}
		}
		got, err := f.fetch(ctx, file, to)
		if errors.Is(err, errAbsent) {
			if file.Optional {
				continue
			}
			return nil, false, failure(fault.NotFound, "", nil, "%s has no %s of %s", from, file.Name, o.Manifest.Name).Then(o.ifAbsent()...)
		}
		if err != nil {
			return nil, false, err
		}
		files = append(files, got)
	}
	name, err := p.tryOut(ctx)
	if err == nil {
		return files, o.Manifest.Pinned() || name == o.Manifest.Name, nil
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	os.RemoveAll(p.staging) // a retry would find the same
	var known *fault.Error
	if errors.As(err, &known) { // name the files by their source
		err = &fault.Error{Kind: known.Kind, Msg: strings.ReplaceAll(known.Msg, p.staging, from.String()), Next: fault.Steps("name a BERT-like sentence-embedding model in ONNX form, and the place that has all its files"), Cause: known.Cause}
	}
	return nil, false, err
}

// tryOut checks that what was fetched is a model with sound vectors, and returns its name.
func (p *place) tryOut(ctx context.Context) (string, error) {
	e, err := Open(ctx, p.staging)
	if err != nil {
		return "", err
	}
	defer e.Close()
	if _, _, err := e.tryOut(ctx); err != nil && ctx.Err() == nil {
		return "", badModel(hintFetch, err, "the model in %s gives no sound vectors", p.staging)
	}
	return e.Model().Name, ctx.Err()
}

// ifAbsent returns the hint for a source that lacks a file.
func (o *PullOptions) ifAbsent() []fault.Step {
	if o.From != "" {
		return fault.Steps("name the address or the directory directly below which the model's files lie")
	}
	return fault.Steps("the model must be published in ONNX form", fault.Give("revision", "main", "{} tries the newest one"), fault.Give("from", "", "{} another place"))
}
