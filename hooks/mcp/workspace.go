//lint:file-ignore SA1019 roots are asked for as long as the protocol has them

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// workspaceArgument: every tool of a server without a project accepts it, and none lists it.
const workspaceArgument = "workspace"

const rootsTimeout = 2 * time.Second

// workspace is a call's project, or "": what the call names, the server was told, the client's
// first root, the server's guess. A far client's directories are not ours.
func (c *call) workspace() string {
	if c.place != "" {
		return c.place
	}
	if !c.cfg.Guessed || c.cfg.Far || c.cfg.Find == nil || c.req == nil || c.req.Session == nil {
		return c.cfg.Workspace
	}
	session, ctx := c.req.Session, c.ctx
	asked, _ := c.roots.LoadOrStore(session, sync.OnceValue(func() string {
		return c.firstRoot(ctx, session)
	}))
	return cmp.Or(asked.(func() string)(), c.cfg.Workspace)
}

// firstRoot returns the project of the first root that a client declares, "" for none.
func (s *Server) firstRoot(ctx context.Context, session *sdk.ServerSession) string {
	params := session.InitializeParams()
	if params == nil || params.Capabilities == nil || params.Capabilities.RootsV2 == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTimeout)
	defer cancel()
	roots, err := session.ListRoots(ctx, nil)
	if err != nil {
		s.log.Debug("asking the client for its roots", "error", err)
		return ""
	}
	for _, root := range roots.Roots {
		at, err := url.Parse(root.URI)
		if err != nil || at.Scheme != "file" {
			continue
		}
		dir, err := s.cfg.Find(filepath.FromSlash(at.Path))
		if err == nil && dir != "" { // nor the home directory
			return dir
		}
	}
	return ""
}

// takeWorkspace takes the argument out of those of a call, where no project is known.
func (c *call) takeWorkspace(raw json.RawMessage, takes *jsonschema.Schema) (json.RawMessage, error) {
	value, rest := without(raw, takes, workspaceArgument)
	if value == nil || c.cfg.Far || c.cfg.Find == nil || c.workspace() != "" {
		return raw, nil
	}
	var dir string
	if json.Unmarshal(value, &dir) != nil || !filepath.IsAbs(dir) {
		return nil, badArgument("give the absolute path of the project's directory",
			"workspace is %s", value)
	}
	var err error
	if c.place, err = c.cfg.Find(dir); err != nil {
		return nil, err
	}
	if c.place == "" {
		return nil, badArgument("name a project's directory", "%s is nobody's project", dir)
	}
	return rest, nil
}
