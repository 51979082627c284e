package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// registers are the numbers of registers for each work item with which the kernel of ECDSA is
// measured. A multiprocessor has 65,536, so that it runs five, four and three groups at a time. The
// kernels of calls are compiled for 128.
var registers = []int{96, 128, 168}

// limitedKernel is the kernel that is measured with other numbers of registers.
const limitedKernel = "k_ecdsa"

// registersID returns the ID of the row for a number of registers.
func registersID(n int) string { return fmt.Sprintf("ecdsa-%d", n) }

// limited returns a program with one kernel of the given PTX, and the functions that it calls. The
// kernel is compiled for at most n registers, and its name becomes the name of the program.
func limited(ptx, kernel string, n int) (*driver.Program, error) {
	const entry, end, groups = "\n.visible .entry ", "\n}\n", "\n.minnctapersm 4\n"
	parts := strings.Split(ptx, entry)
	var body string
	for _, part := range parts[1:] {
		if strings.HasPrefix(part, kernel+"(") {
			body, _, _ = strings.Cut(part, end)
		}
	}
	_, functions, _ := strings.Cut(parts[len(parts)-1], end)
	if strings.Count(body, groups) != 1 {
		return nil, errors.New("measure: the PTX has no kernel " + kernel)
	}
	name := fmt.Sprintf("%s_%d", kernel, n)
	body = strings.ReplaceAll(body, kernel+"_param_", name+"_param_")
	body = strings.Replace(body, groups, fmt.Sprintf("\n.maxnreg %d\n", n), 1)
	text := parts[0] + entry + name + strings.TrimPrefix(body, kernel) + end + functions
	return &driver.Program{Name: name, PTX: text}, nil
}

// registers measures the kernel of ECDSA, compiled with different numbers of registers. CUDA alone
// lets a program choose them.
func (b *bench) registers(ctx context.Context) error {
	if !b.cuda() {
		return nil
	}
	size := slices.Max(b.o.Sizes)
	if row, ok := b.report.last("ecdsa"); ok { // a larger one may take too long
		size = row.Size
	}
	var w *workload // the same for all rows, since the CPU's verdicts take time
	for _, n := range registers {
		id := registersID(n)
		if !b.o.wants(Registers, id) || !b.next(id, size) ||
			b.compilesLong(id, size, b.compileLimited()) {
			continue
		}
		if w == nil {
			err := b.sign(ctx)
			if err == nil {
				w, err = b.signed.workload(ctx, b.in, device.ECDSA, size)
			}
			if err != nil {
				return err
			}
		}
		row, err := b.limit(ctx, n, w)
		if err == nil {
			b.add(row)
		}
		if err := b.skip(id, size, err); err != nil {
			return err
		}
	}
	return nil
}

// compileLimited estimates how long the driver compiles a kernel with another number of registers.
// NVIDIA's compiler takes up to half as long for it as for all kernels of calls. If those have
// machine code, only the time to compile the program of benchmarks tells how slow the compiler is.
func (b *bench) compileLimited() time.Duration {
	return max(b.report.Compiled, b.compileCalls()/2)
}

// compileBench estimates how long the driver compiles the program of benchmarks, by its size. The
// estimate is 0 if the kernels of calls were not compiled before.
func (b *bench) compileBench() time.Duration {
	calls := len(kernels.Rows().PTX) + len(kernels.Sums().PTX)
	return b.compileCalls() * time.Duration(len(kernels.Bench().PTX)) / time.Duration(calls)
}

// compileCalls returns how long the first opening has compiled the kernels of calls, or 0 if there
// was none.
func (b *bench) compileCalls() time.Duration {
	if len(b.report.Openings) == 0 {
		return 0
	}
	return b.report.Openings[0].Compile
}

// compilesLong reports whether the time that is left is too short to compile a program, which takes
// the time compile. It records that the row is left out.
func (b *bench) compilesLong(id string, size int, compile time.Duration) bool {
	left := time.Until(b.until)
	if b.until.IsZero() || compile <= left {
		return false
	}
	b.leave(id, size, "compiling may take %v, and %v are left", compile.Round(time.Second),
		left.Round(time.Second))
	return true
}

// limit measures the kernel with at most the given number of registers, for the rows of w.
func (b *bench) limit(ctx context.Context, most int, w *workload) (row Row, err error) {
	n := w.n
	row = Row{Section: Registers, ID: registersID(most), Size: n, Count: float64(n), Unit: "op",
		Title: fmt.Sprintf("ECDSA, at most %d registers", most)}
	program, err := limited(kernels.Rows().PTX, limitedKernel, most)
	if err != nil {
		return row, err
	}
	begin := time.Now()
	if err := b.dev.Load(program); err != nil {
		return row, err
	}
	row.Note = fmt.Sprintf("compiled in %v", time.Since(begin).Round(100*time.Millisecond))
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	bits := kernels.CombBits
	if kernels.CombSize(tableBits) <= b.gatherMost() {
		bits = tableBits
	}
	args := []any{uint32(n), uint32(0)}
	for i, width := range []int{32, 33, 64} {
		args = append(args, h.write(ctx, packed(&w.cols[i], width, n)))
	}
	verdicts := h.write(ctx, poisoned(n))
	args = append(args, nil, verdicts, b.table(ctx, h, bits))
	if h.err != nil {
		return row, h.err
	}
	launched := b.launched(ctx, func(q driver.Queue) error {
		return q.Launch(program.Name, n, args...)
	})
	if _, err := launched(); err != nil { // the first launch is not timed
		return row, err
	}
	if row.Kernel, err = b.measured(ctx, verdicts, n, launched); err != nil {
		return row, err
	}
	got := make([]byte, n)
	if err := b.read(ctx, got, verdicts); err != nil {
		return row, err
	}
	list := make([]device.Verdict, n)
	for i, v := range got {
		list[i] = device.Verdict(v)
	}
	return row, w.verify(list, nil)
}

// tableBits is the window size of the table of G that calls use on large GPUs.
const tableBits = 16

// packed returns the first width bytes of each of the n rows of a column.
func packed(c *device.Column, width, n int) []byte {
	if c.Stride == width {
		return c.Data[:width*n]
	}
	data := make([]byte, 0, width*n)
	for i := range n {
		data = append(data, c.Data[c.Stride*i:][:width]...)
	}
	return data
}
