// Package documents reads the text of files: of reports, which are to carry what a run found,
// and of sources, in which findings are to stand. It reads text, Markdown, HTML and docx.
//
// A document is lines: a line of the source, a paragraph, or a row of a table. What no reader
// of the rendered document sees, such as comments and deleted text, is left out. Whatever the
// file is, at most [Max] bytes of it are read after decompression.
package documents
