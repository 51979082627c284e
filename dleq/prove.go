package dleq

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errNonce = errors.New("dleq: the nonce is zero; prove with other auxiliary randomness")
	errFault = errors.New("dleq: the proof that was made does not verify: a fault in the computation")
)

// Prove returns the statement that A = a·G and C = a·B, for the private key a and a point B, and a
// proof of it, 64 bytes (GenerateProof of BIP-374). It verifies the proof before it returns it. A
// nil o means default options. A and C become public with the proof.
//
// The error wraps [koblitz.ErrZeroKey] if a, b or o.G holds no key. There is also an error if
// o.Message or o.Aux is neither empty nor 32 bytes long, and if the proof does not verify, which
// shows a fault of the machine. The time does not depend on a or o.Aux.
func Prove(a *koblitz.PrivateKey, b *koblitz.PublicKey, o *Options) (*Statement, []byte, error) {
	if o == nil {
		o = new(Options)
	}
	//ct:leak len(o.Aux) == 32 && o.Aux[4]&1 == 1
	if err := checkMessage(o.Message); err != nil {
		return nil, nil, err
	}
	if len(o.Aux) != 0 && len(o.Aux) != 32 {
		return nil, nil, fmt.Errorf("dleq: auxiliary randomness: %d bytes, want 32, or none", len(o.Aux))
	}
	var room point.Affine
	g, err := generator(o.G, &room)
	if err != nil {
		return nil, nil, err
	}
	base, err := affine("B", b)
	if err != nil {
		return nil, nil, err
	}
	p := &prover{key: (*keys.Private)(a), g: *g, b: *base, ownG: o.G == nil}
	if len(o.Aux) == 0 {
		rand.Read(p.aux[:])
	} else {
		copy(p.aux[:], o.Aux)
	}
	secret.DoDeep(func() { err = p.prove(o.Message) })
	if err != nil {
		return nil, nil, err
	}
	s := &Statement{
		A: new(koblitz.PublicKey), B: b, C: new(koblitz.PublicKey),
		G: o.G, Message: slices.Clone(o.Message),
	}
	(*keys.Public)(s.A).SetAffine(&p.a)
	(*keys.Public)(s.C).SetAffine(&p.c)
	if Verify(s, p.proof[:]) != nil { //ct:unrun no case makes a fault
		return nil, nil, errFault
	}
	return s, p.proof[:], nil
}

// A prover holds the arguments and the results of a proof. Only aux is secret.
type prover struct {
	key        *keys.Private
	ownG       bool // g is the generator of secp256k1
	g, b, a, c point.Affine
	aux        [32]byte
	proof      [ProofSize]byte
}

// mult sets r to k·G and t to k·B.
func (p *prover) mult(r, t *point.Affine, k *scalar.Scalar) {
	//ct:leak k.IsOdd().Bool()
	var j point.Jacobian
	if p.ownG {
		p.key.Blinding().ScalarBaseMultAffine(r, k)
	} else {
		ecmult.ScalarMult(&j, k, &p.g)
		r.SetJacobian(&j)
	}
	ecmult.ScalarMult(&j, k, &p.b)
	t.SetJacobian(&j)
	j.Wipe()
}

// prove sets p.a, p.c and p.proof. Its variables have the names of BIP-374. It leaves secrets on
// the stack.
func (p *prover) prove(message []byte) error {
	//ct:leak p.aux[0]&1 == 1
	defer ct.Wipe(p.aux[:])
	var a, k scalar.Scalar
	if !p.key.Load(&a) {
		return fmt.Errorf("dleq: a: %w", koblitz.ErrZeroKey)
	}
	p.mult(&p.a, &p.c, &a)
	p.a.Declassify() // the statement is public
	p.c.Declassify()
	A, C := compressed(&p.a), compressed(&p.c)

	// Derive the nonce from the key masked with the hash of the auxiliary randomness.
	var t, mask [32]byte
	a.PutBytes(&t)
	hash.Tagged(&mask, "BIP0374/aux", p.aux[:])
	for i := range t {
		t[i] ^= mask[i]
	}
	hash.Tagged(&t, "BIP0374/nonce", t[:], A[:], C[:], message)
	k.SetBytes(&t)
	ct.Wipe(t[:])
	ct.Wipe(mask[:])
	if k.IsZero().Reveal() { //ct:unrun about once in 2^256 times
		a.Wipe()
		return errNonce
	}

	var R1, R2 point.Affine
	p.mult(&R1, &R2, &k)
	R1.Declassify() // the challenge and the response determine both
	R2.Declassify()
	challenge((*[32]byte)(p.proof[:]), &p.a, &p.b, &p.c, &p.g, &R1, &R2, message)
	var s scalar.Scalar
	s.SetBytes((*[32]byte)(p.proof[:]))
	s.Mul(&s, &a)
	s.Add(&s, &k)
	s.Declassify() // s, the second half of the proof
	s.PutBytes((*[32]byte)(p.proof[32:]))
	a.Wipe()
	k.Wipe()
	return nil
}
