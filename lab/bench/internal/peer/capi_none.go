//go:build !(linux || darwin || freebsd)

package peer

import (
	"errors"
	"io/fs"
)

var errLibraries = errors.New("shared libraries are called on Linux, macOS and FreeBSD only")

// NewLibsecp returns an error: on this system, shared libraries cannot be called.
func NewLibsecp(*Inputs, fs.FS) (*Peer, error) { return nil, errLibraries }

// OpenLibrary returns an error: on this system, shared libraries cannot be called.
func OpenLibrary(*Inputs, string, string) (*Peer, error) { return nil, errLibraries }
