package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
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

// TestDevices checks that all answers are those of the CPU even if a device is faulty. Some rows are
// bad, or none; then there are more rows than in the sample that the CPU verifies again.
func TestDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 40))
	for _, k := range kinds() {
		for what, fault := range faults(r) {
			for i, n := range []int{150, 150, 1 + r.IntN(3)} {
				g, d := k.give(r, r.IntN(4), k.pick(r, 2*(i%2), n)), faulty(fault)
				k.check(t, g, batch.Options{Device: d.Device()})
				want := k.device && !strings.HasPrefix(k.name, "Queue")
				if asked := len(d.Calls()) > 0; asked != want && n == 150 {
					t.Errorf("%s, a device that %s: asked: %v", k.name, what, asked)
				}
			}
		}
		k.check(t, k.give(r, packed, k.all()[:20]), batch.Options{Device: new(device.Device)})
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

// TestDeviceAsked checks for which verdicts a device is asked: one verdict on all rows, unless
// Exact is set or some ECDSA row lacks a recovery id. A device that gives a verdict per row has a
// sample of its rows verified again. Rows with a verdict from parsing are not sent to the device.
func TestDeviceAsked(t *testing.T) {
	d := &enginetest.Fake{Do: allGood}
	o := &batch.Options{Device: d.Device()}
	s, exact := batch.NewSchnorr(0, o), batch.NewSchnorr(0, &batch.Options{Device: d.Device(),
		Exact: true})
	var e [4]*batch.ECDSA
	for i := range e {
		e[i] = batch.NewECDSA(0, batch.AnyS, o)
	}
	for i, r := range signedRows()[:150] {
		s.Add(r.x, r.hash, r.bip340)
		exact.Add(r.x, r.hash, r.bip340)
		e[0].AddRecoverable(r.key, r.hash, r.sig65)
		if e[1].Add(r.key, r.hash, r.ecdsa); i%2 == 0 {
			e[2].Add(r.key, r.hash, r.ecdsa)
		} else {
			e[2].AddRecoverable(r.key, r.hash, r.sig65)
		}
		e[3].Add(r.key, make([]byte, 32), r.ecdsa)
	}
	malformed := batch.NewSchnorr(0, o)
	malformed.AddBytes(nil, nil, nil)
	for _, test := range []struct {
		what      string
		b         adder
		all, each device.Kind // kinds of the device's calls in VerifyAll and in Verify, or 0
		want      batch.Verdict
	}{
		{"Schnorr", s, device.AllSchnorr, device.Schnorr, batch.Valid},
		{"Schnorr, exact", exact, 0, device.Schnorr, batch.Valid},
		{"malformed", malformed, 0, 0, batch.Malformed},
		{"ECDSA, all with ids", e[0], device.AllECDSA, device.ECDSA, batch.Valid},
		{"ECDSA, none with ids", e[1], device.ECDSA, device.ECDSA, batch.Valid},
		{"ECDSA, half with ids", e[2], device.ECDSA, device.ECDSA, batch.Valid},
		{"ECDSA, bad", e[3], device.ECDSA, device.ECDSA, batch.Invalid},
	} {
		for i, kind := range []device.Kind{test.all, test.each} {
			before, got := len(d.Calls()), test.want
			if i == 1 {
				got = verify(test.b, nil)[0]
			} else if valid := verifyAll(test.b); valid != (test.want == batch.Valid) {
				t.Errorf("%s: all valid: %v", test.what, valid)
			}
			calls, want := d.Calls()[before:], 1
			if kind == 0 {
				want = 0
			}
			if got != test.want || len(calls) != want || want == 1 && calls[0].Kind != kind {
				t.Errorf("%s: verdict %v, %d calls, want %v", test.what, got, len(calls), kind)
			}
		}
	}
}
