//go:build !race && !valgrind

package secret_test

import "runtime"

//go:noinline
func call(f func()) { f() }

// catch calls do(f), and returns the value if it panics.
//
//go:noinline
func catch(do func(func()), f func()) (value any) {
	defer func() { value = recover() }()
	do(f)
	return nil
}

// under calls f while at least the given number of additional bytes of the stack are in use.
//
//go:noinline
func under(bytes int, f func()) {
	if bytes <= 0 {
		f()
		return
	}
	var buf [256]byte
	under(bytes-300, f)
	runtime.KeepAlive(&buf)
}

// use uses at least the given number of bytes of the stack, and returns.
//
//go:noinline
func use(bytes int) { under(bytes, func() {}) }
