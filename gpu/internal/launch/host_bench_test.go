package launch

import (
	"bytes"
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// An instant is a device that takes no time and calls every row Valid.
type instant struct{ driver.Device }

func (instant) Info() driver.Info                { return driver.Info{Units: 132} }
func (instant) Alloc(int) (driver.Buffer, error) { return nil, nil }
func (instant) NewQueue() (driver.Queue, error)  { return instantQueue{}, nil }

func (instant) AllocHost(n int) (driver.HostMemory, error) {
	return &fakeHost{new(fake), bytes.Repeat([]byte{1}, n)}, nil
}

type instantQueue struct{ driver.Queue }

func (instantQueue) Write(driver.Buffer, int, []byte) error        { return nil }
func (instantQueue) Launch(string, int, ...any) error              { return nil }
func (instantQueue) Read(dst []byte, _ driver.Buffer, _ int) error { fill(dst, 1); return nil }
func (instantQueue) Wait(context.Context) error                    { return nil }

// BenchmarkHost measures the host's work in a call of a million ECDSA rows on a device that takes
// no time. It measures the Engine alone, and the Engine called by package batch, which verifies
// some rows again.
func BenchmarkHost(b *testing.B) {
	const rows = 1 << 20
	s, err := newSample(256)
	if err != nil {
		b.Fatal(err)
	}
	e := &Engine{dev: instant{}, free: make(chan *slot, maxSlots), timeout: defaultTimeout,
		stop: make(chan struct{}), crossover: map[device.Kind]int{}}
	if err := e.allocate(0); err != nil {
		b.Fatal(err)
	}
	c := s.call(device.ECDSA, rows)
	c.Columns[2] = device.Column{Data: bytes.Repeat(bytes.Repeat([]byte{1}, 64), rows), Stride: 64}
	perRow := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	}
	b.Run("engine", func(b *testing.B) {
		for b.Loop() {
			if err := e.Run(b.Context(), c); err != nil {
				b.Fatal(err)
			}
		}
		perRow(b)
	})
	c = s.call(device.ECDSA, rows)
	c.Columns[2].Stride = 65
	on := &batch.Options{Device: deviceOf(b, e)}
	e.crossover[device.ECDSA] = 1 // the known answers of deviceOf have been given
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			if err := cpu.Do(b.Context(), c, on); err != nil {
				b.Fatal(err)
			}
		}
		perRow(b)
	})
}
