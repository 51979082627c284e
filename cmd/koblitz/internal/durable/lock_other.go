//go:build (!unix && !windows) || aix || solaris

package durable

import (
	"errors"
	"os"
)

func lock(*os.File) (ok bool, err error) { return false, errors.ErrUnsupported }
