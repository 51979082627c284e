package koblitz_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/hashes"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// zeroTypes holds a pointer to a zero value of every exported type, by the type's name.
var zeroTypes = map[string]any{
	"batch.Column":            (*batch.Column)(nil),
	"batch.ECDSA":             (*batch.ECDSA)(nil),
	"batch.ECDSARows":         (*batch.ECDSARows)(nil),
	"batch.KeyRows":           (*batch.KeyRows)(nil),
	"batch.ScalarRows":        (*batch.ScalarRows)(nil),
	"batch.EllswiftRows":      (*batch.EllswiftRows)(nil),
	"batch.Keys":              (*batch.Keys)(nil),
	"batch.Options":           (*batch.Options)(nil),
	"batch.QueueOptions":      (*batch.QueueOptions)(nil),
	"batch.SRule":             (*batch.SRule)(nil),
	"batch.Queue":             (*batch.Queue)(nil),
	"batch.Reason":            (*batch.Reason)(nil),
	"batch.RecoverRows":       (*batch.RecoverRows)(nil),
	"batch.Schnorr":           (*batch.Schnorr)(nil),
	"batch.SchnorrRows":       (*batch.SchnorrRows)(nil),
	"batch.SecretRows":        (*batch.SecretRows)(nil),
	"batch.SecretOptions":     (*batch.SecretOptions)(nil),
	"batch.ECDHRows":          (*batch.ECDHRows)(nil),
	"batch.SchnorrSignRows":   (*batch.SchnorrSignRows)(nil),
	"batch.ECDSASignRows":     (*batch.ECDSASignRows)(nil),
	"silentpay.Found":         (*silentpay.Found)(nil),
	"silentpay.Scanner":       (*silentpay.Scanner)(nil),
	"silentpay.Transactions":  (*silentpay.Transactions)(nil),
	"batch.TweakRows":         (*batch.TweakRows)(nil),
	"batch.TweakCheckRows":    (*batch.TweakCheckRows)(nil),
	"batch.Verdict":           (*batch.Verdict)(nil),
	"batch.Stats":             (*batch.Stats)(nil),
	"device.Call":             (*device.Call)(nil),
	"device.Column":           (*device.Column)(nil),
	"device.Engine":           (*device.Engine)(nil),
	"device.Kind":             (*device.Kind)(nil),
	"device.Rules":            (*device.Rules)(nil),
	"device.Verdict":          (*device.Verdict)(nil),
	"dleq.Options":            (*dleq.Options)(nil),
	"dleq.Statement":          (*dleq.Statement)(nil),
	"ecdsa.SignOptions":       (*ecdsa.SignOptions)(nil),
	"ecdsa.Signer":            (*ecdsa.Signer)(nil),
	"schnorr.SignOptions":     (*schnorr.SignOptions)(nil),
	"schnorr.Signer":          (*schnorr.Signer)(nil),
	"msm.Options":             (*msm.Options)(nil),
	"device.Device":           (*device.Device)(nil),
	"ecdsa.Signature":         (*ecdsa.Signature)(nil),
	"group.Point":             (*group.Point)(nil),
	"group.Scalar":            (*group.Scalar)(nil),
	"koblitz.PreparedKey":     (*koblitz.PreparedKey)(nil),
	"koblitz.PrivateKey":      (*koblitz.PrivateKey)(nil),
	"koblitz.PublicKey":       (*koblitz.PublicKey)(nil),
	"koblitz.XOnlyPublicKey":  (*koblitz.XOnlyPublicKey)(nil),
	"silentpay.Address":       (*silentpay.Address)(nil),
	"silentpay.Candidate":     (*silentpay.Candidate)(nil),
	"silentpay.Input":         (*silentpay.Input)(nil),
	"silentpay.Match":         (*silentpay.Match)(nil),
	"silentpay.Network":       (*silentpay.Network)(nil),
	"silentpay.Outpoint":      (*silentpay.Outpoint)(nil),
	"silentpay.PrivateTweak":  (*silentpay.PrivateTweak)(nil),
	"silentpay.Receiver":      (*silentpay.Receiver)(nil),
	"silentpay.ScanKey":       (*silentpay.ScanKey)(nil),
	"silentpay.SpendKey":      (*silentpay.SpendKey)(nil),
	"msm.Accumulator":         (*msm.Accumulator)(nil),
	"msm.Bases":               (*msm.Bases)(nil),
	"musig2.AggregateKey":     (*musig2.AggregateKey)(nil),
	"musig2.AggregateNonce":   (*musig2.AggregateNonce)(nil),
	"musig2.Input":            (*musig2.Input)(nil),
	"musig2.InvalidError":     (*musig2.InvalidError)(nil),
	"musig2.NonceOptions":     (*musig2.NonceOptions)(nil),
	"musig2.PartialSignature": (*musig2.PartialSignature)(nil),
	"musig2.PublicNonce":      (*musig2.PublicNonce)(nil),
	"musig2.SecretNonce":      (*musig2.SecretNonce)(nil),
	"musig2.Session":          (*musig2.Session)(nil),
}

// zeroFuncs holds all exported functions, by name.
var zeroFuncs = map[string]any{
	"batch.EncodedKeys":              batch.EncodedKeys,
	"batch.PreparedKeys":             batch.PreparedKeys,
	"device.New":                     device.New,
	"ecdsa.NewSigner":                ecdsa.NewSigner,
	"schnorr.NewSigner":              schnorr.NewSigner,
	"batch.NewECDSA":                 batch.NewECDSA,
	"batch.NewQueue":                 batch.NewQueue,
	"batch.NewSchnorr":               batch.NewSchnorr,
	"batch.Packed":                   batch.Packed,
	"batch.Same":                     batch.Same,
	"batch.Strided":                  batch.Strided,
	"silentpay.NewScanner":           silentpay.NewScanner,
	"ecdh.AppendSharedSHA256":        ecdh.AppendSharedSHA256,
	"ecdh.AppendSharedX":             ecdh.AppendSharedX,
	"ecdh.AppendSharedXOnly":         ecdh.AppendSharedXOnly,
	"ecdh.SharedSHA256":              ecdh.SharedSHA256,
	"ecdh.SharedX":                   ecdh.SharedX,
	"ecdh.SharedXOnly":               ecdh.SharedXOnly,
	"ellswift.AppendSharedSecret":    ellswift.AppendSharedSecret,
	"ellswift.Create":                ellswift.Create,
	"ellswift.Decode":                ellswift.Decode,
	"ellswift.Encode":                ellswift.Encode,
	"ellswift.SharedSecret":          ellswift.SharedSecret,
	"hashes.AppendDoubleSHA256":      hashes.AppendDoubleSHA256,
	"hashes.AppendKeccak256":         hashes.AppendKeccak256,
	"hashes.AppendSHA256":            hashes.AppendSHA256,
	"dleq.Prove":                     dleq.Prove,
	"dleq.Verify":                    dleq.Verify,
	"ecdsa.AppendSign":               ecdsa.AppendSign,
	"ecdsa.AppendSignRecoverable":    ecdsa.AppendSignRecoverable,
	"ecdsa.ParseDER":                 ecdsa.ParseDER,
	"ecdsa.ParseDERLax":              ecdsa.ParseDERLax,
	"ecdsa.ParseSignature":           ecdsa.ParseSignature,
	"ecdsa.Recover":                  ecdsa.Recover,
	"ecdsa.Sign":                     ecdsa.Sign,
	"ecdsa.SignRecoverable":          ecdsa.SignRecoverable,
	"ecdsa.Verify":                   ecdsa.Verify,
	"ecdsa.VerifyLowS":               ecdsa.VerifyLowS,
	"ecdsa.VerifyPrepared":           ecdsa.VerifyPrepared,
	"ecdsa.VerifyPreparedLowS":       ecdsa.VerifyPreparedLowS,
	"group.BatchHashToCurve":         group.BatchHashToCurve,
	"group.BatchNormalize":           group.BatchNormalize,
	"group.Lagrange":                 group.Lagrange,
	"group.RandomScalar":             group.RandomScalar,
	"koblitz.CombineKeys":            koblitz.CombineKeys,
	"koblitz.GenerateKey":            koblitz.GenerateKey,
	"koblitz.Implementations":        koblitz.Implementations,
	"koblitz.ParsePrivateKey":        koblitz.ParsePrivateKey,
	"koblitz.ParsePublicKey":         koblitz.ParsePublicKey,
	"koblitz.ParseXOnlyPublicKey":    koblitz.ParseXOnlyPublicKey,
	"koblitz.SortKeys":               koblitz.SortKeys,
	"msm.NewAccumulator":             msm.NewAccumulator,
	"msm.Prepare":                    msm.Prepare,
	"msm.SumVartime":                 msm.SumVartime,
	"msm.PackedSumVartime":           msm.PackedSumVartime,
	"pkix.MarshalECPrivateKey":       pkix.MarshalECPrivateKey,
	"pkix.MarshalECPrivateKeyPEM":    pkix.MarshalECPrivateKeyPEM,
	"pkix.MarshalPKCS8PrivateKey":    pkix.MarshalPKCS8PrivateKey,
	"pkix.MarshalPrivateKeyPEM":      pkix.MarshalPrivateKeyPEM,
	"pkix.MarshalPublicKey":          pkix.MarshalPublicKey,
	"pkix.MarshalPublicKeyPEM":       pkix.MarshalPublicKeyPEM,
	"pkix.ParseECPrivateKey":         pkix.ParseECPrivateKey,
	"pkix.ParsePKCS8PrivateKey":      pkix.ParsePKCS8PrivateKey,
	"pkix.ParsePrivateKeyPEM":        pkix.ParsePrivateKeyPEM,
	"pkix.ParsePublicKey":            pkix.ParsePublicKey,
	"pkix.ParsePublicKeyPEM":         pkix.ParsePublicKeyPEM,
	"schnorr.AppendSign":             schnorr.AppendSign,
	"schnorr.Sign":                   schnorr.Sign,
	"schnorr.TaggedHash":             schnorr.TaggedHash,
	"schnorr.Verify":                 schnorr.Verify,
	"schnorr.VerifyPrepared":         schnorr.VerifyPrepared,
	"silentpay.NewAddress":           silentpay.NewAddress,
	"silentpay.NewReceiver":          silentpay.NewReceiver,
	"silentpay.NewScanKey":           silentpay.NewScanKey,
	"silentpay.NewSpendKey":          silentpay.NewSpendKey,
	"silentpay.Outputs":              silentpay.Outputs,
	"silentpay.ParseAddress":         silentpay.ParseAddress,
	"silentpay.ParsePrivateTweak":    silentpay.ParsePrivateTweak,
	"silentpay.PublicTweak":          silentpay.PublicTweak,
	"musig2.AggregateKeys":           musig2.AggregateKeys,
	"musig2.AggregateNonces":         musig2.AggregateNonces,
	"musig2.DeterministicSign":       musig2.DeterministicSign,
	"musig2.GenerateNonce":           musig2.GenerateNonce,
	"musig2.GenerateNonceWithoutKey": musig2.GenerateNonceWithoutKey,
	"musig2.NewSession":              musig2.NewSession,
	"musig2.NewInput":                musig2.NewInput,
	"musig2.ParseAggregateNonce":     musig2.ParseAggregateNonce,
	"musig2.ParsePartialSignature":   musig2.ParsePartialSignature,
	"musig2.ParsePublicNonce":        musig2.ParsePublicNonce,
}

// zeroTrue lists functions and methods that return true for zero values, each with the reason.
var zeroTrue = map[string]string{
	"ecdsa.Signature.IsZero":         "it is one",
	"group.Point.Equal":              "the identity is the identity",
	"group.Point.IsIdentity":         "it is one",
	"group.Scalar.Equal":             "0 is 0",
	"group.Scalar.IsZero":            "it is one",
	"koblitz.PreparedKey.IsZero":     "it is one",
	"koblitz.PrivateKey.IsZero":      "it is one",
	"koblitz.PublicKey.IsZero":       "it is one",
	"koblitz.XOnlyPublicKey.IsZero":  "it is one",
	"musig2.AggregateKey.IsZero":     "it is one",
	"musig2.AggregateNonce.IsZero":   "it is one",
	"musig2.PartialSignature.IsZero": "it is one",
	"musig2.PublicNonce.IsZero":      "it is one",
	"musig2.SecretNonce.IsZero":      "it is one",
	"musig2.Session.IsZero":          "it is one",
	"silentpay.Address.IsZero":       "it is one",
	"silentpay.PrivateTweak.IsZero":  "it is one",
	"silentpay.ScanKey.IsZero":       "it is one",
	"silentpay.SpendKey.IsZero":      "it is one",
}

// zeroFine lists functions and methods that return no error for zero values, each with the reason.
var zeroFine = map[string]string{
	"batch.Schnorr.Verify":           "there are no rows",
	"batch.Queue.ExplainSchnorr":     "the answer is Malformed",
	"batch.Queue.VerifySchnorrBytes": "the answer is false",
	"batch.Queue.VerifySchnorr":      "the answer is false",
	"group.Point.MarshalBinary":      "the identity has an encoding",
	"group.Point.MarshalText":        "the identity has an encoding",
	"group.Point.MultiScalarMult":    "the sum of nothing is the identity",
	"msm.Accumulator.AddVartime":     "nothing is added",
	"msm.Accumulator.SumVartime":     "the sum of nothing is the identity",
	"msm.Bases.SumVartime":           "the sum of nothing is the identity",
	"msm.Prepare":                    "no points take no memory",
	"msm.SumVartime":                 "the sum of nothing is the identity",
	"msm.PackedSumVartime":           "the sum of nothing is the identity",
}

// noNil lists types whose methods panic on a nil receiver or operand, as math/big's do, each with
// such a call. A panic is harmless in these calls: points and scalars are variables that methods
// set and return for further use, and no function that parses or receives a point or scalar returns
// a nil pointer without an error. The documentation of package group says that nil panics.
var noNil = map[string]func(){
	"group.Point":  func() { new(group.Point).Double(nil) },
	"group.Scalar": func() { new(group.Scalar).Negate(nil) },
}

// TestNoNil checks that the calls in noNil panic.
func TestNoNil(t *testing.T) {
	for name, f := range noNil {
		if zeroTypes[name] == nil {
			t.Errorf("there is no type %s", name)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is an exception for nothing", name)
				}
			}()
			f()
		}()
	}
}

// TestZeroValues calls every exported function, and every method of every exported type, with zero
// values and nil. No call may panic or verify a signature, and a call that can return an error must
// return one; the maps above list the exceptions. Tests of the packages check that zero values do
// not help to forge signatures.
func TestZeroValues(t *testing.T) {
	types, funcs := exportedNames(t)
	for name := range types {
		if zeroTypes[name] == nil {
			t.Errorf("type %s is not tested", name)
		}
	}
	for name := range funcs {
		if zeroFuncs[name] == nil {
			t.Errorf("func %s is not tested", name)
		}
	}
	calls, met := 0, make(map[string]bool)
	for name, f := range zeroFuncs {
		if !funcs[name] {
			t.Errorf("there is no func %s", name)
		}
		for _, pointers := range []bool{false, true} {
			callZero(t, met, name, reflect.ValueOf(f), nil, pointers)
			calls++
		}
	}
	for name, p := range zeroTypes {
		if !types[name] {
			t.Errorf("there is no type %s", name)
		}
		typ := reflect.TypeOf(p)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			full := name + "." + m.Name
			for _, pointers := range []bool{false, true} {
				if !pointers && noNil[name] != nil && operands(m.Type) && m.Name != "Equal" {
					continue
				}
				callZero(t, met, full, m.Func, []reflect.Value{reflect.New(typ.Elem())}, pointers)
				calls++
				// Calling a method with a value receiver on a nil pointer always panics.
				if _, onValue := typ.Elem().MethodByName(m.Name); !onValue && noNil[name] == nil {
					callZero(t, met, full, m.Func, []reflect.Value{reflect.Zero(typ)}, pointers)
					calls++
				}
			}
		}
	}
	for _, exceptions := range []map[string]string{zeroTrue, zeroFine} {
		for name := range exceptions {
			if !met[name] {
				t.Errorf("%s is an exception for nothing", name)
			}
		}
	}
	t.Logf("%d types, %d functions, %d calls", len(types), len(funcs), calls)
}

// operands reports whether a method takes pointers to scalars or points of package group.
func operands(m reflect.Type) bool {
	for i := 1; i < m.NumIn(); i++ {
		in := m.In(i)
		if in == reflect.TypeFor[*group.Point]() || in == reflect.TypeFor[*group.Scalar]() {
			return true
		}
	}
	return false
}

// callZero calls f with the given arguments, and zero values for the other parameters: nil
// pointers, or pointers to zero values. It records the exceptions that it uses.
func callZero(
	t *testing.T, met map[string]bool, name string, f reflect.Value, args []reflect.Value,
	pointers bool,
) {
	t.Helper()
	typ := f.Type()
	in := slices.Clone(args)
	for i := len(in); i < typ.NumIn(); i++ {
		arg := typ.In(i)
		switch {
		case i == typ.NumIn()-1 && typ.IsVariadic():
			if pointers { // pass a zero value of the options
				in = append(in, reflect.Zero(arg.Elem()))
			}
		case pointers && arg.Kind() == reflect.Pointer:
			in = append(in, reflect.New(arg.Elem()))
		case arg.Kind() == reflect.Interface && arg.Name() == "State":
			return // fmt calls this method; redact_test.go tests it
		default:
			in = append(in, reflect.Zero(arg))
		}
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s (receiver %s, pointers set: %v) panics: %v", name, receiver(args), pointers, r)
		}
	}()
	for _, out := range f.Call(in) {
		switch v := out.Interface().(type) {
		case bool:
			if zeroTrue[name] != "" {
				met[name] = met[name] || v
			} else if v {
				t.Errorf("%s (receiver %s, pointers set: %v) is true", name, receiver(args), pointers)
			}
		case nil:
			if out.Type() != reflect.TypeFor[error]() {
				continue
			}
			if zeroFine[name] != "" {
				met[name] = true
			} else {
				t.Errorf("%s (receiver %s, pointers set: %v) has no error", name, receiver(args), pointers)
			}
		}
	}
}

func receiver(args []reflect.Value) string {
	if len(args) == 0 {
		return "none"
	}
	if args[0].IsNil() {
		return "nil"
	}
	return "zero"
}

// apiFiles returns the names of the core's files in the folder api. It omits compat/impl, whose
// packages handle nil and print values as the replaced packages do; their own tests call them with
// zero values. It also omits packages for tests, such as device/devicetest, and other modules.
func apiFiles(t *testing.T) (names []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("api", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	omitted := regexp.MustCompile(`^api.(bitcoin|ethereum|nostr)|test\.txt$`)
	names = slices.DeleteFunc(names, omitted.MatchString)
	if len(names) < 6 {
		t.Fatalf("only %d files in the folder api", len(names))
	}
	return names
}

// exportedNames returns the names of the exported types and functions that the files in the folder
// api list.
func exportedNames(t *testing.T) (types, funcs map[string]bool) {
	t.Helper()
	types, funcs = make(map[string]bool), make(map[string]bool)
	declaration := regexp.MustCompile(`^\t?(type|func) (\w+)`)
	for _, name := range apiFiles(t) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		pkg := strings.TrimSuffix(filepath.Base(name), ".txt")
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if m := declaration.FindStringSubmatch(lines.Text()); m != nil {
				full := fmt.Sprintf("%s.%s", pkg, m[2])
				if m[1] == "type" {
					types[full] = true
				} else {
					funcs[full] = true
				}
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return types, funcs
}
