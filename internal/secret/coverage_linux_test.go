//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// withoutSecret lists the exported functions that take or return private keys, scalars, points or
// tweaks but need no entry in the table of operations, each with the reason. A name without a
// package is a method of any type.
var withoutSecret = map[string]string{
	"Format":                               "prints a fixed text, or what Bytes returns",
	"GoString":                             "prints a fixed text, or what Bytes returns",
	"String":                               "prints a fixed text, or what Bytes returns",
	"LogValue":                             "prints a fixed text, or what Bytes returns",
	"MarshalJSON":                          "refuses, or encodes what Bytes returns",
	"MarshalText":                          "refuses, or encodes what Bytes returns",
	"MarshalBinary":                        "refuses, or encodes what Bytes returns",
	"GobEncode":                            "refuses, or encodes what Bytes returns",
	"group.Point.SetIdentity":              "a constant",
	"group.Point.SetGenerator":             "a constant",
	"group.Point.SetNamedGenerator":        "the hash of a public name",
	"group.Point.SetBytes":                 "a public point: its time depends on it",
	"group.Point.SetPublicKey":             "a public key",
	"group.Point.UnmarshalBinary":          "a public point: its time depends on it",
	"group.Point.UnmarshalText":            "a public point: its time depends on it",
	"group.Point.SetXOnlyPublicKey":        "a public key",
	"ecdsa.NewSigner":                      "keeps a pointer",
	"ecdsa.Signer.Public":                  "passes on to koblitz.PrivateKey.PublicKey",
	"schnorr.NewSigner":                    "keeps a pointer",
	"schnorr.Signer.Public":                "passes on to koblitz.PrivateKey.XOnlyPublicKey",
	"koblitz.XOnlyPublicKey.CheckTweakAdd": "a public tweak: its time depends on it",
	"msm.Prepare":                          "points that are public, as all of package msm",
	"musig2.AggregateKey.TweakAdd":         "a public tweak: its time depends on it",
	"musig2.AggregateKey.TweakAddXOnly":    "a public tweak: its time depends on it",
	"musig2.NewInput":                      "keeps a pointer",
	"musig2.NewSession":                    "public keys and public nonces",
	"musig2.Session.Aggregate":             "parts of signatures",
	"musig2.Session.IsZero":                "public keys and public nonces",
	"musig2.Session.VerifyAll":             "parts of signatures",
	"musig2.Session.VerifyPartial":         "a part of a signature",

	dropIn + "ModNScalar.Set":                   "a copy, without a call",
	dropIn + "ModNScalar.SetInt":                "32 bits, in registers",
	dropIn + "ModNScalar.IsOdd":                 "looks at one word, in registers",
	dropIn + "ModNScalar.Bytes":                 "returns a copy, as a value, which is the caller's",
	dropIn + "MakeJacobianPoint":                "returns a copy, as a value, which is the caller's",
	dropIn + "JacobianPoint.Set":                "a copy, without a call",
	dropIn + "AddNonConst":                      "points that are public: its time depends on them",
	dropIn + "JacobianPoint.EquivalentNonConst": "points that are public: its time depends on them",
	dropIn + "PrivateKey.Serialize":             "takes a copy, as a value, which is the caller's",
	dropIn + "S256":                             "a constant",
	dropIn + "KoblitzCurve.Params":              "a constant",
	dropIn + "KoblitzCurve.Add":                 "points that are public: they are of big.Int",
	dropIn + "KoblitzCurve.Double":              "points that are public: they are of big.Int",
	dropIn + "KoblitzCurve.IsOnCurve":           "points that are public: they are of big.Int",
	dropIn + "PublicKey.AsJacobian":             "a public key",
	musig2In + "NewPartialSignature":            "a part of a signature",
	musig2In + "WithPreGeneratedNonce":          "keeps a pointer",
	musig2In + "AggregateKeys":                  "public keys and public tweaks",
	musig2In + "NewContext":                     "keeps a pointer, and asks for PubKey and GenNonces",
	musig2In + "Context.EarlySessionNonce":      "hands on a pointer",
	musig2In + "Context.RegisterSigner":         "a public key",
	musig2In + "Context.NumRegisteredSigners":   "a number",
	musig2In + "Context.CombinedKey":            "a public key",
	musig2In + "Context.PubKey":                 "a public key",
	musig2In + "Context.SigningKeys":            "public keys",
	musig2In + "Context.TaprootInternalKey":     "a public key",
	musig2In + "Context.NewSession":             "keeps a pointer, and asks for GenNonces",
	musig2In + "Session.PublicNonce":            "a public nonce",
	musig2In + "Session.NumRegisteredNonces":    "a number",
	musig2In + "Session.RegisterPubNonce":       "a public nonce",
	musig2In + "Session.CombinedNonce":          "public nonces",
	musig2In + "Session.RegisterCombinedNonce":  "public nonces",
	musig2In + "Session.CombineSig":             "a part of a signature",
	musig2In + "Session.FinalSig":               "a signature",
	"compat/impl/btcec/schnorr.NewSignature":    "a signature",
	"compat/impl/btcec.GeneratorJacobian":       "G",
	"compat/impl/btcec.JacobianToByteSlice":     "a point, which becomes public",
	"compat/impl/btcec.ParseJacobian":           "a point, which is public",
	"compat/impl/btcec.PrivKeyFromBytes":        "passes on to compat/impl/secp256k1",
	"compat/impl/btcec/ellswift.EllswiftCreate": "passes on to compat/impl/secp256k1",
	"compat/impl/ecdsa.NewSignature":            "a signature",
	"compat/impl/ecdsa.Signature.R":             "a signature",
	"compat/impl/ecdsa.Signature.S":             "a signature",
}

// dropIn is the path prefix of the package that replaces dcrec's secp256k1.
const dropIn = "compat/impl/secp256k1."

// musig2In is the path prefix of the package that replaces btcec's MuSig2.
const musig2In = "compat/impl/btcec/musig2."

// TestEveryFunction lists the exported functions in the source of the public packages that may
// receive a secret, and checks that each is in the table of operations or in withoutSecret.
func TestEveryFunction(t *testing.T) {
	inTable := map[string]bool{}
	for _, o := range operations {
		name, _, _ := strings.Cut(o.name, " ")
		inTable[name] = true
	}
	unused := maps.Clone(withoutSecret)
	count := 0
	for pkg, text := range exportedDeclarations(t) {
		for _, f := range secretFunctions(pkg, text) {
			count++
			method := f[strings.LastIndexByte(f, '.')+1:]
			if withoutSecret[f] == "" && withoutSecret[method] == "" && !inTable[f] {
				t.Errorf("%s is not in the table", f)
			}
			delete(unused, f)
			delete(inTable, f)
		}
	}
	if count < 70 {
		t.Errorf("only %d exported functions", count)
	}
	for _, f := range slices.Sorted(maps.Keys(inTable)) {
		if strings.Contains(f, ".") {
			t.Errorf("%s is in the table and not exported", f)
		}
	}
	for f := range unused {
		if strings.Contains(f, ".") {
			t.Errorf("%s is excepted and not exported", f)
		}
	}
}

// exportedDeclarations returns the declarations of the exported functions and methods of each
// public package, by package path.
func exportedDeclarations(t *testing.T) map[string]string {
	t.Helper()
	const root = "../.."
	all := map[string]string{}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root {
			_, err := os.Stat(filepath.Join(dir, "go.mod"))
			if base := d.Name(); err == nil || base == "internal" || base == "testdata" ||
				base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			return nil // the package has no files for this system
		}
		name, _ := filepath.Rel(root, dir)
		if name = filepath.ToSlash(name); name == "." {
			name = "koblitz"
		}
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, 0)
			if err != nil {
				return err
			}
			ast.FileExports(f)
			for _, decl := range f.Decls {
				if decl, ok := decl.(*ast.FuncDecl); ok {
					var b strings.Builder
					decl.Body = nil
					if err := printer.Fprint(&b, token.NewFileSet(), decl); err != nil {
						return err
					}
					all[name] += b.String() + "\n"
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// function matches the declaration of a function or method in the result of exportedDeclarations,
// and captures the receiver's type, the name, and the rest.
var function = regexp.MustCompile(`(?m)^\t*func (?:\((?:\w+ )?\*?(\w+)\) )?(\w+)(\(.*)$`)

// mayBeSecret matches a declaration with a word that may refer to secrets.
var mayBeSecret = regexp.MustCompile(`\b(PrivateKey|(ModN)?Scalar|(Jacobian)?Point|KoblitzCurve|` +
	`(Scan|Spend)Key|PrivateTweak|Receiver|Scanner|Input|[Tt]weak|parts|[Ss]ecrets?|[Ss]eed|[Nn]once|\w*(Secret|Sign|ECDH)Rows|Signer|Session|SecretNonce)\b`)

// secretFunctions returns the names of the functions that may receive or return a secret.
func secretFunctions(pkg, text string) (names []string) {
	for _, m := range function.FindAllStringSubmatch(text, -1) {
		receiver, name, rest := m[1], m[2], m[3]
		holds := receiver == "Context" // MuSig2's Context; a parameter is a context.Context
		if strings.HasSuffix(name, "Vartime") ||
			!holds && !mayBeSecret.MatchString(receiver+" "+rest) {
			continue
		}
		if receiver != "" {
			name = receiver + "." + name
		}
		names = append(names, pkg+"."+name)
	}
	return names
}

// TestSecretFunctions checks that secretFunctions returns the functions of an example that belong
// in the table, and no others.
func TestSecretFunctions(t *testing.T) {
	const source = `package p

	func Plain(b []byte) error

	func Sign(key *koblitz.PrivateKey, hash []byte) []byte

	func SumVartime(scalars []group.Scalar) group.Point

type Scalar keys.GroupScalar

	func RandomScalar() *Scalar

	func (s *Signer) Sign(digest []byte) ([]byte, error)
	func (c *Context) Early() []byte
	func Wait(ctx context.Context) error

	func (s *Scalar) Zeroize()
	func (Scalar) Format(f fmt.State, verb rune)

type SecretRows struct{ Secrets Column }

	func (r SecretRows) PublicKeys(ctx context.Context, dst []byte) error

	func (k *PublicKey) TweakAdd(tweak []byte) (*PublicKey, error)
	func (k *PublicKey) Bytes() []byte
`
	want := []string{
		"p.Sign", "p.RandomScalar", "p.Signer.Sign", "p.Context.Early", "p.Scalar.Zeroize",
		"p.Scalar.Format", "p.SecretRows.PublicKeys", "p.PublicKey.TweakAdd",
	}
	if got := secretFunctions("p", source); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
