//go:build !js

package relay

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bounded"
)

// dial connects to the relay. Canceling ctx ends the handshake. With GODEBUG=fips140=only the
// standard library panics, because the handshake of RFC 6455 uses SHA-1; dial returns that as an
// error.
func (c *Client) dial(ctx context.Context) (*websocket.Conn, *http.Response, error) {
	var conn *websocket.Conn
	var answer *http.Response
	err := bounded.Guard(func() (err error) {
		conn, answer, err = websocket.Dial(ctx, c.url, &websocket.DialOptions{HTTPClient: c.http})
		return err
	})
	return conn, answer, err
}
