//go:build !cgo

package peer

import "errors"

// NewGeth returns an error: the program was built without cgo.
func NewGeth(*Inputs) (*Peer, error) {
	return nil, errors.New("built without cgo: no C compiler, or CGO_ENABLED=0")
}
