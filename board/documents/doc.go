// Package documents reads the text of reports and sources. It reads text and Markdown,
// HTML, docx, xlsx, PDF with text, csv and tsv, JSON and JSON lines, Jupyter
// notebooks, and source code. [Open] reads one file, [OpenAll] directories and patterns
// as well; only regular files are opened.
//
// Text is UTF-8, UTF-16, windows-1252 or what HTML or XML declares. Escape sequences of
// terminals are dropped. JSON that is none is read as text.
//
// A document consists of lines: a line of the source, a paragraph, or a row of a table.
// [Document.Where] converts a position in the text to a place in the file.
//
// In a report, text that no reader of the rendered document sees is left out: comments,
// scripts, deleted, struck and hidden text, hidden sheets, rows and columns. HTML
// style sheets, and docx styles that hide, are not evaluated. A source is read whole
// ([OpenSource]). A number in a workbook appears
// as displayed, followed by its plain value if that differs: "11.9% (0.119)".
//
// At most [Max] bytes of a file are read after decompression, and the time is linear in
// its size.
package documents
