package reading

import (
	"bytes"
	"errors"
	"io"
	"testing"

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
