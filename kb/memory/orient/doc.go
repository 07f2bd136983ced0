// Package orient lays out the document that a turn begins with, within a budget of tokens.
//
// Package memory chooses the items, and the order of the sections. This package decides
// how much of each is kept, and writes it.
//
//	text.go      one line of text: tokens, quotes, ages
//	sections.go  sections of lines: what is kept, and the document of it
//	named.go     named entries, cut to their share
package orient
