package dleq

import (
	"bytes"
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
	errFault = errors.New("dleq: the proof that was made does not verify: " +
		"a fault in the computation, or an argument that changed meanwhile")
)

// Prove returns the statement that A = a·G and C = a·B, for the private key a and a point B, and a
// proof of it, 64 bytes (GenerateProof of BIP-374). A nil o means default options. A and C become
// public with the proof.
//
// Prove verifies the proof before it returns it, and computes the nonce a second time. So it finds
// a fault that changes the key, a point, the message, the nonce or the proof from their first read
// until the check, and not one in the check.
//
// The error wraps [koblitz.ErrZeroKey] if a, b or o.G holds no key. There is also an error if
// o.Message or o.Aux is neither empty nor 32 bytes long, or if one of them changes during the call,
// or after a fault of the machine. The time does not depend on a or o.Aux.
func Prove(a *koblitz.PrivateKey, b *koblitz.PublicKey, o *Options) (*Statement, []byte, error) {
	if o == nil {
		o = new(Options)
	}
	//ct:secret len(o.Aux) == 32 && o.Aux[4]&1 == 1
	// Read the message once: the nonce and the challenge must be for the same message.
	message := slices.Clone(o.Message)
	if err := checkMessage(message); err != nil {
		return nil, nil, err
	}
	if len(o.Aux) != 0 && len(o.Aux) != 32 {
		return nil, nil, fmt.Errorf("dleq: auxiliary randomness: %d bytes, want 32, or none", len(o.Aux))
	}
	p := prover{key: (*keys.Private)(a), o: o, message: message}
	err := generator(&p.G, o.G)
	if err == nil {
		err = affine(&p.B, "B", b)
	}
	if err != nil {
		return nil, nil, err
	}
	secret.DoDeep(func() {
		defer p.wipe() // prove can panic: it reads memory of callers
		err = p.prove()
	})
	if err != nil {
		return nil, nil, err
	}
	s := &Statement{
		A: new(koblitz.PublicKey), B: b, C: new(koblitz.PublicKey),
		G: o.G, Message: message,
	}
	(*keys.Public)(s.A).SetAffine(&p.A)
	(*keys.Public)(s.C).SetAffine(&p.C)
	if Verify(s, p.proof[:]) != nil { //ct:unrun no case makes a fault
		ct.Wipe(p.proof[:]) // a faulty proof could reveal the key
		return nil, nil, errFault
	}
	return s, bytes.Clone(p.proof[:]), nil
}

// A prover holds the arguments of Prove and the values of GenerateProof of BIP-374, with its names.
// They stay in it from step to step, so that TestFault can change them between any two steps.
type prover struct {
	key     *keys.Private
	o       *Options
	message []byte // a copy of that of o

	a, k       scalar.Scalar // the key and the nonce
	r          [32]byte      // auxiliary randomness
	A, B, C, G point.Affine
	R1, R2     point.Affine
	proof      [ProofSize]byte
}

// wipe overwrites the secrets.
func (p *prover) wipe() {
	p.a.Wipe()
	p.k.Wipe()
	ct.Wipe(p.r[:])
}

// prove sets p.A, p.C and p.proof. It leaves secrets on the stack.
func (p *prover) prove() error {
	if !p.load() {
		return fmt.Errorf("dleq: a: %w", koblitz.ErrZeroKey)
	}
	p.mult(&p.A, &p.C, &p.a)
	if !p.derive() { //ct:unrun about once in 2^256 times
		return errNonce
	}
	p.mult(&p.R1, &p.R2, &p.k)
	p.respond()
	if !p.agrees() { //ct:unrun no case makes a fault
		ct.Wipe(p.proof[:])
		return errFault
	}
	return nil
}

// load sets the key and the auxiliary randomness. It returns false if there is no key.
func (p *prover) load() bool {
	if len(p.o.Aux) == 0 {
		rand.Read(p.r[:])
	} else {
		copy(p.r[:], p.o.Aux)
	}
	//ct:secret p.r[0]&1 == 1
	return p.key.Load(&p.a)
}

// mult sets r to k·G and t to k·B. Both are public afterwards: A and C are in the statement, and
// the challenge and the response determine R1 and R2.
func (p *prover) mult(r, t *point.Affine, k *scalar.Scalar) {
	//ct:secret k.IsOdd().Bool()
	var j point.Jacobian
	if p.o.G == nil {
		p.key.Blinding().ScalarBaseMultAffine(r, k)
	} else {
		ecmult.ScalarMult(&j, k, &p.G)
		r.SetJacobian(&j)
	}
	ecmult.ScalarMult(&j, k, &p.B)
	t.SetJacobian(&j)
	j.Wipe()
	r.Declassify()
	t.Declassify()
}

// derive sets the nonce, from the key masked with the hash of the auxiliary randomness. It returns
// false if the nonce is zero.
func (p *prover) derive() bool {
	A, C := compressed(&p.A), compressed(&p.C)
	var t, mask [32]byte
	p.a.PutBytes(&t)
	hash.Tagged(&mask, "BIP0374/aux", p.r[:])
	for i := range t {
		t[i] ^= mask[i]
	}
	hash.Tagged(&t, "BIP0374/nonce", t[:], A[:], C[:], p.message)
	p.k.SetBytes(&t)
	ct.Wipe(t[:])
	ct.Wipe(mask[:])
	return !p.k.IsZero().Reveal()
}

// respond sets the proof: the challenge e, and k + e·a.
func (p *prover) respond() {
	e := (*[32]byte)(p.proof[:])
	challenge(e, &p.A, &p.B, &p.C, &p.G, &p.R1, &p.R2, p.message)
	var s scalar.Scalar
	s.SetBytes(e)
	s.Mul(&s, &p.a)
	s.Add(&s, &p.k)
	s.Declassify() // s, the second half of the proof
	s.PutBytes((*[32]byte)(p.proof[32:]))
}

// agrees reads all arguments again, and reports whether the key, the message and the nonce are
// those of the proof. Verification does not see a fault that changed one of them early: the proof
// is valid. But beside one that the same call makes without a fault, it could reveal the key.
func (p *prover) agrees() bool {
	again := *p
	again.message = bytes.Clone(p.o.Message)
	copy(again.r[:], p.o.Aux)
	again.derive()
	same := again.k.Equal(&p.k).Reveal()
	again.wipe()
	return same && p.key.Unchanged(&p.a) && bytes.Equal(again.message, p.message)
}
