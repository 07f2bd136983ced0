package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"blackboard/testdata/clients"
)

// wheels writes a wheel for each platform: the program, which pip puts beside python, and the
// client.
func (r *release) wheels() error {
	for _, b := range r.binaries {
		if err := r.wheel(b); err != nil {
			return err
		}
	}
	return nil
}

// The line with mcp-name is what the MCP registry looks for.
const pypiReadme = `@DESCRIPTION@: @REPOSITORY@

    uvx @PYPI@ demo             # see a whole run
    uvx @PYPI@ mcp              # an MCP server over stdio
    pip install @PYPI@          # the command board, and a typed client: import board_client

With auth.txt ("Tokens expire after 30 days.") and a draft in report.md beside it:

    from board_client import Board
    reader = Board("audit-7", "reader-1")
    reader.start("How long do tokens live?", sources=["auth.txt"])
    reader.post("Tokens expire after 30 days", "auth.txt:1", "after 30 days", must=True)
    for step in reader.check("report.md")["steps"]:
        print(step["name"], step["passed"], step["headline"])

A figure in the report that nobody found is listed, and fails the check only if a policy says so:
a file board.yaml beside it, or the one of check("report.md", policy="FILE"), with the line
"trace: {max_unsupported: 0}". board check --init writes one that explains every key.

What is wrong with the report in full: board check report.md --run audit-7. Next: board help run,
board help python (the client, with an example at its end), board help check.

mcp-name: @SERVER@
`

func (r *release) wheel(b binary) error {
	project := strings.ReplaceAll(r.PyPI, "-", "_") + "-" + r.python
	info := project + ".dist-info/"
	program, err := b.program(project + ".data/scripts/" + b.exe())
	if err != nil {
		return err
	}
	tags := platforms[b.goos+"/"+b.goarch].wheelTags
	wheel := "Wheel-Version: 1.0\nGenerator: board\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		wheel += "Tag: py3-none-" + tag + "\n"
	}
	metadata := strings.Join([]string{
		"Metadata-Version: 2.4", "Name: " + r.PyPI, "Version: " + r.python,
		"Summary: " + description, "License-Expression: " + license, "License-File: LICENSE", "License-File: " + noticesFile,
		"Project-URL: Homepage, " + r.Repository, "Requires-Python: >=3.8",
		"Description-Content-Type: text/markdown", "", r.readme(pypiReadme),
	}, "\n")
	files := []file{
		program,
		{info + "METADATA", []byte(metadata), 0o644},
		{info + "WHEEL", []byte(wheel), 0o644},
		{info + "licenses/LICENSE", r.license, 0o644},
		{info + "licenses/" + noticesFile, r.notices(), 0o644},
	}
	if r.PyPI != "board" { // uvx runs what has the project's name
		files = append(files, file{info + "entry_points.txt", []byte("[console_scripts]\n" + r.PyPI + " = board_client.__main__:main\n"), 0o644})
	}
	for _, name := range []string{"__init__.py", "__main__.py", "py.typed"} {
		text, err := clients.Files.ReadFile("python/board_client/" + name)
		if err != nil {
			return err
		}
		files = append(files, file{"board_client/" + name, text, 0o644})
	}
	record := ""
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	files = append(files, file{info + "RECORD", []byte(record + info + "RECORD,,\n"), 0o644})
	data, err := r.zipped(files)
	if err != nil {
		return err
	}
	return r.write(project+"-py3-none-"+strings.Join(tags, ".")+".whl", data)
}
