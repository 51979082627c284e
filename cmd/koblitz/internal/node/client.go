// Package node reads blocks from nodes of Bitcoin and Ethereum, through their JSON-RPC over HTTP.
//
// A response with blocks is parsed as it arrives, by the same readers as a file with such
// responses, so memory is bounded in the same way. A node is not trusted. It must return the
// requested block, and a response that is too long or truncated is an error. No error contains the
// password, or more of the node's address than the host: the rest of an address may be a provider's
// key.
package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	// attempts is the maximum number of times that a request is sent. It is sent again if there is
	// no response, or one that asks the client to retry.
	attempts = 4

	// maxSmall limits a response that is read into memory as a whole, in bytes: hashes, numbers,
	// the state of the chain.
	maxSmall = 64 << 10

	// maxAnswer limits a response with blocks, in bytes. For a block full of witnesses, Bitcoin
	// Core's getblock with verbosity 3 prints about 60 MB: its hexadecimal digits three times, and
	// the outputs that it spends.
	maxAnswer = 256 << 20
)

// A Client sends requests to one node.
type Client struct {
	name     string // the node's scheme and host, without secrets
	url      string
	user     string
	password string
	http     *http.Client
	id       atomic.Int64

	pause time.Duration // pause before the second attempt; doubles with each attempt
	stall time.Duration // longest wait for the next byte of a response
	most  int64         // maximum size of a response with blocks, in bytes
}

// New returns a client for the node at address, an http or https URL. auth is empty, or a user name
// and a password joined by a colon. New sends nothing to the node.
func New(address, auth string) (*Client, error) {
	name, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	c := &Client{name: name, url: strings.TrimSuffix(address, "/"),
		http: newHTTP(http.ProxyFromEnvironment), pause: time.Second, stall: time.Minute, most: maxAnswer}
	if auth != "" {
		var ok bool
		if c.user, c.password, ok = strings.Cut(auth, ":"); !ok {
			return nil, errors.New("no colon between name and password")
		}
	}
	return c, nil
}

// Name returns the scheme and host of the node's address.
func (c *Client) Name() string { return c.name }

// A request is a JSON-RPC request.
type request struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

func (c *Client) request(method string, params ...any) request {
	return request{"2.0", c.id.Add(1), method, append([]any{}, params...)}
}

// A refusal is the error object of a JSON-RPC response.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the node answered: %s (code %d)", reading.Short(r.Message), r.Code)
}

// A response is a JSON-RPC response.
type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *refusal        `json:"error"`
}

// noMethod is JSON-RPC's code for an unknown method.
const noMethod = -32601

// LacksMethod reports whether err means that the node does not offer the requested method.
func LacksMethod(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.Code == noMethod
}

// call calls a JSON-RPC method and decodes the result into result. limit is the maximum size of the
// response in bytes.
func (c *Client) call(ctx context.Context, limit int64, result any, method string,
	params ...any) error {
	q := c.request(method, params...)
	b, err := c.post(ctx, q, limit)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	defer b.Close()
	text, err := io.ReadAll(b)
	if err == nil {
		err = decodeAnswer(text, q.ID, result)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", method, c.name, err)
	}
	return nil
}

// decodeAnswer decodes the result in text, the JSON-RPC response to the request with the given id.
func decodeAnswer(text []byte, id int64, result any) error {
	var a response
	switch err := json.Unmarshal(text, &a); {
	case err != nil:
		return errors.New("no answer of JSON-RPC")
	case a.Error != nil:
		return a.Error
	case string(a.ID) != strconv.FormatInt(id, 10):
		return fmt.Errorf("the answer is one to another request: its id is %s, and not %d",
			reading.Quote(string(a.ID[:min(len(a.ID), 20)])), id)
	}
	if err := json.Unmarshal(a.Result, result); err != nil || string(a.Result) == "null" {
		return errors.New("the answer has no result of the kind that was asked for")
	}
	return nil
}

// source returns text as an input. before is the number of bytes read from the node before it.
func (c *Client) source(text *body, before int64) reading.Source {
	return reading.Source{Name: c.name, Reader: text,
		Consumed: func() int64 { return before + text.taken.Load() }}
}

// post sends v as JSON, again and again until there is a response, but at most as often as the
// constant attempts allows. The caller closes the returned body, which yields at most limit bytes.
func (c *Client) post(ctx context.Context, v any, limit int64) (*body, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	pause := c.pause
	for n := 1; ; n++ {
		b, again, err := c.try(ctx, text, limit)
		if err == nil {
			return b, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !again || n == attempts {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// errStalled is the cause with which a request is canceled if no byte arrives for as long as the
// client's field stall says.
var errStalled = errors.New("nothing has come for too long")

// try sends a request once. If it returns an error, again reports whether another attempt may help.
func (c *Client) try(ctx context.Context, text []byte, limit int64) (b *body, again bool,
	err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	b = &body{ctx: ctx, cancel: cancel, stall: c.stall, left: limit,
		timer: time.AfterFunc(c.stall, func() { cancel(errStalled) })}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(text))
	if err != nil {
		b.Close()
		return nil, false, errors.New("no URL")
	}
	q.Header.Set("Content-Type", "application/json")
	if c.user != "" || c.password != "" {
		q.SetBasicAuth(c.user, c.password)
	}
	answer, err := c.http.Do(q)
	b.timer.Stop()
	if err != nil {
		err = b.why(err)
		b.Close()
		return nil, true, err
	}
	b.from = answer.Body
	if answer.StatusCode != http.StatusOK {
		again, err = refused(answer, b)
		b.Close()
		return nil, again, err
	}
	return b, false, nil
}

// refused returns the error for a response with a status other than 200. Bitcoin Core sends
// JSON-RPC errors in such responses.
func refused(answer *http.Response, b io.Reader) (again bool, err error) {
	code := answer.StatusCode
	if code == http.StatusUnauthorized || code == http.StatusForbidden {
		return false, fmt.Errorf("the node does not let this machine or user in (status %d); --rpc-auth "+
			"has a name and a password", code)
	}
	text, _ := io.ReadAll(io.LimitReader(b, maxSmall))
	var a response
	if json.Unmarshal(text, &a) == nil && a.Error != nil {
		return false, a.Error
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return code/100 == 5 || code == http.StatusTooManyRequests,
		fmt.Errorf("the node answered with status %d: %s", code, reading.Quote(first))
}

// A body is the body of a response. Read fails if no byte arrives for as long as the client's field
// stall says, or if the body exceeds its limit.
type body struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  time.Duration
	timer  *time.Timer // runs while Read waits
	from   io.ReadCloser
	left   int64 // number of bytes still allowed
	taken  atomic.Int64
}

func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.stall)
	n, err := b.from.Read(p[:min(int64(len(p)), b.left+1)])
	b.timer.Stop()
	b.taken.Add(int64(n))
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("an answer of more than %d bytes", b.taken.Load()-1)
	}
	if err != nil && err != io.EOF {
		err = b.why(err)
	}
	return n, err
}

// why returns the cause with which the request was canceled. If it was not canceled, why returns
// err.
func (b *body) why(err error) error {
	if cause := context.Cause(b.ctx); cause != nil {
		return cause
	}
	return shown(err)
}

func (b *body) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	if b.from == nil {
		return nil
	}
	return b.from.Close()
}
