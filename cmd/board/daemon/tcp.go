package daemon

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks/mcp"
	"blackboard/hooks/mcp/transport"
)

// TCP is for what cannot use the daemon's socket: browsers, containers, other machines.
type TCP struct {
	Addr string // host:port; off loopback only with a certificate
	Cert string // the file of the certificate, PEM; "" for none
	Key  string // the file of its private key, PEM
	// MCP is what Model Context Protocol clients have at /mcp; nil: nothing.
	MCP *mcp.Config
}

// maxTCPConns limits the connections: waiting agents have one each, and leave some to others.
const maxTCPConns = transport.MaxRequests + 128

// maxTCPRequest bounds bodies that come by TCP.
const maxTCPRequest = transport.MaxRequest

// Token returns the token that opens the TCP listener, and makes it if there is none.
func Token(place Place) (string, error) {
	if err := os.MkdirAll(filepath.Dir(place.Token), 0o700); err != nil {
		return "", err
	}
	for {
		raw, err := disk.Read(place.Token, 4<<10)
		if err == nil {
			info, err := os.Stat(place.Token)
			if err != nil {
				return "", err
			}
			if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				return "", fmt.Errorf("%s is readable by others, so its token is no longer secret; remove the file, and a new one is created", place.Token)
			}
			if token := strings.TrimSpace(string(raw)); len(token) >= 32 {
				return token, nil
			}
			return "", fmt.Errorf("%s holds no token; remove it, and a new one is created", place.Token)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		b := make([]byte, 32)
		rand.Read(b) // never fails
		temp, err := disk.Temp(place.Token, 0o600)
		if err != nil {
			return "", err
		}
		err = disk.Fill(temp, func(f *os.File) error {
			_, err := f.WriteString(base64.RawURLEncoding.EncodeToString(b) + "\n")
			return err
		})
		if err == nil {
			err = os.Link(temp.Name(), place.Token) // of two that make one, one wins
			os.Remove(temp.Name())
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// listenTCP makes the listener, or says why it must not be made.
func listenTCP(t TCP) (net.Listener, error) {
	host, _, err := net.SplitHostPort(t.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w; write 127.0.0.1:8765", t.Addr, err)
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("a certificate needs its key, and a key its certificate: give --tls-cert and --tls-key")
	}
	if !loopback(host) && t.Cert == "" {
		return nil, fmt.Errorf("listen on %q: off loopback the token would be sent unencrypted: give a certificate (--tls-cert, --tls-key), or listen on 127.0.0.1", t.Addr)
	}
	var config *tls.Config
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	l, err := net.Listen("tcp", t.Addr)
	if err != nil || config == nil {
		return l, err
	}
	return tls.NewListener(l, config), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// overTCP marks requests by TCP: they showed a token, and may be of any build.
type overTCP struct{}

// granted returns an error for what the clients of a listener may not ask for. The token opens the listener, and
// nothing that was not granted.
func (t *TCP) granted(r *http.Request) error {
	switch {
	case t.MCP == nil:
	case r.URL.Path == "/v1/search":
		return t.MCP.Grants.MaySearch()
	case r.URL.Path == "/v1/events":
		runs := r.URL.Query()["run"]
		if len(runs) == 0 {
			runs = []string{""} // all of them
		}
		for _, run := range runs {
			if err := t.MCP.Grants.MayRead(run); err != nil {
				return err
			}
		}
	}
	return nil
}

// apiHelp leads to what can be asked for.
var apiHelp = fault.Do("help.show", "{} lists the paths", "page", "api")

// tcpPaths are what may be asked for by TCP, beside /mcp, each with its method.
var tcpPaths = map[string]string{"/v1/search": http.MethodPost, "/v1/status": http.MethodPost, "/v1/events": http.MethodGet}

// tcpServer serves what may be asked from elsewhere: events, searches, how it is, and the
// tools of MCP; m is their server, nil if there is none.
func (s *Server) tcpServer(t TCP, token string) (server *http.Server, m *mcp.Server) {
	mux := http.NewServeMux()
	if t.MCP != nil {
		m = s.mcpServer(*t.MCP)
		mux.Handle("/mcp", s.counted(m.Handler()))
	}
	for path, method := range tcpPaths {
		mux.Handle(method+" "+path, s.mux)
	}
	own := t.hosts()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A page in a browser may lead any name to this machine, but not have the name be ours.
		if !ourHost(r.Host, own, r) {
			s.writeError(w, 0, fault.Denied.New("the request is for another host", "name the host that the daemon listens on"))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || !ourHost(u.Host, own, r) {
				s.writeError(w, 0, fault.Denied.New("the request is from a page elsewhere", ""))
				return
			}
		}
		scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !sameSecret(shown, token) || !strings.EqualFold(scheme, "Bearer") {
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.writeError(w, http.StatusUnauthorized, fault.Denied.New("the token is missing or wrong",
				"send the header Authorization: Bearer TOKEN",
				fault.Do("daemon.token", "{} prints the token")))
			return
		}
		if err := t.granted(r); err != nil {
			s.writeError(w, 0, err)
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			method := tcpPaths[r.URL.Path]
			if method == "" {
				s.writeError(w, 0, fault.NotFound.New("there is no "+fault.Clip(r.URL.Path, 60), "", apiHelp))
				return
			}
			w.Header().Set("Allow", method)
			s.writeError(w, http.StatusMethodNotAllowed,
				fault.Usage.New(r.URL.Path+" takes "+method, "", apiHelp))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxTCPRequest)
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), overTCP{}, true)))
	})
	return s.httpServer(handler, slog.LevelDebug, context.Background()), m
}

// sameSecret compares what was shown with what opens, in a time that tells neither.
func sameSecret(shown, want string) bool {
	a, b := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// hosts are the names of this machine that a listener knows of.
type hosts struct {
	listen string            // as it was told to listen; "" for everywhere
	cert   *x509.Certificate // nil: none
}

// hosts returns what the listener goes by; listenTCP has read the same certificate, so
// that there is no news in one that cannot be read.
func (t *TCP) hosts() hosts {
	var h hosts
	h.listen, _, _ = net.SplitHostPort(t.Addr)
	if t.Cert != "" {
		if pair, err := tls.LoadX509KeyPair(t.Cert, t.Key); err == nil {
			h.cert = pair.Leaf
		}
	}
	return h
}

// ourHost reports whether the host of a header names this machine: by a name of loopback,
// by that in the listener's address, by one that the certificate is for, or by the
// address that the request r has come to. An address is no name that somebody else could
// have lead here.
func ourHost(header string, own hosts, r *http.Request) bool {
	name, _, err := net.SplitHostPort(header)
	if err != nil {
		name = header
	}
	name = strings.Trim(name, "[]")
	switch {
	case name == "":
		return false
	case loopback(name), strings.EqualFold(name, own.listen):
		return true
	case own.cert != nil && own.cert.VerifyHostname(name) == nil:
		return true
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	ip := net.ParseIP(name)
	return ok && ip != nil && ip.Equal(at.IP)
}
