//ct:public verifies signatures, which are public

package ecdsa

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Recover returns the public key under which sig65 is a signature of the hash
// (SEC 1 version 2, section 4.1.6). sig65 is 65 bytes: r and s of 32 bytes each,
// big-endian, and the recovery id, 0 to 3, as SignRecoverable writes it. A high
// s is accepted: if the protocol forbids that, parse the first 64 bytes and call IsLowS.
//
// Recover finds a key for about half of all numbers r, even random ones. A signature proves
// something only if the caller compares the key with one that it expects.
//
// There is an error if the hash is shorter than 20 bytes; if the signature has another length or
// recovery id; if r or s is not in [1, n); if the id says that the x coordinate of the nonce point
// is r + n, and r + n is not below p; if no point of the curve has that x coordinate; or if the key
// would be infinity. The time depends on the arguments.
func Recover(hash, sig65 []byte) (*koblitz.PublicKey, error) {
	key := new(koblitz.PublicKey)
	if err := recoverKey((*keys.Public)(key), hash, sig65); err != nil {
		return nil, err
	}
	return key, nil
}

func recoverKey(key *keys.Public, hash, sig65 []byte) error {
	if tooShort(hash) {
		return errShortHash(hash)
	}
	if len(sig65) != 65 {
		return fmt.Errorf("ecdsa: recoverable signature: %d bytes, want 65", len(sig65))
	}
	id := sig65[64]
	if id > 3 {
		return fmt.Errorf(
			"ecdsa: recoverable signature: byte 64, the recovery id, is %d, want 0 to 3", id)
	}
	var sig Signature
	if err := sig.parse(sig65[:64]); err != nil {
		return err
	}

	var x field.Element
	r, s := sig.numbers()
	if !dsa.NonceX(&x, r, id) {
		return fmt.Errorf("ecdsa: recoverable signature: the recovery id is %d, "+
			"but r + n is not below the field prime p", id)
	}
	var R, q point.Affine
	if !dsa.NoncePoint(&R, &x, id) {
		return errors.New("ecdsa: recoverable signature: no point of the curve has the " +
			"x coordinate that r and the recovery id give")
	}
	var z scalar.Scalar
	dsa.SetHash(&z, hash)
	if !dsa.Recover(&q, r, s, &z, &R) {
		return errors.New("ecdsa: recoverable signature: the public key would be infinity")
	}
	key.SetAffine(&q)
	return nil
}
