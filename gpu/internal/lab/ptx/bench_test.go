package ptx

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkRun reports the number of instructions that the interpreter executes.
func BenchmarkRun(b *testing.B) {
	m, err := Parse(programs)
	if err != nil {
		b.Fatal(err)
	}
	k, err := m.Kernel("add256")
	if err != nil {
		b.Fatal(err)
	}
	mem := NewMemory(1 << 24)
	img, err := m.Load(mem)
	if err != nil {
		b.Fatal(err)
	}
	const n = 1024
	var args []uint64
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{32 * n, 32 * n, 36 * n} {
		addr, err := mem.Alloc(size)
		if err != nil {
			b.Fatal(err)
		}
		data, err := mem.Bytes(addr, size)
		if err != nil {
			b.Fatal(err)
		}
		copy(data, randomBytes(r, size))
		args = append(args, addr)
	}
	params, err := k.NewParams(n, args[0], args[1], args[2])
	if err != nil {
		b.Fatal(err)
	}
	var total uint64
	for b.Loop() {
		count, err := img.Run(k, Launch{Groups: [3]uint32{n / 128}, Items: [3]uint32{128},
			Params: params})
		if err != nil {
			b.Fatal(err)
		}
		total += count
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Minstructions/s")
}
