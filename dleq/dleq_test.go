package dleq

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A fixture is a valid statement and its proof.
type fixture struct {
	key   *koblitz.PrivateKey
	s     Statement
	proof []byte
}

// newFixture proves a statement for random keys. If ownG is set, the generator is that of
// secp256k1.
func newFixture(ownG bool) *fixture {
	f := &fixture{key: koblitz.GenerateKey()}
	o := &Options{Message: bytes.Repeat([]byte{7}, 32)}
	if !ownG {
		o.G = koblitz.GenerateKey().PublicKey()
	}
	s, proof, err := Prove(f.key, koblitz.GenerateKey().PublicKey(), o)
	f.s, f.proof = *reference.Must(s, err), proof
	return f
}

// TestProve checks that proofs verify, with every combination of options, and that the statement is
// right.
func TestProve(t *testing.T) {
	for i := range 16 {
		key, b := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
		g := new(group.Point).SetGenerator()
		o := &Options{}
		if i&1 != 0 {
			o.G = koblitz.GenerateKey().PublicKey()
			g.SetPublicKey(o.G)
		}
		if i&2 != 0 {
			o.Message = bytes.Repeat([]byte{byte(i)}, 32)
		}
		if i&4 != 0 {
			o.Aux = make([]byte, 32)
		}
		if i&8 != 0 {
			key = key.Blinded()
		}
		if i == 0 {
			o = nil
		}
		s, proof, err := Prove(key, b, o)
		if err != nil || Verify(s, proof) != nil || len(proof) != ProofSize {
			t.Fatalf("options %d: %v, %v", i, err, Verify(s, proof))
		}
		a, base := reference.Must(new(group.Scalar).SetPrivateKey(key)), toPoint(b)
		for what, pair := range map[string][2]*group.Point{
			"A": {toPoint(s.A), new(group.Point).ScalarMult(a, g)},
			"B": {toPoint(s.B), base},
			"C": {toPoint(s.C), new(group.Point).ScalarMult(a, base)},
		} {
			if !pair[0].Equal(pair[1]) {
				t.Errorf("options %d: %s is wrong", i, what)
			}
		}
	}
}

func toPoint(k *koblitz.PublicKey) *group.Point {
	return reference.Must(new(group.Point).SetPublicKey(k))
}

// TestProveRefused checks that bad arguments give an error that names them.
func TestProveRefused(t *testing.T) {
	key, b := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	gone := koblitz.GenerateKey()
	gone.Zeroize()
	for _, test := range []struct {
		key  *koblitz.PrivateKey
		b    *koblitz.PublicKey
		o    *Options
		want string
	}{
		{nil, b, nil, "dleq: a: "},
		{new(koblitz.PrivateKey), b, nil, "dleq: a: "},
		{gone, b, nil, "dleq: a: "},
		{key, nil, nil, "dleq: B: "},
		{key, new(koblitz.PublicKey), nil, "dleq: B: "},
		{key, b, &Options{G: new(koblitz.PublicKey)}, "dleq: G: "},
		{key, b, &Options{Message: make([]byte, 31)}, "dleq: message: 31 bytes"},
		{key, b, &Options{Message: make([]byte, 33)}, "dleq: message: 33 bytes"},
		{key, b, &Options{Aux: make([]byte, 31)}, "dleq: auxiliary randomness: 31 bytes"},
	} {
		s, proof, err := Prove(test.key, test.b, test.o)
		if s != nil || proof != nil || err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
		if strings.HasSuffix(test.want, ": ") && !errors.Is(err, koblitz.ErrZeroKey) {
			t.Errorf("%v does not wrap ErrZeroKey", err)
		}
	}
}

// TestVerifyRefused changes one part of a valid statement or proof at a time.
func TestVerifyRefused(t *testing.T) {
	generator := reference.Must(new(group.Point).SetGenerator().PublicKey())
	for _, ownG := range []bool{true, false} {
		f := newFixture(ownG)
		other := koblitz.GenerateKey().PublicKey()
		for name, change := range map[string]func(s *Statement){
			"another A":       func(s *Statement) { s.A = other },
			"another B":       func(s *Statement) { s.B = other },
			"another C":       func(s *Statement) { s.C = other },
			"another G":       func(s *Statement) { s.G = other },
			"swapped A and C": func(s *Statement) { s.A, s.C = s.C, s.A },
			"swapped B and C": func(s *Statement) { s.B, s.C = s.C, s.B },
			"-A and -C":       func(s *Statement) { s.A, s.C = s.A.Negate(), s.C.Negate() },
			"-B and -C":       func(s *Statement) { s.B, s.C = s.B.Negate(), s.C.Negate() },
			"no message":      func(s *Statement) { s.Message = nil },
			"another message": func(s *Statement) { s.Message = make([]byte, 32) },
			"C = a·B and A = a·G, which says the same": func(s *Statement) {
				if s.G == nil {
					s.G = generator
				}
				s.G, s.A, s.B, s.C = s.B, s.C, s.G, s.A
			},
		} {
			s := f.s
			if change(&s); Verify(&s, f.proof) != ErrProof {
				t.Errorf("%s: %v", name, Verify(&s, f.proof))
			}
		}
		for i := range f.proof {
			bad := bytes.Clone(f.proof)
			bad[i] ^= 1 << (i % 8)
			if Verify(&f.s, bad) == nil {
				t.Errorf("a proof with a change in byte %d verifies", i)
			}
		}
		checkForms(t, f)
	}
}

// checkForms checks statements and proofs of the wrong form. Each error names the field.
func checkForms(t *testing.T, f *fixture) {
	t.Helper()
	refused := func(s *Statement, proof []byte, want string) {
		t.Helper()
		if err := Verify(s, proof); err == nil || !strings.HasPrefix(err.Error(), "dleq: "+want) {
			t.Errorf("%x: %v, want %s", proof, err, want)
		}
	}
	refused(nil, f.proof, "no statement")
	for want, change := range map[string]func(s *Statement){
		"A: ":               func(s *Statement) { s.A = nil },
		"B: ":               func(s *Statement) { s.B = new(koblitz.PublicKey) },
		"C: ":               func(s *Statement) { s.C = nil },
		"G: ":               func(s *Statement) { s.G = new(koblitz.PublicKey) },
		"message: 1 bytes":  func(s *Statement) { s.Message = make([]byte, 1) },
		"message: 64 bytes": func(s *Statement) { s.Message = make([]byte, 64) },
		"A: koblitz: ":      func(s *Statement) { *s = Statement{} },
	} {
		s := f.s
		change(&s)
		refused(&s, f.proof, want)
	}
	for _, size := range []int{0, 32, 63, 65, 96} {
		refused(&f.s, make([]byte, size), "proof: ")
	}
	for _, s := range [][]byte{reference.N().Bytes(), bytes.Repeat([]byte{255}, 32)} {
		refused(&f.s, append(f.proof[:32:32], s...), "proof: s (bytes 32 to 63)")
	}
}

// TestInfiniteCommitments checks proofs for which s·G = e·A or s·B = e·C: BIP-374 refuses them.
func TestInfiniteCommitments(t *testing.T) {
	f := newFixture(true)
	a := reference.Must(new(group.Scalar).SetPrivateKey(f.key))
	proof := append(new(group.Scalar).SetUint64(1).Bytes(), a.Bytes()...) // e = 1 and s = a
	anotherA, anotherC, other := f.s, f.s, koblitz.GenerateKey().PublicKey()
	anotherA.A, anotherC.C = other, other
	for name, test := range map[string]struct {
		s     Statement
		proof []byte
	}{
		"both, e = 0": {f.s, make([]byte, 64)}, "both, e = 1": {f.s, proof},
		"R1": {anotherC, proof}, "R2": {anotherA, proof},
	} {
		if err := Verify(&test.s, test.proof); err != ErrProof {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRelatedPoints proves statements with equal points: B = G, and B = A. A nil generator and the
// generator itself are the same statement.
func TestRelatedPoints(t *testing.T) {
	key := koblitz.GenerateKey()
	g := reference.Must(new(group.Point).SetGenerator().PublicKey())
	for _, b := range []*koblitz.PublicKey{g, key.PublicKey()} {
		s, proof, err := Prove(key, b, nil)
		if err != nil || Verify(s, proof) != nil {
			t.Fatalf("%v, %v", err, Verify(s, proof))
		}
		if s.G = g; Verify(s, proof) != nil {
			t.Error("the generator by name is another statement")
		}
	}
}

// FuzzVerify checks that no bytes but those of Prove verify.
func FuzzVerify(f *testing.F) {
	fixtures := []*fixture{newFixture(true), newFixture(false)}
	f.Add([]byte{}, []byte{}, false)
	for _, x := range fixtures {
		f.Add(x.proof, x.s.Message, x.s.G == nil)
	}
	f.Add(make([]byte, 64), make([]byte, 32), true)
	f.Add(bytes.Repeat([]byte{255}, 64), []byte{}, true)
	f.Fuzz(func(t *testing.T, proof, message []byte, ownG bool) {
		x := fixtures[0]
		if !ownG {
			x = fixtures[1]
		}
		s := x.s
		s.Message = message
		valid := bytes.Equal(proof, x.proof) && bytes.Equal(message, x.s.Message)
		if (Verify(&s, proof) == nil) != valid {
			t.Errorf("Verify: %v", Verify(&s, proof))
		}
	})
}

func Benchmark(b *testing.B) {
	f, other := newFixture(true), newFixture(false)
	for name, run := range map[string]func() error{
		"Prove": func() error {
			_, _, err := Prove(f.key, f.s.B, nil)
			return err
		},
		"Verify":                    func() error { return Verify(&f.s, f.proof) },
		"Verify, another generator": func() error { return Verify(&other.s, other.proof) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
