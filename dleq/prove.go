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
	//ct:leak len(o.Aux) == 32 && o.Aux[4]&1 == 1
	// Read the message once: the nonce and the challenge must be for the same message.
	message := slices.Clone(o.Message)
	if err := checkMessage(message); err != nil {
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
	p := prover{G: *g, B: *base}
	secret.DoDeep(func() {
		err = p.prove((*keys.Private)(a), message, o)
		p.wipe()
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

// A prover holds the values of GenerateProof of BIP-374, with its names. They stay in it from step
// to step, so that TestFault can change them between any two steps.
type prover struct {
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
func (p *prover) prove(key *keys.Private, message []byte, o *Options) error {
	if !p.load(key, o) {
		return fmt.Errorf("dleq: a: %w", koblitz.ErrZeroKey)
	}
	p.state(key, o)
	if !p.derive(&p.k, message) { //ct:unrun about once in 2^256 times
		return errNonce
	}
	p.commit(key, o)
	p.challenge(message)
	p.respond()
	if !p.agrees(key, message, o) { //ct:unrun no case makes a fault
		ct.Wipe(p.proof[:])
		return errFault
	}
	return nil
}

// load sets the key and the auxiliary randomness. It returns false if key holds no key.
func (p *prover) load(key *keys.Private, o *Options) bool {
	if len(o.Aux) == 0 {
		rand.Read(p.r[:])
	} else {
		copy(p.r[:], o.Aux)
	}
	//ct:leak p.r[0]&1 == 1
	return key.Load(&p.a)
}

// state sets A = a·G and C = a·B.
func (p *prover) state(key *keys.Private, o *Options) {
	p.mult(&p.A, &p.C, &p.a, key, o)
	p.A.Declassify() // the statement is public
	p.C.Declassify()
}

// mult sets r to k·G and t to k·B.
func (p *prover) mult(r, t *point.Affine, k *scalar.Scalar, key *keys.Private, o *Options) {
	//ct:leak k.IsOdd().Bool()
	var j point.Jacobian
	if o.G == nil {
		key.Blinding().ScalarBaseMultAffine(r, k)
	} else {
		ecmult.ScalarMult(&j, k, &p.G)
		r.SetJacobian(&j)
	}
	ecmult.ScalarMult(&j, k, &p.B)
	t.SetJacobian(&j)
	j.Wipe()
}

// derive sets k to the nonce, from the key masked with the hash of the auxiliary randomness. It
// returns false if the nonce is zero.
func (p *prover) derive(k *scalar.Scalar, message []byte) bool {
	A, C := compressed(&p.A), compressed(&p.C)
	var t, mask [32]byte
	p.a.PutBytes(&t)
	hash.Tagged(&mask, "BIP0374/aux", p.r[:])
	for i := range t {
		t[i] ^= mask[i]
	}
	hash.Tagged(&t, "BIP0374/nonce", t[:], A[:], C[:], message)
	k.SetBytes(&t)
	ct.Wipe(t[:])
	ct.Wipe(mask[:])
	return !k.IsZero().Reveal()
}

// commit sets R1 = k·G and R2 = k·B.
func (p *prover) commit(key *keys.Private, o *Options) {
	p.mult(&p.R1, &p.R2, &p.k, key, o)
	p.R1.Declassify() // the challenge and the response determine both
	p.R2.Declassify()
}

// challenge sets the first half of the proof.
func (p *prover) challenge(message []byte) {
	challenge((*[32]byte)(p.proof[:]), &p.A, &p.B, &p.C, &p.G, &p.R1, &p.R2, message)
}

// respond sets the second half of the proof, k + e·a.
func (p *prover) respond() {
	var s scalar.Scalar
	s.SetBytes((*[32]byte)(p.proof[:]))
	s.Mul(&s, &p.a)
	s.Add(&s, &p.k)
	s.Declassify() // s, the second half of the proof
	s.PutBytes((*[32]byte)(p.proof[32:]))
}

// agrees reads all arguments again, and reports whether the key, the message and the nonce are
// those of the proof. Verification does not see a fault that changed one of them early: the proof
// is valid. But beside one that the same call makes without a fault, it could reveal the key.
func (p *prover) agrees(key *keys.Private, message []byte, o *Options) bool {
	again := *p
	copy(again.r[:], o.Aux)
	var room [32]byte
	read := room[:copy(room[:], o.Message)]
	again.derive(&again.k, read)
	same := again.k.Equal(&p.k).Reveal()
	again.wipe()
	return key.Unchanged(&p.a) && same && bytes.Equal(read, message)
}
