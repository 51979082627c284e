package divsteps

// A matrix is the effect of 60 division steps, a batch: (f, g) becomes (u·f+v·g, q·f+r·g)/2^60 or
// its negative. |u|+|v| ≤ 2^60 and |q|+|r| ≤ 2^60.
//
// The sign is irrelevant: (δ, -f, -g) takes the same steps as (δ, f, g), and the same matrix is
// applied to (d, e).
type matrix struct{ u, v, q, r int64 }

const (
	blockSteps = 20 // the maximum for which a packed word is wide enough
	batchSteps = 3 * blockSteps
)

// steps makes 20 division steps on the low 20 bits of f0 and g0, f0 odd.
//
// δ is kept as ζ = -(δ + 1/2). Then δ > 0 means ζ < 0, and 1+δ and 1-δ are both a
// decrement: of ζ and of its complement.
//
// The words f and g are sums of three fields,
//
//	f' - u·2^21 - v·2^42   and   g' - q·2^21 - r·2^42
//
// where f' and g' are the low bits after the steps so far, and (u v; q r) is the
// matrix. A step is linear, so adding and halving words adds and halves all
// fields. The matrix starts as the identity, at 2^41 and 2^62. Before the last
// step, its entries are too high by one bit for each step to go. So every halving
// of g is exact in its upper fields, and the parity of the word is that of g'.
//
// Ranges: at first |f| ≤ 2^41 and |g| ≤ A = 2^62. (f ± g)/2 is no larger than the
// larger of the two, so A always bounds both. After one step |g| < 0.51·A; then a
// step at worst halves the distance of |g| to A, which stays above 2^41 for
// twenty steps. So |f|+|g| < 2^63 before every addition, and nothing overflows.
func steps(zeta int64, f0, g0 uint64) (zetaOut, f, g int64) {
	f = int64(f0&(1<<blockSteps-1)) - 1<<41
	g = int64(g0&(1<<blockSteps-1)) - 1<<62
	odd := -(g & 1)
	for range blockSteps {
		positive := zeta >> 63 // all ones if δ > 0
		swap := odd & positive
		x := (f ^ positive) - positive // -f if δ > 0, else f
		zeta = (zeta ^ swap) - 1
		f ^= (f ^ g) & swap
		// Compute the parity of the next g before the shift: this makes the mask available one
		// cycle sooner, in the longest dependency chain of the loop.
		g += x & odd
		odd = g << 62 >> 63
		g >>= 1
	}
	return zeta, f, g
}

// unpack returns, negated, the matrix row that the result word w of steps holds.
//
// The low field is in [-2^20, 2^20), as at the start. So adding 2^20 and shifting rounds it off,
// and leaves exactly -u - v·2^21. The middle field must then be in [-2^20, 2^20), which excludes u
// = -2^20. That value does not occur: v is 0 until the first exchange of f and g, and even from the
// first step on, so r, which starts at 1 and changes by ±v, stays odd; an exchange makes v a
// nonzero multiple of r. So v = 0 only before the first exchange, and then u = +2^20; in all other
// rows |u| ≤ 2^20 - |v| < 2^20. In the second row r ≠ 0.
func unpack(w int64) (a, b int64) {
	w += 1 << 20
	return w << 22 >> 43, (w + 1<<41) >> 42
}

// batch sets m to the matrix of the 60 division steps that start from ζ, f0 and g0, and returns ζ
// after these steps. Only the low 60 bits of f0 and g0 matter.
func (m *matrix) batch(zeta int64, f0, g0 uint64) int64 {
	// Between blocks, the low bits of the next f and g are computed from those of f0 and g0: the
	// low 64 bits of u·f + v·g are right, so after the first block the low 44 bits of f are right,
	// and after the second the low 24.
	zeta, a, b := steps(zeta, f0, g0)
	u1, v1 := unpack(a)
	q1, r1 := unpack(b)
	f1 := (u1*int64(f0) + v1*int64(g0)) >> blockSteps
	g1 := (q1*int64(f0) + r1*int64(g0)) >> blockSteps

	zeta, a, b = steps(zeta, uint64(f1), uint64(g1))
	u2, v2 := unpack(a)
	q2, r2 := unpack(b)
	f2 := (u2*f1 + v2*g1) >> blockSteps
	g2 := (q2*f1 + r2*g1) >> blockSteps

	zeta, a, b = steps(zeta, uint64(f2), uint64(g2))
	u3, v3 := unpack(a)
	q3, r3 := unpack(b)

	u := u2*u1 + v2*q1
	v := u2*v1 + v2*r1
	q := q2*u1 + r2*q1
	r := q2*v1 + r2*r1
	m.u = u3*u + v3*q
	m.v = u3*v + v3*r
	m.q = q3*u + r3*q
	m.r = q3*v + r3*r
	return zeta
}
