// Package relay reads signed events from a nostr relay (NIP-01) over a websocket.
//
// Each message of the relay is parsed like a line of a file (see package nostr), so messages
// without events are counted as they are in a file. The relay is not trusted. A message that is too
// long, belongs to an unknown subscription, or has an event outside the requested times ends the
// reading. The memory for the relay's data is bounded. Errors contain no part of the address except
// the host, because the rest may be secret.
package relay

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/remote"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Client reads events from one relay.
type Client struct {
	name string // scheme and host of the relay, without secrets
	url  string
	http *http.Client

	stall time.Duration // longest wait for a message or for a pong
	ping  time.Duration // interval between pings while a subscription is followed
	pause time.Duration // pause before the first reconnection; doubles with each attempt

	// Lost, if not nil, is called by Next when a connection has been lost and will be replaced.
	Lost func(error)
}

// New returns a client for the relay at address, a URL with scheme wss or ws. It does not connect.
func New(address string) (*Client, error) {
	a, err := remote.Parse(address, [2]string{"wss", "ws"}, "")
	if err != nil {
		return nil, err
	}
	return &Client{name: a.Name, url: a.URL, http: remote.HTTP(), stall: time.Minute,
		ping: 30 * time.Second, pause: time.Second}, nil
}

// Name returns the scheme and host of the relay's address.
func (c *Client) Name() string { return c.name }

// Open connects to the relay and requests the events that filter selects. The reader ends when the
// relay has sent all stored events. If follow is set, it continues until ctx is done.
//
// Relays send at most a few hundred events at once. Unless filter has a limit or follow is set, the
// reader requests older events until there are no more.
//
// With follow, a lost connection is replaced. The reader then requests events from a few minutes
// before the newest received one, and skips events whose bytes equal those of one of the last
// 65,536 events. The reading ends with an error after ten consecutive connections that lasted less
// than a minute.
func (c *Client) Open(ctx context.Context, filter Filter, follow bool) (rows.Reader, error) {
	r := &reader{parent: ctx, client: c}
	switch {
	case follow:
		r.following = newFollowing(filter)
	case !filter.limited():
		r.pages = newPages(filter)
	}
	if err := r.begin(filter); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// A reader reads the messages of a relay. It implements rows.Reader.
type reader struct {
	parent     context.Context // context of the caller
	client     *Client
	connection *connection
	pages      *pages     // nil if older events are not requested
	following  *following // nil if the reading ends after the stored events

	asked  int  // number of subscriptions; the last one is open
	count  int  // number of messages received
	events bool // at least one message had an event
	taken  int64
	notice string // text of the relay's last NOTICE message
	next   nostr.Messages
	err    error
}

// begin connects to the relay and requests the events that filter selects.
func (r *reader) begin(filter Filter) (err error) {
	if r.connection, err = r.client.connect(r.parent); err == nil {
		r.asked++
		err = r.connection.send("REQ", id(r.asked), filter)
	}
	if err != nil {
		return r.lost(err)
	}
	go r.connection.receive()
	if r.following != nil {
		go r.connection.pings()
	}
	return nil
}

// lost returns the error to report if the connection failed with err. If the connection's context
// is done, lost reports the context's cause in place of err.
func (r *reader) lost(err error) error {
	if cause := context.Cause(r.connection.ctx); cause != nil {
		err = cause
	}
	return r.fail(remote.Error(err))
}

// fail returns err with the relay's name and last notice, and the number of messages received.
func (r *reader) fail(err error) error {
	if r.notice != "" {
		err = fmt.Errorf("%w; the relay's last notice: %s", err, r.notice)
	}
	if r.count == 0 {
		return fmt.Errorf("%s: %w", r.client.name, err)
	}
	return fmt.Errorf("%s: after message %d: %w", r.client.name, r.count, err)
}

// id returns the ID of the nth subscription.
func id(n int) string { return fmt.Sprintf("koblitz-%d", n) }

// batchWait is how long an incomplete batch waits for another message.
const batchWait = 50 * time.Millisecond

func (r *reader) Next() (rows.Batch, error) {
	if r.isDropped() {
		r.err = r.again()
	}
	var full <-chan time.Time
	for r.err == nil && !r.next.Full() {
		if full == nil && r.next.Any() {
			full = time.After(batchWait)
		}
		var silent <-chan time.Time
		if r.following == nil {
			silent = time.After(r.client.stall)
		}
		select {
		case m := <-r.connection.messages:
			r.err = r.take(m)
		case <-full:
			return r.next.Take(r.client.name, r.taken), nil
		case <-silent:
			r.err = r.fail(errSilent)
		case <-r.connection.ctx.Done():
			r.err = r.drop(r.connection.ctx.Err())
		}
		if r.isDropped() {
			return r.next.Take(r.client.name, r.taken), nil // even an empty batch shows the loss
		}
	}
	switch {
	case r.next.Any():
		return r.next.Take(r.client.name, r.taken), nil
	case r.parent.Err() != nil:
		return r.next.Take(r.client.name, r.taken), nil // a cancellation is not an error
	}
	return nil, r.err
}

// isDropped reports whether the connection was lost and must be replaced.
func (r *reader) isDropped() bool {
	return r.following != nil && r.following.err != nil && r.err == nil
}

func (r *reader) Close() error {
	r.connection.close()
	return nil
}
