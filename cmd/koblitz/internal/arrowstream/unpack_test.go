package arrowstream

import (
	"bytes"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// TestFrames checks that a buffer compressed with LZ4 must be one frame with the claimed length.
func TestFrames(t *testing.T) {
	var frame bytes.Buffer
	z := lz4.NewWriter(&frame)
	if err := z.Apply(lz4.ChecksumOption(false)); err != nil {
		t.Fatal(err)
	}
	z.Write([]byte("some text"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	one := frame.Bytes()
	another := bytes.Clone(one)
	another[len(one)-1] = 0x80 // a frame ends with four zeros; this changes the last
	for name, c := range map[string]struct {
		in   []byte
		n    int
		good bool
	}{
		"one frame":       {one, 9, true},
		"two frames":      {append(bytes.Clone(one), one...), 18, false},
		"bytes behind it": {append(bytes.Clone(one), 0), 9, false},
		"no bytes":        {nil, 0, false},
		"a longer claim":  {one, 10, false},
		"a shorter claim": {one, 8, false},
		"no claim":        {one, 0, false},
		"another end":     {another, 9, false},
		"a skipped frame": {append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0}, one...), 9, false},
	} {
		if err := decodeLZ4(make([]byte, c.n), c.in); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
