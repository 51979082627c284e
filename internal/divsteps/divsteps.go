package divsteps

// A Modulus is the odd number m = 2^256 - (C2·2^128 + C1·2^64 + C0). NewModulus makes it, for
// a package-level variable that never changes.
//
// C0 is odd, C2 is 0 or 1, and CInv·C0 ≡ 1 mod 2^64. m should be prime; otherwise only
// numbers prime to m have an inverse.
type Modulus struct {
	C0, C1, C2 uint64
	CInv       uint64
}

// NewModulus returns the modulus 2^256 - (c2·2^128 + c1·2^64 + c0). c0 must be odd, and c2 0 or 1.
//
//ct:public takes a public modulus
func NewModulus(c0, c1, c2 uint64) Modulus {
	// Newton's iteration for 1/c0 modulo 2^64: c0 is its own inverse modulo 8, and every iteration
	// doubles the number of correct low bits.
	inverse := c0
	for bits := 3; bits < 64; bits *= 2 {
		inverse *= 2 - c0*inverse
	}
	return Modulus{C0: c0, C1: c1, C2: c2, CInv: inverse}
}

// After provenSteps division steps the number g of the algorithm is 0, for every modulus below
// 2^256 (TestHullSteps). maxBatches is the least number of batches that make as many steps.
const (
	provenSteps = 590
	maxBatches  = (provenSteps + batchSteps - 1) / batchSteps
)

// Invert sets inverse to the canonical inverse of x modulo m. The time does not depend on x. The
// inverse of 0 is 0. x is little-endian and must be below m; inverse and x may be the same array.
func (m *Modulus) Invert(inverse, x *[4]uint64) {
	//ct:secret x[0]&1 == 1
	invert(inverse, x, m, maxBatches)
}

func invertGeneric(inverse, x *[4]uint64, m *Modulus, batches int) {
	//ct:secret x[3] == 0
	var t matrix
	f, g := m.start(x)
	zeta := t.batch(-1, f.l0, g.l0)
	d, e := t.first()
	for range batches - 1 {
		t.divide(&f, &g)
		zeta = t.batch(zeta, f.l0, g.l0)
		m.apply(&t, &d, &e)
	}
	t.divide(&f, &g)
	m.finish(inverse, &d, f.sign, uint(64-(64-batchSteps)*batches))
	// f is now 1 or -1 and g is 0, so both are public. d is the inverse up to sign and a power of
	// two, and secret.
	wipe(&t, &d, &e)
}

// InvertPair sets a to its inverse modulo m, and b to its inverse modulo n, as Invert does. On some
// CPUs this takes little more time than one inversion. a and b must not overlap.
func InvertPair(a, b *[4]uint64, m, n *Modulus) {
	//ct:secret a[0]&1 == 1
	invertPair(a, b, m, n, maxBatches)
}

func invertPairGeneric(a, b *[4]uint64, m, n *Modulus, batches int) {
	invert(a, a, m, batches)
	invert(b, b, n, batches)
}

// wipe overwrites the values that an inversion leaves on its stack. It is not
// inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func wipe(t *matrix, d, e *int257) {
	//ct:secret d.l0&1 == 1
	*t, *d, *e = matrix{}, int257{}, int257{}
}

// InvertVartime computes the same as Invert, in time that depends on x: for public data only.
func (m *Modulus) InvertVartime(inverse, x *[4]uint64) { m.invertVartime(inverse, x, maxRuns) }

// invertVartime is InvertVartime with a limit, runs, on the number of runs of Euclid's algorithm.
// If the limit is reached, it uses division steps instead.
func (m *Modulus) invertVartime(inverse, x *[4]uint64, runs int) {
	if !euclidVartime(inverse, x, m, runs) {
		m.Invert(inverse, x)
	}
}

// start returns the initial values (f, g) = (m, x) of the division steps.
func (m *Modulus) start(x *[4]uint64) (f, g int257) {
	f = int257{l0: -m.C0, l1: ^m.C1, l2: ^m.C2, l3: ^uint64(0)}
	g = int257{l0: x[0], l1: x[1], l2: x[2], l3: x[3]}
	return f, g
}

// first returns the numbers (d, e) of the inversion after the first batch of steps, whose matrix is
// m. d and e start as 0 and 1, so the result is the second column of m and needs no reduction.
func (m *matrix) first() (d, e int257) {
	dSign, eSign := uint64(m.v>>63), uint64(m.r>>63)
	d = int257{uint64(m.v), dSign, dSign, dSign, dSign}
	e = int257{uint64(m.r), eSign, eSign, eSign, eSign}
	return d, e
}
