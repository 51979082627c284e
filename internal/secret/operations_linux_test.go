//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/lab/operations"
)

// An operation is one whose memory is searched.
type operation struct {
	name    string
	needs   operations.Needs
	run     func(o *operations.Operands) error
	secrets func(v *values, n *needles) // adds the secrets to search for
}

// freshOnly says that a leak occurs only on a fresh stack.
const freshOnly operations.Needs = 1 << 30

// The operations that are searched: one that does nothing, those of package operations, and those
// of registers.
var (
	nothing  = operation{"nothing", all, func(*operations.Operands) error { return nil }, aPoint}
	exported = listed()
	searched = slices.Concat([]operation{nothing}, exported, registerOperations)
)

const all = operations.Keys | operations.Scalars | operations.Points

// listed returns the operations of package operations that have secrets.
func listed() (list []operation) {
	for _, o := range operations.All() {
		if o.Needs&operations.Public == 0 {
			list = append(list, operation{o.Name, o.Needs, o.Run, secretsOf(o.Name)})
		}
	}
	return list
}

// secretsOf returns the function that adds the secrets of an operation.
func secretsOf(name string) (add func(v *values, n *needles)) {
	for _, s := range secrets {
		for _, other := range s.names {
			if other == name && add != nil {
				panic(name + " is twice in secrets, in operations_linux_test.go")
			} else if other == name {
				add = s.add
			}
		}
	}
	if add == nil {
		panic(name + " is missing in secrets, in operations_linux_test.go")
	}
	return add
}

// TestSecrets checks that the other tests run every operation that the variable secrets names.
func TestSecrets(t *testing.T) {
	for _, s := range secrets {
		for _, name := range s.names {
			if !slices.ContainsFunc(exported, func(o operation) bool { return o.name == name }) {
				t.Errorf("%s is in secrets, and is not searched", name)
			}
		}
	}
}

const (
	dropIn   = operations.DropIn
	musig2In = operations.MuSig2In
)

// secrets holds the functions that add the secrets of operations, and the names of the operations.
var secrets = []struct {
	add   func(v *values, n *needles)
	names []string
}{
	{aNewNumber, []string{
		"koblitz.GenerateKey", "group.RandomScalar", dropIn + "GeneratePrivateKey",
	}},
	{aKey, []string{
		"koblitz.ParsePrivateKey", "koblitz.PrivateKey.Bytes",
		"koblitz.PrivateKey.Equal with itself", "koblitz.PrivateKey.Negate",
		"koblitz.PrivateKey.Blinded", "koblitz.PrivateKey.Zeroize", "koblitz.PrivateKey.IsZero",
		"schnorr.TaggedHash", "group.Scalar.Set", "group.Scalar.SetBytes",
		"group.Scalar.SetBytesReduced", "group.Scalar.Bytes", "group.Scalar.AppendBytes",
		"group.Scalar.Negate", "group.Scalar.IsZero", "group.Scalar.SetPrivateKey",
		"group.Scalar.PrivateKey", "group.Scalar.Zeroize", "group.Scalar.SetUint64",
		"group.Lagrange of equal identifiers", "silentpay.NewScanKey", "silentpay.ScanKey.IsZero",
		"silentpay.ScanKey.Zeroize", "silentpay.ParsePrivateTweak", "silentpay.PrivateTweak.Bytes",
		"silentpay.PrivateTweak.IsZero", "silentpay.PrivateTweak.Zeroize", dropIn + "NewPrivateKey",
		dropIn + "PrivKeyFromBytes", dropIn + "GeneratePrivateKeyFromRand",
		dropIn + "PrivateKey.Zero", dropIn + "ModNScalar.Zero", dropIn + "ModNScalar.SetBytes",
		dropIn + "ModNScalar.SetByteSlice", dropIn + "ModNScalar.PutBytes",
		dropIn + "ModNScalar.PutBytesUnchecked", dropIn + "ModNScalar.Negate",
		dropIn + "ModNScalar.NegateVal", dropIn + "ModNScalar.IsZero",
		dropIn + "ModNScalar.IsZeroBit", dropIn + "ModNScalar.IsOverHalfOrder",
	}},
	{aBaseMult, []string{
		"koblitz.PrivateKey.PublicKey", "koblitz.PrivateKey.XOnlyPublicKey",
		"koblitz.PublicKey.TweakAdd", "koblitz.XOnlyPublicKey.TweakAdd", "ellswift.Create",
		"group.Point.ScalarBaseMult", "silentpay.ScanKey.PublicKey", dropIn + "PrivateKey.PubKey",
		dropIn + "PrivateKey.ToECDSA", dropIn + "ScalarBaseMultNonConst",
		dropIn + "KoblitzCurve.ScalarBaseMult", "batch.SecretRows.PublicKeys",
	}},
	{twoNumbers, []string{
		"koblitz.PrivateKey.Equal", "group.Scalar.Equal",
		"group.Point.MultiScalarMult with a nil scalar", "silentpay.NewSpendKey",
		"silentpay.SpendKey.PublicKey", "silentpay.SpendKey.IsZero", "silentpay.SpendKey.Zeroize",
		dropIn + "ModNScalar.Equals", "compat/impl/btcec/schnorr.Sign",
		"compat/impl/btcec/ellswift.EllswiftECDHXOnly", "compat/impl/btcec/ellswift.V2Ecdh",
		musig2In + "Sign",
	}},
	{computedNumbers, []string{
		"koblitz.PrivateKey.TweakAdd", "koblitz.PrivateKey.TweakAddXOnly", "group.Scalar.Add",
		"group.Scalar.Sub", "silentpay.SpendKey.Tweak", dropIn + "ModNScalar.Add",
		dropIn + "ModNScalar.Add2", "koblitz.PrivateKey.TweakAdd with a blinded key",
		"koblitz.PrivateKey.TweakMul", "group.Scalar.Mul", dropIn + "ModNScalar.Mul",
		dropIn + "ModNScalar.Mul2", dropIn + "ModNScalar.Square", dropIn + "ModNScalar.SquareVal",
		"group.Scalar.SetUniformBytes", dropIn + "KoblitzCurve.ScalarBaseMult of 64 bytes",
		"group.Scalar.Invert", dropIn + "ModNScalar.InverseNonConst",
		dropIn + "ModNScalar.InverseValNonConst",
	}},
	{aTaprootKey, []string{
		"koblitz.PrivateKey.TaprootTweak", "koblitz.PrivateKey.TaprootTweak with a blinded key",
	}},
	{aPublicMult, []string{"koblitz.PublicKey.TweakMul"}},
	{anECDSA, []string{
		"ecdsa.Sign", "ecdsa.Sign checked", "ecdsa.Signer.Sign", "ecdsa.AppendSign",
		"ecdsa.AppendSign checked", "ecdsa.SignRecoverable", "ecdsa.SignRecoverable checked",
		"ecdsa.AppendSignRecoverable", "batch.ECDSASignRows.Sign unchecked, of one row",
		"batch.ECDSASignRows.Sign unchecked", "batch.ECDSASignRows.Sign", "compat/impl/ecdsa.Sign",
		"compat/impl/ecdsa.SignCompact", "ecdsa.Sign with entropy", "ecdsa.Sign with a blinded key",
		"ecdsa.AppendSignRecoverable checked, with entropy",
	}},
	{aSchnorr, []string{
		"schnorr.Sign", "schnorr.Signer.Sign", "schnorr.Signer.SignMessage",
		"schnorr.Sign with auxiliary randomness", "schnorr.Sign unchecked", "schnorr.AppendSign",
		"schnorr.AppendSign unchecked", "batch.SchnorrSignRows.Sign unchecked, of one row",
		"batch.SchnorrSignRows.Sign unchecked", "batch.SchnorrSignRows.Sign",
		"schnorr.Sign with a blinded key",
	}},
	{aScalarMult, []string{
		"ecdh.SharedX", "ecdh.AppendSharedX", "ecdh.SharedXOnly", "ecdh.AppendSharedXOnly",
		"ecdh.SharedSHA256", "ecdh.AppendSharedSHA256", "ellswift.SharedSecret",
		"ellswift.AppendSharedSecret", "group.Point.ScalarMult", dropIn + "ScalarMultNonConst",
		dropIn + "GenerateSharedSecret", dropIn + "KoblitzCurve.ScalarMult",
		"batch.ECDHRows.SharedX",
	}},
	{anEncodedKey, []string{
		"pkix.MarshalECPrivateKey", "pkix.ParseECPrivateKey", "pkix.MarshalPKCS8PrivateKey",
		"pkix.ParsePKCS8PrivateKey", "pkix.MarshalECPrivateKeyPEM", "pkix.MarshalPrivateKeyPEM",
		"pkix.ParsePrivateKeyPEM",
	}},
	{aSecretMult, []string{
		"group.Point.ScalarMult of a secret point", dropIn + "ScalarMultNonConst of a secret point",
	}},
	{twoPoints, []string{
		"group.Point.Add", "group.Point.Sub", "group.Point.Equal", "group.BatchNormalize",
	}},
	{aPoint, []string{
		"group.Point.Negate", "group.Point.Double", "group.Point.Set", "group.Point.IsIdentity",
		"group.Point.Bytes", "group.Point.AppendBytes", "group.Point.Zeroize",
		dropIn + "JacobianPoint.ToAffine", dropIn + "DoubleNonConst",
	}},
	{aDenominator, []string{"group.Point.PublicKey"}},
	{aHashedScalar, []string{"group.Scalar.HashToScalar"}},
	{aHashedPoint(96), []string{
		"group.Point.HashToCurve", "group.BatchHashToCurve of one message", "group.BatchHashToCurve",
	}},
	{aHashedPoint(48), []string{"group.Point.EncodeToCurve"}},
	{aSumOfProducts, []string{"group.Point.MultiScalarMult"}},
	{anEqualityProof, []string{"dleq.Prove"}},
	{anEqualityProofOfPeers, []string{"dleq.Prove with another generator"}},
	{aLagrange, []string{"group.Lagrange"}},
	{aLabel, []string{
		"silentpay.NewReceiver", "silentpay.Receiver.Address", "silentpay.Receiver.LabeledAddress",
		"silentpay.Receiver.ChangeAddress", "silentpay.NewScanner",
	}},
	{aPayment, []string{
		"silentpay.Scanner.Scan", "silentpay.Receiver.Scan without a match",
		"silentpay.Receiver.Candidates", "silentpay.Receiver.Scan",
	}},
	{aSender, []string{"silentpay.Outputs"}},
	{aMuSig2Nonce, []string{
		"musig2.GenerateNonce", "musig2.GenerateNonceWithoutKey", "musig2.SecretNonce.PublicNonce",
		"musig2.SecretNonce.IsZero", "musig2.SecretNonce.Zeroize", "musig2.Session.Sign",
		musig2In + "WithNonceSecretKeyAux", musig2In + "Session.Sign with nonces that it was given",
		musig2In + "Session.Sign with early nonces",
	}},
	{aDeterministicNonce, []string{"musig2.DeterministicSign"}},
	{aNonce, []string{dropIn + "NonceRFC6979"}},
	{aDecredSchnorr, []string{dropIn + "SignSchnorr"}},
}
