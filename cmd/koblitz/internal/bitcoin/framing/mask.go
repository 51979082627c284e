package framing

import (
	"encoding/binary"
	"io/fs"
	"os"
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

// Open opens a file of a node. For a pipe it returns an error, since opening a pipe would block.
func Open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&(fs.ModeType&^fs.ModeDir) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.Open(name)
}
