//go:build linux || darwin || freebsd

package peer

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/ebitengine/purego"
)

// internals adds to d the drivers for libsecp256k1's internal functions, which native/internals.c
// exports.
func (c *capi) internals(in *Inputs, d map[string]Driver) {
	a, b, out := slices.Concat(in.A...), slices.Concat(in.B...), make([]byte, 64)
	points := slices.Concat(parsed(in.Key, coordinates)...)
	c.internal(internalLoad, Rows, ptr(a), ptr(b), ptr(points))
	runtime.KeepAlive([][]byte{a, b, points})
	for op, o := range []struct {
		id     string
		size   int
		timing Timing
	}{
		{"field-mul", 32, ""}, {"field-mul-independent", 32, ""},
		{"field-square", 32, ""}, {"field-add", 32, ""},
		{"field-inv", 32, Constant}, {"field-inv-var", 32, ""}, {"field-sqrt", 32, ""},
		{"scalar-mul", 32, ""}, {"scalar-square", 32, ""}, {"scalar-add", 32, ""},
		{"scalar-inv", 32, Constant}, {"scalar-inv-var", 32, ""},
		{"point-double", 33, ""}, {"point-add", 33, ""},
		{"point-mul", 33, ""}, {"point-mul-ct", 33, Constant},
		{"base-mul", 33, ""}, {"base-mul-ct", 33, Constant}, {"double-mul", 33, ""},
		{"normalize-1", 32, ""}, {"field-sub", 32, ""},
	} {
		d[o.id] = loop(out[:o.size], o.timing, func(first, n int) time.Duration {
			return c.internal(internalRun, c.ctx, uintptr(op), uintptr(first), uintptr(n), ptr(out))
		})
	}
	for _, n := range NormalizeSizes {
		d[fmt.Sprintf("normalize-%d", n)] = loop(out[:32], Public, func(first, k int) time.Duration {
			first = min(first, Rows-n)
			return c.internal(internalNormalize, uintptr(n), uintptr(first), uintptr(k), ptr(out))
		})
	}
	ks, all := slices.Concat(in.Scalars...), slices.Concat(in.Points...)
	if len(all) == 0 {
		return
	}
	c.internal(internalLoadSums, uintptr(len(in.Points)), ptr(ks), ptr(all))
	runtime.KeepAlive([][]byte{ks, all})
	for _, n := range in.sizes("msm") {
		d[fmt.Sprintf("msm-%d", n)] = loop(out[:33], Public, func(_, k int) time.Duration {
			return c.internal(internalSum, c.ctx, uintptr(n), uintptr(k), ptr(out))
		}).noted("ecmult_multi, internal")
	}
}

// internal calls a function of native/internals.c that returns a number of nanoseconds.
func (c *capi) internal(f symbol, args ...uintptr) time.Duration {
	r, _, _ := purego.SyscallN(c.functions[f], args...)
	return time.Duration(r)
}

// loop returns the driver for an operation that the function run executes n times, beginning with a
// row, and that stores its last result in out.
func loop(out []byte, t Timing, run func(first, n int) time.Duration) Driver {
	return Driver{Timing: t, Note: "loop in C", Run: run,
		Out: func(i int) []byte { run(i, 1); return slices.Clone(out) }}
}
