package operations

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
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

	DropIn + "ModNScalar.Set":                   "a copy, without a call",
	DropIn + "ModNScalar.SetInt":                "32 bits, in registers",
	DropIn + "ModNScalar.IsOdd":                 "looks at one word, in registers",
	DropIn + "ModNScalar.Bytes":                 "returns a copy, as a value, which is the caller's",
	DropIn + "MakeJacobianPoint":                "returns a copy, as a value, which is the caller's",
	DropIn + "JacobianPoint.Set":                "a copy, without a call",
	DropIn + "AddNonConst":                      "points that are public: its time depends on them",
	DropIn + "JacobianPoint.EquivalentNonConst": "points that are public: its time depends on them",
	DropIn + "PrivateKey.Serialize":             "takes a copy, as a value, which is the caller's",
	DropIn + "S256":                             "a constant",
	DropIn + "KoblitzCurve.Params":              "a constant",
	DropIn + "KoblitzCurve.Add":                 "points that are public: they are of big.Int",
	DropIn + "KoblitzCurve.Double":              "points that are public: they are of big.Int",
	DropIn + "KoblitzCurve.IsOnCurve":           "points that are public: they are of big.Int",
	DropIn + "PublicKey.AsJacobian":             "a public key",
	MuSig2In + "NewPartialSignature":            "a part of a signature",
	MuSig2In + "WithPreGeneratedNonce":          "keeps a pointer",
	MuSig2In + "AggregateKeys":                  "public keys and public tweaks",
	MuSig2In + "NewContext":                     "keeps a pointer, and asks for PubKey and GenNonces",
	MuSig2In + "Context.EarlySessionNonce":      "hands on a pointer",
	MuSig2In + "Context.RegisterSigner":         "a public key",
	MuSig2In + "Context.NumRegisteredSigners":   "a number",
	MuSig2In + "Context.CombinedKey":            "a public key",
	MuSig2In + "Context.PubKey":                 "a public key",
	MuSig2In + "Context.SigningKeys":            "public keys",
	MuSig2In + "Context.TaprootInternalKey":     "a public key",
	MuSig2In + "Context.NewSession":             "keeps a pointer, and asks for GenNonces",
	MuSig2In + "Session.PublicNonce":            "a public nonce",
	MuSig2In + "Session.NumRegisteredNonces":    "a number",
	MuSig2In + "Session.RegisterPubNonce":       "a public nonce",
	MuSig2In + "Session.CombinedNonce":          "public nonces",
	MuSig2In + "Session.RegisterCombinedNonce":  "public nonces",
	MuSig2In + "Session.CombineSig":             "a part of a signature",
	MuSig2In + "Session.FinalSig":               "a signature",
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

// generating lists the functions that make a secret of random bytes.
var generating = []string{
	"koblitz.GenerateKey", "group.RandomScalar", "musig2.GenerateNonceWithoutKey",
	DropIn + "GeneratePrivateKey",
}

// TestEveryFunction checks that Types and Functions have the exported types and functions of the
// core, and that All has an operation for each function that may receive a secret or takes a
// context, unless withoutSecret says why not.
func TestEveryFunction(t *testing.T) {
	listed := map[string]bool{} // and whether it is exported
	for _, typ := range Types {
		listed[typ.String()] = false
	}
	for _, f := range Functions {
		listed[FunctionName(f)] = false
	}
	called := map[string]bool{} // by an operation, and whether it is exported
	secret := map[string]bool{} // by an operation with secrets that all checks run
	for _, o := range All() {
		name, _, _ := strings.Cut(o.Name, " ")
		called[name] = false
		if o.Needs&(Public|Vartime|Panics) == 0 || name == DropIn+"PrivateKey.ToECDSA" {
			secret[name] = true
		}
		if o.Needs&(Public|Keys|Scalars|Points|DropIns|Numbers|Message) == 0 &&
			!slices.Contains(generating, name) {
			t.Errorf("the operation %s has no secret operands", o.Name)
		}
		if o.Run == nil {
			t.Errorf("the operation %s has no method Run", o.Name)
		}
	}
	unused, count := maps.Clone(withoutSecret), 0
	for pkg, text := range exportedDeclarations(t) {
		for _, d := range declarations(pkg, text) {
			if _, ok := listed[d.name]; ok {
				listed[d.name] = true
			} else if !d.method && !strings.HasPrefix(pkg, "compat/") {
				t.Errorf("%s is not in Types or Functions, in exports.go: add a line with its name", d.name)
			}
			if _, ok := called[d.name]; ok {
				called[d.name] = true
			}
			if !d.secret && !d.context {
				continue
			}
			count++
			method := d.name[strings.LastIndexByte(d.name, '.')+1:]
			reason := withoutSecret[d.name] + withoutSecret[method]
			if d.context && !slices.ContainsFunc(All(), func(o Operation) bool {
				return o.Name == d.name && o.Needs&Context != 0
			}) {
				t.Errorf("%s takes a context, and no operation of that name has the flag Context", d.name)
			}
			if !called[d.name] && reason == "" {
				t.Errorf("%s has no operation: add one to the list of its package in lab/operations, "+
					"or, if no secret reaches it, the reason to withoutSecret in this file", d.name)
			}
			if called[d.name] && d.secret && reason == "" && !secret[d.name] {
				t.Errorf("the operations of %s are all Public, Vartime or Panics", d.name)
			}
			delete(unused, d.name)
		}
	}
	if count < 100 {
		t.Errorf("only %d functions", count)
	}
	for _, list := range []map[string]bool{listed, called} {
		for name, exported := range list {
			if !exported {
				t.Errorf("%s is listed and not exported", name)
			}
		}
	}
	for f := range unused {
		if strings.Contains(f, ".") {
			t.Errorf("%s is excepted and not exported", f)
		}
	}
}

// exportedDeclarations returns the declarations of the exported functions and methods of each
// public package, and the names of its exported types, by package path.
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
				base == "lab" || strings.HasSuffix(base, "test") ||
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
				var b strings.Builder
				switch decl := decl.(type) {
				case *ast.FuncDecl:
					decl.Body = nil
					if err := printer.Fprint(&b, token.NewFileSet(), decl); err != nil {
						return err
					}
				case *ast.GenDecl:
					for _, spec := range decl.Specs {
						if spec, ok := spec.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
							b.WriteString("type " + spec.Name.Name + "\n")
						}
					}
				}
				all[name] += b.String() + "\n"
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mayBeSecret matches a declaration with a word that may refer to secrets.
var mayBeSecret = regexp.MustCompile(`\b(PrivateKey|(ModN)?Scalar|(Jacobian)?Point|KoblitzCurve|` +
	`(Scan|Spend)Key|PrivateTweak|Receiver|Scanner|Input|[Tt]weak|parts|[Ss]ecrets?|[Ss]eed|` +
	`[Nn]once|\w*(Secret|Sign|ECDH)Rows|Signer|Session|SecretNonce)\b`)

// declared matches the declaration of a type, function or method in the result of
// exportedDeclarations, and captures the name of a type, or the receiver's type, the name, and the
// rest.
var declared = regexp.MustCompile(
	`(?m)^\t*(?:type (\w+)|func (?:\((?:\w+ )?\*?(\w+)\) )?(\w+)(\(.*))$`)

// A declaration is one of an exported type, function or method.
type declaration struct {
	name    string
	method  bool
	secret  bool // it may receive or return a secret
	context bool // its first parameter is a context
}

// declarations returns those in the text of a package.
func declarations(pkg, text string) (all []declaration) {
	for _, m := range declared.FindAllStringSubmatch(text, -1) {
		receiver, name, rest := m[2], m[3], m[4]
		d := declaration{name: pkg + "." + m[1] + name, method: receiver != ""}
		if d.method {
			d.name = pkg + "." + receiver + "." + name
		}
		holds := receiver == "Context" // MuSig2's Context; a parameter is a context.Context
		d.secret = m[1] == "" && !strings.HasSuffix(name, "Vartime") &&
			(holds || mayBeSecret.MatchString(receiver+" "+rest))
		d.context = strings.HasPrefix(rest, "(ctx context.Context")
		all = append(all, d)
	}
	return all
}

// TestDeclarations checks which functions of an example may receive a secret.
func TestDeclarations(t *testing.T) {
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
	var got []string
	for _, d := range declarations("p", source) {
		if d.secret {
			got = append(got, d.name)
		}
		if d.context != (d.name == "p.Wait" || d.name == "p.SecretRows.PublicKeys") {
			t.Errorf("%s takes a context: %v", d.name, d.context)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// filled returns operands whose bytes depend on a number.
func filled(seed byte) *Operands {
	r := rand.NewChaCha8([32]byte{seed})
	read := func(b []byte) { r.Read(b) }
	o := NewOperands()
	o.Fill(read, read)
	return o
}

// run runs an operation on a variation of operands, and returns an error if it panics.
func run(o *Operation, v *Variation, x *Operands) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s, %s: a panic: %v\n%s", o.Name, v.Name, r, debug.Stack())
		}
	}()
	if v.Bytes != nil {
		v.Bytes(x)
	}
	if x.Prepare(o.Needs) != nil {
		return nil
	}
	if v.Values != nil {
		v.Values(x)
	}
	if err := o.Run(x); err != nil && v.Name == "valid" {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	return nil
}

// TestOperations checks that no operation panics with any variation of its operands, and that each
// succeeds with valid ones, for all rows.
func TestOperations(t *testing.T) {
	calls := 0
	for _, o := range All() {
		for i, v := range Variations() {
			if !v.Concerns(&o) {
				continue
			}
			x := filled(byte(i))
			x.Paid = true
			if err := run(&o, &v, x); err != nil {
				t.Error(err)
			}
			equal := strings.HasSuffix(o.Name, "with itself")
			if v.Name == "valid" && (x.True != equal || x.Count != x.Valid ||
				o.Needs&(ManyRows|Context) == ManyRows|Context && x.Count != x.Rows) {
				t.Errorf("%s: %v, %d rows, %d of them valid", o.Name, x.True, x.Count, x.Valid)
			}
			calls++
			x.Clean()
		}
	}
	t.Logf("%d calls", calls)
}

// TestPrepare checks the operands that Prepare derives from D and E.
func TestPrepare(t *testing.T) {
	x, curve := filled(1), reference.Secp256k1()
	if err := x.Prepare(Keys | Scalars | Points | DropIns); err != nil {
		t.Fatal(err)
	}
	public := func(b []byte) []byte {
		p := curve.ScalarMult(new(big.Int).SetBytes(b), curve.G)
		return append([]byte{2 + byte(p.Y.Bit(0))}, p.X.FillBytes(make([]byte, 32))...)
	}
	d, e := x.DE[:32], x.DE[32:]
	two := big.NewInt(2).FillBytes(make([]byte, 32))
	jacobian := func(p *secp256k1.JacobianPoint) []byte {
		p.ToAffine()
		return secp256k1.NewPublicKey(&p.X, &p.Y).SerializeCompressed()
	}
	dx, dy := x.dropIns.x.Bytes(), x.dropIns.y.Bytes()
	for name, pair := range map[string][2][]byte{
		"D": {x.D, d}, "E": {x.E, e}, "Key": {x.Key.Bytes(), d}, "Other": {x.Other.Bytes(), e},
		"X": {x.X.Bytes(), d}, "Y": {x.Y.Bytes(), e},
		"P": {x.P.Bytes(), public(d)}, "Q": {x.Q.Bytes(), public(e)},
		"points[0]": {x.points[0].Bytes(), public(d)}, "points[1]": {x.points[1].Bytes(), public(e)},
		"Peer": {x.Peer.Bytes(), public(two)}, "dropIns.key": {x.dropIns.key.Serialize(), d},
		"dropIns.x": {dx[:], d}, "dropIns.y": {dy[:], e},
		"dropIns.p":    {jacobian(&x.dropIns.p), public(d)},
		"dropIns.q":    {jacobian(&x.dropIns.q), public(e)},
		"dropIns.peer": {x.dropIns.peer.SerializeCompressed(), public(two)},
	} {
		if !bytes.Equal(pair[0], pair[1]) {
			t.Errorf("%s is %x, want %x", name, pair[0], pair[1])
		}
	}
}
