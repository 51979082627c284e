package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// newRelay starts a relay and returns its address. The function handle answers each REQ message by
// calling send. Sending "end" closes the connection.
func newRelay(t *testing.T, handle func(send func(message string), id, filter string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		for {
			_, text, err := conn.Read(q.Context())
			if err != nil {
				return
			}
			var parts []json.RawMessage
			var label, id string
			if json.Unmarshal(text, &parts) != nil || json.Unmarshal(parts[0], &label) != nil ||
				json.Unmarshal(parts[1], &id) != nil {
				t.Errorf("the client has sent %s", text)
				return
			}
			if label == "REQ" {
				handle(func(message string) {
					if message == "end" {
						conn.Close(websocket.StatusGoingAway, "restart")
						return
					}
					conn.Write(q.Context(), websocket.MessageText, []byte(message))
				}, id, string(parts[2]))
			}
		}
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// TestRelay checks the report on two events of a relay: a valid one, which the next page repeats
// and which must be counted once, and a forged one with the signature of another event.
func TestRelay(t *testing.T) {
	good, other := signedEvent(t, 1, "a"), signedEvent(t, 2, "b")
	var a, b map[string]any
	if json.Unmarshal([]byte(good), &a) != nil || json.Unmarshal([]byte(other), &b) != nil {
		t.Fatal("no JSON")
	}
	b["sig"] = a["sig"]
	forged, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var filters []string
	url := newRelay(t, func(send func(string), id, filter string) {
		filters = append(filters, filter)
		if len(filters) < 3 {
			send(fmt.Sprintf(`["EVENT",%q,%s]`, id, good))
		}
		if len(filters) == 1 {
			send(fmt.Sprintf(`["EVENT",%q,%s]`, id, forged))
		}
		send(fmt.Sprintf(`["EOSE",%q]`, id))
	})
	got := checkJSON(t, "", "--relay", url+"/path?key=secret", "--filter", `{"kinds":[1]}`)
	want := []string{`{"kinds":[1]}`, `{"kinds":[1],"until":1700000000}`,
		`{"kinds":[1],"until":1699999999}`}
	if got.Rows != 2 || got.Valid != 1 || got.Invalid != 1 || got.PassedOver != 3 ||
		got.Exit != exitInvalid || got.Failures[0].Line != 2 || got.Failures[0].File != url ||
		got.Inputs[0].File != url || got.Formats[0] != "nostr" || !slices.Equal(filters, want) {
		t.Errorf("%+v after %q", got, filters)
	}
}

// TestRelayWithoutEvents checks the error for relays that send no events. It also checks that the
// default filter is one that relays answer.
func TestRelayWithoutEvents(t *testing.T) {
	filter := ""
	url := newRelay(t, func(send func(string), id, f string) {
		filter = f
		send(`["NOTICE","restricted: filter too broad"]`)
		send(fmt.Sprintf(`["EOSE",%q]`, id))
	})
	for _, args := range [][]string{{}, {"--filter", "{}"}, {"--filter", `{"limit":0}`}} {
		wantCLI(t, exitUnreadable, []string{"the relay has sent no event",
			`--filter '{"kinds":[1],"limit":500}'`, "filter too broad"}, "",
			append([]string{"check", "--relay", url}, args...)...)
		want := `{"kinds":[1],"limit":500}`
		if len(args) > 0 {
			want = args[1]
		}
		if filter != want {
			t.Errorf("%v: %s was asked for", args, filter)
		}
	}
}

// TestRelayRefused checks that certain command lines, and a relay that refuses the request, give an
// error.
func TestRelayRefused(t *testing.T) {
	url := newRelay(t, func(send func(string), id, _ string) {
		send(fmt.Sprintf(`["CLOSED",%q,"restricted: \u001b[2Jnot you"]`, id))
	})
	for _, c := range []struct {
		args   []string
		status int
		text   string
	}{
		{[]string{"--relay", url}, exitUnreadable,
			`ended the subscription: "restricted: \x1b[2Jnot you"`},
		{[]string{"--relay", "http://x"}, exitUsage, "begins with wss://"},
		{[]string{"--relay", "wss://me:secret@x"}, exitUsage, "do not belong in an URL"},
		{[]string{"--relay", url, "--filter", "[]"}, exitUsage, "a filter is an object"},
		{[]string{"--relay", url, "x"}, exitUsage, "--relay needs no files"},
		{[]string{"--relay", url, "--sample"}, exitUsage, "do not go with --relay"},
		{[]string{"--relay", url, "--node", "http://x"}, exitUsage, "do not go with --relay"},
		{[]string{"--relay", url, "--from", "5"}, exitUsage, "do not go with --relay"},
		{[]string{"--relay", url, "--network", "mainnet"}, exitUsage, "do not go with --relay"},
		{[]string{"--relay", url, "--format", "bitcoin"}, exitUsage, "--relay gives events"},
		{[]string{"--relay", url, "--state", "s"}, exitUsage, "--state does not go with --relay"},
		{[]string{"--relay", url, "--compression", "none"}, exitUsage, "--compression goes with files"},
		{[]string{"--relay", url, "--filter", `{"kind":[1]}`}, exitUsage, `did you mean "kinds"?`},
		{[]string{"--relay", url, "--filter", `{"kinds":"1"}`}, exitUsage, `"kinds" is a list of`},
		{[]string{"--filter", "{}", "x"}, exitUsage, "go with --relay"},
		{[]string{"--filter", `{"kinds":[1]}`, "x"}, exitUsage, "go with --relay"},
		{[]string{"--follow", "x"}, exitUsage, "go with --relay"},
	} {
		stdout, stderr := wantCLI(t, c.status, []string{c.text}, "", append([]string{"check"},
			c.args...)...)
		if strings.Contains(stdout+stderr, "secret") {
			t.Errorf("%v: the password is shown\n%s%s", c.args, stdout, stderr)
		}
	}
}

// TestRelayInterrupted checks that an interrupt ends a run that follows a relay, and a run that
// waits for a message, with the status for interrupts.
func TestRelayInterrupted(t *testing.T) {
	event := signedEvent(t, 1, "a")
	for _, args := range [][]string{{"--follow"}, {}} {
		ctx, cancel := context.WithCancel(t.Context())
		url := newRelay(t, func(send func(string), id, _ string) {
			send(fmt.Sprintf(`["EVENT",%q,%s]`, id, event))
			if len(args) > 0 {
				send(fmt.Sprintf(`["EOSE",%q]`, id))
			}
			cancel()
		})
		status, stdout, stderr := cliContext(ctx, strings.NewReader(""), append([]string{"check",
			"--relay", url}, args...)...)
		if status != exitInterrupted || strings.Contains(stdout+stderr, "canceled") {
			t.Errorf("%v: status %d\n%s%s", args, status, stdout, stderr)
		}
		cancel()
	}
}

// TestRelayReconnect checks a run that follows a relay that closes the first connection. On the
// second connection the relay sends the same event again and then a new one. The report must count
// each event once.
func TestRelayReconnect(t *testing.T) {
	a, b := signedEvent(t, 1, "a"), signedEvent(t, 2, "b")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	requests := 0
	url := newRelay(t, func(send func(string), id, filter string) {
		send(fmt.Sprintf(`["EVENT",%q,%s]`, id, a))
		if requests++; requests == 1 {
			send(fmt.Sprintf(`["EOSE",%q]`, id))
			send("end")
			return
		}
		if filter != `{"kinds":[1],"since":1699999700}` {
			t.Errorf("%s was asked for", filter)
		}
		send(fmt.Sprintf(`["EVENT",%q,%s]`, id, b))
		time.AfterFunc(3*time.Second, cancel)
	})
	status, stdout, stderr := cliContext(ctx, strings.NewReader(""), "check", "--relay", url,
		"--follow")
	if status != exitInterrupted || !strings.Contains(stdout, "valid          2\n") ||
		strings.Count(stderr, "after message 2: ") != 1 ||
		!strings.Contains(stderr, "; connecting again\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}
