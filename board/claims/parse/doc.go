// Package parse reads a text into claims: its statements, and their words, figures, names, conditions and denials.
// It knows one text at a time, but for details, which it compares by their values; package claims compares texts.
package parse
