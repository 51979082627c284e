package ellswift

import (
	"crypto/rand"
	"errors"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// EllswiftCreate returns a random private key, and an encoding of its public key: u and t, 32 bytes
// each, big-endian. The key is a number of 32 random bytes of the operating system, reduced modulo
// n. The error is always nil. The running time depends on the public key.
func EllswiftCreate() (*secp256k1.PrivateKey, [64]byte, error) {
	var b [32]byte
	rand.Read(b[:])
	//ct:secret b[31]&1 == 1
	key := secp256k1.PrivKeyFromBytes(b[:])
	//ct:secret key.Key.IsOdd()
	ct.Wipe(b[:])
	var p secp256k1.JacobianPoint
	key.PubKey().AsJacobian(&p)
	u, t, _ := XElligatorSwift(&p.X)
	var encoded [64]byte
	u.PutBytesUnchecked(encoded[:32])
	t.PutBytesUnchecked(encoded[32:])
	return key, encoded, nil
}

// EllswiftECDHXOnly returns the x coordinate of privKey·P as 32 bytes, big-endian, where
// ellswiftTheirs encodes the x coordinate of P. If the key is 0, it returns zeros. The error is
// nil, except after a fault of the machine. The running time depends on ellswiftTheirs, but not on
// the key.
func EllswiftECDHXOnly(
	ellswiftTheirs [64]byte, privKey *secp256k1.PrivateKey,
) (x [32]byte, err error) {
	var r swiftec.X
	r.SetBytes(&ellswiftTheirs)
	//ct:secret privKey.Key.IsOverHalfOrder()
	secret.DoDeep(func() {
		if !r.Mult(&x, (*scalar.Scalar)(&privKey.Key)) { //ct:unrun no case makes a fault
			err = errFault
		}
	})
	return x, err
}

var errFault = errors.New("ellswift: a fault in the computation")

// V2Ecdh returns the shared secret of BIP-324: a tagged hash of both encoded keys and of the result
// of EllswiftECDHXOnly. The error is nil except after a fault. The running time depends on the
// encoded keys and on initiating, but not on the private key.
func V2Ecdh(
	priv *secp256k1.PrivateKey, ellswiftTheirs, ellswiftOurs [64]byte, initiating bool,
) (shared [32]byte, err error) {
	var r swiftec.X
	r.SetBytes(&ellswiftTheirs)
	first, second := &ellswiftTheirs, &ellswiftOurs
	if initiating {
		first, second = second, first
	}
	secret.DoDeep(func() {
		if !r.Mult(&shared, (*scalar.Scalar)(&priv.Key)) { //ct:unrun no case makes a fault
			err = errFault
		}
		//ct:secret shared[31]&1 == 1
		hash.Ellswift(&shared, first, second, &shared)
		//ct:secret shared[31]&1 == 1
	})
	return shared, err
}
