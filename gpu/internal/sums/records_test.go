package sums

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestAdds checks that the launches add up every record exactly once, and leave few enough records
// for the host to read.
func TestAdds(t *testing.T) {
	const most = 16 * manyRecords // greatest number of records that are added up in one launch
	for _, rows := range []int{
		1, 2, 127, 128, 129, 4096, most, most + 1, 3 * most, MaxRows(device.AllECDSA),
	} {
		list := adds(rows)
		count := rows
		for _, a := range list {
			// Each work item adds up at most about a thousand records one after another.
			if a.count != count || a.n < 1 || a.n > count || a.count/a.n > 1024 {
				t.Errorf("%d rows: %v", rows, list)
			}
			count = a.n
		}
		if count > lastRecords {
			t.Errorf("%d rows: %d records are left", rows, count)
		}
	}
}

// TestAddUp checks that addUp reduces sums of scalars longer than 256 bits modulo n, and adds up
// the numbers of rows with each verdict.
func TestAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{1, 2, 128} {
		for range 50 {
			records := make([]byte, n*recordBytes)
			want, counts := new(big.Int), [4]uint32{}
			for i := range n {
				for k := range recordWords {
					w := uint32(0xffffffff)
					if r.IntN(4) != 0 {
						w = r.Uint32()
					}
					binary.LittleEndian.PutUint32(records[4*(n*k+i):], w)
					if k >= recordLimbs {
						counts[k-recordLimbs] += w
						continue
					}
					limb := new(big.Int).Lsh(big.NewInt(int64(w)), uint(32*k))
					want.Add(want, limb)
				}
			}
			want.Mod(want, reference.N())
			base, got := addUp(records)
			if new(big.Int).SetBytes(base.Bytes()).Cmp(want) != 0 || got != counts {
				t.Fatalf("%x, %x, want %x, %x", base.Bytes(), got, want, counts)
			}
		}
	}
}

// A recorder is a queue that records writes and launches.
type recorder struct {
	driver.Queue
	written [][]byte
	to      []driver.Buffer
	marks   []uint32
}

// A memory is a device with unlimited memory. It counts allocations.
type memory struct {
	driver.Device
	given, left int // number of buffers that were allocated, and bytes that are not freed
}

type recorded struct {
	of    *memory
	bytes int
}

func (r *recorded) Free() { r.of.left -= r.bytes }

func (m *memory) Alloc(bytes int) (driver.Buffer, error) {
	m.given++
	m.left += bytes
	return &recorded{m, bytes}, nil
}

// TestGrow checks that Memory grows when an equation needs more, that it is reused for later
// equations of the same size or less, and that Free frees it.
func TestGrow(t *testing.T) {
	d := new(memory)
	m := new(Memory)
	for _, c := range []struct {
		kind  device.Kind
		rows  int
		grows bool
	}{
		{device.Sum, 300, true}, {device.AllECDSA, 300, true}, {device.AllECDSA, 300, false},
		{device.Sum, 300, false}, {device.AllSchnorr, 301, true}, {device.AllECDSA, 200000, true},
		{device.AllECDSA, 200000, false},
	} {
		s, given := New(c.kind, c.rows), d.given
		if err := m.Grow(d, s, 1<<40); err != nil {
			t.Fatal(err)
		}
		if (d.given > given) != c.grows {
			t.Errorf("%d rows: %d buffers more", c.rows, d.given-given)
		}
		if c.grows && int64(d.left) < s.Bytes() {
			t.Errorf("%d rows: %d bytes, want %d", c.rows, d.left, s.Bytes())
		}
	}
	if m.Free(); d.left != 0 {
		t.Errorf("%d bytes are left", d.left)
	}
}

func (r *recorder) Write(dst driver.Buffer, _ int, src []byte) error {
	r.written, r.to = append(r.written, bytes.Clone(src)), append(r.to, dst)
	return nil
}

func (r *recorder) Launch(_ string, _ int, args ...any) error {
	r.marks = append(r.marks, args[4].(uint32))
	return nil
}

func (*recorder) Wait(context.Context) error { return nil }

// TestSeeds checks that each equation has a new random seed, that all 32 bytes of it are written to
// the device, and that each equation has an odd number of its own, the mark, which is passed to all
// its launches.
func TestSeeds(t *testing.T) {
	r := new(recorder)
	m := new(Memory)
	s := New(device.AllSchnorr, 300)
	if err := m.Grow(new(memory), s, 1<<40); err != nil {
		t.Fatal(err)
	}
	a := newAnswer()
	var seeds [][]byte
	const rounds = 64
	for range rounds {
		r.written, r.to = nil, nil
		if err := s.Begin(r, m, &a); err != nil {
			t.Fatal(err)
		}
		seed := m.buffers[Seed]
		i := slices.Index(r.to, seed)
		if i < 0 || seed.(*recorded).bytes != len(r.written[i]) {
			t.Fatal("there is no seed, or not all of it")
		}
		seeds = append(seeds, r.written[i])
		for _, first := range []int{0, 100} {
			err := s.Write(r, m, &a, 0, first, 100, [4]driver.Buffer{})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	// Check that each byte takes many values and that no two seeds are equal.
	for i := range 32 {
		values := map[byte]bool{}
		for _, seed := range seeds {
			values[seed[i]] = true
		}
		if len(values) < rounds/4 {
			t.Errorf("byte %d has %d values in %d seeds", i, len(values), rounds)
		}
	}
	different := map[uint32]bool{}
	for i := 0; i < len(r.marks); i += 2 {
		if r.marks[i]%2 == 0 || r.marks[i] != r.marks[i+1] {
			t.Errorf("marks %x", r.marks[i:i+2])
		}
		different[r.marks[i]] = true
	}
	if len(different) < rounds-2 {
		t.Errorf("%d marks in %d rounds", len(different), rounds)
	}
}
