package batch_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/schnorr"
)

// checkAll checks that an accumulator gives the verdicts in want.
func checkAll(t *testing.T, b adder, want []batch.Verdict) {
	t.Helper()
	all := !slices.ContainsFunc(want, func(v batch.Verdict) bool { return v != batch.Valid })
	if b.Len() != len(want) {
		t.Errorf("Len = %d, want %d", b.Len(), len(want))
	}
	roomy := make([]batch.Verdict, 5, 10000)
	rounds := 2
	if !cputest.Deep() {
		rounds = 1
	}
	for range rounds {
		if got := verifyAll(b); got != all {
			t.Errorf("VerifyAll of %d = %v", len(want), got)
		}
		for _, room := range [][]batch.Verdict{nil, dirty(len(want) / 2), dirty(len(want) + 3), roomy} {
			if got := verify(b, room); !slices.Equal(got, want) {
				t.Errorf("Verify = %v, want %v", got, want)
			}
		}
	}
	for _, n := range []int{len(want) - 1, len(want) + 1} {
		if wrong := dirty(max(n, 0)); len(wrong) != len(want) {
			valid, err := b.Verify(context.Background(), wrong)
			if valid != 0 || err == nil || !slices.Equal(wrong, dirty(len(wrong))) {
				t.Errorf("Verify with %d verdicts of %d rows: %v", n, len(want), err)
			}
		}
	}
}

// TestSchnorr checks that accumulators give the expected verdicts with parsed and with encoded
// keys, for batches that mix valid and bad rows and for batches of valid rows only.
func TestSchnorr(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	good := slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return r.want != batch.Valid })
	each(t, func(t *testing.T) {
		b := batch.NewSchnorr(20, nil)
		for i, n := range sizes(r, 300) {
			if i%5 == 4 {
				b = batch.NewSchnorr(n, workers[i%len(workers)])
			}
			b.Reset()
			rows := pick(r, schnorrRows(), n)
			if i%3 == 0 {
				rows = pick(r, good, n)
			}
			var want []batch.Verdict
			for _, row := range rows {
				row.msg = slices.Clone(row.msg)
				want = append(want, row.want)
				if key, err := koblitz.ParseXOnlyPublicKey(row.key); err == nil && r.IntN(2) == 0 {
					b.Add(key, row.msg, row.sig)
				} else {
					b.AddBytes(row.key, row.msg, row.sig)
				}
				clear(row.msg) // the accumulator must not keep a reference
			}
			checkAll(t, b, want)
		}
	})
}

func TestECDSA(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	good := slices.DeleteFunc(slices.Clone(ecdsaRows()),
		func(r row) bool { return r.low != batch.Valid })
	each(t, func(t *testing.T) {
		either, low := batch.NewECDSA(-1, batch.AnyS, nil), batch.NewECDSA(math.MaxInt, batch.LowS, nil)
		for i, n := range sizes(r, 300) {
			either.Reset()
			low.Reset()
			rows := pick(r, ecdsaRows(), n)
			if i%3 == 0 {
				rows = pick(r, good, n)
			}
			var want, wantLow []batch.Verdict
			for _, row := range rows {
				want, wantLow = append(want, row.want), append(wantLow, row.low)
				key, err := koblitz.ParsePublicKey(row.key)
				sig, err2 := ecdsa.ParseSignature(row.sig)
				if err == nil && err2 == nil && r.IntN(2) == 0 {
					either.Add(key, row.msg, sig)
					low.Add(key, row.msg, sig)
					continue
				}
				encoded := row.key
				if err == nil && r.IntN(2) == 0 {
					encoded = key.UncompressedBytes()
				}
				either.AddBytes(encoded, row.msg, row.sig)
				low.AddBytes(encoded, row.msg, row.sig)
			}
			checkAll(t, either, want)
			checkAll(t, low, wantLow)
		}
	})
}

// TestLengths checks the verdicts on signatures of messages and hashes of all lengths. An ECDSA row
// with a hash of less than 20 bytes must be Malformed, although the standard allows such a hash.
func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 17))
	s, e, recoverable := batch.NewSchnorr(0, nil), batch.NewECDSA(0, batch.AnyS,
		nil), batch.NewECDSA(0, batch.AnyS, nil)
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	defer q.Close()
	var want, wantE []batch.Verdict
	for n := range 200 {
		k, msg := secret(r), random(r, n)
		sig, _ := schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true})
		var number [32]byte
		hash.Leftmost(&number, msg)
		sig65, err := ecdsa.SignRecoverable(k, number[:], nil)
		if err != nil {
			t.Fatal(err)
		}
		verdict := batch.Valid
		if n%4 == 3 {
			verdict = batch.Invalid
			msg[0] ^= 1
		}
		s.AddBytes(k.XOnlyPublicKey().Bytes(), msg, sig)
		want = append(want, verdict)
		if n < 20 {
			verdict = batch.Malformed
		}
		parsed, _ := ecdsa.ParseSignature(sig65[:64])
		if n%2 == 0 {
			e.Add(k.PublicKey(), msg, parsed)
			recoverable.AddRecoverable(k.PublicKey(), msg, sig65)
		} else {
			e.AddBytes(k.PublicKey().Bytes(), msg, sig65[:64])
			recoverable.AddRecoverableBytes(k.PublicKey().UncompressedBytes(), msg, sig65)
		}
		wantE = append(wantE, verdict)
		if n > 40 {
			continue
		}
		valid := verdict == batch.Valid
		ok, err := q.VerifyECDSA(t.Context(), k.PublicKey(), msg, parsed)
		if ok != valid || err != nil {
			t.Errorf("VerifyECDSA of a hash of %d bytes: %v, %v", n, ok, err)
		}
		ok, err = q.VerifyECDSABytes(t.Context(), k.PublicKey().Bytes(), msg, sig65[:64])
		if ok != valid || err != nil {
			t.Errorf("VerifyECDSABytes of a hash of %d bytes: %v, %v", n, ok, err)
		}
	}
	checkAll(t, s, want)
	checkAll(t, e, wantE)
	checkAll(t, recoverable, wantE)
}

// TestAddNothing checks that nil keys, nil signatures and zero values give malformed rows.
func TestAddNothing(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := make([]byte, 32)
	sig, _ := ecdsa.Sign(k, hash, nil)
	ssig, _ := schnorr.Sign(k, hash, &schnorr.SignOptions{Unchecked: true})
	x, full := k.XOnlyPublicKey().Bytes(), k.PublicKey().UncompressedBytes()

	s := batch.NewSchnorr(0, nil)
	s.Add(nil, hash, ssig)
	s.Add(&koblitz.XOnlyPublicKey{}, hash, ssig)
	s.Add(k.XOnlyPublicKey(), hash, nil)
	s.Add(k.XOnlyPublicKey(), hash, ssig[:63])
	s.Add(k.XOnlyPublicKey(), hash, append(ssig[:64:64], 0))
	s.AddBytes(nil, hash, ssig)
	s.AddBytes(x[:31], hash, ssig)
	s.AddBytes(append(x[:32:32], 0), hash, ssig)
	s.AddBytes(k.PublicKey().Bytes(), hash, ssig)
	s.AddBytes(x, hash, ssig[:63])
	s.AddBytes(nil, nil, nil)
	s.AddBytes(x, hash, ssig)
	checkAll(t, s, append(slices.Repeat([]batch.Verdict{batch.Malformed}, 11), batch.Valid))

	off := slices.Clone(full)
	off[64] ^= 1
	hybrid := slices.Clone(full)
	hybrid[0] = 6 | full[64]&1
	e := batch.NewECDSA(0, batch.AnyS, nil)
	e.Add(nil, hash, sig)
	e.Add(&koblitz.PublicKey{}, hash, sig)
	e.Add(k.PublicKey(), hash, nil)
	e.Add(k.PublicKey(), hash, &ecdsa.Signature{})
	e.AddBytes(nil, hash, sig.Bytes())
	e.AddBytes(full[:64], hash, sig.Bytes())
	e.AddBytes(x, hash, sig.Bytes())
	e.AddBytes(off, hash, sig.Bytes())
	e.AddBytes(hybrid, hash, sig.Bytes())
	for _, bad := range badX()[:3] {
		e.AddBytes(join([]byte{4}, bad, full[33:]), hash, sig.Bytes())
		e.AddBytes(join(full[:33], bad), hash, sig.Bytes())
	}
	e.AddBytes(full, hash, sig.Bytes()[:63])
	e.AddBytes(full, hash, append(sig.Bytes(), 0))
	e.AddBytes(nil, nil, nil)
	e.AddBytes(full, hash, sig.Bytes())
	checkAll(t, e, append(slices.Repeat([]batch.Verdict{batch.Malformed}, 18), batch.Valid))
}

// TestPendingChallenges checks that the answers do not depend on when challenges are hashed: either
// sixteen at a time, or as soon as a verdict is requested.
func TestPendingChallenges(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 27))
	each(t, func(t *testing.T) {
		most := 40
		if !cputest.Deep() {
			most = 20
		}
		for n := range most {
			b := batch.NewSchnorr(0, nil)
			var want []batch.Verdict
			for i, row := range pick(r, schnorrRows(), n) {
				if i%5 == 3 { // use a message of another length
					k, msg := secret(r), random(r, 31+2*(i%2))
					sig, _ := schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true})
					b.Add(k.XOnlyPublicKey(), msg, sig)
					want = append(want, batch.Valid)
				}
				b.AddBytes(row.key, row.msg, row.sig)
				want = append(want, row.want)
				if r.IntN(12) == 0 {
					checkAll(t, b, want)
				}
				if r.IntN(30) == 0 {
					b.Reset()
					want = nil
				}
			}
			checkAll(t, b, want)
		}
	})
}
