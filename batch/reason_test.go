package batch_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// whyKey returns what is wrong with an encoded key: at first sight, and after finding its point.
func whyKey(key []byte) (early, late batch.Reason) {
	x := key
	switch len(key) {
	case 33, 65:
		if key[0]&^1 != 2 && len(key) == 33 || key[0] != 4 && len(key) == 65 {
			return batch.KeyEncoding, 0
		}
		x = key[1:33]
	case 32:
	default:
		return batch.KeyEncoding, 0
	}
	X := new(big.Int).SetBytes(x)
	if X.Cmp(reference.P()) >= 0 {
		return batch.KeyRange, 0
	}
	p, ok := curve.LiftX(X, false)
	if len(key) < 65 {
		if !ok {
			late = batch.KeyNotOnCurve
		}
		return 0, late
	}
	Y := new(big.Int).SetBytes(key[33:])
	switch {
	case Y.Cmp(reference.P()) >= 0:
		return batch.KeyRange, 0
	case !ok || Y.Cmp(p.Y) != 0 && Y.Cmp(curve.Neg(p).Y) != 0:
		return batch.KeyNotOnCurve, 0
	}
	return 0, 0
}

// whyNumbers returns what is wrong with the halves of a signature, which must be in [least, r) and
// [least, n).
func whyNumbers(sig []byte, least int64, r *big.Int) batch.Reason {
	within := func(b []byte, limit *big.Int) bool {
		x := new(big.Int).SetBytes(b)
		return x.Cmp(num(least)) >= 0 && x.Cmp(limit) < 0
	}
	switch {
	case !within(sig[:32], r):
		return batch.RRange
	case !within(sig[32:64], curve.Order):
		return batch.SRange
	}
	return 0
}

// first returns the first of the reasons that is one, or WrongSignature if the row is not valid
// without any.
func first(v batch.Verdict, reasons ...batch.Reason) batch.Reason {
	for _, r := range reasons {
		if r != batch.NoReason {
			return r
		}
	}
	if v == batch.Valid {
		return batch.NoReason
	}
	return batch.WrongSignature
}

func whySchnorr(r row) batch.Reason {
	early, late := whyKey(r.key)
	return first(r.want, early, whyNumbers(r.sig, 0, reference.P()), late)
}

// whyECDSA returns the reason of an ECDSA row. id is its recovery id, or 0.
func whyECDSA(r row, lowS bool, id byte) batch.Reason {
	early, late := whyKey(r.key)
	var recovery, high batch.Reason
	if id > 3 {
		recovery = batch.RecoveryIDRange
	}
	want := r.want
	if isHigh := new(big.Int).SetBytes(r.sig[32:]).Cmp(new(big.Int).Rsh(curve.Order, 1)) > 0; lowS {
		if want = r.low; isHigh {
			high = batch.HighS
		}
	}
	return first(want, early, whyNumbers(r.sig, 1, curve.Order), recovery, late, high)
}

func whyRecover(r sign65, lowS bool) batch.Reason {
	const high = batch.HighS
	x, id := new(big.Int).SetBytes(r.sig[:32]), r.sig[64]
	why := whyECDSA(row{key: compress(curve.G), sig: r.sig[:64]}, lowS, id)
	switch {
	case r.want == batch.Valid && why != high:
		return batch.NoReason
	case why != batch.WrongSignature:
		return why
	}
	if id&2 != 0 {
		x.Add(x, curve.Order)
	}
	if _, ok := curve.LiftX(x, false); x.Cmp(reference.P()) >= 0 || !ok {
		return batch.NoncePoint
	}
	return batch.Infinity
}

// explained returns a copy of o that asks for reasons, and the slice that calls set. All calls with
// these options use the memory of that slice.
func explained(o batch.Options) (*batch.Options, *[]batch.Reason) {
	reasons := slices.Repeat([]batch.Reason{77}, 3)
	o.Reasons = &reasons
	return &o, &reasons
}

// sameReasons compares the reason of each row i with want(i), and checks that it is a reason for
// the row's verdict.
func sameReasons(t *testing.T, what string, got []batch.Reason, verdicts []batch.Verdict,
	want func(i int) batch.Reason) {
	t.Helper()
	if len(got) != len(verdicts) {
		t.Fatalf("%s: %d reasons, %d verdicts", what, len(got), len(verdicts))
	}
	for i, why := range got {
		v := batch.Valid
		switch {
		case why >= batch.HighS:
			v = batch.Invalid
		case why != batch.NoReason:
			v = batch.Malformed
		}
		if why != want(i) || v != verdicts[i] {
			t.Fatalf("%s: row %d of %d is %v: %v, want %v", what, i, len(got), verdicts[i], why, want(i))
		}
	}
}

// reasonSizes returns the numbers of rows of the calls.
func reasonSizes() []int {
	if !cputest.Deep() {
		return []int{9, 200}
	}
	return []int{1, 2, 8, 9, 17, 65, 129, 200, 700}
}

// mixed returns n rows, more than half of them valid: of 200 rows a device leaves some unaudited.
func mixed(r *rand.Rand, rows []row, n int) []row {
	good := slices.DeleteFunc(slices.Clone(rows), func(x row) bool { return !isValid(x) })
	list := append(pick(r, rows, n/2), pick(r, good, n-n/2)...)
	shuffle(r, list)
	return list
}

// reasonOptions returns ways to carry out a call, with and without equations and devices that fail.
func reasonOptions(r *rand.Rand) (list []batch.Options) {
	list = []batch.Options{{Workers: 1}, {Exact: true, Workers: 3},
		{Device: faulty(nil).Device()}, {}}
	for _, fault := range faults(r) {
		list = append(list, batch.Options{Device: faulty(fault).Device()})
	}
	return list
}

// TestReasons compares the reasons that calls give for signatures of all kinds with the reasons
// that this file computes with math/big. The calls use equations or not, and devices that fail.
func TestReasons(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 51))
		options := reasonOptions(r)
		for i, n := range reasonSizes() {
			for _, options := range append(slices.Clone(options[:3]), options[3+i%(len(options)-3)]) {
				o, reasons := explained(options)
				verdicts, lowS := dirty(n), r.IntN(2) == 0
				try := func(what string, err error, want func(i int) batch.Reason) {
					t.Helper()
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					sameReasons(t, what, *reasons, verdicts, want)
				}

				rows := mixed(r, schnorrRows(), n)
				_, err := batch.SchnorrRows{Messages: column(r, rows, msg),
					Keys:       batch.EncodedKeys(column(r, rows, key)),
					Signatures: column(r, rows, sig)}.Verify(ctx, verdicts, o)
				try("Schnorr", err, func(i int) batch.Reason { return whySchnorr(rows[i]) })
				_, a := schnorrOf(r, rows, o)
				_, err = a.Verify(ctx, verdicts)
				try("accumulated Schnorr", err, func(i int) batch.Reason { return whySchnorr(rows[i]) })

				rows = mixed(r, ecdsaRows(), n)
				cols := batch.ECDSARows{Hashes: column(r, rows, msg), S: rule(lowS),
					Keys: batch.EncodedKeys(column(r, rows, key)), Signatures: column(r, rows, sig)}
				_, err = cols.Verify(ctx, verdicts, o)
				try("ECDSA", err, func(i int) batch.Reason { return whyECDSA(rows[i], lowS, 0) })
				ids := recoveryIDs(rows)
				for i := range ids {
					if i%7 == 3 {
						ids[i] += byte(r.IntN(6))
					}
				}
				cols.RecoveryIDs = batch.Packed(ids, 1)
				withID := func(i int) batch.Reason { return whyECDSA(rows[i], lowS, ids[i]) }
				_, err = cols.Verify(ctx, verdicts, o)
				for i, id := range ids {
					if id > 3 && verdicts[i] != batch.Malformed {
						t.Errorf("id %d: %v", id, verdicts[i])
					}
				}
				try("ECDSA with ids", err, withID)
				e := batch.NewECDSA(n, rule(lowS), o)
				for i, x := range rows {
					e.AddRecoverableBytes(x.key, x.msg, join(x.sig, ids[i:i+1]))
				}
				_, err = e.Verify(ctx, verdicts)
				try("accumulated ECDSA", err, withID)

				if o.Exact {
					continue
				}
				signed := pick(r, recoverRows(), n)
				found := func(field func(sign65) []byte) (list [][]byte) {
					for _, x := range signed {
						list = append(list, field(x))
					}
					return list
				}
				for _, c := range recoveries() {
					_, err = c.call(batch.RecoverRows{S: rule(lowS),
						Hashes:     spread(r, 3, found(func(x sign65) []byte { return x.hash })),
						Signatures: spread(r, 0, found(func(x sign65) []byte { return x.sig }))},
						ctx, make([]byte, c.size*n), verdicts, o)
					try("recovery", err, func(i int) batch.Reason { return whyRecover(signed[i], lowS) })
				}
			}
		}
	})
}

// TestTweakReasons does the same for rows of tweaks, compressed keys and scalars.
func TestTweakReasons(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(52, 52))
	rows := slices.Clone(tweakRows())
	for i := range rows {
		if i%2 == 0 {
			rows[i] = judgeTweak(spoilTweak(r, rows[i]))
		}
	}
	each(t, func(t *testing.T) {
		for _, n := range reasonSizes() {
			rows := pick(r, rows, n)
			o, reasons := explained(batch.Options{Workers: 1 + r.IntN(3)})
			adds, checks := tweakColumns(r, rows)
			verdicts := dirty(n)
			tweak := func(i int) batch.Reason {
				if new(big.Int).SetBytes(rows[i].tweak).Cmp(curve.Order) >= 0 {
					return batch.ScalarRange
				}
				return batch.NoReason
			}
			instead := func(why, of batch.Reason) batch.Reason {
				if why == batch.WrongSignature {
					return of
				}
				return why
			}
			for form, add := range adds {
				if _, err := add.AddVartime(ctx, make([]byte, 65*n), verdicts, o); err != nil {
					t.Fatal(err)
				}
				sameReasons(t, "sums", *reasons, verdicts, func(i int) batch.Reason {
					early, late := whyKey(rows[i].keys[form])
					return instead(first(rows[i].adds[form], early, tweak(i), late), batch.Infinity)
				})
			}
			if _, err := checks.Verify(ctx, verdicts, o); err != nil {
				t.Fatal(err)
			}
			sameReasons(t, "checks", *reasons, verdicts, func(i int) batch.Reason {
				early, late := whyKey(rows[i].keys[0])
				var output batch.Reason
				if X := new(big.Int).SetBytes(rows[i].output); rows[i].parity > 1 ||
					X.Cmp(reference.P()) >= 0 {
					output = batch.OutputRange
				}
				return instead(first(rows[i].check, early, tweak(i), output, late), batch.WrongOutput)
			})

			if _, err := (batch.KeyRows{Keys: adds[1].Keys}).Decompress(ctx, make([]byte, 65*n), verdicts,
				o); err != nil {
				t.Fatal(err)
			}
			sameReasons(t, "keys", *reasons, verdicts, func(i int) batch.Reason {
				early, late := whyKey(rows[i].keys[1])
				return first(batch.Valid, early, late)
			})
			if _, err := (batch.ScalarRows{Scalars: adds[0].Tweaks}).PublicKeysVartime(ctx,
				make([]byte, 65*n), verdicts, o); err != nil {
				t.Fatal(err)
			}
			sameReasons(t, "scalars", *reasons, verdicts, func(i int) batch.Reason {
				if new(big.Int).SetBytes(rows[i].tweak).Sign() == 0 {
					return batch.ScalarRange
				}
				return tweak(i)
			})
			// The same bad key in every row gets the reason that it gets alone.
			for form := range adds {
				key := rows[0].keys[form]
				adds[form].Keys = batch.Same(key)
				if _, err := adds[form].AddVartime(ctx, make([]byte, 65*n), verdicts, o); err != nil {
					t.Fatal(err)
				}
				if early, late := whyKey(key); first(batch.Valid, early, tweak(0), late) != (*reasons)[0] &&
					verdicts[0] == batch.Malformed {
					t.Errorf("one key for all rows: %v", (*reasons)[0])
				}
			}
		}
	})
}

// TestOddReasons checks the reasons of rows that columns of encoded keys cannot have: parsed keys
// that are missing, and fields with other lengths.
func TestOddReasons(t *testing.T) {
	var reasons []batch.Reason
	good := ecdsaRows()[slices.IndexFunc(ecdsaRows(), func(r row) bool { return r.what == "good" })]
	key, err := koblitz.ParsePublicKey(good.key)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := ecdsa.ParseSignature(good.sig)
	if err != nil {
		t.Fatal(err)
	}
	b := batch.NewECDSA(0, batch.AnyS, &batch.Options{Reasons: &reasons})
	x := batch.NewSchnorr(0, &batch.Options{Reasons: &reasons})
	var want []batch.Reason
	add := func(why batch.Reason, f func()) {
		want = append(want, why)
		f()
	}
	add(batch.NoReason, func() { b.Add(key, good.msg, sig) })
	add(batch.KeyMissing, func() { b.Add(nil, good.msg, sig) })
	add(batch.KeyMissing, func() { b.Add(new(koblitz.PublicKey), good.msg[:5], nil) })
	add(batch.RRange, func() { b.Add(key, good.msg[:5], nil) })
	add(batch.HashLength, func() { b.Add(key, good.msg[:19], sig) })
	add(batch.WrongSignature, func() { b.Add(key, good.msg[:20], sig) })
	add(batch.KeyEncoding, func() { b.AddBytes(nil, nil, nil) })
	add(batch.SignatureLength, func() { b.AddBytes(good.key, nil, good.sig[1:]) })
	add(batch.SignatureLength, func() { b.AddRecoverableBytes(good.key, nil, good.sig) })
	add(batch.RecoveryIDRange, func() { b.AddRecoverable(key, good.msg, join(good.sig, []byte{4})) })
	verdicts := make([]batch.Verdict, len(want))
	if _, err := b.Verify(context.Background(), verdicts); err != nil {
		t.Fatal(err)
	}
	sameReasons(t, "ECDSA", reasons, verdicts, func(i int) batch.Reason { return want[i] })

	want = nil
	add(batch.KeyMissing, func() { x.Add(nil, nil, nil) })
	add(batch.KeyEncoding, func() { x.AddBytes(good.key, nil, good.sig) })
	add(batch.SignatureLength, func() { x.AddBytes(good.key[1:], nil, nil) })
	if _, err := x.Verify(context.Background(), verdicts[:3]); err != nil {
		t.Fatal(err)
	}
	sameReasons(t, "Schnorr", reasons, verdicts[:3], func(i int) batch.Reason { return want[i] })

	set := []*koblitz.PreparedKey{key.Prepare(0), nil, new(koblitz.PreparedKey)}
	for _, o := range []batch.Options{{}, {Device: faulty(nil).Device()}} {
		o.Reasons = &reasons
		_, err := batch.ECDSARows{Hashes: batch.Same(good.msg), Signatures: batch.Same(good.sig),
			Keys: batch.PreparedKeys(set, []uint32{0, 1, 2, 3}), S: batch.AnyS,
		}.Verify(context.Background(), verdicts[:4], &o)
		if err != nil {
			t.Fatal(err)
		}
		want = []batch.Reason{0, batch.KeyMissing, batch.KeyMissing, batch.KeyMissing}
		sameReasons(t, "prepared", reasons, verdicts[:4], func(i int) batch.Reason { return want[i] })
	}
}

// TestReasonsKept checks that calls that give no verdicts leave the slice of reasons as it is, and
// that rows that were not reached have no reason.
func TestReasonsKept(t *testing.T) {
	o, reasons := explained(batch.Options{Workers: 1})
	before := slices.Clone(*reasons)
	rows := schnorrRows()[:100]
	r := rand.New(rand.NewPCG(53, 53))
	cols := batch.SchnorrRows{Messages: column(r, rows, msg),
		Keys: batch.EncodedKeys(column(r, rows, key)), Signatures: column(r, rows, sig)}
	if _, err := cols.Verify(context.Background(), make([]batch.Verdict, 99), o); err == nil ||
		!slices.Equal(*reasons, before) {
		t.Errorf("a call with an error: %v, %v", err, *reasons)
	}
	if _, err := cols.VerifyAll(context.Background(), 100, o); err != nil ||
		!slices.Equal(*reasons, before) {
		t.Errorf("VerifyAll: %v, %v", err, *reasons)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	verdicts := dirty(100)
	if _, err := cols.Verify(ctx, verdicts, o); err == nil || len(*reasons) != 100 {
		t.Errorf("a cancelled call: %v, %d reasons", err, len(*reasons))
	}
	for i, why := range *reasons {
		if why != batch.NoReason && verdicts[i] == batch.Unchecked {
			t.Errorf("row %d was not reached: %v", i, why)
		}
	}
}

// TestQueueReasons checks the verdicts and reasons that queues give, alone and in crowds.
func TestQueueReasons(t *testing.T) {
	rows := slices.Concat(pick(rand.New(rand.NewPCG(54, 54)), schnorrRows(), 150), otherLengths(),
		pick(rand.New(rand.NewPCG(55, 55)), ecdsaRows(), 150))
	shuffle(rand.New(rand.NewPCG(56, 56)), rows)
	for _, lowS := range []bool{false, true} {
		q := batch.NewQueue(&batch.QueueOptions{S: rule(lowS), Workers: 2})
		ask := func(x row) {
			explain, want, why := q.ExplainSchnorr, x.want, batch.NoReason
			if len(x.key) == 32 {
				why = whySchnorr(x)
			} else {
				explain, why = q.ExplainECDSA, whyECDSA(x, lowS, 0)
				if lowS {
					want = x.low
				}
			}
			v, got, err := explain(context.Background(), x.key, x.msg, x.sig)
			if err != nil || v != want || got != why {
				t.Errorf("%s: %v, %v, %v, want %v, %v", x.what, v, got, err, want, why)
			}
		}
		for _, x := range rows[:60] {
			ask(x)
		}
		done := make(chan bool)
		for _, x := range rows {
			go func() {
				ask(x)
				done <- true
			}()
		}
		for range rows {
			<-done
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if v, why, err := q.ExplainSchnorr(ctx, nil, nil, nil); v != 0 || why != 0 || err == nil {
			t.Errorf("cancelled: %v, %v, %v", v, why, err)
		}
		q.Close()
		if v, why, err := q.ExplainECDSA(context.Background(), nil, nil, nil); v != 0 || why != 0 ||
			err != batch.ErrClosed {
			t.Errorf("closed: %v, %v, %v", v, why, err)
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
