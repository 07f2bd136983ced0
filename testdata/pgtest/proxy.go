package pgtest

import (
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"
)

// Proxy is a way to a server that can be cut.
type Proxy struct {
	listener net.Listener
	to       *Server

	mu    sync.Mutex
	asked int
	delay time.Duration
	cut   bool
	mute  chan struct{} // closed when it passes things on again; nil: it does
	conns map[net.Conn]bool
}

// NewProxy makes one, on loopback.
func NewProxy(to *Server) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, to: to, conns: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p, nil
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.to.socket())
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	cut := p.cut
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	if !cut {
		go func() { p.pass(server, client, false); client.Close() }()
		p.pass(client, server, true)
	}
	p.mu.Lock()
	delete(p.conns, client)
	delete(p.conns, server)
	p.mu.Unlock()
}

// pass passes on what comes, but while the way is cut nothing is.
func (p *Proxy) pass(from, to net.Conn, asks bool) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		cut := p.cut
		if asks && err == nil {
			p.asked++
		}
		delay, mute := p.delay, p.mute
		p.mu.Unlock()
		time.Sleep(delay)
		if mute != nil {
			<-mute
		}
		if err != nil || cut {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// Asked is how often clients have sent something: who waits for each answer has crossed the way
// as often.
func (p *Proxy) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// Delay has what is sent from now on arrive later, either way.
func (p *Proxy) Delay(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = by
}

// Cut ends all connections, wherever they are in what they say, and lets none through until Heal.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		c.Close()
	}
}

// Mute has nothing pass until Heal, and tells nobody.
func (p *Proxy) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = make(chan struct{})
}

// Heal mends the way.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
	if p.mute != nil {
		close(p.mute)
		p.mute = nil
	}
}

// Through is a URL of the server that leads through the proxy.
func (p *Proxy) Through(text string) string {
	return atHost(text, "127.0.0.1", fmt.Sprint(p.listener.Addr().(*net.TCPAddr).Port))
}

// Close ends it.
func (p *Proxy) Close() {
	p.listener.Close()
	p.Heal()
	p.Cut()
}

// atHost is a URL with another host.
func atHost(text, host, port string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	q := u.Query()
	q.Set("host", host)
	q.Set("port", port)
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return u.String()
}

// At is a URL of the server by another of its addresses.
func (s *Server) At(text, host string) string { return atHost(text, host, "5432") }
