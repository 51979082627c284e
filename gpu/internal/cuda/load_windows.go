//go:build windows && (amd64 || arm64)

package cuda

import "golang.org/x/sys/windows"

// open opens the driver's library, which is looked for among the system's alone.
func open() (uintptr, error) {
	lib, err := windows.LoadLibraryEx("nvcuda.dll", 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(lib), err
}

func symbol(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}
