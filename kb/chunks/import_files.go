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

func (src *source) readFiles(ctx context.Context) error {
	if err := src.eachIn(ctx, chunkFolder, ".md", func(name, content string, modified time.Time) error {
		in, err := chunkOfFile(name, content, modified)
		if err == nil {
			src.chunks = append(src.chunks, in)
		}
		return err
	}); err != nil {
		return err
	}
	return src.eachIn(ctx, stateFolder, ".json", func(name, content string, modified time.Time) error {
		v := stateOfFile(name, content, modified)
		if why := v.complete(); why != "" {
			return errors.New(why)
		}
		src.states = append(src.states, v)
		return nil
	})
}

// eachIn calls take with every file of a folder, by name; it refuses what take fails for.
func (src *source) eachIn(ctx context.Context, folder, ending string, take func(name, content string, modified time.Time) error) error {
	dir := filepath.Join(src.path, folder)
	if !disk.IsDir(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return sourceError(dir, err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, is := strings.CutSuffix(e.Name(), ending)
		if !is {
			continue
		}
		path := filepath.Join(dir, e.Name())
		content, modified, err := readFile(path)
		if err == nil {
			err = take(name, content, modified)
		}
		if err != nil {
			src.refuse(path, err.Error())
		}
	}
	return nil
}

// maxFile is the most bytes of a file: the content and its front matter.
const maxFile = maxImported + markdown.MaxFront

func readFile(path string) (content string, modified time.Time, err error) {
	data, err := disk.Read(path, maxFile)
	switch {
	case errors.Is(err, disk.ErrNotRegular):
		return "", modified, errors.New("it is not a regular file")
	case errors.Is(err, disk.ErrTooLarge):
		return "", modified, fmt.Errorf("it is larger than %d bytes", maxFile)
	case err == nil:
		var info os.FileInfo
		if info, err = os.Stat(path); err == nil {
			return string(data), info.ModTime().UTC().Truncate(time.Millisecond), nil
		}
	}
	return "", modified, fmt.Errorf("it cannot be read: %w", disk.Cause(err)) // without the path, which the message has
}

// chunkOfFile reads a chunk that is a file: YAML between lines of dashes, then the content. Missing
// fields come from the file: its name is the id, its modification time the time.
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
	in.ID = cmp.Or(in.ID, name)
	in.setTimes(cmp.Or(meta["created"], meta["created_at"]), cmp.Or(meta["updated"], meta["updated_at"]), cmp.Or(meta["expires"], meta["expires_at"]))
	if in.Updated.IsZero() {
		in.Updated = modified
	}
	if why := in.complete(); why != "" {
		return in, errors.New(why)
	}
	return in, nil
}

// stateOfFile reads an object with key, value and time, or the value of the file's name.
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
