// Package recorder records the stacks of calls to kernels, the lowest arithmetic functions. In
// programs that package walks has built, every kernel calls it. Other programs do not contain it.
package recorder

//ci:untested The tests of lab/layers/walks run it.

import (
	"os"
	"runtime"
	"strings"
	"sync"
)

// Variable is the environment variable that names the file to which Kernel writes stacks.
const Variable = "KOBLITZ_STACKS"

var (
	mutex sync.Mutex
	seen  = map[[64]uintptr]bool{} // stacks already written, as program counters
	out   *os.File
)

// Kernel writes the stack of its caller to the file named by [Variable], each distinct stack once.
// A stack is a line with the names of the functions, including inlined ones, the outermost first.
// If GODEBUG sets tracebackancestors, the functions that started the goroutine come first.
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

// functions returns the names of the functions in a trace from runtime.Stack, the outermost first.
// It leaves out Kernel.
func functions(trace string) []string {
	var names []string
	for line := range strings.Lines(trace) {
		line = strings.TrimSuffix(line, "\n")
		// Each frame is a line with the function and its arguments, and a line with its file, which
		// begins with a tab.
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "created by ") ||
			!strings.HasSuffix(line, ")") {
			continue
		}
		names = append([]string{line[:strings.LastIndexByte(line, '(')]}, names...)
	}
	return names[:len(names)-1]
}
