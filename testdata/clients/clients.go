// Package clients has the clients for programs in other languages. The pages of help print them,
// and the packages for npm and PyPI carry them.
package clients

import "embed"

// Files are the sources: python/board_client is a package, typescript/index.mjs a module with
// its types. TestJSONTables of the command writes the types of both.
//
//go:embed python/board_client/*.py python/board_client/py.typed typescript/*.mjs typescript/*.mts mcp.mjs mcp_client.py
var Files embed.FS
