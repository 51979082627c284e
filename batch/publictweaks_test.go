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

// A tweakRow is a row of TweakRows and of TweakCheckRows, and its expected results.
type tweakRow struct {
	keys  [3][]byte // the key in 32, 33 and 65 bytes
	tweak []byte
	sums  [3][]byte // for each encoding of the key, the sum in 65 bytes, zeros if there is none
	adds  [3]batch.Verdict

	output []byte
	parity byte
	check  batch.Verdict
}

// judgeTweak sets the expected results of r, by the functions for one key.
func judgeTweak(r tweakRow) tweakRow {
	for i, key := range r.keys {
		r.adds[i], r.sums[i] = batch.Malformed, make([]byte, 65)
		var add func(tweak []byte) (*koblitz.PublicKey, error)
		if i == 0 {
			if k, err := koblitz.ParseXOnlyPublicKey(key); err == nil {
				add = k.TweakAdd
			}
		} else if k, err := koblitz.ParsePublicKey(key); err == nil {
			add = k.TweakAdd
		}
		if add == nil || bytes.Compare(r.tweak, bytes32(curve.Order)) >= 0 {
			continue
		}
		r.adds[i] = batch.Invalid
		if sum, err := add(r.tweak); err == nil {
			r.adds[i], r.sums[i] = batch.Valid, sum.UncompressedBytes()
		}
	}
	switch sum := r.sums[0]; {
	case r.adds[0] == batch.Malformed, r.parity > 1,
		bytes.Compare(r.output, bytes32(reference.P())) >= 0:
		r.check = batch.Malformed
	case r.adds[0] == batch.Valid && bytes.Equal(sum[1:33], r.output) && sum[64]&1 == r.parity:
		r.check = batch.Valid
	default:
		r.check = batch.Invalid
	}
	return r
}

// tweakOf returns a row with the key k·G, and a true claim unless the sum is infinity. k must be a
// private key, and tweak below 2^256.
func tweakOf(k, tweak *big.Int) tweakRow {
	key, err := koblitz.ParsePrivateKey(bytes32(k))
	if err != nil {
		panic(err)
	}
	p := key.PublicKey()
	r := tweakRow{tweak: bytes32(tweak), output: make([]byte, 32)}
	r.keys = [3][]byte{key.XOnlyPublicKey().Bytes(), p.Bytes(), p.UncompressedBytes()}
	if sum, err := key.XOnlyPublicKey().TweakAdd(r.tweak); err == nil {
		r.output, r.parity = sum.XOnlyPublicKey().Bytes(), sum.Bytes()[0]&1
	}
	return judgeTweak(r)
}

// agrees reports whether the sum of a row with a good key is that of package reference.
func (r *tweakRow) agrees(k, tweak *big.Int) bool {
	p := curve.ScalarMult(k, curve.G)
	if p.Y.Bit(0) != 0 {
		p = curve.Neg(p)
	}
	want := make([]byte, 65)
	if tweak.Cmp(curve.Order) < 0 {
		if sum := curve.Add(p, curve.ScalarMult(tweak, curve.G)); !sum.IsInfinity() {
			want = join([]byte{4}, bytes32(sum.X), bytes32(sum.Y))
		}
	}
	return bytes.Equal(r.sums[0], want) && (r.check == batch.Valid) == (want[0] == 4)
}

// spoilTweak returns r with one field changed.
func spoilTweak(r *rand.Rand, row tweakRow) tweakRow {
	row.keys = [3][]byte(slices.Clone(row.keys[:]))
	switch i := r.IntN(10); i {
	case 0: // a key that no point has, or that is not below p
		x := badX()[r.IntN(len(badX()))]
		row.keys = [3][]byte{x, join([]byte{2}, x), join([]byte{4}, x, row.keys[2][33:])}
	case 1:
		row.keys[1] = join([]byte{byte(r.IntN(256))}, row.keys[0])
		row.keys[2] = join([]byte{byte(r.IntN(8))}, row.keys[2][1:])
	case 2:
		row.keys = [3][]byte{flip(r, row.keys[0]), flip(r, row.keys[1]), flip(r, row.keys[2])}
	case 3:
		row.tweak = flip(r, row.tweak)
	case 4:
		row.tweak = badScalars()[r.IntN(len(badScalars()))]
	case 5:
		row.output = flip(r, row.output)
	case 6: // no x coordinate, or not below p
		row.output = badX()[r.IntN(len(badX()))]
	case 7:
		row.parity ^= 1
	case 8:
		row.parity = byte(2 + r.IntN(254))
	case 9: // x + p, if it has 32 bytes: the same number modulo p
		if x := new(big.Int).Add(new(big.Int).SetBytes(row.output), reference.P()); x.BitLen() <= 256 {
			row.output = bytes32(x)
		} else {
			row.output = row.keys[0]
		}
	}
	return row
}

// tweakRows holds keys k·G and tweaks at the edges: tweaks 0 and ±k, with which t·G is infinity, or
// is the key or its negative; tweaks for which partial sums meet; tweaks above n; and random ones.
// For each of them there is a row with a changed field. The expected results come from the
// functions for one key, which must agree with package reference.
var tweakRows = sync.OnceValue(func() []tweakRow {
	r := rand.New(rand.NewPCG(80, 80))
	lambda, top := reference.Lambda(), new(big.Int).Lsh(num(1), 256)
	var rows []tweakRow
	add := func(k, tweak *big.Int) {
		row := tweakOf(k, tweak)
		if !row.agrees(k, tweak) {
			panic(fmt.Sprintf("the single function and the oracle do not agree for %x, %x", k, tweak))
		}
		rows = append(rows, row, judgeTweak(spoilTweak(r, row)))
	}
	ks := []*big.Int{num(1), num(2), num(3), lambda, new(big.Int).Add(lambda, num(1))}
	for range 20 {
		ks = append(ks, new(big.Int).SetBytes(secret(r).Bytes()))
	}
	for _, k := range ks {
		two := new(big.Int).Lsh(k, 1)
		for _, t := range []*big.Int{num(0), k, two, new(big.Int).Mul(k, lambda),
			new(big.Int).Mul(two, lambda), num(1), lambda, new(big.Int).Lsh(num(1), uint(r.IntN(256)))} {
			t = inOrder(t)
			add(k, t)
			add(k, inOrder(new(big.Int).Neg(t)))
		}
	}
	for _, t := range reference.EdgeInts() {
		if t.Cmp(top) < 0 {
			add(ks[r.IntN(len(ks))], t)
		}
	}
	for range 200 {
		add(new(big.Int).SetBytes(secret(r).Bytes()), reference.RandInt(r))
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
})

// tweakColumn returns a column of a field of the rows, with some stride.
func tweakColumn(r *rand.Rand, rows []tweakRow, field func(*tweakRow) []byte) batch.Column {
	values := make([][]byte, len(rows))
	for i := range rows {
		values[i] = field(&rows[i])
	}
	return spread(r, []int{0, 0, 1, 7}[r.IntN(4)], values)
}

func tweakColumns(r *rand.Rand, rows []tweakRow) (adds [3]batch.TweakRows, c batch.TweakCheckRows) {
	tweaks := tweakColumn(r, rows, func(t *tweakRow) []byte { return t.tweak })
	for i := range adds {
		keys := tweakColumn(r, rows, func(t *tweakRow) []byte { return t.keys[i] })
		adds[i] = batch.TweakRows{Keys: keys, Tweaks: tweaks}
	}
	return adds, batch.TweakCheckRows{Keys: adds[0].Keys, Tweaks: tweaks,
		Outputs:  tweakColumn(r, rows, func(t *tweakRow) []byte { return t.output }),
		Parities: tweakColumn(r, rows, func(t *tweakRow) []byte { return []byte{t.parity} })}
}

// checkTweaks calls all functions for tweaks on the rows, and compares their results with the
// expected ones.
func checkTweaks(t *testing.T, r *rand.Rand, rows []tweakRow, o *batch.Options) {
	t.Helper()
	adds, checks := tweakColumns(r, rows)
	for i, add := range adds {
		compareSums(t, rows, i, add, o)
	}
	n, want := len(rows), 0
	got := dirty(n)
	valid, err := checks.Verify(context.Background(), got, o)
	for i, row := range rows {
		if row.check == batch.Valid {
			want++
		}
		if got[i] != row.check {
			t.Errorf("check %d of %d: %v, want %v\nkey %x\ntweak %x\noutput %x\nparity %d",
				i, n, got[i], row.check, row.keys[0], row.tweak, row.output, row.parity)
		}
	}
	if valid != want || err != nil {
		t.Errorf("%d rows counted as valid, want %d, %v", valid, want, err)
	}
	if all, err := checks.VerifyAll(context.Background(), n, o); all != (want == n) || err != nil {
		t.Errorf("VerifyAll of %d rows, %d valid: %v, %v", n, want, all, err)
	}
}

// compareSums calls AddVartime for rows with keys of encoding i, and checks the results, and that
// nothing beyond them is written.
func compareSums(t *testing.T, rows []tweakRow, i int, add batch.TweakRows, o *batch.Options) {
	t.Helper()
	n, want := len(rows), 0
	got, room := dirty(n), bytes.Repeat([]byte{0x77}, 65*n+9)
	valid, err := add.AddVartime(context.Background(), room[:65*n], got, o)
	for k, row := range rows {
		if row.adds[i] == batch.Valid {
			want++
		}
		if sum := room[65*k:][:65]; got[k] != row.adds[i] || !bytes.Equal(sum, row.sums[i]) {
			t.Errorf("row %d of %d: %v, %x, want %v, %x\nkey %x\ntweak %x",
				k, n, got[k], sum, row.adds[i], row.sums[i], row.keys[i], row.tweak)
		}
	}
	if valid != want || err != nil {
		t.Errorf("%d rows counted as valid, want %d, %v", valid, want, err)
	}
	if !bytes.Equal(room[65*n:], bytes.Repeat([]byte{0x77}, 9)) {
		t.Error("something was written past the end of the results")
	}
}

func TestTweaksCorpus(t *testing.T) {
	for i, width := range []string{"32", "33", "65"} {
		counts := make(map[batch.Verdict]int)
		for _, row := range tweakRows() {
			counts[row.adds[i]]++
		}
		t.Logf("keys of %s bytes: %v", width, counts)
		if counts[batch.Valid] < 50 || counts[batch.Invalid] < 10 || counts[batch.Malformed] < 50 {
			t.Errorf("keys of %s bytes: too few of a verdict", width)
		}
	}
	counted(t, "checks", func(yield func(batch.Verdict)) {
		for _, row := range tweakRows() {
			yield(row.check)
		}
	})
}

// TestTweaks checks that each row gets the result of the function for one key, for all encodings of
// keys, many numbers of rows, several strides, and any number of workers.
func TestTweaks(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(81, 81))
		checkTweaks(t, r, tweakRows(), nil)
		good := slices.DeleteFunc(slices.Clone(tweakRows()), func(row tweakRow) bool {
			return row.check != batch.Valid
		})
		for i, n := range sizes(r, 500) {
			checkTweaks(t, r, pick(r, tweakRows(), n), workers[i%len(workers)])
			checkTweaks(t, r, pick(r, good, n), workers[i%len(workers)])
		}
	})
}

// TestTweaksExceptional checks calls in which every row is an exceptional case of the addition: t·G
// is infinity, or equal or opposite to the key.
func TestTweaksExceptional(t *testing.T) {
	r := rand.New(rand.NewPCG(82, 82))
	var rows []tweakRow
	for i := range 70 {
		k := new(big.Int).SetBytes(secret(r).Bytes())
		t := []*big.Int{num(0), k, new(big.Int).Sub(curve.Order, k)}[i%3]
		rows = append(rows, tweakOf(k, t))
	}
	each(t, func(t *testing.T) { checkTweaks(t, r, rows, nil) })
}

// TestTweaksSame checks columns that have one value for all rows, and that a key decoded once gives
// the results of a key decoded in each row, also if it is bad.
func TestTweaksSame(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(83, 83))
		for range 20 {
			first := tweakRows()[r.IntN(len(tweakRows()))]
			rows := pick(r, tweakRows(), 70)
			for i := range rows {
				rows[i].keys = first.keys
				rows[i] = judgeTweak(rows[i])
			}
			for i, key := range first.keys {
				tweaks := tweakColumn(r, rows, func(t *tweakRow) []byte { return t.tweak })
				compareSums(t, rows, i, batch.TweakRows{Keys: batch.Same(key), Tweaks: tweaks}, nil)
			}
			checks := batch.TweakCheckRows{Keys: batch.Same(first.keys[0]),
				Tweaks: batch.Same(first.tweak), Outputs: batch.Same(first.output),
				Parities: batch.Same([]byte{first.parity})}
			got := dirty(20)
			valid, err := checks.Verify(context.Background(), got, nil)
			want := slices.Repeat([]batch.Verdict{first.check}, 20)
			if (valid == 20) != (first.check == batch.Valid) || err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %d valid, %v, want %v", got, valid, err, first.check)
			}
		}
	})
}

// TestTweaksConcurrentShared checks that many goroutines may read the same columns at a time.
func TestTweaksConcurrentShared(t *testing.T) {
	r := rand.New(rand.NewPCG(84, 84))
	rows := pick(r, tweakRows(), 150)
	adds, checks := tweakColumns(r, rows)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			o := &batch.Options{Workers: 1 + i%4}
			compareSums(t, rows, i%3, adds[i%3], o)
			got := dirty(len(rows))
			if _, err := checks.Verify(context.Background(), got, o); err != nil {
				t.Error(err)
			}
			for k, row := range rows {
				if got[k] != row.check {
					t.Errorf("check %d: %v, want %v", k, got[k], row.check)
				}
			}
		})
	}
	wg.Wait()
}

// TestTweaksDevice checks that no device is asked, even if it accepts every kind of call.
func TestTweaksDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 85))
	d := faulty(nil)
	checkTweaks(t, r, pick(r, tweakRows(), 200), &batch.Options{Device: d.Device()})
	if n := len(d.Calls()); n != 0 {
		t.Errorf("%d calls of the device", n)
	}
}

// TestTweaksCancelled checks that if the context is done, rows stay Unchecked and their results are
// not written.
func TestTweaksCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(86, 86))
	rows := pick(r, tweakRows(), 500)
	adds, checks := tweakColumns(r, rows)
	for _, blocks := range []int64{0, 2, 1 << 40} {
		ctx := func() context.Context {
			c := &countdown{Context: context.Background()}
			c.left.Store(blocks)
			return c
		}
		o := &batch.Options{Workers: 1}
		got, dst := dirty(len(rows)), bytes.Repeat([]byte{0x77}, 65*len(rows))
		_, err := adds[1].AddVartime(ctx(), dst, got, o)
		judged := dirty(len(rows))
		_, err2 := checks.Verify(ctx(), judged, o)
		checked := 0
		for i, row := range rows {
			want, verdict, check := row.sums[1], row.adds[1], row.check
			if got[i] == batch.Unchecked {
				want, verdict, check = bytes.Repeat([]byte{0x77}, 65), 0, 0
			} else {
				checked++
			}
			if !bytes.Equal(dst[65*i:][:65], want) || got[i] != verdict || judged[i] != check {
				t.Fatalf("row %d: %v, %v, %x, want %v, %v, %x", i, got[i], judged[i], dst[65*i:][:65],
					verdict, check, want)
			}
		}
		for _, err := range []error{err, err2} {
			if (err == nil) != (checked == len(rows)) || (checked > 0) != (blocks > 0) {
				t.Errorf("%d of %d rows are checked, %v", checked, len(rows), err)
			}
		}
		if all, err := checks.VerifyAll(ctx(), len(rows), o); all || err == nil && blocks == 0 {
			t.Errorf("VerifyAll: %v, %v", all, err)
		}
	}
}

// TestTweaksShapes checks that columns and results of wrong sizes, missing columns and the option
// Exact give an error before anything is written.
func TestTweaksShapes(t *testing.T) {
	b, bg := make([]byte, 650), context.Background()
	good := func(width int) batch.Column { return batch.Packed(b[:10*width], width) }
	key, one, missing := good(32), good(1), batch.Column{}
	for _, test := range []struct {
		rows    any
		results int
		o       *batch.Options
		want    string
	}{
		{batch.TweakRows{}, 650, nil, "Tweaks: no column"},
		{batch.TweakRows{Tweaks: good(32)}, 650, nil, "Keys: no column"},
		{batch.TweakRows{Keys: good(33)}, 650, nil, "Tweaks: no column"},
		{batch.TweakRows{good(34), good(32)}, 650, nil, "Keys: a width of 34, want 32 or 33 or 65"},
		{batch.TweakRows{good(0), good(32)}, 650, nil, "Keys: a width of 0, want 32 or 33 or 65"},
		{batch.TweakRows{batch.Same(b[:31]), good(32)}, 650, nil, "Keys: a width of 31"},
		{batch.TweakRows{batch.Same(nil), good(32)}, 650, nil, "Keys: a width of 0"},
		{batch.TweakRows{good(33), good(31)}, 650, nil, "Tweaks: a width of 31, want 32"},
		{batch.TweakRows{batch.Packed(b[:33*9], 33), good(32)}, 650, nil, "Keys: 9 rows, want 10"},
		{batch.TweakRows{good(33), good(32)}, 649, nil, "dst: 649 bytes, want 65 times 10"},
		{batch.TweakRows{good(33), good(32)}, 0, nil, "dst: 0 bytes, want 65 times 10"},
		{batch.TweakRows{good(33), good(32)}, 650, &batch.Options{Exact: true}, "Exact"},
		{batch.TweakCheckRows{}, 0, nil, "Tweaks: no column"},
		{batch.TweakCheckRows{good(33), key, key, one}, 0, nil, "Keys: a width of 33, want 32"},
		{batch.TweakCheckRows{key, good(33), key, one}, 0, nil, "Tweaks: a width of 33"},
		{batch.TweakCheckRows{key, key, good(33), one}, 0, nil, "Outputs: a width of 33"},
		{batch.TweakCheckRows{key, key, key, good(2)}, 0, nil, "Parities: a width of 2, want 1"},
		{batch.TweakCheckRows{key, key, key, missing}, 0, nil, "Parities: no column"},
		{batch.TweakCheckRows{key, key, missing, one}, 0, nil, "Outputs: no column"},
		{batch.TweakCheckRows{key, key, key, one}, 0, &batch.Options{Exact: true}, "Exact"},
	} {
		got, dst := dirty(10), make([]byte, test.results)
		var valid int
		var err error
		switch rows := test.rows.(type) {
		case batch.TweakRows:
			valid, err = rows.AddVartime(bg, dst, got, test.o)
		case batch.TweakCheckRows:
			valid, err = rows.Verify(bg, got, test.o)
			if all, err := rows.VerifyAll(bg, 10, test.o); all || err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("VerifyAll: %v, %v, want %s", all, err, test.want)
			}
		}
		if valid != 0 || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d, %v, want %s", valid, err, test.want)
		}
		if got[0] != 0x77 {
			t.Error("a verdict was written")
		}
	}
	overlapped := batch.TweakRows{Keys: batch.Same(b[:33]), Tweaks: batch.Same(b[100:132])}
	for _, from := range []int{0, 32, 40, 131} {
		if _, err := overlapped.AddVartime(bg, b[from:from+65], dirty(1), nil); err == nil {
			t.Errorf("results from byte %d overlap a column", from)
		}
	}
	none := batch.Packed(nil, 32)
	checks := batch.TweakCheckRows{none, none, none, batch.Packed(nil, 1)}
	if n, err := checks.Verify(bg, nil, nil); n != 0 || err != nil {
		t.Errorf("no rows: %d, %v", n, err)
	}
	if n, err := (batch.TweakRows{none, none}).AddVartime(bg, nil, nil, nil); n != 0 || err != nil {
		t.Errorf("no rows: %d, %v", n, err)
	}
	if all, err := checks.VerifyAll(bg, 0, nil); all || err == nil {
		t.Errorf("one answer for no rows: %v, %v", all, err)
	}
}

// FuzzTweaks compares rows that the fuzzer chooses, among good ones, with the functions for one
// key.
func FuzzTweaks(f *testing.F) {
	var good []tweakRow
	for i := range 20 {
		good = append(good, tweakOf(num(int64(3*i+2)), num(int64(5*i+1))))
	}
	r := rand.New(rand.NewPCG(87, 87))
	for i := range 12 {
		f.Add(append([]byte{byte(i)}, random(r, 12*i)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		o := workers[s.next()%len(workers)]
		rows := slices.Clone(good[:s.next()%len(good)])
		for len(s.data) > 0 && len(rows) < 40 {
			k, tweak := s.scalar(), s.scalar()
			switch s.next() % 4 {
			case 1:
				tweak = k
			case 2:
				tweak = new(big.Int).Sub(curve.Order, k)
			}
			row := tweakOf(k, tweak)
			s.spoil(row.keys[0], row.keys[1], row.keys[2], row.tweak, row.output)
			if s.next()%4 == 0 {
				row.parity = byte(s.next() % 3)
			}
			rows = append(rows, judgeTweak(row))
		}
		if len(rows) > 0 {
			checkTweaks(t, rand.New(rand.NewPCG(uint64(len(rows)), 2)), rows, o)
		}
	})
}

// BenchmarkTweaks compares one call for many rows with calls of the functions for one key. In the
// rows of "add, crafted" t·G is the key, so that each row is computed again.
func BenchmarkTweaks(b *testing.B) {
	const most = 1024
	rows := make([]tweakRow, most)
	for i := range rows {
		k, t := koblitz.GenerateKey(), koblitz.GenerateKey()
		rows[i] = tweakOf(new(big.Int).SetBytes(k.Bytes()), new(big.Int).SetBytes(t.Bytes()))
	}
	for _, n := range []int{1, 8, 64, most} {
		adds, checks := tweakColumns(rand.New(rand.NewPCG(0, 0)), rows[:n])
		crafted := slices.Clone(rows[:n])
		for i := range crafted {
			k := new(big.Int).SetBytes(rows[i].tweak)
			crafted[i] = tweakOf(k, k)
		}
		hostile, _ := tweakColumns(rand.New(rand.NewPCG(0, 0)), crafted)
		same := batch.TweakRows{Keys: batch.Same(rows[0].keys[1]), Tweaks: adds[0].Tweaks}
		got, dst := dirty(n), make([]byte, 65*n)
		one := &batch.Options{Workers: 1}
		for _, test := range []struct {
			name string
			do   func() (int, error)
		}{
			{"add x-only", func() (int, error) { return adds[0].AddVartime(b.Context(), dst, got, one) }},
			{"add 33", func() (int, error) { return adds[1].AddVartime(b.Context(), dst, got, one) }},
			{"add 65", func() (int, error) { return adds[2].AddVartime(b.Context(), dst, got, one) }},
			{"add to one", func() (int, error) { return same.AddVartime(b.Context(), dst, got, one) }},
			{"add, crafted", func() (int, error) {
				return hostile[2].AddVartime(b.Context(), dst, got, one)
			}},
			{"check", func() (int, error) { return checks.Verify(b.Context(), got, one) }},
			{"alone/add 33", func() (valid int, err error) {
				for i := range n {
					k, err := koblitz.ParsePublicKey(rows[i].keys[1])
					if err != nil {
						return 0, err
					}
					if k, err = k.TweakAdd(rows[i].tweak); err != nil {
						return 0, err
					}
					k.AppendUncompressedBytes(dst[65*i:][:0])
				}
				return n, nil
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", test.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if valid, err := test.do(); valid != n || err != nil {
						b.Fatal(valid, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}
