package memory

import (
	"context"
	"errors"
	"fmt"
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
	IsDefault     bool      `json:"is_default"`
	Created       time.Time `json:"created"`
	Conversations int       `json:"conversations"`
	Items         int       `json:"items"` // live ones that the caller may see
}

func (f *file) checkChannel(tx *sqlite.Tx, name string) error {
	n, err := sqlite.One[int](tx, `SELECT count(*) FROM channels WHERE name = ?`, name)
	if err == nil && n == 0 {
		return fault.NotFound.New(fmt.Sprintf("there is no channel %s", clip(name, 60)), "", channels, fault.Do("memory.channel.create", "{} makes one"))
	}
	return err
}

// describes brings what a channel is about into its form, or says what is wrong with it.
func (s *Store) describes(name, description string) (string, error) {
	if err := checkName("channel", name); err != nil {
		return "", err
	}
	description = strings.TrimSpace(description)
	if err := checkLine("the description", description, MaxField); err != nil {
		return "", err
	}
	return description, s.refuseSecrets("the name", name, "the description", description)
}

// CreateChannel makes a channel.
func (s *Store) CreateChannel(ctx context.Context, name, description string) (ChannelInfo, error) {
	description, err := s.describes(name, description)
	if err != nil {
		return ChannelInfo{}, err
	}
	c := ChannelInfo{Name: name, Description: description}
	err = s.writing(ctx, Channel, func(f *file, tx *sqlite.Tx) error {
		if f.checkChannel(tx, name) == nil {
			return conflict("there is a channel "+name+" already", "use it, or choose another name")
		}
		c.Created = tx.Now
		if _, err := tx.Exec(`INSERT INTO channels VALUES (?, ?, 0, ?)`, name, description, tx.Now.UnixMilli()); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: VerbChannel, Scope: Scope{Tier: Channel, Channel: name}.String(), Subject: name})
	})
	return c, err
}

// Channels returns the channels, the default one first, then by name.
func (s *Store) Channels(ctx context.Context) ([]ChannelInfo, error) {
	f, err := s.file(ctx, Channel, false)
	if errors.Is(err, errNoFile) {
		return []ChannelInfo{{Name: DefaultChannel, IsDefault: true, Created: s.now().UTC().Truncate(time.Millisecond)}}, nil // the first write makes it
	}
	if err != nil {
		return nil, err
	}
	var all []ChannelInfo
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		all, err = sqlite.All(tx, func(c *ChannelInfo) []any {
			return []any{&c.Name, &c.Description, &c.IsDefault, sqlite.Time(&c.Created), &c.Conversations, &c.Items}
		}, `SELECT name, description, is_default, created, (SELECT count(*) FROM conversations WHERE channel = name),
			(SELECT count(*) FROM items WHERE tier = 'channel' AND items.channel = name AND `+isLive+` AND agent IN ('', ?1)) FROM channels ORDER BY is_default DESC, name`, s.opt.Agent)
		return err
	})
	return all, err
}

// DescribeChannel says anew what a channel is about, "" for nothing. What it said before
// is gone for good, as after a scrub; what hinders that is noted.
func (s *Store) DescribeChannel(ctx context.Context, name, description string) (notes []string, err error) {
	if description, err = s.describes(name, description); err != nil {
		return nil, err
	}
	return s.changeChannel(ctx, name, VerbDescribed, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE channels SET description = ? WHERE name = ?`, description, name)
		return err
	})
}

// RemoveChannel removes a channel that holds nothing, for good.
func (s *Store) RemoveChannel(ctx context.Context, name string) (notes []string, err error) {
	if err := checkName("channel", name); err != nil {
		return nil, err
	}
	return s.changeChannel(ctx, name, VerbChannelGone, func(tx *sqlite.Tx) error {
		if name == DefaultChannel {
			return conflict("every workspace has the channel "+name, "its description can be changed")
		}
		var conversations, held int
		if err := tx.QueryRow(`SELECT (SELECT count(*) FROM conversations WHERE channel = ?1),
			(SELECT count(*) FROM items WHERE channel = ?1)`, name).Scan(&conversations, &held); err != nil {
			return err
		}
		if conversations+held > 0 {
			return conflict(fmt.Sprintf("the channel %s is not empty: %s, forgotten ones too; conversations: %d",
				name, items(held), conversations), "scrub what is in it first: the scopes channel:"+name+" and, with purge, its conversations")
		}
		_, err := tx.Exec(`DELETE FROM channels WHERE name = ?`, name)
		return err
	})
}

// changeChannel changes the row of a channel, and leaves nothing of it as it was in the
// file.
func (s *Store) changeChannel(ctx context.Context, name, verb string, change func(*sqlite.Tx) error) (notes []string, err error) {
	f, err := s.file(ctx, Channel, true)
	if err != nil {
		return nil, err
	}
	f.finishWipe(ctx)
	notes = []string{}
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if err := f.checkChannel(tx, name); err != nil {
			return err
		}
		if err := securely(tx, func() error { return change(tx) }); err != nil {
			return err
		}
		if err := f.event(tx, Event{Verb: verb, Scope: Scope{Tier: Channel, Channel: name}.String(), Subject: name}); err != nil {
			return err
		}
		return f.wipeAfter(tx, &notes)
	})
	return notes, err
}
