package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// faulty returns a device that carries out calls on the CPU and then applies a fault, which may be
// nil.
func faulty(f fault) *enginetest.Fake {
	return &enginetest.Fake{Do: enginetest.OnCPU(engine.Do, engine.All,
		engine.Options{Workers: 1, Exact: true}, f)}
}

// allGood is a fault: it calls all rows valid.
func allGood(_ context.Context, c *device.Call) error {
	for i := range c.Verdicts {
		c.Verdicts[i] = device.Valid
	}
	return nil
}

// A fault changes a call that has been carried out on the CPU.
type fault = func(ctx context.Context, c *device.Call) error

// faults returns the faults of devices by name.
func faults(r *rand.Rand) map[string]fault {
	var mu sync.Mutex // guards the random source r
	random := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	each := func(set func(v *device.Verdict)) fault {
		return func(_ context.Context, c *device.Call) error {
			for i := range c.Verdicts {
				set(&c.Verdicts[i])
			}
			return nil
		}
	}
	return map[string]fault{
		"none": nil,
		"fails": func(_ context.Context, c *device.Call) error {
			for i := len(c.Verdicts) / 2; i < len(c.Verdicts); i++ {
				c.Verdicts[i] = device.Unchecked
			}
			for i := range c.Results {
				c.Results[i] ^= byte(i)
			}
			return errors.New("out of memory")
		},
		"leaves rows": func(_ context.Context, c *device.Call) error {
			size := c.Kind.ResultSize()
			for i := range c.Verdicts {
				if random(3) == 0 {
					c.Verdicts[i] = device.Unchecked
					copy(c.Results[size*i:size*(i+1)], "a result that the CPU must replace")
				}
			}
			return nil
		},
		"leaves all":             each(func(v *device.Verdict) { *v = device.Unchecked }),
		"says what there is not": each(func(v *device.Verdict) { *v = device.Verdict(4 + random(252)) }),
		"calls good rows bad": each(func(v *device.Verdict) {
			if random(2) == 0 && *v == device.Valid {
				*v = device.Invalid
			}
		}),
		"calls all rows malformed": each(func(v *device.Verdict) { *v = device.Malformed }),
		"calls all rows good": func(ctx context.Context, c *device.Call) error {
			if c.Kind == device.AllSchnorr || c.Kind == device.AllECDSA {
				return nil // no fault here: this one verdict is trusted
			}
			return allGood(ctx, c)
		},
		"writes other keys": func(_ context.Context, c *device.Call) error {
			for i := range c.Results {
				c.Results[i] ^= 1
			}
			return nil
		},
		"answers for the row before": func(_ context.Context, c *device.Call) error {
			size := c.Kind.ResultSize()
			copy(c.Verdicts[min(1, len(c.Verdicts)):], slices.Clone(c.Verdicts))
			copy(c.Results[min(size, len(c.Results)):], slices.Clone(c.Results))
			return nil
		},
		"takes the call apart": func(_ context.Context, c *device.Call) error {
			*c = device.Call{}
			return nil
		},
		"appends": func(_ context.Context, c *device.Call) error {
			// This device writes beyond the end of Verdicts and Results, into memory of the caller.
			c.Verdicts = append(c.Verdicts, 77)
			c.Results = append(c.Results, 77)
			return nil
		},
	}
}

// TestDevices checks that all answers are those of the CPU even if a device is faulty. Some rows
// are bad, or none; then there are more rows than in the sample that the CPU verifies again.
func TestDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 40))
	for _, k := range kinds() {
		for what, fault := range faults(r) {
			for i, n := range []int{150, 150, 1 + r.IntN(3)} {
				g, d := k.give(r, r.IntN(4), k.pick(r, 2*(i%2), n)), faulty(fault)
				k.check(t, g, batch.Options{Device: d.Device()})
				if what == "none" && k.device && !k.loose { // the device gets all that it needs
					for i, v := range d.Calls()[0].Verdicts {
						if v != g.rows[i].verdict {
							t.Errorf("%s: the device says that row %d is %v", k.name, i, v)
						}
					}
				}
				want := k.device && !strings.HasPrefix(k.name, "Queue")
				if asked := len(d.Calls()) > 0; asked != want && n == 150 {
					t.Errorf("%s, a device that %s: asked: %v", k.name, what, asked)
				}
			}
		}
		k.check(t, k.give(r, packed, k.all()[:20]), batch.Options{Device: new(device.Device)})
		for refuses := range int64(4) { // one of the first questions, as with little memory
			d, asked := faulty(nil), new(atomic.Int64)
			d.Accept = func(device.Kind, device.Rules, int) bool { return asked.Add(1) != 1+refuses }
			k.check(t, k.give(r, packed, k.all()[:20]), batch.Options{Device: d.Device()})
		}
	}
}

// TestSlowDevice checks that no answer is returned if the context ends while a device works.
func TestSlowDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 43))
	for i, k := range kinds() {
		if !k.device || strings.HasPrefix(k.name, "Queue") {
			continue
		}
		var cancel context.CancelFunc
		d := faulty(func(ctx context.Context, c *device.Call) error {
			cancel()
			<-ctx.Done()
			return []error{nil, context.Canceled}[i%2]
		})
		if n := k.checkCall(t, func() (ctx context.Context) {
			ctx, cancel = context.WithCancel(context.Background())
			return ctx
		}, k.give(r, packed, k.pick(r, 2, 100)), batch.Options{Device: d.Device()}); n != 0 {
			t.Errorf("%s: %d rows of a cancelled call have a verdict", k.name, n)
		}
	}
}

// TestDeviceAsked checks what VerifyAll asks of a device: one verdict on all rows, or, if some
// ECDSA row lacks a recovery id, a verdict for each row, so that the CPU can verify a sample again.
// With Exact, VerifyAll does not use the device.
func TestDeviceAsked(t *testing.T) {
	for _, test := range []struct {
		what  string
		model int
		half  bool // whether half of the rows have no recovery id
		kind  device.Kind
	}{
		{"Schnorr", 0, false, device.AllSchnorr},
		{"ECDSA with ids", 1, false, device.AllECDSA},
		{"ECDSA, half with ids", 1, true, device.ECDSA},
	} {
		for _, exact := range []bool{false, true} {
			d := &enginetest.Fake{Do: allGood}
			o := &batch.Options{Device: d.Device(), Exact: exact}
			m := newModels(0, batch.AnyS, o)[test.model]
			for i, v := range goodValues(100)[test.model] {
				if test.half && i%2 == 0 {
					m.ways[2].add(v[0], v[1], v[2][:64])
				} else {
					m.ways[0].add(v[0], v[1], v[2])
				}
			}
			valid, calls := verifyAll(m), d.Calls()
			if asked := len(calls) == 1 && calls[0].Kind == test.kind; !valid || asked == exact {
				t.Errorf("%s, exact: %v: %v, asked: %v", test.what, exact, valid, asked)
			}
		}
	}
}
