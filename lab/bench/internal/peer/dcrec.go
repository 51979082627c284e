package peer

import (
	"maps"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// A dcrRow is a row with what dcrec parses from it.
type dcrRow struct {
	*Row
	private   *secp256k1.PrivateKey
	public    *secp256k1.PublicKey
	next      *secp256k1.PublicKey // public key of the next row
	scalar    secp256k1.ModNScalar // the secret
	signature *ecdsa.Signature
	compact   []byte // recoverable signature in dcrec's encoding
}

func newDcrRow(r *Row) *dcrRow {
	d := &dcrRow{Row: r, private: secp256k1.PrivKeyFromBytes(r.Secret), public: dcrPublic(r.Key),
		next: dcrPublic(r.Next.Key), signature: dcrSignature(r.ECDSA),
		compact: append([]byte{31 + r.Recoverable[64]}, r.ECDSA...)}
	d.scalar.SetByteSlice(r.Secret)
	return d
}

func dcrPublic(b []byte) *secp256k1.PublicKey { return must(secp256k1.ParsePubKey(b)) }

func dcrSignature(b []byte) *ecdsa.Signature {
	var r, s secp256k1.ModNScalar
	r.SetByteSlice(b[:32])
	s.SetByteSlice(b[32:])
	return ecdsa.NewSignature(&r, &s)
}

func dcrRS(sig *ecdsa.Signature) []byte {
	r, s := sig.R(), sig.S()
	rb, sb := r.Bytes(), s.Bytes()
	return append(rb[:], sb[:]...)
}

// NewDcrec returns a peer that calls decred's pure-Go implementation.
func NewDcrec(in *Inputs) *Peer {
	d := single(each(in.rows, newDcrRow), dcrRows())
	maps.Copy(d, rowByRow(in, newDcrRow, dcrRows()))
	version := moduleVersion("github.com/decred/dcrd/dcrec/secp256k1/v4")
	return &Peer{Name: "dcrec", Version: version, Drivers: d}
}

// dcrRows returns dcrec's operations on single rows.
func dcrRows() map[string]op[*dcrRow] {
	key := func(t Timing, run func(r *dcrRow) *secp256k1.PublicKey) op[*dcrRow] {
		return gives(t, run, (*secp256k1.PublicKey).SerializeCompressed)
	}
	var p secp256k1.JacobianPoint
	return map[string]op[*dcrRow]{
		"keygen": key(Variable, func(r *dcrRow) *secp256k1.PublicKey {
			return secp256k1.PrivKeyFromBytes(r.Secret).PubKey()
		}),
		"ecdsa-sign-unchecked": gives(Variable, func(r *dcrRow) *ecdsa.Signature {
			return ecdsa.Sign(r.private, r.Hash)
		}, dcrRS),
		"ecdsa-verify": verifies(func(r *dcrRow) bool { return r.signature.Verify(r.Hash, r.public) }),
		"ecdsa-verify-parse": verifies(func(r *dcrRow) bool {
			return must(ecdsa.ParseDERSignature(r.DER)).Verify(r.Hash, dcrPublic(r.Key))
		}),
		"ecdsa-batch": verifies(func(r *dcrRow) bool {
			return dcrSignature(r.ECDSA).Verify(r.Hash, dcrPublic(r.Key))
		}),
		"ecdh-x": returns(Variable, func(r *dcrRow) []byte {
			return secp256k1.GenerateSharedSecret(r.private, r.next)
		}),
		"recover": key(Public, func(r *dcrRow) *secp256k1.PublicKey {
			k, _, err := ecdsa.RecoverCompact(r.compact, r.Hash)
			return must(k, err)
		}),
		"parse": key(Public, func(r *dcrRow) *secp256k1.PublicKey { return dcrPublic(r.Key) }),
		"base-mul-batch": gives(Public, func(r *dcrRow) *secp256k1.JacobianPoint {
			secp256k1.ScalarBaseMultNonConst(&r.scalar, &p)
			p.ToAffine()
			return &p
		}, func(p *secp256k1.JacobianPoint) []byte {
			return secp256k1.NewPublicKey(&p.X, &p.Y).SerializeCompressed()
		}),
	}
}
