package batch

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// signRows returns columns of n secrets and of n messages. Secret 5 is malformed.
func signRows(n int) (secrets, messages Column) {
	s, m := make([]byte, 32*n), make([]byte, 32*n)
	for i := range n {
		s[32*i+30], s[32*i+31] = byte(i>>8), byte(i)|1
		m[32*i], m[32*i+1] = byte(i>>8), byte(i)
	}
	clear(s[32*5:][:32])
	return Packed(s, 32), Packed(m, 32)
}

// TestFault changes single bits between signing and the check, as a fault of the machine would.
// Each changed row must become Invalid and lose its signature. Other rows must not change.
func TestFault(t *testing.T) {
	const n = 300
	secrets, messages := signRows(n)
	for _, secrets := range []Column{secrets, Same(secrets.row(0))} {
		schnorr := SchnorrSignRows{Secrets: secrets, Messages: messages}
		ecdsa := ECDSASignRows{Secrets: secrets, Hashes: messages}
		w := newSignWorker(n)
		w.load(&secrets, 0, n)
		w.setKeys(n, secrets.form == same)
		for _, test := range []struct {
			size  int
			sign  func(context.Context, []byte, []Verdict, *SecretOptions) (int, error)
			check func(sigs []byte, verdicts []Verdict, messages Column)
		}{{64, schnorr.Sign, w.checkSchnorr}, {65, ecdsa.Sign, w.checkECDSA}} {
			sigs, verdicts := make([]byte, test.size*n), make([]Verdict, n)
			o := &SecretOptions{Unchecked: true}
			if _, err := test.sign(context.Background(), sigs, verdicts, o); err != nil {
				t.Fatal(err)
			}
			wantVerdicts, wantSigs := slices.Clone(verdicts), bytes.Clone(sigs)
			test.check(sigs, verdicts, messages)
			if !slices.Equal(verdicts, wantVerdicts) || !bytes.Equal(sigs, wantSigs) {
				t.Fatalf("%d bytes: the check changes good signatures", test.size)
			}

			for row, at := range map[int]int{0: 3, 7: 40, 100: 63, 299: test.size - 1} {
				sigs[test.size*row+at] ^= 1
				wantVerdicts[row] = Invalid
				clear(wantSigs[test.size*row:][:test.size])
			}
			test.check(sigs, verdicts, messages)
			if !slices.Equal(verdicts, wantVerdicts) || !bytes.Equal(sigs, wantSigs) {
				t.Errorf("%d bytes: the check does not refuse exactly the faulty rows", test.size)
			}
		}
	}
}

// TestFaultError tests the error of a call if the check refuses rows.
func TestFaultError(t *testing.T) {
	verdicts := make([]Verdict, 9)
	valid, err := runSecrets(context.Background(), verdicts, nil, newSignWorker, nil,
		func(w *signWorker, lo, hi int) { verdicts[7], verdicts[8] = Invalid, Invalid },
		func(w *signWorker, lo, hi int) {
			for i := range verdicts {
				verdicts[i] = Valid
			}
		})
	const want = "batch: row 7: the signature that was made does not verify: " +
		"a fault in the computation"
	if valid != 7 || err == nil || err.Error() != want {
		t.Errorf("%d valid rows, error %v, want 7 and %s", valid, err, want)
	}
}

// TestRefusedNonce checks that a row whose first nonce is out of range, or gives no signature, gets
// the signature of another nonce: that of the key and the hash alone.
func TestRefusedNonce(t *testing.T) {
	const n = 9
	secrets, hashes := signRows(n)
	want, verdicts := make([]byte, 65*n), make([]Verdict, n)
	_, err := ECDSASignRows{Secrets: secrets, Hashes: hashes}.Sign(
		context.Background(), want, verdicts, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, refuse := range map[string]func(w *signWorker, i int){
		"out of range": func(w *signWorker, i int) {
			w.nonces[i].One()
			w.usable[i] = ct.Choice(0)
		},
		"s = 0": func(w *signWorker, i int) { w.nonces[i] = scalar.Scalar{} }, // for the inverse
	} {
		w := newSignWorker(n)
		w.load(&secrets, 0, n)
		for i := range n {
			w.ecdsaNonce(i, hashes.row(i))
			refuse(w, i)
		}
		w.many.ScalarBaseMult(w.r, w.k) // any points
		for i := range n {
			var sig [65]byte
			w.ecdsaFinish(i, &sig, hashes.row(i))
			w.verdict(i, sig[:], &verdicts[i])
			if !bytes.Equal(sig[:], want[65*i:][:65]) {
				t.Errorf("%s: row %d: %x, want %x", name, i, sig, want[65*i:][:65])
			}
		}
		w.Wipe()
	}
}
