package layers

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// Each number of the curve, such as n, is written only once in the core, in a file called its home.
// Other code imports the number or computes it. Tests may repeat a number to compare it, and the
// oracle, package internal/reference, has its own copies.

// homes maps each number of the curve to the file that may contain its digits.
var homes = map[string]string{
	"c": "internal/field/element.go",
	"β": "internal/field/mul.go",
	"n": "internal/scalar/scalar.go",
	"λ": "internal/scalar/glv_constants.go",
	"G": "internal/point/affine.go",
}

// otherHomes lists the files of other modules that may contain the digits of the numbers. These
// modules cannot import the homes. They are the generators of assembly, and the module gpu, which
// may import only public packages.
var otherHomes = []string{"_asm/limbs/curve.go", "gpu/internal/sums/result.go"}

// digits maps the text of a literal to the name of a number of the curve: the literal equals that
// number, or one of its limbs. Limbs have 64, 62, 52 or 48 bits. The map also has the limbs of
// sixteen times each number (used with a modulus of 2^260 in place of 2^256), and of each number
// plus and minus 1.
func digits() map[string]string {
	p, n := reference.P(), reference.N()
	top := new(big.Int).Lsh(big.NewInt(1), 256)
	found := map[string]string{"977": "c"}
	for _, k := range []struct {
		name  string
		value *big.Int
	}{
		{"c", p}, {"c", new(big.Int).Sub(top, p)},
		{"n", n}, {"n", new(big.Int).Sub(top, n)}, {"n", new(big.Int).Sub(p, n)},
		{"β", reference.Beta()}, {"λ", reference.Lambda()},
		{"G", reference.Gx()}, {"G", reference.Gy()},
	} {
		for _, shift := range []uint{0, 4} {
			for _, neighbour := range []int64{-1, 0, 1} {
				x := new(big.Int).Add(k.value, big.NewInt(neighbour))
				x.Lsh(x, shift)
				for _, width := range []uint{64, 62, 52, 48} {
					mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1))
					for at := uint(0); at < uint(x.BitLen()); at += width {
						limb := new(big.Int).Rsh(x, at)
						limb.And(limb, mask)
						// Leave out small limbs and limbs near the mask, which are too common to
						// identify a number.
						if rest := new(big.Int).Sub(mask, limb); limb.BitLen() > 32 && rest.BitLen() > 32 {
							found[limb.String()] = k.name
						}
					}
				}
			}
		}
		found[fmt.Sprintf("%x", k.value)] = k.name
	}
	return found
}

// numbers reports the literals in a file that contain digits of a number outside of the number's
// home. It skips tests and the oracle.
func (c *checker) numbers(rel string, f *ast.File) {
	if strings.HasSuffix(rel, "_test.go") || path.Dir(rel) == "internal/reference" ||
		slices.Contains(otherHomes, rel) {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok {
			return true
		}
		if number := numberIn(literal, c.digits); number != "" && homes[number] != rel {
			c.report(rel, literal.Value+" is of "+number+", which stands in "+homes[number])
		}
		return true
	})
}

// numberIn returns the name of the number of the curve whose digits are in literal, or "".
func numberIn(literal *ast.BasicLit, numbers map[string]string) string {
	switch literal.Kind {
	case token.INT:
		if x, ok := new(big.Int).SetString(literal.Value, 0); ok {
			return numbers[x.String()]
		}
	case token.STRING:
		text, _ := strconv.Unquote(literal.Value)
		for b := []byte(text); len(b) >= 8; b = b[8:] { // the number in big-endian bytes
			if number := numbers[strconv.FormatUint(binary.BigEndian.Uint64(b), 10)]; number != "" {
				return number
			}
		}
		text = strings.TrimPrefix(strings.ToLower(text), "0x")
		if len(text) >= 32 {
			return numbers[strings.TrimLeft(text, "0")]
		}
	}
	return ""
}

// TestConstantsAtHome checks that each home contains the digits of its number, in a form that the
// function digits recognizes.
func TestConstantsAtHome(t *testing.T) {
	numbers := digits()
	for number, home := range homes {
		name := filepath.Join("..", "..", filepath.FromSlash(home))
		f := reference.Must(parser.ParseFile(token.NewFileSet(), name, nil, 0))
		seen := false
		ast.Inspect(f, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok {
				seen = seen || numberIn(literal, numbers) == number
			}
			return true
		})
		if !seen {
			t.Errorf("%s is not in %s", number, home)
		}
	}
}
