package ecmult

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/profile/profiletest"
)

// BenchmarkProfileSecrets measures SecretBases and SecretPoints of the profile: the time of
// multiplications by secrets in lanes, in percent of the time without lanes. It is skipped on CPUs
// without lanes.
func BenchmarkProfileSecrets(b *testing.B) {
	cputest.Need(b, cputest.LanesAVX2)
	const most = 64
	r := rand.New(rand.NewPCG(9, 9))
	k, p, q := manyScalars(r, most), make([]point.Affine, most), make([]point.Affine, most)
	single, inLanes := new(Many), newMany(most, 1, 1)
	single.ScalarBaseMult(p, k)
	bases := profiletest.Number{Name: "SecretBases",
		Of: func(p *profile.Profile) *int { return &p.SecretBases }}
	points := profiletest.Number{Name: "SecretPoints",
		Of: func(p *profile.Profile) *int { return &p.SecretPoints }}
	for _, n := range []int{8, 16, 24, 32, 40, 48, most} {
		way := func(m *Many) func() { return func() { m.ScalarBaseMult(q[:n], k[:n]) } }
		bases.Threshold(b, n, nil, way(single), way(inLanes))
	}
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8} {
		way := func(m *Many) func() { return func() { m.ScalarMult(q[:n], k[:n], p[:n]) } }
		points.Threshold(b, n, nil, way(single), way(inLanes))
	}
}
