package reading

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz"
)

// xzed returns s compressed with xz. dictionary and block are the sizes in bytes of the dictionary
// and of the blocks.
func xzed(t testing.TB, s string, dictionary int, block int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := xz.WriterConfig{DictCap: dictionary, BlockSize: block}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestXZ checks that files of one block, of many blocks and of several streams are decompressed,
// and that truncating a file at any byte is an error. A changed byte must be an error or have no
// effect.
func TestXZ(t *testing.T) {
	text := text[:20000]
	one := xzed(t, text, 1<<20, 1<<40)
	blocks := xzed(t, text, 1<<16, 999)
	padded := append(append(bytes.Clone(one), 0, 0, 0, 0, 0, 0, 0, 0), blocks...)
	read := func(data []byte) (string, error) {
		in, err := NewInput("f", iotest.HalfReader(bytes.NewReader(data)), -1, AutoDetect, false)
		if err != nil {
			return "", err
		}
		defer in.Close()
		got, err := io.ReadAll(in)
		return string(got), err
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{"one block": {one, text}, "blocks": {blocks, text}, "streams": {padded, text + text},
		"nothing": {xzed(t, "", 1<<16, 999), ""}} {
		if got, err := read(test.data); got != test.want || err != nil {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(test.want), err)
		}
		for n := magicSize; n < len(test.data)-1; n += 1 + n/10 {
			got, err := read(test.data[:n])
			between := name == "streams" && (n == len(one) || n == len(one)+4 || n == len(one)+8)
			if (err == nil) != between || !strings.HasPrefix(test.want, got) {
				t.Errorf("%s, cut to %d of %d: %v", name, n, len(test.data), err)
			}
		}
	}
	noticed := 0
	for at := magicSize; at < len(blocks); at++ {
		damaged := bytes.Clone(blocks)
		damaged[at] ^= 4
		switch got, err := read(damaged); {
		case err != nil:
			noticed++
		case got != text: // no error and the same text: the byte's changed bit carries no data
			t.Errorf("byte %d of %d was changed, and nothing was noticed", at, len(damaged))
		}
	}
	if noticed < len(blocks)*9/10 {
		t.Errorf("%d of %d changes were noticed", noticed, len(blocks))
	}
}

// TestXZLimits checks that a stream that needs more memory than the limit is refused.
func TestXZLimits(t *testing.T) {
	read := func(data []byte) error {
		in, err := NewInput("f", bytes.NewReader(data), -1, XZ, false)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(in)
		return err
	}
	if err := read(xzed(t, "x", maxDictionary, 1<<40)); err != nil {
		t.Errorf("32 MiB: %v", err)
	}
	large := xzed(t, "x", 2*maxDictionary, 1<<40)
	for name, data := range map[string][]byte{"64 MiB": large,
		"64 MiB in the second stream": append(xzed(t, "x", 1<<16, 1<<40), large...)} {
		if err := read(data); !errors.Is(err, errDictionary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
