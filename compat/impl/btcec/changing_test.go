package btcec_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec"
	btcecdsa "github.com/koblitz-go/koblitz/compat/impl/btcec/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/changing"
)

// A read is a function of bytes, which returns its results as a text, and contents of the bytes.
type read struct {
	f        func(b []byte) string
	contents [][]byte
}

// reads returns each exported function below compat/impl, without btcec/musig2, that reads bytes of
// the caller. The key is the folder and the name, and then what the bytes are.
func reads(t *testing.T) map[string]read {
	key, other := secp256k1.PrivKeyFromBytes([]byte{5}), secp256k1.PrivKeyFromBytes([]byte{6})
	public := key.PubKey()
	number := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	hash, otherHash := number(1), number(2)
	long := slices.Concat(hash, otherHash, hash[:7])
	sig, otherSig := ecdsa.Sign(key, hash), ecdsa.Sign(key, otherHash)
	bip340, err := schnorr.Sign(key, hash)
	if err != nil {
		t.Fatal(err)
	}
	otherBIP340, err := schnorr.Sign(key, otherHash)
	if err != nil {
		t.Fatal(err)
	}
	messages, numbers := [][]byte{hash, otherHash}, [][]byte{number(1), number(0xff), number(0)}
	ders := [][]byte{sig.Serialize(), otherSig.Serialize()}
	keys := [][]byte{public.SerializeCompressed(), other.PubKey().SerializeCompressed(),
		append([]byte{3}, public.SerializeCompressed()[1:]...)}
	uncompressed := [][]byte{public.SerializeUncompressed(), other.PubKey().SerializeUncompressed()}
	jacobian := append(slices.Clone(keys), append([]byte{0}, keys[0][1:]...))
	compact := [][]byte{ecdsa.SignCompact(key, hash, true), ecdsa.SignCompact(key, otherHash, false)}
	G := secp256k1.Params()
	nonce := func(i int) func(b []byte) string {
		return func(b []byte) string {
			in := [][]byte{hash, hash, hash, hash[:16]}
			in[i] = b
			return fmt.Sprint(secp256k1.NonceRFC6979(in[0], in[1], in[2], in[3], 0))
		}
	}
	schnorrSign := func(o ...schnorr.SignOption) func(b []byte) string {
		return func(b []byte) string {
			s, err := schnorr.Sign(key, b, o...)
			return fmt.Sprint(s, err)
		}
	}
	bits := func(f func(k []byte) (x, y *big.Int)) func(b []byte) string {
		return func(b []byte) string { return fmt.Sprint(f(b)) }
	}
	array := func(f func(b *[32]byte) uint32, v fmt.Stringer) func(b []byte) string {
		return func(b []byte) string { return fmt.Sprint(f((*[32]byte)(b)), v) }
	}
	slice := func(f func(b []byte) bool, v fmt.Stringer) func(b []byte) string {
		return func(b []byte) string { return fmt.Sprint(f(b), v) }
	}
	var x secp256k1.FieldVal
	var n secp256k1.ModNScalar
	return map[string]read{
		"secp256k1.ParsePubKey": {func(b []byte) string {
			return fmt.Sprint(secp256k1.ParsePubKey(b))
		}, keys},
		"secp256k1.ParsePubKey uncompressed": {func(b []byte) string {
			return fmt.Sprint(secp256k1.ParsePubKey(b))
		}, uncompressed},
		"secp256k1.PrivKeyFromBytes": {func(b []byte) string {
			return fmt.Sprint(secp256k1.PrivKeyFromBytes(b))
		}, numbers},
		"secp256k1.FieldVal.SetBytes":            {array(x.SetBytes, &x), numbers},
		"secp256k1.FieldVal.SetByteSlice":        {slice(x.SetByteSlice, &x), numbers},
		"secp256k1.ModNScalar.SetBytes":          {array(n.SetBytes, &n), numbers},
		"secp256k1.ModNScalar.SetByteSlice":      {slice(n.SetByteSlice, &n), numbers},
		"secp256k1.NonceRFC6979 key":             {nonce(0), messages},
		"secp256k1.NonceRFC6979 hash":            {nonce(1), messages},
		"secp256k1.NonceRFC6979 extra":           {nonce(2), messages},
		"secp256k1.NonceRFC6979 version":         {nonce(3), [][]byte{hash[:16], otherHash[:16]}},
		"secp256k1.KoblitzCurve.ScalarBaseMult":  {bits(btcecCurve.ScalarBaseMult), messages},
		"secp256k1.KoblitzCurve.ScalarMult long": {multiply(G.Gx, G.Gy), [][]byte{long}},
		"secp256k1.KoblitzCurve.ScalarMult":      {multiply(G.Gx, G.Gy), messages},
		"ecdsa.Sign": {func(b []byte) string {
			return fmt.Sprint(ecdsa.Sign(key, b))
		}, append(messages, long, hash[:20])},
		"ecdsa.SignCompact": {func(b []byte) string {
			return fmt.Sprint(ecdsa.SignCompact(key, b, true))
		}, messages},
		"ecdsa.Signature.Verify": {func(b []byte) string {
			return fmt.Sprint(sig.Verify(b, public))
		}, messages},
		"ecdsa.ParseDERSignature": {func(b []byte) string {
			return fmt.Sprint(ecdsa.ParseDERSignature(b))
		}, ders},
		"ecdsa.RecoverCompact signature": {func(b []byte) string {
			return fmt.Sprint(ecdsa.RecoverCompact(b, hash))
		}, compact},
		"ecdsa.RecoverCompact hash": {func(b []byte) string {
			return fmt.Sprint(ecdsa.RecoverCompact(compact[0], b))
		}, messages},
		"btcec/ecdsa.ParseSignature": {func(b []byte) string {
			return fmt.Sprint(btcecdsa.ParseSignature(b))
		}, ders},
		"btcec/ecdsa.ParseDERSignature": {func(b []byte) string {
			return fmt.Sprint(btcecdsa.ParseDERSignature(b))
		}, ders},
		"btcec/ecdsa.VerifyLowS": {func(b []byte) string {
			return fmt.Sprint(btcecdsa.VerifyLowS(b))
		}, ders},
		"btcec/schnorr.Sign":             {schnorrSign(), messages},
		"btcec/schnorr.Sign FastSign":    {schnorrSign(schnorr.FastSign()), messages},
		"btcec/schnorr.Sign CustomNonce": {schnorrSign(schnorr.CustomNonce([32]byte{})), messages},
		"btcec/schnorr.Signature.Verify": {func(b []byte) string {
			return fmt.Sprint(bip340.Verify(b, public))
		}, messages},
		"btcec/schnorr.ParseSignature": {func(b []byte) string {
			return fmt.Sprint(schnorr.ParseSignature(b))
		}, [][]byte{bip340.Serialize(), otherBIP340.Serialize()}},
		"btcec/schnorr.ParsePubKey": {func(b []byte) string {
			return fmt.Sprint(schnorr.ParsePubKey(b))
		}, [][]byte{keys[0][1:], keys[1][1:]}},
		"btcec.PrivKeyFromBytes": {func(b []byte) string {
			return fmt.Sprint(btcec.PrivKeyFromBytes(b))
		}, numbers},
		"btcec.ParseJacobian": {func(b []byte) string {
			return fmt.Sprint(btcec.ParseJacobian(b))
		}, jacobian},
		"btcec.IsCompressedPubKey": {func(b []byte) string {
			return fmt.Sprint(btcec.IsCompressedPubKey(b))
		}, jacobian},
	}
}

var btcecCurve = secp256k1.S256()

// multiply returns a function that multiplies a point by a number.
func multiply(x, y *big.Int) func(b []byte) string {
	return func(b []byte) string { return fmt.Sprint(btcecCurve.ScalarMult(x, y, b)) }
}

// TestChangingMemory calls the functions with memory that changes when it is read a second time.
// They must return what they return for the first content.
func TestChangingMemory(t *testing.T) {
	for name, r := range reads(t) {
		for i, first := range r.contents {
			inverted := bytes.Clone(first)
			for k := range inverted {
				inverted[k] ^= 0xff
			}
			want := r.f(bytes.Clone(first))
			for _, second := range append(r.contents[i+1:], inverted) {
				if len(second) != len(first) {
					continue
				}
				changing.Each(t, first, second, func(b []byte) {
					if got := r.f(b); got != want {
						t.Errorf("%s of %x that changes to %x:\n%s, want\n%s", name, first, second, got, want)
					}
				})
			}
		}
	}
}

// TestChangingMemoryOfAll compares the table with the sources: it has every exported function with
// a parameter that is a slice of bytes or a pointer to an array, unless the function writes it.
func TestChangingMemoryOfAll(t *testing.T) {
	table := map[string]bool{}
	for name := range reads(t) {
		function, _, _ := strings.Cut(name, " ")
		table[function] = true
	}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, more...) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") || folder == "musig2" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		folder, above := strings.CutPrefix(folder, "../")
		if !above {
			folder = "btcec/" + folder
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || strings.HasPrefix(f.Name.Name, "PutBytes") {
				continue
			}
			bytes := false
			for _, p := range f.Type.Params.List {
				text := types.ExprString(p.Type)
				bytes = bytes || text == "[]byte" || text == "*[32]byte"
			}
			name := folder + "."
			if f.Recv != nil {
				name += strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "."
			}
			if name += f.Name.Name; bytes && !table[name] && name != "secp256k1.SignSchnorr" {
				t.Errorf("%s is not in the table", name)
			}
		}
	}
}
