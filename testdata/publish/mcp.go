package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// serverSchema is the version of the MCP registry's format.
const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// serverName is what the MCP registry calls the server. It takes a package only if the package says
// the same: mcpName in package.json, mcp-name in the description on PyPI.
func (c *choices) serverName() string {
	owner, name, _ := strings.Cut(strings.TrimPrefix(c.Repository, "https://github.com/"), "/")
	return "io.github." + owner + "/" + name
}

// mcp writes a bundle (MCPB) for each platform, and the file that names all packages to the MCP
// registry.
func (r *release) mcp() error {
	arguments := []object{{"type": "positional", "value": "mcp"}}
	stdio := object{"type": "stdio"}
	packages := []object{
		{"registryType": "npm", "identifier": r.NPM, "version": r.semver, "runtimeHint": "npx", "transport": stdio, "packageArguments": arguments},
		{"registryType": "pypi", "identifier": r.PyPI, "version": r.python, "runtimeHint": "uvx", "transport": stdio, "packageArguments": arguments},
	}
	for _, b := range r.binaries {
		name, data, err := r.bundle(&b)
		if err != nil {
			return err
		}
		if err := r.write(name, data); err != nil {
			return err
		}
		packages = append(packages, object{"registryType": "mcpb", "version": r.semver, "transport": stdio,
			"identifier": r.Repository + "/releases/download/" + r.tag + "/" + name, "fileSha256": fmt.Sprintf("%x", sha256.Sum256(data))})
	}
	text, err := indented(object{"$schema": serverSchema, "name": r.serverName(), "title": "board", "description": description,
		"version": r.semver, "repository": object{"url": r.Repository, "source": "github"}, "packages": packages})
	if err != nil {
		return err
	}
	return r.write("server.json", text)
}

// bundle is the program of one platform with a manifest, as desktop programs install it.
func (r *release) bundle(b *binary) (name string, data []byte, err error) {
	program, err := b.program("server/" + b.exe())
	if err != nil {
		return "", nil, err
	}
	manifest, err := indented(object{
		"manifest_version": "0.3", "name": "board", "display_name": "board", "version": r.semver, "description": description,
		"author": object{"name": r.owner()}, "license": license, "homepage": r.Repository,
		"repository": object{"type": "git", "url": r.Repository + ".git"},
		"server": object{"type": "binary", "entry_point": program.name, "mcp_config": object{
			"command": "${__dirname}/" + program.name, "args": []string{"mcp"}, "env": object{}}},
		"tools_generated": true,
		"compatibility":   object{"platforms": []string{platforms[b.goos+"/"+b.goarch].nodeOS}},
	})
	if err != nil {
		return "", nil, err
	}
	data, err = r.zipped([]file{{"manifest.json", manifest, 0o644}, program, {"LICENSE", r.license, 0o644}, {noticesFile, r.notices(), 0o644}})
	return strings.TrimSuffix(b.name, ".exe") + ".mcpb", data, err
}
