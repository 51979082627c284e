package verdicts

import (
	"errors"
	"syscall"
)

// unsyncable reports whether err, an error of fsync on a folder, means that the system does not
// support syncing folders.
func unsyncable(err error) bool { return errors.Is(err, syscall.EINVAL) }
