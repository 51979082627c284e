package nostr_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/nostr"
)

// A relay accepts events from many connections. It verifies them through one queue, so that events
// that come at the same time share a batch.
type relay struct {
	queue *batch.Queue
	store func(*nostr.Event) // called by many goroutines
}

// maxPending is the number of events of one connection that are verified at the same time.
const maxPending = 64

func (r *relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(128 << 10)
	ctx := req.Context()
	var p nostr.Parser
	pending := make(chan struct{}, maxPending)
	for {
		_, text, err := c.Read(ctx)
		if err != nil {
			return
		}
		e, err := readEvent(&p, text)
		if err != nil {
			c.Write(ctx, websocket.MessageText, message("NOTICE", err.Error()))
			continue
		}
		pending <- struct{}{}
		go func() {
			answer := r.admit(ctx, e)
			c.Write(ctx, websocket.MessageText, answer)
			<-pending
		}()
	}
}

// readEvent returns the event of a message ["EVENT",{…}].
func readEvent(p *nostr.Parser, message []byte) (*nostr.Event, error) {
	p.Reset(message)
	_, err := p.Next()
	if kind, _ := p.Envelope(); err == nil && kind != "EVENT" {
		err = errors.New("this relay only takes events")
	}
	return p.Event(), err
}

// message returns the JSON of a message with the given parts.
func message(parts ...any) []byte {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // all parts are strings and bools
	}
	return text
}

// admit verifies and stores an event, and returns the answer to its sender.
func (r *relay) admit(ctx context.Context, e *nostr.Event) []byte {
	id := hex.EncodeToString(e.ID[:])
	switch err := e.VerifyIn(ctx, r.queue); {
	case err == nil:
		r.store(e)
		return message("OK", id, true, "")
	case errors.Is(err, batch.ErrBusy):
		return message("OK", id, false, "rate-limited: send it again later")
	default:
		return message("OK", id, false, "invalid: "+err.Error())
	}
}

// A relay that verifies events through a queue. BenchmarkRelay measures its latency.
func Example_relay() {
	r := &relay{batch.NewQueue(&batch.QueueOptions{MaxWaiting: 10_000}), func(e *nostr.Event) {
		fmt.Printf("stored: %s\n", e.Content)
	}}
	defer r.queue.Close()
	server := httptest.NewServer(r)
	defer server.Close()

	ctx := context.Background()
	c, _, err := websocket.Dial(ctx, server.URL, nil)
	if err != nil {
		panic(err)
	}
	defer c.CloseNow()
	e := &nostr.Event{CreatedAt: time.Now().Unix(), Kind: 1, Content: "good morning"}
	if err := e.Sign(koblitz.GenerateKey()); err != nil {
		panic(err)
	}
	for _, content := range []string{"good morning", "good night"} {
		e.Content = content
		text, err := e.AppendJSON([]byte(`["EVENT",`))
		if err != nil {
			panic(err)
		}
		if err := c.Write(ctx, websocket.MessageText, append(text, ']')); err != nil {
			panic(err)
		}
		_, answer, err := c.Read(ctx)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", answer[73:])
	}
	// Output:
	// stored: good morning
	// true,""]
	// false,"invalid: nostr: the id is not the hash of the event"]
}
