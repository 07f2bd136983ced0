package main

import (
	_ "embed"
	"strings"

	"blackboard/testdata/clients"
)

// The programs of the main package: board.js runs the binary of the platform's package, which
// program.cjs finds, also for the client.
//
//go:embed launcher.js
var launcher string

//go:embed program.cjs
var finder string

// packageJSON is what npm knows of a package.
type packageJSON struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage"`
	Repository   map[string]string `json:"repository"`
	MCPName      string            `json:"mcpName,omitempty"` // without it the MCP registry takes no package
	Type         string            `json:"type,omitempty"`
	Exports      object            `json:"exports,omitempty"`
	Types        string            `json:"types,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged"` // Yarn: a program needs a real file
}

// npm writes a package for each platform, of which npm installs the one that fits, and the
// main one, which depends on them all.
func (r *release) npm() error {
	main := r.packageJSON(r.NPM)
	main.MCPName = r.serverName()
	main.Bin = map[string]string{"board": "board.js"}
	main.Exports = object{".": object{"types": "./index.d.mts", "default": "./index.mjs"}, "./package.json": "./package.json"}
	main.Types = "index.d.mts"
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, b := range r.binaries {
		on := platforms[b.goos+"/"+b.goarch]
		p := r.packageJSON(r.NPM + "-" + on.nodeOS + "-" + on.nodeCPU)
		p.OS, p.CPU = []string{on.nodeOS}, []string{on.nodeCPU}
		main.Optional[p.Name] = r.semver
		program, err := b.program(b.exe())
		if err != nil {
			return err
		}
		if err := r.npmPackage(p, description+": "+r.Repository+"\n", program); err != nil {
			return err
		}
	}
	files := []file{
		{"board.js", []byte(launcher), 0o755},
		{"program.cjs", []byte(strings.ReplaceAll(finder, "@PACKAGE@", r.NPM)), 0o644},
	}
	for _, name := range []string{"index.mjs", "index.d.mts"} {
		text, err := clients.Files.ReadFile("typescript/" + name)
		if err != nil {
			return err
		}
		files = append(files, file{name, text, 0o644})
	}
	return r.npmPackage(main, r.readme(npmReadme), files...)
}

// readme is the text of a package's page, with this release's names.
func (r *release) readme(text string) string {
	return strings.NewReplacer("@NPM@", r.NPM, "@PYPI@", r.PyPI, "@REPOSITORY@", r.Repository,
		"@DESCRIPTION@", description, "@SERVER@", r.serverName()).Replace(text)
}

const npmReadme = `@DESCRIPTION@: @REPOSITORY@

    npx @NPM@ demo              # see a whole run
    npx @NPM@ mcp               # an MCP server over stdio
    npm install @NPM@           # the command board, and a typed client for it

The client is an ES module: import it, or require() it from Node 20.19 on. With auth.txt ("Tokens
expire after 30 days.") and a draft in report.md beside it:

    import { Board } from "@NPM@";
    const reader = new Board("audit-7", "reader-1");
    await reader.start("How long do tokens live?", { sources: ["auth.txt"] });
    await reader.post("Tokens expire after 30 days", { source: "auth.txt:1", quote: "after 30 days", must: true });
    const check = await reader.check("report.md");
    for (const step of check.steps) console.log(step.name, step.passed, step.headline);

A figure in the report that nobody found is listed, and fails the check only if a policy says so:
a file board.yaml beside it, or the one of check("report.md", { policy: "FILE" }), with the line
"trace: {max_unsupported: 0}". npx board check --init writes one that explains every key.

What is wrong with the report in full: npx board check report.md --run audit-7. Next: npx board help run,
npx board help javascript (the client, with an example at its end), npx board help check.
`

func (r *release) packageJSON(name string) packageJSON {
	return packageJSON{
		Name: name, Version: r.semver, Description: description, License: license, Homepage: r.Repository,
		Repository: map[string]string{
			"type": "git",
			"url":  "git+" + r.Repository + ".git",
		}, PreferUnplug: true,
	}
}

// npmPackage writes a package as `npm pack` does, and calls it as that would.
func (r *release) npmPackage(p packageJSON, readme string, files ...file) error {
	manifest, err := indented(p)
	if err != nil {
		return err
	}
	files = append([]file{
		{"package.json", manifest, 0o644},
		{"LICENSE", r.license, 0o644},
		{noticesFile, r.notices(), 0o644},
		{"README.md", []byte("# " + p.Name + "\n\n" + readme), 0o644},
	}, files...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	archive, err := r.tarred(files, 0)
	if err != nil {
		return err
	}
	if archive, err = gzipped(archive); err != nil {
		return err
	}
	return r.write(strings.ReplaceAll(strings.TrimPrefix(p.Name, "@"), "/", "-")+"-"+p.Version+".tgz", archive)
}
