package bitcoin

import (
	"bytes"
	"io"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

// FuzzFolder reads a folder with two arbitrary files and an arbitrary xor key. It checks that
// reading ends, and that each error names the file.
func FuzzFolder(f *testing.F) {
	n := smallNode()
	f.Add(bytes.Join(n.blk, nil), bytes.Join(n.rev, nil), uint64(0))
	f.Add(bytes.Join(n.blk, nil), bytes.Join(n.rev, nil), uint64(0x0102030405060708))
	f.Add(n.blk[1], n.rev[1], uint64(1))
	f.Fuzz(func(t *testing.T, blk, rev []byte, key uint64) {
		n := newTestNode(consensus.Regtest.Magic())
		for i := range n.key {
			n.key[i] = byte(key >> (8 * i))
		}
		n.blk[0], n.rev[0] = blk, rev
		d, err := OpenDirectory(n.write(t))
		if err != nil {
			return
		}
		for _, f := range d.Inputs() {
			r := f.Open(0, nil)
			if _, err := drain(t, r); err != nil && err == io.EOF {
				t.Fatal(err)
			}
			r.Close()
		}
	})
}
