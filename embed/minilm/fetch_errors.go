package minilm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"blackboard/board/fault"
)

// elsewhere and downloaded name other sources of the files, askMirror names another hub.
var (
	elsewhere  = fault.Give("from", "", "take the files from elsewhere: HF_ENDPOINT=https://MIRROR, or {} with a mirror's address or a directory that has them")
	downloaded = fault.Give("from", "DIRECTORY", "a private or gated model must be downloaded by other means and then taken with {}")
	askMirror  = fault.Give("from", "", "or ask a mirror: HF_ENDPOINT=https://MIRROR, or {}")
)

// hintAgain is the hint if a download can be resumed.
const hintAgain = "run the same command again: it continues from there"

// networkError describes a failure of the connection after done bytes of a file.
func (f *fetcher) networkError(ctx context.Context, err error, file File, done int64) error {
	host := f.from.where()
	if cause := context.Cause(ctx); cause != nil {
		if !errors.Is(cause, errStalled) {
			return ctx.Err() // the caller has cancelled
		}
		return failure(fault.Failure, hintAgain, nil, "%s sent nothing for %s, after %s of %s", host, f.opts.stall, inBytes(done), file.Name).Then(elsewhere)
	}
	if f.from.base == nil {
		return failure(fault.Failure, "check the disk", err, "%s cannot be read", file.Name)
	}
	var address *url.Error
	if !errors.As(err, &address) {
		return failure(fault.Failure, hintAgain, nil, "the connection to %s broke after %s of %s", host, inBytes(done), file.Name)
	}
	// The URL does not help the reader; the innermost cause does.
	cause := address.Err
	var op *net.OpError
	if errors.As(cause, &op) {
		cause = op.Err
	}
	if address.URL != "" {
		if u, err := url.Parse(address.URL); err == nil && u.Host != "" {
			host = u.Host // a redirect may have led to another host
		}
	}
	return failure(fault.Failure, "check the network and the proxy ($HTTPS_PROXY)", cause, "%s cannot be reached", host).Then(elsewhere)
}

// statusError describes a response without the file.
func (f *fetcher) statusError(resp *http.Response, file File) error {
	host, status := f.from.where(), fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	what := f.opts.Manifest.Repo
	if what == "" || f.opts.From != "" {
		what = f.opts.Manifest.Name
	}
	switch code := resp.Header.Get("X-Error-Code"); {
	case code == "RepoNotFound": // comes with 401
		return failure(fault.NotFound, "look for the name at https://huggingface.co/models", nil, "%s has no public model %s", host, what).Then(downloaded)
	case code == "RevisionNotFound":
		return failure(fault.NotFound, "", nil, "%s has no revision %s of %s", host, f.opts.Manifest.Revision, what).Then(fault.Give("revision", "main", "name one that is there: {}"))
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return errAbsent
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return failure(fault.Failure, "", nil, "%s refuses %s of %s: %s", host, file.Name, what, status).Then(downloaded, askMirror)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		return failure(fault.Failure, "try again later: what is there already is kept", nil, "%s cannot serve %s now: %s", host, file.Name, status).Then(askMirror)
	}
	return failure(fault.Failure, "", nil, "%s answers to %s of %s with %s", host, file.Name, what, status).Then(elsewhere)
}

// cannotWrite describes an error of the disk; nil if err is nil.
func cannotWrite(err error, path string) error {
	if err == nil {
		return nil
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		path, err = pathErr.Path, pathErr.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		path, err = link.New, link.Err
	}
	dir := filepath.Dir(path)
	switch {
	case isFull(err):
		return failure(fault.Full, "make room and run the same command again, which continues; or name a directory elsewhere with BOARD_MODEL_DIR", err, "%s cannot be written", path)
	case errors.Is(err, fs.ErrPermission) || isReadOnly(err):
		return failure(fault.ReadOnly, "make "+dir+" writable for this user, or name a directory elsewhere with BOARD_MODEL_DIR", err, "%s cannot be written", path)
	}
	return failure(fault.Failure, "name a directory elsewhere with BOARD_MODEL_DIR", err, "%s cannot be written", path)
}

// room returns an error if the file is known to be larger than the free space.
func (o *PullOptions) room(need int64, what string) error {
	dir := filepath.Dir(o.Dir)
	free, ok := o.free(dir)
	if !ok || need <= free {
		return nil
	}
	return failure(fault.Full, "make room, or name a directory elsewhere with BOARD_MODEL_DIR", nil, "%s needs %s, and the disk of %s has %s", what, inBytes(need), dir, inBytes(free))
}

// inBytes formats a size; small ones are exact.
func inBytes(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 100_000:
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
