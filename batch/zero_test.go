package batch_test

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// This file tests what is special to some kinds of calls: zero values, copies, prepared keys that
// are missing, and signatures with fresh randomness.

// TestZeroKeys checks that keys that are nil or zero values verify nothing: not even signatures
// that would be valid if such a key were the point at infinity, and zero signatures.
func TestZeroKeys(t *testing.T) {
	var reasons []batch.Reason
	o := &batch.Options{Reasons: &reasons}
	missing := func(b adder) {
		t.Helper()
		verdicts := verify(b, nil)
		for i := range verdicts {
			if verdicts[i] != batch.Malformed || reasons[i] != batch.KeyMissing {
				t.Errorf("%T: row %d: %v, %v", b, i, verdicts[i], reasons[i])
			}
		}
		if len(verdicts) == 0 || verifyAll(b) {
			t.Errorf("%T: %d rows are valid", b, len(verdicts))
		}
	}
	for _, n := range []byte{1, 7, 40} {
		s, e := batch.NewSchnorr(0, o), batch.NewECDSA(0, batch.AnyS, o)
		q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
		for i := range n {
			key, x := []*koblitz.PublicKey{nil, {}}[i%2], []*koblitz.XOnlyPublicKey{nil, {}}[i%2]
			row := forging(i, zeroKey).schnorr(32)
			s.Add(x, row[0], row[2])
			if ok, err := q.VerifySchnorr(context.Background(), x, row[0], row[2]); ok || err != nil {
				t.Errorf("VerifySchnorr: %v, %v", ok, err)
			}
			hash, _, sig := forging(i, zeroKey).ecdsa()
			parsed := reference.Must(ecdsa.ParseSignature(sig[:64]))
			e.Add(key, hash, parsed)
			e.Add(key, hash[:5], nil)
			e.AddRecoverable(key, hash, sig)
			if ok, err := q.VerifyECDSA(context.Background(), key, hash, parsed); ok || err != nil {
				t.Errorf("VerifyECDSA: %v, %v", ok, err)
			}
		}
		missing(s)
		missing(e)
	}
	e := batch.NewECDSA(0, batch.AnyS, o)
	e.Add(koblitz.GenerateKey().PublicKey(), nil, nil)
	if verify(e, nil)[0] != batch.Malformed || reasons[0] != batch.RRange {
		t.Errorf("no signature: %v", reasons)
	}
}

// TestPreparedKeys checks calls with prepared keys. A wrong number of indices is an error, and a
// set may be empty. A device that refuses the call when it is first asked must get no rows later,
// because the call was then set up without the indices that a device needs.
func TestPreparedKeys(t *testing.T) {
	b := make([]byte, 640)
	hashes, sigs := batch.Packed(b[:320], 32), batch.Packed(b, 64)
	for want, indices := range map[string][]uint32{
		"batch: Keys: prepared keys without indices": nil,
		"batch: Keys: 0 indices, want 10":            {},
		"batch: Keys: 11 indices, want 10":           {10: 300},
		"":                                           {9: 1},
	} {
		for _, d := range []*device.Device{nil, (&enginetest.Fake{}).Device()} {
			verdicts, keys := dirty(10), batch.PreparedKeys(nil, indices)
			for _, rows := range []verifier{
				batch.SchnorrRows{Messages: hashes, Keys: keys, Signatures: sigs},
				batch.ECDSARows{Hashes: hashes, Keys: keys, Signatures: sigs, S: batch.LowS},
			} {
				_, err := rows.Verify(context.Background(), verdicts, &batch.Options{Device: d})
				malformed := slices.Repeat([]batch.Verdict{batch.Malformed}, 10)
				if want == "" && (err != nil || !slices.Equal(verdicts, malformed)) {
					t.Errorf("no keys: %v, %v", verdicts, err)
				}
				if want != "" && (err == nil || err.Error() != want || verdicts[0] != 0x77) {
					t.Errorf("%d indices: %v, want %s", len(indices), err, want)
				}
			}
		}
	}
	asked := 0
	late := &enginetest.Fake{Accept: func(device.Kind, device.Rules, int) bool {
		asked++
		return asked > 1
	}}
	_, err := batch.SchnorrRows{Messages: hashes, Signatures: sigs,
		Keys: batch.PreparedKeys(nil, make([]uint32, 10))}.Verify(
		context.Background(), dirty(10), &batch.Options{Device: late.Device()})
	if err != nil || len(late.Calls()) > 0 {
		t.Errorf("a device that refused at first has got %d calls, %v", len(late.Calls()), err)
	}
	_, err = batch.ECDSARows{Hashes: hashes, Signatures: sigs, RecoveryIDs: batch.Same(b[:1]),
		Keys: batch.PreparedKeys(nil, make([]uint32, 10)), S: batch.AnyS}.VerifyAll(
		context.Background(), 10, nil)
	if err == nil || err.Error() != "batch: RecoveryIDs: not allowed with prepared keys" {
		t.Error(err)
	}
}

// TestNoRule checks that nothing is verified without a rule for s.
func TestNoRule(t *testing.T) {
	ctx, k := context.Background(), koblitz.GenerateKey()
	hash := make([]byte, 32)
	sig := reference.Must(ecdsa.SignRecoverable(k, hash, nil))
	queue := new(batch.Queue)
	for _, rule := range []batch.SRule{0, 3} {
		verdicts := dirty(1)
		rows := batch.ECDSARows{Hashes: batch.Same(hash), Signatures: batch.Same(sig[:64]),
			Keys: batch.EncodedKeys(batch.Same(k.PublicKey().Bytes())), S: rule}
		_, err := rows.Verify(ctx, verdicts, nil)
		all, err2 := rows.VerifyAll(ctx, 1, nil)
		_, err3 := batch.RecoverRows{Hashes: batch.Same(hash), Signatures: batch.Same(sig),
			S: rule}.Recover(ctx, make([]byte, 65), verdicts, nil)
		e := batch.NewECDSA(1, rule, nil)
		e.AddBytes(k.PublicKey().Bytes(), hash, sig[:64])
		e.AddRecoverableBytes(k.PublicKey().Bytes(), hash, sig)
		allAdded, err4 := e.VerifyAll(ctx)
		valid, err5 := e.Verify(ctx, verdicts)
		asked, err6 := queue.VerifyECDSABytes(ctx, k.PublicKey().Bytes(), hash, sig[:64])
		for _, err := range []error{err, err2, err3, err4, err5, err6} {
			if err == nil || !strings.Contains(err.Error(), "rule for s") {
				t.Errorf("rule %d: %v", rule, err)
			}
		}
		if all || allAdded || asked || valid != 0 || e.Len() != 0 || verdicts[0] != 0x77 {
			t.Errorf("rule %d: %v, %v, %v, %v", rule, all, allAdded, asked, verdicts)
		}
		queue = batch.NewQueue(&batch.QueueOptions{S: 3})
	}
}

// TestZeroAccumulators checks that a zero Schnorr and a zero Queue work, and that a nil accumulator
// keeps no rows and never reports that all rows are valid.
func TestZeroAccumulators(t *testing.T) {
	ctx, r := context.Background(), rand.New(rand.NewPCG(33, 33))
	var s, none *batch.Schnorr = new(batch.Schnorr), nil
	var noECDSA *batch.ECDSA
	q := new(batch.Queue)
	k, k2 := kindNamed("Schnorr"), kindNamed("ECDSA, rule 2")
	for _, n := range []int{1, 5, 40, 200} {
		for _, selection := range []int{anyRows, validOnly} {
			s.Reset()
			var want []batch.Verdict
			all := true
			for i, row := range k.pick(r, selection, n) {
				msg, key, sig := row.values[0], row.values[1], row.values[2]
				want = append(want, row.verdict)
				all = all && row.verdict == batch.Valid
				s.AddBytes(key, msg, sig)
				none.AddBytes(key, msg, sig)
				if ok, err := q.VerifySchnorrBytes(ctx, key, msg, sig); err != nil ||
					ok != (row.verdict == batch.Valid) {
					t.Errorf("zero queue, row %d: %v, %v", i, ok, err)
				}
			}
			if got := verify(s, nil); !slices.Equal(got, want) || verifyAll(s) != all {
				t.Errorf("zero value: %v, want %v", got, want)
			}
		}
	}
	for _, row := range k2.good() {
		hash, key, sig := row.values[0], row.values[1], row.values[2]
		noECDSA.AddBytes(key, hash, sig[:64])
		noECDSA.AddRecoverableBytes(key, hash, sig)
	}
	for _, b := range []adder{none, noECDSA} {
		b.Reset()
		all, err := b.VerifyAll(ctx)
		valid, err2 := b.Verify(ctx, dirty(3))
		if b.Len() != 0 || all || err == nil || valid != 0 || err2 == nil {
			t.Errorf("%T: %d rows, %v, %v, %d, %v", b, b.Len(), all, err, valid, err2)
		}
	}
	q.Close()
	if _, err := q.VerifySchnorrBytes(ctx, nil, nil, nil); !errors.Is(err, batch.ErrClosed) {
		t.Error(err)
	}
}

// TestCopies checks that every method of a copied accumulator panics if the original was used
// before. A copy would share rows with the original, which could overwrite an invalid row of the
// copy by a valid one. An unused accumulator may be copied, because it has no rows to share.
func TestCopies(t *testing.T) {
	k, row := koblitz.GenerateKey(), make([]byte, 32)
	ssig := reference.Must(schnorr.Sign(k, row, nil))
	sig := reference.Must(ecdsa.SignRecoverable(k, row, nil))
	used, e := batch.NewSchnorr(4, nil), batch.NewECDSA(4, batch.AnyS, nil)
	zero, unused := new(batch.Schnorr), new(batch.Schnorr)
	reflect.ValueOf(unused).Elem().Set(reflect.ValueOf(zero).Elem())
	unused.AddBytes(k.XOnlyPublicKey().Bytes(), row, ssig)
	used.AddBytes(k.XOnlyPublicKey().Bytes(), row, ssig)
	zero.AddBytes(k.XOnlyPublicKey().Bytes(), row, ssig)
	e.AddRecoverable(k.PublicKey(), row, sig)
	for _, b := range []adder{used, zero, unused, e} {
		copied := reflect.New(reflect.TypeOf(b).Elem())
		copied.Elem().Set(reflect.ValueOf(b).Elem())
		for i := range copied.NumMethod() {
			method, name := copied.Method(i), copied.Type().Method(i).Name
			var in []reflect.Value
			for i := range method.Type().NumIn() {
				in = append(in, reflect.Zero(method.Type().In(i)))
			}
			func() {
				defer func() {
					if r := recover(); r != "batch: use of a copied accumulator" {
						t.Errorf("%T.%s of a copy: %v", b, name, r)
					}
				}()
				method.Call(in)
			}()
		}
		if !verifyAll(b) || b.Len() != 1 {
			t.Errorf("%T: the original has changed", b)
		}
	}
}

// TestCopiedQueueConcurrently checks that a copy of a used queue shares the original's waitlists.
func TestCopiedQueueConcurrently(t *testing.T) {
	q, copied := batch.NewQueue(nil), new(batch.Queue)
	reflect.ValueOf(copied).Elem().Set(reflect.ValueOf(q).Elem())
	var wg sync.WaitGroup
	for i, row := range kindNamed("Schnorr").all() {
		wg.Go(func() {
			q := []*batch.Queue{q, copied}[i%2]
			ok, err := q.VerifySchnorrBytes(context.Background(), row.values[1], row.values[0],
				row.values[2])
			if ok != (row.verdict == batch.Valid) || err != nil {
				t.Errorf("row %d: %v, %v", i, ok, err)
			}
		})
	}
	wg.Wait()
	q.Close()
	_, err := copied.VerifySchnorrBytes(context.Background(), nil, nil, nil)
	if !errors.Is(err, batch.ErrClosed) {
		t.Error(err)
	}
}

// TestFreshAux checks that signatures without a column Aux are valid and that no two calls give the
// same.
func TestFreshAux(t *testing.T) {
	verifying, signing := kindNamed("SchnorrRows"), kindNamed("SchnorrSignRows")
	for _, n := range []int{1, 7, 300} {
		g := signing.give(rand.New(rand.NewPCG(354, 354)), packed, signing.pick(
			rand.New(rand.NewPCG(355, 355)), anyRows, n))
		var earlier []byte
		for _, unchecked := range []bool{false, true} {
			sigs, verdicts := make([]byte, 64*n), dirty(n)
			if _, err := (batch.SchnorrSignRows{Secrets: g.columns[0], Messages: g.columns[1]}).Sign(
				context.Background(), sigs, verdicts,
				&batch.SecretOptions{Unchecked: unchecked}); err != nil {
				t.Fatal(err)
			}
			for i, row := range g.rows {
				sig := sigs[64*i:][:64]
				d, err := koblitz.ParsePrivateKey(row.values[0])
				if err != nil {
					if verdicts[i] != batch.Malformed || !bytes.Equal(sig, make([]byte, 64)) {
						t.Errorf("row %d: %v, %x", i, verdicts[i], sig)
					}
					continue
				}
				judged := verifying.judge([][]byte{row.values[1], d.XOnlyPublicKey().Bytes(), sig})
				if verdicts[i] != batch.Valid || judged.verdict != batch.Valid {
					t.Errorf("%d rows: row %d: %v, %x", n, i, verdicts[i], sig)
				}
				if earlier != nil && bytes.Equal(sig, earlier[64*i:][:64]) {
					t.Errorf("%d rows: row %d: the same signature twice: %x", n, i, sig)
				}
			}
			earlier = sigs
		}
	}
}

func TestReasonString(t *testing.T) {
	seen := map[string]bool{}
	for r := range batch.WrongOutput + 1 {
		s := r.String()
		if s == "" || strings.Contains(s, "Reason(") || seen[s] {
			t.Errorf("reason %d: %q", r, s)
		}
		seen[s] = true
	}
	if s := (batch.WrongOutput + 1).String(); s != "batch.Reason(17)" {
		t.Error(s)
	}
}

// A readerFunc is an io.Reader.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestRandomnessFirst checks that signing reads the secrets after it has drawn random bytes. A
// reader of these bytes can need more stack than signing wipes; secrets on the stack would stay in
// memory.
func TestRandomnessFirst(t *testing.T) {
	source := crand.Reader
	defer func() { crand.Reader = source }()
	k, msg := koblitz.GenerateKey(), make([]byte, 32)
	secrets, sig := bytes.Repeat([]byte{1}, 32), make([]byte, 64)
	crand.Reader = readerFunc(func(b []byte) (int, error) {
		copy(secrets, k.Bytes())
		return source.Read(b)
	})
	rows := batch.SchnorrSignRows{Secrets: batch.Same(secrets), Messages: batch.Same(msg)}
	_, err := rows.Sign(context.Background(), sig, make([]batch.Verdict, 1), nil)
	if err != nil || !schnorr.Verify(k.XOnlyPublicKey(), msg, sig) {
		t.Errorf("%x, %v: the secret was read before the random bytes", sig, err)
	}
}
