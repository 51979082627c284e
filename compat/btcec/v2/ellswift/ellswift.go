// Package ellswift replaces github.com/btcsuite/btcd/btcec/v2/ellswift: the encoding of public keys
// of BIP-324, and its shared secrets.
package ellswift

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
)

// ErrPointNotOnCurve is never returned, since every encoding decodes to a point.
var ErrPointNotOnCurve = impl.ErrPointNotOnCurve

// XSwiftEC returns the x coordinate that the pair (u, t) encodes.
func XSwiftEC(u, t *btcec.FieldVal) (*btcec.FieldVal, error) { return impl.XSwiftEC(u, t) }

// XSwiftECInv returns the t for which the pair (u, t) encodes x, or nil if the case caseNum has no
// t.
func XSwiftECInv(u, x *btcec.FieldVal, caseNum int) *btcec.FieldVal {
	return impl.XSwiftECInv(u, x, caseNum)
}

// XElligatorSwift returns a random u, and a t for which the pair (u, t) encodes x.
func XElligatorSwift(x *btcec.FieldVal) (*btcec.FieldVal, *btcec.FieldVal, error) {
	return impl.XElligatorSwift(x)
}

// EllswiftCreate returns a random private key and an encoding of its public key.
func EllswiftCreate() (*btcec.PrivateKey, [64]byte, error) { return impl.EllswiftCreate() }

// EllswiftECDHXOnly returns the x coordinate of the shared point: privKey times the peer's key,
// which ellswiftTheirs encodes. It takes constant time in privKey.
func EllswiftECDHXOnly(ellswiftTheirs [64]byte, privKey *btcec.PrivateKey) ([32]byte, error) {
	return impl.EllswiftECDHXOnly(ellswiftTheirs, privKey)
}

// V2Ecdh returns the shared secret of BIP-324, in constant time in the private key.
func V2Ecdh(
	priv *btcec.PrivateKey, ellswiftTheirs, ellswiftOurs [64]byte, initiating bool,
) (*chainhash.Hash, error) {
	shared, err := impl.V2Ecdh(priv, ellswiftTheirs, ellswiftOurs, initiating)
	return (*chainhash.Hash)(&shared), err
}
