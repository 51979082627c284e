// Package devicetest tests implementations of [device.Engine]. It is as experimental as package
// device.
package devicetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
)

// accepts reports whether the engine e accepts calls of kind k under the rules r for some number of
// rows.
func accepts(e device.Engine, k device.Kind, r device.Rules) bool {
	for bits := range 31 {
		if e.Accepts(k, r, 1<<bits) {
			return true
		}
	}
	return e.Accepts(k, r, math.MaxInt32)
}

// Test tests the engine e. It calls [device.New], and then e.Run with every kind and all rules that
// e accepts for some number of rows, and compares verdicts and results with the CPU's.
//
// The calls have from one row to a thousand (to 63 with the flag -short), and several run at a
// time. Their columns are packed, have gaps, hold one value for all rows, or hold more rows than
// the call. Some calls have only valid rows. In others some rows have flipped bits, numbers at the
// edges of their ranges, or n - s in place of s. Test also fails if e writes to a column, past the
// end of the verdicts or results, or to either after Run has returned, and if it accepts a kind or
// a rule that is not defined.
//
// A row that e leaves Unchecked is no error; Test logs the number of such rows. Test does not time
// e.
func Test(t *testing.T, e device.Engine) {
	if _, err := device.New(e); err != nil {
		t.Fatal(err)
	}
	sizes := []int{1, 2, 63, 64, 65, 1000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	for _, rows := range sizes {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			s := newSample(t, rows)
			var wait sync.WaitGroup
			for kind := device.Schnorr; kind <= device.RecoverAddress; kind++ {
				for rules := range device.Rules(8) {
					if !defined(kind, rules) || !accepts(e, kind, rules) {
						continue
					}
					wait.Go(func() { s.try(t, e, kind, rules) })
				}
			}
			wait.Wait()
			s.checkLater(t)
		})
	}
}

// defined reports whether r is a set of rules that calls of kind k can have.
func defined(k device.Kind, r device.Rules) bool {
	switch k {
	case device.Schnorr, device.AllSchnorr:
		return r&^device.Hashed == 0
	case device.ECDSA, device.AllECDSA:
		return r&^(device.LowS|device.Uncompressed) == 0
	case device.Recover, device.RecoverAddress, device.PreparedECDSA:
		return r&^device.LowS == 0
	}
	return r == 0
}

// setKeys is the number of keys in the set of the prepared kinds. The set also has a last entry
// without a key.
const setKeys = 8

// A sample holds the columns of valid rows, one value after the other.
type sample struct {
	rows                                                          int
	secrets, hashes, keys, uncompressed, xonly, numbers, ids      []byte
	sigs65, schnorr, challenges, sumPoints, setSigs, setSignature []byte
	sigs64, set                                                   []byte
	random                                                        *rand.Rand
	edges                                                         [][]byte

	mu                sync.Mutex
	answers           []answer
	checked, unsolved int // number of verdicts, and of the Unchecked ones among them
}

// An answer holds a copy of the bytes that Run wrote to a call's memory, and refers to that memory.
type answer struct {
	name              string
	verdicts, written []device.Verdict
	results, found    []byte
}

// keep stores the answer of a call for checkLater.
func (s *sample) keep(name string, c *device.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked += len(c.Verdicts)
	for _, v := range c.Verdicts {
		if v == device.Unchecked {
			s.unsolved++
		}
	}
	s.answers = append(s.answers, answer{name, c.Verdicts, slices.Clone(c.Verdicts), c.Results,
		slices.Clone(c.Results)})
}

// checkLater fails the test if the memory of an answer has changed since Run returned.
func (s *sample) checkLater(t *testing.T) {
	for _, a := range s.answers {
		if !slices.Equal(a.verdicts, a.written) || !bytes.Equal(a.results, a.found) {
			t.Errorf("%s: the engine has written to the answer after Run returned", a.name)
		}
	}
	t.Logf("%d of %d verdicts are left to the CPU", s.unsolved, s.checked)
}

func newSample(t *testing.T, rows int) *sample {
	s := &sample{rows: rows, random: rand.New(rand.NewPCG(uint64(rows), 1)), edges: edges()}
	var set [setKeys]*koblitz.PrivateKey
	for i := range set {
		set[i] = s.key(t)
		s.set = append(s.set, set[i].PublicKey().UncompressedBytes()[1:]...)
	}
	s.set = append(s.set, make([]byte, device.PointSize)...) // an entry without a key
	for i := range rows {
		key := s.key(t)
		hash := sha256.Sum256(key.Bytes())
		number := uint32(s.random.IntN(setKeys))
		bip340 := func(k *koblitz.PrivateKey) []byte {
			sig, err := schnorr.Sign(k, hash[:], &schnorr.SignOptions{Unchecked: true})
			if err != nil {
				t.Fatal(err)
			}
			return sig
		}
		recoverable := func(k *koblitz.PrivateKey) []byte {
			sig, err := ecdsa.SignRecoverable(k, hash[:], &ecdsa.SignOptions{Unchecked: true})
			if err != nil {
				t.Fatal(err)
			}
			return sig
		}
		sig := bip340(key)
		tag := sha256.Sum256([]byte("BIP0340/challenge"))
		challenge := sha256.Sum256(
			slices.Concat(tag[:], tag[:], sig[:32], key.XOnlyPublicKey().Bytes(), hash[:]))
		s.secrets = append(s.secrets, key.Bytes()...)
		s.hashes = append(s.hashes, hash[:]...)
		s.keys = append(s.keys, key.PublicKey().Bytes()...)
		s.uncompressed = append(s.uncompressed, key.PublicKey().UncompressedBytes()...)
		s.xonly = append(s.xonly, key.XOnlyPublicKey().Bytes()...)
		s.numbers = binary.LittleEndian.AppendUint32(s.numbers, number)
		sig65 := recoverable(key)
		s.sigs65 = append(s.sigs65, sig65...)
		s.sigs64, s.ids = append(s.sigs64, sig65[:64]...), append(s.ids, sig65[64])
		s.schnorr = append(s.schnorr, sig...)
		s.challenges = append(s.challenges, challenge[:]...)
		s.setSigs = append(s.setSigs, recoverable(set[number])[:64]...)
		s.setSignature = append(s.setSignature, bip340(set[number])...)
		if i%5 == 4 {
			s.sumPoints = append(s.sumPoints, make([]byte, device.PointSize)...)
		} else {
			s.sumPoints = append(s.sumPoints, key.PublicKey().UncompressedBytes()[1:]...)
		}
	}
	return s
}

func (s *sample) key(t *testing.T) *koblitz.PrivateKey {
	var b [32]byte
	for i := range b {
		b[i] = byte(s.random.Uint32())
	}
	key, err := koblitz.ParsePrivateKey(b[:])
	if err != nil {
		t.Error(err)
	}
	return key
}

// call returns a call of kind k under the rules r on valid rows. The stride of each column is its
// width.
func (s *sample) call(k device.Kind, r device.Rules) *device.Call {
	c := &device.Call{Kind: k, Rules: r, Rows: s.rows}
	set := func(i, width int, data []byte) { c.Columns[i] = device.Column{Data: data, Stride: width} }
	set(0, 32, s.hashes)
	switch k {
	case device.Schnorr, device.AllSchnorr:
		set(1, 32, s.xonly)
		set(2, 64, s.schnorr)
		if r&device.Hashed != 0 {
			set(0, 32, s.challenges)
		}
	case device.PreparedSchnorr:
		set(1, 4, s.numbers)
		set(2, 64, s.setSignature)
		c.Keys = s.set
	case device.ECDSA, device.AllECDSA:
		set(1, 33, s.keys)
		if r&device.Uncompressed != 0 {
			set(1, 65, s.uncompressed)
		}
		set(2, 64, s.sigs64)
		set(3, 1, s.ids)
	case device.PreparedECDSA:
		set(1, 4, s.numbers)
		set(2, 64, s.setSigs)
		c.Keys = s.set
	case device.Recover, device.RecoverAddress:
		set(1, 65, s.sigs65)
	case device.Decompress:
		set(0, 33, s.keys)
	case device.PublicKeys:
		set(0, 32, s.secrets)
	case device.Sum:
		set(1, device.PointSize, s.sumPoints)
	}
	return c
}

// try compares the engine e with the CPU, in calls of kind k under the rules r.
func (s *sample) try(t *testing.T, e device.Engine, k device.Kind, r device.Rules) {
	random := rand.New(rand.NewPCG(uint64(s.rows), uint64(k)<<8|uint64(r)))
	c := s.call(k, r)
	s.check(t, e, c, "good rows")
	s.check(t, e, spread(c, random), "columns with gaps")
	s.check(t, e, same(c), "columns of one value")
	if c.Kind == device.ECDSA {
		without := *c
		without.Columns[3] = device.Column{}
		s.check(t, e, &without, "no recovery ids")
	}
	all := k == device.AllSchnorr || k == device.AllECDSA || k == device.Sum
	tries := 4
	if s.rows > 1000 { // one call of so many rows has enough bad rows
		tries = 1
	}
	for range tries {
		bad := spread(c, random)
		if all {
			s.spoil(bad, c, random.IntN(s.rows), random)
		} else {
			for i := range s.rows {
				if random.IntN(3) == 0 {
					s.spoil(bad, c, i, random)
				}
			}
		}
		s.check(t, e, bad, "bad rows")
	}
}

// spread returns a copy of c, which sample.call has made, whose columns have gaps between the rows,
// and bytes past the last row.
func spread(c *device.Call, random *rand.Rand) *device.Call {
	d := *c
	for i, col := range c.Columns {
		if col.Data == nil {
			continue
		}
		w := col.Stride
		stride := w + random.IntN(40)
		data := make([]byte, (c.Rows-1)*stride+w+random.IntN(2)*random.IntN(200))
		for row := range c.Rows {
			copy(data[row*stride:][:w], col.Data[row*col.Stride:])
		}
		d.Columns[i] = device.Column{Data: data, Stride: stride}
	}
	return &d
}

// same returns a copy of a call in which every row has the values of the first row.
func same(c *device.Call) *device.Call {
	d := *c
	for i := range d.Columns {
		d.Columns[i].Stride = 0
	}
	return &d
}

// edges returns numbers at the edges of their ranges: 0 and 1, and numbers near n/2, n and p. p + 1
// is among them because it is congruent to 1, the x coordinate of a point.
func edges() (numbers [][]byte) {
	add := func(b *big.Int, offsets ...int64) {
		for _, offset := range offsets {
			sum := new(big.Int).Add(b, big.NewInt(offset))
			numbers = append(numbers, sum.FillBytes(make([]byte, 32)))
		}
	}
	n, p := reference.N(), reference.P()
	add(new(big.Int), 0, 1)
	add(new(big.Int).Rsh(n, 1), 0, 1)
	add(n, -1, 0, 1)
	add(p, -1, 0, 1)
	return append(numbers, bytes.Repeat([]byte{0xff}, 32))
}

// spoil changes a field of a row. It flips a bit, sets a number in the field to an edge of its
// range, or replaces s by n - s and the recovery id by the id that belongs to n - s. packed is the
// call that sample.call made, and c the copy of it that spread made.
func (s *sample) spoil(c, packed *device.Call, row int, random *rand.Rand) {
	i := random.IntN(4)
	for c.Columns[i].Data == nil {
		i = random.IntN(4)
	}
	w := packed.Columns[i].Stride
	fieldOf := func(i int) []byte {
		return c.Columns[i].Data[row*c.Columns[i].Stride:][:packed.Columns[i].Stride]
	}
	data := fieldOf(i)
	choice := random.IntN(6)
	switch {
	case choice < 2 && w >= 32:
		// In a field of 33 bytes, a compressed key, the number begins at byte 1. In a field of 65
		// bytes, an uncompressed key, the first of the two numbers begins at byte 1.
		first := 0
		isKey := i == 1 && c.Kind != device.Recover && c.Kind != device.RecoverAddress
		if w == 33 || w == 65 && isKey {
			first = 1
		}
		numbers := (w - first) / 32
		copy(data[first+32*random.IntN(numbers):], s.edges[random.IntN(len(s.edges))])
	case choice == 2 && w >= 64 && c.Kind != device.Sum:
		if k, err := koblitz.ParsePrivateKey(data[32:64]); err == nil {
			copy(data[32:], k.Negate().Bytes())
		}
		if w == 65 {
			data[64] ^= 1
		} else if c.Columns[3].Data != nil {
			fieldOf(3)[0] ^= 1
		}
	default:
		data[random.IntN(w)] ^= 1 << random.IntN(8)
	}
}

// check compares the engine e with the CPU in one call.
func (s *sample) check(t *testing.T, e device.Engine, c *device.Call, what string) {
	want := *c
	verdicts, results := c.Rows, c.Kind.ResultSize()*c.Rows
	switch c.Kind {
	case device.AllSchnorr, device.AllECDSA, device.Sum:
		verdicts = 1
	}
	if c.Kind == device.Sum {
		results = device.PointSize
	}
	// The verdicts and results that an engine gets have capacity for this many further elements,
	// which it must not write to.
	const guard = 64
	got := *c
	guarded := make([]device.Verdict, verdicts+guard)
	guardedBytes := bytes.Repeat([]byte{0xa5}, results+guard)
	got.Verdicts, got.Results = guarded[:verdicts], guardedBytes[:results]
	before := sumOf(c)
	err := e.Run(context.Background(), &got)
	name := fmt.Sprintf("%v, rules %#x, %d rows, %s", c.Kind, uint32(c.Rules), c.Rows, what)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if sumOf(c) != before {
		t.Errorf("%s: the engine has written to a column", name)
	}
	if slices.Max(guarded[verdicts:]) != 0 || !bytes.Equal(guardedBytes[results:],
		bytes.Repeat([]byte{0xa5}, guard)) {
		t.Errorf("%s: the engine has written past the end of the verdicts or results", name)
	}
	s.keep(name, &device.Call{Verdicts: got.Verdicts, Results: got.Results})
	want.Verdicts, want.Results = make([]device.Verdict, verdicts), make([]byte, results)
	if err := byCPU(&want); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	size := results / verdicts
	for i, v := range got.Verdicts {
		w := want.Verdicts[i]
		if v == device.Unchecked || verdicts == 1 && v != device.Valid && w != device.Valid {
			continue
		}
		if v != w {
			t.Errorf("%s: row %d is %v, want %v", name, i, v, w)
			return
		}
		if !bytes.Equal(got.Results[i*size:][:size], want.Results[i*size:][:size]) {
			t.Errorf("%s: row %d has the result %x, want %x", name, i, got.Results[i*size:][:size],
				want.Results[i*size:][:size])
			return
		}
	}
}

// sumOf returns a hash of the call's memory that an engine must not write to.
func sumOf(c *device.Call) (sum [32]byte) {
	h := sha256.New()
	for _, col := range c.Columns {
		h.Write(col.Data)
	}
	h.Write(c.Keys)
	h.Sum(sum[:0])
	return sum
}

// byCPU computes the verdicts and results of a call on the CPU.
func byCPU(c *device.Call) error {
	bg, exact := context.Background(), engine.Options{Exact: true}
	switch c.Kind {
	case device.AllSchnorr, device.AllECDSA:
		rows := *c
		rows.Kind = device.Schnorr
		if c.Kind == device.AllECDSA {
			rows.Kind = device.ECDSA
		}
		ok, err := engine.All(bg, &rows, exact)
		if ok {
			c.Verdicts[0] = device.Valid
		} else {
			c.Verdicts[0] = device.Invalid
		}
		return err
	case device.Sum:
		var scalars, points []byte
		for i := range c.Rows {
			scalars = append(scalars, c.Columns[0].Data[i*c.Columns[0].Stride:][:32]...)
			points = append(points, c.Columns[1].Data[i*c.Columns[1].Stride:][:64]...)
		}
		sum, err := msm.PackedSumVartime(bg, scalars, points, nil)
		if err != nil {
			c.Verdicts[0] = device.Malformed
			return nil
		}
		c.Verdicts[0] = device.Valid
		if key, err := sum.PublicKey(); err == nil { // no error: not the identity
			copy(c.Results, key.UncompressedBytes()[1:])
		}
		return nil
	}
	_, err := engine.Do(bg, c, exact)
	return err
}
