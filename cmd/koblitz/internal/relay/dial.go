//go:build !js

package relay

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// dial connects to the relay. Canceling ctx ends the handshake.
func (c *Client) dial(ctx context.Context) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(ctx, c.url, &websocket.DialOptions{HTTPClient: c.http})
}
