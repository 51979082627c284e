package subject

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"math/big"
	"reflect"
	"runtime"

	btcschnorr "github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
	erigon "github.com/erigontech/secp256k1"
)

// A record is the output of a subject. Its entries are separated by spaces.
type record []byte

// write writes arguments and results of functions. Pointers may be nil. For a field value, write
// writes the number modulo p, and for a pointer also whether the value is normalized. For a point,
// it writes the affine coordinates, and for a pointer all three Jacobian coordinates.
func (r *record) write(values ...any) {
	for _, v := range values {
		if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
			v = "nil"
		}
		switch v := v.(type) {
		case nil:
			r.write("ok")
		case error:
			r.err(v)
		case string, bool, int, uint32:
			*r = fmt.Appendf(*r, "%v ", v)
		case []byte:
			if v == nil {
				r.write("nil")
			} else {
				*r = fmt.Appendf(*r, "x%x ", v)
			}
		case *big.Int:
			// reflect.DeepEqual distinguishes nil from an empty slice of words.
			r.write(v.Text(16), v.Bits() == nil)
		case secp256k1.FieldVal:
			r.write(v.Normalize().Bytes()[:])
		case *secp256k1.FieldVal:
			c := *v
			r.write(*c.Normalize() == *v, c)
		case *secp256k1.ModNScalar:
			r.write(v.Bytes())
		case secp256k1.JacobianPoint:
			if isInfinity(&v) {
				r.write("infinity")
			} else {
				v.ToAffine()
				r.write(&v)
			}
		case *secp256k1.JacobianPoint:
			r.write(&v.X, &v.Y, &v.Z)
		case *secp256k1.PublicKey:
			var p secp256k1.JacobianPoint
			v.AsJacobian(&p)
			r.write(v.SerializeCompressed(), v.SerializeUncompressed(), v.IsOnCurve(), &p, v.X(), v.Y())
		case *ecdsa.Signature:
			rr, s := v.R(), v.S()
			same := ecdsa.NewSignature(&rr, &s)
			r.write(&rr, &s, v.Serialize(), v.IsEqual(same), *v == *same)
		case *schnorr.Signature:
			rr, s := v.R(), v.S()
			same := schnorr.NewSignature(&rr, &s)
			r.write(&rr, &s, v.Serialize(), v.IsEqual(same), *v == *same)
		case *btcschnorr.Signature:
			same, err := btcschnorr.ParseSignature(v.Serialize())
			r.write(v.Serialize(), err, v.IsEqual(same), *v == *same)
		case *musig2.PartialSignature:
			var b bytes.Buffer
			r.write(v.S, v.R, v.Encode(&b), b.Bytes())
		default:
			*r = fmt.Appendf(*r, "x%x ", v)
		}
	}
}

func isInfinity(p *secp256k1.JacobianPoint) bool {
	c := *p
	c.X.Normalize()
	c.Y.Normalize()
	c.Z.Normalize()
	return c.X.IsZero() && c.Y.IsZero() || c.Z.IsZero()
}

// sentinels lists the errors that programs compare with ==.
var sentinels = []error{
	musig2.ErrAlreadyHaveAllSigners, musig2.ErrAlredyHaveAllNonces, musig2.ErrAlredyHaveAllSigs,
	musig2.ErrCombinedNonceAfterPubNonces, musig2.ErrCombinedNonceUnavailable,
	musig2.ErrFinalSigInvalid, musig2.ErrNoEarlyNonce, musig2.ErrNoncePointAtInfinity,
	musig2.ErrNotEnoughSigners, musig2.ErrPartialSigInvalid, musig2.ErrPrivKeyZero,
	musig2.ErrPubkeyInvalid, musig2.ErrPubkeyNotIncluded, musig2.ErrSecNoncePubkey,
	musig2.ErrSecretNonceZero, musig2.ErrSignerNotInKeySet, musig2.ErrSignersNotSpecified,
	musig2.ErrSigningContextReuse, musig2.ErrTaprootInternalKeyUnavailable,
	musig2.ErrTweakedKeyIsInfinity, musig2.ErrTweakedKeyOverflows,
	erigon.ErrInvalidMsgLen, erigon.ErrInvalidSignatureLen, erigon.ErrInvalidRecoveryID,
	erigon.ErrInvalidKey, erigon.ErrInvalidPubkey, erigon.ErrSignFailed, erigon.ErrRecoverFailed,
}

// err writes an error and those that it wraps: the text of each, its index in sentinels, and the
// type and fields of those with exported types, which are structs, not pointers, since programs
// compare them with ==.
func (r *record) err(err error) {
	for ; err != nil; err = errors.Unwrap(err) {
		r.write(fmt.Sprintf("%q", err.Error()))
		if token.IsExported(reflect.TypeOf(err).Name()) {
			r.write(fmt.Sprintf("%T %#v", err, err))
		}
		for i, e := range sentinels {
			if err == e {
				r.write(i)
			}
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
			r.write("runtime error")
		default:
			r.write(fmt.Sprintf("panic %q", fmt.Sprint(e)))
		}
	}()
	f()
}
