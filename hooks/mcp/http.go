package mcp

import (
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxRequest is how many bytes a request over HTTP may have.
const MaxRequest = 4 << 20

// Handler serves clients over streamable HTTP, each request by itself. Who may come, and from where, is a matter of whoever mounts it.
func (s *Server) Handler() http.Handler {
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{Stateless: true, Logger: slog.New(demoted{s.log.Handler()}), MaxRequestBodyBytes: MaxRequest, PropagateRequestCancellation: true})
	protected := http.NewCrossOriginProtection().Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A call may wait on the board for minutes, and a subscription for hours.
		rc := http.NewResponseController(w)
		rc.SetReadDeadline(time.Time{})
		rc.SetWriteDeadline(time.Time{})
		protected.ServeHTTP(w, r)
	})
}
