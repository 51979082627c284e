//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// source is a program with a kernel that takes all types of arguments, and a kernel that runs for a
// long time.
const source = `
kernel void add(uint n, ulong k, global const uint *from, global uint *to, global uchar *none)
{
	uint i = get_global_id(0);
	if (none)
		to[i] = 0;
	else if (i < n)
		to[i] = from[i] + (uint)(k >> 32) + (uint)k;
	else
		to[i] = (uint)get_global_size(0) + (uint)get_local_size(0);
}

kernel void slow(uint n, ulong k, global uint *to)
{
	uint i = get_global_id(0), x = i;
	while (k--)
		x = x * 1664525u + (uint)k;
	if (i < n)
		to[i] = x;
}
`

// open opens the first device, or skips the test if there is none.
func open(t *testing.T) driver.Device {
	t.Helper()
	d, err := Open(0)
	if errors.Is(err, ErrNone) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(&driver.Program{Source: source}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func alloc(t *testing.T, d driver.Device, n int) driver.Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	return b
}

func queueOf(t *testing.T, d driver.Device) driver.Queue {
	t.Helper()
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// TestList checks that every device has memory, and a name with the index that Open takes.
func TestList(t *testing.T) {
	d := open(t)
	list, err := List()
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	for _, info := range list {
		if !strings.HasPrefix(info.Name, "opencl:") || info.Driver == "" || info.Memory < 1<<20 ||
			info.Units < 1 {
			t.Errorf("%+v", info)
		}
	}
	if d.Info() != list[0] {
		t.Errorf("opened %+v, listed %+v", d.Info(), list[0])
	}
	for _, index := range []int{-1, len(list)} {
		if _, err := Open(index); !errors.Is(err, ErrNone) {
			t.Errorf("device %d: %v", index, err)
		}
	}
}

// TestSource checks that Load returns an error that includes the compiler's log if a program does
// not compile.
func TestSource(t *testing.T) {
	d := open(t)
	if err := d.Load(new(driver.Program)); err == nil {
		t.Error("no source is compiled")
	}
	err := d.Load(&driver.Program{Source: "kernel void broken(global uint *to) { to[0] = nowhere; }"})
	if err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Error(err)
	}
}

// TestAdd checks that bytes are copied to the device and back, that arguments of all types are
// passed correctly, and that the work items of a launch are rounded up to whole groups.
func TestAdd(t *testing.T) {
	d := open(t)
	q := queueOf(t, d)
	for _, n := range []int{1, 127, 128, 129, 1000} {
		whole := (n + driver.Group - 1) / driver.Group * driver.Group
		from, to := alloc(t, d, 4*whole), alloc(t, d, 4*whole)
		in, out := make([]byte, 4*n), make([]byte, 4*whole)
		for i := range n {
			binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i))
		}
		half := n / 2 * 4
		for _, err := range []error{
			q.Write(from, 0, in[:half]), q.Write(from, half, in[half:]),
			q.Launch("add", n, uint32(n), uint64(7)<<32|5, from, to, nil),
			q.Read(out[half:], to, half), q.Read(out[:half], to, 0),
			q.Wait(context.Background()),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range whole {
			want := uint32(i*i) + 12
			if i >= n {
				want = uint32(whole + driver.Group)
			}
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
				t.Fatalf("%d rows: row %d: %d, want %d", n, i, got, want)
			}
		}
	}
}

// TestHostMemory checks that the device copies from and to host memory of AllocHost.
func TestHostMemory(t *testing.T) {
	d := open(t)
	q, b := queueOf(t, d), alloc(t, d, 4096)
	h, err := d.AllocHost(8192)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Bytes()) != 8192 {
		t.Fatalf("%d bytes", len(h.Bytes()))
	}
	in, out := h.Bytes()[:4096], h.Bytes()[4096:]
	for i := range in {
		in[i], out[i] = byte(i*i+i>>8), 0
	}
	for _, err := range []error{q.Write(b, 0, in[:100]), q.Write(b, 100, in[100:]),
		q.Read(out, b, 0), q.Wait(context.Background())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(in, out) {
		t.Error("what comes back is not what was written")
	}
	h.Free()
	h.Free()
	if h.Bytes() != nil {
		t.Error("memory is left after Free")
	}
	for _, size := range []int{0, -1, 1 << 50} {
		if _, err := d.AllocHost(size); !errors.Is(err, driver.ErrMemory) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestPrograms checks that a queue finds the kernels of all programs, even of one loaded later.
func TestPrograms(t *testing.T) {
	d := open(t)
	q, to, out := queueOf(t, d), alloc(t, d, 512), make([]byte, 512)
	const second = "kernel void second(global uint *to) { to[get_global_id(0)] = 7; }"
	if err := q.Launch("second", 1, to); err == nil {
		t.Error("a kernel of no program was launched")
	}
	if err := d.Load(&driver.Program{Source: second}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   uint32
		launch func() error
	}{
		{7, func() error { return q.Launch("second", 1, to) }},
		{0, func() error { return q.Launch("add", 1, uint32(0), uint64(0), to, to, to) }},
	} {
		err := errors.Join(c.launch(), q.Read(out, to, 0), q.Wait(context.Background()))
		if got := binary.LittleEndian.Uint32(out); err != nil || got != c.want {
			t.Errorf("%d, want %d, error %v", got, c.want, err)
		}
	}
}

// TestErrors checks that invalid calls return an error at once, and that the queue remains usable.
func TestErrors(t *testing.T) {
	d := open(t)
	q, b := queueOf(t, d), alloc(t, d, 512)
	var foreign struct{ driver.Buffer }
	freed := alloc(t, d, 512)
	freed.Free()
	freed.Free()
	for what, err := range map[string]error{
		"a kernel that there is not": q.Launch("nothing", 1, b),
		"too many arguments":         q.Launch("slow", 1, uint32(1), uint64(1), b, b),
		"a narrow argument":          q.Launch("slow", 1, uint32(1), uint32(1), b),
		"an argument of no type":     q.Launch("slow", 1, 1, uint64(1), b),
		"a write behind the end":     q.Write(b, 510, make([]byte, 3)),
		"a read behind the end":      q.Read(make([]byte, 513), b, 0),
		"a negative offset":          q.Write(b, -1, make([]byte, 1)),
		"another driver's buffer":    q.Write(foreign, 0, make([]byte, 1)),
		"no buffer":                  q.Write(nil, 0, make([]byte, 1)),
		"a freed buffer":             q.Read(nil, freed, 0),
		"a freed argument":           q.Launch("slow", 1, uint32(1), uint64(1), freed),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for _, size := range []int{0, -1, 1 << 50} {
		if _, err := d.Alloc(size); !errors.Is(err, driver.ErrMemory) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	out := bytes.Repeat([]byte{0xff}, 4)
	for _, err := range []error{q.Launch("slow", 0), q.Launch("slow", 1, uint32(1), uint64(0), b),
		q.Read(out, b, 0), q.Read(nil, b, 0), q.Wait(context.Background())} {
		if err != nil {
			t.Error(err)
		}
	}
	if !bytes.Equal(out, make([]byte, 4)) {
		t.Errorf("read %x", out)
	}
}

// TestWait checks that a Wait whose context ends returns at once, that the queue refuses calls
// until another Wait has returned, and that its work is carried out nevertheless.
func TestWait(t *testing.T) {
	d := open(t)
	q, b := queueOf(t, d), alloc(t, d, 512)
	out := make([]byte, 4)
	for _, err := range []error{q.Launch("slow", 1, uint32(1), uint64(1e6), b), q.Read(out, b, 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := q.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("with a context that had ended: %v", err)
	}
	if err := q.Launch("slow", 1, uint32(1), uint64(1), b); !errors.Is(err, errBusy) {
		t.Error(err)
	}
	if err := q.Write(b, 0, make([]byte, 1)); !errors.Is(err, errBusy) {
		t.Error(err)
	}
	deadline, stop := context.WithTimeout(context.Background(), time.Hour)
	defer stop()
	if err := q.Wait(deadline); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(out, make([]byte, 4)) {
		t.Error("nothing was read")
	}
	if err := q.Launch("slow", 1, uint32(1), uint64(1), b); err != nil {
		t.Error(err)
	}
}

// TestConcurrent checks that queues of one device work at the same time.
func TestConcurrent(t *testing.T) {
	d := open(t)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			q, err := d.NewQueue()
			if err != nil {
				t.Error(err)
				return
			}
			defer q.Close()
			b, err := d.Alloc(4 * driver.Group)
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Free()
			for round := range 50 {
				in, out := make([]byte, 4), make([]byte, 4)
				binary.LittleEndian.PutUint32(in, uint32(round))
				for _, err := range []error{q.Write(b, 0, in),
					q.Launch("add", 1, uint32(1), uint64(g), b, b, nil), q.Read(out, b, 0),
					q.Wait(t.Context())} {
					if err != nil {
						t.Error(err)
					}
				}
				if got := binary.LittleEndian.Uint32(out); got != uint32(round+g) {
					t.Errorf("queue %d: %d after %d", g, got, round)
				}
			}
		})
	}
	all.Wait()
}
