//go:build !linux || !amd64

package changing

import "testing"

func traced() bool { return false }

func trace(testing.TB) {}

func each(testing.TB, []byte, []byte, func([]byte)) {}
