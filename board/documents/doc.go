// Package documents reads the text of files: of reports, which are to carry what a run found,
// and of sources, in which findings are to stand. It reads text and Markdown, HTML, docx, xlsx,
// pptx, odt, PDF with text, csv and tsv, JSON and JSON lines, Jupyter notebooks, and source code.
// [Open] reads one file, [OpenAll] directories and patterns as well; only regular files are
// opened.
//
// A document is lines: a line of the source, a paragraph, or a row of a table. [Document.Where]
// says where a place in the text is found in the file.
//
// What no reader of the rendered document sees is left out: comments, scripts, deleted, struck
// and hidden text, hidden slides, sheets, rows and columns. Style sheets of HTML, and styles of
// docx that hide, are not followed. A number of a workbook stands there as it is shown, and
// plain behind it where that differs: "11.9% (0.119)".
//
// Whatever the file is, at most [Max] bytes of it are read after decompression, and the time
// grows with its size only.
package documents
