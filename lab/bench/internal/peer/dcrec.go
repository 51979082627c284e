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
	signature *ecdsa.Signature
	compact   []byte // recoverable signature in dcrec's encoding
}

func newDcrRow(r *Row) *dcrRow {
	return &dcrRow{Row: r, private: secp256k1.PrivKeyFromBytes(r.Secret), public: dcrPublic(r.Key),
		next: dcrPublic(r.Next.Key), signature: dcrSignature(r.ECDSA),
		compact: append([]byte{31 + r.Recoverable[64]}, r.ECDSA...)}
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

// notConstant is the note in the report on a peer whose time depends on secrets.
const notConstant = "not constant time"

// NewDcrec returns a peer that calls decred's pure-Go implementation.
func NewDcrec(in *Inputs) *Peer {
	d := single(each(in.rows, newDcrRow), dcrRows())
	maps.Copy(d, rowByRow(in, newDcrRow, dcrRows()))
	version := moduleVersion("github.com/decred/dcrd/dcrec/secp256k1/v4")
	return &Peer{Name: "dcrec", Version: version, Note: notConstant, Drivers: d}
}

// dcrRows returns dcrec's operations on single rows.
func dcrRows() map[string]op[*dcrRow] {
	key := func(run func(r *dcrRow) *secp256k1.PublicKey) op[*dcrRow] {
		return gives(run, (*secp256k1.PublicKey).SerializeCompressed)
	}
	return map[string]op[*dcrRow]{
		"keygen": key(func(r *dcrRow) *secp256k1.PublicKey {
			return secp256k1.PrivKeyFromBytes(r.Secret).PubKey()
		}),
		"ecdsa-sign-unchecked": gives(func(r *dcrRow) *ecdsa.Signature {
			return ecdsa.Sign(r.private, r.Hash)
		}, dcrRS),
		"ecdsa-verify": verifies(func(r *dcrRow) bool { return r.signature.Verify(r.Hash, r.public) }),
		"ecdsa-batch": verifies(func(r *dcrRow) bool {
			return dcrSignature(r.ECDSA).Verify(r.Hash, dcrPublic(r.Key))
		}),
		"ecdh-x": returns(func(r *dcrRow) []byte {
			return secp256k1.GenerateSharedSecret(r.private, r.next)
		}),
		"recover": key(func(r *dcrRow) *secp256k1.PublicKey {
			k, _, err := ecdsa.RecoverCompact(r.compact, r.Hash)
			return must(k, err)
		}),
		"parse": key(func(r *dcrRow) *secp256k1.PublicKey { return dcrPublic(r.Key) }),
	}
}
