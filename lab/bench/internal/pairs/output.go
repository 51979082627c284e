package pairs

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
)

// A result is the parsed line of one benchmark.
type result struct {
	name string
	n    int // number of iterations
}

// results returns the benchmarks in the output of a test program. The line of a benchmark holds its
// name, the number of iterations, and pairs of a value and its unit
// (https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md). Other lines are
// ignored.
func results(output []byte) (all []result) {
	for s := bufio.NewScanner(bytes.NewReader(output)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 4 || len(f)%2 != 0 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		n, err := strconv.Atoi(f[1])
		if err != nil || n < 1 {
			continue
		}
		if _, err := strconv.ParseFloat(f[2], 64); err == nil {
			all = append(all, result{f[0], n})
		}
	}
	return all
}
