package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
)

// stallTime is how long a server may send nothing. A whole download has no limit, since
// 90 MB may take an hour.
const stallTime = 30 * time.Second

var errStalled = errors.New("it stalled")

// errAbsent means that the source has no such file.
var errAbsent = errors.New("no such file there")

// fetcher downloads the files of one model from one source into a staging directory.
type fetcher struct {
	opts *PullOptions
	from source
}

// source is where files come from; one of the two fields is set.
type source struct {
	base *url.URL // the files lie below it
	dir  string
}

func (s source) String() string {
	if s.base != nil {
		return s.base.Redacted()
	}
	return s.dir
}

// where names the source for messages.
func (s source) where() string {
	if s.base != nil {
		return s.base.Host
	}
	return s.dir
}

// fetch downloads one file to the path to. It returns errAbsent if the source has none.
// The file is complete and has the known checksum, or it is not written.
func (f *fetcher) fetch(ctx context.Context, file File, to string) (File, error) {
	sum := sha256.New()
	part := to + partSuffix
	var err error
	if f.from.base == nil {
		err = f.copyFile(ctx, file, part, sum)
	} else {
		err = f.download(ctx, file, part, sum)
	}
	if err != nil {
		return file, err
	}
	got := hex.EncodeToString(sum.Sum(nil))
	if file.SHA256 != "" && got != file.SHA256 {
		removePart(part)
		err := failure(fault.Failure, "", nil, "%s from %s is not the published file: its SHA-256 is %s, not %s", file.Name, f.from.where(), got, file.SHA256)
		if f.from.base == nil {
			return file, err.Then(fault.Do("model.pull", "if another model is meant, name it: {}", "name", "NAME", "from", f.from.dir))
		}
		return file, err.Then(fault.Step{Text: "what was fetched is deleted, and the same command begins anew; if it ends so again, " + f.from.where() + " has another file"}, elsewhere)
	}
	info, err := os.Stat(part)
	if err != nil {
		return file, cannotWrite(err, part)
	}
	file.Bytes, file.SHA256 = info.Size(), got
	os.Remove(part + tagSuffix) // it may not exist
	if err := os.Rename(part, to); err != nil {
		return file, cannotWrite(err, to)
	}
	return file, nil
}

const (
	// partSuffix marks an incomplete file.
	partSuffix = ".part"
	// tagSuffix is for the file that stores the ETag of an incomplete file without a
	// known checksum.
	tagSuffix = ".tag"
)

func removePart(part string) {
	os.Remove(part)
	os.Remove(part + tagSuffix)
}

// copyFile copies from a directory, always from the start.
func (f *fetcher) copyFile(ctx context.Context, file File, part string, sum hash.Hash) error {
	in, err := os.Open(file.in(f.from.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return errAbsent
	}
	if err != nil {
		return failure(fault.Failure, "make it readable for this user", err, "a file of the model cannot be opened")
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return failure(fault.Failure, "name a directory that holds a model", err, "%s is not a file", in.Name())
	}
	if err := f.opts.room(info.Size(), file.Name); err != nil {
		return err
	}
	out, err := openPart(part, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	return f.save(ctx, file, in, out, sum, 0, info.Size())
}

// download gets a file over HTTP, and resumes an incomplete one.
func (f *fetcher) download(ctx context.Context, file File, part string, sum hash.Hash) error {
	have, tag := f.resumable(file, part)
	if have > 0 && have == file.Bytes { // complete, but interrupted before it was checked
		return hashFile(part, have, sum)
	}
	address := f.from.base.JoinPath(file.Name)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alive := time.AfterFunc(f.opts.stall, func() { cancel(errStalled) })
	defer alive.Stop()

	resp, err := f.get(ctx, address, have, tag)
	// the file at the source is shorter than our part
	if err == nil && resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0 {
		resp.Body.Close()
		removePart(part)
		have = 0
		resp, err = f.get(ctx, address, 0, "")
	}
	if err != nil {
		return f.networkError(ctx, err, file, have)
	}
	defer resp.Body.Close()
	total := resp.ContentLength
	switch resp.StatusCode {
	// also from a server without ranges, or with another file than before
	case http.StatusOK:
		have = 0
	case http.StatusPartialContent:
		var start, size int64
		if start, size, err = contentRange(resp.Header.Get("Content-Range")); err != nil || start != have {
			removePart(part)
			return failure(fault.Failure, "run the same command again: it starts over", err, "%s sent another part of %s than was asked for", f.from.where(), file.Name)
		}
		total = size
	default:
		return f.statusError(resp, file)
	}
	if file.Bytes > 0 && total >= 0 && total != file.Bytes {
		return failure(fault.Failure, "", nil, "%s from %s is not the published file: it has %s, not %s", file.Name, f.from.where(), inBytes(total), inBytes(file.Bytes)).Then(elsewhere)
	}
	if total < 0 {
		total = file.Bytes // 0 if that is unknown, too
	}
	if err := f.opts.room(total-have, file.Name); err != nil {
		return err
	}
	if err := hashFile(part, have, sum); err != nil {
		return err
	}
	out, err := openPart(part, have)
	if err != nil {
		return err
	}
	defer out.Close()
	if have == 0 && file.SHA256 == "" { // otherwise the tag exists, or is not needed
		if err := f.writeTag(part, resp.Header.Get("ETag")); err != nil {
			return cannotWrite(err, part)
		}
	}
	body := &aliveReader{resp.Body, alive, f.opts.stall}
	return f.save(ctx, file, body, out, sum, have, total)
}

// resumable returns how much of a file exists already, and the validator for the request
// of the rest. With a known checksum no validator is needed: a mismatch will be detected.
func (f *fetcher) resumable(file File, part string) (have int64, tag string) {
	info, err := os.Stat(part)
	if err != nil || !info.Mode().IsRegular() || file.Bytes > 0 && info.Size() > file.Bytes {
		return 0, ""
	}
	if file.SHA256 != "" {
		return info.Size(), ""
	}
	data, _ := os.ReadFile(part + tagSuffix) // without it: from the start
	from, tag, _ := strings.Cut(string(data), "\n")
	if from != f.from.String() || tag == "" {
		return 0, ""
	}
	return info.Size(), tag
}

// writeTag stores a strong ETag. With a weak one, or none, a download cannot be resumed.
func (f *fetcher) writeTag(part, tag string) error {
	if !strings.HasPrefix(tag, `"`) {
		os.Remove(part + tagSuffix)
		return nil
	}
	return os.WriteFile(part+tagSuffix, []byte(f.from.String()+"\n"+tag), 0o600)
}

func (f *fetcher) get(ctx context.Context, address *url.URL, have int64, tag string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "board")
	// so that lengths and ranges are those of the file itself
	req.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		if tag != "" {
			req.Header.Set("If-Range", tag)
		}
	}
	return f.opts.client.Do(req)
}

// contentRange parses "bytes 5-9/10". size is -1 if it is missing.
func contentRange(s string) (start, size int64, err error) {
	span, total, ok := strings.Cut(strings.TrimPrefix(s, "bytes "), "/")
	first, _, ok2 := strings.Cut(span, "-")
	if total == "*" {
		total = "-1"
	}
	start, err1 := strconv.ParseInt(first, 10, 64)
	size, err2 := strconv.ParseInt(total, 10, 64)
	if !ok || !ok2 || err1 != nil || err2 != nil {
		return 0, 0, fmt.Errorf("its range is %q", s)
	}
	return start, size, nil
}

// aliveReader extends the deadline of a transfer while bytes arrive.
type aliveReader struct {
	io.Reader
	alive *time.Timer
	stall time.Duration
}

func (r *aliveReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n > 0 {
		r.alive.Reset(r.stall)
	}
	return n, err
}

// maxWeights is larger than any ONNX file, which is a protobuf message. It keeps an
// endless response from filling the disk.
const maxWeights = 2 << 30

// save appends what is received to the incomplete file, of which have bytes exist and are
// hashed, and syncs it. total is 0 if unknown.
func (f *fetcher) save(ctx context.Context, file File, in io.Reader, out *os.File, sum hash.Hash, have, total int64) error {
	limit := int64(maxConfig)
	if strings.HasSuffix(file.Name, ".onnx") {
		limit = maxWeights
	}
	buf := make([]byte, 256<<10)
	done := have
	var last time.Time
	var readErr error
	for readErr == nil {
		if readErr = ctx.Err(); readErr != nil {
			break
		}
		var n int
		n, readErr = in.Read(buf)
		if done+int64(n) > limit {
			out.Close()
			removePart(out.Name())
			return failure(fault.Failure, "", nil, "%s from %s is larger than %s, the limit for such a file", file.Name, f.from.where(), inBytes(limit)).Then(elsewhere)
		}
		if _, err := out.Write(buf[:n]); err != nil {
			out.Sync() // keep what was written
			return cannotWrite(err, out.Name())
		}
		sum.Write(buf[:n]) // a hash never fails
		done += int64(n)
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond || readErr == io.EOF {
			last = now
			f.opts.progress(Progress{File: file.Name, Done: done, Total: total})
		}
	}
	if err := out.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return cannotWrite(err, out.Name())
	}
	if err := out.Close(); err != nil {
		return cannotWrite(err, out.Name())
	}
	if readErr == io.EOF && total > 0 && done < total {
		readErr = io.ErrUnexpectedEOF
	}
	if readErr != io.EOF {
		return f.networkError(ctx, readErr, file, done)
	}
	return nil
}

// openPart opens the incomplete file for writing after have bytes.
func openPart(part string, have int64) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(part), 0o700); err != nil {
		return nil, cannotWrite(err, part)
	}
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, cannotWrite(err, part)
	}
	if info, e := out.Stat(); e == nil && info.Mode().IsRegular() {
		err = out.Truncate(have)
	}
	if err == nil {
		_, err = out.Seek(have, io.SeekStart)
	}
	if err != nil {
		out.Close()
		return nil, cannotWrite(err, part)
	}
	return out, nil
}

// hashFile adds the first n bytes of a file to a hash.
func hashFile(path string, n int64, sum hash.Hash) error {
	if n == 0 {
		return nil
	}
	in, err := os.Open(path)
	if err != nil {
		return cannotWrite(err, path)
	}
	defer in.Close()
	_, err = io.CopyN(sum, in, n)
	return cannotWrite(err, path)
}

// sumOf returns a file's SHA-256 and size.
func sumOf(path string) (string, int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer in.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, in)
	return hex.EncodeToString(sum.Sum(nil)), n, err
}
