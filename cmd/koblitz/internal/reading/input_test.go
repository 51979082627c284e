package reading

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var text = strings.Repeat("The quick brown fox. ", 20000)

func gzipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.Bytes()
}

func zstded(s string) []byte {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.Bytes()
}

// bzipped returns "hello\n" compressed with bzip2, as a constant: the standard library cannot
// compress bzip2.
func bzipped(t *testing.T) []byte {
	b, err := hex.DecodeString(
		"425a6839314159265359c1c080e2000001410000100244a00030cd00c3462997177245385090c1c080e2")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDetection checks heads that are not compressed; TestMembers has compressed ones.
func TestDetection(t *testing.T) {
	for _, head := range []string{"", "hello, world", "\x1f\x8b\x08", // too short for gzip
		"\x1f\x8b\x08\x20\x00\x00\x00\x00\x00\x00", // gzip with reserved flags
		"BZh9 and more"} {
		if got := DetectCompression([]byte(head)); got != Uncompressed {
			t.Errorf("%q: %s", head, got)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"plain":        []byte(text),
		"gzip":         gzipped(text),
		"two gzips":    append(gzipped(text[:1000]), gzipped(text[1000:])...),
		"zstd":         zstded(text),
		"two zstds":    append(zstded(text[:1000]), zstded(text[1000:])...),
		"zstd by name": zstded(text),
		"xz":           xzed(t, text, 1<<20, 1<<40),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, arg := range []string{path, Stdin} {
			c := AutoDetect
			if name == "zstd by name" {
				c = Zstd
			}
			in, err := Open(arg, bytes.NewReader(data), c, false)
			if err != nil {
				t.Fatal(err)
			}
			if size := in.Size; arg == path && size != int64(len(data)) || arg == Stdin && size != -1 {
				t.Errorf("%s: size %d", name, size)
			}
			head, err := in.Head()
			if err != nil || string(head) != text[:HeadSize] {
				t.Errorf("%s: head of %d bytes, %v", name, len(head), err)
			}
			got, err := io.ReadAll(in)
			if err != nil || string(got) != text {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(text), err)
			}
			if in.Position() != int64(len(data)) {
				t.Errorf("%s: position %d of %d", name, in.Position(), len(data))
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCannotOpen(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		dir:                          "is a directory",
		filepath.Join(dir, "nobody"): "no such file",
	} {
		_, err := Open(name, nil, AutoDetect, false)
		if err == nil || err.Error() != fmt.Sprintf("%s: %s", name,
			want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestWindow checks that a zstd stream with a window over the limit is refused at its first bytes,
// and that a stream with a window at the limit is read.
func TestWindow(t *testing.T) {
	// Build a stream by RFC 8878, §3.1.1: a magic number, a frame header, and one block of type
	// RLE.
	frame := func(header ...byte) string {
		return string(append(append([]byte{0x28, 0xb5, 0x2f, 0xfd}, header...), 3|4<<3, 0, 0, 'x'))
	}
	window := func(log int) string { return frame(0, byte(log-10)<<3) }
	for name, test := range map[string]struct{ data, want string }{
		"8 MiB":  {window(23), "xxxx"},
		"32 MiB": {window(25), "xxxx"},
		"64 MiB": {window(26), "zstd: refers back by more than 32 MiB"},
		"2 TiB":  {window(41), "zstd: refers back by more than 32 MiB"},
		"one segment": {frame(0xe0, 0, 0, 0, 4, 0, 0, 0, 0),
			"zstd: refers back by more than 32 MiB"},
		"second frame":      {window(23) + window(31), "zstd: refers back by more than 32 MiB"},
		"a little too much": {frame(0, 15<<3|1), "zstd: refers back by more than 32 MiB"},
	} {
		in, err := NewInput("f", strings.NewReader(test.data), -1, AutoDetect, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.HasPrefix(string(got), test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		in.Close()
	}
}

// TestShortened checks that reading a file that became shorter after Open ends with an error.
func TestShortened(t *testing.T) {
	const left = 300_000 // more bytes than Open reads ahead
	for name, data := range map[string][]byte{"plain": []byte(text), "packed": gzipped(text),
		"packed often": bytes.Repeat(gzipped("The quick brown fox. "), 20000)} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{int64(len(data)), left} {
			if size > int64(len(data)) {
				continue
			}
			in, err := Open(path, nil, AutoDetect, true)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, in)
			_, sumErr := in.Sum()
			in.Close()
			for _, err := range []error{err, sumErr} {
				if size == left && (err == nil || !strings.Contains(err.Error(), "became shorter")) ||
					size != left && err != nil {
					t.Errorf("%s, %d of %d bytes: %v", name, size, len(data), err)
				}
			}
		}
	}
}

// TestMembers reads files of several members, with skippable frames, with bytes after the end, and
// cut off at each byte.
func TestMembers(t *testing.T) {
	const hello = "hello\n"
	skipped := "\x5a\x2a\x4d\x18\x04\x00\x00\x00skip"
	for c, file := range map[Compression]struct{ one, empty string }{
		Gzip:  {string(gzipped(hello)), string(gzipped(""))},
		Bzip2: {string(bzipped(t)), "BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"},
		Zstd:  {string(zstded(hello)), string(zstded(" ")[:4]) + "\x20\x00\x01\x00\x00"},
		XZ:    {string(xzed(t, hello, 1<<16, 1<<40)), string(xzed(t, "", 1<<16, 1<<40))},
	} {
		one := file.one
		type contents struct {
			data, want string
			bad        bool
		}
		tests := []contents{{one, hello, false}, {file.empty, "", false},
			{one + one, hello + hello, false}, {file.empty + one, hello, false},
			{one + file.empty, hello, false},
			{one + strings.Repeat(file.empty, 200) + one, hello + hello, false}}
		for _, n := range []int{1, 2, 3, 4, 5, 6, 100, 100_000} {
			tests = append(tests, contents{one + strings.Repeat("x", n), hello, true},
				contents{one + one + strings.Repeat("\x00", n), hello + hello, c != XZ || n%4 != 0})
		}
		if c == Zstd {
			for _, frames := range []string{skipped, skipped + skipped} {
				tests = append(tests, contents{frames + one, hello, false},
					contents{one + frames, hello, false},
					contents{one + frames + one + frames, hello + hello, false},
					contents{one + frames + "x", hello, true})
			}
			for n := 1; n < len(skipped); n++ {
				tests = append(tests, contents{one + skipped[:n], hello, true})
			}
		}
		damaged := []byte(one)
		damaged[len(one)-2] ^= 1 // changes the checksum or the byte before it
		tests = append(tests, contents{string(damaged), "", true})
		for n := 1; n < len(one); n++ {
			tests = append(tests, contents{one + one[:n], hello, true})
			if n >= magicSize {
				tests = append(tests, contents{one[:n], "", true})
			}
		}
		for i, test := range tests {
			in, err := NewInput("f", strings.NewReader(test.data), -1, AutoDetect, false)
			if err != nil && test.bad && test.want == "" {
				continue // cut off in the header of xz
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := in.Head(); err != nil && test.want != "" {
				t.Errorf("%s, case %d: %v", c, i, err)
			}
			got, err := io.ReadAll(in)
			if in.Compression != c || !strings.HasPrefix(string(got), test.want) ||
				(err != nil) != test.bad || err != nil && !strings.HasPrefix(err.Error(), string(c)+": ") {
				t.Errorf("%s, case %d of %d bytes: %s, %q, %v; want %q, error %t", c, i, len(test.data),
					in.Compression, got, err, test.want, test.bad)
			}
			in.Close()
		}
		t.Logf("%s covers %d files", c, len(tests))
	}
}
