//go:build !(linux || darwin || freebsd)

package peer

import "errors"

// NewLibsecp returns an error: on this system, shared libraries cannot be called.
func NewLibsecp(*Inputs, string) (*Peer, error) {
	return nil, errors.New("shared libraries are called on Linux, macOS and FreeBSD only")
}
