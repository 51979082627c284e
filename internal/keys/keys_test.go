package keys

import (
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

func TestZeroValues(t *testing.T) {
	for _, k := range []*Public{nil, {}} {
		if k.Affine() != nil {
			t.Error("a zero Public has a point")
		}
	}
	for _, k := range []*XOnly{nil, {}} {
		if k.Affine() != nil {
			t.Error("a zero XOnly has a point")
		}
	}
	for _, k := range []*Prepared{nil, {}} {
		if k.Affine() != nil || k.Table() != nil {
			t.Error("a zero Prepared has a point or a table")
		}
	}
	for _, k := range []*Private{nil, {}} {
		d := *new(scalar.Scalar).One()
		if k.Load(&d) || !d.IsZero().Bool() || k.Live() || k.Public() != nil ||
			k.Blinding() != nil || k.Blinded(nil).open != nil {
			t.Error("a zero Private has a secret")
		}
		k.Wipe()
	}
}

// TestNormalizes checks that keys normalize coordinates that are given in another representation,
// so that parity and encodings can be read from them.
func TestNormalizes(t *testing.T) {
	// Only numbers below 2^256 − p have a second representation, and 1 is the x coordinate of a
	// point of the curve.
	var a, loose point.Affine
	if !a.LiftX(new(field.Element).One(), 0).Bool() {
		t.Fatal("no point with x = 1")
	}
	a.Normalize()
	loose.Set(&a)
	loose.X.SetLimbs(0xfffffffefffffc30, ^uint64(0), ^uint64(0), ^uint64(0)) // p + 1
	if loose == a || !loose.Equal(&a).Bool() {
		t.Fatal("the test is wrong")
	}

	var k Public
	k.SetAffine(&loose)
	if *k.Affine() != a || k.OddY() != 0 {
		t.Error("SetAffine does not normalize")
	}
	var x XOnly
	for range 2 {
		if x.SetAffine(&loose); *x.Affine() != a {
			t.Error("an x-only key is not normalized, or has an odd y")
		}
		loose.Neg(&loose)
	}
}

// TestPrepared checks that a prepared key keeps copies of its point and its table.
func TestPrepared(t *testing.T) {
	var g, q point.Affine
	g.SetGenerator()
	for _, maxBytes := range []int{0, 2 << 10} {
		q = g
		k := NewPrepared(&q, vartime.NewSplitTable(&q, maxBytes))
		q = point.Affine{}
		if *k.Affine() != g {
			t.Error("another point")
		}
		if c := k.Table(); (c == nil) != (maxBytes == 0) || c != nil && c.Size() != maxBytes {
			t.Error("another table")
		}
	}
}

// TestPublicOnce checks that all copies of a key share a public key that is computed once, and that
// no public key is returned after the wipe.
func TestPublicOnce(t *testing.T) {
	k := New(new(scalar.Scalar).SetUint64(2))
	copied, blinded := k, k.Blinded(nil)
	var wg sync.WaitGroup
	got := make([]*Public, 8)
	for i := range got {
		wg.Go(func() { got[i] = []*Private{&k, &copied, &blinded}[i%3].Public() })
	}
	wg.Wait()
	for _, p := range got {
		if p == nil || p != got[0] {
			t.Fatal("not one public key")
		}
	}
	s := k.secret()
	copied.Wipe()
	if k.Public() != nil || blinded.Public() != nil || !s.d.IsZero().Bool() {
		t.Error("the wipe did not reach every copy")
	}

	k = New(new(scalar.Scalar).SetUint64(3))
	k.Wipe()
	if k.Public() != nil || k.secret().derived {
		t.Error("a public key of nothing")
	}
	var p Public
	if k.computePublic(&p) || p.Affine() != nil {
		t.Error("a public key that was asked for before the wipe is computed after it")
	}
}
