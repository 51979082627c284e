package dsa

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestFault changes every third bit of the stored values between any two steps of signing, as a
// fault of the machine would. The result must be refused, by SameNonce or by a verification, or be
// the signature of a signing without a fault.
func TestFault(t *testing.T) {
	var d, z scalar.Scalar
	d.SetUint64(0x1234567)
	d.Neg(&d)
	z.SetUint64(0x89abcdef)
	var message [32]byte
	z.PutBytes(&message)
	var key point.Affine
	(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&key, &d)
	var want Signing
	steps := []func(g *Signing) bool{
		func(g *Signing) bool {
			var b [32]byte
			g.D.PutBytes(&b)
			g.nonces.Init(&b, &g.Message, nil)
			return g.derive()
		},
		func(g *Signing) bool { g.multiply(nil); return true },
		func(g *Signing) bool { return g.finish() },
		func(g *Signing) bool { return g.SameNonce(&message) },
		func(g *Signing) bool {
			return !g.S.IsHigh().Bool() && VerifyRecoverable(&g.R, &g.S, &z, &key, g.ID)
		},
	}
	for _, step := range append([]func(g *Signing) bool{
		func(g *Signing) bool { g.D, g.Z, g.Message = d, z, message; return true },
	}, steps...) {
		if !step(&want) {
			t.Fatal("a signature without a fault is refused")
		}
	}
	good := 0
	for fault := range steps { // the step before which a bit changes
		for bit := fault % 3; bit < 8*int(unsafe.Sizeof(want)); bit += 3 {
			g := Signing{D: d, Z: z, Message: message}
			ok := true
			for i := 0; i < len(steps) && ok; i++ {
				if i == fault {
					b := unsafe.Slice((*byte)(unsafe.Pointer(&g)), unsafe.Sizeof(g))
					b[bit/8] ^= 1 << (bit % 8)
				}
				ok = steps[i](&g)
			}
			if !ok {
				continue
			}
			good++
			if g.R != want.R || g.S != want.S || g.ID != want.ID {
				t.Fatalf("step %d, bit %d: another valid signature", fault, bit)
			}
		}
	}
	if good == 0 {
		t.Error("every change is refused")
	}
}
