package chunks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"blackboard/board/disk"
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
	if !isDir(dir) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	return entries, sourceError(dir, err)
}

// maxFile is the most bytes of a file: the content and its front matter.
const maxFile = maxImported + maxFrontMatter

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
	meta, body, err := frontMatter(content)
	if err != nil {
		return in, err
	}
	one := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := scalar(meta[k]); ok && s != "" {
				return s
			}
		}
		return ""
	}
	in.ID, in.Topic, in.Agent, in.Importance, in.Tags, in.Content = one("id"), one("topic"), one("agent"), one("importance"), nodeTags(meta["tags"]), strings.TrimSpace(body)
	if in.ID == "" {
		in.ID = name
	}
	in.setTimes(one("created", "created_at"), one("updated", "updated_at"), one("expires", "expires_at"))
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

// maxFrontMatter is the most bytes of YAML in a file.
const maxFrontMatter = 256 << 10

// frontMatter returns the fields between the first line "---" and the next such line, and
// the rest of the file. A file that does not start with "---" has no fields.
func frontMatter(content string) (fields map[string]*yaml.Node, body string, err error) {
	content = strings.ReplaceAll(strings.TrimPrefix(text(content), "\ufeff"), "\r\n", "\n")
	rest, found := strings.CutPrefix(content, "---\n")
	if !found {
		return nil, content, nil
	}
	meta, body, found := strings.Cut("\n"+rest, "\n---")
	if !found {
		return nil, "", errors.New("its front matter is not closed")
	}
	if _, body, found = strings.Cut(body, "\n"); !found {
		body = ""
	}
	if len(meta) > maxFrontMatter {
		return nil, "", fmt.Errorf("its front matter is larger than %d bytes", maxFrontMatter)
	}
	root, err := loadYAML(meta)
	if err != nil {
		return nil, "", fmt.Errorf("its front matter is not YAML: %w", err)
	}
	fields = map[string]*yaml.Node{}
	if root.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(root.Content); i += 2 {
			fields[root.Content[i].Value] = root.Content[i+1]
		}
	}
	return fields, body, nil
}

// loadYAML reads YAML without interpreting it: values stay as written, and aliases are
// not followed.
func loadYAML(s string) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // a bug in the parser must not stop the import
			err = fmt.Errorf("%v", r)
		}
	}()
	root = &yaml.Node{}
	if err := yaml.Load([]byte(s), root); err != nil {
		return nil, errors.New(inLine(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	return root, nil
}

// scalar returns the text of a scalar value.
func scalar(n *yaml.Node) (string, bool) {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", false
	}
	return strings.TrimSpace(n.Value), true
}

// nodeTags returns the texts of a list; a scalar is split at commas.
func nodeTags(n *yaml.Node) []string {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if s, ok := scalar(n); ok {
		return strings.Split(s, ",")
	}
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	var tags []string
	for _, c := range n.Content {
		if s, ok := scalar(c); ok {
			tags = append(tags, s)
		}
	}
	return tags
}
