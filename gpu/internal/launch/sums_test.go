package launch

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// sumLimit returns a memory limit with which a sum can have some hundred terms and a launch has
// one group.
func sumLimit() int64 { return 8 * small() }

// hostileSums returns sums with more terms than a launch has rows. It makes them on the first call.
var hostileSums = sync.OnceValue(func() []hostile.Sum { return hostile.Sums(3*driver.Group + 1) })

// TestSums checks that sums have the right verdicts and results, whether they are computed in one
// part or in several, and with any strides.
func TestSums(t *testing.T) {
	for _, memory := range []int64{0, sumLimit() / 4} {
		e := start(t, &fake{}, Options{Memory: memory})
		for _, list := range [][]hostile.Sum{hostile.Sums(1), hostileSums()} {
			for _, s := range list {
				c := s.Call()
				wide := device.Column{Stride: 70}
				for i := range c.Rows {
					wide.Data = append(wide.Data, c.Columns[1].Data[64*i:][:64]...)
					if i < c.Rows-1 {
						wide.Data = append(wide.Data, make([]byte, 6)...)
					}
				}
				c.Columns[1] = wide
				if err := e.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
				if err := s.Check(c); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestSumFaults checks that when any driver function fails at any point of a sum, Run returns that
// error, Options.Hook is called with the error, and the next sum is right.
func TestSumFaults(t *testing.T) {
	s := hostileSums()[0]
	for _, what := range []string{"write", "launch", "read", "wait"} {
		after := int64(0)
		for ; ; after++ {
			f := &fake{}
			var told []error
			e := start(t, f, Options{
				Memory: sumLimit() / 4, Hook: func(err error) { told = append(told, err) },
			})
			var count atomic.Int64
			f.set(func() {
				f.call = func(called string) error {
					if called == what && count.Add(1) == after+1 {
						return errFake
					}
					return nil
				}
			})
			c := s.Call()
			err := e.Run(t.Context(), c)
			if err == nil { // the function was not called again, so nothing failed
				if err := s.Check(c); err != nil || len(told) != 0 {
					t.Errorf("%s %d: %v, %v", what, after, err, told)
				}
				break
			}
			if !errors.Is(err, errFake) || len(told) != 1 || !errors.Is(told[0], errFake) ||
				c.Verdicts[0] != device.Unchecked {
				t.Errorf("%s %d: %v, the hook was told %v, verdict %d", what, after, err, told,
					c.Verdicts[0])
			}
			if err := errors.Join(e.Run(t.Context(), c), s.Check(c)); err != nil {
				t.Errorf("%s %d: the next sum: %v", what, after, err)
			}
		}
		if after < 2 {
			t.Errorf("there are %d calls of %s", after, what)
		}
	}
}

// TestSumAnswers checks that a device whose sums are wrong is not opened, and one whose sums are
// right is.
func TestSumAnswers(t *testing.T) {
	start(t, &fake{}, Options{})
	for name, wrong := range map[string]func(kernel string, out []byte){
		"another sum": func(kernel string, out []byte) {
			if kernel == "k_sum_add" && !bytes.Equal(out, make([]byte, 64)) {
				p, err := newSample(1)
				if err != nil {
					panic(err)
				}
				point, err := p.points(context.Background())
				if err != nil {
					panic(err)
				}
				copy(out, point)
			}
		},
		"infinity": func(kernel string, out []byte) {
			if kernel == "k_sum_add" {
				clear(out)
			}
		},
		"no malformed term": func(kernel string, out []byte) {
			if kernel == "k_sum_terms" {
				clear(out)
			}
		},
		"only malformed terms": func(kernel string, out []byte) {
			if kernel == "k_sum_terms" {
				out[0] = 1
			}
		},
	} {
		f := &fake{}
		f.sum.wrong = wrong
		if _, err := New(t.Context(), f, []byte(tableOfTests), Options{Crossover: 1}); !errors.Is(err,
			ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
		f.leaks(t)
	}
}

// TestSumUnwritten checks that it is an error if the device writes no result, or a result that is
// not a point.
func TestSumUnwritten(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{})
	s := hostileSums()[0]
	if err := e.Run(t.Context(), s.Call()); err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func(kernel string, out []byte){
		"off the curve": func(kernel string, out []byte) {
			if kernel == "k_sum_fold" {
				out[0] ^= 1
			}
		},
		"a denominator": func(kernel string, out []byte) {
			if kernel == "k_sum_fold" {
				out[96] ^= 2
			}
		},
		"a state": func(kernel string, out []byte) {
			if kernel == "k_sum_terms" {
				out[3] = 1
			}
		},
	} {
		f.set(func() { f.sum.wrong = wrong })
		c := s.Call()
		if err := e.Run(t.Context(), c); err == nil || c.Verdicts[0] != device.Unchecked {
			t.Errorf("%s: verdict %d, %v", name, c.Verdicts[0], err)
		}
		f.set(func() { f.sum.wrong = nil })
		if err := e.Run(t.Context(), s.Call()); err != nil {
			t.Error(err)
		}
	}
	f.set(func() { f.skip = true })
	if err := e.Run(t.Context(), s.Call()); err == nil {
		t.Error("a sum that no kernel computed is none")
	}
}

// TestSumMemory checks that with less memory a sum is divided into more parts, and that with too
// little memory all sums are left to the host.
func TestSumMemory(t *testing.T) {
	s := hostileSums()[0]
	f := &fake{}
	e := start(t, f, Options{Memory: small()})
	if e.Accepts(device.Sum, 0, 1) || !e.Accepts(device.ECDSA, 0, 1) {
		t.Error("it pays without memory")
	}
	n := len(s.Scalars) / 32
	for want, bytes := range map[int]int64{
		1: sums.New(n, sums.FullBits).Bytes(),
		2: sums.New((n+1)/2, sums.FullBits).Bytes(),
	} {
		// The device has memory for all launches, and the given number of bytes for sums.
		f := &fake{memory: int(sumLimit()+bytes) + len(tableOfTests)}
		e := start(t, f, Options{Memory: sumLimit()})
		for range 2 {
			parts := 0
			f.set(func() {
				f.before = func(kernel string) {
					if kernel == "k_sum_add" {
						parts++
					}
				}
			})
			answer(t, e, &s)
			if parts != want {
				t.Errorf("%d bytes: %d parts, want %d", bytes, parts, want)
			}
		}
	}
}

// TestSumKnown checks that New does not measure a crossover that is known from another device of
// the same model, unless this device has no memory for sums.
func TestSumKnown(t *testing.T) {
	known := map[device.Kind]int{device.Sum: 4321}
	for memory, want := range map[int64]bool{0: true, small(): false} {
		f := &fake{}
		e, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: memory, Known: known})
		if err != nil {
			t.Fatal(err)
		}
		if e.Accepts(device.Sum, 0, 4321) != want || e.Accepts(device.Sum, 0, 4320) {
			t.Errorf("with %d bytes sums pay from %v on", memory, e.Crossovers())
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// answer runs the call of s, and fails the test if the Engine gives a wrong answer.
func answer(t *testing.T, e *Engine, s interface {
	Call() *device.Call
	Check(c *device.Call) error
}) {
	t.Helper()
	c := s.Call()
	if err := errors.Join(e.Run(t.Context(), c), s.Check(c)); err != nil {
		t.Error(err)
	}
}

// TestSumsConcurrent checks that calls for sums and calls for rows, made by several goroutines at
// the same time, have the right answers, also while paces are kept.
func TestSumsConcurrent(t *testing.T) {
	e := start(t, &fake{}, Options{Memory: sumLimit()})
	var all sync.WaitGroup
	for _, s := range hostileSums() {
		all.Go(func() { answer(t, e, &s) })
	}
	for _, s := range hostileSets() {
		all.Go(func() { answer(t, e, &s) })
	}
	for range 8 { // calls with long parts do this
		all.Go(func() { e.setPace(device.Sum, e.pace(device.Sum)+1) })
	}
	all.Wait()
	if len(e.free) != e.slots || len(e.spaces) != 1 {
		t.Errorf("%d slots of %d, and %d spaces are free", len(e.free), e.slots, len(e.spaces))
	}
}

// TestSumCancel checks that a sum whose context ends returns while its launches run, and that the
// next sum waits until these launches are done.
func TestSumCancel(t *testing.T) {
	s := hostileSums()[0]
	for _, at := range []string{"k_sum_terms", "k_sum_add"} {
		f := &fake{}
		var told []error
		e := start(t, f, Options{Memory: sumLimit(), Hook: func(err error) { told = append(told, err) }})
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan bool)
		f.set(func() {
			f.before = func(kernel string) {
				if kernel == at {
					cancel()
					<-release
				}
			}
		})
		c := s.Call()
		if err := e.Run(ctx, c); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := e.Run(ctx, c); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if c.Verdicts[0] != device.Unchecked || c.Results[0] != 0x77 || told != nil {
			t.Errorf("verdict %d, %x, the hook was told %v", c.Verdicts[0], c.Results, told)
		}
		close(release)
		if err := errors.Join(e.Run(t.Context(), c), s.Check(c)); err != nil {
			t.Error(err)
		}
	}
}

// TestSumTimeout checks that a device that hangs in a sum is given up, and that calls that wait for
// the memory of sums return.
func TestSumTimeout(t *testing.T) {
	s := hostileSums()[0]
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		told := make(chan error, 10)
		e, err := New(t.Context(), f, []byte(tableOfTests),
			Options{Memory: sumLimit(), Crossover: 1, Hook: func(err error) { told <- err }})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan bool)
		f.set(func() { f.before = func(string) { <-release } })
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if err := e.Run(t.Context(), s.Call()); !errors.Is(err, ErrTimeout) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if err := <-told; !errors.Is(err, ErrLost) || e.Accepts(device.Sum, 0, 1<<20) {
			t.Error(err)
		}
		close(release)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		f.leaks(t)
	})
}

// TestSumQueues checks that a launch that writes to the memory of terms waits until earlier
// launches of other queues are done, while columns are copied at the same time.
func TestSumQueues(t *testing.T) {
	for _, kind := range []device.Kind{device.Sum, device.AllSchnorr} {
		f := &fake{}
		e := start(t, f, Options{})
		c := hostile.Sums(5 * e.rows)[0].Call()
		if kind != device.Sum {
			s, err := newSample(driver.Group)
			if err != nil {
				t.Fatal(err)
			}
			c = s.call(equationKinds[kind], 5*e.rows)
			c.Kind, c.Verdicts = kind, make([]device.Verdict, 1)
		}
		var events []string
		f.set(func() {
			f.call = func(what string) error {
				events = append(events, what)
				return nil
			}
		})
		if err := e.Run(t.Context(), c); err != nil || c.Verdicts[0] != device.Valid {
			t.Errorf("kind %d: verdict %d, %v", kind, c.Verdicts[0], err)
		}
		launched, written, copied := false, false, 0
		for i, what := range events {
			switch what {
			case "launch":
				if launched && written {
					t.Errorf("kind %d: launch %d does not wait for the one before: %q", kind, i, events)
				}
				launched, written = true, false
			case "write":
				if launched && !written {
					copied++
				}
				written = true
			case "wait":
				launched = false
			}
		}
		if copied < 3 {
			t.Errorf("kind %d: %d copies during launches: %q", kind, copied, events)
		}
	}
}
