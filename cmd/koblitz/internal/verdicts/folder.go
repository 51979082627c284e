package verdicts

import (
	"errors"
	"syscall"
)

// unsyncable reports whether an error of fsync means that folders do not support it.
func unsyncable(err error) bool { return errors.Is(err, syscall.EINVAL) }
