package peer

import (
	"errors"
	"io/fs"
)

// NewRust returns the peers of the Rust program.
func NewRust(in *Inputs, rust fs.FS) ([]*Peer, error) {
	return nil, errors.New("the Rust program has no drivers yet")
}
