package kernels

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestComb checks that the host's tables hold the points that the comment in comb.go describes.
func TestComb(t *testing.T) {
	c := reference.Secp256k1()
	powers := c.AppendPacked(nil, c.G, 1)
	for i, p := 1, c.G; i < combPowers; i++ {
		p = c.Double(p)
		powers = c.AppendPacked(powers, p, 1)
	}
	for _, bits := range []int{CombLeast, 5, 7, CombBits, 9} {
		table := comb(bits)
		header := make([]byte, CombPoint)
		header[0] = byte(bits)
		if !bytes.HasPrefix(table, slices.Concat(header, powers)) {
			t.Errorf("%d bits: the start differs", bits)
		}
		table = table[CombPoint*(1+combPowers):]
		windows := (256 + bits - 1) / bits
		for i := range windows {
			points := 1 << (bits - 1)
			if i == windows-1 { // (2·j + 1)·2^(bits·i) < 2^256
				points = 1 << (255 - bits*i)
			}
			want := c.AppendPacked(nil, c.ScalarMult(power2(uint(bits*i)), c.G), points)
			if !bytes.HasPrefix(table, want) {
				t.Errorf("%d bits: window %d differs", bits, i)
			}
			table = table[min(len(want), len(table)):]
		}
		if len(table) != 0 {
			t.Errorf("%d bits: %d bytes are left", bits, len(table))
		}
	}
	if !bytes.Equal(Comb(), comb(CombBits)) {
		t.Error("Comb has another width")
	}
}

// TestCombSize checks that CombSize and CombOffset match the tables, and that the tables are as
// large as the comments say.
func TestCombSize(t *testing.T) {
	for bits := CombLeast; bits <= CombMost; bits++ {
		end := int64(CombPoint * (1 + combPowers))
		for i := range CombWindows(bits) {
			if CombOffset(bits, i, 0) != end {
				t.Errorf("%d bits: window %d is at %d, want %d", bits, i, CombOffset(bits, i, 0), end)
			}
			end = CombOffset(bits, i, CombEntries(bits, i))
		}
		if CombSize(bits) != end || end/4 >= 1<<31 {
			t.Errorf("%d bits: %d bytes, want %d", bits, CombSize(bits), end)
		}
	}
	for bits, mib := range map[int]float64{8: 0.25, 16: 32, 22: 1408.5, 24: 5122} {
		if got := float64(CombSize(bits)) / (1 << 20); got < mib || got > mib+0.1 {
			t.Errorf("%d bits: %.2f MiB", bits, got)
		}
	}
}

// tableSource returns the text of table.h, with all includes inserted.
func tableSource() string {
	var text strings.Builder
	include(&text, map[string]bool{}, "#include \"table.h\"\n")
	return text.String()
}

// unmade returns a table before k_comb has carried out its first step.
func unmade(bits int) []byte {
	start := CombStart(bits)
	table := append(start, bytes.Repeat([]byte{0xa5}, int(CombSize(bits))-len(start))...)
	for i := range CombWindows(bits) {
		copy(table[CombOffset(bits, i, 0):], CombPower(start, bits*i))
	}
	return table
}

// made returns the table that the kernel k_comb computes on a device.
func made(d driver.Device, bits int) ([]byte, error) {
	q, err := d.NewQueue(false)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	table := unmade(bits)
	b, err := d.Alloc(len(table))
	if err != nil {
		return nil, err
	}
	defer b.Free()
	err = q.Write(b, 0, table)
	for step := range bits - 1 {
		n := CombRows(bits, step)
		err = errors.Join(err, q.Launch("k_comb", n, uint32(n), uint32(step), b))
	}
	return table, errors.Join(err, q.Read(table, b, 0), q.Wait(context.Background()))
}

// isTable reports whether k_comb, compiled as C11 at path, computes the same tables as the host.
func isTable(t *testing.T, path string, widths ...int) bool {
	t.Helper()
	d, wait := c11test.Start(t, path)
	good := true
	for _, bits := range widths {
		table, err := made(d, bits)
		good = good && err == nil && bytes.Equal(table, comb(bits))
	}
	return wait() == nil && good
}

// TestTable checks that k_comb computes the same tables as the host. It tries every window size for
// which the sanitized program needs at most a second. It also tries some larger sizes, for which
// several work items, or several groups of work items, compute the points of a window.
func TestTable(t *testing.T) {
	for name, c := range map[string]struct {
		flags  []string
		widths []int
	}{
		"sanitized": {append(slices.Clone(c11test.Sanitized), c11test.Strict...),
			[]int{4, 5, 6, 7, 8, 9, 10}},
		"optimized": {[]string{"-O2"}, []int{11, 12, 15}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !isTable(t, c11test.Compile(t, tableSource(), c.flags...), c.widths...) {
				t.Error("another table")
			}
		})
	}
}

// TestTablePTX checks that the committed PTX computes the same tables as the host.
func TestTablePTX(t *testing.T) {
	fake := cudatest.New()
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(Rows()); err != nil {
		t.Fatal(err)
	}
	for _, bits := range []int{CombLeast, CombBits} {
		if table, err := made(d, bits); err != nil || !bytes.Equal(table, comb(bits)) {
			t.Errorf("%d bits: another table, %v", bits, err)
		}
	}
	if err := errors.Join(d.Close(), fake.Err(), fake.Leaks()); err != nil {
		t.Error(err)
	}
}

// addends returns the points, by window and index, that a multiplication by k with windows of w
// bits adds. It computes them from the definition: each digit is odd, and subtracting it leaves a
// multiple of 2^w whose quotient by 2^w is odd again.
func addends(k *big.Int, w int) (list [][2]int) {
	k = new(big.Int).Set(k)
	if k.Bit(0) == 0 {
		k.Sub(reference.N(), k)
	}
	for i := range CombWindows(w) {
		digit := new(big.Int).Mod(k, power2(uint(w+1)))
		digit.Sub(digit, power2(uint(w)))
		if i == CombWindows(w)-1 {
			digit.Set(k)
		}
		k.Sub(k, digit).Rsh(k, uint(w))
		list = append(list, [2]int{i, int(digit.Abs(digit).Int64() / 2)})
	}
	return list
}

// TestWidths checks that k·G is right with tables of all window sizes. Each table holds only the
// points that are needed; all others are zeros.
func TestWidths(t *testing.T) {
	n := reference.N()
	r := random(t)
	lists := make(map[int][]*big.Int)
	for w := CombLeast; w <= CombMost; w++ {
		list := slices.Concat(exceptions(w), uniform(r, 2))
		for _, k := range []int64{1, 2, -1, -2, 1<<w - 1, 1 << w, 1<<w + 1} {
			list = append(list, residue(bigint(k), n))
		}
		// Add scalars with windows whose bits are all zeros or all ones, and a scalar in which only
		// the last window is not zero.
		list = append(list, power2(255), new(big.Int).Sub(power2(255), bigint(1)),
			power2(uint(w*(CombWindows(w)-1))), residue(new(big.Int).Neg(power2(128)), n))
		lists[w] = list
	}
	onHost(t, func(t *testing.T, prog *program) {
		for w, list := range lists {
			prog.fill(t, w, CombSize(w), list)
			checkMulBase(t, prog, w, list)
		}
	})
}

// TestWords checks that the kernels and the host compute the same size for a key's table. In
// memory, the tables of several keys follow one another.
func TestWords(t *testing.T) {
	var rows [][]*big.Int
	for w := CombLeast; w <= CombMost; w++ {
		rows = append(rows, []*big.Int{bigint(int64(w))})
	}
	onHost(t, func(t *testing.T, prog *program) {
		for i, got := range prog.call(t, 'W', rows) {
			if w := CombLeast + i; int64(got.flag) != CombSize(w)/4 {
				t.Errorf("%d bits: %d words, want %d", w, got.flag, CombSize(w)/4)
			}
		}
	})
}

// fill gives the program a table that holds only the points that the multiplications by scalars
// add.
func (p *program) fill(t *testing.T, w int, size int64, scalars []*big.Int) {
	t.Helper()
	p.call(t, 'T', [][]*big.Int{{bigint(size), bigint(int64(w))}})
	var rows [][]*big.Int
	for _, k := range scalars {
		for _, a := range addends(k, w) {
			log := bigint(int64(2*a[1] + 1))
			x, y := product(t, log.Lsh(log, uint(w*a[0])))
			rows = append(rows, []*big.Int{bigint(CombOffset(w, a[0], a[1])), x, y})
		}
	}
	p.call(t, 'E', rows)
}

// product returns k·G, computed by the library.
func product(t *testing.T, k *big.Int) (x, y *big.Int) {
	t.Helper()
	var b [group.ScalarSize]byte
	scalar, err := new(group.Scalar).SetBytes(residue(k, reference.N()).FillBytes(b[:]))
	if err != nil {
		t.Fatal(err)
	}
	key, err := new(group.Point).ScalarBaseMultVartime(scalar).PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	xy := key.UncompressedBytes()[1:]
	return new(big.Int).SetBytes(xy[:32]), new(big.Int).SetBytes(xy[32:])
}

// combFaults are faults in the functions of point.h that divide a scalar into windows.
var combFaults = []c11test.Fault{
	{"(u32)(w * (i + 1) >= 256)", "(u32)(w * (i + 1) == 256)"},
	{"(u32)(w * (i + 1) >= 256)", "(u32)(w * (i + 1) > 256)"},
	{"w * i < 256; i++", "w * (i + 1) <= 256; i++"},
	{"(t.v[i] >> 1 | t.v[i + 1] << 31) ^ minus;", "t.v[i] >> 1 ^ minus;"},
	{"(t.v[i] >> 1 | t.v[i + 1] << 31) ^ minus;", "t.v[i] >> 1 | t.v[i + 1] << 31;"},
	{"t.v[7] >> 1 ^ minus;", "t.v[7] ^ minus;"},
	{"t.v[7] >> 1 ^ minus;", "t.v[7] >> 1;"},
	{"r->b[8] = minus;", "r->b[8] = 0;"},
	{"minus ? t.v[i] : k->v[i]", "minus ? k->v[i] : t.v[i]"},
	{"window_bits(c->b, w * i, w)", "window_bits(c->b, 8 * i, w)"},
	{"window_bits(c->b, w * i, w)", "window_bits(c->b, w * i, w - 1)"},
	{"bits >> (w - 1) ^ 1;", "bits >> (w - 2) & 1 ^ 1;"},
	{"ge_cneg(r, negative);\n}\n\n// xyzz_add_comb", "}\n\n// xyzz_add_comb"},
	{"(i << (w - 1)) + j)", "(i << 7) + j)"},
}

// TestCombFaults checks that each of combFaults is revealed with at least one of three window
// sizes, and nothing without a fault. The last windows of these sizes have one bit, all bits, and
// some of the bits.
func TestCombFaults(t *testing.T) {
	headers, err := filepath.Glob("*.h")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range headers {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	header := texts["point.h"]
	scalars := uniform(random(t), 4)
	for i, k := range scalars { // some scalars are odd, some even
		k.SetBit(k, 0, uint(i%2))
	}
	c11test.Plant(t, header, combFaults, func(t *testing.T, text string) bool {
		dir := t.TempDir()
		// Write all headers to the folder, since headers include each other from there.
		for name, other := range texts {
			if name == "point.h" {
				other = text
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(other), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b := newBuild(strings.ReplaceAll(t.Name(), "/", "-"), CombBits, "-O0", "-w", "-iquote", dir)
		prog := start(t, b)
		found := false
		for _, w := range []int{10, 15, 16} {
			// The table has one window more than the kernels need. That window holds only zeros.
			prog.fill(t, w, CombOffset(w, CombWindows(w)+1, 0), scalars)
			var rows [][]*big.Int
			for _, k := range scalars {
				rows = append(rows, []*big.Int{k})
			}
			for i, got := range prog.call(t, '.', rows) {
				found = found || got.flag == 0 || !affineXYZZ(got.out).Equal(multiple(scalars[i]))
			}
		}
		return found
	})
}

// tableFaults are faults in table.h and in the functions of point.h that it uses.
var tableFaults = []c11test.Fault{
	{"if (row >= n) return;\n\tcomb_step(gtable", "comb_step(gtable"},
	{"step < COMB_CHAIN ? step : COMB_CHAIN", "step < 4 ? step : 4"},
	{"u32 window = row >> (step - chain);", "u32 window = row >> step;"},
	{"row & (items - 1)", "row & items"},
	{"(COMB_POINT << step)", "(COMB_POINT << (step + 1))"},
	{"COMB_POINT * items;", "COMB_POINT * (items - 1);"},
	{"(1 + w * window + step + 1)", "(1 + w * window + step)"},
	{"(1 + w * window + step + 1)", "(1 + w * window + 1)"},
	{"fe_store(to + stride * s, &product);\n\t\tfe_load", "fe_load"},
	{"s < (u32)1 << chain;", "s < ((u32)1 << chain) - 1;"},
	{"fe_inv(&product, &product); //", "//"},
	{"fe_mul(&product, &product, &h);\n\t\tfe_sub(&h, &d.y", "fe_sub(&h, &d.y"},
	{"fe_sub(&h, &h, &p.x); // X'", "// X'"},
	{"fe_sub(&h, &h, &d.x);\n", "\n"},
	{"fe_sub(&t, &t, &p.y); // Y'", "// Y'"},
	{"fe_store(to + stride * s + 8, &t);", "fe_store(to + stride * s, &t);"},
	{"\tcomb_ge(&d, power);", ""},
	{"+ (i << (w - 1)) + j)", "+ (i << w) + j)"},
}

// TestTableFaults checks that each of tableFaults gives a table that differs from the host's, and
// that the table without a fault does not.
func TestTableFaults(t *testing.T) {
	c11test.Plant(t, tableSource(), tableFaults, func(t *testing.T, source string) bool {
		path := c11test.Compile(t, source, append(slices.Clone(c11test.Sanitized), "-w")...)
		return !isTable(t, path, 5, 8)
	})
}
