package batch_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// challenge returns the challenge e of BIP-340, mod n.
func challenge(rx, px, msg []byte) *big.Int {
	e := reference.TaggedHash("BIP0340/challenge", rx, px, msg)
	return inOrder(new(big.Int).SetBytes(e[:]))
}

// forgedECDSA returns a signature with a recovery id that is invalid for ECDSA but satisfies the
// equation of BIP-340: with the hash read as the number z and the nonce point R with an even y, it
// has z·G + s·P = R. Making it needs no secret.
func forgedECDSA(r *rand.Rand, key *koblitz.PublicKey, hash []byte) []byte {
	p, z := reference.Point{}, inOrder(new(big.Int).SetBytes(hash))
	b := key.UncompressedBytes()
	p.X, p.Y = new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:])
	for {
		s := inOrder(reference.RandInt(r))
		R := curve.Add(curve.ScalarMult(z, curve.G), curve.ScalarMult(s, p))
		if s.Sign() != 0 && !R.IsInfinity() && R.Y.Bit(0) == 0 && R.X.Cmp(curve.Order) < 0 {
			return join(bytes32(R.X), bytes32(s), []byte{0})
		}
	}
}

// forgedSchnorr returns a signature that is invalid for BIP-340 but satisfies the equation of
// ECDSA: (s·G + r·P)/(−e) = R. Only the owner of the key can make it, but that suffices to detect
// code that mixes up the two schemes.
func forgedSchnorr(r *rand.Rand, d *big.Int, px, msg []byte) []byte {
	for {
		k := inOrder(reference.RandInt(r))
		R := curve.ScalarMult(k, curve.G)
		if R.IsInfinity() || R.X.Cmp(curve.Order) >= 0 {
			continue
		}
		// Solve (s·G + r·P)/(−e) = R for s, with P = d·G and R = k·G: s = −e·k − r·d.
		s := new(big.Int).Mul(challenge(bytes32(R.X), px, msg), k)
		s.Add(s, new(big.Int).Mul(R.X, d))
		return join(bytes32(R.X), bytes32(inOrder(s.Neg(s))))
	}
}

// TestForgeries checks that signatures of one scheme that satisfy the other's equation are invalid,
// in accumulators and queues, both those returned by New functions and zero values.
func TestForgeries(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	const most = 300
	var keys []*koblitz.PublicKey
	var xs []*koblitz.XOnlyPublicKey
	var hashes, forged, forgedX [][]byte
	for range most {
		k := secret(r)
		d := new(big.Int).SetBytes(k.Bytes())
		if !k.PublicKey().HasEvenY() {
			d.Sub(curve.Order, d)
		}
		hash := random(r, 32)
		keys, xs, hashes = append(keys, k.PublicKey()), append(xs, k.XOnlyPublicKey()),
			append(hashes, hash)
		if len(keys) > 40 { // repeat the first forgery
			forged, forgedX = append(forged, forged[0]), append(forgedX, forgedX[0])
			hashes[len(hashes)-1], keys[len(keys)-1], xs[len(xs)-1] = hashes[0], keys[0], xs[0]
			continue
		}
		forged = append(forged, forgedECDSA(r, k.PublicKey(), hash))
		forgedX = append(forgedX, forgedSchnorr(r, d, k.XOnlyPublicKey().Bytes(), hash))
	}
	each(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 3, 8, 40, 100, most} {
			want := slices.Repeat([]batch.Verdict{batch.Invalid}, n)
			var zeroS batch.Schnorr
			for _, b := range []*batch.ECDSA{batch.NewECDSA(n, batch.AnyS, nil)} {
				for i := range n {
					sig, err := ecdsa.ParseSignature(forged[i][:64])
					if err != nil {
						t.Fatal(err)
					}
					switch key := keys[i]; i % 4 {
					case 0:
						b.AddRecoverable(key, hashes[i], forged[i])
					case 1:
						b.AddRecoverableBytes(key.Bytes(), hashes[i], forged[i])
					case 2:
						b.Add(key, hashes[i], sig)
					case 3:
						b.AddBytes(key.Bytes(), hashes[i], forged[i][:64])
					}
				}
				checkAll(t, b, want)
				b.Reset()
				for i := range n {
					b.AddRecoverable(keys[i], hashes[i], forged[i])
				}
				checkAll(t, b, want)
			}
			for _, b := range []*batch.Schnorr{&zeroS, batch.NewSchnorr(n, nil), new(batch.Schnorr)} {
				for i := range n {
					if i%2 == 0 {
						b.Add(xs[i], hashes[i], forgedX[i])
					} else {
						b.AddBytes(xs[i].Bytes(), hashes[i], forgedX[i])
					}
				}
				checkAll(t, b, want)
			}
		}
		for _, q := range []*batch.Queue{batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})} {
			var wg sync.WaitGroup
			for i := range 100 {
				wg.Go(func() {
					sig, _ := ecdsa.ParseSignature(forged[i][:64])
					if ok, err := q.VerifyECDSA(context.Background(), keys[i], hashes[i], sig); ok || err != nil {
						t.Errorf("VerifyECDSA: %v, %v", ok, err)
					}
					if ok, err := q.VerifySchnorr(context.Background(), xs[i], hashes[i], forgedX[i]); ok ||
						err != nil {
						t.Errorf("VerifySchnorr: %v, %v", ok, err)
					}
				})
			}
			wg.Wait()
		}
	})
	// The forgeries satisfy the equation of the other scheme and do not verify as single
	// signatures.
	for i := range 3 {
		sig, _ := ecdsa.ParseSignature(forged[i][:64])
		if ecdsa.Verify(keys[i], hashes[i], sig) || schnorr.Verify(xs[i], hashes[i], forgedX[i]) {
			t.Error("a forgery verifies alone")
		}
		b := keys[i].UncompressedBytes()
		p := reference.Point{X: new(big.Int).SetBytes(b[1:33]), Y: new(big.Int).SetBytes(b[33:])}
		z, s := new(big.Int).SetBytes(hashes[i]), new(big.Int).SetBytes(forged[i][32:64])
		if R := curve.Add(curve.ScalarMult(z, curve.G),
			curve.ScalarMult(s, p)); R.X.Cmp(new(big.Int).SetBytes(forged[i][:32])) != 0 {
			t.Error("no forgery of ECDSA")
		}
		x := xs[i].Bytes()
		p, _ = curve.LiftX(new(big.Int).SetBytes(x), false)
		e := challenge(forgedX[i][:32], x, hashes[i])
		inverse := new(big.Int).ModInverse(new(big.Int).Sub(curve.Order, e), curve.Order)
		u := inOrder(new(big.Int).Mul(new(big.Int).SetBytes(forgedX[i][32:]), inverse))
		v := inOrder(new(big.Int).Mul(new(big.Int).SetBytes(forgedX[i][:32]), inverse))
		if R := curve.Add(curve.ScalarMult(u, curve.G),
			curve.ScalarMult(v, p)); R.X.Cmp(new(big.Int).SetBytes(forgedX[i][:32])) != 0 {
			t.Error("no forgery of BIP-340")
		}
	}
}

// TestZeroKeys checks that zero keys verify nothing. Its signatures would be valid if code took a
// zero key for the point at infinity or for (0, 0), with or without a prepared table.
func TestZeroKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 32))
	each(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 40} {
			b, q := batch.NewECDSA(0, batch.AnyS, nil), batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
			var s batch.Schnorr
			var hashes, sigs, ssigs []byte
			var set []*koblitz.PreparedKey
			for i := range n {
				hash := random(r, 32)
				// If the point at infinity O were the key, ECDSA would compute u1·G + u2·O, which
				// is k·G for s = z/k, and BIP-340 would compute s·G − e·O = s·G.
				k := new(big.Int).SetBytes(secret(r).Bytes())
				R := curve.ScalarMult(k, curve.G)
				if R.Y.Bit(0) != 0 {
					k.Sub(curve.Order, k)
				}
				sBytes := bytes32(inOrder(new(big.Int).Mul(new(big.Int).SetBytes(hash),
					new(big.Int).ModInverse(k, curve.Order))))
				sig64, ssig := join(bytes32(inOrder(R.X)), sBytes), join(bytes32(R.X), bytes32(k))
				sig, err := ecdsa.ParseSignature(sig64)
				if err != nil {
					t.Fatal(err)
				}
				key, x := []*koblitz.PublicKey{nil, {}}[i%2], []*koblitz.XOnlyPublicKey{nil, {}}[i%2]
				prepared := []*koblitz.PreparedKey{nil, {}}[i%2]
				b.Add(key, hash, sig)
				b.AddRecoverable(key, hash, append(sig64, 0))
				b.AddRecoverableBytes(make([]byte, 33+32*(i%2)), hash, append(sig64, 0))
				s.Add(x, hash, ssig)
				s.AddBytes(make([]byte, 32), hash, ssig)
				hashes, sigs, ssigs = append(hashes, hash...), append(sigs, sig64...), append(ssigs, ssig...)
				set = append(set, prepared)
				if ecdsa.Verify(key, hash, sig) || ecdsa.VerifyPrepared(prepared, hash, sig) ||
					schnorr.Verify(x, hash, ssig) || schnorr.VerifyPrepared(prepared, hash, ssig) {
					t.Error("a zero key verifies")
				}
				if ok, err := q.VerifyECDSA(context.Background(), key, hash, sig); ok || err != nil {
					t.Errorf("VerifyECDSA: %v, %v", ok, err)
				}
				if ok, err := q.VerifySchnorr(context.Background(), x, hash, ssig); ok || err != nil {
					t.Errorf("VerifySchnorr: %v, %v", ok, err)
				}
			}
			malformed := slices.Repeat([]batch.Verdict{batch.Malformed}, 3*n)
			checkAll(t, b, malformed)
			checkAll(t, &s, malformed[:2*n])
			indices := make([]uint32, n)
			for i := range indices {
				indices[i] = uint32(i)
			}
			messages := batch.Packed(hashes, 32)
			for what, verify := range map[string]func(v []batch.Verdict) (int, error){
				"ECDSARows, prepared": func(v []batch.Verdict) (int, error) {
					return batch.ECDSARows{Hashes: messages, Signatures: batch.Packed(sigs, 64),
						Keys: batch.PreparedKeys(set, indices), S: batch.AnyS}.Verify(context.Background(), v, nil)
				},
				"SchnorrRows, prepared": func(v []batch.Verdict) (int, error) {
					return batch.SchnorrRows{Messages: messages, Signatures: batch.Packed(ssigs, 64),
						Keys: batch.PreparedKeys(set, indices)}.Verify(context.Background(), v, nil)
				},
				"ECDSARows": func(v []batch.Verdict) (int, error) {
					return batch.ECDSARows{Hashes: messages, Signatures: batch.Packed(sigs, 64),
						Keys: batch.EncodedKeys(batch.Same(make([]byte,
							33))), S: batch.AnyS}.Verify(context.Background(), v, nil)
				},
				"SchnorrRows": func(v []batch.Verdict) (int, error) {
					return batch.SchnorrRows{Messages: messages, Signatures: batch.Packed(ssigs, 64),
						Keys: batch.EncodedKeys(batch.Same(make([]byte, 32)))}.Verify(context.Background(), v, nil)
				},
			} {
				verdicts := dirty(n)
				if valid, err := verify(verdicts); valid != 0 || err != nil ||
					!slices.Equal(verdicts, malformed[:n]) {
					t.Errorf("%s: %d valid, %v, %v", what, valid, err, verdicts)
				}
			}
		}
	})
}

// TestZeroAccumulators checks that a zero Schnorr and a zero Queue behave like those that
// NewSchnorr and NewQueue return without options. A zero ECDSA has no rule for s: it keeps no rows
// and returns errors, and so does a queue without a rule.
func TestZeroAccumulators(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 33))
	each(t, func(t *testing.T) {
		var s batch.Schnorr
		for _, n := range []int{0, 1, 5, 40, 200} {
			s.Reset()
			var want []batch.Verdict
			rows := pick(r, schnorrRows(), n)
			if n%2 == 0 {
				rows = slices.DeleteFunc(rows, func(r row) bool { return r.want != batch.Valid })
			}
			for _, row := range rows {
				want = append(want, row.want)
				s.AddBytes(row.key, row.msg, row.sig)
			}
			checkAll(t, &s, want)
		}
	})
	var q batch.Queue
	var none context.Context
	for _, e := range []*batch.ECDSA{{}, batch.NewECDSA(1, 0, nil), batch.NewECDSA(1, 3, nil)} {
		row := judgedGood(koblitz.GenerateKey())
		e.AddBytes(row.key, row.msg, row.sig)
		e.AddRecoverableBytes(row.key, row.msg, append(row.sig, 0))
		verdicts := dirty(e.Len())
		if ok, err := e.VerifyAll(none); ok || err == nil || e.Len() != 0 {
			t.Errorf("without a rule: %v, %v, %d rows", ok, err, e.Len())
		}
		if valid, err := e.Verify(none, verdicts); valid != 0 || err == nil {
			t.Errorf("without a rule: %v, %v", valid, err)
		}
	}
	if ok, err := calls(ecdsaRows())[0].ask(none, &q); ok || err == nil {
		t.Errorf("without a rule: %v, %v", ok, err)
	}
	for _, c := range calls(schnorrRows())[:20] {
		if ok, err := c.ask(none, &q); ok != (c.want == batch.Valid) || err != nil {
			t.Errorf("%s: %v, %v", c.what, ok, err)
		}
	}
	q.Close()
	if _, err := calls(schnorrRows())[0].ask(context.Background(), &q); !errors.Is(err,
		batch.ErrClosed) {
		t.Error(err)
	}
	var closed batch.Queue
	closed.Close()
	if _, err := calls(schnorrRows())[0].ask(context.Background(), &closed); !errors.Is(err,
		batch.ErrClosed) {
		t.Error(err)
	}
}

// copyOf returns a copy of a value that go vet would not allow to be copied.
func copyOf[T any](v *T) *T {
	c := *v
	return &c
}

// TestCopies checks that every method of a copied accumulator panics if the original was used
// before. A copy would share rows with the original, which could overwrite an invalid row of the
// copy by a valid one.
func TestCopies(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := make([]byte, 32)
	sig, _ := ecdsa.Sign(k, hash, nil)
	sig65, _ := ecdsa.SignRecoverable(k, hash, nil)
	ssig, _ := schnorr.Sign(k, hash, &schnorr.SignOptions{Unchecked: true})
	var verdicts []batch.Verdict

	methods := func(s *batch.Schnorr) map[string]func() {
		return map[string]func(){
			"Add":       func() { s.Add(k.XOnlyPublicKey(), hash, ssig) },
			"AddBytes":  func() { s.AddBytes(k.XOnlyPublicKey().Bytes(), hash, ssig) },
			"malformed": func() { s.AddBytes(nil, nil, nil) },
			"Len":       func() { s.Len() },
			"Reset":     func() { s.Reset() },
			"Verify":    func() { verify(s, verdicts) },
			"VerifyAll": func() { verifyAll(s) },
		}
	}
	methodsE := func(e *batch.ECDSA) map[string]func() {
		return map[string]func(){
			"Add":                 func() { e.Add(k.PublicKey(), hash, sig) },
			"AddBytes":            func() { e.AddBytes(k.PublicKey().Bytes(), hash, sig.Bytes()) },
			"AddRecoverable":      func() { e.AddRecoverable(k.PublicKey(), hash, sig65) },
			"AddRecoverableBytes": func() { e.AddRecoverableBytes(k.PublicKey().Bytes(), hash, sig65) },
			"malformed":           func() { e.AddBytes(nil, nil, nil) },
			"Len":                 func() { e.Len() },
			"Reset":               func() { e.Reset() },
			"Verify":              func() { verify(e, verdicts) },
			"VerifyAll":           func() { verifyAll(e) },
		}
	}
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if r := recover(); r != "batch: use of a copied accumulator" {
				t.Errorf("%s of a copy: %v", what, r)
			}
		}()
		f()
		t.Errorf("%s of a copy does not panic", what)
	}
	for _, s := range []*batch.Schnorr{new(batch.Schnorr), batch.NewSchnorr(4, nil)} {
		s.AddBytes(k.XOnlyPublicKey().Bytes(), hash, ssig)
		for what, f := range methods(copyOf(s)) {
			panics(what, f)
		}
		if !verifyAll(s) || s.Len() != 1 {
			t.Error("the original has changed")
		}
	}
	for _, e := range []*batch.ECDSA{batch.NewECDSA(4, batch.AnyS, nil)} {
		e.AddRecoverable(k.PublicKey(), hash, sig65)
		for what, f := range methodsE(copyOf(e)) {
			panics(what, f)
		}
		if !verifyAll(e) || e.Len() != 1 {
			t.Error("the original has changed")
		}
	}

	// An unused accumulator may be copied, because it has no rows to share.
	var a batch.Schnorr
	b := copyOf(&a)
	a.AddBytes(k.XOnlyPublicKey().Bytes(), hash, ssig)
	b.AddBytes(k.XOnlyPublicKey().Bytes(), hash[1:], ssig)
	if !verifyAll(&a) || verifyAll(b) {
		t.Error("two zero values share something")
	}
}

// TestCopiedQueueConcurrently checks that a copy of a used queue shares the original's waitlists.
func TestCopiedQueueConcurrently(t *testing.T) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	calls := calls(pick(rand.New(rand.NewPCG(34, 34)), schnorrRows(), 60))
	var wg sync.WaitGroup
	for _, q := range []*batch.Queue{q, copyOf(q), copyOf(q)} {
		wg.Go(func() {
			for range 10 {
				for k := range calls {
					if ok, err := calls[k].ask(context.Background(), q); ok != (calls[k].want == batch.Valid) ||
						err != nil {
						t.Errorf("call %d: %v, %v", k, ok, err)
					}
				}
			}
		})
	}
	wg.Wait()
	q.Close()
	if _, err := calls[0].ask(context.Background(), copyOf(q)); !errors.Is(err, batch.ErrClosed) {
		t.Error(err)
	}
}

// TestNilAccumulators checks that a nil accumulator keeps no rows and never reports that all rows
// are valid.
func TestNilAccumulators(t *testing.T) {
	k := koblitz.GenerateKey()
	good := judgedGood(k)
	sig, err := ecdsa.ParseSignature(good.sig)
	if err != nil {
		t.Fatal(err)
	}
	var s *batch.Schnorr
	s.Add(k.XOnlyPublicKey(), good.msg, good.sig)
	s.AddBytes(good.key[1:], good.msg, good.sig)
	var e *batch.ECDSA
	e.Add(k.PublicKey(), good.msg, sig)
	e.AddBytes(good.key, good.msg, good.sig)
	e.AddRecoverable(k.PublicKey(), good.msg, append(good.sig, 0))
	e.AddRecoverableBytes(good.key, good.msg, append(good.sig, 0))
	for _, b := range []adder{s, e} {
		b.Reset()
		if b.Len() != 0 {
			t.Errorf("%T: %d signatures", b, b.Len())
		}
		if ok, err := b.VerifyAll(context.Background()); ok || err == nil {
			t.Errorf("%T.VerifyAll: %v, %v", b, ok, err)
		}
		if v, err := b.Verify(context.Background(), dirty(3)); v != 0 || err == nil {
			t.Errorf("%T.Verify: %v, %v", b, v, err)
		}
	}
}
