package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// hostileBatches returns batches with more rows than two launches. It makes them on the first call.
var hostileBatches = sync.OnceValue(func() []hostile.Batch {
	return hostile.Batches(2*driver.Group + 1)
})

// TestEquations checks that a batch is Valid exactly if the host finds all its rows Valid, whether
// it is computed as one equation or as several, and with any strides.
func TestEquations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	pairs := hostile.Batches(2)
	for _, memory := range []int64{0, 8 * small()} {
		e := start(t, &fake{}, Options{Memory: memory})
		for _, batches := range [][]hostile.Batch{pairs, hostileBatches()} {
			for _, b := range batches {
				c := b.Call()
				spread(r, c)
				if err := e.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
				want := *c
				want.Verdicts = make([]device.Verdict, 1)
				err := hostile.Do(&want, 1)
				if err != nil || (want.Verdicts[0] == device.Valid) != (c.Verdicts[0] == device.Valid) {
					t.Errorf("%s: %v, and %v, %v", b.What, c.Verdicts[0], want.Verdicts[0], err)
				}
			}
		}
	}
}

// TestEquationWithoutIDs checks that Run refuses ECDSA rows without recovery ids, and does not
// count that as a fault of the device.
func TestEquationWithoutIDs(t *testing.T) {
	var told []error
	e := start(t, &fake{}, Options{Hook: func(err error) { told = append(told, err) }})
	for _, b := range hostile.Batches(2) {
		c := b.Call()
		if c.Kind != device.AllECDSA {
			continue
		}
		c.Columns[3] = device.Column{}
		if err := e.Run(t.Context(), c); !errors.Is(err, ErrKind) || c.Verdicts[0] != device.Unchecked {
			t.Errorf("%v, verdict %d", err, c.Verdicts[0])
		}
	}
	if told != nil {
		t.Errorf("the hook was told %v", told)
	}
}

// TestEquationFaults checks that when any driver function fails at any point of a call, Run returns
// that error, Options.Hook is called with the error, and the next call succeeds.
func TestEquationFaults(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"alloc", "write", "launch", "read", "wait"} {
		for after := int64(0); ; after++ {
			var told []error
			f := &fake{}
			e := start(t, f, Options{Memory: 8 * small(),
				Hook: func(err error) { told = append(told, err) }})
			var count atomic.Int64
			f.set(func() {
				f.call = func(called string) error {
					if called == what && count.Add(1) == after+1 {
						return errFake
					}
					return nil
				}
			})
			c := s.call(device.AllSchnorr, 3*driver.Group)
			err := e.Run(t.Context(), c)
			if count.Load() <= after { // the function was not called again, so nothing failed
				if err != nil || after == 0 && what != "alloc" {
					t.Errorf("%s %d: %v", what, after, err)
				}
				break
			}
			if !errors.Is(err, errFake) || c.Verdicts[0] != device.Unchecked {
				t.Errorf("%s %d: %v, verdict %d", what, after, err, c.Verdicts[0])
			}
			if len(told) != 1 || !errors.Is(told[0], errFake) {
				t.Errorf("%s %d: the hook was told %v", what, after, told)
			}
			if err := e.Run(t.Context(), c); err != nil || c.Verdicts[0] != device.Valid {
				t.Errorf("%s %d: %v, verdict %d in the next call", what, after, err, c.Verdicts[0])
			}
		}
	}
}

// TestEquationRows checks that the host detects a device that leaves rows out, or uses terms of an
// earlier call in their place, and that a device that adds up wrong scalars never makes a batch
// Valid.
func TestEquationRows(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	one := func(b []byte, i int) {
		binary.LittleEndian.PutUint32(b[4*i:], binary.LittleEndian.Uint32(b[4*i:])+1)
	}
	const n = driver.Group
	var stale []byte
	const rows, added = "k_equation_schnorr", "k_equation_add"
	for what, test := range map[string]struct {
		kernel string
		wrong  func(out []byte)
		want   error
	}{
		"a row without a verdict":    {rows, func(b []byte) { clear(b[4*n*10:][:4]) }, equation.ErrRows},
		"records of an earlier call": {rows, func(b []byte) { copy(b, stale) }, equation.ErrRows},
		"one more row":               {added, func(b []byte) { one(b, 10*n) }, equation.ErrRows},
		"another scalar":             {added, func(b []byte) { one(b, 0) }, nil},
		"another scalar's top":       {added, func(b []byte) { one(b, 8*n+3) }, nil},
	} {
		f := &fake{}
		e := start(t, f, Options{})
		c := s.call(device.AllSchnorr, n)
		f.sum.mu.Lock()
		f.sum.wrong = func(kernel string, out []byte) {
			if kernel == "k_equation_schnorr" {
				stale = append([]byte(nil), out[:4*n*fakeRecord]...)
			}
		}
		f.sum.mu.Unlock()
		if err := e.Run(t.Context(), c); err != nil || c.Verdicts[0] != device.Valid {
			t.Fatalf("%v, verdict %d", err, c.Verdicts[0])
		}
		f.sum.mu.Lock()
		f.sum.wrong = func(kernel string, out []byte) {
			if kernel == test.kernel {
				test.wrong(out)
			}
		}
		f.sum.mu.Unlock()
		c.Verdicts[0] = device.Unchecked
		err := e.Run(t.Context(), c)
		if !errors.Is(err, test.want) || c.Verdicts[0] == device.Valid {
			t.Errorf("%s: %v, verdict %d", what, err, c.Verdicts[0])
		}
	}
}

// TestEquationAnswers checks that a device that calls a bad batch Valid, or a good batch bad, is
// not opened.
func TestEquationAnswers(t *testing.T) {
	for what, wrong := range map[string]func(kernel string, out []byte){
		"nothing is added": func(kernel string, out []byte) {
			if kernel == "k_sum_fold" {
				clear(out)
			}
		},
		"another scalar": func(kernel string, out []byte) {
			if kernel == "k_equation_ecdsa" {
				out[0] ^= 1
			}
		},
	} {
		f := &fake{}
		equations := false
		f.sum.wrong = func(kernel string, out []byte) {
			equations = equations || strings.HasPrefix(kernel, "k_equation_")
			if equations {
				wrong(kernel, out)
			}
		}
		_, err := New(context.Background(), f, []byte(tableOfTests), Options{Crossover: 1})
		if !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v", what, err)
		}
		f.leaks(t)
	}
}

// TestEquationEnds checks that when a call is divided into several parts, each row is in one of
// them, and that the parts after one with a bad row are left out.
func TestEquationEnds(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	var launches atomic.Int64
	f := &fake{before: func(kernel string) {
		if kernel == "k_sum_add" {
			launches.Add(1)
		}
	}}
	e := start(t, f, Options{Memory: 8 * small()})
	count := func(c *device.Call, want device.Verdict) int64 {
		launches.Store(0)
		if err := e.Run(t.Context(), c); err != nil || c.Verdicts[0] != want {
			t.Errorf("%v, verdict %d, want %d", err, c.Verdicts[0], want)
		}
		return launches.Load()
	}
	const n = 30 * driver.Group
	f.sum.rows = 0
	parts := count(s.call(device.AllSchnorr, n), device.Valid)
	if f.sum.rows != n {
		t.Errorf("%d rows of %d have terms", f.sum.rows, n)
	}
	for _, i := range []int{0, n / 2, n - 1} {
		bad := s.call(device.AllSchnorr, n)
		bad.Columns[0].Data[32*i] ^= 1
		if some := count(bad, device.Invalid); some != parts {
			t.Errorf("%d of %d parts are done", some, parts)
		}
	}
	bad := s.call(device.AllSchnorr, n)
	clear(bad.Columns[1].Data[:32])
	if one := count(bad, device.Malformed); one != 1 || parts < 2 {
		t.Errorf("%d of %d parts are done", one, parts)
	}
}

// TestEquationMemory checks that on a device with less memory than the limit, a call is divided
// into more parts, and that the memory of an equation does not keep a later sum from getting
// memory.
func TestEquationMemory(t *testing.T) {
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	e := start(t, f, Options{})
	f.set(func() { f.memory = f.used + 200<<10 })
	const n = 10 * driver.Group
	c := s.call(device.AllECDSA, n)
	f.sum.rows = 0
	if err := e.Run(t.Context(), c); err != nil || c.Verdicts[0] != device.Valid || f.sum.rows != n {
		t.Errorf("%v, verdict %d, %d rows", err, c.Verdicts[0], f.sum.rows)
	}
	sum := hostile.Sums(driver.Group)[0]
	c = sum.Call()
	if err := e.Run(t.Context(), c); err != nil {
		t.Error(err)
	} else if err := sum.Check(c); err != nil {
		t.Error(err)
	}
}
