package minilm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"blackboard/board/fault"
)

// stallTime is how long a server may send nothing. A whole download has no limit.
const stallTime = 30 * time.Second

// maxWeights is larger than any ONNX file: an endless response must not fill the disk.
const maxWeights = 2 << 30

var errStalled, errAbsent = errors.New("it stalled"), errors.New("no such file there")

// fetcher takes the files of one model from one source.
type fetcher struct {
	*PullOptions
	base *url.URL // the files lie below it
	name string   // of the source, for messages: a host or a directory
}

// fetch downloads one file to the path to. It returns errAbsent if the source has none. The
// file is complete and has the known checksum, or it is not written. One with a known
// checksum continues where an interrupted pull ended.
func (f *fetcher) fetch(ctx context.Context, file File, to string) (File, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := &meter{fetcher: f, ctx: ctx, Progress: Progress{File: file.Name}}
	m.alive = time.AfterFunc(f.stall, func() { cancel(errStalled) })
	defer m.alive.Stop()
	sum := sha256.New()
	if part, err := os.Open(to + ".part"); err == nil { // only of a file with a known checksum
		m.Done, _ = io.CopyN(sum, part, file.Bytes)
		part.Close()
	}
	body, err := f.open(ctx, file, &m.Progress)
	if err != nil {
		return file, f.describeBroken(ctx, err, &m.Progress)
	}
	defer body.Close()
	if m.Done == 0 {
		sum.Reset()
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return file, cannotWrite(err, to)
	}
	out, err := os.OpenFile(to+".part", os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return file, cannotWrite(err, to)
	}
	defer out.Close()
	_, err = out.Seek(m.Done, io.SeekStart)
	if err = cmp.Or(out.Truncate(m.Done), err); err != nil {
		return file, cannotWrite(err, to)
	}
	limit := cmp.Or(file.Bytes, maxWeights)
	_, err = io.Copy(io.MultiWriter(out, sum, m), io.LimitReader(body, limit+1-m.Done))
	if err == nil && m.Done <= limit && m.Done < cmp.Or(m.Total, file.Bytes) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return file, f.describeBroken(ctx, err, &m.Progress)
	}
	got := hex.EncodeToString(sum.Sum(nil))
	if m.Done > limit || file.SHA256 != "" && got != file.SHA256 {
		os.Remove(out.Name())
		return file, failure(fault.Failure, "", nil, "%s from %s is not the published file: its SHA-256 is %s, not %s; it is deleted",
			file.Name, f.name, got, cmp.Or(file.SHA256, "of at most "+inBytes(limit))).Then(elsewhere)
	}
	file.Bytes, file.SHA256 = m.Done, got
	if err = cmp.Or(out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), to)
	}
	return file, cannotWrite(err, to)
}

// meter is written what arrives: it shows the progress, and extends the deadline.
type meter struct {
	Progress
	*fetcher
	ctx   context.Context
	alive *time.Timer
	shown time.Time
}

func (m *meter) Write(b []byte) (int, error) {
	m.alive.Reset(m.stall)
	m.Done += int64(len(b))
	if now := time.Now(); now.Sub(m.shown) > 100*time.Millisecond || m.Done == m.Total {
		m.shown = now
		m.PullOptions.Progress(m.Progress)
	}
	return len(b), m.ctx.Err()
}

// open reads a file after what is done of it, if the source can, else from its beginning.
func (f *fetcher) open(ctx context.Context, file File, p *Progress) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base.JoinPath(file.Name).String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "board")
	// so that lengths and ranges are those of the file itself
	req.Header.Set("Accept-Encoding", "identity")
	if p.Done > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.Done))
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	rest := strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", p.Done))
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		p.Done = 0
	case code == http.StatusPartialContent && rest:
	case p.Done > 0 && (code == http.StatusPartialContent || code == http.StatusRequestedRangeNotSatisfiable):
		resp.Body.Close()
		p.Done = 0 // our part is of another file
		return f.open(ctx, file, p)
	default:
		resp.Body.Close()
		return nil, f.describeRefused(code, file)
	}
	if resp.ContentLength >= 0 {
		p.Total = p.Done + resp.ContentLength
	}
	return resp.Body, nil
}

func sumOf(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, in)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// elsewhere and downloaded name other sources of the files.
var (
	elsewhere  = fault.Give("from", "", "take the files from elsewhere: HF_ENDPOINT=https://MIRROR, or {} with a mirror's address or a directory that has them")
	downloaded = fault.Give("from", "DIRECTORY", "a private or gated model must be downloaded by other means and then taken with {}")
)

func (f *fetcher) describeBroken(ctx context.Context, err error, p *Progress) error {
	const again = "run the same command again"
	var known *fault.Error
	var onDisk *fs.PathError
	var request *url.Error
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStalled):
		return failure(fault.Failure, again, nil, "%s sent nothing for %s, after %s of %s", f.name, f.stall, inBytes(p.Done), p.File).Then(elsewhere)
	case cause != nil:
		return ctx.Err() // the caller has cancelled
	case err == errAbsent, errors.As(err, &known):
		return err
	case errors.As(err, &onDisk) && onDisk.Op == "write":
		return cannotWrite(err, p.File)
	case errors.As(err, &request): // its address does not help the reader
		return failure(fault.Failure, "check the network and the proxy ($HTTPS_PROXY)", request.Err, "%s cannot be reached", f.name).Then(elsewhere)
	}
	return failure(fault.Failure, again, nil, "the connection to %s broke after %s of %s", f.name, inBytes(p.Done), p.File)
}

// describeRefused describes a response without the file; errAbsent if the source has none.
func (f *fetcher) describeRefused(code int, file File) error {
	err := failure(fault.Failure, "", nil, "%s refuses %s of %s: %d %s", f.name, file.Name, f.Manifest.Name, code, http.StatusText(code))
	switch {
	case code == http.StatusNotFound || code == http.StatusGone:
		return errAbsent
	case code == http.StatusUnauthorized || code == http.StatusForbidden: // the hub says so of unknown names, too
		return err.Then(downloaded, fault.Step{Text: "look for the name at https://huggingface.co/models"})
	case code == http.StatusTooManyRequests || code >= 500:
		return err.Then(fault.Step{Text: "try again later"}, elsewhere)
	}
	return err.Then(elsewhere)
}

// cannotWrite describes an error of the disk; nil if err is nil.
func cannotWrite(err error, path string) error {
	var onDisk *fs.PathError
	if errors.As(err, &onDisk) {
		path, err = onDisk.Path, onDisk.Err
	}
	kind, hint := fault.Failure, "name a directory elsewhere with BOARD_MODEL_DIR"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		kind, hint = fault.Full, "make room and run the same command again; or "+hint
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		kind, hint = fault.ReadOnly, "make "+filepath.Dir(path)+" writable for this user, or "+hint
	}
	return failure(kind, hint, err, "%s cannot be written", path)
}

// inBytes formats a size; small ones are exact.
func inBytes(n int64) string {
	if n < 100_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
