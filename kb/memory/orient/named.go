package orient

import (
	"fmt"
	"strings"
)

// Entry is a named entry of a document.
type Entry struct {
	Name string
	Body string
	More string // what follows a cut body: where the rest is
}

// Tokens returns the tokens of the whole entry in a document.
func (e *Entry) Tokens() int { return Tokens("# " + e.Name + "\n\n" + e.Body + "\n") }

// WriteEntries writes the entries within a limit of tokens, whole while there is room. It
// returns the indexes of those that it wrote, and what it had to cut or leave out.
func WriteEntries(b *strings.Builder, entries []Entry, limit int) (
	written []int, degraded []string) {
	for i, e := range entries {
		head := fmt.Sprintf("%s# %s\n\n", sep(b), e.Name)
		more := "\n… " + e.More + "\n"
		after := 0 // what the following entries need, or a fair share for each
		for _, o := range entries[i+1:] {
			after += min(Tokens("\n# "+o.Name+"\n\n"+o.Body+"\n"), limit/len(entries))
		}
		room := 4*(limit-Tokens(b.String())-1-after) - len(head)
		body := e.Body + "\n"
		if len(body) > room {
			if room -= len(more); room < 0 {
				b.WriteString(sep(b) + "# " + e.Name + ": no room; " + e.More + "\n")
				degraded = append(degraded,
					"the budget has no room for the named entry "+e.Name)
				continue
			}
			cut := strings.ToValidUTF8(body[:room], "")
			if at := strings.LastIndexByte(cut, '\n'); at > len(cut)/2 {
				cut = cut[:at]
			}
			body = strings.TrimRight(cut, "\n") + more
			degraded = append(degraded,
				fmt.Sprintf("the named entry %s is cut to fit the budget", e.Name))
		}
		b.WriteString(head + body)
		written = append(written, i)
	}
	return written, degraded
}
