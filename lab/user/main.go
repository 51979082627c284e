// Command user signs, verifies and computes shared secrets with the library. A test measures the
// size of this program, and CI builds it in a module that depends on a published version of the
// library.
package main

import (
	"fmt"
	"os"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

func main() {
	key, hash := koblitz.GenerateKey(), make([]byte, 32)
	public := key.PublicKey()
	sig, err := ecdsa.Sign(key, hash, nil)
	check("ECDSA", err, ecdsa.Verify(public, hash, sig))
	check("a prepared key", nil, ecdsa.VerifyPrepared(public.Prepare(2048), hash, sig))
	sig65, err := ecdsa.SignRecoverable(key, hash, nil)
	check("a recoverable signature", err, true)
	recovered, err := ecdsa.Recover(hash, sig65)
	check("recovery", err, err == nil && recovered.Equal(public))
	sig64, err := schnorr.Sign(key, hash, nil)
	check("BIP-340", err, schnorr.Verify(key.XOnlyPublicKey(), hash, sig64))
	shared, err := ecdh.SharedX(key, public)
	check("ECDH", err, len(shared) == 32)
}

func check(what string, err error, ok bool) {
	fmt.Println(what, ok, err)
	if err != nil || !ok {
		os.Exit(1)
	}
}
