package subject

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"runtime"
	"strconv"

	btcschnorr "github.com/btcsuite/btcd/btcec/v2/schnorr"
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
	r.coordinates(&c)
}

// coordinates writes the coordinates of p as they are, and whether they are normalized.
func (r *record) coordinates(p *secp256k1.JacobianPoint) { r.results(&p.X, &p.Y, &p.Z) }

func isInfinity(p *secp256k1.JacobianPoint) bool {
	c := *p
	c.X.Normalize()
	c.Y.Normalize()
	c.Z.Normalize()
	return c.X.IsZero() && c.Y.IsZero() || c.Z.IsZero()
}

// key writes the results of all methods of a public key.
func (r *record) key(k *secp256k1.PublicKey) {
	r.bytes(k.SerializeCompressed())
	r.bytes(k.SerializeUncompressed())
	r.bool(k.IsOnCurve())
	var p secp256k1.JacobianPoint
	k.AsJacobian(&p)
	r.coordinates(&p)
	r.results(k.X(), k.Y())
}

// big writes x, and whether x.Bits() is nil, since reflect.DeepEqual distinguishes nil from an
// empty slice of words.
func (r *record) big(x *big.Int) {
	r.text(x.Text(16))
	r.bool(x.Bits() == nil)
}

func (r *record) ecdsa(sig *ecdsa.Signature) {
	rr, s := sig.R(), sig.S()
	r.scalar(&rr)
	r.scalar(&s)
	r.bytes(sig.Serialize())
	r.bool(sig.IsEqual(ecdsa.NewSignature(&rr, &s)))
	r.bool(*sig == *ecdsa.NewSignature(&rr, &s))
}

func (r *record) schnorr(sig *schnorr.Signature) {
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
	as[secp256k1.Error](r, err)
	as[ecdsa.Error](r, err)
	as[schnorr.Error](r, err)
	keyKind := as[secp256k1.ErrorKind](r, err)
	sigKind := as[ecdsa.ErrorKind](r, err)
	dcrKind := as[schnorr.ErrorKind](r, err)
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

// as writes whether err wraps an error of type E, and returns it.
func as[E error](r *record, err error) (e E) {
	r.bool(errors.As(err, &e))
	return e
}

// results writes the values that a function has returned. Pointers may be nil.
func (r *record) results(values ...any) {
	for _, v := range values {
		if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
			r.text("nil")
			continue
		}
		switch v := v.(type) {
		case nil:
			r.err(nil)
		case error:
			r.err(v)
		case bool:
			r.bool(v)
		case int:
			r.int(v)
		case *big.Int:
			r.big(v)
		case *secp256k1.FieldVal:
			r.canonical(v)
		case *secp256k1.ModNScalar:
			r.scalar(v)
		case *btcschnorr.Signature:
			r.bip340(v)
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
