//go:build windows && (amd64 || arm64)

package opencl

import "golang.org/x/sys/windows"

// load opens the loader of OpenCL, which is looked for among the system's libraries alone.
func load() (uintptr, error) {
	lib, err := windows.LoadLibraryEx("OpenCL.dll", 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(lib), err
}

func symbol(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}
