package batch_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// judgedGood returns a row with a valid ECDSA signature by the private key k.
func judgedGood(k *koblitz.PrivateKey) row {
	hash := []byte("thirty-two bytes, for want of it")
	sig, err := ecdsa.Sign(k, hash, nil)
	if err != nil {
		panic(err)
	}
	return judgeECDSA(row{key: k.PublicKey().Bytes(), msg: hash, sig: sig.Bytes()})
}

var tableSizes = []int{26 << 10, 0, 1 << 10, 13 << 10, 2 << 10, 8 << 10, 4 << 10}

// prepareAll prepares each distinct key of the rows. The keys' tables get the sizes in the slice
// tables, in turn. prepareAll returns the rows whose key can be parsed, the set of keys, and each
// row's index in the set.
func prepareAll(r *rand.Rand, rows []row, tables []int,
	parse func([]byte) (*koblitz.PublicKey, error)) (kept []row, set []*koblitz.PreparedKey,
	indices []uint32) {
	known := map[string]uint32{}
	for _, row := range rows {
		index, ok := known[string(row.key)]
		if !ok {
			k, err := parse(row.key)
			if err != nil {
				continue
			}
			index = uint32(len(set))
			known[string(row.key)] = index
			set = append(set, k.Prepare(tables[len(set)%len(tables)]))
		}
		kept = append(kept, row)
		indices = append(indices, index)
	}
	return kept, set, indices
}

func TestPreparedECDSARows(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	all, set, indices := prepareAll(r, ecdsaRows(), tableSizes, koblitz.ParsePublicKey)
	t.Logf("%d rows, %d keys", len(all), len(set))
	each(t, func(t *testing.T) {
		for i, n := range sizes(r, 300) {
			at := r.IntN(len(all) - n)
			rows := all[at : at+n]
			cols := batch.ECDSARows{Hashes: column(r, rows, msg), Signatures: column(r, rows, sig),
				Keys: batch.PreparedKeys(set, indices[at:at+n]), S: rule(i%2 == 1)}
			got := dirty(n)
			valid, err := cols.Verify(context.Background(), got, workers[i%len(workers)])
			compare(t, rows, i%2 == 1, got, valid, err)
			ok, err := cols.VerifyAll(context.Background(), n, workers[i%len(workers)])
			if ok != (valid == n) || err != nil {
				t.Errorf("%d of %d rows are valid, all: %v, %v", valid, n, ok, err)
			}
		}
	})
}

// TestPreparedSchnorrRows checks that BIP-340 rows under a prepared key of either parity have the
// verdicts that they have under the x-only key.
func TestPreparedSchnorrRows(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	all, set, indices := prepareAll(r, schnorrRows(), tableSizes,
		func(b []byte) (*koblitz.PublicKey, error) {
			k, err := koblitz.ParseXOnlyPublicKey(b)
			if err == nil && r.IntN(2) == 1 {
				return k.PublicKey().Negate(), nil
			}
			return k.PublicKey(), err
		})
	t.Logf("%d rows, %d keys", len(all), len(set))
	each(t, func(t *testing.T) {
		for i, n := range sizes(r, 300) {
			at := r.IntN(len(all) - n)
			rows := all[at : at+n]
			cols := batch.SchnorrRows{Messages: column(r, rows, msg),
				Signatures: column(r, rows, sig), Keys: batch.PreparedKeys(set, indices[at:at+n])}
			got := dirty(n)
			valid, err := cols.Verify(context.Background(), got, workers[i%len(workers)])
			compare(t, rows, false, got, valid, err)
			ok, err := cols.VerifyAll(context.Background(), n, workers[i%len(workers)])
			if ok != (valid == n) || err != nil {
				t.Errorf("%d of %d rows are valid, all: %v, %v", valid, n, ok, err)
			}
		}
	})
}

// TestPreparedSingleKey checks that each row gets its own verdict if all rows of a call have the
// same prepared key.
func TestPreparedSingleKey(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	k := secret(r)
	rows := make([]row, 50)
	for i := range rows {
		hash := random(r, 32)
		s, _ := ecdsa.Sign(k, hash, nil)
		if i%3 == 0 {
			hash = flip(r, hash)
		}
		rows[i] = judgeECDSA(row{key: k.PublicKey().Bytes(), msg: hash, sig: s.Bytes()})
	}
	for _, size := range tableSizes {
		each(t, func(t *testing.T) {
			cols := batch.ECDSARows{Hashes: column(r, rows, msg), Signatures: column(r, rows, sig),
				Keys: batch.PreparedKeys([]*koblitz.PreparedKey{k.PublicKey().Prepare(size)},
					make([]uint32, len(rows))), S: batch.AnyS}
			got := dirty(len(rows))
			valid, err := cols.Verify(context.Background(), got, nil)
			compare(t, rows, false, got, valid, err)
		})
	}
}
