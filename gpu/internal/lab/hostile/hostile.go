// Package hostile makes rows for tests of devices: valid rows, invalid rows, and rows that reach
// the exceptional cases of the point formulas. It compares the devices' verdicts and results with
// the CPU's, row by row.
package hostile

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Row is one row of a call.
type Row struct {
	What   string
	Fields [][]byte // one for each column of the kind
	// Special is set for rows that may reach an exceptional case of the formulas on a device. The
	// device may leave such rows Unchecked. It must decide all other rows.
	Special bool
}

// A Set holds the rows of one call.
type Set struct {
	Kind  device.Kind
	Rules device.Rules
	Rows  []Row
	Keys  []byte // the set of keys, for the prepared kinds
}

// Sets returns sets of rows for every kind with a verdict for each row, and for every rule of the
// kind. The sets are the same ones every time. The number of rows grows with size: with size 1
// there are some thousand rows in total.
func Sets(size int) []Set {
	r := rand.New(rand.NewPCG(71, 72))
	e := ecdsaRows(r, size)
	ids := withIDs(r, e)
	rec := recoverRows(r, size, e)
	s := schnorrRows(r, size)
	of := rand.New(rand.NewPCG(73, 74))
	preparedECDSA := prepared(of, device.PreparedECDSA, e)
	preparedLow := preparedECDSA
	preparedLow.Rules, preparedLow.Rows = device.LowS, preparedLow.Rows[:len(preparedLow.Rows)/4]
	sets := []Set{
		{Kind: device.ECDSA, Rows: e},
		{Kind: device.ECDSA, Rules: device.LowS, Rows: ids},
		{Kind: device.Schnorr, Rows: s},
		{Kind: device.Schnorr, Rules: device.Hashed, Rows: hashed(r, size, s)},
		{Kind: device.Recover, Rows: rec},
		{Kind: device.Recover, Rules: device.LowS, Rows: rec[:len(rec)/4]},
		{Kind: device.RecoverAddress, Rows: rec[len(rec)/4:][:len(rec)/8]},
		{Kind: device.RecoverAddress, Rules: device.LowS, Rows: rec[len(rec)/2:][:len(rec)/8]},
		{Kind: device.Decompress, Rows: keyRows(r, size)},
		{Kind: device.PublicKeys, Rows: scalarRows(r, size)},
		preparedECDSA,
		preparedLow,
		prepared(of, device.PreparedSchnorr, s),
	}
	for _, s := range sets {
		// Make the last row valid, if a set has a valid row: a kernel that leaves out row n − 1
		// leaves Malformed there, which differs from Valid.
		last := len(s.Rows) - 1
		if i := slices.IndexFunc(s.Rows, func(r Row) bool { return r.What == "good" }); i >= 0 {
			s.Rows[i], s.Rows[last] = s.Rows[last], s.Rows[i]
		}
	}
	return sets
}

// Call returns a call on the rows, with packed columns.
func (s *Set) Call() *device.Call {
	n := len(s.Rows)
	c := &device.Call{Kind: s.Kind, Rules: s.Rules, Rows: n, Keys: s.Keys,
		Verdicts: make([]device.Verdict, n)}
	for _, r := range s.Rows {
		for i, f := range r.Fields {
			c.Columns[i].Stride = len(f)
			c.Columns[i].Data = append(c.Columns[i].Data, f...)
		}
	}
	if size := s.Kind.ResultSize(); size > 0 {
		c.Results = make([]byte, size*n)
	}
	return c
}

// Do carries out a call on the CPU, row by row and not by an equation, with the given number of
// goroutines (batch.Options.Workers). The kind may be any but Sum.
func Do(c *device.Call, workers int) error {
	o := engine.Options{Workers: workers, Exact: true}
	kind, one := map[device.Kind]device.Kind{
		device.AllSchnorr: device.Schnorr, device.AllECDSA: device.ECDSA,
	}[c.Kind]
	if !one {
		_, err := engine.Do(context.Background(), c, o)
		return err
	}
	rows := *c
	rows.Kind = kind
	all, err := engine.All(context.Background(), &rows, o)
	if c.Verdicts[0] = device.Invalid; all {
		c.Verdicts[0] = device.Valid
	}
	return err
}

// Check returns an error if a verdict or result of c differs from the host's. c is a call that was
// made by s.Call and carried out by a device.
func (s *Set) Check(c *device.Call) error {
	want := s.Call()
	if len(s.Rows) == 0 { // package batch refuses columns without rows
		return nil
	}
	if err := Do(want, 0); err != nil {
		return err
	}
	for i, r := range s.Rows {
		where := fmt.Sprintf("%v, rules %#x, row %d (%s, %x)", s.Kind, uint32(s.Rules), i,
			r.What, r.Fields)
		v, got := c.Verdicts[i], result(c, i)
		switch {
		case v == device.Unchecked && !r.Special:
			return fmt.Errorf("%s: undecided", where)
		case v == device.Unchecked && slices.Max(append(got, 0)) != 0:
			return fmt.Errorf("%s: a result without a verdict", where)
		case v == device.Unchecked:
		case v != want.Verdicts[i]:
			return fmt.Errorf("%s: verdict %d, want %d", where, v, want.Verdicts[i])
		case !bytes.Equal(got, result(want, i)):
			return fmt.Errorf("%s: result %x, want %x", where, got, result(want, i))
		}
	}
	return nil
}

// result returns a copy of the result of row i. The copy is empty in a call without results.
func result(c *device.Call, i int) []byte {
	if c.Results == nil {
		return nil
	}
	size := c.Kind.ResultSize()
	return bytes.Clone(c.Results[size*i:][:size])
}

// The oracle's curve, its field prime p and its order n.
var (
	curve = reference.Secp256k1()
	p     = reference.P()
	order = reference.N()
)

func num(x int64) *big.Int { return big.NewInt(x) }

// bytes32 returns x in 32 bytes, big-endian. x must be in [0, 2^256).
func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

// modulo returns x mod n.
func modulo(x *big.Int) *big.Int { return new(big.Int).Mod(x, order) }

func mul(x, y *big.Int) *big.Int { return modulo(new(big.Int).Mul(x, y)) }

// inverse returns 1/x modulo n. x must not be a multiple of n.
func inverse(x *big.Int) *big.Int { return new(big.Int).ModInverse(x, order) }

func negative(x *big.Int) *big.Int { return modulo(new(big.Int).Neg(x)) }

// timesG returns k·G.
func timesG(k *big.Int) reference.Point { return curve.ScalarMult(modulo(k), curve.G) }

// compress returns the compressed encoding of a point other than infinity (SEC 1 version 2, section
// 2.3.3).
func compress(a reference.Point) []byte {
	return slices.Concat([]byte{2 | byte(a.Y.Bit(0))}, bytes32(a.X))
}

// random returns n random bytes.
func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// scalar returns a number in [1, n). With probability 1/2 it is random, otherwise an edge case.
func scalar(r *rand.Rand) *big.Int {
	for {
		if x := modulo(reference.RandInt(r)); x.Sign() != 0 {
			return x
		}
	}
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// flip returns b with one random bit inverted.
func flip(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	return b
}

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}
