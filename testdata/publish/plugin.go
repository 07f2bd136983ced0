package main

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"blackboard/hooks/harness"
	"blackboard/hooks/setup"
)

// object is a JSON object; its names are written in the order of the alphabet.
type object = map[string]any

// The schemas that the portable files name. Other members than theirs are refused.
const agentPlugins = "https://agent-plugins.org/schemas/1.0.0/"

// plugin writes the folder of the plugin, which is also a marketplace of that one plugin for
// Claude Code and for Codex. Hooks, server and skill are those that `board setup` writes.
//
//	plugin.json, mcp.json, skills/      Agent Plugins 1.0
//	.claude-plugin/, hooks/hooks.json, .mcp.json
//	.codex-plugin/, hooks/codex.json, codex.mcp.json, .agents/plugins/
//	gemini/                             an extension of its own: its hooks have other units
func (r *release) plugin() error {
	claude, err := setup.Bundled("claude")
	if err != nil {
		return err
	}
	codex, err := setup.Bundled("codex")
	if err != nil {
		return err
	}
	gemini, err := setup.Bundled("gemini")
	if err != nil {
		return err
	}
	about := r.about()
	portable := r.about()
	portable["$schema"] = agentPlugins + "plugin.schema.json"
	codexAbout := r.about()
	codexAbout["skills"], codexAbout["hooks"] = "./skills/", "./hooks/codex.json"
	codexAbout["mcpServers"] = "./codex.mcp.json"
	codexAbout["interface"] = object{"displayName": "board", "shortDescription": description,
		"developerName": r.owner(), "category": "Productivity"}
	codexServer, err := passingOn(codex.Server)
	if err != nil {
		return err
	}
	extension := object{}
	if err := json.Unmarshal(gemini.Server, &extension); err != nil {
		return err
	}
	extension["name"], extension["version"] = "board", r.semver
	extension["description"] = description
	skill := pluginSkill(claude.Skill)
	files := map[string]any{
		"plugin.json": portable,
		"mcp.json": object{"$schema": agentPlugins + "mcp.schema.json", "mcpServers": object{"board": object{
			"type": "stdio", "command": "board", "args": []string{"mcp"}}}},
		"skills/board/SKILL.md":      skill,
		".claude-plugin/plugin.json": about,
		".claude-plugin/marketplace.json": object{"name": "board", "owner": object{"name": r.owner()},
			"description": description,
			"plugins":     []object{{"name": "board", "source": "./", "description": description}}},
		"hooks/hooks.json":          claude.Hooks,
		".mcp.json":                 claude.Server,
		".codex-plugin/plugin.json": codexAbout,
		"hooks/codex.json":          codex.Hooks,
		"codex.mcp.json":            codexServer,
		".agents/plugins/marketplace.json": object{"name": "board",
			"interface": object{"displayName": "board"},
			"plugins": []object{{"name": "board", "category": "Productivity",
				"source": object{"source": "local", "path": "./"},
				"policy": object{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}}}},
		"gemini/gemini-extension.json": extension,
		"gemini/hooks/hooks.json":      gemini.Hooks,
		"gemini/skills/board/SKILL.md": skill,
		"LICENSE":                      r.license,
		"README.md":                    []byte(strings.ReplaceAll(pluginReadme, "@REPOSITORY@", r.Repository)),
	}
	return r.writeFolder("plugin", files)
}

const pluginReadme = `# board for agents

Hooks, an MCP server and a skill. They call the command board, which has to be in $PATH: @REPOSITORY@.

| client | install |
| --- | --- |
| Claude Code | claude plugin marketplace add THIS-FOLDER && claude plugin install board@board |
| Codex | codex plugin marketplace add THIS-FOLDER && codex plugin add board@board |
| Gemini CLI | gemini extensions install THIS-FOLDER/gemini |
| clients of Agent Plugins 1.0 | plugin.json, mcp.json and skills/ of this folder |

THIS-FOLDER may be the address of a repository that has these files. Do not use it beside board setup,
which installs the same for these and six other programs: each hook would run twice.
`

// about is what each manifest of the plugin says.
func (r *release) about() object {
	return object{"name": "board", "version": r.semver, "description": description, "license": license,
		"homepage": r.Repository, "repository": r.Repository, "author": object{"name": r.owner()},
		"keywords": []string{"multi-agent", "blackboard", "memory", "mcp"}}
}

// owner is the maintainer's name, without the address.
func (r *release) owner() string {
	name, _, _ := strings.Cut(r.Maintainer, " <")
	return name
}

// passingOn adds to the entry of Codex, which passes no environment by itself, what the server takes
// from it.
func passingOn(server []byte) (object, error) {
	var file map[string]map[string]object
	err := json.Unmarshal(server, &file)
	file["mcpServers"]["board"]["env_vars"] = harness.ServerVariables
	return object{"mcpServers": file["mcpServers"]}, err
}

var setupWords = regexp.MustCompile(`(?s)metadata:\n  author: board setup\n|<!-- Written by .*?-->\n\n`)

// pluginSkill is the skill without what it says of setup.
func pluginSkill(skill []byte) []byte { return setupWords.ReplaceAll(skill, nil) }

// writeFolder writes a folder of the release; what is no text yet becomes JSON.
func (r *release) writeFolder(name string, files map[string]any) error {
	for at, content := range files {
		text, isText := content.([]byte)
		if !isText {
			var err error
			if text, err = indented(content); err != nil {
				return err
			}
		}
		if err := r.write(path.Join(name, at), text); err != nil {
			return err
		}
	}
	return nil
}

func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
