// Command subject makes one of the calls that the section "Walks" of ARCHITECTURE.md describes. Its
// argument is the name of the call. Package walks builds it with kernels that record the stacks of
// their callers.
package main

//ci:untested The tests of lab/layers/walks run it.

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"os"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
)

// rows is the number of rows in a batch. It is large enough that all lanes of a vector are used,
// and that a batch equation is used on every level.
const rows = 256

// calls maps the argument to the call.
var calls = map[string]func() error{
	"verification": verification,
	"signature":    signature,
	"exact":        exact,
	"equation":     equation,
	"few":          func() error { return sum(20) },
	"sum":          func() error { return sum(300) },
}

func main() {
	call := calls[os.Args[1]]
	if call == nil {
		fmt.Fprintln(os.Stderr, "no such call")
		os.Exit(2)
	}
	if err := call(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// must returns v. It ends the program if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return v
}

// key returns private key number i, which is the same in every run.
func key(i int) *koblitz.PrivateKey {
	b := sha256.Sum256([]byte{byte(i)})
	return must(koblitz.ParsePrivateKey(b[:]))
}

func verification() error {
	k := key(0)
	hash := sha256.Sum256(nil)
	sig := must(ecdsa.Sign(k, hash[:], nil))
	if !ecdsa.Verify(k.PublicKey(), hash[:], sig) {
		return fmt.Errorf("a good signature does not verify")
	}
	return nil
}

func signature() error {
	hash := sha256.Sum256(nil)
	_, err := ecdsa.Sign(key(0), hash[:], nil)
	return err
}

func exact() error {
	var hashes, keys, sigs []byte
	for i := range rows {
		k := key(i)
		hash := sha256.Sum256([]byte{byte(i)})
		sig := must(ecdsa.Sign(k, hash[:], nil))
		hashes = append(hashes, hash[:]...)
		keys = append(keys, k.PublicKey().Bytes()...)
		sigs = sig.AppendBytes(sigs)
	}
	r := batch.ECDSARows{
		Hashes:     batch.Packed(hashes, 32),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 33)),
		Signatures: batch.Packed(sigs, 64), S: batch.AnyS,
	}
	return all(r.Verify(context.Background(), make([]batch.Verdict, rows), nil))
}

func equation() error {
	var messages, keys, sigs []byte
	for i := range rows {
		k := key(i)
		message := sha256.Sum256([]byte{byte(i)})
		sig := must(schnorr.Sign(k, message[:], &schnorr.SignOptions{Aux: message[:]}))
		messages = append(messages, message[:]...)
		keys = append(keys, k.XOnlyPublicKey().Bytes()...)
		sigs = append(sigs, sig...)
	}
	r := batch.SchnorrRows{
		Messages:   batch.Packed(messages, 32),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 32)),
		Signatures: batch.Packed(sigs, 64),
	}
	return all(r.Verify(context.Background(), make([]batch.Verdict, rows), nil))
}

// all returns err, or an error if count, a number of valid rows, is not the number of all rows.
func all(count int, err error) error {
	if err == nil && count != rows {
		err = fmt.Errorf("%d of %d good signatures verify", count, rows)
	}
	return err
}

// sum computes a multi-scalar multiplication of the given number of terms.
func sum(terms int) error {
	scalars, points := make([]group.Scalar, terms), make([]group.Point, terms)
	for i := range terms {
		b := sha512.Sum512([]byte{byte(i), byte(i >> 8)})
		scalars[i].SetUniformBytes(b[:])
		points[i].ScalarBaseMult(&scalars[i])
	}
	_, err := msm.SumVartime(context.Background(), scalars, points, nil)
	return err
}
