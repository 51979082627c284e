package hostile

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Batch is the rows of a call with one verdict for all of them, and the verdict that a device
// should give (see package device). The call has the kind AllSchnorr, or AllECDSA with recovery
// ids.
type Batch struct {
	What string
	Set  Set // of kind Schnorr or ECDSA
	Want device.Verdict
}

// Call returns a call on the batch.
func (b *Batch) Call() *device.Call {
	c := b.Set.Call()
	c.Verdicts = make([]device.Verdict, 1)
	c.Kind = device.AllSchnorr
	if b.Set.Kind == device.ECDSA {
		c.Kind = device.AllECDSA
	}
	return c
}

// Batches returns batches of n rows; n must be at least two. It returns the same batches every
// time: valid ones, batches with one invalid row of each sort, and batches with several invalid
// rows whose errors cancel out unless the rows have different coefficients.
func Batches(n int) []Batch {
	return append(schnorrBatches(n), ecdsaBatches(n)...)
}

// A secretRow holds the private key, nonce and message of a valid row.
type secretRow struct{ d, k, msg *big.Int }

// A maker makes batches with n rows of one kind.
type maker struct {
	r    *rand.Rand
	n    int
	row  func(s secretRow) Row
	good func(i int) secretRow // returns a random key and nonce
	kind device.Kind
	list []Batch
}

// add appends a batch with the given rows and verdict.
func (m *maker) add(what string, want device.Verdict, rows []Row) {
	m.list = append(m.list, Batch{what, Set{Kind: m.kind, Rows: rows}, want})
}

// different is the greatest number of different rows in a batch. The oracle that makes rows is
// slow, so further rows are copies.
const different = 32

// rows returns n valid rows, made from the keys, nonces and messages that secret returns.
func (m *maker) rows(secret func(i int) secretRow) (rows []Row) {
	for i := range m.n {
		if i < different {
			rows = append(rows, m.row(secret(i)))
		} else {
			rows = append(rows, rows[i-different])
		}
	}
	return rows
}

// alike adds valid batches. In all but the first, points of different rows are equal or opposite.
// It returns the rows of the first batch.
func (m *maker) alike() []Row {
	one := m.good(0)
	all := m.rows(m.good)
	m.add("good", device.Valid, all)
	m.add("one row, again and again", device.Valid, m.rows(func(int) secretRow { return one }))
	m.add("one key", device.Valid,
		m.rows(func(i int) secretRow { s := m.good(i); s.d = one.d; return s }))
	m.add("one nonce", device.Valid,
		m.rows(func(i int) secretRow { s := m.good(i); s.k = one.k; return s }))
	m.add("nonces are keys", device.Valid,
		m.rows(func(i int) secretRow { s := m.good(i); s.k = s.d; return s }))
	small := smallSecrets()
	m.add("small multiples", device.Valid, m.rows(func(i int) secretRow {
		return secretRow{small[i%len(small)], small[(i/3)%len(small)], m.good(i).msg}
	}))
	return all
}

// spoil adds a batch in which the function change has changed one row: the first, the last or a
// random one.
func (m *maker) spoil(what string, want device.Verdict, rows []Row, change func(fields [][]byte)) {
	rows = slices.Clone(rows)
	i := pick(m.r, []int{0, m.n - 1, m.r.IntN(m.n)})
	rows[i] = copyRow(rows[i])
	change(rows[i].Fields)
	m.add(what, want, rows)
}

// pair adds a batch in which the function change has changed two random rows.
func (m *maker) pair(what string, want device.Verdict, rows []Row, change func(a, b [][]byte)) {
	rows = slices.Clone(rows)
	i := m.r.IntN(m.n)
	j := (i + 1 + m.r.IntN(m.n-1)) % m.n
	rows[i], rows[j] = copyRow(rows[i]), copyRow(rows[j])
	change(rows[i].Fields, rows[j].Fields)
	m.add(what, want, rows)
}

func copyRow(row Row) Row {
	row.Fields = slices.Clone(row.Fields)
	for i := range row.Fields {
		row.Fields[i] = bytes.Clone(row.Fields[i])
	}
	return row
}

// shift adds x to a scalar of 32 bytes, modulo n.
func shift(b []byte, x int64) {
	copy(b, bytes32(modulo(new(big.Int).Add(new(big.Int).SetBytes(b), num(x)))))
}

// newMaker returns a maker with a random generator seeded by n and the kind.
func newMaker(kind device.Kind, n int) *maker {
	m := &maker{r: rand.New(rand.NewPCG(uint64(kind), uint64(n))), n: n, kind: kind}
	m.good = func(int) secretRow {
		return secretRow{modulo(uniform(m.r)), modulo(uniform(m.r)), uniform(m.r)}
	}
	return m
}

func schnorrBatches(n int) []Batch {
	m := newMaker(device.Schnorr, n)
	m.row = func(s secretRow) Row {
		key, d := evenSecret(s.d)
		rx, k := evenSecret(s.k)
		msg := bytes32(s.msg)
		sum := modulo(new(big.Int).Add(k, mul(challenge(rx, key, msg), d)))
		return Row{Fields: [][]byte{msg, key, slices.Concat(rx, bytes32(sum))}}
	}
	good := m.alike()
	m.add("good, with challenges", device.Valid, withChallenges(good))
	m.list[len(m.list)-1].Set.Rules = device.Hashed

	bad := device.Invalid
	m.spoil("another message", bad, good, func(f [][]byte) { f[0][9] ^= 4 })
	m.spoil("another s", bad, good, func(f [][]byte) { shift(f[2][32:], 1) })
	m.spoil("the opposite s", bad, good, func(f [][]byte) {
		copy(f[2][32:], bytes32(negative(new(big.Int).SetBytes(f[2][32:]))))
	})
	m.spoil("another key", bad, good, func(f [][]byte) { f[1] = bytes32(timesG(num(7)).X) })
	m.spoil("another R", bad, good, func(f [][]byte) { copy(f[2], bytes32(timesG(num(7)).X)) })
	m.spoil("an R that is no point", bad, good, func(f [][]byte) { copy(f[2], bytes32(num(5))) })
	m.spoil("a zero R", bad, good, func(f [][]byte) { clear(f[2][:32]) })
	for _, x := range badX() {
		m.spoil("a bad key", device.Malformed, good, func(f [][]byte) { f[1] = x })
	}
	m.spoil("an r of p", device.Malformed, good, func(f [][]byte) { copy(f[2], bytes32(p)) })
	m.spoil("an s of n", device.Malformed, good, func(f [][]byte) { copy(f[2][32:], bytes32(order)) })
	m.pair("errors that cancel", bad, good, func(a, b [][]byte) {
		shift(a[2][32:], 1)
		shift(b[2][32:], -1)
	})
	m.pair("s of each other", bad, good, func(a, b [][]byte) {
		s := bytes.Clone(a[2][32:])
		copy(a[2][32:], b[2][32:])
		copy(b[2][32:], s)
	})
	m.pair("two bad sorts", device.Malformed, good, func(a, b [][]byte) {
		shift(a[2][32:], 1)
		copy(b[2][32:], bytes32(order))
	})
	rows := slices.Clone(good) // the errors of one half of the rows cancel those of the other
	for i := range rows[:n/2*2] {
		rows[i] = copyRow(rows[i])
		shift(rows[i].Fields[2][32:], 1-2*int64(i%2))
	}
	m.add("many errors that cancel", bad, rows)
	return m.list
}

// withChallenges returns copies of BIP-340 rows in which each message is replaced by the row's
// challenge.
func withChallenges(rows []Row) (list []Row) {
	for _, row := range rows {
		msg, key, sig := row.Fields[0], row.Fields[1], row.Fields[2]
		e := reference.TaggedHash("BIP0340/challenge", sig[:32], key, msg)
		list = append(list, Row{Fields: [][]byte{e, key, sig}})
	}
	return list
}

func ecdsaBatches(n int) []Batch {
	m := newMaker(device.ECDSA, n)
	m.row = func(s secretRow) Row {
		hash := bytes32(s.msg)
		x, y, id, ok := reference.SignECDSA(s.d, hash, s.k)
		if !ok {
			panic("no signature")
		}
		y, id = reference.LowS(y, id)
		return Row{Fields: [][]byte{hash, compress(timesG(s.d)),
			slices.Concat(bytes32(x), bytes32(y)), {byte(id)}}}
	}
	good := m.alike()
	// In these batches the equation fails although all fields are well-formed. A wrong recovery id
	// could be the only cause, so a device must answer Unchecked.
	bad := device.Unchecked
	m.spoil("another hash", bad, good, func(f [][]byte) { f[0][9] ^= 4 })
	m.spoil("another s", bad, good, func(f [][]byte) { shift(f[2][32:], 1) })
	m.spoil("another key", bad, good, func(f [][]byte) { f[1] = compress(timesG(num(7))) })
	m.spoil("the opposite key", bad, good, func(f [][]byte) { f[1][0] ^= 1 })
	m.spoil("the other id", bad, good, func(f [][]byte) { f[3][0] ^= 1 })
	m.spoil("an id of r + n", bad, good, func(f [][]byte) { f[3][0] |= 2 })
	m.spoil("an r that is of no point", bad, good, func(f [][]byte) { copy(f[2], bytes32(num(5))) })
	m.spoil("an id of 4", device.Malformed, good, func(f [][]byte) { f[3][0] |= 4 })
	m.spoil("a key without a parity", device.Malformed, good, func(f [][]byte) { f[1][0] ^= 4 })
	for _, x := range badX() {
		m.spoil("a bad key", device.Malformed, good, func(f [][]byte) { copy(f[1][1:], x) })
	}
	for _, x := range badScalars() {
		m.spoil("a bad r", device.Malformed, good, func(f [][]byte) { copy(f[2], x) })
		m.spoil("a bad s", device.Malformed, good, func(f [][]byte) { copy(f[2][32:], x) })
	}
	m.pair("errors that cancel", bad, good, func(a, b [][]byte) {
		shift(a[0], 1)
		shift(b[0], -1)
	})
	high := func(f [][]byte) {
		copy(f[2][32:], bytes32(negative(new(big.Int).SetBytes(f[2][32:]))))
		f[3][0] ^= 1
	}
	m.spoil("a high s", device.Valid, good, high)
	m.spoil("a high s that must be low", device.Invalid, good, high)
	m.list[len(m.list)-1].Set.Rules = device.LowS
	m.add("low s that must be", device.Valid, good)
	m.list[len(m.list)-1].Set.Rules = device.LowS
	for id := range byte(2) {
		m.spoil("r + n", device.Valid, good, func(f [][]byte) { copy(f, aboveOrder(m.r, id)) })
	}
	return m.list
}

// aboveOrder returns the fields of a valid ECDSA row with a nonce point whose x coordinate is r +
// n.
func aboveOrder(r *rand.Rand, id byte) [][]byte {
	for x := num(1); ; x.Add(x, num(1)) {
		R, ok := curve.LiftX(new(big.Int).Add(order, x), id == 1)
		if !ok {
			continue
		}
		if row, ok := toward(r, R, x); ok {
			return append(row.Fields, []byte{2 | id})
		}
	}
}
