package lanes_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This computes eight square roots at a time, of 1, 2, … 8. Some of these numbers have no root.
func ExampleSqrtPair() {
	var a, root [2]lanes.Element
	for j := range lanes.Width {
		var x field.Element
		a[0].SetLane(j, x.SetUint64(uint64(j+1)))
	}
	ok := lanes.SqrtPair(&root, &a)
	for j := range lanes.Width {
		if ok[0].Has(j) {
			fmt.Println(j + 1)
		}
	}

	var x field.Element
	root[0].Lane(3, &x)
	x.Square(&x)
	fmt.Println(x.Limbs()[0])
	// Output:
	// 1
	// 2
	// 4
	// 8
	// 4
}

// Adding a point to itself is an exceptional case of the chord formula: the result in that lane is
// infinity, and so are all later sums.
func ExampleJacobian_AddMixedIncomplete() {
	var x, y, z field.Element
	x.SetLimbs(0x59f2815b16f81798, 0x029bfcdb2dce28d9, 0x55a06295ce870b07, 0x79be667ef9dcbbac)
	y.SetLimbs(0x9c47d08ffb10d4b8, 0xfd17b448a6855419, 0x5da4fbfc0e1108a8, 0x483ada7726a3c465)
	var g lanes.Affine
	g.X.Broadcast(&x)
	g.Y.Broadcast(&y)

	var p, twice lanes.Jacobian
	p.SetAffine(&g)
	twice.DoubleN(&p, 1)
	p.Select(lanes.First(4).Not(), &twice, &p) // 2·G in the upper four lanes
	p.AddMixedIncomplete(&p, &g)
	p.DoubleN(&p, 2)
	fmt.Println(p.IsInfinity() == lanes.First(4))

	p.X.Lane(7, &x) // 12·G
	p.Z.Lane(7, &z)
	z.Invert(&z)
	x.Mul(&x, z.Square(&z))
	fmt.Printf("%x\n", x.Limbs()[3])
	// Output:
	// true
	// d01115d548e7561b
}

// SplitOdd encodes an odd digit in every window of 5 bits.
func ExampleSplitOdd() {
	var k [lanes.Width]scalar.Scalar
	for j := range k {
		k[j].SetUint64(uint64(1000 + j))
	}
	var b1, b2 [3]lanes.Vector
	lanes.SplitOdd(&b1, &b2, &k, 130)
	for j := range 3 {
		code := b1[0].At(j) & 31
		fmt.Print(2*int64(code)-31, " ")
	}
	fmt.Println()
	// Output: -13 -15 -11
}

// This divides two numbers in each of nine rows, with only one inversion.
func ExampleDivideScalars() {
	var a, b, s [9]scalar.Scalar
	for i := range s {
		s[i].SetUint64(uint64(2 * i))
		a[i].SetUint64(uint64(2 * i * i))
		b[i].SetUint64(uint64(6 * i))
	}
	lanes.DivideScalars(a[:], b[:], s[:], make([]lanes.Scalar, lanes.DivideScratch(len(s))))
	for i := range s {
		fmt.Print(a[i].Limbs()[0], "/", b[i].Limbs()[0], " ")
	}
	fmt.Println()
	// Output: 0/0 1/3 2/3 3/3 4/3 5/3 6/3 7/3 8/3
}
