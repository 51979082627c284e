//go:build !race && !valgrind

package secret_test

import "runtime"

//go:noinline
func call(f func()) { f() }

// under calls f with at least bytes more bytes of the stack in use.
//
//go:noinline
func under(bytes int, f func()) {
	if bytes <= 0 {
		f()
		return
	}
	var room [256]byte
	under(bytes-300, f)
	runtime.KeepAlive(&room)
}

// use uses at least bytes bytes of the stack, and returns.
//
//go:noinline
func use(bytes int) { under(bytes, func() {}) }
