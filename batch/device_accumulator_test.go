package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/schnorr"
)

// longRows returns BIP-340 signatures of messages of various lengths. Every fifth message was
// changed after signing.
func longRows(r *rand.Rand, n int) (rows []row) {
	for i := range n {
		k, msg := secret(r), random(r, i%31+i%3*100)
		sig, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true})
		if err != nil {
			panic(err)
		}
		if i%5 == 3 {
			msg = append(msg, 0)
		}
		rows = append(rows, judgeSchnorr(row{key: k.XOnlyPublicKey().Bytes(), msg: msg, sig: sig}))
	}
	return rows
}

// addSchnorr adds rows to b, with parsed or encoded keys at random, and returns their expected
// verdicts.
func addSchnorr(r *rand.Rand, b *batch.Schnorr, rows []row) (want []batch.Verdict) {
	for _, x := range rows {
		key, err := koblitz.ParseXOnlyPublicKey(x.key)
		if err == nil && r.IntN(2) == 0 {
			b.Add(key, x.msg, x.sig)
		} else {
			b.AddBytes(x.key, x.msg, x.sig)
		}
		want = append(want, x.want)
	}
	return want
}

// addECDSA adds rows to b in all encodings, with a recovery id if withID returns true.
func addECDSA(r *rand.Rand, b *batch.ECDSA, rows []row, withID func(i int) bool) {
	ids := recoveryIDs(rows)
	for i, x := range rows {
		key, err := koblitz.ParsePublicKey(x.key)
		sig, err2 := ecdsa.ParseSignature(x.sig)
		sig65 := append(slices.Clone(x.sig), ids[i]^byte(i%7/6))
		switch {
		case withID(i) && err == nil && r.IntN(2) == 0:
			b.AddRecoverable(key, x.msg, sig65)
		case withID(i):
			b.AddRecoverableBytes(x.key, x.msg, sig65)
		case err == nil && err2 == nil && r.IntN(2) == 0:
			b.Add(key, x.msg, sig)
		case err == nil && r.IntN(2) == 0:
			b.AddBytes(key.UncompressedBytes(), x.msg, x.sig)
		default:
			b.AddBytes(x.key, x.msg, x.sig)
		}
	}
}

func isAllValid(verdicts []batch.Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v batch.Verdict) bool { return v != batch.Valid })
}

// TestDeviceAccumulators checks that accumulators return the CPU's verdicts even if a device is
// faulty: for messages of 32 bytes, of other lengths, and for a mixture.
func TestDeviceAccumulators(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 50))
	long := longRows(r, 60)
	mixes := map[string][]row{"of 32 bytes": schnorrRows(), "long": long,
		"mixed": slices.Concat(long, pick(r, schnorrRows(), 60))}
	sizes := []int{0, 1, 30, 150}
	if !cputest.Deep() {
		sizes = sizes[:3]
	}
	for what, fault := range faults(r) {
		for _, n := range sizes {
			for mix, from := range mixes {
				d := &simulated{fault: fault}
				b := batch.NewSchnorr(n, &batch.Options{Device: d.device()})
				want := addSchnorr(r, b, pick(r, from, n))
				for range 2 { // the second call reuses keys and challenges of the first
					if got := verify(b, nil); !slices.Equal(got, want) {
						t.Errorf("%s: messages %s: %v, want %v", what, mix, got, want)
					}
				}
				if what == "calls all rows good" { // a single Valid verdict for all rows is trusted
					continue
				}
				if got := verifyAll(b); got != isAllValid(want) {
					t.Errorf("%s: messages %s: all %d are valid: %v", what, mix, n, got)
				}
			}
			for _, ids := range []int{1, 2, 1 << 30} {
				d, rows := &simulated{fault: fault}, pick(r, ecdsaRows(), n)
				withID := func(i int) bool { return i%ids == ids-1 }
				either := batch.NewECDSA(n, batch.AnyS, &batch.Options{Device: d.device()})
				low := batch.NewECDSA(n, batch.LowS, &batch.Options{Device: d.device(), Exact: true})
				addECDSA(r, either, rows, withID)
				addECDSA(r, low, rows, withID)
				var want, wantLow []batch.Verdict
				for _, x := range rows {
					want, wantLow = append(want, x.want), append(wantLow, x.low)
				}
				if got := verify(either, nil); !slices.Equal(got, want) {
					t.Errorf("%s: ECDSA: %v, want %v", what, got, want)
				}
				if got := verify(low, nil); !slices.Equal(got, wantLow) {
					t.Errorf("%s: ECDSA with low s: %v, want %v", what, got, wantLow)
				}
			}
		}
	}
}

// TestDeviceAsked checks how often an accumulator with many valid rows calls its device: once for
// Verify and once for VerifyAll, but only for Verify if Exact is set. Rows whose verdict is known
// from parsing must not be sent to the device.
func TestDeviceAsked(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	good := slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return r.want != batch.Valid })
	for _, exact := range []bool{false, true} {
		d := new(simulated)
		asked := int64(2)
		if exact {
			asked = 1
		}
		b := batch.NewSchnorr(0, &batch.Options{Device: d.device(), Exact: exact})
		addSchnorr(r, b, pick(r, good, 100))
		if got := verify(b, nil); !isAllValid(got) || !verifyAll(b) || d.calls.Load() != asked {
			t.Errorf("exact: %v: the device was asked %d times", exact, d.calls.Load())
		}
		b.Reset()
		for range 3 {
			b.AddBytes(nil, nil, nil)
		}
		if verifyAll(b) || verify(b, nil)[2] != batch.Malformed || d.calls.Load() != asked {
			t.Errorf("the device was asked about nothing")
		}
	}
}

// TestDeviceCancelled checks that an accumulator returns no verdict if its context ends while a
// device works.
func TestDeviceCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 52))
	ctx, cancel := context.WithCancel(context.Background())
	d := &simulated{fault: func(ctx context.Context, c *device.Call) error {
		cancel()
		<-ctx.Done()
		return nil
	}}
	good := slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return r.want != batch.Valid })
	b := batch.NewSchnorr(0, &batch.Options{Device: d.device()})
	addSchnorr(r, b, pick(r, good, 100))
	got := dirty(100)
	_, err := b.Verify(ctx, got)
	if !errors.Is(err, context.Canceled) || slices.ContainsFunc(got,
		func(v batch.Verdict) bool { return v != batch.Unchecked }) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := b.VerifyAll(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDeviceWithoutIDs checks that if some rows of a batch lack a recovery id, the device is asked
// for a verdict per row, and not for one verdict on all rows. The CPU then verifies a sample of the
// rows again.
func TestDeviceWithoutIDs(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 53))
	good := slices.DeleteFunc(slices.Clone(ecdsaRows()),
		func(r row) bool { return r.want != batch.Valid })
	for _, ids := range []int{2, 1 << 30} {
		for _, bad := range []int{0, 1, 150} {
			var kinds []device.Kind
			d := &simulated{fault: func(_ context.Context, c *device.Call) error {
				kinds = append(kinds, c.Kind)
				for i := range c.Verdicts {
					c.Verdicts[i] = device.Valid
				}
				return nil
			}}
			b := batch.NewECDSA(0, batch.AnyS, &batch.Options{Device: d.device()})
			rows := pick(r, good, 150)
			for i := range bad {
				rows[i].msg = random(r, 32)
			}
			addECDSA(r, b, rows, func(i int) bool { return i%ids == ids-1 })
			// One bad row of 150 is in the sample with probability 64/150, so either result is
			// allowed.
			if got := verifyAll(b); got != (bad == 0) && bad != 1 || !slices.Equal(kinds,
				[]device.Kind{device.ECDSA}) {
				t.Errorf("%d bad rows: valid: %v, kinds %v", bad, got, kinds)
			}
		}
	}
}
