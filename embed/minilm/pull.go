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

// Hub is where models are published.
const Hub = "https://huggingface.co"

// PullOptions says what to fetch, from where, to where.
type PullOptions struct {
	Manifest Manifest
	Dir      string // of the model
	// of a hub: a model lies below ENDPOINT/ORGANISATION/MODEL/resolve/REVISION; "" is
	// Hub
	Endpoint string
	// instead of a hub: the address below which the files lie, or a directory that has
	// them
	From     string
	Force    bool // replace a model that is there
	Progress func(Progress)

	client *http.Client
	stall  time.Duration
	free   func(dir string) (int64, bool)
}

// Progress is how far a pull is.
type Progress struct {
	Waiting bool // for another process that fetches into the same directory
	File    string
	Done    int64
	Total   int64 // 0 when it is not known
}

func (o *PullOptions) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Pulled is the outcome.
type Pulled struct {
	Name   string `json:"name"`
	Dir    string `json:"dir"`
	Source string `json:"source"`
	Bytes  int64  `json:"bytes"`
	// the files are the published ones to the byte; else they load, which is all that is
	// known
	Pinned  bool   `json:"pinned"`
	Already bool   `json:"already"` // nothing was fetched
	Files   []File `json:"files"`   // the files that were fetched
}

// Pull puts a model into a directory, which is there complete or not at all: files are
// fetched into ".NAME.part" beside it, made durable, checked against what is known of
// them, loaded as a test, and then the directory takes its place. What an interrupted
// Pull has fetched is kept there and continued by the next one. A model that is there and
// sound is not fetched again; one that is damaged is repaired; anything else is replaced
// with Force alone, and only if all its files are such as models have.
//
// Several at once take turns. Errors match a kind of package fault, or the context's.
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
	p, err := newPlace(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir = p.dir
	// before the lock: a directory that needs nothing may be one that this user cannot
	// write to
	if !o.Force {
		if done := p.sound(o.Manifest); done != nil {
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
		if done := p.sound(o.Manifest); done != nil { // another one may have fetched it meanwhile
			return done, nil
		}
	}
	if err := p.replaceable(o.Manifest, o.Force); err != nil {
		return nil, err
	}
	files, err := p.stage(ctx, &o, from)
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
	return pulled(o.Manifest, p.dir, r, false), nil
}

// newClient uses the proxy that the environment names and follows redirections to
// wherever a hub keeps its files, but not from https to http.
func newClient() *http.Client {
	return &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errors.New("it redirects to an unencrypted address")
		}
		if len(via) >= 10 {
			return errors.New("it redirects in a circle")
		}
		return nil
	}}
}

func pulled(m Manifest, dir string, r *record, already bool) *Pulled {
	out := &Pulled{Name: m.Name, Dir: dir, Source: r.Source, Pinned: m.Pinned(), Already: already, Files: r.Files}
	for _, f := range r.Files {
		out.Bytes += f.Bytes
	}
	return out
}

// hintFrom is for a source that is nothing of what it can be.
const hintFrom = "name a directory that has the model's files, or an address that begins with https://"

// source finds out where the files come from.
func (o *PullOptions) source() (source, error) {
	if o.From != "" && !strings.Contains(o.From, "://") {
		dir, err := filepath.Abs(o.From)
		if err != nil {
			return source{}, failure(fault.Invalid, hintFrom, err, "%s is no directory", o.From)
		}
		info, err := os.Stat(dir)
		if err != nil {
			return source{}, failure(fault.NotFound, hintFrom, errors.Unwrap(err), "there is no directory %s", dir)
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

// stage brings all files into the staging directory and makes sure that they are a model.
func (p *place) stage(ctx context.Context, o *PullOptions, from source) ([]File, error) {
	if err := os.MkdirAll(p.staging, 0o700); err != nil {
		return nil, cannotWrite(err, p.staging)
	}
	if err := p.tidy(o.Manifest); err != nil {
		return nil, err
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
		return nil, err
	}
	for _, file := range missing {
		to := file.in(p.staging)
		if table := file.Name == staticWeights; table || path.Ext(file.Name) == ".onnx" {
			c := config{dir: p.staging}
			c.readLimits() // what is wrong shows when the model is loaded
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
		// one directory for all files
		if flat := path.Base(file.published()); errors.Is(err, errAbsent) && o.From != "" && file.SHA256 != "" && path.Ext(flat) == ".onnx" {
			got, err = f.fetch(ctx, File{Name: flat, Bytes: file.Bytes, SHA256: file.SHA256}, to)
			got.Name = file.Name
		}
		if errors.Is(err, errAbsent) {
			if file.Optional {
				continue
			}
			return nil, failure(fault.NotFound, "", nil, "%s has no %s of %s", from, file.Name, o.Manifest.Name).Then(o.ifAbsent()...)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, got)
	}
	e, err := Open(ctx, p.staging)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		os.RemoveAll(p.staging) // it would be no better next time
		var known *fault.Error
		if errors.As(err, &known) { // the files are named by where they come from
			err = &fault.Error{Kind: known.Kind, Msg: strings.ReplaceAll(known.Msg, p.staging, from.String()), Next: fault.Steps("name a BERT-like sentence-embedding model in ONNX form, and the place that has all its files"), Cause: known.Cause}
		}
		return nil, err
	}
	return files, e.Close()
}

// ifAbsent is for a place that lacks a file.
func (o *PullOptions) ifAbsent() []fault.Step {
	if o.From != "" {
		return fault.Steps("name the address or the directory directly below which the model's files lie")
	}
	return fault.Steps("the model must be published in ONNX form", fault.Give("revision", "main", "{} tries the newest one"), fault.Give("from", "", "{} another place"))
}
