package pkix

import (
	"bytes"
	"encoding/base64"
	"testing"
)

// TestDigits checks every digit and every character against encoding/base64.
func TestDigits(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for c := range 256 {
		i := bytes.IndexByte([]byte(alphabet), byte(c))
		v, ok := value(byte(c))
		if ok.Bool() != (i >= 0) || v != uint32(max(i, 0)) {
			t.Errorf("value(%q) = %d, %d, want %d", c, v, ok, i)
		}
		if i >= 0 && digit(uint32(i)) != byte(c) {
			t.Errorf("digit(%d) = %q, want %q", i, digit(uint32(i)), c)
		}
	}
}

// TestBase64 checks every length up to more than that of a key, both ways.
func TestBase64(t *testing.T) {
	for n := 1; n <= 160; n++ {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(n * (i + 1) * 37)
		}
		text := make([]byte, encodedLen(n))
		encode(text, b)
		for i := 64; i < len(text); i += 65 {
			if text[i] != '\n' {
				t.Fatalf("%d bytes: no newline at %d: %q", n, i, text)
			}
		}
		flat := bytes.ReplaceAll(text, []byte("\n"), nil)
		if want := base64.StdEncoding.EncodeToString(b); string(flat) != want ||
			text[len(text)-1] != '\n' {
			t.Fatalf("%x: %q, want %q in lines", b, text, want)
		}
		got := make([]byte, n)
		m, at, fault := decode(got, append(text, '-'), 0)
		if fault != "" || m != n || at != len(text) || !bytes.Equal(got, b) {
			t.Fatalf("%q: %x, %d, %s, want %x", text, got[:m], at, fault, b)
		}
	}
}

// FuzzDecode checks that decode takes only what encoding/base64 takes, with the same result.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("MHQCAQEE\nIA==\n-"))
	f.Add([]byte("MHQCAQEE\r\nIAA=\r\n-"))
	f.Fuzz(func(t *testing.T, text []byte) {
		buf := newBuffer(text)
		n, at, fault := decode(buf, text, 0)
		if n > len(buf) || at > len(text) {
			t.Fatal(n, at)
		}
		if fault != "" {
			return
		}
		want, err := base64.StdEncoding.Strict().DecodeString(string(text[:at]))
		if err != nil || !bytes.Equal(buf[:n], want) {
			t.Fatalf("%q: %x, want %x, %v", text, buf[:n], want, err)
		}
	})
}
