package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTokenIsMadeOnce(t *testing.T) {
	place := PlaceMust(t, home(t))
	var mu sync.Mutex
	tokens := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			token, err := Token(place)
			if err != nil || len(token) < 32 {
				t.Errorf("%q, %v", token, err)
			}
			mu.Lock()
			defer mu.Unlock()
			tokens[token] = true
		})
	}
	wg.Wait()
	if len(tokens) != 1 {
		t.Errorf("%d tokens", len(tokens))
	}
	if info, err := os.Stat(place.Token); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(place.Token, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Token(place); err == nil || !strings.Contains(err.Error(), "read by others") {
		t.Errorf("a token that others can read: %v", err)
	}
}

func TestTCP(t *testing.T) {
	dir := home(t)
	remember(t, dir, 3)
	r := start(t, dir, func(c *Config) { c.TCP = &TCP{Addr: "127.0.0.1:0"} })
	st, err := r.client(t).Status(t.Context())
	if err != nil || st.Listen == "" {
		t.Fatal(st, err)
	}
	token, err := Token(r.place)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what, method, path, body string
		change                   func(*http.Request)
		want                     int
	}{
		{"a search", "POST", "/v1/search", `{"Query":{"Text":"capsule","Mode":"bm25"}}`, nil, 200},
		{"how it is", "POST", "/v1/status", `{}`, nil, 200},
		{"no token", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a wrong token", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401},
		{"another scheme", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) }, 401},
		{"a name that leads here", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"a page elsewhere", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a page of ours", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Origin", "http://localhost:1") }, 200},
		{"to stop", "POST", "/v1/stop", `{}`, nil, 404},
		{"to embed", "POST", "/v1/embed", `{}`, nil, 404},
		{"pprof", "GET", "/debug/pprof/", ``, nil, 404},
		{"too much", "POST", "/v1/search", `{"Query":{"Text":"` + strings.Repeat("x", maxTCPRequest) + `"}}`, nil, 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tc.method, "http://"+st.Listen+tc.path, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if tc.change != nil {
			tc.change(req)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s: %v", tc.what, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s: %s, want %d", tc.what, resp.Status, tc.want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestOffLoopbackNeedsACertificate(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "8765", ""} {
		if l, err := listenTCP(TCP{Addr: addr}); err == nil {
			l.Close()
			t.Errorf("%q is listened on without a certificate", addr)
		}
	}
	if _, err := listenTCP(TCP{Addr: "127.0.0.1:0", Cert: "x"}); err == nil {
		t.Error("a certificate without a key")
	}
	dir := home(t)
	cert, key := certificate(t, dir)
	r := start(t, dir, func(c *Config) { c.TCP = &TCP{Addr: "0.0.0.0:0", Cert: cert, Key: key} })
	st, err := r.client(t).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(st.Listen)
	if err != nil {
		t.Fatal(err)
	}
	token, err := Token(r.place)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(raw)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "https://localhost:"+port+"/v1/status", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.Do(req)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("by TLS: %v, %v", resp, err)
	}
	resp.Body.Close()
}

// certificate makes one for localhost.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	kb, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: kb}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
