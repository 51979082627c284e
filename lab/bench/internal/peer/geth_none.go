//go:build !cgo

package peer

import "errors"

// NewGeth says why there is no road by cgo.
func NewGeth(*Inputs) (*Peer, error) {
	return nil, errors.New("built without cgo: no C compiler, or CGO_ENABLED=0")
}
