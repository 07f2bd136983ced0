package report

import (
	"fmt"
	"io"
	"strings"
)

// GitHub writes workflow commands: an ::error for every finding that failed, a ::warning for
// the first ten that passed with one, and a ::notice if there is neither.
func (r CI) GitHub(w io.Writer) error {
	var b strings.Builder
	command := func(name string, f finding, message string) {
		props := []string{}
		if f.file != "" {
			props = append(props, "file="+githubProperty(f.file), fmt.Sprintf("line=%d", max(1, f.line)))
		}
		props = append(props, "title="+githubProperty(f.label)) // the message has the rest
		fmt.Fprintf(&b, "::%s %s::%s\n", name, strings.Join(props, ","), githubData(message))
	}
	failed := r.failed()
	warned := r.warned()
	for i, f := range warned[:min(len(warned), maxAnnotations)] {
		lines := []string{f.warning}
		if i == 0 && r.ok {
			lines = append(lines, r.notes...)
		}
		command("warning", finding{label: r.tool, file: f.file, line: f.line}, strings.Join(lines, "\n"))
	}
	if len(warned) == 0 && r.ok {
		command("notice", finding{label: r.tool}, strings.TrimSpace(strings.Join(append([]string{r.headline, r.caveat}, r.notes...), "\n")))
	} else if !r.ok && len(warned) > 0 || len(failed) > maxAnnotations { // else they say it all
		lines := []string{r.headline}
		if len(warned) > 0 {
			lines = append(lines, r.notes...)
		}
		if len(failed) > maxAnnotations {
			lines = append(lines, fmt.Sprintf("GitHub shows %d annotations of a step at most; the others "+
				"are in its log.", maxAnnotations))
		}
		command("error", finding{label: r.tool}, strings.Join(lines, "\n"))
	}
	for _, f := range failed {
		command("error", f, strings.Join(f.lines(cellRunes), "\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// githubData and githubProperty escape as actions/toolkit does (packages/core/src/command.ts).
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
