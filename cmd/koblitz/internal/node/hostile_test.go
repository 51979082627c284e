package node

import (
	"net"
	"strings"
	"testing"
	"time"
)

// raw starts a server that sends the bytes of answer in response to each request. It returns a
// client for it.
func raw(t *testing.T, answer string) *Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 4096)); err == nil {
					conn.Write([]byte(answer))
				}
			}()
		}
	}()
	c, err := New("http://"+l.Addr().String()+"/v3/SECRET", "name:PASSWORD")
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Microsecond
	return c
}

// TestNoHTTP checks that the errors for servers that do not speak HTTP correctly are short and
// contain no control characters from the server.
func TestNoHTTP(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, answer := range map[string]string{
		"nothing":        "",
		"a banner":       "SSH-2.0-\x1b[2J" + long + "\r\n",
		"a status":       "HTTP/1.1 \x1b[2J\r\n\r\n",
		"a header":       "HTTP/1.1 200 OK\r\n\x1b[2J" + long + "\r\n\r\n",
		"a short header": "HTTP/1.1 200 OK\r\n\x1b[2Jx\r\n\r\n",
		"many headers":   "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+long[:1000]+"\r\n", 1000) + "\r\n",
		"a place":        "HTTP/1.1 302 Found\r\nLocation: http://x\x1b[2J/" + long[:1000] + "\r\n\r\n",
		"a bad place":    "HTTP/1.1 302 Found\r\nLocation: %zz" + long[:10000] + "\r\n\r\n",
		"a length":       "HTTP/1.1 200 OK\r\nContent-Length: \x1b[2J" + long[:10000] + "\r\n\r\n",
		"two lengths":    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"an encoding":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: \x1b[2J" + long[:10000] + "\r\n\r\n",
		"a chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\x1b[2J" + long,
		"half":           "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
		"no gzip":        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
		"a message": "HTTP/1.1 500 X\r\nConnection: close\r\n\r\n" +
			`{"error":{"code":1,"message":"\u001b` + long[:1000] + `"}}`,
	} {
		var s string
		err := raw(t, answer).call(t.Context(), maxSmall, &s, "m")
		if name == "many headers" {
			wantError(t, name, err, "exceeded")
		}
		wantError(t, name, err)
		if err == nil {
			continue
		}
		if text := err.Error(); len(text) > 600 || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("%s: %d bytes: %.200q", name, len(text), text)
		}
	}
}
