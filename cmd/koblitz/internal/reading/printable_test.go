package reading

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// nasty contains one of each kind of character that a terminal interprets or hides.
const nasty = "a\x00\x1b[2J\x7f\r\n\t\u0085\u009b31m\u200b\u202e\u2066\ufeff\U000e0041\xff\xc3é✓ z"

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"":              "",
		"plain, é ✓ 漢字": "plain, é ✓ 漢字",
		`a\nb`:          `a\nb`,
		"a\nb":          `a\nb`,
		"\x1b[2J":       `\x1b[2J`,
		"\u009b31m":     `\u009b31m`,
		"\u202eabc":     `\u202eabc`,
		"\xff\xfe":      `\xff\xfe`,
		"\ufffd":        "\ufffd",
		"end\xe2\x82":   `end\xe2\x82`,
		nasty: `a\x00\x1b[2J\x7f\r\n\t` +
			`\u0085\u009b31m\u200b\u202e\u2066\ufeff\U000e0041\xff\xc3é✓ z`,
		"\U0001f600\u00ad;": "\U0001f600\\u00ad;",
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                       `""`,
		"a\"b":                   `"a\"b"`,
		"é\u202e\x1b":            `"\u00e9\u202e\x1b"`,
		strings.Repeat("x", 40):  `"` + strings.Repeat("x", 40) + `"`,
		strings.Repeat("x", 41):  `"` + strings.Repeat("x", 40) + `"…`,
		strings.Repeat("é", 1e6): `"` + strings.Repeat(`\u00e9`, 20) + `"…`,
	} {
		if got := Quote(s); got != want {
			t.Errorf("%.50q: %s, want %s", s, got, want)
		}
		if got := Quote([]byte(s)); got != want {
			t.Errorf("bytes %.50q: %s, want %s", s, got, want)
		}
	}
}

// allPrintable fails the test if s contains a character that is not printable, other than the
// characters of exceptions.
func allPrintable(t *testing.T, s, exceptions string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not UTF-8", s)
	}
	for _, r := range s {
		if !strconv.IsPrint(r) && !strings.ContainsRune(exceptions, r) {
			t.Errorf("%q has %q", s, r)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(nasty)
	f.Add("\xf0\x9f\x98")
	f.Fuzz(func(t *testing.T, s string) {
		allPrintable(t, Printable(s), "")
		allPrintable(t, Quote(s), "")
		if q := Quote(s); len(q) > 2+6*quoteLimit+len("…") {
			t.Errorf("%d bytes", len(q))
		}

		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var plain, escaped string
		escapedText := PrintableJSON(text)
		allPrintable(t, string(escapedText), "")
		if json.Unmarshal(text, &plain) != nil || json.Unmarshal(escapedText, &escaped) != nil ||
			plain != escaped {
			t.Errorf("%q became %q in %s", plain, escaped, escapedText)
		}

		var whole, single bytes.Buffer
		io.WriteString(NewPrintableWriter(&whole), s+"\n")
		io.Copy(NewPrintableWriter(&single), iotest.OneByteReader(strings.NewReader(s+"\n")))
		allPrintable(t, whole.String(), "\n\t")
		if whole.String() != single.String() {
			t.Errorf("%q at once, %q byte by byte", whole.String(), single.String())
		}
	})
}

func TestJSONKeepsLines(t *testing.T) {
	const text = "{\n  \"a\": \"\u009b\"\n}\n"
	if got := string(PrintableJSON([]byte(text))); got != "{\n  \"a\": \"\\u009b\"\n}\n" {
		t.Errorf("%q", got)
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewPrintableWriter(&b)
	for _, s := range []string{"one\tline\n", "é", "\xc3", "\xa9", "\xe2", "\x80", "\xae", "\x1b[0m",
		"\xc3", "x\n"} {
		if n, err := io.WriteString(w, s); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := "one\tline\néé\\u202e\\x1b[0m\\xc3x\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
