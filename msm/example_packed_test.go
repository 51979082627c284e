package msm_test

import (
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
)

// The terms are encoded as they might be in a file: scalars of 32 bytes, and points of 64 bytes,
// both coordinates. The sum is 1·P + 2·P + 3·P − 6·P.
func ExamplePackedSumVartime() {
	p := koblitz.GenerateKey().PublicKey().UncompressedBytes()[1:] // without the byte 0x04
	var scalars, points []byte
	for i := range uint64(3) {
		scalars = new(group.Scalar).SetUint64(1 + i).AppendBytes(scalars)
		points = append(points, p...)
	}
	six := new(group.Scalar).SetUint64(6)
	scalars = six.Negate(six).AppendBytes(scalars)
	points = append(points, p...)

	sum, err := msm.PackedSumVartime(context.Background(), scalars, points, nil)
	fmt.Println(sum.IsIdentity(), err)

	_, err = msm.PackedSumVartime(context.Background(), scalars, points[:200], nil)
	fmt.Println(err)
	// Output:
	// true <nil>
	// msm: 128 bytes of scalars and 200 of points, want 32 and 64 for each term
}
