package measure

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Words are a number of 256 bits, the least significant limb first.
type words = [4]uint64

// Inputs are what operations work on, for as many rows as the longest has. All of them are random,
// and different from row to row. They are made when they are first asked for.
type inputs struct {
	n       int
	seed    uint64
	a, b    func() []words // elements, loose
	scalars func() []words // in [1, n)
	p, q    func() *line
}

// newInputs returns the inputs of n rows.
func newInputs(seed uint64, n int) *inputs {
	in := &inputs{n: n, seed: seed}
	in.a = sync.OnceValue(func() []words { return in.elements("a") })
	in.b = sync.OnceValue(func() []words { return in.elements("b") })
	in.scalars = sync.OnceValue(func() []words {
		list, random := make([]words, n), in.random("scalars")
		for i := range list {
			list[i] = randomScalar(random).Limbs()
		}
		return list
	})
	in.p = sync.OnceValue(func() *line { return newLine(in.random("p"), n) })
	in.q = sync.OnceValue(func() *line { return newLine(in.random("q"), n) })
	return in
}

// random returns a source of random numbers for a purpose.
func (in *inputs) random(purpose string) *rand.ChaCha8 {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], in.seed)
	copy(seed[8:], purpose)
	return rand.NewChaCha8(seed)
}

func randomWords(r *rand.ChaCha8) (w words) {
	for i := range w {
		w[i] = r.Uint64()
	}
	return w
}

// randomScalar returns a scalar that is not 0.
func randomScalar(r *rand.ChaCha8) *scalar.Scalar {
	for {
		w, k := randomWords(r), new(scalar.Scalar)
		if k.SetLimbs(&w) == 1 && k.IsZero() == 0 {
			return k
		}
	}
}

// elements returns random numbers of 256 bits, the first of which are at or above p: the kernels
// take any.
func (in *inputs) elements(purpose string) []words {
	list, random := make([]words, in.n), in.random(purpose)
	for i := range list {
		list[i] = randomWords(random)
		if i%64 == 1 {
			list[i] = words{^uint64(i), ^uint64(0), ^uint64(0), ^uint64(0)}
		}
	}
	return list
}

func element(w *words) *field.Element {
	return new(field.Element).SetLimbs(w[0], w[1], w[2], w[3])
}

// A line is the points log(i)·G = (start + i·step)·G, so that results are checked by
// multiplications of G.
type line struct {
	start, step scalar.Scalar
	points      []point.Affine
}

func newLine(r *rand.ChaCha8, n int) *line {
	l := &line{start: *randomScalar(r), step: *randomScalar(r), points: make([]point.Affine, n)}
	first, step := timesG(&l.start), timesG(&l.step)
	const block = 4096 // shares an inversion
	at := new(point.Jacobian).SetAffine(&first)
	jacobian := make([]point.Jacobian, 0, block)
	for done := 0; done < n; {
		jacobian = jacobian[:0]
		for len(jacobian) < block && done+len(jacobian) < n {
			jacobian = append(jacobian, *at)
			at.AddMixedVartime(at, &step)
		}
		point.BatchToAffineVartime(l.points[done:done+len(jacobian)], jacobian)
		done += len(jacobian)
	}
	return l
}

// log returns the discrete logarithm of point i.
func (l *line) log(i int) *scalar.Scalar {
	k := new(scalar.Scalar).SetUint64(uint64(i))
	k.Mul(k, &l.step)
	return k.Add(k, &l.start)
}

// timesG returns k·G, and for 0 what is no point.
func timesG(k *scalar.Scalar) (p point.Affine) {
	var b [32]byte
	k.PutBytes(&b)
	s, err := new(group.Scalar).SetBytes(b[:])
	if err != nil {
		return p
	}
	key, err := new(group.Point).ScalarBaseMultVartime(s).PublicKey()
	if err != nil {
		return p
	}
	encoding := key.UncompressedBytes()
	p.X.SetBytes((*[32]byte)(encoding[1:33]))
	p.Y.SetBytes((*[32]byte)(encoding[33:65]))
	return p
}

// A planar column holds coordinates of rows in the order that the kernels read: limb j of
// coordinate c of row i of n, as a number of 32 bits, is word (8·c + j)·n + i.
type planar struct {
	n, coordinates int
	data           []byte
}

func newPlanar(n, coordinates int) planar {
	return planar{n, coordinates, make([]byte, 32*n*coordinates)}
}

// put sets a coordinate of a row.
func (p planar) put(row, c int, w *words) {
	for j := range 8 {
		binary.LittleEndian.PutUint32(p.data[4*((8*c+j)*p.n+row):], uint32(w[j/2]>>(32*(j%2))))
	}
}

// get returns a coordinate of a row.
func (p planar) get(row, c int) (w words) {
	for j := range 8 {
		limb := binary.LittleEndian.Uint32(p.data[4*((8*c+j)*p.n+row):])
		w[j/2] |= uint64(limb) << (32 * (j % 2))
	}
	return w
}

// written returns an error if some row is as it was before the launch.
func (p planar) written() error {
	all := binary.LittleEndian.Uint64([]byte{poison, poison, poison, poison, poison, poison,
		poison, poison})
	for row := range p.n {
		if w := p.get(row, 0); w == (words{all, all, all, all}) {
			return fmt.Errorf("%w: row %d of %d was not written", ErrResult, row, p.n)
		}
	}
	return nil
}

// sample returns the rows of n that are checked: all of up to 512, and of more the first, the last
// and 254 of the others.
func (in *inputs) sample(n int) []int {
	var rows []int
	if n <= 512 {
		for i := range n {
			rows = append(rows, i)
		}
		return rows
	}
	random := rand.New(in.random("sample"))
	for range 254 {
		rows = append(rows, random.IntN(n))
	}
	return append(rows, 0, n-1)
}
