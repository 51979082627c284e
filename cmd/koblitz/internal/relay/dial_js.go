package relay

import (
	"context"
	"errors"
	"net/http"

	"github.com/coder/websocket"
)

// dial refuses: the library leaves the connection to the browser there, with its redirects and
// without a limit on a message.
func (c *Client) dial(context.Context) (*websocket.Conn, *http.Response, error) {
	return nil, nil, errors.New("there are no relays on this platform")
}
