package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// serve starts a server and returns a client for it, with a key in the server's address.
func serve(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c, err := New(server.URL+"/v3/SECRET", "name:PASSWORD")
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Microsecond
	return c
}

// wantError checks that err contains the given words and no secret.
func wantError(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, and %q is wanted", what, words)
		return
	}
	for _, w := range append(words, "http://127.0.0.1:") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: no %q in %v", what, w, err)
		}
	}
	if strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "PASSWORD") {
		t.Errorf("%s: a secret is in %v", what, err)
	}
}

// TestStatus checks that each kind of wrong response and HTTP status gives the right error, and
// that the client sends the request the right number of times before it reports the error.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		status   int
		body     string
		text     string
		attempts int64
	}{
		{200, `{"result":"x","error":null,"id":1}`, "", 1},
		{200, `{"result":"x","id":2}`, "the answer is one to another request: its id is \"2\", and not 1",
			1},
		{200, `{"result":"x"}`, "the answer is one to another request", 1},
		{200, `{"result":null,"id":1}`, "no result of the kind", 1},
		{200, `{"id":1}`, "no result of the kind", 1},
		{200, `{"result":7,"id":1}`, "no result of the kind", 1},
		{200, `{"result":"x","id":1`, "no answer of JSON-RPC", 1},
		{200, ``, "no answer of JSON-RPC", 1},
		{200, `{"result":null,"error":{"code":-5,"message":"\u001b[2J"},"id":1}`,
			"the node answered: \\x1b[2J (code -5)", 1},
		{200, strings.Repeat(" ", maxSmall) + `{"result":"x","id":1}`,
			"an answer of more than 65536 bytes", 1},
		{500, `{"result":null,"error":{"code":-8,"message":"no"},"id":1}`, "no (code -8)", 1},
		{404, `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}`,
			"Method not found", 1},
		{404, "nothing\nhere", "status 404: \"nothing\"", 1},
		{301, "", "the node answered with status 301", 1},
		{401, "", "does not let this machine or user in (status 401)", 1},
		{403, "", "does not let this machine or user in (status 403)", 1},
		{429, "", "status 429", attempts},
		{500, "", "status 500", attempts},
		{503, "Work queue depth exceeded", "status 503: \"Work queue depth exceeded\"", attempts},
	} {
		var n atomic.Int64
		client := serve(t, func(w http.ResponseWriter, q *http.Request) {
			n.Add(1)
			name, password, _ := q.BasicAuth()
			if name != "name" || password != "PASSWORD" {
				t.Errorf("%q and %q", name, password)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		var s string
		what := fmt.Sprintf("%d %.60s", c.status, c.body)
		switch err := client.call(t.Context(), maxSmall, &s, "m"); {
		case c.text != "":
			wantError(t, what, err, "m: ", c.text)
		case err != nil || s != "x":
			t.Errorf("%s: %q, %v", what, s, err)
		}
		if n.Load() != c.attempts {
			t.Errorf("%s: %d attempts, want %d", what, n.Load(), c.attempts)
		}
	}
}

// TestAgain checks that the client sends a request again if the node closes the connection or
// reports that it is busy.
func TestAgain(t *testing.T) {
	var n atomic.Int64
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		switch n.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			io.WriteString(w, `{"result":"x","id":1}`)
		}
	})
	var s string
	if err := c.call(t.Context(), maxSmall, &s, "m"); err != nil || s != "x" || n.Load() != 3 {
		t.Errorf("%q, %v after %d attempts", s, err, n.Load())
	}
	c.url = "http://127.0.0.1:1/v3/SECRET"
	wantError(t, "no node", c.call(t.Context(), maxSmall, &s, "m"), "connect")
}

// TestStall checks that the client returns an error if a node sends nothing, before its response or
// in the middle of it.
func TestStall(t *testing.T) {
	for _, begin := range []string{"", `{"result":`} {
		hang := make(chan struct{})
		var cancel atomic.Pointer[context.CancelFunc]
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if begin != "" {
				io.WriteString(w, begin)
				w.(http.Flusher).Flush()
			}
			if f := cancel.Load(); f != nil {
				(*f)()
			}
			<-hang
		})
		c.stall = 20 * time.Millisecond
		var s string
		err := c.call(t.Context(), maxSmall, &s, "m")
		wantError(t, begin, err, errStalled.Error())
		if !errors.Is(err, errStalled) {
			t.Errorf("%q: %v", begin, err)
		}

		// Once the context is canceled, the client must neither retry nor wait.
		c.stall, c.pause = time.Hour, time.Hour
		ctx, f := context.WithCancel(t.Context())
		cancel.Store(&f)
		if err := c.call(ctx, maxSmall, &s, "m"); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", begin, err)
		}
		close(hang)
	}
}

// TestHuge checks that the client reads only a bounded part of an endless block.
func TestHuge(t *testing.T) {
	hash := strings.Repeat("00", 32)
	c := serve(t, func(w http.ResponseWriter, q *http.Request) {
		text, _ := io.ReadAll(q.Body)
		switch s := string(text); {
		case strings.Contains(s, "getblockchaininfo"):
			io.WriteString(w, `{"result":{"chain":"main","blocks":9},"id":1}`)
		case strings.Contains(s, "getblockhash"):
			fmt.Fprintf(w, `{"result":%q,"id":2}`, hash)
		default:
			space := []byte(strings.Repeat(" ", 1<<20))
			for {
				if _, err := w.Write(space); err != nil {
					return
				}
			}
		}
	})
	if c.most != maxAnswer {
		t.Errorf("a limit of %d bytes", c.most)
	}
	c.most = 1 << 20
	b, err := c.Bitcoin(t.Context())
	if err != nil || b.Tip() != 9 || b.Network() != consensus.Mainnet {
		t.Fatalf("%+v, %v", b, err)
	}
	r := b.Reader(3, 4)
	defer r.Close()
	_, err = r.Next()
	wantError(t, "huge", err, "block 3: ", "an answer of more than 1048576 bytes")
}

// TestTips checks that the client refuses a node that reports an impossible height of its last
// block.
func TestTips(t *testing.T) {
	for _, info := range []string{`{"chain":"main"}`, `{"chain":"main","blocks":-1}`,
		`{"chain":"main","blocks":2147483648}`, `{"chain":"main","blocks":null}`} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"result":%s,"id":1}`, info)
		})
		_, err := c.Bitcoin(t.Context())
		wantError(t, info, err, "the node does not say how many blocks it has")
	}
	const none, long = "the answer is no number of 64 bits", "and no chain has that many blocks"
	for tip, words := range map[string]string{"0x10000000000000000": none, "-0x1": none, "5": none,
		"0x": none, "0x-5": none, "0x+5": none, "0x1000000000000": long,
		"0x7fffffffffffffff": "its last block is 9223372036854775807, " + long,
		"0xffffffffffffffff": "its last block is 18446744073709551615, " + long, "0xffffffffffff": ""} {
		c := serve(t, func(w http.ResponseWriter, q *http.Request) {
			text, _ := io.ReadAll(q.Body)
			if strings.Contains(string(text), "eth_chainId") {
				io.WriteString(w, `{"result":"0x1","id":1}`)
				return
			}
			fmt.Fprintf(w, `{"result":%q,"id":2}`, tip)
		})
		e, err := c.Ethereum(t.Context())
		if words != "" {
			wantError(t, tip, err, "eth_blockNumber: ", words)
		} else if err != nil || e.Tip != maxTip {
			t.Errorf("%s: %+v, %v", tip, e, err)
		}
	}
}

// TestCanceled checks that a reader whose context is canceled does not report an error of the node.
func TestCanceled(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := (&Bitcoin{c: c, ctx: ctx, network: consensus.Mainnet}).Reader(0, 5)
	defer r.Close()
	b, err := r.Next()
	if err != nil || b == nil || b.Size() != 0 || b.Place() != nil {
		t.Fatalf("%v, %v", b, err)
	}
	b.Expand(func(u *reading.Unit) { t.Errorf("%+v", u) })
}
