package batch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A source makes rows from the bytes of the fuzzer's input. After the last byte it continues with
// zeros.
type source struct{ data []byte }

func (s *source) next() int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b)
}

// scalar returns a number in [1, n), mostly a number that occurs in tables and partial sums.
func (s *source) scalar() *big.Int {
	kind, x := s.next(), num(int64(1+s.next()%16))
	switch kind % 8 {
	case 1:
		x.Neg(x)
	case 2:
		x.Mul(x, reference.Lambda())
	case 3:
		x.Mul(x, reference.Lambda()).Mul(x, reference.Lambda())
	case 4:
		x.Lsh(num(1), uint(s.next()))
	case 5:
		x.Lsh(num(1), uint(s.next())).Neg(x)
	case 6:
		digest := sha256.Sum256([]byte{byte(s.next())})
		x.SetBytes(digest[:])
	case 7:
		x.Add(x, new(big.Int).Mul(reference.Lambda(), num(int64(s.next()%16))))
	}
	if x = inOrder(x); x.Sign() == 0 {
		x.SetInt64(1)
	}
	return x
}

// logPoint returns the x coordinate of k·G, and whether its y coordinate is odd.
func logPoint(k *big.Int) (x []byte, odd bool) {
	var s scalar.Scalar
	s.SetBytes((*[32]byte)(bytes32(k)))
	var j point.Jacobian
	vartime.ScalarBaseMult(&j, &s)
	var p point.Affine
	p.SetJacobianVartime(&j)
	x = make([]byte, 32)
	p.X.PutBytes((*[32]byte)(x))
	return x, p.Y.Normalize().IsOdd().Bool()
}

// even returns the x coordinate of k·G, and k or −k: the one whose multiple of G has an even y.
func even(k *big.Int) ([]byte, *big.Int) {
	x, odd := logPoint(k)
	if odd {
		k = inOrder(new(big.Int).Neg(k))
	}
	return x, k
}

// number returns 32 bytes: a number at an edge of a range, such as 0 or n, or x with one bit
// changed.
func (s *source) number(x []byte) []byte {
	switch kind := s.next(); kind % 8 {
	case 0:
		return bytes32(num(int64(s.next())))
	case 1:
		return bytes32(new(big.Int).Sub(curve.Order, num(int64(s.next()-8))))
	case 2:
		return bytes32(new(big.Int).Sub(reference.P(), num(int64(s.next()-8))))
	case 3:
		return bytes32(curve.G.X)
	case 4:
		return bytes32(inOrder(new(big.Int).Neg(new(big.Int).SetBytes(x))))
	case 5:
		return bytes.Repeat([]byte{0xff}, 32)
	}
	x = bytes.Clone(x)
	x[s.next()%32] ^= 1 << (s.next() % 8)
	return x
}

// spoil changes one of the fields with a probability of 3/4.
func (s *source) spoil(fields ...[]byte) {
	if s.next()%4 > 0 {
		f := fields[s.next()%len(fields)]
		copy(f, s.number(f))
	}
}

// schnorr returns a BIP-340 row. The fuzzer's bytes choose its key and nonce.
func (s *source) schnorr() row {
	key, d := even(s.scalar())
	rx, k := even(s.scalar())
	msg := bytes.Repeat([]byte{byte(s.next())}, 32)
	e := new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", rx, key, msg))
	sig := join(rx, bytes32(inOrder(e.Mul(e, d).Add(e, k))))
	s.spoil(key, msg, sig[:32], sig[32:])
	return judgeSchnorr(row{what: "fuzz", key: key, msg: msg, sig: sig})
}

// ecdsa returns an ECDSA row, and the same signature with a recovery id. The fuzzer's bytes choose
// the key, the nonce and u2; the hash is computed from them.
func (s *source) ecdsa() (row, sign65) {
	d, k, u2 := s.scalar(), s.scalar(), s.scalar()
	qx, qOdd := logPoint(d)
	rx, rOdd := logPoint(k)
	r := inOrder(new(big.Int).SetBytes(rx))
	sv := inOrder(new(big.Int).Mul(r, new(big.Int).ModInverse(u2, curve.Order)))
	u1 := new(big.Int).Mul(u2, d)
	hash := bytes32(inOrder(u1.Sub(k, u1).Mul(u1, sv)))
	flag := map[bool]byte{true: 1}
	key, sig := join([]byte{2 | flag[qOdd]}, qx), join(bytes32(r), bytes32(sv), []byte{flag[rOdd]})
	switch s.next() % 8 {
	case 0:
		copy(sig[32:], bytes32(new(big.Int).Sub(curve.Order, sv)))
		sig[64] ^= 1
	case 1:
		sig[64] = byte(s.next() % 6)
	case 2:
		key[0] = byte(s.next() % 8)
	}
	s.spoil(key[1:], hash, sig[:32], sig[32:64])
	return judgeECDSA(row{what: "fuzz", key: key, msg: hash, sig: sig[:64]}),
		judgeRecover(sign65{hash: hash, sig: sig})
}

// goodRows returns n valid rows of each kind.
func goodRows(n int) (s, e []row, rec []sign65) {
	for i := range n {
		good := &source{[]byte{6, 0, byte(i), 6, 0, byte(i + 100), byte(i), 0}}
		s = append(s, good.schnorr())
		good = &source{[]byte{6, 0, byte(i), 6, 0, byte(i + 100), 6, 0, byte(i + 50), 7, 0}}
		row, r := good.ecdsa()
		e, rec = append(e, row), append(rec, r)
	}
	return s, e, rec
}

// checkFuzzed compares the results of all functions of the package on the rows with those of the
// functions for one signature.
func checkFuzzed(t *testing.T, s, e []row, rec []sign65, low bool, o *batch.Options) {
	ctx, n := context.Background(), len(s)
	if n == 0 {
		return // TestNoRows checks this case
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	want := func(rows []row) (v []batch.Verdict) {
		for _, row := range rows {
			if low {
				v = append(v, row.low)
			} else {
				v = append(v, row.want)
			}
		}
		return v
	}
	same := func(what string, rows []row, want, got []batch.Verdict) {
		t.Helper()
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, row %d of %d: %v, want %v\nkey %x\nmessage %x\nsignature %x", what, i, n,
					got[i],
					want[i], rows[i].key, rows[i].msg, rows[i].sig)
			}
		}
	}
	allGood := func(v []batch.Verdict) bool {
		return !slices.ContainsFunc(v, func(v batch.Verdict) bool { return v != batch.Valid })
	}
	noError := func(_ int, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	verdicts := want(s)
	got := dirty(n)
	noError(batch.SchnorrRows{Messages: column(r, s, msg), Keys: batch.EncodedKeys(column(r, s, key)),
		Signatures: column(r, s, sig)}.Verify(ctx, got, o))
	same("SchnorrRows", s, verdicts, got)
	all := func(what string, want []batch.Verdict, got bool, err error) {
		t.Helper()
		if got != allGood(want) || err != nil {
			t.Errorf("%s of %d rows: %v, %v", what, n, got, err)
		}
	}
	good, err := batch.SchnorrRows{
		Messages:   column(r, s, msg),
		Keys:       batch.EncodedKeys(column(r, s, key)),
		Signatures: column(r, s, sig),
	}.VerifyAll(ctx, n, o)
	all("SchnorrRows.VerifyAll", verdicts, good, err)
	acc := batch.NewSchnorr(n, o)
	for i := range s {
		if k, err := koblitz.ParseXOnlyPublicKey(s[i].key); err == nil && i%3 == 0 {
			acc.Add(k, s[i].msg, s[i].sig)
		} else {
			acc.AddBytes(s[i].key, s[i].msg, s[i].sig)
		}
	}
	same("Schnorr", s, verdicts, verify(acc, nil))
	if verifyAll(acc) != allGood(verdicts) {
		t.Errorf("Schnorr.VerifyAll of %d rows is %v", n, !allGood(verdicts))
	}

	verdicts = want(e)
	got = dirty(n)
	noError(batch.ECDSARows{Hashes: column(r, e, msg), Keys: batch.EncodedKeys(column(r, e, key)),
		Signatures: column(r, e, sig), S: rule(low)}.Verify(ctx, got, o))
	same("ECDSARows", e, verdicts, got)
	wide, wants := wideKeys(e, verdicts)
	for _, withIDs := range []bool{false, true} {
		rows := batch.ECDSARows{Hashes: column(r, e, msg), Signatures: column(r, e, sig), S: rule(low),
			Keys: batch.EncodedKeys(spread(r, r.IntN(3), wide))}
		want := slices.Clone(wants)
		if withIDs {
			list := make([]byte, n)
			for i := range list {
				if list[i] = rec[i].sig[64]; list[i] > 3 {
					want[i] = batch.Malformed
				}
			}
			rows.RecoveryIDs = batch.Packed(list, 1)
		}
		got = dirty(n)
		noError(rows.Verify(ctx, got, o))
		same("ECDSARows, keys of 65 bytes", e, want, got)
		good, err := rows.VerifyAll(ctx, n, o)
		all("ECDSARows.VerifyAll, keys of 65 bytes", want, good, err)
	}
	plain, ids := batch.NewECDSA(n, rule(low), o), batch.NewECDSA(n, rule(low), o)
	withIDs := slices.Clone(verdicts)
	for i := range e {
		k, err := koblitz.ParsePublicKey(e[i].key)
		if err == nil && i%3 == 0 {
			parsed, _ := ecdsa.ParseSignature(e[i].sig)
			plain.Add(k, e[i].msg, parsed)
			ids.AddRecoverable(k, e[i].msg, rec[i].sig)
		} else {
			plain.AddBytes(e[i].key, e[i].msg, e[i].sig)
			ids.AddRecoverableBytes(e[i].key, e[i].msg, rec[i].sig)
		}
		if rec[i].sig[64] > 3 {
			withIDs[i] = batch.Malformed
		}
	}
	same("ECDSA", e, verdicts, verify(plain, nil))
	same("ECDSA with recovery ids", e, withIDs, verify(ids, nil))
	if verifyAll(plain) != allGood(verdicts) || verifyAll(ids) != allGood(withIDs) {
		t.Errorf("ECDSA.VerifyAll of %d rows: %v, with ids %v", n, verifyAll(plain), verifyAll(ids))
	}

	inExact := o
	if o.Exact { // with Exact, calls that verify no signatures return an error
		o = &batch.Options{Workers: o.Workers, Device: o.Device}
	}
	hashes, sigs := make([][]byte, n), make([][]byte, n)
	for i := range rec {
		hashes[i], sigs[i] = rec[i].hash, rec[i].sig
	}
	for _, how := range recoveries() {
		got, dst := dirty(n), make([]byte, how.size*n)
		noError(how.call(batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 3, sigs),
			S: rule(low)}, ctx, dst, got, o))
		compareFound(t, how, rec, low, got, dst)
	}
	got, dst := dirty(n), make([]byte, 65*n)
	noError(batch.KeyRows{Keys: column(r, e, key)}.Decompress(ctx, dst, got,
		o))
	for i := range e {
		want, key := batch.Malformed, make([]byte, 65)
		if k, err := koblitz.ParsePublicKey(e[i].key); err == nil {
			want, key = batch.Valid, k.UncompressedBytes()
		}
		if got[i] != want || !bytes.Equal(dst[65*i:65*i+65], key) {
			t.Errorf("KeyRows, row %d of %d: %v, want %v\nkey %x", i, n, got[i], want, e[i].key)
		}
	}

	got = dirty(n)
	scalars := batch.ScalarRows{Scalars: column(r, e, msg)}
	noError(scalars.PublicKeysVartime(ctx, dst, got, o))
	for i := range e {
		want, key := batch.Malformed, make([]byte, 65)
		if k, err := koblitz.ParsePrivateKey(e[i].msg); err == nil {
			want, key = batch.Valid, k.PublicKey().UncompressedBytes()
		}
		if got[i] != want || !bytes.Equal(dst[65*i:65*i+65], key) {
			t.Errorf("ScalarRows, row %d of %d: %v, want %v\nscalar %x", i, n, got[i], want, e[i].msg)
		}
	}

	o = inExact
	if kept, set, indices := prepareAll(r, e, tableSizes, koblitz.ParsePublicKey); len(kept) > 0 {
		got = dirty(len(kept))
		noError(batch.ECDSARows{Hashes: column(r, kept, msg), Signatures: column(r, kept, sig),
			Keys: batch.PreparedKeys(set, indices), S: rule(low)}.Verify(ctx, got, o))
		same("ECDSARows, prepared", kept, want(kept), got)
	}
	even := func(b []byte) (*koblitz.PublicKey, error) {
		return koblitz.ParsePublicKey(append([]byte{2}, b...))
	}
	if kept, set, indices := prepareAll(r, s, tableSizes[3:], even); len(kept) > 0 {
		got = dirty(len(kept))
		noError(batch.SchnorrRows{Messages: column(r, kept, msg),
			Signatures: column(r, kept, sig), Keys: batch.PreparedKeys(set, indices)}.Verify(ctx, got,
			o))
		same("SchnorrRows, prepared", kept, want(kept), got)
	}
}

// wideKeys returns the keys of rows in 65 bytes, and the expected verdicts under those keys. Every
// fifth key is moved off the curve, with the same x and the same parity of y: code that compresses
// such a key without a check would get the valid key. Keys that cannot be parsed stay malformed.
func wideKeys(rows []row, verdicts []batch.Verdict) (keys [][]byte, want []batch.Verdict) {
	want = slices.Clone(verdicts)
	for i, row := range rows {
		key := join(row.key, make([]byte, 32)) // no point has y = 0
		if k, err := koblitz.ParsePublicKey(row.key); err == nil {
			key = k.UncompressedBytes()
		}
		if i%5 == 4 {
			key[64] ^= 2
			want[i] = batch.Malformed
		}
		keys = append(keys, key)
	}
	return keys, want
}

// refusing returns a device that works like d, but refuses keys of 65 bytes, and every fourth call.
func refusing(d *enginetest.Fake) *enginetest.Fake {
	var asked atomic.Int64
	d.Accept = func(k device.Kind, r device.Rules, rows int) bool {
		return asked.Add(1)%4 != 0 && r&device.Uncompressed == 0
	}
	return d
}

// TestInterleaved checks that calls of all kinds, made one after another so that each reuses the
// memory of others, give the verdicts of the functions for one signature. Each call has from 0 to
// 70 rows, valid and bad ones mixed at random.
func TestInterleaved(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	goodS, goodE, goodRec := goodRows(71)
	badS, badE := schnorrRows(), ecdsaRows()
	ids := recoveryIDs(badE)
	fs := faults(r)
	delete(fs, "calls all rows good") // the sample finds this fault only by chance
	names := slices.Sorted(maps.Keys(fs))
	each(t, func(t *testing.T) {
		for n := range 71 {
			if !cputest.Deep() && n > 10 && r.IntN(5) > 0 {
				continue
			}
			s, e, rec := slices.Clone(goodS[:n]), slices.Clone(goodE[:n]), slices.Clone(goodRec[:n])
			for range r.IntN(3) * r.IntN(n+1) { // a third of the calls have no bad rows
				s[r.IntN(n)] = badS[r.IntN(len(badS))]
				i, k := r.IntN(n), r.IntN(len(badE))
				id := ids[k]
				if r.IntN(4) == 0 {
					id = byte(r.IntN(5))
				}
				e[i] = badE[k]
				rec[i] = judgeRecover(sign65{hash: e[i].msg, sig: join(e[i].sig, []byte{id})})
			}
			o := &batch.Options{Workers: 1 + r.IntN(3), Exact: r.IntN(3) == 0}
			engine := faulty(fs[names[r.IntN(len(names))]])
			switch r.IntN(3) {
			case 0:
				o.Device = engine.Device()
			case 1:
				o.Device = refusing(engine).Device()
			}
			checkFuzzed(t, s, e, rec, r.IntN(2) == 0, o)
		}
	})
}

// fuzzBatch decodes data: first the options of a call, then rows, some of them repeated. If the
// data ask for a batch large enough for an equation, fuzzBatch inserts the decoded rows among the
// valid rows s, e and rec.
func fuzzBatch(t *testing.T, data []byte, s, e []row, rec []sign65) {
	src := &source{data}
	how, workers, total := src.next(), src.next(), 0
	if how&1 != 0 {
		total = len(s) - src.next()%32
	}
	level := []cpu.Feature{^cpu.Feature(0), ^cpu.Feature(0), ^cpu.Feature(0) &^ cpu.AVX512IFMA,
		0}[how>>1%4]
	defer cpu.Restrict(level)()
	s, e, rec = slices.Clone(s[:total]), slices.Clone(e[:total]), slices.Clone(rec[:total])
	for n := 0; len(src.data) > 0 && n < 40; n++ {
		at, times := 0, 1
		if len(s) > 0 {
			at = src.next() % len(s)
		}
		if src.next()%16 == 0 {
			times = 1 + src.next()%64
		}
		a := src.schnorr()
		b, c := src.ecdsa()
		s = slices.Insert(s, at, slices.Repeat([]row{a}, times)...)
		e = slices.Insert(e, at, slices.Repeat([]row{b}, times)...)
		rec = slices.Insert(rec, at, slices.Repeat([]sign65{c}, times)...)
	}
	o := &batch.Options{Workers: workers % 5, Exact: how&16 != 0}
	engine := faulty(faults(rand.New(rand.NewPCG(1, 1)))["leaves rows"])
	switch how >> 5 % 4 {
	case 1:
		o.Device = engine.Device()
	case 2:
		o.Device = refusing(engine).Device()
	}
	checkFuzzed(t, s, e, rec, how&8 != 0, o)
}

// FuzzBatch checks that calls for many rows give every row the same verdict as the functions that
// verify one signature.
func FuzzBatch(f *testing.F) {
	s, e, rec := goodRows(200)
	for i := range s {
		if s[i].want != batch.Valid || e[i].want != batch.Valid || rec[i].want != batch.Valid {
			f.Fatalf("row %d is not good: %v %v %v", i, s[i].want, e[i].want, rec[i].want)
		}
	}
	r := rand.New(rand.NewPCG(12, 12))
	for i := range 24 {
		f.Add(append([]byte{byte(i), byte(i / 5)}, random(r, 12*i)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzBatch(t, data, s, e, rec) })
}
