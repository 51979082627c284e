// Package relay reads signed events from a relay of nostr (NIP-01), over a websocket.
//
// Each message of the relay is a line of a file, as package nostr reads it, so what is no event is
// counted as it would be in a dump. A relay is not trusted: a message that is too long, one for a
// subscription that it was not asked for, and one about times that were not asked for end the
// reading. What is kept of it is bounded. No error has in it what an address may hold beside the
// host.
package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/remote"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Client asks one relay.
type Client struct {
	name string // without anything secret
	url  string
	http *http.Client

	stall time.Duration // the longest time to wait for a message, or for the answer to a ping
	ping  time.Duration // between pings of a subscription that is followed
}

// New returns a client for the relay at address, an URL with wss or ws. Nothing is sent yet.
func New(address string) (*Client, error) {
	a, err := remote.Parse(address, [2]string{"wss", "ws"}, "")
	if err != nil {
		return nil, err
	}
	return &Client{name: a.Name, url: a.URL, http: remote.HTTP(), stall: time.Minute,
		ping: 30 * time.Second}, nil
}

// Name is the scheme and the host of the relay's address.
func (c *Client) Name() string { return c.name }

// errSilent is why a reading ends to which nothing comes.
var errSilent = errors.New("nothing has come for too long")

// Open connects to the relay and asks for the events that filter selects. The reader ends when the
// relay has sent all that it has stored, or with follow not before ctx does.
//
// Relays send no more than some hundreds of events at once. Unless filter has a limit of its own,
// or follow is set, older ones are asked for until there are no more.
func (c *Client) Open(ctx context.Context, filter Filter, follow bool) (rows.Reader, error) {
	r := &reader{parent: ctx, client: c, follow: follow, messages: make(chan message, 1)}
	if !follow && !filter.limited() {
		r.pages = newPages(filter)
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	err := r.connect()
	if err == nil {
		err = r.ask(filter)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	go r.receive()
	if follow {
		go r.pings()
	}
	return r, nil
}

// A reader reads what a relay sends. It implements rows.Reader.
type reader struct {
	parent context.Context // of the caller
	ctx    context.Context // ends with parent, or with what goes wrong
	cancel context.CancelCauseFunc
	client *Client
	conn   *websocket.Conn
	follow bool
	pages  *pages // nil if older events are not asked for

	messages chan message
	asked    int // subscriptions; the last one is open
	count    int // messages
	taken    int64
	notice   string // the last one of the relay's
	next     nostr.Messages
	err      error
}

// A message is what receive has read.
type message struct {
	text []byte
	err  error
}

func (r *reader) connect() error {
	timer := time.AfterFunc(r.client.stall, func() { r.cancel(errSilent) })
	defer timer.Stop()
	conn, answer, err := r.client.dial(r.ctx)
	switch {
	case err == nil:
		r.conn = conn
		conn.SetReadLimit(nostr.MaxLine)
		return nil
	case answer != nil && answer.StatusCode/100 == 3:
		err = fmt.Errorf("the relay points to another address, which is not followed (status %d)",
			answer.StatusCode)
	case answer != nil && answer.StatusCode != http.StatusSwitchingProtocols:
		err = fmt.Errorf("this is no relay, or it does not let this machine in (status %d)",
			answer.StatusCode)
	}
	return r.lost(err)
}

// lost is the error for one of the connection. What came of the end of ctx is its cause.
func (r *reader) lost(err error) error {
	if cause := context.Cause(r.ctx); cause != nil {
		err = cause
	}
	return r.fail(remote.Error(err))
}

// fail says where an error came.
func (r *reader) fail(err error) error {
	if r.notice != "" {
		err = fmt.Errorf("%w; the relay's last notice: %s", err, r.notice)
	}
	if r.count == 0 {
		return fmt.Errorf("%s: %w", r.client.name, err)
	}
	return fmt.Errorf("%s: after message %d: %w", r.client.name, r.count, err)
}

// id is the name of the nth subscription.
func id(n int) string { return fmt.Sprintf("koblitz-%d", n) }

// send sends a message to the relay.
func (r *reader) send(parts ...any) error {
	text, err := json.Marshal(parts)
	if err != nil {
		return r.fail(err)
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.client.stall)
	defer cancel()
	if err := r.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return r.lost(err)
	}
	return nil
}

// ask begins a subscription.
func (r *reader) ask(filter Filter) error {
	r.asked++
	return r.send("REQ", id(r.asked), filter)
}

// receive reads messages for Next, one ahead.
func (r *reader) receive() {
	for {
		var m message
		var kind websocket.MessageType
		kind, m.text, m.err = r.conn.Read(r.ctx)
		if m.err == nil && kind != websocket.MessageText {
			m.err = errors.New("a binary message, which NIP-01 does not know")
		}
		select {
		case <-r.ctx.Done():
			return
		case r.messages <- m:
		}
		if m.err != nil {
			return
		}
	}
}

// pings ends the reading when the relay does not answer any more.
func (r *reader) pings() {
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-time.After(r.client.ping):
		}
		ctx, cancel := context.WithTimeout(r.ctx, r.client.stall)
		err := r.conn.Ping(ctx)
		cancel()
		if err != nil {
			r.cancel(errSilent)
			return
		}
	}
}

// batchWait is how long a batch that is not full waits for another message.
const batchWait = 50 * time.Millisecond

func (r *reader) Next() (rows.Batch, error) {
	var full <-chan time.Time
	for r.err == nil && !r.next.Full() {
		if full == nil && r.next.Any() {
			full = time.After(batchWait)
		}
		var silent <-chan time.Time
		if !r.follow {
			silent = time.After(r.client.stall)
		}
		select {
		case m := <-r.messages:
			r.err = r.take(m)
		case <-full:
			return r.next.Take(r.client.name, r.taken), nil
		case <-silent:
			r.err = r.fail(errSilent)
		case <-r.ctx.Done():
			r.err = r.lost(r.ctx.Err())
		}
	}
	switch {
	case r.next.Any():
		return r.next.Take(r.client.name, r.taken), nil
	case r.parent.Err() != nil:
		return r.next.Take(r.client.name, r.taken), nil // the end of ctx is no error of the relay's
	}
	return nil, r.err
}

func (r *reader) Close() error {
	r.cancel(nil)
	if r.conn != nil {
		r.conn.CloseNow()
	}
	return nil
}
