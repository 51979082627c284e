//go:build (amd64 || 386) && !race && !valgrind

package secret_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// A layout is a way to store a number: limbs of width bits, each in a word of size bytes.
type layout struct{ width, size uint }

// store returns the two lowest limbs of x.
func (l layout) store(x *big.Int, order binary.ByteOrder, highFirst bool) []byte {
	b := make([]byte, 2*l.size)
	for i := range uint(2) {
		limb := new(big.Int).Rsh(x, i*l.width)
		limb.And(limb, new(big.Int).SetUint64(1<<l.width-1))
		at := b[i*l.size:]
		if highFirst {
			at = b[(1-i)*l.size:]
		}
		if l.size == 8 {
			order.PutUint64(at, limb.Uint64())
		} else {
			order.PutUint32(at, uint32(limb.Uint64()))
		}
	}
	return b
}

// TestFormsAreFound checks that the search finds two limbs of a nonce, in each form in which code
// may leave them. Before they are written, the search finds nothing, and a search for another nonce
// finds nothing then.
func TestFormsAreFound(t *testing.T) {
	source := rand.NewChaCha8([32]byte{1})
	var b [32]byte
	var k *big.Int
	var nonce, other needles
	for _, n := range []*needles{&other, &nonce} {
		source.Read(b[:])
		k = bigInt(b[:])
		n.nonce(k)
	}
	one := big.NewInt(1)
	top, twice, half := new(big.Int).Lsh(one, 256), new(big.Int).Lsh(k, 1), new(big.Int).Rsh(k, 1)
	wide := []layout{{64, 8}, {52, 8}, {32, 4}, {32, 8}}
	all := append([]layout{{29, 4}, {29, 8}, {26, 4}, {26, 8}}, wide...)
	odd := k
	if k.Bit(0) == 0 {
		odd = new(big.Int).Sub(reference.N(), k)
	}
	type plant struct {
		name    string
		x       *big.Int
		layouts []layout
	}
	plants := []plant{
		{"k", k, all},
		{"its negative", new(big.Int).Sub(reference.N(), k), all},
		{"its complement", new(big.Int).Sub(top, new(big.Int).Add(k, one)), wide},
		{"k << 1", twice, wide},
		{"k << 1 | 1", new(big.Int).SetBit(twice, 0, 1), wide},
		{"k >> 1", half, wide},
		{"k >> 1 | 1 << 255", new(big.Int).SetBit(half, 255, 1), wide},
		{"the digits of the comb", new(big.Int).Rsh(odd, 1), all},
	}
	// See the method recode of package ecmult.
	var s, shift scalar.Scalar
	setScalar(&s, k)
	setScalar(&shift, new(big.Int).Add(reference.Lambda(), one))
	s.Sub(&s, &shift)
	s.Half(&s)
	for i, h := range split(&s) {
		name := fmt.Sprintf("half %d", i+1)
		plants = append(plants, plant{name, new(big.Int).Abs(h), all},
			plant{"the digits of " + name, h.Add(h, new(big.Int).Lsh(one, 131)), append(all, layout{33, 8})})
	}

	mapping, memory := mapped(t)
	find := func(m secrettest.Memory, n *needles) bool {
		found := reference.Must(m.Search(&n.Needles))
		return len(found) > 0
	}
	count := 0
	for _, p := range plants {
		for _, l := range p.layouts {
			for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
				for _, highFirst := range []bool{false, true} {
					if l.width == 33 && (order == binary.BigEndian || highFirst) {
						continue // no code stores them in these ways
					}
					name := fmt.Sprintf("%s in limbs of %d bits in %d bytes, %v, high limb first: %v", p.name,
						l.width, l.size, order, highFirst)
					x := l.store(p.x, order, highFirst)
					clear(mapping)
					if find(memory, &nonce) {
						t.Errorf("%s: found before it is there", name)
					}
					copy(mapping[os.Getpagesize()-len(x)/2-1:], x) // on two pages, at an odd address
					if !find(memory, &nonce) {
						t.Errorf("%s: not found", name)
					}
					if find(memory, &other) {
						t.Errorf("%s: found for another nonce", name)
					}
					count++
				}
			}
		}
	}
	t.Logf("covers %d forms", count)
}

// mapped returns two pages of memory, and a search of them alone.
func mapped(t *testing.T) ([]byte, secrettest.Memory) {
	t.Helper()
	f := reference.Must(os.Create(filepath.Join(t.TempDir(), "memory")))
	defer f.Close()
	size := 2 * os.Getpagesize()
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	begin := uint64(uintptr(unsafe.Pointer(&b[0])))
	return b, secrettest.Memory{PID: os.Getpid(), Begin: begin, End: begin + uint64(size)}
}
