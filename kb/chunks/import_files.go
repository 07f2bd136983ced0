package chunks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/kb/markdown"
)

// eachFile calls chunk and state with every valid file of the folders.
func (src *source) eachFile(ctx context.Context, chunk func(incomingChunk) error, state func(State) error, refuse func(from, why string)) error {
	if err := eachIn(ctx, filepath.Join(src.path, chunkFolder), ".md", refuse, func(path, content string, modified time.Time) error {
		in, err := chunkOfFile(strings.TrimSuffix(filepath.Base(path), ".md"), content, modified)
		if err != nil {
			refuse(path, err.Error())
			return nil
		}
		return chunk(in)
	}); err != nil {
		return err
	}
	return eachIn(ctx, filepath.Join(src.path, stateFolder), ".json", refuse, func(path, content string, modified time.Time) error {
		v := stateOfFile(strings.TrimSuffix(filepath.Base(path), ".json"), content, modified)
		if why := v.complete(); why != "" {
			refuse(path, why)
			return nil
		}
		return state(v)
	})
}

// eachIn calls fn with every file of a folder that has the extension, ordered by name.
func eachIn(ctx context.Context, dir, ending string, refuse func(from, why string), fn func(path, content string, modified time.Time) error) error {
	entries, err := filesIn(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !strings.HasSuffix(e.Name(), ending) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		content, modified, err := readFile(path)
		if err != nil {
			refuse(path, err.Error())
			continue
		}
		if err := fn(path, content, modified); err != nil {
			return err
		}
	}
	return nil
}

// filesIn lists a folder; a missing folder is empty.
func filesIn(dir string) ([]os.DirEntry, error) {
	if !disk.IsDir(dir) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	return entries, sourceError(dir, err)
}

// maxFile is the most bytes of a file: the content and its front matter.
const maxFile = maxImported + markdown.MaxFront

// readFile reads a regular file of at most maxFile bytes.
func readFile(path string) (string, time.Time, error) {
	f, err := disk.Open(path)
	if errors.Is(err, disk.ErrNotRegular) {
		return "", time.Time{}, errors.New("it is not a regular file")
	}
	if err != nil {
		return "", time.Time{}, systemWords(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", time.Time{}, systemWords(err)
	}
	data, err := f.ReadAll(maxFile)
	if errors.Is(err, disk.ErrTooLarge) {
		return "", time.Time{}, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	if err != nil {
		return "", time.Time{}, systemWords(err)
	}
	return string(data), info.ModTime().UTC().Truncate(time.Millisecond), nil
}

// systemWords returns the system's error text without the path, which the message already
// has.
func systemWords(err error) error {
	return fmt.Errorf("it cannot be read: %w", disk.Cause(err))
}

// chunkOfFile reads a chunk that is a file: YAML between lines of dashes, then the
// content. Missing fields come from the file: its name is the id, its modification time
// the time.
func chunkOfFile(name, content string, modified time.Time) (in incomingChunk, err error) {
	content = text(content)
	fields, body, err := markdown.ReadFields(content)
	if err != nil {
		return in, err
	}
	if _, _, closed := markdown.Split(content); !closed && strings.HasPrefix(body, "---\n") {
		return in, errors.New("its front matter is not closed")
	}
	meta := map[string]string{}
	for _, f := range fields {
		if meta[f.Key], _ = f.Scalar(); f.Key == "tags" {
			in.Tags = tagsOf(&f)
		}
	}
	in.ID, in.Topic, in.Agent, in.Importance, in.Content = meta["id"], meta["topic"], meta["agent"], meta["importance"], strings.TrimSpace(body)
	if in.ID == "" {
		in.ID = name
	}
	in.setTimes(cmp.Or(meta["created"], meta["created_at"]), cmp.Or(meta["updated"], meta["updated_at"]), cmp.Or(meta["expires"], meta["expires_at"]))
	if in.Updated.IsZero() {
		in.Updated = modified
	}
	if why := in.complete(); why != "" {
		return in, errors.New(why)
	}
	return in, nil
}

// stateOfFile reads a state file: an object with key, value and time, or the value alone,
// whose key is then the file's name.
func stateOfFile(name, content string, modified time.Time) State {
	v := State{Key: name, Value: json.RawMessage(bytes.TrimSpace([]byte(strings.TrimPrefix(content, "\ufeff")))), Updated: modified}
	var whole struct {
		Key       string
		Value     json.RawMessage
		Updated   string
		UpdatedAt string `json:"updated_at"`
	}
	if json.Unmarshal(v.Value, &whole) != nil || whole.Key == "" || whole.Value == nil {
		return v
	}
	v.Key, v.Value = whole.Key, whole.Value
	for _, s := range []string{whole.Updated, whole.UpdatedAt} {
		if t, ok := parseTime(s); ok {
			v.Updated = t
		}
	}
	return v
}

// tagsOf returns the texts of a list; a single text is split at commas.
func tagsOf(f *markdown.Field) (tags []string) {
	if tags, ok := f.List(true); ok {
		return tags
	}
	for _, n := range f.Node.Content { // what is no text is left out
		if s, ok := markdown.Scalar(n); ok {
			tags = append(tags, s)
		}
	}
	return tags
}
