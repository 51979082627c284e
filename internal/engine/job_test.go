package engine

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

var curve = reference.Secp256k1()

// A sample is a row together with the expected result, computed by package reference.
type sample struct {
	set func(Row)
	row Row             // in memory of its own, set by set
	why Reason          // the expected reason; NoReason if the row is valid
	key reference.Point // the expected point, for recovery and decompression
}

// want returns the expected verdict.
func (s *sample) want() Verdict {
	if s.why == NoReason {
		return Valid
	}
	return s.why.Verdict()
}

// keySetter returns a function that sets the key q of a row, encoded in one of three forms.
func keySetter(r *rand.Rand, q reference.Point) func(Row) {
	key := vartimetest.Affine(q)
	encoded := append([]byte{2 | byte(q.Y.Bit(0))}, bytes32(q.X)[:]...)
	switch r.IntN(4) {
	case 0:
		return func(row Row) { row.SetKey(key, nil) }
	case 1:
		table := vartime.NewSplitTable(key, []int{1 << 10, 2 << 10}[r.IntN(2)])
		return func(row Row) { row.SetKey(key, &table) }
	case 2:
		encoded = append(append([]byte{4}, bytes32(q.X)[:]...), bytes32(q.Y)[:]...)
	}
	return func(row Row) { row.SetEncodedKey(encoded) }
}

// rowsOf copies the rows of the samples in list into room, and returns room.
func rowsOf(room *Rows, list []sample) *Rows {
	room.resize(len(list))
	for i, s := range list {
		room.set(i, s.row.rows, s.row.i)
	}
	return room
}

// samples returns n rows of a kind. About a third of them are not valid.
func samples(r *rand.Rand, kind Kind, n int) []sample {
	list := make([]sample, n)
	for i := range list {
		s := &list[i]
		d, nonce := reference.Secret(r), reference.Secret(r)
		hash := bytes32(reference.RandInt(r))[:]
		q := curve.ScalarMult(d, curve.G)
		rr, ss, id, ok := reference.SignECDSA(d, hash, nonce)
		if !ok {
			panic("no signature")
		}
		s.key = q
		bad := r.IntN(6)
		noPoint := big.NewInt(5) // no point has this x coordinate
		key, otherKey := keySetter(r, q), r.IntN(2) == 0
		switch kind {
		case ECDSA:
			if bad == 0 {
				ss = new(big.Int).Add(ss, big.NewInt(1))
				s.why = WrongSignature
				if ss.Cmp(curve.Order) == 0 {
					s.why = SRange
				}
			}
			if bad == 1 {
				s.why = KeyNotOnCurve
				key = func(row Row) { row.SetEncodedKey(append([]byte{2}, bytes32(noPoint)[:]...)) }
			}
			low, sig := r.IntN(2) == 0, append(bytes64(rr, ss)[:], byte(id))
			s.set = func(row Row) {
				if key(row); otherKey {
					row.SetECDSARecoverable(hash, sig, low)
				} else {
					row.SetECDSA(hash, sig[:64], low)
				}
			}
			if low && s.want() != Malformed && ss.Cmp(new(big.Int).Rsh(curve.Order, 1)) > 0 {
				s.why = HighS
			}
		case Schnorr:
			sig, _ := reference.SignBIP340(d, hash, make([]byte, 32))
			x := bytes32(q.X)
			switch bad {
			case 0:
				s.why = WrongSignature
				hash[3] ^= 1
			case 1:
				s.why, x, otherKey = KeyNotOnCurve, bytes32(noPoint), true
			}
			s.set = func(row Row) {
				if key(row); otherKey {
					row.SetKeyX(x[:])
				}
				if f := &row.rows.flags[row.i]; *f&lift != 0 {
					*f &^= odd // an x-only key has no parity
				}
				row.SetSchnorr(hash, sig)
			}
		case Recover:
			switch bad {
			case 0:
				rr, s.why = noPoint, NoncePoint
			case 1:
				id, s.why = 4, RecoveryIDRange
			case 2: // choose z, r and s so that s·R = z·G: the recovered key is infinity
				z := new(big.Int).SetBytes(hash)
				ss = new(big.Int).Mul(z, new(big.Int).ModInverse(nonce, curve.Order))
				if s.why = Infinity; ss.Mod(ss, curve.Order).Sign() == 0 {
					s.why = SRange
				}
			}
			sig := (*[65]byte)(append(bytes64(rr, ss)[:], byte(id)))
			s.set = func(row Row) { row.SetRecover(hash, sig, false) }
		case Decompress:
			b := append([]byte{2 | byte(q.Y.Bit(0))}, bytes32(q.X)[:]...)
			switch bad {
			case 0:
				b[0], s.why = 7, KeyEncoding
			case 1:
				b, s.why = append([]byte{3}, bytes32(noPoint)[:]...), KeyNotOnCurve
			}
			s.set = func(row Row) { row.SetEncodedKey(b) }
		case PublicKeys:
			switch bad {
			case 0:
				d, s.why = new(big.Int), ScalarRange
			case 1:
				d, s.why = curve.Order, ScalarRange
			}
			s.set = func(row Row) { row.SetScalar(bytes32(d)) }
		case AddTweaks, CheckTweaks:
			tweak := reference.Secret(r)
			switch bad {
			case 0:
				tweak, s.why = curve.Order, ScalarRange
			case 1:
				tweak = new(big.Int).Sub(curve.Order, d)
				if s.why = Infinity; kind == CheckTweaks {
					s.why = WrongOutput
				}
			case 2:
				tweak = d // the addition is a doubling
			}
			s.key = curve.Add(q, curve.ScalarMult(tweak, curve.G))
			x, parity := new(big.Int), byte(0)
			if s.why == NoReason && kind == CheckTweaks {
				x, parity = s.key.X, byte(s.key.Y.Bit(0))
				switch bad {
				case 3:
					parity, s.why = 1-parity, WrongOutput
				case 4:
					x, s.why = q.X, WrongOutput
				}
			}
			s.set = func(row Row) {
				key(row)
				if row.SetTweak(bytes32(tweak)); kind == CheckTweaks {
					row.SetOutput(bytes32(x), parity)
				}
			}
		}
		s.row = NewRow()
		s.set(s.row)
	}
	return list
}

var kinds = []Kind{Schnorr, ECDSA, Recover, Decompress, PublicKeys, AddTweaks, CheckTweaks}

// engines holds the ways to run a job, by name: each function makes the job use portable code,
// lanes, or the backend that the job has chosen. All of them run on every CPU.
var engines = map[string]func(j *Job){
	"portable": func(j *Job) { j.lanes = nil },
	"lanes":    func(j *Job) { j.lanes = lanewise.NewLanes(j.Cap()) },
	"chosen":   func(j *Job) {},
}

// TestJob checks that jobs find the expected verdicts and points, for rows of every kind, in
// portable code and in lanes. Each job is used again, for blocks that grow and shrink. It allocates
// memory only when it is made.
func TestJob(t *testing.T) {
	most := 130
	if !cputest.Deep() {
		most = 20
	}
	t.Log(cpu.Implementations())
	for _, kind := range kinds {
		r := rand.New(rand.NewPCG(1, uint64(kind)))
		all := samples(r, kind, most)
		for engine, set := range engines {
			t.Run(fmt.Sprint(kind, "/", engine), func(t *testing.T) {
				j := NewJob(kind, most)
				set(j)
				for _, n := range []int{most, 0, 1, 2, 7, 8, 9, 15, 16, 17, most / 2, 1} {
					start := r.IntN(most - n + 1)
					rows := all[start : start+n]
					j.Run(rowsOf(&j.room, rows))
					check(t, j, rows)
					// Run again, with rows in memory outside of the job. The job may change only
					// the points that it lifts and the challenges that it hashes.
					others := rowsOf(new(Rows), rows)
					for range 2 {
						j.Run(others)
						check(t, j, rows)
						for i, f := range others.flags {
							if f&(lift|unhashed) != 0 && others.reasons[i] == NoReason {
								t.Errorf("row %d does not keep what was found", i)
							}
						}
					}
				}
				if n := testing.AllocsPerRun(3, func() {
					j.Run(rowsOf(&j.room, all))
					for range j.Points {
					}
				}); n != 0 {
					t.Errorf("%v allocations", n)
				}
			})
		}
	}
}

func check(t *testing.T, j *Job, rows []sample) {
	t.Helper()
	got := slices.Clone(j.Verdicts())
	if len(got) != len(rows) {
		t.Fatalf("%d verdicts on %d rows", len(got), len(rows))
	}
	for i, s := range rows {
		if got[i] != s.want() || j.Reasons()[i] != s.why {
			t.Errorf("row %d of %d: verdict %d, reason %d, want %d, %d", i, len(rows), got[i],
				j.Reasons()[i], s.want(), s.why)
		}
	}
	if ResultSize(j.scheme.kind) == 0 {
		return
	}
	seen := make([]bool, len(rows))
	for i, p := range j.Points {
		if seen[i] || rows[i].why != NoReason || *p != *vartimetest.Affine(rows[i].key) {
			t.Errorf("row %d of %d: point %x, want %v", i, len(rows), *p, rows[i].key)
		}
		seen[i] = true
	}
	for i, s := range rows {
		if s.why == NoReason && !seen[i] {
			t.Errorf("row %d of %d: no point", i, len(rows))
		}
	}
}

// TestChoose checks that choose leaves the rows without a verdict, with rows without tables first,
// and that it copies them only if some rows are left out or the order changes.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	someTable := new(vartime.SplitTable)
	const decided, plain, table, isHigh = 0, 1, 2, 3
	for round := range 200 {
		n := 1 + r.IntN(20)
		sorts := make([]int, n)
		rows := newRows(n)
		count := [4]int{}
		for i := range n {
			sorts[i] = r.IntN(4)
			if round%2 == 0 {
				sorts[i] = 1 + round/2%2 // all rows of one sort
			}
			count[sorts[i]]++
			switch sorts[i] {
			case decided:
				rows.reasons[i] = KeyEncoding
			case table:
				rows.needTables()
				rows.tables[i] = someTable
			case isHigh:
				rows.flags[i] = high
			}
			rows.a[i].SetUint64(uint64(i))
		}
		j := NewJob(ECDSA, n)
		j.list = j.list[:0]
		j.choose(&rows)
		if j.plain != count[plain] || len(j.list) != count[plain]+count[table] ||
			j.rows.Len() != len(j.list) {
			t.Fatalf("%d rows, %d of them without tables, of %v", len(j.list), j.plain, count)
		}
		for i, at := range j.list {
			var a scalar.Scalar
			if want := plain; j.rows.a[i] != *a.SetUint64(uint64(at)) ||
				sorts[at] != want+max(0, min(1, 1+i-j.plain)) || (j.rows.table(i) != nil) != (i >= j.plain) ||
				i > 0 && i != j.plain && at <= j.list[i-1] {
				t.Fatalf("row %d, of sort %d, stands at %d of %d, %d", at, sorts[at], i, j.plain, len(j.list))
			}
		}
		for i, v := range j.verdicts {
			if want := [4]Verdict{decided: Malformed, isHigh: Invalid}[sorts[i]]; v != want {
				t.Fatalf("row %d, of sort %d: verdict %d, want %d", i, sorts[i], v, want)
			}
		}
		if len(j.list) == 0 {
			continue
		}
		if copied := &j.rows.a[0] != &rows.a[0]; copied != (count[plain] != n && count[table] != n) {
			t.Fatalf("copied: %v, of %v", copied, count)
		}
	}
}
