//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"context"
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An operation is a call of an exported function that receives or makes a secret.
type operation struct {
	// name is the function's name, as in the folder api. If a function has several operations, a
	// space and a description follow the name.
	name    string
	run     func(s *subject) error
	needs   int // flags, listed below
	secrets func(v *values, n *needles)
}

const (
	needKeys = 1 << iota
	needScalars
	needPoints
	needDropIns
	freshOnly // the leak occurs only on a fresh stack
	inRows    // the operation is one on many rows
)

// manyRows is a number of rows that every level with lanes computes in lanes.
const manyRows = 48

var operations = slices.Concat(exported, registerOperations)

var exported = slices.Concat(own, protocols, payments, musigs, dropIns)

// unchecked omits the verification at the end of ECDSA signing.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

// schnorrRows signs the hash with the secret D in each row.
func (s *subject) schnorrRows(rows int, unchecked bool) error {
	sigs, verdicts := make([]byte, 64*rows), make([]batch.Verdict, rows)
	_, err := batch.SchnorrSignRows{
		Secrets:  batch.Same(s.d()),
		Messages: batch.Same(s.Hash[:]),
		Aux:      batch.Same(s.Random[:]),
	}.Sign(context.Background(), sigs, verdicts,
		&batch.SecretOptions{Workers: 1, Unchecked: unchecked})
	return s.taken(sigs[:64], err)
}

// ecdsaRows works like schnorrRows, with ECDSA.
func (s *subject) ecdsaRows(rows int, unchecked bool) error {
	sigs, verdicts := make([]byte, 65*rows), make([]batch.Verdict, rows)
	_, err := batch.ECDSASignRows{
		Secrets: batch.Same(s.d()),
		Hashes:  batch.Same(s.Hash[:]),
	}.Sign(context.Background(), sigs, verdicts,
		&batch.SecretOptions{Workers: 1, Unchecked: unchecked})
	return s.taken(sigs[:64], err)
}

// blinded returns the private key with the blinding e.
func (s *subject) blinded() *koblitz.PrivateKey {
	var b scalar.Scalar
	b.SetBytes((*[32]byte)(s.e()))
	k := koblitz.PrivateKey((*keys.Private)(s.key).Blinded(ecmult.NewBlinding(&b)))
	return &k
}

// encodings returns an encoding of the peer's key, and another one.
func (s *subject) encodings() (theirs, ours []byte) {
	theirs, _ = ellswift.Encode(s.peer, s.Random[:])
	ours, _ = ellswift.Encode(s.peer, s.Hash[:])
	return theirs, ours
}

// own holds the operations of all packages except the drop-in packages.
var own = []operation{
	{"nothing", func(s *subject) error {
		return nil
	}, needKeys | needScalars | needPoints, aPoint},

	{"koblitz.GenerateKey", func(s *subject) error {
		s.made = koblitz.GenerateKey()
		s.take(s.made.Bytes())
		return nil
	}, 0, aNewNumber},
	{"koblitz.ParsePrivateKey", func(s *subject) (err error) {
		s.made, err = koblitz.ParsePrivateKey(s.d())
		return err
	}, 0, aKey},
	{"koblitz.PrivateKey.Bytes", func(s *subject) error {
		s.take(s.key.Bytes())
		return nil
	}, needKeys, aKey},
	{"koblitz.PrivateKey.PublicKey", func(s *subject) error {
		s.key.PublicKey()
		return nil
	}, needKeys, aBaseMult},
	{"koblitz.PrivateKey.XOnlyPublicKey", func(s *subject) error {
		s.key.XOnlyPublicKey()
		return nil
	}, needKeys, aBaseMult},
	{"koblitz.PrivateKey.Equal", func(s *subject) error {
		if s.key.Equal(s.other) {
			return errors.New("two keys are equal")
		}
		return nil
	}, needKeys, twoNumbers},
	{"koblitz.PrivateKey.Negate", func(s *subject) error {
		s.made = s.key.Negate()
		return nil
	}, needKeys, aKey},
	{"koblitz.PrivateKey.Blinded", func(s *subject) error {
		s.key.Blinded().PublicKey()
		return nil
	}, needKeys, aKey},
	{"koblitz.PrivateKey.Zeroize", func(s *subject) error {
		s.key.Zeroize()
		return nil
	}, needKeys, aKey},
	{"koblitz.PrivateKey.IsZero", func(s *subject) error {
		if s.key.IsZero() {
			return errors.New("a key is zero")
		}
		return nil
	}, needKeys, aKey},
	{"koblitz.PrivateKey.TweakAdd", func(s *subject) (err error) {
		s.made, err = s.key.TweakAdd(s.e())
		return err
	}, needKeys, aSum},
	{"koblitz.PrivateKey.TweakMul", func(s *subject) (err error) {
		s.made, err = s.key.TweakMul(s.e())
		return err
	}, needKeys, aProduct},
	{"koblitz.PrivateKey.TweakAddXOnly", func(s *subject) (err error) {
		s.made, err = s.key.TweakAddXOnly(s.e())
		return err
	}, needKeys, aSum},
	{"koblitz.PrivateKey.TaprootTweak", func(s *subject) (err error) {
		s.made, err = s.key.TaprootTweak(s.Hash[:])
		return err
	}, needKeys, aTaprootKey},
	{"koblitz.PublicKey.TweakAdd", func(s *subject) error {
		_, err := s.peer.TweakAdd(s.d())
		return err
	}, 0, aBaseMult},
	{"koblitz.PublicKey.TweakMul", func(s *subject) error {
		_, err := s.peer.TweakMul(s.d())
		return err
	}, 0, aPublicMult},
	{"koblitz.XOnlyPublicKey.TweakAdd", func(s *subject) error {
		_, err := s.peer.XOnlyPublicKey().TweakAdd(s.d())
		return err
	}, 0, aBaseMult},

	{"ecdsa.Sign", func(s *subject) error {
		sig, err := ecdsa.Sign(s.key, s.Hash[:], unchecked)
		return s.signature(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.Sign with entropy", func(s *subject) error {
		sig, err := ecdsa.Sign(s.key, s.Hash[:], &ecdsa.SignOptions{Entropy: s.Random[:],
			Unchecked: true})
		return s.signature(sig, err)
	}, needKeys, anECDSAWithEntropy},
	{"ecdsa.Sign with a blinded key", func(s *subject) error {
		sig, err := ecdsa.Sign(s.blinded(), s.Hash[:], unchecked)
		return s.signature(sig, err)
	}, needKeys, blinded(anECDSA)},
	{"ecdsa.Sign checked", func(s *subject) error {
		sig, err := ecdsa.Sign(s.key, s.Hash[:], nil)
		return s.signature(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.Signer.Sign checked", func(s *subject) error {
		signer, err := ecdsa.NewSigner(s.key)
		if err != nil {
			return err
		}
		der, err := signer.Sign(nil, s.Hash[:], nil)
		if err != nil {
			return err
		}
		return s.signature(ecdsa.ParseDER(der))
	}, needKeys, anECDSA},
	{"ecdsa.AppendSign", func(s *subject) error {
		sig, err := ecdsa.AppendSign(nil, s.key, s.Hash[:], unchecked)
		return s.taken(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.AppendSign checked", func(s *subject) error {
		sig, err := ecdsa.AppendSign(nil, s.key, s.Hash[:], nil)
		return s.taken(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.SignRecoverable", func(s *subject) error {
		sig, err := ecdsa.SignRecoverable(s.key, s.Hash[:], unchecked)
		return s.taken(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.SignRecoverable checked", func(s *subject) error {
		sig, err := ecdsa.SignRecoverable(s.key, s.Hash[:], nil)
		return s.taken(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.AppendSignRecoverable", func(s *subject) error {
		sig, err := ecdsa.AppendSignRecoverable(nil, s.key, s.Hash[:], unchecked)
		return s.taken(sig, err)
	}, needKeys, anECDSA},
	{"ecdsa.AppendSignRecoverable checked, with entropy", func(s *subject) error {
		options := &ecdsa.SignOptions{Entropy: s.Random[:]}
		sig, err := ecdsa.AppendSignRecoverable(nil, s.key, s.Hash[:], options)
		return s.taken(sig, err)
	}, needKeys, anECDSAWithEntropy},

	{"schnorr.Sign", func(s *subject) error {
		sig, err := schnorr.Sign(s.key, s.Hash[:], nil)
		return s.taken(sig, err)
	}, needKeys, aSchnorr},
	{"schnorr.Signer.Sign checked", func(s *subject) error {
		signer, err := schnorr.NewSigner(s.key)
		if err != nil {
			return err
		}
		return s.taken(signer.Sign(nil, s.Hash[:], nil))
	}, needKeys, aSchnorr},
	{"schnorr.Signer.SignMessage checked", func(s *subject) error {
		signer, err := schnorr.NewSigner(s.key)
		if err != nil {
			return err
		}
		return s.taken(signer.SignMessage(nil, s.Hash[:], nil))
	}, needKeys, aSchnorr},
	{"schnorr.Sign with auxiliary randomness", func(s *subject) error {
		sig, err := schnorr.Sign(s.key, s.Hash[:], &schnorr.SignOptions{Aux: s.Random[:]})
		return s.taken(sig, err)
	}, needKeys, aSchnorr},
	{"schnorr.Sign with a blinded key", func(s *subject) error {
		sig, err := schnorr.Sign(s.blinded(), s.Hash[:], &schnorr.SignOptions{Aux: s.Random[:]})
		return s.taken(sig, err)
	}, needKeys, blinded(aSchnorr)},
	{"schnorr.Sign unchecked", func(s *subject) error {
		sig, err := schnorr.Sign(s.key, s.Hash[:], &schnorr.SignOptions{Aux: s.Random[:],
			Unchecked: true})
		return s.taken(sig, err)
	}, needKeys, aSchnorr},
	{"schnorr.AppendSign", func(s *subject) error {
		sig, err := schnorr.AppendSign(nil, s.key, s.Hash[:], &schnorr.SignOptions{Aux: s.Random[:]})
		return s.taken(sig, err)
	}, needKeys, aSchnorr},
	{"schnorr.AppendSign unchecked", func(s *subject) error {
		sig, err := schnorr.AppendSign(nil, s.key, s.Hash[:], &schnorr.SignOptions{Unchecked: true})
		return s.taken(sig, err)
	}, needKeys, aSchnorr},

	{"batch.SchnorrSignRows.Sign unchecked, of one row", func(s *subject) error {
		return s.schnorrRows(1, true)
	}, 0, aSchnorr},
	{"batch.SchnorrSignRows.Sign unchecked, of many rows", func(s *subject) error {
		return s.schnorrRows(manyRows, true)
	}, inRows, aSchnorr},
	{"batch.SchnorrSignRows.Sign checked, of many rows", func(s *subject) error {
		return s.schnorrRows(manyRows, false)
	}, inRows, aSchnorr},
	{"batch.ECDSASignRows.Sign unchecked, of one row", func(s *subject) error {
		return s.ecdsaRows(1, true)
	}, 0, anECDSA},
	{"batch.ECDSASignRows.Sign unchecked, of many rows", func(s *subject) error {
		return s.ecdsaRows(manyRows, true)
	}, inRows, anECDSA},
	{"batch.ECDSASignRows.Sign checked, of many rows", func(s *subject) error {
		return s.ecdsaRows(manyRows, false)
	}, inRows, anECDSA},

	{"schnorr.TaggedHash", func(s *subject) error {
		hash := schnorr.TaggedHash("tag", s.d())
		s.take(hash[:])
		return nil
	}, 0, aKey},

	{"ecdh.SharedX", func(s *subject) error {
		b, err := ecdh.SharedX(s.key, s.peer)
		return s.taken(b, err)
	}, needKeys, aScalarMult},
	{"ecdh.AppendSharedX", func(s *subject) error {
		b, err := ecdh.AppendSharedX(nil, s.key, s.peer)
		return s.taken(b, err)
	}, needKeys, aScalarMult},
	{"ecdh.SharedXOnly", func(s *subject) error {
		b, err := ecdh.SharedXOnly(s.key, s.peer.XOnlyPublicKey())
		return s.taken(b, err)
	}, needKeys, aScalarMult},
	{"ecdh.AppendSharedXOnly", func(s *subject) error {
		b, err := ecdh.AppendSharedXOnly(nil, s.key, s.peer.XOnlyPublicKey())
		return s.taken(b, err)
	}, needKeys, aScalarMult},
	{"ecdh.SharedSHA256", func(s *subject) error {
		b, err := ecdh.SharedSHA256(s.key, s.peer)
		return s.taken(b, err)
	}, needKeys, aScalarMult},
	{"ecdh.AppendSharedSHA256", func(s *subject) error {
		b, err := ecdh.AppendSharedSHA256(nil, s.key, s.peer)
		return s.taken(b, err)
	}, needKeys, aScalarMult},

	{"ellswift.Create", func(s *subject) error {
		_, err := ellswift.Create(s.key, s.Random[:])
		return err
	}, needKeys, aBaseMult},
	{"ellswift.SharedSecret", func(s *subject) error {
		theirs, ours := s.encodings()
		b, err := ellswift.SharedSecret(s.key, ours, theirs, true)
		return s.taken(b, err)
	}, needKeys, aScalarMult},
	{"ellswift.AppendSharedSecret", func(s *subject) error {
		theirs, ours := s.encodings()
		b, err := ellswift.AppendSharedSecret(nil, s.key, ours, theirs, false)
		return s.taken(b, err)
	}, needKeys, aScalarMult},

	{"batch.SecretRows.PublicKeys", func(s *subject) error {
		rows, keys := batch.SecretRows{Secrets: batch.Same(s.d())}, make([]byte, 33*manyRows)
		_, err := rows.PublicKeys(context.Background(), keys, make([]batch.Verdict, manyRows),
			&batch.SecretOptions{Workers: 1})
		return err
	}, inRows, manyBaseMults},
	{"batch.ECDHRows.SharedX", func(s *subject) error {
		x, verdicts := make([]byte, 32*manyRows), make([]batch.Verdict, manyRows)
		rows := batch.ECDHRows{Secrets: batch.Same(s.d()), Keys: batch.Same(s.peer.Bytes())}
		_, err := rows.SharedX(context.Background(), x, verdicts, &batch.SecretOptions{Workers: 1})
		s.take(x[:32])
		clear(x)
		return err
	}, inRows, manyScalarMults},

	{"pkix.MarshalECPrivateKey", func(s *subject) error {
		b, err := pkix.MarshalECPrivateKey(s.key)
		clear(b)
		return err
	}, needKeys, anEncodedKey},
	{"pkix.ParseECPrivateKey", func(s *subject) error {
		b, err := pkix.MarshalECPrivateKey(s.key)
		if err != nil {
			return err
		}
		s.made, err = pkix.ParseECPrivateKey(b)
		clear(b)
		return err
	}, needKeys, anEncodedKey},
	{"pkix.MarshalPKCS8PrivateKey", func(s *subject) error {
		b, err := pkix.MarshalPKCS8PrivateKey(s.key)
		clear(b)
		return err
	}, needKeys, anEncodedKey},
	{"pkix.ParsePKCS8PrivateKey", func(s *subject) error {
		b, err := pkix.MarshalPKCS8PrivateKey(s.key)
		if err != nil {
			return err
		}
		s.made, err = pkix.ParsePKCS8PrivateKey(b)
		clear(b)
		return err
	}, needKeys, anEncodedKey},
	{"pkix.MarshalECPrivateKeyPEM", func(s *subject) error {
		b, err := pkix.MarshalECPrivateKeyPEM(s.key)
		clear(b)
		return err
	}, needKeys, anEncodedKey},
	{"pkix.MarshalPrivateKeyPEM", func(s *subject) error {
		b, err := pkix.MarshalPrivateKeyPEM(s.key)
		clear(b)
		return err
	}, needKeys, anEncodedKey},
	{"pkix.ParsePrivateKeyPEM", func(s *subject) error {
		b, err := pkix.MarshalPrivateKeyPEM(s.key)
		if err != nil {
			return err
		}
		s.made, err = pkix.ParsePrivateKeyPEM(b)
		clear(b)
		return err
	}, needKeys, anEncodedKey},

	{"group.RandomScalar", func(s *subject) error {
		s.z = group.RandomScalar()
		s.take(s.z.Bytes())
		return nil
	}, 0, aNewNumber},
	{"group.Scalar.Set", func(s *subject) error {
		s.z.Set(s.x)
		return nil
	}, needScalars, aKey},
	{"group.Scalar.SetBytes", func(s *subject) error {
		_, err := s.z.SetBytes(s.d())
		return err
	}, 0, aKey},
	{"group.Scalar.SetBytesReduced", func(s *subject) error {
		_, err := s.z.SetBytesReduced(s.d())
		return err
	}, 0, aKey},
	{"group.Scalar.SetUniformBytes", func(s *subject) error {
		_, err := s.z.SetUniformBytes(s.DE[:])
		return err
	}, 0, aWideNumber},
	{"group.Scalar.Bytes", func(s *subject) error {
		s.take(s.x.Bytes())
		return nil
	}, needScalars, aKey},
	{"group.Scalar.AppendBytes", func(s *subject) error {
		s.take(s.x.AppendBytes(nil))
		return nil
	}, needScalars, aKey},
	{"group.Scalar.Add", func(s *subject) error {
		s.z.Add(s.x, s.y)
		return nil
	}, needScalars, aSum},
	{"group.Scalar.Sub", func(s *subject) error {
		s.z.Sub(s.x, s.y)
		return nil
	}, needScalars, aSum},
	{"group.Scalar.Negate", func(s *subject) error {
		s.z.Negate(s.x)
		return nil
	}, needScalars, aKey},
	{"group.Scalar.Mul", func(s *subject) error {
		s.z.Mul(s.x, s.y)
		return nil
	}, needScalars, aProduct},
	{"group.Scalar.Invert", func(s *subject) error {
		s.z.Invert(s.x)
		return nil
	}, needScalars, anInverse},
	{"group.Scalar.Equal", func(s *subject) error {
		if s.x.Equal(s.y) {
			return errors.New("two scalars are equal")
		}
		return nil
	}, needScalars, twoNumbers},
	{"group.Scalar.IsZero", func(s *subject) error {
		if s.x.IsZero() {
			return errors.New("a scalar is zero")
		}
		return nil
	}, needScalars, aKey},
	{"group.Scalar.SetPrivateKey", func(s *subject) error {
		_, err := s.z.SetPrivateKey(s.key)
		return err
	}, needKeys, aKey},
	{"group.Scalar.PrivateKey", func(s *subject) (err error) {
		s.made, err = s.x.PrivateKey()
		return err
	}, needScalars, aKey},
	{"group.Scalar.Zeroize", func(s *subject) error {
		s.x.Zeroize()
		return nil
	}, needScalars, aKey},
	{"group.Scalar.SetUint64", func(s *subject) error {
		s.z.SetUint64(uint64(s.DE[0]))
		return nil
	}, 0, aKey},

	{"group.Point.ScalarBaseMult", func(s *subject) error {
		s.r.ScalarBaseMult(s.x)
		return nil
	}, needScalars, aBaseMult},
	{"group.Point.ScalarMult", func(s *subject) error {
		s.r.SetPublicKey(s.peer)
		s.r.ScalarMult(s.x, s.r)
		return nil
	}, needScalars, aScalarMult},
	{"group.Point.ScalarMult of a secret point", func(s *subject) error {
		s.r.ScalarMult(s.y, s.p)
		return nil
	}, needPoints, aSecretMult},
	{"group.Point.Add", func(s *subject) error {
		s.r.Add(s.p, s.q)
		return nil
	}, needPoints, twoPoints},
	{"group.Point.Sub", func(s *subject) error {
		s.r.Sub(s.p, s.q)
		return nil
	}, needPoints, twoPoints},
	{"group.Point.Negate", func(s *subject) error {
		s.r.Negate(s.p)
		return nil
	}, needPoints, aPoint},
	{"group.Point.Double", func(s *subject) error {
		s.r.Double(s.p)
		return nil
	}, needPoints, aPoint},
	{"group.Point.Set", func(s *subject) error {
		s.r.Set(s.p)
		return nil
	}, needPoints, aPoint},
	{"group.Point.Equal", func(s *subject) error {
		if s.p.Equal(s.q) {
			return errors.New("two points are equal")
		}
		return nil
	}, needPoints, twoPoints},
	{"group.Point.IsIdentity", func(s *subject) error {
		if s.p.IsIdentity() {
			return errors.New("a point is the identity")
		}
		return nil
	}, needPoints, aPoint},
	{"group.Point.Bytes", func(s *subject) error {
		s.take(s.p.Bytes())
		return nil
	}, needPoints, aPoint},
	{"group.Point.AppendBytes", func(s *subject) error {
		s.take(s.p.AppendBytes(nil))
		return nil
	}, needPoints, aPoint},
	{"group.Point.PublicKey", func(s *subject) error {
		_, err := s.p.PublicKey()
		return err
	}, needPoints, aDenominator},
	{"group.Point.Zeroize", func(s *subject) error {
		s.p.Zeroize()
		return nil
	}, needPoints, aPoint},
	{"group.BatchNormalize", func(s *subject) error {
		group.BatchNormalize(s.points[:])
		return nil
	}, needPoints, twoPoints},
}

// taken stores b, the result of an operation, as the answer of the subject, and returns err.
func (s *subject) taken(b []byte, err error) error {
	s.take(b)
	return err
}

// signature stores sig, the result of an operation, as the answer of the subject, unless err is not
// nil.
func (s *subject) signature(sig *ecdsa.Signature, err error) error {
	if err == nil {
		s.take(sig.Bytes())
	}
	return err
}
