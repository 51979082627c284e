package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
)

// errSilent is the error for a connection on which no data arrives for too long.
var errSilent = errors.New("nothing has come for too long")

// A connection is one websocket connection to a relay.
type connection struct {
	ctx    context.Context // done when the caller's context is done or the connection fails
	cancel context.CancelCauseFunc
	client *Client
	conn   *websocket.Conn // nil if the handshake failed
	began  time.Time

	messages chan message
	reading  atomic.Int64 // time (by now) at which receive began to read; 0 if it is not reading
	alive    atomic.Int64 // time (by now) at which the last message or pong arrived
}

// now returns the age of the connection in nanoseconds, at least 1.
func (l *connection) now() int64 { return int64(time.Since(l.began)) + 1 }

// stood reports whether the connection lived for at least as long as the client's field stall says,
// that is, whether a message or a pong arrived at that age of the connection or later.
func (l *connection) stood() bool { return l.alive.Load() >= int64(l.client.stall) }

// A message is the result of one read by the method receive: a message of the relay or an error.
type message struct {
	text []byte
	err  error
}

// connect connects to the relay. It returns a connection even if it fails. The caller must not show
// its error to the user before remote.Error has removed the address.
func (c *Client) connect(ctx context.Context) (*connection, error) {
	l := &connection{client: c, began: time.Now(), messages: make(chan message, 1)}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.stall, func() { l.cancel(errSilent) })
	defer timer.Stop()
	conn, answer, err := c.dial(l.ctx)
	switch {
	case err == nil:
		l.conn = conn
		conn.SetReadLimit(nostr.MaxLine)
		return l, nil
	case answer != nil && answer.StatusCode/100 == 3:
		err = fmt.Errorf("the relay points to another address, which is not followed (status %d)",
			answer.StatusCode)
	case answer != nil && answer.StatusCode != http.StatusSwitchingProtocols:
		err = fmt.Errorf("this is no relay, or it does not let this machine in (status %d)",
			answer.StatusCode)
	}
	return l, err
}

// send sends a message to the relay, a JSON list of the parts.
func (l *connection) send(parts ...any) error {
	text, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(l.ctx, l.client.stall)
	defer cancel()
	return l.conn.Write(ctx, websocket.MessageText, text)
}

var errBinary = errors.New("a binary message, which NIP-01 does not know")

// receive reads messages and passes them to the channel messages. It is at most one message ahead
// of the channel's reader.
func (l *connection) receive() {
	for {
		var m message
		var kind websocket.MessageType
		l.reading.Store(l.now())
		kind, m.text, m.err = l.conn.Read(l.ctx)
		l.reading.Store(0)
		if m.err == nil {
			l.alive.Store(l.now())
		}
		if m.err == nil && kind != websocket.MessageText {
			m.err = errBinary
		}
		select {
		case <-l.ctx.Done():
			return
		case l.messages <- m:
		}
		if m.err != nil {
			return
		}
	}
}

// pings sends pings, and ends the connection when the relay no longer answers. A pong arrives only
// while receive reads. So a pong does not count as missing while earlier messages still wait to be
// taken from the channel.
func (l *connection) pings() {
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(l.client.ping):
		}
		start := l.now()
		ctx, cancel := context.WithTimeout(l.ctx, l.client.stall)
		err := l.conn.Ping(ctx)
		cancel()
		if err == nil {
			l.alive.Store(l.now())
		}
		// Only a timeout of Ping is handled here. After any other error the read in receive fails
		// too, and receive passes that error on.
		if reading := l.reading.Load(); errors.Is(err, context.DeadlineExceeded) && reading != 0 &&
			reading <= start {
			l.cancel(errSilent)
			return
		}
	}
}

func (l *connection) close() {
	l.cancel(nil)
	if l.conn != nil {
		l.conn.CloseNow()
	}
}
