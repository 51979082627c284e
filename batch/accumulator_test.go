package batch_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// otherHashes returns ECDSA rows with hashes that do not have 32 bytes. A row with a hash of less
// than 20 bytes must be Malformed, although the standard allows such a hash.
var otherHashes = sync.OnceValue(func() (rows []row) {
	r := rand.New(rand.NewPCG(17, 17))
	for _, n := range []int{0, 1, 19, 20, 21, 31, 33, 64, 65, 199} {
		var number [32]byte
		k, msg := secret(r), random(r, n)
		hash.Leftmost(&number, msg)
		good := row{what: "another length", key: k.PublicKey().Bytes(), msg: msg,
			sig: reference.Must(ecdsa.SignRecoverable(k, number[:], nil))[:64]}
		bad := good
		if bad.msg = slices.Clone(msg); n > 0 {
			bad.msg[0] ^= 1
		}
		for _, x := range []row{judgeECDSA(good), judgeECDSA(bad)} {
			if len(x.msg) < 20 {
				x.want, x.low = batch.Malformed, batch.Malformed
			}
			rows = append(rows, x)
		}
	}
	return rows
})

// isAllValid reports whether all verdicts are Valid.
func isAllValid(verdicts []batch.Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v batch.Verdict) bool { return v != batch.Valid })
}

// checkAll checks that an accumulator gives the verdicts in want.
func checkAll(t *testing.T, b adder, want []batch.Verdict) {
	t.Helper()
	if got := verify(b, nil); !slices.Equal(got, want) || verifyAll(b) != isAllValid(want) {
		t.Errorf("Verify = %v, want %v; VerifyAll = %v", got, want, !isAllValid(want))
	}
}

// TestAddNothing checks that nil keys, nil signatures, zero values and encodings of other lengths
// or forms give malformed rows.
func TestAddNothing(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := make([]byte, 32)
	sig, _ := ecdsa.Sign(k, hash, nil)
	sig64 := sig.Bytes()
	ssig, _ := schnorr.Sign(k, hash, &schnorr.SignOptions{Unchecked: true})
	x, full := k.XOnlyPublicKey().Bytes(), k.PublicKey().UncompressedBytes()

	s := batch.NewSchnorr(0, nil)
	s.Add(nil, hash, ssig)
	s.Add(&koblitz.XOnlyPublicKey{}, hash, ssig)
	s.Add(k.XOnlyPublicKey(), hash, nil)
	s.Add(k.XOnlyPublicKey(), hash, append(ssig[:64:64], 0))
	s.AddBytes(nil, nil, nil)
	for _, key := range [][]byte{nil, x[:31], append(x[:32:32], 0), k.PublicKey().Bytes()} {
		s.AddBytes(key, hash, ssig)
	}
	s.AddBytes(x, hash, ssig)
	checkAll(t, s, append(slices.Repeat([]batch.Verdict{batch.Malformed}, 9), batch.Valid))

	off, hybrid := slices.Clone(full), slices.Clone(full)
	off[64] ^= 1
	hybrid[0] = 6 | full[64]&1
	e := batch.NewECDSA(0, batch.AnyS, nil)
	e.Add(nil, hash, sig)
	e.Add(&koblitz.PublicKey{}, hash, sig)
	e.Add(k.PublicKey(), hash, nil)
	e.Add(k.PublicKey(), hash, &ecdsa.Signature{})
	e.AddBytes(nil, nil, nil)
	encoded := [][]byte{nil, full[:64], x, off, hybrid}
	for _, bad := range badX()[:3] {
		encoded = append(encoded, join([]byte{4}, bad, full[33:]), join(full[:33], bad))
	}
	for _, key := range encoded {
		e.AddBytes(key, hash, sig64)
	}
	e.AddBytes(full, hash, append(sig64, 0))
	e.AddBytes(full, hash, sig64)
	checkAll(t, e, append(slices.Repeat([]batch.Verdict{batch.Malformed}, 17), batch.Valid))
}
