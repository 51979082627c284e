package batch_test

import (
	"bytes"
	"context"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// signSizes are numbers of rows: below and above the thresholds for lanes, and of several blocks.
func signSizes() []int {
	sizes := []int{47, 64, 300, 1100}
	for n := range 34 {
		sizes = append(sizes, n)
	}
	return sizes
}

// singleSchnorr returns what SchnorrSignRows must write for a row, and the row's verdict.
func singleSchnorr(secret, msg, aux []byte) ([]byte, batch.Verdict) {
	d, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return make([]byte, 64), batch.Malformed
	}
	sig, err := schnorr.Sign(d, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true})
	if err != nil {
		panic(err)
	}
	return sig, batch.Valid
}

// singleECDSA returns what ECDSASignRows must write for a row, and the row's verdict.
func singleECDSA(secret, hash []byte) ([]byte, batch.Verdict) {
	d, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return make([]byte, 65), batch.Malformed
	}
	sig, err := ecdsa.SignRecoverable(d, hash, &ecdsa.SignOptions{Unchecked: true})
	if err != nil {
		panic(err)
	}
	return sig, batch.Valid
}

// randomRows returns n values of 32 bytes. Some are zero, and some all ones.
func randomRows(r *rand.Rand, n int) []byte {
	b := make([]byte, 32*n)
	r.Read(b)
	for i := range n {
		switch r.Intn(12) {
		case 0:
			clear(b[32*i:][:32])
		case 1:
			copy(b[32*i:][:32], bytes.Repeat([]byte{0xff}, 32))
		}
	}
	return b
}

// A signCall is Sign of SchnorrSignRows or of ECDSASignRows.
type signCall func(
	ctx context.Context, dst []byte, verdicts []batch.Verdict, o *batch.SecretOptions,
) (int, error)

// testSign compares the rows of a call with those of the function single.
func testSign(
	t *testing.T, n, size int, o *batch.SecretOptions, sign signCall,
	single func(i int) ([]byte, batch.Verdict),
) {
	t.Helper()
	dst := bytes.Repeat([]byte{0xaa}, size*n)
	verdicts := make([]batch.Verdict, n)
	valid, err := sign(context.Background(), dst, verdicts, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want, verdict := single(i)
		if verdict == batch.Valid {
			valid--
		}
		if verdicts[i] != verdict || !bytes.Equal(dst[size*i:][:size], want) {
			t.Fatalf("%d rows, %+v: row %d: %v, %x; want %v, %x", n, *o, i, verdicts[i],
				dst[size*i:][:size], verdict, want)
		}
	}
	if valid != 0 {
		t.Fatalf("%d rows: the number of valid rows is wrong by %d", n, valid)
	}
}

// TestSignRows compares every row with single signatures, on all levels.
func TestSignRows(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(353))
		for _, n := range signSizes() {
			secrets, _ := secretColumns(r, n)
			messages, aux := randomRows(r, n), randomRows(r, n)
			at := func(b []byte, i int) []byte { return b[32*i:][:32] }
			o := &batch.SecretOptions{Workers: 1 + n%3, Unchecked: n%2 == 1}

			testSign(t, n, 64, o, batch.SchnorrSignRows{
				Secrets:  batch.Packed(secrets, 32),
				Messages: batch.Packed(messages, 32),
				Aux:      batch.Packed(aux, 32),
			}.Sign, func(i int) ([]byte, batch.Verdict) {
				return singleSchnorr(at(secrets, i), at(messages, i), at(aux, i))
			})
			testSign(t, n, 65, o, batch.ECDSASignRows{
				Secrets: batch.Packed(secrets, 32),
				Hashes:  batch.Packed(messages, 32),
			}.Sign, func(i int) ([]byte, batch.Verdict) {
				return singleECDSA(at(secrets, i), at(messages, i))
			})
			if n == 0 {
				continue
			}

			// One secret, good or malformed, and in the other scheme one message.
			one := at(secrets, n/2)
			testSign(t, n, 64, o, batch.SchnorrSignRows{
				Secrets:  batch.Same(one),
				Messages: batch.Packed(messages, 32),
				Aux:      batch.Same(aux[:32]),
			}.Sign, func(i int) ([]byte, batch.Verdict) {
				return singleSchnorr(one, at(messages, i), aux[:32])
			})
			testSign(t, n, 64, o, batch.SchnorrSignRows{
				Secrets:  batch.Strided(secrets, 32, 32),
				Messages: batch.Same(messages[:32]),
				Aux:      batch.Packed(aux, 32),
			}.Sign, func(i int) ([]byte, batch.Verdict) {
				return singleSchnorr(at(secrets, i), messages[:32], at(aux, i))
			})
			testSign(t, n, 65, o, batch.ECDSASignRows{
				Secrets: batch.Same(one),
				Hashes:  batch.Packed(messages, 32),
			}.Sign, func(i int) ([]byte, batch.Verdict) {
				return singleECDSA(one, at(messages, i))
			})
		}
	})
}

// TestSignRowsFreshAux checks that signatures without a column Aux are valid and that no two calls
// give the same.
func TestSignRowsFreshAux(t *testing.T) {
	r := rand.New(rand.NewSource(354))
	for _, n := range []int{1, 7, 300} {
		secrets, _ := secretColumns(r, n)
		messages := randomRows(r, n)
		rows := batch.SchnorrSignRows{
			Secrets:  batch.Packed(secrets, 32),
			Messages: batch.Packed(messages, 32),
		}
		var earlier []byte
		for _, unchecked := range []bool{false, true} {
			sigs, verdicts := make([]byte, 64*n), make([]batch.Verdict, n)
			o := &batch.SecretOptions{Unchecked: unchecked}
			if _, err := rows.Sign(context.Background(), sigs, verdicts, o); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				d, err := koblitz.ParsePrivateKey(secrets[32*i:][:32])
				sig := sigs[64*i:][:64]
				if err != nil {
					if verdicts[i] != batch.Malformed || !bytes.Equal(sig, make([]byte, 64)) {
						t.Errorf("row %d: %v, %x", i, verdicts[i], sig)
					}
					continue
				}
				if !schnorr.Verify(d.XOnlyPublicKey(), messages[32*i:][:32], sig) {
					t.Errorf("%d rows: row %d: signature %x does not verify", n, i, sig)
				}
				if earlier != nil && bytes.Equal(sig, earlier[64*i:][:64]) {
					t.Errorf("%d rows: row %d: the same signature twice: %x", n, i, sig)
				}
			}
			earlier = sigs
		}
	}
}

// TestSignRowsErrors tests arguments that are errors, and that nothing is written then.
func TestSignRowsErrors(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	secrets, keys := secretColumns(r, 3)
	messages := randomRows(r, 3)
	s, m := batch.Packed(secrets, 32), batch.Packed(messages, 32)
	dst, verdicts := make([]byte, 195), make([]batch.Verdict, 3)
	pairs := batch.ECDHRows{Secrets: s, Keys: batch.Packed(keys, 33)}
	none := &batch.SecretOptions{Unchecked: true}
	tests := []struct {
		want string
		size int
		o    *batch.SecretOptions
		call signCall
	}{
		{"batch: Secrets: no column; Packed, Strided or Same makes one", 64, nil,
			batch.SchnorrSignRows{Messages: m}.Sign},
		{"batch: Messages: no column; Packed, Strided or Same makes one", 64, nil,
			batch.SchnorrSignRows{Secrets: s}.Sign},
		{"batch: Messages: a width of 31, want 32", 64, nil,
			batch.SchnorrSignRows{Secrets: s, Messages: batch.Packed(messages[:93], 31)}.Sign},
		{"batch: Aux: 2 rows, want 3", 64, nil,
			batch.SchnorrSignRows{Secrets: s, Messages: m, Aux: batch.Packed(messages[:64], 32)}.Sign},
		{"batch: Aux: a width of 0, want 32", 64, nil,
			batch.SchnorrSignRows{Secrets: s, Messages: m, Aux: batch.Same(nil)}.Sign},
		{"batch: dst overlaps Aux", 64, nil,
			batch.SchnorrSignRows{Secrets: s, Messages: m, Aux: batch.Same(dst[:32])}.Sign},
		{"batch: dst overlaps Secrets", 64, nil,
			batch.SchnorrSignRows{Secrets: batch.Same(dst[160:][:32]), Messages: m}.Sign},
		{"batch: dst: 195 bytes, want 64 times 3, the number of verdicts", 65, nil,
			batch.SchnorrSignRows{Secrets: s, Messages: m}.Sign},
		{"batch: Secrets: no column; Packed, Strided or Same makes one", 65, nil,
			batch.ECDSASignRows{Hashes: m}.Sign},
		{"batch: Hashes: no column; Packed, Strided or Same makes one", 65, nil,
			batch.ECDSASignRows{Secrets: s}.Sign},
		{"batch: Secrets: a width of 33, want 32", 65, nil,
			batch.ECDSASignRows{Secrets: batch.Packed(keys, 33), Hashes: m}.Sign},
		{"batch: dst: 192 bytes, want 65 times 3, the number of verdicts", 64, nil,
			batch.ECDSASignRows{Secrets: s, Hashes: m}.Sign},
		{"batch: Unchecked: the call signs nothing", 33, none,
			batch.SecretRows{Secrets: s}.PublicKeys},
		{"batch: Unchecked: the call signs nothing", 32, none, pairs.SharedX},
	}
	for _, test := range tests {
		copy(dst, bytes.Repeat([]byte{7}, len(dst)))
		verdicts[0] = batch.Invalid
		_, err := test.call(context.Background(), dst[:3*test.size], verdicts, test.o)
		if err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
		if verdicts[0] != batch.Invalid || !bytes.Equal(dst, bytes.Repeat([]byte{7}, len(dst))) {
			t.Errorf("%s: the call wrote something", test.want)
		}
	}
}

// TestSignRowsCancelled checks that a call whose context is done signs nothing, and that a nil
// context is never done.
func TestSignRowsCancelled(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	secrets, _ := secretColumns(r, 3)
	messages := randomRows(r, 3)
	s, m := batch.Packed(secrets, 32), batch.Packed(messages, 32)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for size, call := range map[int]signCall{
		64: batch.SchnorrSignRows{Secrets: s, Messages: m}.Sign,
		65: batch.ECDSASignRows{Secrets: s, Hashes: m}.Sign,
	} {
		dst := bytes.Repeat([]byte{7}, 3*size)
		verdicts := []batch.Verdict{batch.Valid, batch.Valid, batch.Invalid}
		valid, err := call(ctx, dst, verdicts, nil)
		if valid != 0 || err != context.Canceled ||
			!slices.Equal(verdicts, make([]batch.Verdict, 3)) {
			t.Errorf("cancelled: %d, %v, %v", valid, err, verdicts)
		}
		if !bytes.Equal(dst, bytes.Repeat([]byte{7}, len(dst))) {
			t.Error("the cancelled call wrote something")
		}
		if _, err := call(nil, dst, verdicts, nil); err != nil { //nolint:staticcheck
			t.Error(err)
		}
		times := 0
		forgetful := questioned{context.Background(), func() error {
			if times++; times == 1 {
				return errDone
			}
			return nil
		}}
		if _, err := call(forgetful, dst, verdicts, nil); err == nil {
			t.Error("a context that forgets its error: rows were left out without an error")
		}
	}
}
