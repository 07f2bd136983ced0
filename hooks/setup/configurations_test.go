package setup

import (
	"strings"
)

// shapes are ways in which people and programs write the same configuration.
var shapes = map[string]func(string) string{
	"as it is":         func(s string) string { return s },
	"tabs":             func(s string) string { return strings.ReplaceAll(s, "  ", "\t") },
	"CRLF":             func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"byte order mark":  func(s string) string { return string(bom) + s },
	"no final newline": func(s string) string { return strings.TrimSuffix(s, "\n") },
	"four spaces":      func(s string) string { return strings.ReplaceAll(s, "  ", "    ") },
	"empty lines":      func(s string) string { return "\n\n" + s + "\n\n" },
}

// configurations are what people have in the files that are added to.
var configurations = []struct{ harness, file, text string }{
	{"claude", ".claude/settings.json",
		"{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PostToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"lint.sh\" }] }\n    ],\n    \"Stop\": []\n  },\n  \"env\": { \"A\": \"<&>\" }\n}\n"},
	{"claude", ".claude/settings.json",
		"{\n  // mine\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"hello\"}]}, // first\n      /* none */\n    ],\n    // more to come\n  }, // the end\n}\n"},
	{"claude", ".claude/settings.json",
		"{\"permissions\":{\"allow\":[\"Bash(ls:*)\"]},\"hooks\":{\"PostToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}\n"},
	{"claude", ".claude/settings.json", "{}\n"},
	{"claude", ".claude/settings.json", ""},
	{"claude", ".claude/settings.json", "\n"},
	{"claude", ".claude/settings.json", "{\n}\n"},
	{"claude", ".claude/settings.json", "{ }"},
	{"claude", ".claude/settings.json", "{\n  \"hooks\": {}\n}\n"},
	{"claude", ".claude/settings.json", "{\n  \"hooks\": { },\n  \"x\": [ ]\n}\n"},
	{"claude", ".claude/settings.json", "// nothing yet"},
	{"claude", ".claude.json",
		"{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"db\": { \"command\": \"db\" }\n  },\n  \"projects\": {}\n}\n"},
	{"cursor", ".cursor/hooks.json",
		"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./done.sh\" }], // ring\n    \"sessionStart\": [{ \"command\": \"./a.sh\" }, { \"command\": \"./b.sh\" }]\n  }\n}\n"},
	{"cursor", ".cursor/mcp.json", "{\n  // servers\n  \"mcpServers\": {},\n}\n"},
	{"gemini", ".gemini/settings.json",
		"{\n  \"security\": { \"auth\": { \"selectedType\": \"oauth\" } },\n  \"mcpServers\": { \"x\": { \"httpUrl\": \"http://localhost\" } }\n}\n"},
	{"qwen", ".qwen/settings.json",
		"{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  },\n  \"tools\": [1, 2.5e-3, null, true]\n}\n"},
	{"codex", ".codex/hooks.json",
		"{\n  \"hooks\": {\n    \"SessionStart\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }] }]\n  }\n}\n"},
	{"codex", ".codex/config.toml",
		"# mine\nmodel = \"gpt\"\n\n[features]\nhooks = true # on\n\n[mcp_servers.db]\ncommand = \"db\"\nenv = { A = \"b\" }\n\n[hooks.state.\"/elsewhere:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n"},
	{"codex", ".codex/config.toml", "notes = \"\"\"\n[mcp_servers.board]\n\"\"\"\n"},
	{"codex", ".codex/config.toml", ""},
	{"opencode", ".config/opencode/opencode.jsonc",
		"{\n  \"$schema\": \"https://opencode.ai/config.json\", // schema\n  \"plugin\": [\"a\",],\n  \"mcp\": { \"x\": { \"type\": \"remote\", \"url\": \"http://localhost\" }, },\n}\n"},
	{"pi", ".pi/agent/mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}\n"},
	{"copilot", ".copilot/mcp-config.json", "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n"},
	{"gemini", ".gemini/settings.json",
		"{\n  // mine\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"hello\"}]} // first\n      /* none */\n    ]\n    // more to come\n  } // the end\n}\n"},
	{"gemini", ".gemini/settings.json", "// nothing yet"},
	{"factory", ".factory/hooks.json",
		"{\n  // mine\n  \"SessionStart\": [\n    {\"hooks\": [{\"type\": \"command\", \"command\": \"hello\"}]}, // first\n    /* none */\n  ], // the end\n}\n"},
	{"factory", ".factory/hooks.json", "// nothing yet"},
	{"factory", ".factory/hooks.json",
		"{\n  \"SessionStart\": [\n    { \"hooks\": [] }\n  ]\n}\n"},
}
