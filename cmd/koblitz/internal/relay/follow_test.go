package relay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// serveOneByOne starts a relay that runs one handler for each connection, in order. A nil handler
// refuses its connection.
func serveOneByOne(t *testing.T, handlers ...func(*session)) (c *Client,
	connections *atomic.Int32) {
	connections = new(atomic.Int32)
	c = serveHTTP(t, func(w http.ResponseWriter, q *http.Request) {
		n := int(connections.Add(1))
		handle := handlers[min(n, len(handlers))-1]
		if handle == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		handle(&session{t, q.Context(), conn})
	})
	c.pause = 10 * time.Microsecond
	return c, connections
}

// TestReconnect follows a relay that ends connections, refuses some reconnections, and sends some
// events again. After a reconnection no event may be reported again.
func TestReconnect(t *testing.T) {
	const now = 1_700_000_000
	var asked []string
	begin := func(s *session) (id string) {
		id, filter, ok := s.request()
		if !ok {
			t.Error("no request")
		}
		text, _ := json.Marshal(filter)
		asked = append(asked, id+" "+string(text))
		return id
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, _ := serveOneByOne(t,
		func(s *session) { // the connection ends before all stored events have been sent
			s.send(`["EVENT",%q,%s]`, begin(s), event(now, "a"))
		},
		func(s *session) {
			id := begin(s)
			s.send(`["EVENT",%q,%s]`, id, event(now, "a"))
			s.send(`["EVENT",%q,%s]`, id, event(now-5, "b"))
			s.send(`["EOSE",%q]`, id)
			s.send(`["EVENT",%q,%s]`, id, event(now+400, "c"))
			s.send(`["EVENT",%q,%s]`, id, event(now+400, "c")) // repeated in the same connection
			s.conn.Close(websocket.StatusGoingAway, "\x1b restart")
		},
		nil, nil,
		func(s *session) {
			id := begin(s)
			s.send(`["EVENT",%q,%s]`, id, event(now+400, "c"))
			s.send(`["EVENT",%q,%s]`, id, event(now+300, "d"))
			s.send(`["EOSE",%q]`, id)
			s.send(`["EVENT",%q,%s]`, id, event(now+400, "C")) // the same id with other content
			s.send(`["NOTICE","last"]`)
			s.request()
		})
	var losses []error
	c.Lost = func(err error) { losses = append(losses, err) }
	r, err := c.Open(ctx, Filter{"kinds": json.RawMessage("[1]"), "limit": json.RawMessage("7")}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var units []string
	for !slices.Contains(units, "11 passed over") {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.Expand(func(u *rows.Unit) {
			units = append(units, fmt.Sprintf("%d %v", u.Where.Line, u.Decided))
		})
	}
	want := []string{"1 invalid", "3 invalid", "4 passed over", "5 invalid", "6 invalid", "8 invalid",
		"9 passed over", "10 invalid", "11 passed over"}
	if !slices.Equal(units, want) {
		t.Errorf("%q, want %q", units, want)
	}
	want = []string{`koblitz-1 {"kinds":[1],"limit":7}`, `koblitz-2 {"kinds":[1],"limit":7}`,
		`koblitz-3 {"kinds":[1],"since":1700000100}`}
	if !slices.Equal(asked, want) {
		t.Errorf("%q, want %q", asked, want)
	}
	if len(losses) != 2 {
		t.Fatal(losses)
	}
	wantError(t, "the first loss", losses[0], "after message 1: ")
	wantError(t, "the second loss", losses[1], "after message 6: ", `\x1b restart`)
	cancel()
	if b, err := r.Next(); err != nil || b == nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestReconnectInVain checks that following ends with an error after several attempts if the relay
// refuses every reconnection.
func TestReconnectInVain(t *testing.T) {
	accept := func(s *session) {
		id, _, _ := s.request()
		s.send(`["EOSE",%q]`, id)
		s.conn.Close(websocket.StatusPolicyViolation, "banned")
	}
	for name, c := range map[string]struct {
		handlers []func(*session)
		words    string
	}{
		"ends connections":    {[]func(*session){accept}, `after message 11: `},
		"takes no connection": {[]func(*session){accept, nil}, "after message 1: this is no relay, or"},
	} {
		client, connections := serveOneByOne(t, c.handlers...)
		lost := 0
		client.Lost = func(error) { lost++ }
		_, err := drain(t, client, "{}", true)
		wantError(t, name, err, c.words)
		if n := connections.Load(); n != 1+maxTries {
			t.Errorf("%s: %d connections", name, n)
		}
		want := 1
		if len(c.handlers) == 1 {
			want += maxTries
		}
		if lost != want {
			t.Errorf("%s: %d losses, want %d", name, lost, want)
		}
	}
	// If the first connection fails, the client does not retry.
	client, connections := serveOneByOne(t, nil)
	if _, err := drain(t, client, "{}", true); err == nil || connections.Load() != 1 {
		t.Errorf("%v after %d connections", err, connections.Load())
	}
}

// TestReconnectStood checks that a successful connection resets the count of attempts.
func TestReconnectStood(t *testing.T) {
	client, connections := serveOneByOne(t, nil, func(s *session) { s.request() })
	for age, want := range map[time.Duration]int{time.Minute - 1: 9, time.Minute: 0} {
		connections.Store(1)
		link, err := client.connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		link.alive.Store(int64(age))
		r := &reader{parent: t.Context(), client: client, connection: link, following: newFollowing(nil)}
		r.following.tries = 9
		if err := r.drop(io.ErrUnexpectedEOF); err != nil || r.following.tries != want || !r.isDropped() {
			t.Errorf("%v: %v, %d tries", age, err, r.following.tries)
		}
		r.Close()
	}
}

// TestFollowRules checks that the client does not reconnect to a relay that breaks a rule of the
// protocol.
func TestFollowRules(t *testing.T) {
	for text, words := range map[string]string{
		"binary": "a binary message", strings.Repeat("x", 2<<20+100): "read limited at",
		`["CLOSED","koblitz-1","no"]`:             "has ended the subscription",
		`["EVENT","other",` + event(5, "a") + `]`: "an event of subscription",
	} {
		client, connections := serveOneByOne(t, func(s *session) {
			s.request()
			kind := websocket.MessageText
			if text == "binary" {
				kind = websocket.MessageBinary
			}
			s.conn.Write(s.ctx, kind, []byte(text))
			s.request()
		})
		_, err := drain(t, client, "{}", true)
		wantError(t, words, err, words)
		if connections.Load() != 1 {
			t.Errorf("%s: %d connections", words, connections.Load())
		}
	}
}

// TestReconnectInterrupted checks that canceling the context ends the pause between two
// connections.
func TestReconnectInterrupted(t *testing.T) {
	client, _ := serveOneByOne(t, func(s *session) { s.request() })
	client.pause = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	client.Lost = func(error) { time.AfterFunc(10*time.Millisecond, cancel) }
	r, err := client.Open(ctx, Filter{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 { // one batch shows the loss, the next one the end
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.Expand(func(u *rows.Unit) { t.Errorf("%+v", u) })
	}
	if ctx.Err() == nil {
		t.Error("no pause")
	}
}

// TestFollowingFilter checks the filter of the second connection. It must request events from 300
// seconds before the newest received one on.
func TestFollowingFilter(t *testing.T) {
	soon := time.Now().Add(time.Hour).Unix()
	for _, c := range []struct {
		base    string
		stored  bool
		created []int64
		want    string
	}{
		{`{"limit":5}`, false, []int64{1000}, `{"limit":5}`},
		{`{}`, true, nil, `{}`},
		{`{}`, true, []int64{1000, 900}, `{"since":700}`},
		{`{}`, true, []int64{7}, `{"since":0}`},
		{`{}`, true, []int64{-7}, `{}`},
		{`{"since":699}`, true, []int64{1000}, `{"since":700}`},
		{`{"since":701}`, true, []int64{1000}, `{"since":701}`},
		{`{"since":4294967295}`, true, []int64{1000}, `{"since":4294967295}`},
		{`{"kinds":[1],"limit":5}`, true, []int64{1000}, `{"kinds":[1],"since":700}`},
		{`{"limit":0}`, true, nil, `{"since":4700}`},
		{`{"limit":0}`, true, []int64{soon, 1 << 60}, `now`},
	} {
		base, err := ParseFilter(c.base)
		if err != nil {
			t.Fatal(err)
		}
		f := newFollowing(base)
		f.began, f.stored = 5000, c.stored
		for i, created := range c.created {
			f.add(created, []byte{byte(i)}, 1)
		}
		got, _ := json.Marshal(f.filter())
		if c.want == "now" { // the expected time is now: creation times in the future are cut to it
			var since struct{ Since int64 }
			json.Unmarshal(got, &since)
			if d := time.Now().Unix() - overlap - since.Since; d < 0 || d > 60 {
				t.Errorf("%s", got)
			}
			continue
		}
		if text, _ := json.Marshal(base); string(got) != c.want || string(text) != c.base {
			t.Errorf("%+v: %s, and the base is %s", c, got, text)
		}
	}
}

// TestRecent checks that the number of remembered events is limited.
func TestRecent(t *testing.T) {
	hash := func(i int) eventHash { return sha256.Sum256(fmt.Append(nil, i)) }
	r := newFollowing(nil).seen
	for i := range 2*maxRecent + 5 {
		if r.add(hash(i), 1) {
			t.Fatal(i)
		}
	}
	if len(r.in) != maxRecent || len(r.order) != maxRecent {
		t.Errorf("%d and %d are kept", len(r.in), len(r.order))
	}
	for i, want := range map[int]bool{2*maxRecent + 4: true, maxRecent + 5: true} {
		if r.add(hash(i), 1) || r.add(hash(i), 2) != want {
			t.Error(i)
		}
	}
	if r.add(hash(maxRecent+4), 2) {
		t.Error("the oldest one is still known")
	}
	if r.add(hash(maxRecent+4), 2) || !r.add(hash(maxRecent+4), 3) {
		t.Error("an event belongs to the subscription that it came with first")
	}
}

// TestPingsWhileNothingIsRead checks that a slow reader is not mistaken for a silent relay. In the
// test, pongs wait behind unread messages for longer than the timeout.
func TestPingsWhileNothingIsRead(t *testing.T) {
	const events = 20
	c := serve(t, func(s *session) {
		id, _, _ := s.request()
		for i := range events {
			s.send(`["EVENT",%q,%s]`, id, event(int64(i), ""))
		}
		s.request() // no request comes, but waiting for one answers pings
	})
	c.stall, c.ping = 750*time.Millisecond, time.Millisecond
	c.Lost = func(err error) { t.Error(err) }
	r, err := c.Open(t.Context(), Filter{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	time.Sleep(3 * c.stall)
	for n := 0; n < events && !t.Failed(); {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.Expand(func(*rows.Unit) { n++ })
	}
	time.Sleep(2 * c.stall)
	if err := r.(*reader).connection.ctx.Err(); errors.Is(err, context.Canceled) {
		t.Error("the connection has ended")
	}
}
