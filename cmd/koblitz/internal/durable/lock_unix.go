//go:build unix && !aix && !solaris

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lock(f *os.File) (ok bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
