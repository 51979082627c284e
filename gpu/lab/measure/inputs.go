package measure

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"

	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// words are a number of 256 bits in four limbs, the least significant limb first.
type words [4]uint64

// modulus is the field prime p.
var modulus = sums.P()

// number returns w as a big.Int. It may be p or more.
func number(w *words) *big.Int {
	var b [32]byte
	w.put(b[:])
	return new(big.Int).SetBytes(b[:])
}

// limbs returns x modulo p as words.
func limbs(x *big.Int) words {
	var b [32]byte
	return wordsOf(new(big.Int).Mod(x, modulus).FillBytes(b[:]))
}

// equal reports whether x and y are equal modulo the field prime p.
func equal(x, y *big.Int) bool { return limbs(x) == limbs(y) }

// wordsOf returns the number that 32 bytes encode, big-endian.
func wordsOf(b []byte) (w words) {
	for i := range w {
		w[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return w
}

// put writes w to b as 32 bytes, big-endian.
func (w *words) put(b []byte) {
	for i, limb := range w {
		binary.BigEndian.PutUint64(b[24-8*i:], limb)
	}
}

// scalar returns w as a scalar. w must be below n.
func (w *words) scalar() (*group.Scalar, error) {
	var b [32]byte
	w.put(b[:])
	return new(group.Scalar).SetBytes(b[:])
}

// An inputs holds the operands of the measured operations: as many rows as the largest size needs,
// all random and different. Each of its functions computes its operands on the first call.
type inputs struct {
	n       int
	seed    uint64
	a, b    func() []words // field elements, some of them p or more
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
			list[i] = wordsOf(randomScalar(random).Bytes())
		}
		return list
	})
	in.p = sync.OnceValue(func() *line { return newLine(in.random("p"), n) })
	in.q = sync.OnceValue(func() *line { return newLine(in.random("q"), n) })
	return in
}

// random returns a source of random numbers for the given purpose. Its seed depends on the seed of
// the inputs and on the purpose.
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

// randomScalar returns a random nonzero scalar.
func randomScalar(r *rand.ChaCha8) *group.Scalar {
	for {
		w := randomWords(r)
		if k, err := w.scalar(); err == nil && !k.IsZero() {
			return k
		}
	}
}

// elements returns random numbers below 2^256. Some of them are p or more, which the kernels
// accept.
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

// A line holds the points (start + i·step)·G. Their discrete logarithms are known, so
// multiplications of G by the CPU can check results that the device computes from them.
type line struct {
	start, step *group.Scalar
	points      [][2]words // x and y coordinate of each point
}

func newLine(r *rand.ChaCha8, n int) *line {
	l := &line{randomScalar(r), randomScalar(r), make([][2]words, 0, n)}
	at := new(group.Point).ScalarBaseMultVartime(l.start)
	step := new(group.Point).ScalarBaseMultVartime(l.step)
	block := make([]group.Point, 4096) // points that share one inversion to become affine
	for len(l.points) < n {
		block = block[:min(len(block), n-len(l.points))]
		for i := range block {
			block[i].Set(at)
			at.Add(at, step)
		}
		group.BatchNormalize(block)
		for i := range block {
			l.points = append(l.points, coordinates(&block[i]))
		}
	}
	return l
}

// log returns the discrete logarithm of point i, which is start + i·step.
func (l *line) log(i int) *group.Scalar {
	k := new(group.Scalar).SetUint64(uint64(i))
	k.Mul(k, l.step)
	return k.Add(k, l.start)
}

// coordinates returns both coordinates of a point, or zeros for the identity.
func coordinates(p *group.Point) [2]words {
	b := kernels.Coordinates(p)
	return [2]words{wordsOf(b[:32]), wordsOf(b[32:])}
}

// timesG returns both coordinates of k·G, or zeros if k is 0.
func timesG(k *group.Scalar) [2]words {
	return coordinates(new(group.Point).ScalarBaseMultVartime(k))
}

// A planar holds a column of coordinates in the order in which kernels read them. For n rows, limb
// j of coordinate c of row i is word (8·c + j)·n + i. Limbs and words have 32 bits.
type planar struct {
	n, coordinates int
	data           []byte
}

func newPlanar(n, coordinates int) planar {
	return planar{n, coordinates, make([]byte, 32*n*coordinates)}
}

// put sets coordinate c of a row.
func (p planar) put(row, c int, w *words) {
	for j := range 8 {
		binary.LittleEndian.PutUint32(p.data[4*((8*c+j)*p.n+row):], uint32(w[j/2]>>(32*(j%2))))
	}
}

// get returns coordinate c of a row.
func (p planar) get(row, c int) (w words) {
	for j := range 8 {
		limb := binary.LittleEndian.Uint32(p.data[4*((8*c+j)*p.n+row):])
		w[j/2] |= uint64(limb) << (32 * (j % 2))
	}
	return w
}

// written returns an error if a launch has not written the result of some row.
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

// sample returns the indices of the rows, out of n, whose results are checked. These are all rows
// if n is at most 512, otherwise the first, the last and 254 others.
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
