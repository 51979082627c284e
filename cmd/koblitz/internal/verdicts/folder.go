package verdicts

import (
	"errors"
	"syscall"
)

// unsyncable reports whether an error of fsync means that this kind of file has none.
func unsyncable(err error) bool { return errors.Is(err, syscall.EINVAL) }
