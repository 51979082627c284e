// Command profile counts the instructions of operations with the parameters that internal/profile
// has for this architecture, and with other parameters: of sums by each method, and of batch
// equations and single verifications. The printed name of a count is a kind, a size and a value of
// a parameter. A star marks the value in the profile.
package main

//ci:untested count runs it.

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
	"github.com/koblitz-go/koblitz/lab/count/between"
	"github.com/koblitz-go/koblitz/schnorr"
)

// measure counts the instructions of f after change has changed the profile, and then restores the
// profile. It first runs f once without counting. The argument now says whether value is also the
// value in the unchanged profile.
func measure(kind string, size, value int, now bool, change func(p *profile.Profile), f func()) {
	p := profile.Current()
	before := *p
	change(p)
	star := ""
	if now {
		star = "*"
	}
	between.Measure(fmt.Sprintf("%s %d %d%s", kind, size, value, star), 1, f)
	*p = before
}

func main() {
	between.Nothing()
	terms := newTerms(10000)
	terms.plans()
	terms.numbers()
	equations()
}

// terms holds points and scalars for sums with any number of terms.
type terms struct {
	points  []point.Affine
	scalars []scalar.Scalar
	sum     sums.Sum
}

func newTerms(most int) *terms {
	t := &terms{points: make([]point.Affine, most), scalars: make([]scalar.Scalar, most)}
	multiples := make([]point.Jacobian, most)
	var p point.Jacobian
	first := random(0)
	ecmult.ScalarBaseMult(&p, &first)
	var g point.Affine
	g.SetGenerator()
	for i := range most {
		p.AddMixedVartime(&p, &g)
		multiples[i] = p
		t.scalars[i] = random(uint64(i + 1))
	}
	point.BatchToAffineVartime(t.points, multiples)
	return t
}

// random returns the scalar with index i in a fixed pseudo-random sequence.
func random(i uint64) (s scalar.Scalar) {
	digest := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, i))
	s.SetBytes(&digest)
	return s
}

// full and short return functions that compute a sum of n terms, with scalars of full or half
// length.
func (t *terms) full(n int) func() {
	return func() {
		t.sum.Reset(n, 0)
		for i := range n {
			t.sum.SetFull(i, &t.scalars[i], &t.points[i])
		}
		t.result()
	}
}

func (t *terms) short(n int) func() {
	return func() {
		t.sum.Reset(0, n)
		for i := range n {
			l := t.scalars[i].Limbs()
			t.sum.SetShort(i, &scalar.Half{Lo: l[0]}, &scalar.Half{Lo: l[1], Neg: 1}, &t.points[i])
		}
		t.result()
	}
}

func (t *terms) result() {
	var r point.Jacobian
	between.Check(t.sum.Result(context.Background(), &r, nil))
}

// plans counts the instructions of sums of many sizes by each method, with scalars of full and of
// half length.
func (t *terms) plans() {
	for _, n := range []int{
		2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 40, 44, 48, 52, 56, 60, 64, 68, 72, 80, 88, 96, 112, 128,
		160, 180, 200, 250, 320, 400, 500, 640, 800, 1024, 1600, 2200, 2600, 3500,
		4300, 5000, 7000, 8500, 10000,
	} {
		t.methods("Plans", n, profile.Current().Plan(n), t.full(n))
	}
	for _, n := range []int{8, 16, 24, 28, 32, 36, 40, 44, 48, 64, 96, 128, 200} {
		t.methods("Plans/short", n, sums.Method(0, n), t.short(n))
	}
}

// methods counts the instructions of f, which computes a sum of n terms. It does so for each method
// of computing sums that may be the fastest, and for the method that the profile chooses.
func (t *terms) methods(kind string, n, chosen int, f func()) {
	var methods []int
	if n <= 200 {
		methods = append(methods, profile.Interleaved, profile.InPairs)
	}
	low, high := 9, 14
	switch {
	case n < 50:
		low, high = 20, 32
	case n < 200:
		low, high = 16, 26
	case n < 1000:
		low, high = 12, 19
	}
	for windows := low; windows <= high; windows++ {
		methods = append(methods, windows)
	}
	if !slices.Contains(methods, chosen) {
		methods = append(methods, chosen)
	}
	for _, method := range methods {
		measure(kind, n, method, method == chosen, func(p *profile.Profile) {
			p.Plans = [20]profile.Plan{{Terms: 1, Method: method}}
		}, f)
	}
}

// numbers counts the instructions of sums for several values of each numeric parameter of the
// profile.
func (t *terms) numbers() {
	for _, number := range []struct {
		name   string
		of     func(p *profile.Sums) *int
		sizes  []int
		values []int
		f      func(n int) func()
	}{
		{"BatchPairs", func(p *profile.Sums) *int { return &p.BatchPairs }, []int{1024, 8192},
			[]int{384, 768, 1536, 3072}, t.full},
		{"UnitHalves", func(p *profile.Sums) *int { return &p.UnitHalves }, []int{1024, 8192},
			[]int{128, 256, 512, 1024}, t.full},
		{"SetBuckets", func(p *profile.Sums) *int { return &p.SetBuckets }, []int{8192},
			[]int{4096, 8192, 16384}, t.full},
		{"FewBuckets", func(p *profile.Sums) *int { return &p.FewBuckets }, []int{128, 1024},
			[]int{4, 8, 16, 32, 64}, t.full},
		{"WholeTerms", func(p *profile.Sums) *int { return &p.WholeTerms },
			[]int{16, 20, 24, 28, 32, 40, 48, 64, 96, 128}, []int{8, 16, 24, 32, 48, 64, 96}, t.short},
		{"PositionCost", func(p *profile.Sums) *int { return &p.PositionCost }, []int{16, 128, 1024},
			[]int{2, 4, 8, 12, 16, 24}, t.bases},
	} {
		for _, n := range number.sizes {
			for _, value := range number.values {
				now := *number.of(&profile.Current().Sums) == value
				measure(number.name, n, value, now, func(p *profile.Profile) {
					*number.of(&p.Sums) = value
				}, number.f(n))
			}
		}
	}
}

// bases returns a function that computes a sum of n points with precomputed tables. The first call
// of this function makes the tables, with the parameters that are in effect then.
func (t *terms) bases(n int) func() {
	var b *sums.Bases
	return func() {
		if b == nil {
			b = sums.NewBases(t.points[:n], 1024*n)
		}
		var r point.Jacobian
		between.Check(b.Sum(context.Background(), &r, t.scalars[:n], nil))
	}
}

// equations counts the instructions for verifying BIP-340 signatures by different keys: once one
// signature after another, and once with a batch equation.
func equations() {
	const most = 2048
	var messages, keys, signatures []byte
	for i := range uint64(most) {
		message := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, i))
		key := between.Must(koblitz.ParsePrivateKey(message[:]))
		options := &schnorr.SignOptions{Aux: make([]byte, 32)}
		signature := between.Must(schnorr.Sign(key, message[:], options))
		public := key.XOnlyPublicKey().Bytes()
		messages = append(messages, message[:]...)
		keys, signatures = append(keys, public[:]...), append(signatures, signature...)
	}
	verdicts := make([]batch.Verdict, most)
	for _, n := range []int{3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, most} {
		rows := batch.SchnorrRows{
			Messages:   batch.Packed(messages[:32*n], 32),
			Keys:       batch.EncodedKeys(batch.Packed(keys[:32*n], 32)),
			Signatures: batch.Packed(signatures[:64*n], 64),
		}
		verify := func(options *batch.Options) func() {
			return func() {
				valid := between.Must(rows.Verify(context.Background(), verdicts[:n], options))
				if valid != n {
					panic("good signatures are refused")
				}
			}
		}
		measure("Prices", n, int(profile.Current().Price(n)), true, func(*profile.Profile) {},
			verify(&batch.Options{Exact: true}))
		measure("Prices", n, 0, false, func(p *profile.Profile) {
			p.Prices = [16]profile.Price{{Rows: 1, Percent: 1}}
		}, verify(nil))
	}
}
