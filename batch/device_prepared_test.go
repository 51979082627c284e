package batch_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// A preparedSet is a set of keys, and rows whose indices refer to keys of the set. Some indices
// refer to no key.
type preparedSet struct {
	rows    []row
	keys    []*koblitz.PreparedKey
	indices []uint32
}

// preparedSets returns a set with ECDSA rows and one with BIP-340 rows. Keys of BIP-340 rows have
// either parity.
func preparedSets(r *rand.Rand) (e, s preparedSet) {
	e.rows, e.keys, e.indices = prepareAll(r, ecdsaRows(), tableSizes, koblitz.ParsePublicKey)
	s.rows, s.keys, s.indices = prepareAll(r, schnorrRows(), tableSizes,
		func(b []byte) (*koblitz.PublicKey, error) {
			k, err := koblitz.ParseXOnlyPublicKey(b)
			if err == nil && r.IntN(2) == 1 {
				return k.PublicKey().Negate(), nil
			}
			return k.PublicKey(), err
		})
	for _, p := range []*preparedSet{&e, &s} {
		p.keys = append(p.keys, nil, new(koblitz.PreparedKey))
		n := uint32(len(p.keys))
		for _, index := range []uint32{n - 2, n - 1, n, n + 1, 1<<32 - 1} {
			for range 20 {
				at := r.IntN(len(p.rows))
				none := p.rows[at]
				none.want, none.low = batch.Malformed, batch.Malformed
				p.rows, p.indices = slices.Insert(p.rows, at, none), slices.Insert(p.indices, at, index)
			}
		}
	}
	return e, s
}

// TestDevicesPrepared checks that rows with prepared keys have the CPU's verdicts even if a device
// is faulty. Some rows have an index that refers to no key.
func TestDevicesPrepared(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 44))
	e, s := preparedSets(r)
	ctx := context.Background()
	for what, fault := range faults(r) {
		for _, n := range []int{1, 64, 150} {
			d := &simulated{fault: fault}
			on := &batch.Options{Device: d.device()}
			at := r.IntN(len(e.rows) - n)
			rows := e.rows[at : at+n]
			ecdsa := batch.ECDSARows{Hashes: column(r, rows, msg),
				Signatures: column(r, rows, sig), Keys: batch.PreparedKeys(e.keys,
					e.indices[at:at+n]), S: batch.AnyS}
			got := dirty(n)
			valid, err := ecdsa.Verify(ctx, got, on)
			compare(t, rows, false, got, valid, err)
			ecdsa.S = batch.LowS
			valid, err = ecdsa.Verify(ctx, got, on)
			compare(t, rows, true, got, valid, err)
			if d.calls.Load() != 2 {
				t.Errorf("%s: the device was asked %d times", what, d.calls.Load())
			}

			at = r.IntN(len(s.rows) - n)
			rows = s.rows[at : at+n]
			schnorr := batch.SchnorrRows{Messages: column(r, rows, msg),
				Signatures: column(r, rows, sig), Keys: batch.PreparedKeys(s.keys, s.indices[at:at+n])}
			valid, err = schnorr.Verify(ctx, got, on)
			compare(t, rows, false, got, valid, err)
			if d.calls.Load() != 3 {
				t.Errorf("%s: the device was asked %d times", what, d.calls.Load())
			}
		}
	}
}

// TestDevicePreparedSingleKey checks that a device gives the CPU's verdicts if all rows use one
// prepared key, and that with an empty set of keys all rows are malformed.
func TestDevicePreparedSingleKey(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 45))
	k := secret(r)
	rows := []row{judgedGood(k), judgedGood(secret(r)), judgedGood(k)}
	rows[1].want, rows[1].low = batch.Invalid, batch.Invalid
	cols := batch.ECDSARows{Hashes: column(r, rows, msg), Signatures: column(r, rows, sig),
		Keys: batch.PreparedKeys([]*koblitz.PreparedKey{k.PublicKey().Prepare(0)},
			make([]uint32, len(rows))), S: batch.AnyS}
	d := new(simulated)
	for _, none := range []bool{false, true} {
		if none {
			cols.Keys = batch.PreparedKeys(nil, make([]uint32, len(rows)))
			for i := range rows {
				rows[i].want = batch.Malformed
			}
		}
		got := dirty(len(rows))
		valid, err := cols.Verify(context.Background(), got, &batch.Options{Device: d.device()})
		compare(t, rows, false, got, valid, err)
	}
	if d.calls.Load() != 2 {
		t.Errorf("the device was asked %d times", d.calls.Load())
	}
}
