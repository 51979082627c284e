//go:build !(linux || darwin || freebsd)

package peer

import (
	"errors"
	"io/fs"
)

var errLibraries = errors.New("shared libraries are called on Linux, macOS and FreeBSD only")

// NewLibsecp says why there is no library.
func NewLibsecp(*Inputs, string, fs.FS) (*Peer, error) { return nil, errLibraries }

// OpenLibrary says why there is no library.
func OpenLibrary(*Inputs, string, string) (*Peer, error) { return nil, errLibraries }
