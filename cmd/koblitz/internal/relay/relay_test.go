package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A session is one client's connection to the test's relay.
type session struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

// send sends the client a formatted message.
func (s *session) send(format string, args ...any) {
	s.conn.Write(s.ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
}

// request waits for the next REQ message and skips one CLOSE. Any other message fails the test. ok
// is false if the client has closed the connection.
func (s *session) request() (id string, filter map[string]json.RawMessage, ok bool) {
	for {
		_, text, err := s.conn.Read(s.ctx)
		if err != nil {
			return "", nil, false
		}
		var parts []json.RawMessage
		var label string
		if err := json.Unmarshal(text, &parts); err != nil || len(parts) < 2 ||
			json.Unmarshal(parts[0], &label) != nil || json.Unmarshal(parts[1], &id) != nil {
			s.t.Errorf("the client has sent %s", text)
			return "", nil, false
		}
		switch {
		case label == "CLOSE" && len(parts) == 2:
		case label == "REQ" && len(parts) == 3 && json.Unmarshal(parts[2], &filter) == nil:
			return id, filter, true
		default:
			s.t.Errorf("the client has sent %s", text)
		}
	}
}

// serve starts a relay and returns a client for it, with a key in the relay's address.
func serve(t *testing.T, handle func(*session)) *Client {
	t.Helper()
	return serveHTTP(t, func(w http.ResponseWriter, q *http.Request) {
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		handle(&session{t, q.Context(), conn})
	})
}

func serveHTTP(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c, err := New("ws" + strings.TrimPrefix(server.URL, "http") + "/SECRET?key=SECRET")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// event returns an event whose creation time is the argument created. Its id is wrong, so that
// check reports the event as invalid.
func event(created int64, content string) string {
	return fmt.Sprintf(`{"id":"%064d","pubkey":"%064d","created_at":%d,"kind":1,"tags":[],`+
		`"content":%q,"sig":"%0128d"}`, 1, 2, created, content, 3)
}

// drain reads all rows.Units of a client's reader. It returns the verdicts, each with the number of
// its message.
func drain(t *testing.T, c *Client, filter string, follow bool) (units []string, err error) {
	t.Helper()
	f, err := ParseFilter(filter)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Open(t.Context(), f, follow)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return units, err
		}
		b.Expand(func(u *rows.Unit) {
			if u.Where.File != c.Name() || strings.Contains(u.Where.File, "SECRET") {
				t.Errorf("a unit of %q", u.Where.File)
			}
			units = append(units, fmt.Sprintf("%d %v", u.Where.Line, u.Decided))
		})
	}
}

// wantError checks that err contains the given words and no secret.
func wantError(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, and %q is wanted", what, words)
		return
	}
	text := err.Error()
	for _, w := range append(words, "ws://127.0.0.1:") {
		if !strings.Contains(text, w) {
			t.Errorf("%s: no %q in %v", what, w, err)
		}
	}
	if strings.Contains(text, "SECRET") || len(text) > 800 || strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("%s: not fit to be shown: %.300q", what, text)
	}
}

// A store handles requests like a relay: it sends the newest events up to the time "until", newest
// first. It sends at most as many events for one request as its field "most" says.
type store struct {
	events []int64 // creation times, newest first
	most   int
	asked  []string // filters of the requests received
}

func (st *store) handle(s *session) {
	for {
		id, filter, ok := s.request()
		if !ok {
			return
		}
		text, _ := json.Marshal(filter)
		st.asked = append(st.asked, string(text))
		until, limit := int64(1<<62), st.most
		json.Unmarshal(filter["until"], &until)
		json.Unmarshal(filter["limit"], &limit)
		limit = min(limit, st.most)
		for i, created := range st.events {
			if created <= until && limit > 0 {
				s.send(`["EVENT",%q,%s]`, id, event(created, fmt.Sprint(i)))
				limit--
			}
		}
		s.send(`["EOSE",%q]`, id)
	}
}

// TestPages checks that all events of a relay that sends few at a time are read.
func TestPages(t *testing.T) {
	var times []int64
	for i := range 100 {
		times = append(times, int64(1000-i/3)) // three events in each second
	}
	for _, c := range []struct {
		filter string
		events []int64
		most   int
		want   int
		asked  int
		error  string
	}{
		{`{}`, nil, 10, 0, 1, "the relay has sent no event"},
		{`{"limit":5}`, nil, 10, 0, 1, "the relay has sent no event"},
		{`{}`, times[:1], 10, 1, 3, ""},
		{`{}`, times, 1000, 100, 3, ""},
		{`{"kinds":[1]}`, times, 10, 100, 13, ""},
		{`{}`, times, 4, 100, 35, ""},
		{`{"limit":7}`, times, 10, 7, 1, ""},
		{`{"limit":70}`, times, 10, 10, 1, ""},
		{`{"until":990}`, times, 10, 70, 10, ""},
		{`{}`, times, 3, 3, 3, `the relay has sent 3 events of time 1000 and has more, which cannot be ` +
			`asked for; with "until":999 in --filter`},
		{`{}`, []int64{5, 5, 5}, 3, 3, 3, ""},
		{`{}`, []int64{5, 0, 0}, 2, 3, 3, ""},
		{`{}`, []int64{5, -7, -9}, 9, 3, 1, ""},
	} {
		st := &store{events: c.events, most: c.most}
		units, err := drain(t, serve(t, st.handle), c.filter, false)
		if len(units) != c.want+len(st.asked) && c.error == "" || c.error == "" && err != nil {
			t.Errorf("%s, %d of %d: %d units, %v", c.filter, c.most, len(c.events), len(units), err)
		}
		if c.error != "" {
			wantError(t, c.filter, err, c.error)
		}
		events := 0
		for _, u := range units {
			if strings.HasSuffix(u, " invalid") {
				events++
			}
		}
		want := c.want
		if c.error != "" && want > 0 {
			want++ // one more: the event that proves that there are more
		}
		if events != want || len(st.asked) != c.asked {
			t.Errorf("%s, %d of %d: %d events after %q; want %d after %d", c.filter, c.most, len(c.events),
				events, st.asked, want, c.asked)
		}
		var first, given map[string]any
		json.Unmarshal([]byte(st.asked[0]), &first)
		json.Unmarshal([]byte(c.filter), &given)
		if fmt.Sprint(first) != fmt.Sprint(given) {
			t.Errorf("%s was asked for, not %s", st.asked[0], c.filter)
		}
	}
}

// TestMessages checks the rows.Units that the reader makes from messages of every type. It also
// checks which messages end the reading with an error.
func TestMessages(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	good := `["EVENT","koblitz-1",` + event(5, "a") + `]`
	for name, c := range map[string]struct {
		messages []string
		units    []string
		error    string
	}{
		"none": {[]string{`["EOSE","koblitz-1"]`}, []string{"1 passed over"},
			"after message 1: the relay has sent no event"},
		"none, and why": {[]string{`["NOTICE","too broad"]`, `["EOSE","koblitz-1"]`},
			[]string{"1 passed over", "2 passed over"}, `; the relay's last notice: "too broad"`},
		"event": {[]string{good, `["EOSE","koblitz-1"]`}, []string{"1 invalid", "2 passed over"}, ""},
		"an end that is not ours": {[]string{`["EOSE","koblitz-2"]`, good, `["EOSE","koblitz-1"]`},
			[]string{"1 passed over", "2 invalid", "3 passed over"}, ""},
		"garbage": {[]string{`{`, ``, `[]`, `["EVENT"]`, `["EVENT","koblitz-1"]`, `null`, "\xff",
			`["EOSE","koblitz-1"]`}, []string{"1 malformed", "2 malformed", "3 malformed", "4 malformed",
			"5 malformed", "6 malformed", "7 malformed", "8 passed over"}, ""},
		"an event that is none": {[]string{`["EVENT","koblitz-1",7]`,
			`["EVENT","koblitz-1",{"created_at":"x"}]`, `["EOSE","koblitz-1"]`},
			[]string{"1 malformed", "2 malformed", "3 passed over"}, ""},
		"others": {[]string{`["OK","x",true,""]`, `["AUTH","` + long + `"]`, `["NOTICE","slow"]`,
			`["AUTH",` + event(5, "hidden") + `]`, `["CLOSED","x","y"]`, `["EOSE","koblitz-1"]`},
			[]string{"1 passed over", "2 passed over", "3 passed over", "4 invalid", "5 passed over",
				"6 passed over"}, "the relay has sent no event"},
		"closed": {[]string{good, `["CLOSED","koblitz-1","auth-required: \u001b` + long + `"]`},
			[]string{"1 invalid", "2 passed over"},
			`after message 2: the relay has ended the subscription: "auth-required: \x1bxxx`},
		"another subscription": {[]string{`["EVENT","other` + long + `",` + event(5, "") + `]`},
			[]string{"1 invalid"}, "an event of subscription \"otherxxx"},
		"too long": {[]string{`["EVENT","koblitz-1",` + event(5, strings.Repeat(long, 220)) + `]`},
			nil, "read limited at 2097153 bytes"},
		"the last notice": {[]string{`["NOTICE","no"]`, `["NOTICE","too many \u001b` + long + `"]`,
			"end"}, []string{"1 passed over", "2 passed over"},
			`the relay's last notice: "too many \x1bxxx`},
		"gone":   {[]string{good, "end"}, []string{"1 invalid"}, "after message 1: "},
		"binary": {[]string{"binary"}, nil, "a binary message"},
		"a later event": {[]string{`["EVENT","koblitz-1",` + event(1<<40, "") + `]`},
			[]string{"1 invalid"}, "an event of time 1099511627776, and those up to 9 were asked for"},
	} {
		client := serve(t, func(s *session) {
			s.request()
			for _, m := range c.messages {
				switch m {
				case "end":
					s.conn.Close(websocket.StatusInternalError, "\x1b")
				case "binary":
					s.conn.Write(s.ctx, websocket.MessageBinary, []byte(good))
				default:
					s.conn.Write(s.ctx, websocket.MessageText, []byte(m))
				}
			}
			for { // later pages have no events
				id, _, ok := s.request()
				if !ok {
					return
				}
				s.send(`["EOSE",%q]`, id)
			}
		})
		units, err := drain(t, client, `{"until":9}`, false)
		if c.error != "" {
			wantError(t, name, err, c.error)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(c.units); len(units) < n || !slices.Equal(units[:n], c.units) {
			t.Errorf("%s: %q, want %q", name, units, c.units)
		}
	}
}

// TestCrossed checks that an event is ignored if the relay sent it before it received the CLOSE of
// the event's subscription.
func TestCrossed(t *testing.T) {
	units, err := drain(t, serve(t, func(s *session) {
		id, _, _ := s.request()
		s.send(`["EVENT",%q,%s]`, id, event(5, "a"))
		s.send(`["EOSE",%q]`, id)
		for {
			next, _, ok := s.request()
			if !ok {
				return
			}
			s.send(`["EVENT",%q,%s]`, id, event(99, "late"))
			s.send(`["EOSE",%q]`, next)
		}
	}), "{}", false)
	want := []string{"1 invalid", "2 passed over", "4 passed over"}
	if err != nil || !slices.Equal(units, want) {
		t.Errorf("%q, %v; want %q", units, err, want)
	}
}

// TestNoRelay checks that servers that are not relays give the right errors.
func TestNoRelay(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		text   string
	}{
		"a page":    {func(w http.ResponseWriter, _ *http.Request) {}, "this is no relay"},
		"a refusal": {http.NotFound, "does not let this machine in (status 404)"},
		"a redirect": {http.RedirectHandler("http://x/SECRET", http.StatusFound).ServeHTTP,
			"not followed"},
		"nothing": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"EOF"},
		"headers": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Upgrade", strings.Repeat("x", 1<<20))
			w.WriteHeader(101)
		}, "exceeded"},
		"another protocol": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", strings.Repeat("x", 10_000))
			w.WriteHeader(101)
		}, "WebSocket protocol violation"},
	} {
		_, err := drain(t, serveHTTP(t, c.handle), "{}", false)
		wantError(t, name, err, c.text)
	}
	c, err := New("ws://127.0.0.1:1/SECRET")
	if err != nil {
		t.Fatal(err)
	}
	_, err = drain(t, c, "{}", false)
	wantError(t, "no server", err, "connect")
	for _, address := range []string{"", "x", "http://x", "wss://", "wss://me:SECRET@x",
		"wss://\x01SECRET"} {
		if _, err := New(address); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestSilent checks that relays that send nothing give the right error: while connecting, after
// that, or while a subscription is followed.
func TestSilent(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	c := serveHTTP(t, func(http.ResponseWriter, *http.Request) { <-hang })
	c.stall = 20 * time.Millisecond
	_, err := drain(t, c, "{}", false)
	wantError(t, "no connection", err, errSilent.Error())

	c = serve(t, func(s *session) {
		s.request()
		<-hang
	})
	c.stall = 20 * time.Millisecond
	_, err = drain(t, c, "{}", false)
	wantError(t, "no message", err, errSilent.Error())
	c.ping, c.pause = time.Millisecond, time.Microsecond
	_, err = drain(t, c, "{}", true)
	wantError(t, "no answer to a ping", err, errSilent.Error())
}

// TestFollow checks that new events are read after the stored ones, until the context is done.
func TestFollow(t *testing.T) {
	c := serve(t, func(s *session) {
		id, filter, _ := s.request()
		if len(filter) != 1 || string(filter["kinds"]) != "[1]" {
			t.Errorf("%s was asked for", filter)
		}
		s.send(`["EVENT",%q,%s]`, id, event(5, "stored"))
		s.send(`["EOSE",%q]`, id)
		for i := range 300 {
			s.send(`["EVENT",%q,%s]`, id, event(int64(10+i), "new"))
		}
		s.request() // no request comes, but waiting for one answers pings
	})
	c.ping = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := c.Open(ctx, Filter{"kinds": json.RawMessage("[1]")}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for events := 0; ; {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.Expand(func(u *rows.Unit) {
			if u.Decided == rows.Invalid {
				events++
			}
		})
		if events == 301 {
			break
		}
	}
	cancel()
	b, err := r.Next()
	if err != nil || b == nil {
		t.Fatalf("%v, %v", b, err)
	}
	b.Expand(func(u *rows.Unit) { t.Errorf("%+v", u) })
	if _, err := c.Open(ctx, nil, false); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Error(err)
	}
}

// TestPagesBounded checks that the number of remembered events of one second is limited.
func TestPagesBounded(t *testing.T) {
	p := newPages(Filter{})
	for i := range maxSecond {
		if known, err := p.add(7, fmt.Append(nil, i)); known || err != nil {
			t.Fatal(i, known, err)
		}
	}
	_, err := p.add(7, nil)
	if err == nil || !strings.Contains(err.Error(), "65536 events of time 7") {
		t.Error(err)
	}
	// Events whose bytes are the same are recognized, whatever id they claim.
	p = newPages(Filter{})
	p.add(7, []byte("a"))
	if !p.end() || string(p.filter()["until"]) != "7" {
		t.Errorf("%s", p.filter())
	}
	for text, want := range map[string]bool{"a": true, "b": false} {
		if known, err := p.add(7, []byte(text)); known != want || err != nil {
			t.Error(text, known, err)
		}
	}
	if known, _ := p.add(6, []byte("a")); known {
		t.Error("an event of another time is known")
	}
	// A relay may send the events of one second on several pages. The events of the first page must
	// be remembered until the last page.
	p = newPages(Filter{})
	for _, text := range []string{"a", "b", "c"} {
		if known, err := p.add(7, []byte(text)); known || err != nil || !p.end() {
			t.Error(text, known, err)
		}
	}
	if known, _ := p.add(7, []byte("a")); !known {
		t.Error("an event of the first page is not known in the fourth")
	}
}

// TestPagesAtOnce checks that an event is recognized on the second page if all events of the first
// page have the time of "until".
func TestPagesAtOnce(t *testing.T) {
	for until, base := range map[int64]Filter{
		7:             {"until": json.RawMessage("7")},
		math.MaxInt64: {},
	} {
		p := newPages(base)
		if known, err := p.add(until, []byte("a")); known || err != nil || !p.end() {
			t.Fatal(until, known, err)
		}
		if known, err := p.add(until, []byte("a")); !known || err != nil {
			t.Error(until, known, err)
		}
	}
}

// TestParseFilter checks that ParseFilter accepts valid values of each field, and that it returns
// the right error for invalid filters.
func TestParseFilter(t *testing.T) {
	hash := `["` + strings.Repeat("0123456789abcdef", 4) + `"]`
	for _, text := range []string{`{}`, `{"kinds":[1]}`, `{"until":0,"limit":5}`,
		`{"until":4294967295}`, `{"limit":0}`, `{"since":5,"until":5}`, DefaultFilter,
		`{"ids":` + hash + `,"authors":` + hash + `,"#e":` + hash + `,"&p":` + hash + `}`,
		`{"kinds":[0,65535],"search":"x","#t":["a","b"],"&T":[""],"#d":["` + "\u00e4" + `"]}`,
	} {
		if _, err := ParseFilter(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		``: "an object of JSON", `[]`: "an object of JSON", `null`: "an object of JSON",
		`{`: "an object of JSON", `{} {}`: "an object of JSON",
		`{"x":"` + strings.Repeat("x", maxFilter) + `"}`: "more than 65536 bytes",
		`{"kinds":[1],"kinds":[2]}`:                      "duplicate",
		`{"kinds":[1],"\u006binds":[2]}`:                 "duplicate",

		`{"kind":[1]}`:                          `no field "kind" (did you mean "kinds"?); it has ids, `,
		`{"Kinds":[1]}`:                         `did you mean "kinds"?`,
		`{"knids":[1]}`:                         `did you mean "kinds"?`,
		`{"author":` + hash + `}`:               `did you mean "authors"?`,
		`{"pubkeys":` + hash + `}`:              `did you mean "authors"?`,
		`{"id":` + hash + `}`:                   `did you mean "ids"?`,
		`{"p":` + hash + `}`:                    `did you mean "#p"?`,
		`{"untill":1}`:                          `did you mean "until"?`,
		`{"#emoji":["x"]}`:                      `no field "#emoji"; it has ids, `,
		`{"#":["x"]}`:                           "no field",
		`{"#1":["x"]}`:                          "no field",
		`{"#\u00e4":["x"]}`:                     "no field",
		`{"":1}`:                                "no field",
		`{"\u001b[2J":1}`:                       `no field "\x1b[2J"; it has`,
		`{"kinds":1}`:                           `"kinds" is a list of numbers from 0 to 65535, and not`,
		`{"kinds":["1"]}`:                       `"kinds" is`,
		`{"kinds":[1,null]}`:                    `"kinds" is`,
		`{"kinds":[]}`:                          `"kinds" is`,
		`{"kinds":null}`:                        `"kinds" is`,
		`{"kinds":[65536]}`:                     `"kinds" is`,
		`{"kinds":[-1]}`:                        `"kinds" is`,
		`{"kinds":[1.5]}`:                       `"kinds" is`,
		`{"authors":["npub1xyz"]}`:              `"authors" is a list of 64 lowercase hex digits each`,
		`{"authors":["abcd"]}`:                  `"authors" is`,
		`{"authors":` + hash[1:] + `}`:          "an object of JSON",
		`{"ids":` + strings.ToUpper(hash) + `}`: `"ids" is`,
		`{"ids":` + hash[1:len(hash)-1] + `}`:   `"ids" is`,
		`{"#e":["x"]}`:                          `"#e" is a list of 64`,
		`{"#p":[]}`:                             `"#p" is`,
		`{"#t":"x"}`:                            `"#t" is a list of texts`,
		`{"#t":[1]}`:                            `"#t" is`,
		`{"#t":[]}`:                             `"#t" is`,
		`{"search":""}`:                         `"search" is a text`,
		`{"search":["x"]}`:                      `"search" is`,
		`{"search":null}`:                       `"search" is`,
		`{"since":-1}`:                          `"since" is a number of seconds since 1970, and not`,
		`{"since":"1"}`:                         `"since" is`,
		`{"since":4294967296}`:                  `"since" is`,
		`{"since":1700000000000}`:               `"since" is`,
		`{"until":-1}`:                          `"until" is`,
		`{"until":"1"}`:                         `"until" is`,
		`{"until":null}`:                        `"until" is`,
		`{"until":{}}`:                          `"until" is`,
		`{"limit":1.5}`:                         `"limit" is a number`,
		`{"limit":null}`:                        `"limit" is`,
		`{"since":6,"until":5}`:                 "no event is of such a time",
	} {
		if _, err := ParseFilter(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}
