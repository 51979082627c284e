package clitest

import (
	"bytes"
	"runtime"
	"testing"
)

// TestPeak checks that tests of hostile inputs notice memory that is used for a moment.
func TestPeak(t *testing.T) {
	const size = 300 << 20
	bytes.Repeat([]byte{1}, size)
	if n := peak(); n < size && runtime.GOOS == "linux" {
		t.Errorf("%d bytes", n)
	}
}
