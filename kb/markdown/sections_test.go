package markdown

import (
	"slices"
	"strings"
	"testing"
)

// TestSectionTitles: a section is named by its document too, which may be called by its front
// matter, its only H1 or its file, and no title says a thing twice.
func TestSectionTitles(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"expire.md", "About it.\n\n## Options\n\na\n", []string{"expire", "expire › Options"}},
		{"expire.md", "# Expire\n\nAbout it.\n\n## Options\n\na\n", []string{"Expire", "Expire › Options"}},
		{"a.md", "---\ntitle: Tidemark backups\n---\n## Install\n\na\n", []string{"Tidemark backups › Install"}},
		{"a.md", "---\ntitle: Tidemark\n---\n# Tidemark\n\na\n\n## Install\n\nb\n", []string{"Tidemark", "Tidemark › Install"}},
		{"viper/README.md", "![logo](x.png)\n\n## Install\n\na\n", []string{"viper README", "viper README › Install"}},
		{"mortar.md", "# Mortar\n\na\n\n# Options\n\nb\n", []string{"Mortar", "mortar › Options"}},
		{"ferry.md", "# Command reference\n\n## Options\n\nb\n", []string{"Command reference › Options"}},
		{"notes.md", "# Install\n\n## Install on Linux\n\nb\n", []string{"Install on Linux"}},
	} {
		var got []string
		for _, ch := range Sections("/docs/"+c.file, c.text) {
			got = append(got, ch.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %q: %q, want %q", c.file, c.text, got, c.want)
		}
	}
}

// TestCutSections: a long section becomes parts of about 1,500 bytes between paragraphs; code
// blocks and tables are not divided, a heading stays with what it is of, and each part is named
// by the heading that it stands under.
func TestCutSections(t *testing.T) {
	para := strings.Repeat("Some words of a paragraph that says something. ", 8) + "\n\n"
	code := "```\n" + strings.Repeat("step one\n\nstep two\n", 150) + "```\n\n"
	table := "| a | b |\n| --- | --- |\n" + strings.Repeat("| one | two |\n", 160) + "\n"
	list := strings.Repeat("- an item of a list that goes on for a while\n  and on\n", 60) + "\n"
	text := "# Guide\n\n## Use\n\n" + strings.Repeat(para, 6) + "For example:\n\n" + code + para + table + "### Lists\n\n" + list + "### Ends\n\n" + para
	var lists, all int
	for _, c := range Sections("guide.md", text) {
		all++
		if n := strings.Count(c.Body, "```"); n%2 != 0 || n == 2 && !strings.Contains(c.Body, "For example:") {
			t.Errorf("a code block is divided, or without what leads to it: %q", c.Body)
		}
		if n := strings.Count(c.Body, "| one |"); n != 0 && n != 160 {
			t.Errorf("a table is divided: %d rows", n)
		}
		if !strings.Contains(c.Body, "```") && !strings.Contains(c.Body, "| one") && len(c.Body) > maxSection {
			t.Errorf("a part has %d bytes", len(c.Body))
		}
		if strings.HasSuffix(c.Body, "### Ends") || strings.HasSuffix(c.Body, "### Lists") {
			t.Errorf("a heading is alone: %q", c.Body)
		}
		if strings.Contains(c.Body, "an item") {
			if lists++; !strings.Contains(c.Title, "Guide › Use › Lists") {
				t.Errorf("a part of the list is called %q", c.Title)
			}
			if !strings.HasSuffix(c.Body, "and on") && !strings.Contains(c.Body, "### Ends") {
				t.Errorf("an item is divided: %q", c.Body[len(c.Body)-40:])
			}
		}
		if lines := strings.Split(text, "\n"); !strings.HasPrefix(c.Body, strings.TrimSpace(lines[c.Line-1])) {
			t.Errorf("line %d is %q, not %q", c.Line, lines[c.Line-1], c.Body[:20])
		}
	}
	if lists < 2 || all < 7 {
		t.Errorf("%d parts, %d of the list", all, lists)
	}
}
