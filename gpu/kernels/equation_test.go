package kernels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// equationSets returns sets of rows for equations. In ECDSA sets, most recovery ids select the
// right nonce point, or the point with the same x coordinate and the other y coordinate.
func equationSets(size int) (sets []hostile.Set) {
	for _, s := range hostile.Sets(size) {
		if s.Kind == device.Schnorr || s.Kind == device.ECDSA && s.Rules == device.LowS {
			sets = append(sets, s)
		}
		if s.Kind == device.ECDSA && s.Rules == device.LowS {
			s.Rules = 0
			sets = append(sets, s)
		}
	}
	return sets
}

// compileEquation compiles the program testdata/equation.c with the kernels in source.
func compileEquation(t *testing.T, source string, flags ...string) string {
	t.Helper()
	needs(t, "gcc")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sums.cl"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "equation")
	args := append([]string{"-std=c11", "-O1", "-fno-inline", "-I" + dir, "-o", path,
		"testdata/equation.c"}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// A launch holds the inputs and outputs of a kernel for one equation.
type launch struct {
	set  *hostile.Set
	part int // number of rows in a launch
	seed []byte
	mark uint32
	sums int

	points, halves, records, added []uint32
}

// newLaunch returns a launch with a random seed.
func newLaunch(r *rand.Rand, set *hostile.Set) *launch {
	l := &launch{set: set, part: 100, seed: make([]byte, 32), mark: r.Uint32() | 1, sums: 37}
	for i := range l.seed {
		l.seed[i] = byte(r.Uint32())
	}
	return l
}

// run runs the launch in the compiled program at path.
func (l *launch) run(path string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), "launch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := l.set.Call()
	kernel := "k_equation_schnorr"
	if c.Kind == device.ECDSA {
		kernel = "k_equation_ecdsa"
	}
	output := filepath.Join(dir, "output")
	args := []string{kernel, strconv.Itoa(c.Rows), fmt.Sprint(Flags(c)), strconv.Itoa(l.part),
		strconv.FormatUint(uint64(l.mark), 10), strconv.Itoa(l.sums), output}
	columns := [][]byte{l.seed}
	for _, col := range c.Columns {
		if col.Data != nil {
			columns = append(columns, col.Data)
		}
	}
	for i, data := range columns {
		name := filepath.Join(dir, fmt.Sprint("column", i))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return err
		}
		args = append(args, name)
	}
	if said, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", kernel, err, said)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	all := make([]uint32, len(data)/4)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, all); err != nil {
		return err
	}
	sizes := []int{2 * termPoint * c.Rows, 4 * termHalf * c.Rows, recordWords * c.Rows,
		recordWords * l.sums}
	for i, to := range []*[]uint32{&l.points, &l.halves, &l.records, &l.added} {
		*to, all = all[:sizes[i]], all[sizes[i]:]
	}
	return nil
}

// Sizes in words of terms and records.
const (
	termPoint   = 24
	termHalf    = 5
	recordWords = 13
)

// number returns the number whose 32-bit limbs are w, the least significant first.
func number(w ...uint32) *big.Int {
	x := new(big.Int)
	for i := len(w) - 1; i >= 0; i-- {
		x.Lsh(x, 32).Or(x, bigint(int64(w[i])))
	}
	return x
}

// half returns one half of a scalar: the second half if second is 1, else the first. It returns an
// error if the half is not below 2^bits.
func (l *launch) half(term, second, bits int) (*big.Int, error) {
	w := l.halves[termHalf*(2*term+second):][:termHalf]
	d := number(w[:4]...)
	if d.BitLen() > bits || w[4]&^(1<<31) != 0 || w[4] != 0 && d.Sign() == 0 {
		return nil, fmt.Errorf("half %d of term %d is %x", second, term, w)
	}
	if w[4] != 0 {
		d.Neg(d)
	}
	return d, nil
}

// check returns an error unless the terms and records equal those that the oracle computes.
func (l *launch) check() error {
	n, order := len(l.set.Rows), reference.N()
	var counts [4]int
	sums := make([]*big.Int, l.sums)
	for i := range sums {
		sums[i] = new(big.Int)
	}
	for i, want := range l.set.Equation(l.seed) {
		row := &l.set.Rows[i]
		where := fmt.Sprintf("row %d (%s, %x)", i, row.What, row.Fields)
		record := make([]uint32, recordWords)
		for k := range record {
			record[k] = l.records[n*k+i]
		}
		verdict := make([]uint32, 4)
		verdict[want.Verdict] = l.mark
		if !slices.Equal(record[9:], verdict) {
			return fmt.Errorf("%s: verdict %x, want %d", where, record[9:], want.Verdict)
		}
		counts[want.Verdict]++
		base := want.Base
		if want.Verdict != device.Valid {
			base = new(big.Int)
		}
		sums[i%l.sums].Add(sums[i%l.sums], base)
		if number(record[:9]...).Cmp(base) != 0 {
			return fmt.Errorf("%s: the scalar of G is %x, want %x", where, record[:9], base)
		}
		for k := range 2 {
			term, bits := 2*i+k, 128
			if k == 1 && l.set.Kind == device.Schnorr {
				bits = 64
			}
			d1, err1 := l.half(term, 0, bits)
			d2, err2 := l.half(term, 1, bits)
			if err := errors.Join(err1, err2); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			scalar := new(big.Int).Mul(d2, reference.Lambda())
			scalar.Add(scalar, d1).Mod(scalar, order)
			if want.Verdict != device.Valid {
				if d1.Sign() != 0 || d2.Sign() != 0 {
					return fmt.Errorf("%s: there is a term %d", where, k)
				}
				continue
			}
			p := l.points[termPoint*term:][:termPoint]
			if number(p[:8]...).Cmp(want.Points[k].X) != 0 ||
				number(p[8:16]...).Cmp(want.Points[k].Y) != 0 || scalar.Cmp(want.Scalars[k]) != 0 {
				return fmt.Errorf("%s: term %d is %x·%x, want %x·%x", where, k, scalar, p,
					want.Scalars[k], want.Points[k])
			}
		}
	}
	for i := range sums {
		got := make([]uint32, recordWords)
		for k := range got {
			got[k] = l.added[l.sums*k+i]
		}
		if number(got[:9]...).Cmp(sums[i]) != 0 {
			return fmt.Errorf("sum %d is %x, want %x", i, got[:9], sums[i])
		}
	}
	for k, count := range counts {
		var got uint32
		for _, w := range l.added[l.sums*(9+k):][:l.sums] {
			got += w
		}
		if got != uint32(count)*l.mark {
			return fmt.Errorf("%d rows have the verdict %d, and not %x/%x", count, k, got, l.mark)
		}
	}
	return nil
}

// TestEquationTerms checks that the kernels, compiled as C11 with sanitizers, compute the terms and
// sums that the oracle computes.
func TestEquationTerms(t *testing.T) {
	path := compileEquation(t, Sums().Source, append(slices.Clone(sanitized), "-Wall",
		"-Wextra", "-Werror", "-Wno-unused-function")...)
	r := random(t)
	for i, s := range equationSets(2) {
		rows := s.Rows
		for _, n := range []int{1, GroupSize - 1, GroupSize, len(rows)} {
			n = min(n, len(rows))
			s.Rows = rows[:n]
			l := newLaunch(r, &s)
			if err := l.run(path); err != nil {
				t.Errorf("set %d, %d rows: %v", i, n, err)
			} else if err := l.check(); err != nil {
				t.Errorf("set %d, %d rows: %v", i, n, err)
			}
		}
	}
}

// TestEquationOracle checks that the terms which the oracle computes for a row add up to infinity
// exactly if the row is valid. ECDSA rows whose recovery id selects another point are left out.
func TestEquationOracle(t *testing.T) {
	curve := reference.Secp256k1()
	for i, s := range equationSets(1) {
		s, err := s.Some(60)
		if err != nil {
			t.Fatal(err)
		}
		good := 0
		for k, terms := range s.Equation(make([]byte, 32)) {
			row := s
			row.Rows = s.Rows[k : k+1]
			c := row.Call()
			if terms.Verdict == device.Valid {
				sum := curve.ScalarMult(terms.Base, curve.G)
				for j := range 2 {
					sum = curve.Add(sum, curve.ScalarMult(terms.Scalars[j], terms.Points[j]))
				}
				if !sum.IsInfinity() {
					terms.Verdict = device.Invalid
				}
			}
			c.Verdicts[0] = terms.Verdict
			if terms.Verdict == device.Valid {
				good++
			} else if s.Kind == device.ECDSA && terms.Verdict != device.Malformed {
				continue
			}
			if err := row.Check(c); err != nil {
				t.Errorf("set %d: %v", i, err)
			}
		}
		if good < 2 {
			t.Errorf("set %d: %d rows are valid", i, good)
		}
	}
}

// equationFaults are faults that let an equation with invalid rows hold, or one with only valid
// rows fail.
var equationFaults = []fault{
	// Faults that make coefficients predictable, repeated or short.
	{"load_be32(seed + 4 * i)", "0"},
	{"load_be32(seed + 4 * i)", "i ? load_be32(seed + 4 * i) : 0"},
	{"w[8] = number;", ""},
	{"w[8] = number;", "w[8] = number & 127;"},
	{"w[8] = number;", "w[8] = number | 1;"},
	{"short_set(v, h[3], h[2]);", "short_set(v, h[1], h[0]);"},
	{"short_set(v, h[3], h[2]);", "short_set(v, h[3], 0);"},
	{"short_set(u, h[1], h[0]);", "short_set(u, h[1], 0);"},
	{"w[15] = 8 * 36;", "w[15] = 8 * 32;"},

	// Faults that leave out rows or terms, or count them twice.
	{
		"u32 word = k >= EQUATION_LIMBS",
		"if (i + 1 == count) verdict = INVALID;\n\t\tu32 word = k >= EQUATION_LIMBS",
	},
	{"for (u64 i = row; i < count; i += n)", "for (u64 i = row; i + 1 < count; i += n)"},
	{"for (u64 i = row; i < count; i += n)", "for (u64 i = row; i < count; i += n + 1)"},
	{"return INVALID;\n\tterm_store(points, 2 * i + 1, &p);", "return INVALID;"},
	{"halves_clear(halves, 2 * i + 1);", ""},
	{"halves_clear(halves, 2 * i);", ""},
	{"sum[k] += records[", "sum[k] |= records["},

	// Faults that make signs or factors wrong.
	{"short_neg(u);", ""},
	{"short_neg(v);", ""},
	{"sc_neg(&e, &e);", ""},
	{"sc_neg(&s, &s);", ""},
	{"if (negative) sc_neg(r, r);", ""},
	{"sc_mul(&e, &e, &z);", ""},
	{"sc_mul(&r, &r, &z);", ""},
	{"sc_mul(&s, &s, &z);", ""},
	{"ge_lift_x(&p, &r, 0)", "ge_lift_x(&p, &r, 1)"},
	{"ge_lift_x(&p, &x, 0)", "ge_lift_x(&p, &x, 1)"},
	{"ge_lift_x(&p, &x, id & 1)", "ge_lift_x(&p, &x, 0)"},

	// Faults that omit a check of a row.
	{"|| !ge_lift_x(&p, &x, 0)) return MALFORMED;", ") return MALFORMED;\n\tge_lift_x(&p, &x, 0);"},
	{"if (!ge_lift_x(&p, &r, 0)) return INVALID;", "ge_lift_x(&p, &r, 0);"},
	{"if (!ge_lift_x(&p, &x, id & 1)) return UNCHECKED;", "ge_lift_x(&p, &x, id & 1);"},
	{"if (!good || id > 3 || !load_key", "if (!good || id > 4 || !load_key"},
	{"if (!good || id > 3 || !load_key", "if (id > 3 || !load_key"},
	{"if (!good || !ge_lift_x", "if (!ge_lift_x"},
	{"good &= fe_load_be(&r, sig);", "fe_load_be(&r, sig);"},
	{"good &= sc_load_be(a, sig + 32);", "sc_load_be(a, sig + 32);"},
	{"if (flags & LOW_S && sc_is_high(&s)) return INVALID;", ""},
	{"if (id & 2 && !ecdsa_add_order(&x, &r)) return UNCHECKED;", ""},
	{"if (id & 2 && !ecdsa_add_order(&x, &r)) return UNCHECKED;",
		"if (id & 2) ecdsa_add_order(&x, &r);"},
}

// TestEquationFaults checks that hostile rows reveal each of equationFaults, and nothing without a
// fault.
func TestEquationFaults(t *testing.T) {
	sets, r := equationSets(1), random(t)
	source := Sums().Source
	for _, f := range append(planted(t, source, equationFaults), fault{}) {
		path := compileEquation(t, strings.Replace(source, f.old, f.new, 1), "-w")
		found := slices.ContainsFunc(sets, func(s hostile.Set) bool {
			l := newLaunch(r, &s)
			return l.run(path) != nil || l.check() != nil
		})
		if found != (f != fault{}) {
			t.Errorf("the fault %q is detected: %v", f.new, found)
		}
	}
}
