package operations

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A Type is an exported type. Public says why it holds no secret, and is empty if it can hold one.
type Type struct {
	reflect.Type
	Public string
}

// Types lists the exported types.
var Types = []Type{
	{reflect.TypeFor[koblitz.PreparedKey](), "multiples of a public key"},
	{reflect.TypeFor[koblitz.PrivateKey](), ""},
	{reflect.TypeFor[koblitz.PublicKey](), "a public key"},
	{reflect.TypeFor[koblitz.XOnlyPublicKey](), "a public key"},

	{reflect.TypeFor[ecdsa.SignOptions](), ""},
	{reflect.TypeFor[ecdsa.Signature](), "r and s, which are published"},
	{reflect.TypeFor[ecdsa.Signer](), ""},

	{reflect.TypeFor[schnorr.SignOptions](), ""},
	{reflect.TypeFor[schnorr.Signer](), ""},

	{reflect.TypeFor[batch.Column](), ""},
	{reflect.TypeFor[batch.ECDHRows](), ""},
	{reflect.TypeFor[batch.ECDSA](), "public keys, hashes and signatures"},
	{reflect.TypeFor[batch.ECDSARows](), "public keys, hashes and signatures"},
	{reflect.TypeFor[batch.ECDSASignRows](), ""},
	{reflect.TypeFor[batch.EllswiftRows](), "public keys"},
	{reflect.TypeFor[batch.KeyRows](), "public keys"},
	{reflect.TypeFor[batch.Keys](), "public keys"},
	{reflect.TypeFor[batch.Options](), "a number, a rule and a device, which verifies"},
	{reflect.TypeFor[batch.Queue](), "public keys, messages and signatures"},
	{reflect.TypeFor[batch.QueueOptions](), "numbers and rules"},
	{reflect.TypeFor[batch.Reason](), "what is wrong with a public row"},
	{reflect.TypeFor[batch.RecoverRows](), "hashes and signatures"},
	{reflect.TypeFor[batch.SRule](), "a rule"},
	{reflect.TypeFor[batch.ScalarRows](), "public scalars"},
	{reflect.TypeFor[batch.Schnorr](), "public keys, messages and signatures"},
	{reflect.TypeFor[batch.SchnorrRows](), "public keys, messages and signatures"},
	{reflect.TypeFor[batch.SchnorrSignRows](), ""},
	{reflect.TypeFor[batch.SecretOptions](), "a number"},
	{reflect.TypeFor[batch.SecretRows](), ""},
	{reflect.TypeFor[batch.Stats](), "numbers of signatures"},
	{reflect.TypeFor[batch.TweakCheckRows](), "public keys, tweaks and outputs"},
	{reflect.TypeFor[batch.TweakRows](), "public keys and public tweaks"},

	{reflect.TypeFor[group.Point](), ""},
	{reflect.TypeFor[group.Scalar](), ""},

	{reflect.TypeFor[msm.Accumulator](), "terms of a sum; its method names say Vartime"},
	{reflect.TypeFor[msm.Bases](), "multiples of public points"},
	{reflect.TypeFor[msm.Options](), "a number and a device, which adds up public points"},

	{reflect.TypeFor[dleq.Options](), ""},
	{reflect.TypeFor[dleq.Statement](), "what a proof is about"},

	{reflect.TypeFor[musig2.AggregateKey](), "public keys and public tweaks"},
	{reflect.TypeFor[musig2.AggregateNonce](), "public nonces"},
	{reflect.TypeFor[musig2.Input](), ""},
	{reflect.TypeFor[musig2.InvalidError](), "numbers of signers"},
	{reflect.TypeFor[musig2.NonceOptions](), ""},
	{reflect.TypeFor[musig2.PartialSignature](), "a part of a signature"},
	{reflect.TypeFor[musig2.PublicNonce](), "a public nonce"},
	{reflect.TypeFor[musig2.SecretNonce](), ""},
	{reflect.TypeFor[musig2.Session](), "public keys, public nonces and a message"},

	{reflect.TypeFor[silentpay.Address](), "public keys"},
	{reflect.TypeFor[silentpay.Candidate](), "an output key, and the number of a label"},
	{reflect.TypeFor[silentpay.Found](), ""},
	{reflect.TypeFor[silentpay.Input](), ""},
	{reflect.TypeFor[silentpay.Match](), ""},
	{reflect.TypeFor[silentpay.Network](), "a number"},
	{reflect.TypeFor[silentpay.Outpoint](), "what a transaction contains"},
	{reflect.TypeFor[silentpay.PrivateTweak](), ""},
	{reflect.TypeFor[silentpay.Receiver](), ""},
	{reflect.TypeFor[silentpay.ScanKey](), ""},
	{reflect.TypeFor[silentpay.Scanner](), ""},
	{reflect.TypeFor[silentpay.SpendKey](), ""},
	{reflect.TypeFor[silentpay.Transactions](), "what transactions contain"},

	{reflect.TypeFor[device.Call](), "rows for verification, which is not constant time"},
	{reflect.TypeFor[device.Column](), "rows for verification, which is not constant time"},
	{reflect.TypeFor[device.Device](), "an accelerator, which gets public data only"},
	{reflect.TypeFor[device.Engine](), "what verifies, and gets public data only"},
	{reflect.TypeFor[device.Kind](), "a number"},
	{reflect.TypeFor[device.Rules](), "rules"},
	{reflect.TypeFor[device.Verdict](), "the result of a verification"},
}

// Functions lists the exported functions. Methods are those of Types.
var Functions = []any{
	koblitz.CombineKeys,
	koblitz.GenerateKey,
	koblitz.Implementations,
	koblitz.ParsePrivateKey,
	koblitz.ParsePublicKey,
	koblitz.ParseXOnlyPublicKey,
	koblitz.SortKeys,

	ecdsa.AppendSign,
	ecdsa.AppendSignRecoverable,
	ecdsa.NewSigner,
	ecdsa.ParseDER,
	ecdsa.ParseDERLax,
	ecdsa.ParseSignature,
	ecdsa.Recover,
	ecdsa.Sign,
	ecdsa.SignRecoverable,
	ecdsa.Verify,
	ecdsa.VerifyLowS,
	ecdsa.VerifyPrepared,
	ecdsa.VerifyPreparedLowS,

	schnorr.AppendSign,
	schnorr.NewSigner,
	schnorr.Sign,
	schnorr.TaggedHash,
	schnorr.Verify,
	schnorr.VerifyPrepared,

	batch.EncodedKeys,
	batch.NewECDSA,
	batch.NewQueue,
	batch.NewSchnorr,
	batch.Packed,
	batch.PreparedKeys,
	batch.Same,
	batch.Strided,

	group.BatchHashToCurve,
	group.BatchNormalize,
	group.Lagrange,
	group.RandomScalar,

	msm.NewAccumulator,
	msm.PackedSumVartime,
	msm.Prepare,
	msm.SumVartime,

	ecdh.AppendSharedSHA256,
	ecdh.AppendSharedX,
	ecdh.AppendSharedXOnly,
	ecdh.SharedSHA256,
	ecdh.SharedX,
	ecdh.SharedXOnly,

	ellswift.AppendSharedSecret,
	ellswift.Create,
	ellswift.Decode,
	ellswift.Encode,
	ellswift.SharedSecret,

	pkix.MarshalECPrivateKey,
	pkix.MarshalECPrivateKeyPEM,
	pkix.MarshalPKCS8PrivateKey,
	pkix.MarshalPrivateKeyPEM,
	pkix.MarshalPublicKey,
	pkix.MarshalPublicKeyPEM,
	pkix.ParseECPrivateKey,
	pkix.ParsePKCS8PrivateKey,
	pkix.ParsePrivateKeyPEM,
	pkix.ParsePublicKey,
	pkix.ParsePublicKeyPEM,

	dleq.Prove,
	dleq.Verify,

	musig2.AggregateKeys,
	musig2.AggregateNonces,
	musig2.DeterministicSign,
	musig2.GenerateNonce,
	musig2.GenerateNonceWithoutKey,
	musig2.NewInput,
	musig2.NewSession,
	musig2.ParseAggregateNonce,
	musig2.ParsePartialSignature,
	musig2.ParsePublicNonce,

	silentpay.NewAddress,
	silentpay.NewReceiver,
	silentpay.NewScanKey,
	silentpay.NewScanner,
	silentpay.NewSpendKey,
	silentpay.Outputs,
	silentpay.ParseAddress,
	silentpay.ParsePrivateTweak,
	silentpay.PublicTweak,

	batch.AppendDoubleSHA256,
	batch.AppendKeccak256,
	batch.AppendSHA256,

	device.New,
}

// FunctionName returns the name of an exported function, as in "ecdsa.Sign".
func FunctionName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}
