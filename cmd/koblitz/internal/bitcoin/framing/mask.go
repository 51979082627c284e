package framing

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// Unmask removes the xor obfuscation from b, which begins at the given offset of the file.
func Unmask(b []byte, key [8]byte, offset int64) {
	if key == ([8]byte{}) {
		return
	}
	var turned [8]byte // the key, rotated to the offset
	for i := range turned {
		turned[i] = key[(offset+int64(i))&7]
	}
	word := binary.LittleEndian.Uint64(turned[:])
	i := 0
	for ; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], binary.LittleEndian.Uint64(b[i:])^word)
	}
	for ; i < len(b); i++ {
		b[i] ^= turned[i&7]
	}
}

// FirstRecordSize is the number of bytes at the start of a file that FirstRecord needs.
const FirstRecordSize = 44

// FirstRecord reports whether head begins a file that starts with a genesis block, obfuscated or
// not. It returns the network and the xor key. The parent hash of a genesis block is 32 zeros, so
// an obfuscated file has the key there.
func FirstRecord(head []byte) (n consensus.Network, key [8]byte, ok bool) {
	if len(head) < FirstRecordSize {
		return n, key, false
	}
	copy(key[:], head[16:24]) // offset 16 is a multiple of the key's length
	var b [FirstRecordSize]byte
	copy(b[:], head)
	Unmask(b[:], key, 0)
	if n, ok = consensus.NetworkOf(b[:4]); !ok {
		return n, key, false
	}
	size := binary.LittleEndian.Uint32(b[4:])
	return n, key, size > wireform.HeaderSize && size <= wireform.MaxBlockSize &&
		[32]byte(b[12:]) == [32]byte{}
}

// Open opens a file of a node. For a pipe it returns an error, since opening a pipe would block.
func Open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&(fs.ModeType&^fs.ModeDir) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.Open(name)
}

// Bare returns err without the file's path, for messages that already contain the path.
func Bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
