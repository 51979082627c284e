package subject

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strconv"

	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

// A record is the output of a case, a function that calls the modules. Its entries are separated by
// spaces.
type record []byte

func (r *record) text(s string) { *r = append(append(*r, s...), ' ') }

func (r *record) bytes(b []byte) {
	if b == nil {
		r.text("nil")
		return
	}
	*r = append(hex.AppendEncode(append(*r, 'x'), b), ' ')
}

func (r *record) bool(b bool) { r.text(strconv.FormatBool(b)) }

func (r *record) int(i int) { r.text(strconv.Itoa(i)) }

func (r *record) uint32(u uint32) { r.int(int(u)) }

// field writes f reduced modulo p. It does not change f.
func (r *record) field(f *secp256k1.FieldVal) {
	c := *f
	c.Normalize()
	r.bytes(c.Bytes()[:])
}

// canonical writes whether f is normalized, as it should be, and f reduced modulo p.
func (r *record) canonical(f *secp256k1.FieldVal) {
	c := *f
	c.Normalize()
	r.bool(c == *f)
	r.bytes(c.Bytes()[:])
}

func (r *record) scalar(s *secp256k1.ModNScalar) {
	b := s.Bytes()
	r.bytes(b[:])
}

// point writes the affine coordinates of p, or "infinity" if p is one of the representations of
// infinity. It does not change p.
func (r *record) point(p *secp256k1.JacobianPoint) {
	if isInfinity(p) {
		r.text("infinity")
		return
	}
	c := *p
	c.ToAffine()
	r.canonical(&c.X)
	r.canonical(&c.Y)
	r.canonical(&c.Z)
}

func isInfinity(p *secp256k1.JacobianPoint) bool {
	c := *p
	c.X.Normalize()
	c.Y.Normalize()
	c.Z.Normalize()
	return c.X.IsZero() && c.Y.IsZero() || c.Z.IsZero()
}

// key writes the results of all methods of a public key, which may be nil.
func (r *record) key(k *secp256k1.PublicKey) {
	if k == nil {
		r.text("nil")
		return
	}
	r.bytes(k.SerializeCompressed())
	r.bytes(k.SerializeUncompressed())
	r.bool(k.IsOnCurve())
	var p secp256k1.JacobianPoint
	k.AsJacobian(&p)
	r.canonical(&p.X)
	r.canonical(&p.Y)
	r.canonical(&p.Z)
	r.big(k.X())
	r.big(k.Y())
}

// big writes x, and whether x.Bits() is nil, since reflect.DeepEqual distinguishes nil from an
// empty slice of words.
func (r *record) big(x *big.Int) {
	if x == nil {
		r.text("nil")
		return
	}
	r.text(x.Text(16))
	r.bool(x.Bits() == nil)
}

func (r *record) ecdsa(sig *ecdsa.Signature) {
	if sig == nil {
		r.text("nil")
		return
	}
	rr, s := sig.R(), sig.S()
	r.scalar(&rr)
	r.scalar(&s)
	r.bytes(sig.Serialize())
	r.bool(sig.IsEqual(ecdsa.NewSignature(&rr, &s)))
	r.bool(*sig == *ecdsa.NewSignature(&rr, &s))
}

func (r *record) schnorr(sig *schnorr.Signature) {
	if sig == nil {
		r.text("nil")
		return
	}
	rr, s := sig.R(), sig.S()
	r.canonical(&rr)
	r.scalar(&s)
	r.bytes(sig.Serialize())
	r.bool(sig.IsEqual(schnorr.NewSignature(&rr, &s)))
	r.bool(*sig == *schnorr.NewSignature(&rr, &s))
}

// err writes the text, the type and the kind of an error, and the indices of all errors in
// musig2Errors that the error wraps.
func (r *record) err(err error) {
	if err == nil {
		r.text("ok")
		return
	}
	r.text(strconv.Quote(err.Error()))
	var key secp256k1.Error
	r.bool(errors.As(err, &key))
	var keyKind secp256k1.ErrorKind
	r.bool(errors.As(err, &keyKind))
	var sig ecdsa.Error
	r.bool(errors.As(err, &sig))
	var sigKind ecdsa.ErrorKind
	r.bool(errors.As(err, &sigKind))
	var dcr schnorr.Error
	r.bool(errors.As(err, &dcr))
	var dcrKind schnorr.ErrorKind
	r.bool(errors.As(err, &dcrKind))
	r.text(string(keyKind) + string(sigKind) + string(dcrKind))
	for _, kind := range []error{keyKind, sigKind, dcrKind} {
		r.bool(errors.Is(err, kind))
	}
	for i, e := range musig2Errors {
		if errors.Is(err, e) {
			r.int(i)
		}
	}
	// The error must be a struct, not a pointer to one, since programs compare it with ==.
	switch e := err.(type) {
	case secp256k1.Error:
		r.bool(e == secp256k1.Error{Err: keyKind, Description: err.Error()})
	case ecdsa.Error:
		r.bool(e == ecdsa.Error{Err: sigKind, Description: err.Error()})
	case schnorr.Error:
		r.bool(e == schnorr.Error{Err: dcrKind, Description: err.Error()})
	}
}

// results writes the values that a function has returned.
func (r *record) results(values ...any) {
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			r.err(nil)
		case error:
			r.err(v)
		case bool:
			r.bool(v)
		case []byte:
			r.bytes(v)
		case [32]byte:
			r.bytes(v[:])
		case [musig2.PubNonceSize]byte:
			r.bytes(v[:])
		case *secp256k1.PublicKey:
			r.key(v)
		case *ecdsa.Signature:
			r.ecdsa(v)
		case *schnorr.Signature:
			r.schnorr(v)
		case *musig2.PartialSignature:
			r.partial(v)
		default:
			panic(fmt.Sprintf("a result of type %T", v))
		}
	}
}

// try runs f. If f panics, it writes the value of the panic, or only "runtime error" if the value
// is a runtime error, whose text depends on the compiler.
func (r *record) try(f func()) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case runtime.Error:
			r.text("runtime error")
		default:
			r.text("panic " + strconv.Quote(fmt.Sprint(e)))
		}
	}()
	f()
}
