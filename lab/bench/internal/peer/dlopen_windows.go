package peer

import "errors"

func dlopen(string) (uintptr, error) {
	return 0, errors.New("shared libraries are called on Linux, macOS and FreeBSD only")
}

func dlsym(uintptr, string) (uintptr, error) { panic("no library is open") }
