package utxo

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// TestTable checks that a table returns the same values as a map: short and long values, with first
// bytes (marks) that change, values that are no longer needed (dead), full pages, and several
// doublings.
func TestTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	dead := func(value []byte) bool { return binary.LittleEndian.Uint32(value) == 99 }
	for name, size := range map[string]func() int{
		"short":       func() int { return markSize + rnd.IntN(30) },
		"pages spill": func() int { return inlineSize - rnd.IntN(2) },
		"long":        func() int { return inlineSize + rnd.IntN(100) },
		"all":         func() int { return markSize + rnd.IntN(txscript.MaxScriptSize) },
	} {
		t.Run(name, func(t *testing.T) {
			table, err := newTable(ample(), maphash.MakeSeed(), 0, dead)
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			model := map[wireform.Outpoint][]byte{}
			var keys []wireform.Outpoint
			// Three quarters of the values are new. With the longest records, of 294 bytes, n
			// values fill 60 % of 4,096 pages, or of 2,048 pages in a short run.
			n, spilled := 49000, 0
			if !deep() {
				n = 24500
			}
			if name == "all" {
				n /= 20
			}
			for i := range n {
				p := wireform.Outpoint{Index: uint32(i)}
				binary.LittleEndian.PutUint64(p.Tx[:], rnd.Uint64())
				value := make([]byte, size())
				for i := range value[markSize:] {
					value[markSize+i] = byte(rnd.Uint32())
				}
				if i > 0 && rnd.IntN(4) == 0 { // changes the mark of an existing value
					p = keys[rnd.IntN(len(keys))]
					value = bytes.Clone(model[p])
					binary.LittleEndian.PutUint32(value, uint32(rnd.IntN(100)))
				} else {
					keys = append(keys, p)
				}
				model[p] = value
				if err := table.reserve(recordSize(value)); err != nil {
					t.Fatal(err)
				}
				if err := table.put(p, value); err != nil {
					t.Fatal(err)
				}
			}
			for p, want := range model {
				got, err := table.get(p)
				if err != nil || !bytes.Equal(got, want) && !(got == nil && dead(want)) {
					t.Fatalf("%v: %x, %v; want %x", p, got, err, want)
				}
				p.Tx[31] ^= 1
				if got, err := table.get(p); got != nil || err != nil {
					t.Fatalf("%x, %v for what is not there", got, err)
				}
			}
			records := int64(0)
			for n := range table.pages {
				if err := table.load(n); err != nil {
					t.Fatal(err)
				}
				records += int64(table.end() - pageHeader)
				if table.spills() {
					spilled++
				}
			}
			if records != table.used || table.full(table.used) ||
				(table.pages == leastPages) != (name != "pages spill") {
				t.Errorf("%d bytes of records in %d pages, counted as %d", records, table.pages, table.used)
			}
			if name == "pages spill" && spilled < 10 {
				t.Errorf("%d pages spill: not tried", spilled)
			}
		})
	}
}

// TestTableDies checks that new records take the place of dead ones, whose values are no longer
// needed.
func TestTableDies(t *testing.T) {
	table, err := newTable(ample(), maphash.MakeSeed(), 0,
		func(value []byte) bool { return value[0] == 1 })
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i := range 200000 {
		value := []byte{1, 0, 0, 0, 5}
		if i%100 == 0 {
			value[0] = 0
		}
		if err := table.reserve(recordSize(value)); err != nil {
			t.Fatal(err)
		}
		if err := table.put(wireform.Outpoint{Index: uint32(i)}, value); err != nil {
			t.Fatal(err)
		}
	}
	if table.pages > 4*leastPages {
		t.Errorf("%d pages for 2,000 records", table.pages)
	}
	for i := 0; i < 200000; i += 100 {
		if v, err := table.get(wireform.Outpoint{Index: uint32(i)}); v == nil || err != nil {
			t.Fatalf("record %d: %v, %v", i, v, err)
		}
	}
}

// TestOutputSet checks that a Set with little memory behaves like one with enough memory.
func TestOutputSet(t *testing.T) {
	sets := map[int64]*Set{}
	for _, memory := range []int64{0, 1000, 100000, 1 << 30} {
		s := NewSet(ample())
		s.Memory = memory
		defer s.Close()
		sets[memory] = s
	}
	want := sets[1<<30]
	heights := map[[32]byte]int32{}
	rnd := rand.New(rand.NewPCG(3, 4))
	n := uint32(3000)
	if !deep() {
		n = 1000
	}
	for height := range n {
		id := [32]byte{byte(height), byte(height >> 8), 1}
		outs := []*wire.TxOut{
			{Value: int64(height), PkScript: make([]byte, rnd.IntN(40))},
			{Value: 21e14, PkScript: bytes.Repeat([]byte{byte(height)}, rnd.IntN(600))},
			{PkScript: []byte{0x6a, 1, 2}},
			{PkScript: make([]byte, txscript.MaxScriptSize+1)},
		}
		if height == 500 {
			id = [32]byte{5, 0, 1} // repeats an id, as two coinbases of mainnet do
			heights[id] = 500
		}
		ago := uint32(rnd.IntN(700))
		spent := wireform.Outpoint{Tx: [32]byte{byte(height - ago), byte((height - ago) >> 8), 1},
			Index: uint32(rnd.IntN(4))}
		o, err := want.Spend(spent, int32(height))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := heights[id]; !ok {
			heights[id] = int32(height)
		}
		for memory, s := range sets {
			if got, err := s.Spend(spent, int32(height)); err != nil || got.Known != o.Known ||
				got.Amount != o.Amount || !bytes.Equal(got.Script, o.Script) {
				t.Fatalf("height %d, memory %d: %+v, %v; want %+v", height, memory, got, err, o)
			}
			if err := s.Add(id, outs); err != nil {
				t.Fatal(err)
			}
			if err := s.AddBlock(id, int32(height)); err != nil {
				t.Fatal(err)
			}
			h, ok, err := s.Block(spent.Tx)
			if wantHeight, wantOK := heights[spent.Tx]; err != nil || ok != wantOK || h != wantHeight {
				t.Fatalf("height %d, memory %d: block %x has height %d, %v, %v", height, memory, spent.Tx[:3],
					h, ok, err)
			}
			if s.size > s.Memory {
				t.Fatalf("memory %d: %d bytes", memory, s.size)
			}
		}
	}
	if sets[100000].older == nil || want.older != nil {
		t.Error("the file was not used, or was")
	}
	if o, err := sets[0].Spend(wireform.Outpoint{Index: blockIndex}, 1); o.Known || err != nil {
		t.Error("a block was spent")
	}
}

// TestFullTable checks that a table that cannot grow, because the temporary space is full, keeps
// its contents.
func TestFullTable(t *testing.T) {
	const first = leastPages * pageSize // size of a new table in bytes
	for _, room := range []int64{first - 1, 3*first - 1} {
		space := tempfile.NewSpace(room)
		never := func([]byte) bool { return false }
		table, err := newTable(space, maphash.MakeSeed(), 0, never)
		if room < first {
			if !isFull(err) {
				t.Errorf("a table in %d bytes: %v", room, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		value := func(i int) []byte {
			return binary.LittleEndian.AppendUint32(make([]byte, 200), uint32(i))
		}
		n := 0
		for ; err == nil; n++ {
			if err = table.reserve(recordSize(value(n))); err == nil {
				err = table.put(wireform.Outpoint{Index: uint32(n)}, value(n))
			}
		}
		if n--; !isFull(err) || !strings.Contains(err.Error(), "(--temp-space)") || n < 10000 {
			t.Fatalf("%d values: %v", n, err)
		}
		for i := range n {
			got, err := table.get(wireform.Outpoint{Index: uint32(i)})
			if err != nil || string(got) != string(value(i)) {
				t.Fatalf("value %d: %x, %v", i, got, err)
			}
		}
		if _, err := space.New("other"); err != nil {
			t.Error(err)
		}
	}
}

// TestFullLong checks that the file of long values counts towards the temporary space.
func TestFullLong(t *testing.T) {
	never := func([]byte) bool { return false }
	space := tempfile.NewSpace(leastPages*pageSize + 3000)
	table, err := newTable(space, maphash.MakeSeed(), 0, never)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i := range 4 {
		err := table.put(wireform.Outpoint{Index: uint32(i)}, make([]byte, 1000))
		if isFull(err) != (i == 3) || (err != nil) != (i == 3) {
			t.Errorf("value %d: %v", i, err)
		}
	}
}
