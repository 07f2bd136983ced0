package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// DefaultChannel is the channel that every workspace has.
const DefaultChannel = "general"

// ChannelInfo is a topic that conversations of a workspace share.
type ChannelInfo struct {
	Name          string    `json:"name"`
	Description   string    `json:"description"`
	IsDefault     bool      `json:"is_default"` // whether it is the channel general
	Created       time.Time `json:"created"`
	Conversations int       `json:"conversations"` // number of conversations
	Items         int       `json:"items"`         // active items that the caller may see
}

func (f *file) checkChannel(tx *sqlite.Tx, name string) error {
	n, err := sqlite.One[int](tx, `SELECT count(*) FROM channels WHERE name = ?`, name)
	if err == nil && n == 0 {
		return fault.NotFound.New(fmt.Sprintf("channel %s not found", clip(name, 60)), "",
			showChannels, fault.Do("memory.channel.create", "{} creates it"))
	}
	return err
}

func (f *file) channelEvent(tx *sqlite.Tx, verb, name string) error {
	return f.event(tx, Event{Verb: verb, Subject: name,
		Scope: Scope{Tier: Channel, Channel: name}.String()})
}

func (s *Store) checkDescription(name, description string) (string, error) {
	if err := checkName("channel", name); err != nil {
		return "", err
	}
	description = strings.TrimSpace(description)
	if err := checkLine("the description", description, MaxField); err != nil {
		return "", err
	}
	return description, s.refuseSecrets("the name", name, "the description", description)
}

func (s *Store) CreateChannel(ctx context.Context, name, description string) (ChannelInfo, error) {
	description, err := s.checkDescription(name, description)
	if err != nil {
		return ChannelInfo{}, err
	}
	c := ChannelInfo{Name: name, Description: description}
	err = s.writing(ctx, Channel, func(f *file, tx *sqlite.Tx) error {
		if f.checkChannel(tx, name) == nil {
			return conflict("there is already a channel "+name,
				"use it, or choose another name")
		}
		c.Created = tx.Now
		if _, err := tx.Exec(`INSERT INTO channels VALUES (?, ?, 0, ?)`, name, description,
			tx.Now.UnixMilli()); err != nil {
			return err
		}
		return f.channelEvent(tx, VerbChannel, name)
	})
	return c, err
}

// Channels returns the channels, the default one first, then by name.
func (s *Store) Channels(ctx context.Context) (all []ChannelInfo, err error) {
	err = s.reading(ctx, Channel, func(_ *file, tx *sqlite.Tx) error {
		all, err = sqlite.All(tx, func(c *ChannelInfo) []any {
			return []any{&c.Name, &c.Description, &c.IsDefault, sqlite.Time(&c.Created),
				&c.Conversations, &c.Items}
		}, `SELECT name, description, is_default, created, (SELECT count(*) FROM conversations
			WHERE channel = name),
			(SELECT count(*) FROM items WHERE tier = 'channel' AND items.channel = name
			AND `+isLive+` AND agent IN ('', ?1)) FROM channels ORDER BY is_default DESC, name`, s.opt.Agent)
		return err
	})
	if err == nil && all == nil { // the first write creates it
		all = []ChannelInfo{{Name: DefaultChannel, IsDefault: true,
			Created: s.now().UTC().Truncate(time.Millisecond)}}
	}
	return all, err
}

// DescribeChannel sets the description; the old one is wiped, obstacles are noted.
func (s *Store) DescribeChannel(ctx context.Context, name, description string) (
	notes []string, err error) {
	if description, err = s.checkDescription(name, description); err != nil {
		return nil, err
	}
	return s.changeChannel(ctx, name, VerbDescribed, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE channels SET description = ? WHERE name = ?`, description, name)
		return err
	})
}

// RemoveChannel deletes an empty channel.
func (s *Store) RemoveChannel(ctx context.Context, name string) (notes []string, err error) {
	if err := checkName("channel", name); err != nil {
		return nil, err
	}
	return s.changeChannel(ctx, name, VerbChannelGone, func(tx *sqlite.Tx) error {
		if name == DefaultChannel {
			return conflict("every workspace has the channel "+name,
				"its description can be changed")
		}
		var conversations, held int
		if err := tx.QueryRow(`SELECT (SELECT count(*) FROM conversations WHERE channel = ?1),
			(SELECT count(*) FROM items
			WHERE channel = ?1)`, name).Scan(&conversations, &held); err != nil {
			return err
		}
		if conversations+held > 0 {
			return conflict(fmt.Sprintf("the channel %s is not empty: %s including forgotten ones; conversations: %d",
				name, items(held), conversations),
				"scrub what is in it first: the scopes channel:"+name+
					" and, with purge, its conversations")
		}
		_, err := tx.Exec(`DELETE FROM channels WHERE name = ?`, name)
		return err
	})
}

// changeChannel changes the row of a channel and wipes its old content from the file.
func (s *Store) changeChannel(ctx context.Context, name, verb string,
	change func(*sqlite.Tx) error) (notes []string, err error) {
	f, err := s.file(ctx, Channel, true)
	if err != nil {
		return nil, err
	}
	f.FinishWipe(ctx)
	notes = []string{}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if err := f.checkChannel(tx, name); err != nil {
			return err
		}
		if err := f.Wipe(tx, &notes, func() error { return change(tx) }); err != nil {
			return err
		}
		return f.channelEvent(tx, verb, name)
	})
	return notes, err
}

// Workspaces returns the workspaces with a readable memory, for maintenance.
func Workspaces(ctx context.Context, home string) ([]string, error) {
	paths, err := Paths(home)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range paths {
		if name == AccountPath(home) {
			continue
		}
		dir, err := ownerOf(ctx, name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && filepath.IsAbs(dir) && WorkspacePath(home, dir) == name {
			all = append(all, dir)
		}
	}
	return all, nil
}

func ownerOf(ctx context.Context, path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, os.ErrInvalid)
	}
	db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
	if err != nil {
		return "", err
	}
	defer db.Close()
	var owner string
	err = db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		if owner, err = ownerIn(tx); err == nil && owner == "" {
			err = fs.ErrNotExist // not used yet
		}
		return err
	})
	dir, _ := strings.CutPrefix(owner, "workspace ")
	return dir, err
}

const adoptHint = "files cannot be moved to combine two memories; export this one, and repeat the command in a workspace without a memory"

// CheckAdopt refuses who may not adopt, and what is no other directory.
func (s *Store) CheckAdopt(from string) error {
	if err := s.allowed(Workspace); err != nil {
		return err
	}
	if !s.opt.Author {
		return fault.Denied.New("only a person may adopt the memory of another workspace",
			"ask the person", forAuthor)
	}
	if !filepath.IsAbs(from) || from == s.opt.Workspace {
		return invalid(fmt.Sprintf("%q is not another workspace", clip(from, 200)),
			"give the absolute path that the project had", showWorkspaces)
	}
	return nil
}

func HasMemory(home, workspace string) bool {
	_, err := os.Lstat(WorkspacePath(home, workspace))
	return err == nil
}

// Adopt gives this workspace the memory of another directory, for a project that was
// moved. The other directory must be gone, and this workspace must have no memory;
// otherwise export and import. Only a person may do it. If it is interrupted, repeat it.
func (s *Store) Adopt(ctx context.Context, from string) error {
	from = filepath.Clean(from)
	if err := s.CheckAdopt(from); err != nil {
		return err
	}
	if _, err := os.Stat(from); err == nil {
		return conflict(from+" still exists, so its memory belongs to it",
			"export it there and import it here")
	}
	old, path := WorkspacePath(s.home, from), WorkspacePath(s.home, s.opt.Workspace)
	owner := "workspace " + s.opt.Workspace
	half := false // moved but not renamed: an interrupted adoption
	if have, err := ownerOf(ctx, path); err == nil && have == from {
		half = true
	} else if err == nil && HasMemory(s.home, from) {
		return conflict("there is already a memory for "+s.opt.Workspace, adoptHint)
	}
	if !half {
		if have, err := ownerOf(ctx, old); err != nil || have != from {
			return fault.NotFound.New("no memory found for "+from, "", showWorkspaces)
		}
		select {
		case s.opening <- struct{}{}:
			defer func() { <-s.opening }()
		case <-ctx.Done():
			return ctx.Err()
		}
		// started meanwhile
		if err := sqlite.Rename(ctx, old, path, nil); errors.Is(err, fs.ErrExist) {
			return conflict("there is already a memory for "+s.opt.Workspace, adoptHint)
		} else if err != nil {
			return fmt.Errorf("adopt the memory of %s: %w", from, err)
		}
	}
	db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetNow(s.now)
	f := &file{s: s, File: kind.On(db)}
	return db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.Exec(`UPDATE meta SET value = ? WHERE key = 'owner'`, owner); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: VerbAdopted, Scope: Workspace, Subject: Workspace})
	})
}
