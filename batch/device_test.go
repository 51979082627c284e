package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
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
		"none":  nil,
		"fails": func(context.Context, *device.Call) error { return errors.New("the device is gone") },
		"fails in the midst": func(_ context.Context, c *device.Call) error {
			for i := len(c.Verdicts) / 2; i < len(c.Verdicts); i++ {
				c.Verdicts[i] = device.Unchecked
			}
			for i := range c.Results {
				c.Results[i] ^= byte(i)
			}
			return errors.New("out of memory")
		},
		"leaves rows": each(func(v *device.Verdict) {
			if random(3) == 0 {
				*v = device.Unchecked
			}
		}),
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
		"answers in another order": func(_ context.Context, c *device.Call) error {
			slices.Reverse(c.Verdicts)
			slices.Reverse(c.Results)
			return nil
		},
		"answers for the row before": func(_ context.Context, c *device.Call) error {
			size := c.Kind.ResultSize()
			copy(c.Verdicts[min(1, len(c.Verdicts)):], slices.Clone(c.Verdicts))
			copy(c.Results[min(size, len(c.Results)):], slices.Clone(c.Results))
			return nil
		},
		"answers of the call before": func() func(context.Context, *device.Call) error {
			verdicts, out := map[device.Kind][]device.Verdict{}, map[device.Kind][]byte{}
			return func(_ context.Context, c *device.Call) error {
				mu.Lock()
				defer mu.Unlock()
				if c.Kind == device.AllSchnorr || c.Kind == device.AllECDSA {
					return nil // no fault here: this one verdict is trusted
				}
				before, result := verdicts[c.Kind], out[c.Kind]
				verdicts[c.Kind], out[c.Kind] = slices.Clone(c.Verdicts), slices.Clone(c.Results)
				copy(c.Verdicts, before)
				copy(c.Results, result)
				return nil
			}
		}(),
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

// TestDevices checks that verdicts and results are those of the CPU even if a device is faulty, and
// if there is no device. A third of the rows are bad.
func TestDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 40))
	check := func(n int, o *batch.Options) {
		s, e, rec := pick(r, schnorrRows(), n), pick(r, ecdsaRows(), n), make([]sign65, n)
		for i, id := range recoveryIDs(e) {
			rec[i] = judgeRecover(sign65{hash: e[i].msg, sig: join(e[i].sig, []byte{id ^ byte(i%7/6)})})
		}
		checkFuzzed(t, s, e, rec, n > 1, o)
	}
	sizes := []int{1, 30, 64, 300}
	if !cputest.Deep() {
		sizes = sizes[:3]
	}
	for what, fault := range faults(r) {
		for _, n := range sizes {
			t.Run(what, func(*testing.T) {
				d := faulty(fault)
				if check(n, &batch.Options{Device: d.Device()}); len(d.Calls()) == 0 {
					t.Error("the device was not asked")
				}
			})
		}
	}
	check(30, &batch.Options{Device: new(device.Device)})
}

// goodSchnorr returns n valid BIP-340 rows.
func goodSchnorr(r *rand.Rand, n int) []row {
	return pick(r, slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return !isValid(r) }), n)
}

// schnorrOf returns the columns of BIP-340 rows, and an accumulator of them.
func schnorrOf(r *rand.Rand, rows []row, o *batch.Options) (batch.SchnorrRows, *batch.Schnorr) {
	b := batch.NewSchnorr(len(rows), o)
	for _, x := range rows {
		if k, err := koblitz.ParseXOnlyPublicKey(x.key); err == nil && r.IntN(2) == 0 {
			b.Add(k, x.msg, x.sig)
		} else {
			b.AddBytes(x.key, x.msg, x.sig)
		}
	}
	return batch.SchnorrRows{Messages: column(r, rows, msg),
		Keys: batch.EncodedKeys(column(r, rows, key)), Signatures: column(r, rows, sig)}, b
}

// TestDeviceSample uses a device that calls all rows Valid although one row in fifty is bad. It
// checks that in most calls, but not in all, the random sample contains a bad row and the device's
// verdicts are discarded. The sample must differ between calls.
func TestDeviceSample(t *testing.T) {
	const n, rounds = 640, 40
	r := rand.New(rand.NewPCG(42, 42))
	rows, want := goodSchnorr(r, n), slices.Repeat([]batch.Verdict{batch.Valid}, n)
	for i := 0; i < n; i += 50 {
		rows[i].msg, want[i] = make([]byte, 32), batch.Invalid
	}
	s, _ := schnorrOf(r, rows, nil)
	found := 0
	for range rounds {
		got, d := dirty(n), enginetest.Fake{Do: allGood}
		if _, err := s.Verify(t.Context(), got, &batch.Options{Device: d.Device()}); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(got, want) {
			found++
		}
	}
	// The sample has one row of each ten, and 13 rows are bad, each in another ten. So the
	// probability that the sample finds a bad row is 1 − 0.9^13 = 0.75.
	t.Logf("found in %d of %d calls", found, rounds)
	if found < rounds/3 || found == rounds {
		t.Errorf("the device was found in %d of %d calls: not by chance", found, rounds)
	}
}

// TestSlowDevice checks that no verdict is returned if the context ends while a device works.
func TestSlowDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 43))
	rows := goodSchnorr(r, 100)
	for _, also := range []error{nil, context.Canceled} {
		var cancel context.CancelFunc
		d := faulty(func(ctx context.Context, c *device.Call) error {
			cancel()
			<-ctx.Done()
			return also
		})
		o := &batch.Options{Device: d.Device()}
		s, b := schnorrOf(r, rows, o)
		got := dirty(len(rows))
		for what, call := range map[string]func(context.Context) error{
			"Verify": func(ctx context.Context) error {
				_, err := s.Verify(ctx, got, o)
				return err
			},
			"VerifyAll": func(ctx context.Context) error {
				_, err := s.VerifyAll(ctx, len(rows), o)
				return err
			},
			"Schnorr.Verify": func(ctx context.Context) error {
				_, err := b.Verify(ctx, got)
				return err
			},
			"Schnorr.VerifyAll": func(ctx context.Context) error {
				_, err := b.VerifyAll(ctx)
				return err
			},
		} {
			var ctx context.Context
			ctx, cancel = context.WithCancel(context.Background())
			copy(got, dirty(len(got)))
			if err := call(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", what, err)
			}
			verify := what == "Verify" || what == "Schnorr.Verify"
			if verify && slices.ContainsFunc(got, func(v batch.Verdict) bool { return v != 0 }) {
				t.Errorf("%s: there are verdicts of a call that was cancelled", what)
			}
		}
	}
}

// TestDeviceResults checks that wrong results of valid rows are found even if there are more valid
// rows than the sample has, that results of Unchecked rows are overwritten, and that a device
// cannot write past the ends of verdicts and results.
func TestDeviceResults(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 45))
	const n = 150
	rows := pick(r, slices.DeleteFunc(slices.Clone(recoverRows()),
		func(r sign65) bool { return r.want != batch.Valid }), n)
	hashes, sigs := make([][]byte, n), make([][]byte, n)
	for i, row := range rows {
		hashes[i], sigs[i] = row.hash, row.sig
	}
	cols := batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 0, sigs),
		S: batch.AnyS}
	for _, how := range recoveries() {
		for _, left := range []int{0, 3} {
			d := faulty(func(_ context.Context, c *device.Call) error {
				for i := range c.Rows {
					if left == 0 || i%left == 0 {
						c.Results[(i+1)*how.size-1] ^= 1
					}
					if left > 0 && i%left == 0 {
						c.Verdicts[i] = device.Unchecked
					}
				}
				c.Verdicts, c.Results = append(c.Verdicts, 77), append(c.Results, 77)
				return nil
			})
			got, dst := dirty(n+1), make([]byte, how.size*n+1)
			_, err := how.call(cols, context.Background(), dst[:how.size*n], got[:n],
				&batch.Options{Device: d.Device()})
			if err != nil || len(d.Calls()) != 1 {
				t.Error(err, len(d.Calls()))
			}
			compareFound(t, how, rows, false, got, dst)
			if got[n] != dirty(n + 1)[n] || dst[how.size*n] != 0 {
				t.Error("the device wrote past the end of the verdicts or results")
			}
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

// TestDevicePrepared checks that a device gets rows with prepared keys, and that such rows have the
// CPU's verdicts. Some rows have an index that refers to no key. Keys of BIP-340 rows have either
// parity.
func TestDevicePrepared(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 44))
	parse := func(b []byte) (*koblitz.PublicKey, error) {
		if len(b) == 33 {
			return koblitz.ParsePublicKey(b)
		}
		k, err := koblitz.ParseXOnlyPublicKey(b)
		if err == nil && r.IntN(2) == 1 {
			return k.PublicKey().Negate(), nil
		}
		return k.PublicKey(), err
	}
	for _, all := range [][]row{ecdsaRows(), schnorrRows()} {
		rows, set, indices := prepareAll(r, all, tableSizes, parse)
		set = append(set, nil, new(koblitz.PreparedKey))
		n := uint32(len(set))
		for i, index := range []uint32{n - 2, n - 1, n, n + 1, 1<<32 - 1} {
			for at := i; at < len(rows); at += 41 {
				indices[at], rows[at].want, rows[at].low = index, batch.Malformed, batch.Malformed
			}
		}
		for _, set := range [][]*koblitz.PreparedKey{set, set[:1], nil} {
			for i, index := range indices {
				if int(index) >= len(set) {
					rows[i].want, rows[i].low = batch.Malformed, batch.Malformed
				}
			}
			d, got, keys := faulty(nil), dirty(len(rows)), batch.PreparedKeys(set, indices)
			verify := batch.SchnorrRows{Messages: column(r, rows, msg),
				Signatures: column(r, rows, sig), Keys: keys}.Verify
			if len(rows[0].key) == 33 {
				verify = batch.ECDSARows{Hashes: column(r, rows, msg), S: batch.LowS,
					Signatures: column(r, rows, sig), Keys: keys}.Verify
			}
			valid, err := verify(t.Context(), got, &batch.Options{Device: d.Device()})
			compare(t, rows, true, got, valid, err)
			if len(d.Calls()) != 1 {
				t.Errorf("the device was asked %d times", len(d.Calls()))
			}
		}
	}
}

func fields(rows []row, field func(row) []byte) (list [][]byte) {
	for _, r := range rows {
		list = append(list, field(r))
	}
	return list
}
