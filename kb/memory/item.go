package memory

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/kb/store"
)

// Tiers, the narrowest first. They do not inherit: a read names those that it wants.
const (
	Conversation = "conversation" // one exchange
	Channel      = "channel"      // a topic that conversations of a workspace share
	Workspace    = "workspace"    // a project
	Account      = "account"      // a person, in all projects
)

// Tiers lists them.
var Tiers = []string{Conversation, Channel, Workspace, Account}

// Who produced an item.
const (
	CuratorAgent  = "agent"  // an agent's decision, or consolidation
	CuratorAuthor = "author" // the person
	CuratorImport = "import" // another memory, from which it was brought here
)

// Curators lists them.
var Curators = []string{CuratorAgent, CuratorAuthor, CuratorImport}

// Lifetimes of an item.
const (
	LongTerm         = "long_term"    // until somebody forgets it
	ShortTerm        = "short_term"   // until consolidation promotes or prunes it
	LifeConversation = "conversation" // until its conversation is archived
)

// Lifetimes lists them.
var Lifetimes = []string{LongTerm, ShortTerm, LifeConversation}

// Rules by which an item is forgotten. Each forgotten item has one of them, or names what replaced it, or both.
const (
	RuleAsked        = "asked"        // somebody said so
	RuleExpired      = "expired"      // its time was over
	RuleMerged       = "merged"       // another makes the same statement
	RuleConsolidated = "consolidated" // it was rewritten into another
	RuleUndone       = "undone"       // the rewrite that made it was undone

	// Rules of earlier versions, which forgot what is archived now.
	RulePruned = "pruned" // by age, which earlier versions did
	RuleCap    = "cap"    // its scope held more than Cap
	RuleEnded  = "ended"  // its conversation was archived
)

// Limits of what an item takes.
const (
	MaxContent = 10_000 // characters
	MaxTitle   = 300    // characters
	MaxField   = 1000   // bytes of a source, a derivation link
	MaxTag     = 100    // bytes
	MaxTags    = 64     // of one item
	MaxName    = 64     // bytes of the name of a channel, a named entry, a scratch key
	MaxAgent   = 200    // bytes of an agent's name
)

// Item is one thing remembered.
type Item struct {
	ID           string     `json:"id"`
	Tier         string     `json:"tier"`
	Channel      string     `json:"channel"`      // of the channel tier
	Conversation string     `json:"conversation"` // of the conversation tier; elsewhere the one that it came from
	Agent        string     `json:"agent"`        // whose it is alone; "": everybody's
	Title        string     `json:"title"`
	Content      string     `json:"content"`
	Curator      string     `json:"curator"`
	Source       string     `json:"source"`
	Importance   float64    `json:"importance"` // 0 to 1
	Lifetime     string     `json:"lifetime"`
	Tags         []string   `json:"tags"`
	Accesses     int        `json:"access_count"`
	Created      time.Time  `json:"created"`
	Updated      time.Time  `json:"updated"`
	Accessed     time.Time  `json:"accessed"`
	Expires      *time.Time `json:"expires"`
	DerivedFrom  string     `json:"derived_from"` // a file, a URL, kb:CAPSULE, board:RUN/ENTRY, memory:ITEM
	Revision     int        `json:"revision"`     // 1 for a new one, one more with each change
	Archived     *time.Time `json:"archived"`     // out of sight, and not forgotten
	Forgotten    *time.Time `json:"forgotten"`
	Rule         string     `json:"rule"`        // by which it was forgotten
	ReplacedBy   string     `json:"replaced_by"` // the item that has taken its place
	Why          string     `json:"why"`         // what was said when it was forgotten; among revisions, when it was changed
	Model        string     `json:"embedding_model"`
	Dim          int        `json:"dim"`

	n int64
}

// Scope is where an item is: a tier, with the channel or the conversation of the tiers that have several.
type Scope struct {
	Tier         string `json:"tier"`
	Channel      string `json:"channel"`
	Conversation string `json:"conversation"`
}

// Scope returns where the item is.
func (it *Item) Scope() Scope {
	s := Scope{Tier: it.Tier, Channel: it.Channel}
	if it.Tier == Conversation {
		s.Conversation = it.Conversation
	}
	return s
}

// Live reports whether reads find the item: it is neither archived nor forgotten.
func (it *Item) Live() bool { return it.Forgotten == nil && it.Archived == nil }

// String writes the scope as ParseScope reads it: "account", "workspace", "channel:general", "conversation:4Zk8Qp1mXaB".
func (s Scope) String() string {
	switch s.Tier {
	case Channel:
		return s.Tier + ":" + s.Channel
	case Conversation:
		return s.Tier + ":" + s.Conversation
	}
	return s.Tier
}

// ParseScope reads what Scope.String writes.
func ParseScope(text string) (Scope, error) {
	tier, name, named := strings.Cut(text, ":")
	s := Scope{Tier: tier}
	switch tier {
	case Channel:
		s.Channel = name
	case Conversation:
		s.Conversation = name
	case Workspace, Account:
		if named {
			return s, invalid(fmt.Sprintf("the scope %q has a name that its tier does not take", clip(text, 60)), "write "+tier)
		}
	}
	if !slices.Contains(Tiers, tier) {
		return s, unknown("scope", text, []string{Account, Workspace, Channel + ":NAME", Conversation + ":REF"})
	}
	return s, s.check()
}

func (s Scope) check() error {
	switch s.Tier {
	case Channel:
		if err := checkName("channel", s.Channel); err != nil {
			return err
		}
	case Conversation:
		return checkRef(s.Conversation)
	case Workspace, Account:
	default:
		return unknown("tier", s.Tier, Tiers)
	}
	return nil
}

// Levels are words for importances, the lowest first.
var Levels = []struct {
	Name  string
	Value float64
}{{"low", .25}, {"medium", .5}, {"high", .75}, {"critical", 1}}

// ParseImportance reads a level, or a number from 0 to 1.
func ParseImportance(s string) (float64, error) {
	for _, l := range Levels {
		if s == l.Name {
			return l.Value, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, invalid(fmt.Sprintf("the importance %q is neither a level nor a number from 0 to 1", clip(s, 40)), hintLevels)
	}
	return f, nil
}

// hintLevels says what the levels stand for.
const hintLevels = "low is .25, medium .5, high .75, critical 1"

func checkImportance(f float64) error {
	if !(f >= 0 && f <= 1) { // nor NaN
		return invalid(fmt.Sprintf("the importance %g is not between 0 and 1", f), hintLevels)
	}
	return nil
}

// Level names an importance by the nearest level.
func Level(importance float64) string {
	best := Levels[0]
	for _, l := range Levels {
		if math.Abs(l.Value-importance) <= math.Abs(best.Value-importance) {
			best = l
		}
	}
	return best.Name
}

// normalise brings an item that is about to be stored into its form, or says what is wrong with it.
func (it *Item) normalise() error {
	it.Content = strings.TrimSpace(it.Content)
	it.Title = strings.Join(strings.Fields(it.Title), " ")
	it.Source = strings.TrimSpace(it.Source)
	it.DerivedFrom = strings.TrimSpace(it.DerivedFrom)
	it.Why = clip(strings.ToValidUTF8(it.Why, "�"), maxWhy)
	if err := checkContent(it.Content); err != nil {
		return err
	}
	for _, f := range []struct {
		what, text string
		most       int
	}{{"the title", it.Title, MaxTitle * utf8.UTFMax}, {"the source", it.Source, MaxField}, {"the derivation link", it.DerivedFrom, MaxField}} {
		if err := checkLine(f.what, f.text, f.most); err != nil {
			return err
		}
	}
	if n := utf8.RuneCountInString(it.Title); n > MaxTitle {
		return invalid(fmt.Sprintf("the title has %d characters; at most %d are taken", n, MaxTitle), "say the rest in the content")
	}
	if err := checkImportance(it.Importance); err != nil {
		return err
	}
	if !slices.Contains(Curators, it.Curator) {
		return unknown("curator", it.Curator, Curators)
	}
	if it.Lifetime == "" {
		it.Lifetime = ShortTerm
		if it.Tier == Conversation {
			it.Lifetime = LifeConversation
		}
	}
	switch {
	case !slices.Contains(Lifetimes, it.Lifetime):
		return unknown("lifetime", it.Lifetime, Lifetimes)
	case it.Lifetime == LifeConversation && it.Tier != Conversation:
		return invalid("only the conversation tier has things that live as long as a conversation", "leave the lifetime out, or choose long_term or short_term")
	}
	if it.Agent != "" {
		if err := checkAgent(it.Agent); err != nil {
			return err
		}
	}
	if it.Tier != Channel {
		it.Channel = ""
	}
	if it.Conversation != "" {
		if err := checkRef(it.Conversation); err != nil {
			return err
		}
	}
	if err := it.Scope().check(); err != nil {
		return err
	}
	tags := []string{}
	for _, t := range it.Tags {
		t = strings.TrimSpace(t)
		if t == "" || slices.Contains(tags, t) {
			continue
		}
		if err := checkLine("a tag", t, MaxTag); err != nil {
			return err
		}
		tags = append(tags, t)
	}
	if len(tags) > MaxTags {
		return invalid(fmt.Sprintf("%d tags are given; at most %d are taken", len(tags), MaxTags), "keep those that others will look for")
	}
	it.Tags = tags
	if it.Expires != nil {
		t := it.Expires.UTC().Truncate(time.Millisecond)
		if t.Year() < 1970 || t.Year() > 9999 {
			return invalid(fmt.Sprintf("it expires at a time that cannot be, in the year %d", t.Year()), "give a time between 1970 and 9999, or none")
		}
		it.Expires = &t
	}
	return nil
}

// checkContent refuses what is blank, too long or no text.
func checkContent(s string) error {
	if strings.TrimSpace(s) == "" {
		return invalid("the content cannot be blank", "say what is to be remembered")
	}
	if n := utf8.RuneCountInString(s); n > MaxContent {
		return invalid(fmt.Sprintf("the content is too long: it has %d characters (max 10,000)", n), "keep what matters, or split it")
	}
	return checkText("the content", s)
}

func checkText(what, s string) error {
	if !utf8.ValidString(s) {
		return invalid(what+" is not valid UTF-8 text", "memory holds text; convert it first")
	}
	if strings.ContainsRune(s, 0) {
		return invalid(what+" holds a NUL character", "memory holds text; remove it first")
	}
	return nil
}

func checkLine(what, s string, most int) error {
	if len(s) > most {
		return invalid(fmt.Sprintf("%s has %d bytes; at most %d are taken", what, len(s), most), "shorten it")
	}
	if strings.ContainsAny(s, "\r\n") {
		return invalid(what+" has more than one line", "put the rest into the content")
	}
	return checkText(what, s)
}

func checkAgent(agent string) error {
	if agent == "" || strings.TrimSpace(agent) != agent {
		return invalid(fmt.Sprintf("%q is no agent's name", clip(agent, 60)), "a name has no blanks around it, and is not empty")
	}
	return checkLine("the agent's name", agent, MaxAgent)
}

// checkName refuses names that would not be safe in a path, a command line or a line of text.
func checkName(what, name string) error {
	ok := name != "" && len(name) <= MaxName
	for i, r := range name {
		alnum := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		ok = ok && (alnum || i > 0 && (r == '.' || r == '_' || r == '-'))
	}
	if !ok {
		return invalid(fmt.Sprintf("%q is no name of a %s", clip(name, 60), what), fmt.Sprintf("names have letters, digits, '.', '_' and '-', begin with a letter or digit, and are at most %d long", MaxName))
	}
	return nil
}

func checkID(id string) error {
	if !store.IsID(id, "mj") {
		return invalid(fmt.Sprintf("%q is no memory's id", clip(id, 60)), "ids look like m3f9x0c2ma", fault.Do("memory.list", "{} shows them"))
	}
	return nil
}

// textHash is equal for texts that say the same but for spacing and case, other than that of flags: -i and -I are two.
func textHash(content string) []byte {
	h := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(content), " ")) + "\x00" + strings.Join(hashedMarks(content), " ")))
	return h[:16]
}

func embeddingText(it *Item) string {
	if it.Title == "" {
		return it.Content
	}
	return it.Title + "\n" + it.Content
}
