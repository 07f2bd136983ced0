package mcp

import (
	"fmt"
	"time"

	"blackboard/board"
)

func (s *Server) addSettleTools() {
	add(s, tool{name: "board_claim", title: "Take an open question", profile: ProfileRun,
		kind:  writes,
		about: "Take an open signal before you work on it. Claim again to extend."}, (*call).claim)
	add(s, tool{name: "board_address", title: "Answer an open question", profile: ProfileRun,
		kind: writes,
		about: "Answer an open signal with a new entry (content and its source), or with one " +
			"that is on the board (entry)."}, (*call).address)
	add(s, tool{name: "board_waive", title: "Leave a question open", profile: ProfileRun,
		kind:  writes,
		about: "Leave a signal unanswered, for a reason that is kept."}, (*call).waive)
	add(s, tool{name: "board_reopen", title: "Open a question again", rare: true,
		profile: ProfileRun, kind: writes,
		about: "Open an answered or waived signal again."}, (*call).reopen)
	add(s, tool{name: "board_link", title: "Link two entries", rare: true, profile: ProfileRun,
		kind:  writes,
		about: "Link an entry to others after it was posted."}, (*call).link)
	add(s, tool{name: "board_settle", title: "Say why two findings are no conflict",
		profile: ProfileRun, kind: writes,
		about: "Say why two findings that seem to conflict both hold."}, (*call).settle)
}

type claimIn struct {
	on
	Signal       string  `json:"signal,omitempty" jsonschema:"default the most urgent that is free"`
	MinPriority  string  `json:"min_priority,omitempty" enum:"priorities" rare:"true"`
	LeaseMinutes float64 `json:"lease_minutes,omitempty" min:"0.1" max:"1440" default:"15" rare:"true"`
	Release      bool    `json:"release,omitempty" jsonschema:"give it back"`
}

type signalResult struct {
	Run    string    `json:"run"`
	Signal signalOut `json:"signal"`
}

// signalSaid is the answer about one signal.
func (c *call) signalSaid(what, run string, s *board.Signal) (signalResult, string) {
	c.room = min(c.room, echoTokens)
	return fitted(c, func(k cut) (signalResult, string) {
		o := k.signal(s)
		return signalResult{run, o}, what + ": " + o.line()
	})
}

type claimOut struct {
	signalResult
	Since string `json:"since,omitempty" jsonschema:"when it was claimed before, under the same name: this extends the lease"`
}

func (c *call) claim(in claimIn) (out claimOut, text string, err error) {
	if in.Worker == "" && c.anonymous() {
		return out, "", badArgument("give worker, a name that no other client uses",
			"over HTTP other clients may call themselves %s too, and could release the claim",
			c.client)
	}
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	if in.Release && in.Signal == "" {
		return out, "", badArgument("give its id, such as s3",
			"release takes the signal that is given back")
	}
	lease := time.Duration(in.LeaseMinutes * float64(time.Minute))
	err = c.onBoard(in.Run, true, func(b *board.Board) (err error) {
		var s board.Signal
		verb, note := "Claimed", ""
		switch {
		case in.Release:
			verb = "Released"
			s, err = b.Release(c.ctx, who, in.Signal, false)
		case in.Signal == "":
			s, err = b.ClaimNext(c.ctx, who, in.MinPriority, lease)
		default:
			var claimed board.Claimed
			claimed, err = b.Claim(c.ctx, who, in.Signal, lease)
			if s = claimed.Signal; claimed.Since != nil {
				out.Since = timeText(*claimed.Since)
				note = fmt.Sprintf("; it was already claimed by this name, at %s, and the lease "+
					"is extended", out.Since)
			}
		}
		if err != nil {
			return err
		}
		out.signalResult, text = c.signalSaid(verb+" in "+b.Run(), b.Run(), &s)
		text += note
		return nil
	})
	return out, text, err
}

type addressIn struct {
	on
	Signal  string `json:"signal" jsonschema:"s3"`
	Entry   string `json:"entry,omitempty" jsonschema:"the answer, if it is on the board"`
	Content string `json:"content,omitempty" jsonschema:"the answer"`
	Type    string `json:"type,omitempty" enum:"entry_types" default:"analysis" rare:"true"`
	source
	Confidence  *float64 `json:"confidence,omitempty" min:"0" max:"1" rare:"true"`
	MustSurface bool     `json:"must_surface,omitempty" jsonschema:"the report has to carry it"`
	Supersedes  []string `json:"supersedes,omitempty" rare:"true"`
	Key         string   `json:"key,omitempty" rare:"true"`
}

type addressOut struct {
	signalResult
	Entry   string      `json:"entry" jsonschema:"the entry that answers it"`
	Checked *checkedOut `json:"checked,omitempty" jsonschema:"the answer held against its source"`
}

func (c *call) address(in addressIn) (out addressOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	if (in.Entry == "") == (in.Content == "") {
		return out, "", badArgument("give one of entry and content",
			"a signal is answered by an entry that is there, or by a new one")
	}
	err = c.onBoard(in.Run, true, func(b *board.Board) (err error) {
		var s board.Signal
		var checked *checkedOut
		if out.Entry = in.Entry; in.Entry != "" {
			s, err = b.Address(c.ctx, who, in.Signal, in.Entry)
		} else {
			var p board.Posted
			doc, place, quote := in.parts()
			p, s, err = b.PostAddressing(c.ctx, who, in.Signal, board.Post{Type: in.Type,
				Content: in.Content, SourceDoc: doc, SourceRef: place, Evidence: quote,
				Confidence: in.Confidence, MustSurface: in.MustSurface, Supersedes: in.Supersedes,
				Key: in.Key})
			if out.Entry = p.Entry.ID; err == nil {
				checked = c.checkPosted(b, who, &p)
			}
		}
		if err != nil {
			return err
		}
		out.signalResult, text = c.signalSaid(fmt.Sprintf("Answered by %s in %s", out.Entry,
			b.Run()), b.Run(), &s)
		out.Checked = checked
		text += checked.lines(out.Entry)
		return nil
	})
	return out, text, err
}

type waiveIn struct {
	on
	Signal string `json:"signal" jsonschema:"s3"`
	Reason string `json:"reason" jsonschema:"why it stays open; the report has it"`
}

func (c *call) waive(in waiveIn) (out signalResult, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(in.Run, true, func(b *board.Board) error {
		s, err := b.Waive(c.ctx, who, in.Signal, in.Reason)
		if err != nil {
			return err
		}
		out, text = c.signalSaid("Waived in "+b.Run(), b.Run(), &s)
		return nil
	})
	return out, text, err
}

type reopenIn struct {
	on
	Signal string `json:"signal" jsonschema:"s3"`
	Note   string `json:"note,omitempty" jsonschema:"why; it is kept"`
}

func (c *call) reopen(in reopenIn) (out signalResult, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(in.Run, true, func(b *board.Board) error {
		s, err := b.Reopen(c.ctx, who, in.Signal, in.Note)
		if err != nil {
			return err
		}
		out, text = c.signalSaid("Opened again in "+b.Run(), b.Run(), &s)
		return nil
	})
	return out, text, err
}

type linkIn struct {
	on
	Entry       string   `json:"entry" jsonschema:"e12"`
	Supports    []string `json:"supports,omitempty" jsonschema:"entries it backs"`
	Contradicts []string `json:"contradicts,omitempty" jsonschema:"entries it disputes"`
	Supersedes  []string `json:"supersedes,omitempty" rare:"true"`
	Addresses   []string `json:"addresses,omitempty" jsonschema:"signals it answers"`
	DropDuty    string   `json:"drop_duty,omitempty" jsonschema:"as in board_post"`
}

type linkOut struct {
	Run      string   `json:"run"`
	Entry    entryOut `json:"entry"`
	Reopened []string `json:"reopened,omitempty" jsonschema:"as in board_post"`
}

func (c *call) link(in linkIn) (out linkOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(in.Run, true, func(b *board.Board) error {
		links := board.Links{Supports: in.Supports, Contradicts: in.Contradicts,
			Supersedes: in.Supersedes, Addresses: in.Addresses}
		l, err := b.LinkDropping(c.ctx, who, in.Entry, links, in.DropDuty)
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (linkOut, string) {
			e := k.entry(&l.Entry)
			return linkOut{b.Run(), e, l.Reopened}, fmt.Sprintf("Linked in %s%s: %s", b.Run(),
				openAgain(l.Reopened), e.block())
		})
		return nil
	})
	return out, text, err
}

type settleIn struct {
	on
	Entry  string `json:"entry" jsonschema:"e12"`
	Other  string `json:"other" jsonschema:"the entry it disputes"`
	Reason string `json:"reason" jsonschema:"why both hold"`
}

type settleOut struct {
	Run    string `json:"run"`
	Entry  string `json:"entry" jsonschema:"the older one"`
	Other  string `json:"other"`
	Reason string `json:"reason"`
}

func (c *call) settle(in settleIn) (out settleOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(in.Run, true, func(b *board.Board) error {
		s, err := b.Settle(c.ctx, who, in.Entry, in.Other, in.Reason)
		if err != nil {
			return err
		}
		c.room = echoTokens
		out, text = fitted(c, func(k cut) (settleOut, string) {
			out := settleOut{b.Run(), s.A, s.B, k.text(s.Reason, "", "")}
			return out, fmt.Sprintf("Settled in %s: %s and %s are no conflict: %s", out.Run, s.A,
				s.B, inLine(out.Reason))
		})
		return nil
	})
	return out, text, err
}
