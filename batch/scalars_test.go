package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A scalarRow is a row of ScalarRows and its expected results.
type scalarRow struct {
	scalar []byte
	want   batch.Verdict
	key    []byte // 65 bytes, zeros if the row is malformed
}

// scalarRows holds 0, n and numbers above it, 1, 2, −1, λ and its neighbours and multiples, all
// powers of two and their neighbours, and random numbers. The expected keys come from the function
// for one key; some of them are compared with package reference.
var scalarRows = sync.OnceValue(func() []scalarRow {
	c := reference.Secp256k1()
	r := rand.New(rand.NewPCG(60, 60))
	numbers := reference.EdgeInts()
	add := func(x *big.Int) { numbers = append(numbers, x) }
	for _, base := range []*big.Int{new(big.Int), c.Order, reference.Lambda()} {
		for d := int64(-3); d <= 3; d++ {
			add(new(big.Int).Add(base, big.NewInt(d)))
			add(new(big.Int).Mul(reference.Lambda(), big.NewInt(d)))
		}
	}
	for i := range uint(256) {
		power := new(big.Int).Lsh(big.NewInt(1), i)
		add(power)
		add(new(big.Int).Sub(power, big.NewInt(1)))
		add(new(big.Int).Mod(new(big.Int).Mul(power, reference.Lambda()), c.Order))
	}
	for range 200 {
		add(reference.RandInt(r))
	}
	var rows []scalarRow
	for i, x := range numbers {
		if x.Sign() < 0 || x.BitLen() > 256 {
			continue
		}
		row := scalarRow{x.FillBytes(make([]byte, 32)), batch.Malformed, make([]byte, 65)}
		if k, err := koblitz.ParsePrivateKey(row.scalar); err == nil {
			row.want, row.key = batch.Valid, k.PublicKey().UncompressedBytes()
			if i%10 == 0 {
				p := c.ScalarMult(x, c.G)
				want := make([]byte, 65)
				want[0] = 4
				p.X.FillBytes(want[1:33])
				p.Y.FillBytes(want[33:])
				if !bytes.Equal(row.key, want) {
					panic("the single function and the oracle do not agree")
				}
			}
		} else if x.Sign() != 0 && x.Cmp(c.Order) < 0 {
			panic("a good scalar is refused")
		}
		rows = append(rows, row)
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
})

// publicKeys calls PublicKeysVartime for the rows, and checks the results and that nothing beyond
// them is written.
func publicKeys(t *testing.T, r *rand.Rand, rows []scalarRow, o *batch.Options) {
	t.Helper()
	n := len(rows)
	values := make([][]byte, n)
	for i := range rows {
		values[i] = rows[i].scalar
	}
	got, room := dirty(n), bytes.Repeat([]byte{0x77}, 65*n+9)
	cols := batch.ScalarRows{Scalars: spread(r, []int{0, 0, 1, 7}[r.IntN(4)], values)}
	valid, err := cols.PublicKeysVartime(context.Background(), room[:65*n], got, o)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i, row := range rows {
		if row.want == batch.Valid {
			count++
		}
		if key := room[65*i : 65*i+65]; got[i] != row.want || !bytes.Equal(key, row.key) {
			t.Errorf("row %d of %d: %v, %x, want %v, %x\nscalar %x",
				i, n, got[i], key, row.want, row.key, row.scalar)
		}
	}
	if valid != count {
		t.Errorf("%d rows counted as valid, want %d", valid, count)
	}
	if !bytes.Equal(room[65*n:], bytes.Repeat([]byte{0x77}, 9)) {
		t.Error("something was written past the end of the results")
	}
}

func TestPublicKeys(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(61, 61))
		publicKeys(t, r, scalarRows(), nil)
		for i, n := range sizes(r, 500) {
			publicKeys(t, r, pick(r, scalarRows(), n), workers[i%len(workers)])
		}
	})
}

// TestPublicKeysSame checks that PublicKeysVartime computes the key for every row if Same gives all
// rows one scalar.
func TestPublicKeysSame(t *testing.T) {
	key := koblitz.GenerateKey()
	got, dst := dirty(20), make([]byte, 65*20)
	rows := batch.ScalarRows{Scalars: batch.Same(key.Bytes())}
	valid, err := rows.PublicKeysVartime(context.Background(), dst, got, nil)
	want := bytes.Repeat(key.PublicKey().UncompressedBytes(), 20)
	if valid != 20 || err != nil || !bytes.Equal(dst, want) {
		t.Errorf("%d valid, %v", valid, err)
	}
}

// TestPublicKeysOnDevice checks that keys and verdicts are those of the CPU even if a device is
// faulty. A third of the rows are bad, so that the sample finds a device that accepts them.
func TestPublicKeysOnDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 62))
	bad := slices.DeleteFunc(slices.Clone(scalarRows()), func(row scalarRow) bool {
		return row.want == batch.Valid
	})
	for what, fault := range faults(r) {
		for _, n := range []int{1, 60, 200} {
			d := faulty(fault)
			rows := pick(r, scalarRows(), n)
			for i := 0; i < n; i += 3 {
				rows[i] = bad[r.IntN(len(bad))]
			}
			t.Run(fmt.Sprintf("%s/%d", what, n), func(t *testing.T) {
				publicKeys(t, r, rows, &batch.Options{Device: d.Device()})
				if len(d.Calls()) == 0 {
					t.Error("the device was not asked")
				}
			})
		}
	}
}

// TestPublicKeysCancelled checks that if the context is done, rows stay Unchecked and their results
// are not written.
func TestPublicKeysCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 63))
	rows := pick(r, scalarRows(), 500)
	var data []byte
	for _, row := range rows {
		data = append(data, row.scalar...)
	}
	for _, blocks := range []int64{0, 2, 1 << 40} {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(blocks)
		got, dst := dirty(len(rows)), bytes.Repeat([]byte{0x77}, 65*len(rows))
		scalars := batch.ScalarRows{Scalars: batch.Packed(data, 32)}
		_, err := scalars.PublicKeysVartime(ctx, dst, got, &batch.Options{Workers: 1})
		checked := 0
		for i, row := range rows {
			want := row.key
			if got[i] == batch.Unchecked {
				want = bytes.Repeat([]byte{0x77}, 65)
			} else {
				checked++
			}
			if !bytes.Equal(dst[65*i:65*i+65], want) {
				t.Fatalf("row %d: %v, %x, want %x", i, got[i], dst[65*i:65*i+65], want)
			}
		}
		if (err == nil) != (checked == len(rows)) || (checked > 0) != (blocks > 0) {
			t.Errorf("%d of %d rows are checked, %v", checked, len(rows), err)
		}
	}
}

// TestPublicKeysShapes checks that columns and results of wrong sizes give an error before anything
// is written.
func TestPublicKeysShapes(t *testing.T) {
	data := make([]byte, 32*10)
	for _, test := range []struct {
		column  batch.Column
		results int
		want    string
	}{
		{batch.Packed(data, 31), 650, "batch: Scalars: a width of 31, want 32"},
		{batch.Packed(data[:319], 32), 650, "batch: Scalars: row 9 has 31 bytes, want 32"},
		{batch.Packed(data, 32), 649, "batch: dst: 649 bytes, want 65 times 10"},
		{batch.Packed(data, 32), 330, "batch: dst: 330 bytes, want 65 times 10"},
	} {
		got, dst := dirty(10), make([]byte, test.results)
		rows := batch.ScalarRows{Scalars: test.column}
		valid, err := rows.PublicKeysVartime(context.Background(), dst, got, nil)
		if valid != 0 || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d, %v, want %s", valid, err, test.want)
		}
		if got[0] != 0x77 {
			t.Error("a verdict was written")
		}
	}
}

// BenchmarkPublicKeys compares one call for many keys with calls of the constant-time function for
// one private key.
func BenchmarkPublicKeys(b *testing.B) {
	for _, n := range []int{1, 8, 64, 1024} {
		var data []byte
		for range n {
			data = append(data, koblitz.GenerateKey().Bytes()...)
		}
		got, dst := dirty(n), make([]byte, 65*n)
		perRow := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		}
		b.Run(fmt.Sprintf("rows/%d", n), func(b *testing.B) {
			rows := batch.ScalarRows{Scalars: batch.Packed(data, 32)}
			for b.Loop() {
				rows.PublicKeysVartime(context.Background(), dst, got, &batch.Options{Workers: 1})
			}
			perRow(b)
		})
		b.Run(fmt.Sprintf("alone/%d", n), func(b *testing.B) {
			for b.Loop() {
				for i := range n {
					k, err := koblitz.ParsePrivateKey(data[32*i : 32*i+32])
					if err != nil {
						b.Fatal(err)
					}
					k.PublicKey().AppendUncompressedBytes(dst[65*i : 65*i])
				}
			}
			perRow(b)
		})
	}
}
