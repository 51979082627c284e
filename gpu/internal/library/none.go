//go:build !(((linux && !android) || darwin || windows) && (amd64 || arm64))

package library

func open(string) (uintptr, error)            { return 0, ErrPlatform }
func symbol(uintptr, string) (uintptr, error) { return 0, ErrPlatform }
func register(any, uintptr)                   {}
