package memory

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb/store"
)

// Tiers, the narrowest first. They do not inherit from each other.
const (
	Conversation = "conversation" // one exchange with an agent
	Channel      = "channel"      // a topic that conversations of a workspace share
	Workspace    = "workspace"    // a project
	Account      = "account"      // a person, in all projects
)

var Tiers = []string{Conversation, Channel, Workspace, Account}

// Curators: who has written an item.
const (
	CuratorAgent  = "agent"  // an agent, or consolidation
	CuratorAuthor = "author" // the person
	CuratorImport = "import" // imported from another memory
)

var Curators = []string{CuratorAgent, CuratorAuthor, CuratorImport}

// Lifetimes of an item.
const (
	LongTerm         = "long_term"    // until it is forgotten on request
	ShortTerm        = "short_term"   // until consolidation promotes or archives it
	LifeConversation = "conversation" // until its conversation is archived
)

var Lifetimes = []string{LongTerm, ShortTerm, LifeConversation}

// Rules by which an item was forgotten. A forgotten item has a rule, a replacement, or both.
const (
	RuleAsked        = "asked"        // on request
	RuleExpired      = "expired"      // it expired
	RuleMerged       = "merged"       // another item says the same
	RuleConsolidated = "consolidated" // it was rewritten into another
)

// Limits of an item.
const (
	MaxContent = 10_000 // characters
	MaxTitle   = 300    // characters
	MaxField   = 1000   // bytes of a source or a derivation link
	MaxTag     = 100    // bytes
	MaxTags    = 64     // of one item
	MaxName    = 64     // bytes of the name of a channel, a named entry or a scratch key
	MaxAgent   = 200    // bytes of an agent's name
)

// Item is one remembered text.
type Item struct {
	ID      string `json:"id"`
	Tier    string `json:"tier"`
	Channel string `json:"channel"` // if its tier is channel
	// if its tier is conversation; otherwise the conversation it came from
	Conversation string     `json:"conversation"`
	Agent        string     `json:"agent"` // owner of a private item; "": everybody
	Title        string     `json:"title"`
	Content      string     `json:"content"`
	Curator      string     `json:"curator"` // who wrote it: agent, author or import
	Source       string     `json:"source"`
	Importance   float64    `json:"importance"` // 0 to 1
	Lifetime     string     `json:"lifetime"`   // long_term, short_term or conversation
	Tags         []string   `json:"tags"`
	Accesses     int        `json:"access_count"` // how often it was read
	Created      time.Time  `json:"created"`
	Updated      time.Time  `json:"updated"`
	Accessed     time.Time  `json:"accessed"` // when it was last read
	Expires      *time.Time `json:"expires"`  // null: never
	// a file, a URL, kb:CAPSULE, board:RUN/ENTRY, memory:ITEM
	DerivedFrom string     `json:"derived_from"`
	Revision    int        `json:"revision"`    // 1 for a new item, plus 1 for each change
	Archived    *time.Time `json:"archived"`    // null: not archived
	Forgotten   *time.Time `json:"forgotten"`   // null: not forgotten
	Rule        string     `json:"rule"`        // the rule by which it was forgotten
	ReplacedBy  string     `json:"replaced_by"` // the item that replaced it
	// reason for forgetting it; in a revision, for the change
	Why   string `json:"why"`
	Model string `json:"embedding_model"`
	Dim   int    `json:"dim"`

	n int64
}

// Scope is a tier, and the channel or conversation where it has several.
type Scope struct {
	Tier         string `json:"tier"`
	Channel      string `json:"channel"`
	Conversation string `json:"conversation"`
}

func (it *Item) Scope() Scope { return Scope{it.Tier, it.Channel, it.Conversation}.plain() }

func (s Scope) plain() Scope {
	if s.Tier != Channel {
		s.Channel = ""
	}
	if s.Tier != Conversation {
		s.Conversation = ""
	}
	return s
}

// Live reports whether reads find the item: it is neither archived nor forgotten.
func (it *Item) Live() bool { return it.Forgotten == nil && it.Archived == nil }

// String formats the scope for ParseScope: "account", "channel:general".
func (s Scope) String() string {
	switch s.Tier {
	case Channel:
		return s.Tier + ":" + s.Channel
	case Conversation:
		return s.Tier + ":" + s.Conversation
	}
	return s.Tier
}

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
			return s, invalid(fmt.Sprintf("the scope %q has a name, but its tier has none",
				clip(text, 60)), "write "+tier)
		}
	}
	if !slices.Contains(Tiers, tier) {
		return s, unknown("scope", text,
			[]string{Account, Workspace, Channel + ":NAME", Conversation + ":REF"})
	}
	return s, s.check()
}

func (s Scope) check() error {
	switch s.Tier {
	case Channel:
		return checkName("channel", s.Channel)
	case Conversation:
		return checkRef(s.Conversation)
	}
	return oneOf("tier", Tiers, s.Tier)
}

// Levels are names for importances, the lowest first.
var Levels = []struct {
	Name  string
	Value float64
}{{"low", .25}, {"medium", .5}, {"high", .75}, {"critical", 1}}

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

const hintLevels = "low is .25, medium .5, high .75, critical 1"

func checkImportance(f float64) error {
	if !(f >= 0 && f <= 1) { // nor NaN
		return invalid(fmt.Sprintf("the importance %g is not between 0 and 1", f), hintLevels)
	}
	return nil
}

func Level(importance float64) string {
	best := Levels[0]
	for _, l := range Levels {
		if math.Abs(l.Value-importance) <= math.Abs(best.Value-importance) {
			best = l
		}
	}
	return best.Name
}

func (it *Item) normalise() error {
	it.Content = strings.TrimSpace(it.Content)
	it.Title = strings.Join(strings.Fields(it.Title), " ")
	it.Source = strings.TrimSpace(it.Source)
	it.DerivedFrom = strings.TrimSpace(it.DerivedFrom)
	it.Why = clip(strings.ToValidUTF8(it.Why, "�"), maxWhy)
	err := cmp.Or(checkContent(it.Content),
		checkLine("the title", it.Title, MaxTitle*utf8.UTFMax),
		checkLine("the source", it.Source, MaxField),
		checkLine("the derivation link", it.DerivedFrom, MaxField),
		checkImportance(it.Importance), oneOf("curator", Curators, it.Curator))
	if err != nil {
		return err
	}
	if n := utf8.RuneCountInString(it.Title); n > MaxTitle {
		return invalid(fmt.Sprintf("the title has %d characters; at most %d are allowed", n,
			MaxTitle), "say the rest in the content")
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
		return invalid("only items of the conversation tier can have the lifetime conversation",
			"leave out the lifetime, or choose long_term or short_term")
	}
	if it.Tier != Channel {
		it.Channel = ""
	}
	if it.Conversation != "" {
		err = checkRef(it.Conversation)
	}
	if err := cmp.Or(checkMaybeAgent(it.Agent), err, it.Scope().check(),
		it.normaliseTags()); err != nil {
		return err
	}
	if it.Expires != nil {
		t := it.Expires.UTC().Truncate(time.Millisecond)
		if t.Year() < 1970 || t.Year() > 9999 {
			return invalid(fmt.Sprintf("it expires in the year %d, which is impossible",
				t.Year()), "give a time between 1970 and 9999, or none")
		}
		it.Expires = &t
	}
	return nil
}

func (it *Item) normaliseTags() error {
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
		return invalid(fmt.Sprintf("%d tags are given; at most %d are allowed", len(tags),
			MaxTags),
			"keep the few tags that others will look for")
	}
	it.Tags = tags
	return nil
}

func checkContent(s string) error {
	if strings.TrimSpace(s) == "" {
		return invalid("the content is blank", "give the text to remember")
	}
	if n := utf8.RuneCountInString(s); n > MaxContent {
		return invalid(fmt.Sprintf("the content has %d characters; at most 10,000 are allowed",
			n), "keep what matters, or split it")
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
		return invalid(fmt.Sprintf("%s has %d bytes; at most %d are allowed", what, len(s), most),
			"shorten it")
	}
	if strings.ContainsAny(s, "\r\n") {
		return invalid(what+" has more than one line", "put the rest into the content")
	}
	return checkText(what, s)
}

func checkAgent(agent string) error {
	if agent == "" || strings.TrimSpace(agent) != agent {
		return invalid(fmt.Sprintf("%q is not the name of an agent", clip(agent, 60)),
			"a name is not empty and has no spaces around it")
	}
	return checkLine("the agent's name", agent, MaxAgent)
}

// checkName refuses names that are unsafe in a path, a command line or a line of text.
func checkName(what, name string) error {
	ok := name != "" && len(name) <= MaxName
	for i, r := range name {
		alnum := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		ok = ok && (alnum || i > 0 && (r == '.' || r == '_' || r == '-'))
	}
	if !ok {
		return invalid(fmt.Sprintf("%q is not the name of a %s", clip(name, 60), what),
			fmt.Sprintf("names have letters, digits, '.', '_' and '-', start with a letter or digit, and have at most %d characters", MaxName))
	}
	return nil
}

func checkID(id string) error {
	if !store.IsID(id, "mj") {
		return invalid(fmt.Sprintf("%q is not a memory id", clip(id, 60)),
			"ids look like m3f9x0c2ma", fault.Do("memory.list", "{} shows them"))
	}
	return nil
}

// textHash ignores spacing and case, but for the case of flags: -i and -I differ.
func textHash(content string) []byte {
	h := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(content), " ")) +
		"\x00" + strings.Join(hashedMarks(content), " ")))
	return h[:16]
}

func embeddingText(it *Item) string {
	if it.Title == "" {
		return it.Content
	}
	return it.Title + "\n" + it.Content
}

// signs returns signs alone ("<", "!=") or before a word, with it ("-5", "--force", "!done").
func signs(text string) (all []string) {
	for _, f := range strings.Fields(text) {
		f = strings.Trim(f, "\"'()[]{},;:“”‘’")
		sign := f[:len(f)-len(strings.TrimLeft(f, "<>=!+-~^&|%*"))]
		if sign != "" && sign != "-" || sign == "-" && len(f) > 1 { // a dash alone is punctuation
			all = append(all, f)
		}
	}
	return all
}

// hashedMarks must not change when the reader of words improves: hashes are on disk.
func hashedMarks(text string) []string {
	all := signs(text)
	for _, w := range strings.FieldsFunc(
		strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.'
		}) {
		w = strings.Trim(w, ".'")
		for _, end := range []string{"ing", "es", "ed", "s"} {
			if s, ok := strings.CutSuffix(w, end); ok && len(s) > 3 {
				w = s
				break
			}
		}
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit):
			all = append(all, w)
		case slices.Contains([]string{
			"not", "no", "never", "none", "without", "cannot", "can't", "don't", "doesn't",
			"won't",
			"isn't", "aren't", "wasn't", "didn't", "shouldn't", "mustn't"}, w):
			all = append(all, "not")
		}
	}
	slices.Sort(all)
	return all
}

var (
	// sizes is what a file, or a look at the directory, says at any time: its size.
	sizes = text.NewRegexp(`(?i)\b(?:has|have|contains?|counts|consists of|hat|haben|enthält)` +
		` (?:about |around |some |exactly |etwa )?[0-9][0-9.,]* ` +
		`(?:lines|files|functions|methods|classes|tests|packages|bytes|kb|commits|zeilen|dateien|funktionen)\b`)
	// ofFile is a name of source code.
	ofFile = text.NewRegexp(`(?i)(?:^|[\s"'(\x60])((?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}|/(?:home|users|srv|work|repos?)/[\w./-]+|` +
		`[\w-]+\.(?:go|py|ts|tsx|rs|java|c|cpp|rb|cs|kt|swift|php|sh|sql))(?:[\s"'):,.\x60]|$)`)
	ofWorkspace = text.NewRegexp(`(?i)\b(?:workspace file|this (?:repository|repo|codebase|project)|` +
		`in diesem (?:projekt|repository))\b`)
)

// misplaced returns notes if an item is not what its tier is for; none refuses it.
func (it *Item) misplaced() (notes []string) {
	said := it.Title + ". " + it.Content
	if sizes.MatchString(said) && (ofFile.MatchString(said) || ofWorkspace.MatchString(said)) {
		notes = append(notes, "the files show this at any time, and it changes with them: note what "+
			"they do not show, such as the reason")
	}
	if it.Tier != Account {
		return notes
	}
	if file := ofFile.FindStringSubmatch(said); file != nil || ofWorkspace.MatchString(said) {
		notes = append(notes, "this seems to be about one project, and the account is read in all: "+
			"the tier workspace is for it")
	}
	return notes
}
