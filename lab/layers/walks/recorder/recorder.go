// Package recorder notes the stacks that reach a kernel. The programs that package walks builds
// call it from every kernel; nothing else does.
package recorder

//ci:untested The tests of lab/layers/walks run it.

import (
	"os"
	"runtime"
	"strings"
	"sync"
)

// Variable is the environment variable that names the file for the stacks.
const Variable = "KOBLITZ_STACKS"

var (
	mutex sync.Mutex
	seen  = map[[64]uintptr]bool{} // by program counters
	out   *os.File
)

// Kernel writes the stack of its caller to the file that [Variable] names, once for each stack: a
// line with the names of the functions, the outermost first, functions that were inlined among
// them. What started the goroutine comes before the goroutine's own functions, if GODEBUG has
// tracebackancestors.
func Kernel() {
	var pcs [64]uintptr
	runtime.Callers(2, pcs[:])
	mutex.Lock()
	defer mutex.Unlock()
	if seen[pcs] {
		return
	}
	seen[pcs] = true
	if out == nil {
		f, err := os.Create(os.Getenv(Variable))
		if err != nil {
			panic(err)
		}
		out = f
	}
	trace := make([]byte, 1<<18)
	trace = trace[:runtime.Stack(trace, false)]
	if _, err := out.WriteString(strings.Join(functions(string(trace)), " ") + "\n"); err != nil {
		panic(err)
	}
}

// functions returns the names of the functions in a trace of runtime.Stack, the outermost first,
// without Kernel.
func functions(trace string) []string {
	var names []string
	for line := range strings.Lines(trace) {
		line = strings.TrimSuffix(line, "\n")
		// A frame is a line with the function and its arguments, and one with its place.
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "created by ") ||
			!strings.HasSuffix(line, ")") {
			continue
		}
		names = append([]string{line[:strings.LastIndexByte(line, '(')]}, names...)
	}
	return names[:len(names)-1]
}
