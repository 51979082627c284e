package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// inOrder returns x mod n, the order of the group.
func inOrder(x *big.Int) *big.Int { return new(big.Int).Mod(x, curve.Order) }

func num(x int64) *big.Int { return big.NewInt(x) }

func secret(r *rand.Rand) *koblitz.PrivateKey {
	for {
		if k, err := koblitz.ParsePrivateKey(bytes32(reference.RandInt(r))); err == nil {
			return k
		}
	}
}

// A row is a signature with its expected verdicts, which come from the functions for one signature.
type row struct {
	what      string
	key       []byte // the encoded key, 32 or 33 bytes
	msg       []byte // the message, or the hash
	sig       []byte // the signature, 64 bytes
	want, low batch.Verdict
}

// judgeSchnorr returns r with the expected verdicts of a BIP-340 signature, which come from the
// functions for one signature.
func judgeSchnorr(r row) row {
	key, err := koblitz.ParseXOnlyPublicKey(r.key)
	switch {
	case err != nil || bytes.Compare(r.sig[:32], bytes32(reference.P())) >= 0 ||
		bytes.Compare(r.sig[32:], bytes32(curve.Order)) >= 0:
		r.want = batch.Malformed
		if err == nil && schnorr.Verify(key, r.msg, r.sig) {
			panic("a malformed signature verifies")
		}
	case schnorr.Verify(key, r.msg, r.sig):
		r.want = batch.Valid
	default:
		r.want = batch.Invalid
	}
	r.low = r.want
	return r
}

func judgeECDSA(r row) row {
	key, err := koblitz.ParsePublicKey(r.key)
	sig, err2 := ecdsa.ParseSignature(r.sig)
	r.want, r.low = batch.Invalid, batch.Invalid
	if err != nil || err2 != nil {
		r.want, r.low = batch.Malformed, batch.Malformed
		return r
	}
	if ecdsa.Verify(key, r.msg, sig) {
		r.want = batch.Valid
	}
	if ecdsa.VerifyLowS(key, r.msg, sig) {
		r.low = batch.Valid
	}
	return r
}

// badX returns 32-byte values that are not x coordinates of points: values that are not below p, or
// that no point of the curve has.
func badX() [][]byte {
	p := reference.P()
	list := [][]byte{bytes32(p), bytes32(new(big.Int).Add(p, num(1))), bytes.Repeat([]byte{0xff}, 32),
		make([]byte, 32)}
	for x := int64(2); len(list) < 8; x++ {
		if _, ok := curve.LiftX(num(x), false); !ok {
			list = append(list, bytes32(num(x)))
		}
	}
	return list
}

// badScalars returns 32-byte values that are not in [1, n).
func badScalars() [][]byte {
	n := curve.Order
	return [][]byte{make([]byte, 32), bytes32(n), bytes32(new(big.Int).Add(n, num(1))),
		bytes32(reference.P()), bytes.Repeat([]byte{0xff}, 32)}
}

// flip returns a copy of b with one random bit changed.
func flip(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	return b
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// smallSecrets returns secrets whose multiples of G occur in tables and partial sums.
func smallSecrets() []*big.Int {
	l := reference.Lambda()
	list := []*big.Int{num(1), num(2), num(3), l, inOrder(new(big.Int).Mul(l, l)),
		new(big.Int).Lsh(num(1), 128)}
	for _, x := range slices.Clone(list) {
		list = append(list, new(big.Int).Sub(curve.Order, x))
	}
	return list
}

// schnorrCases returns rows with a valid signature on a message of n bytes, and others made from
// them.
func schnorrCases(r *rand.Rand, n int) (rows []row) {
	add := func(what string, key, msg, sig []byte) {
		rows = append(rows, judgeSchnorr(row{what: what, key: key, msg: msg, sig: sig}))
	}
	k, msg := secret(r), random(r, n)
	key := k.XOnlyPublicKey().Bytes()
	sig, _ := schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true})
	add("good", key, msg, sig)
	add("good", key, msg, sig)
	if n > 0 {
		add("another message", key, flip(r, msg), sig)
	}
	add("another signature", key, msg, flip(r, sig))
	add("another key", flip(r, key), msg, sig)
	add("the opposite s", key, msg,
		join(sig[:32], bytes32(inOrder(new(big.Int).Neg(new(big.Int).SetBytes(sig[32:]))))))
	add("bad key", badX()[r.IntN(len(badX()))], msg, sig)
	add("bad R", key, msg, join(badX()[r.IntN(len(badX()))], sig[32:]))
	add("bad s", key, msg, join(sig[:32], badScalars()[r.IntN(len(badScalars()))]))
	add("bad everything", badX()[0], msg, join(badX()[1], badScalars()[1]))
	return rows
}

// otherLengths returns rows with messages that do not have 32 bytes, in random order.
var otherLengths = sync.OnceValue(func() (rows []row) {
	r := rand.New(rand.NewPCG(33, 33))
	for _, n := range []int{0, 1, 31, 33, 64, 1<<18 + 1} {
		rows = append(rows, schnorrCases(r, n)...)
	}
	shuffle(r, rows)
	return rows
})

// schnorrRows returns valid, invalid, malformed and crafted rows in random order, with messages of
// 32 bytes.
var schnorrRows = sync.OnceValue(func() []row {
	r := rand.New(rand.NewPCG(1, 1))
	var rows []row
	add := func(what string, key, msg, sig []byte) {
		rows = append(rows, judgeSchnorr(row{what: what, key: key, msg: msg, sig: sig}))
	}
	for range 40 {
		rows = append(rows, schnorrCases(r, 32)...)
	}
	// Add rows whose key is P = d·G, with s = f·e·d, where e is the challenge and f a small
	// integer. For them R = s·G − e·P is infinity, or a sum of equal or opposite points.
	for _, d := range smallSecrets() {
		k, _ := koblitz.ParsePrivateKey(bytes32(d))
		key, msg := k.XOnlyPublicKey().Bytes(), random(r, 32)
		P, _ := curve.LiftX(new(big.Int).SetBytes(key), false)
		if !P.Equal(curve.ScalarMult(d, curve.G)) {
			d = new(big.Int).Sub(curve.Order, d)
		}
		challenge := func(rx []byte) *big.Int {
			return inOrder(new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", rx, key, msg)))
		}
		// These signatures have the x coordinate of the nonce point R. Of two opposite nonces, one
		// makes the y coordinate of R odd, and so the signature invalid.
		for _, k := range []int64{1, -1, 7, -7} {
			nonce := inOrder(num(k))
			rx := bytes32(curve.ScalarMult(nonce, curve.G).X)
			add(fmt.Sprint("R = G·", k), key, msg,
				join(rx, bytes32(inOrder(new(big.Int).Add(nonce, new(big.Int).Mul(challenge(rx), d))))))
		}
		// The values 0 and 1 for rx are included because a faulty implementation might represent
		// infinity by x = 0 or x = 1.
		for _, rx := range [][]byte{bytes32(curve.G.X), key, random(r, 32), make([]byte, 32),
			bytes32(num(1))} {
			e := challenge(rx)
			for _, f := range []int64{1, -1, 0, 2, 3} {
				s := inOrder(new(big.Int).Mul(new(big.Int).Mul(e, d), num(f)))
				add(fmt.Sprint("s = e·d·", f), key, msg, join(rx, bytes32(s)))
			}
			// Add rows for which verification computes R = G or R = P. They are valid if rx is the
			// x coordinate of R and R has an even y.
			add("R = G", key, msg, join(rx,
				bytes32(inOrder(new(big.Int).Add(new(big.Int).Mul(e, d), num(1))))))
			add("R = P", key, msg, join(rx,
				bytes32(inOrder(new(big.Int).Add(new(big.Int).Mul(e, d), d)))))
		}
	}
	shuffle(r, rows)
	return rows
})

// ecdsaRows returns valid, invalid, malformed and crafted rows in random order.
var ecdsaRows = sync.OnceValue(func() []row {
	r := rand.New(rand.NewPCG(2, 2))
	var rows []row
	add := func(what string, key, hash, sig []byte) {
		rows = append(rows, judgeECDSA(row{what: what, key: key, msg: hash, sig: sig}))
	}
	for range 40 {
		k, hash := secret(r), random(r, 32)
		key := k.PublicKey().Bytes()
		s, _ := ecdsa.Sign(k, hash, nil)
		sig := s.Bytes()
		high := join(sig[:32], bytes32(new(big.Int).Sub(curve.Order, new(big.Int).SetBytes(sig[32:]))))
		add("good", key, hash, sig)
		add("high s", key, hash, high)
		add("another hash", key, flip(r, hash), sig)
		add("another signature", key, hash, flip(r, sig))
		add("another key", flip(r, key), hash, sig)
		add("the opposite key", join([]byte{key[0] ^ 1}, key[1:]), hash, sig)
		add("bad key", join([]byte{2}, badX()[r.IntN(len(badX()))]), hash, sig)
		add("bad key, high s", join([]byte{3}, badX()[r.IntN(len(badX()))]), hash, high)
		add("bad prefix", join([]byte{byte(4 + r.IntN(252))}, key[1:]), hash, sig)
		add("prefix zero", join([]byte{byte(r.IntN(2))}, key[1:]), hash, sig)
		add("bad r", key, hash, join(badScalars()[r.IntN(len(badScalars()))], sig[32:]))
		add("bad s", key, hash, join(sig[:32], badScalars()[r.IntN(len(badScalars()))]))
	}
	rows = append(rows, craftedECDSA(r)...)
	shuffle(r, rows)
	return rows
})

// craftedECDSA returns rows that are computed backwards: it chooses u1 and u2, and so the point R
// and partial sums, and computes the hash and signature from them.
func craftedECDSA(r *rand.Rand) (rows []row) {
	add := func(what string, Q, R reference.Point, u1, u2 *big.Int) {
		rx := num(1)
		if !R.IsInfinity() {
			rx = inOrder(R.X)
		}
		s := inOrder(new(big.Int).Mul(rx, new(big.Int).ModInverse(u2, curve.Order)))
		z := inOrder(new(big.Int).Mul(u1, s))
		if rx.Sign() == 0 || Q.IsInfinity() {
			return
		}
		row := judgeECDSA(row{what: what, key: compress(Q), msg: bytes32(z),
			sig: join(bytes32(rx), bytes32(s))})
		if want := !R.IsInfinity(); (row.want == batch.Valid) != want {
			panic(what + ": " + row.want.String())
		}
		rows = append(rows, row)
	}
	multipliers := append([]*big.Int{new(big.Int)}, smallSecrets()...)
	keys := smallSecrets()[:6]
	if !cputest.Deep() {
		multipliers, keys = multipliers[:6], keys[:3]
	}
	for _, d := range keys {
		Q := curve.ScalarMult(d, curve.G)
		for _, u1 := range multipliers {
			for _, u2 := range multipliers[1:] {
				R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, Q))
				add(fmt.Sprintf("Q = %x·G, u1 = %x, u2 = %x", d, u1, u2), Q, R, u1, u2)
			}
		}
		// Add rows with u1·G = ±u2·Q for random scalars u1 and u2.
		for range 8 {
			u2 := inOrder(reference.RandInt(r))
			if u2.Sign() == 0 {
				continue
			}
			u1 := inOrder(new(big.Int).Mul(u2, d))
			twice := curve.ScalarMult(new(big.Int).Lsh(u1, 1), curve.G)
			add("u1·G = u2·Q", Q, twice, u1, u2)
			add("u1·G = −u2·Q", Q, reference.Point{}, new(big.Int).Sub(curve.Order, u1), u2)
		}
	}
	// Add rows whose nonce point R has an x coordinate of n or more, so that r = x(R) − n. The key
	// is Q = (R − u1·G)/u2.
	for x := new(big.Int).Set(curve.Order); x.Cmp(new(big.Int).Add(curve.Order,
		num(40))) < 0; x.Add(x, num(1)) {
		if R, ok := curve.LiftX(x, x.Bit(3) == 1); ok {
			u1, u2 := num(5), num(7)
			Q := curve.Add(R, curve.Neg(curve.ScalarMult(u1, curve.G)))
			Q = curve.ScalarMult(new(big.Int).ModInverse(u2, curve.Order), Q)
			add("r = x(R) − n", Q, R, u1, u2)
		}
	}
	return rows
}

func compress(p reference.Point) []byte {
	return join([]byte{2 | byte(p.Y.Bit(0))}, bytes32(p.X))
}

// A sign65 is a recoverable signature with its expected results, which come from the functions for
// one signature.
type sign65 struct {
	hash, sig []byte
	key       []byte // 65 bytes, or zeros if no key is recovered
	address   []byte // 20 bytes, or zeros if no key is recovered
	want, low batch.Verdict
}

// A recovery is one of the methods of [batch.RecoverRows], with its name and result size.
type recovery struct {
	size int // bytes of a row's result
	call func(
		r batch.RecoverRows, ctx context.Context, dst []byte, verdicts []batch.Verdict,
		o *batch.Options,
	) (int, error)
	found func(sign65) []byte
}

func recoveries() []recovery {
	return []recovery{
		{65, batch.RecoverRows.Recover, func(r sign65) []byte { return r.key }},
		{20, batch.RecoverRows.EthereumAddresses, func(r sign65) []byte { return r.address }},
	}
}

func judgeRecover(r sign65) sign65 {
	r.key, r.address = make([]byte, 65), make([]byte, 20)
	key, err := ecdsa.Recover(r.hash, r.sig)
	sig, malformed := ecdsa.ParseSignature(r.sig[:64])
	switch {
	case malformed != nil || r.sig[64] > 3:
		r.want = batch.Malformed
	case err != nil:
		r.want = batch.Invalid
	default:
		r.want, r.key = batch.Valid, key.UncompressedBytes()
		r.address = reference.Keccak256(r.key[1:], 1)[12:]
	}
	if r.low = r.want; r.want == batch.Valid && !sig.IsLowS() {
		r.low = batch.Invalid
	}
	return r
}

var recoverRows = sync.OnceValue(func() (rows []sign65) {
	r := rand.New(rand.NewPCG(3, 3))
	add := func(hash, sig []byte) { rows = append(rows, judgeRecover(sign65{hash: hash, sig: sig})) }
	for _, row := range ecdsaRows()[:200] {
		for id := range 4 {
			add(row.msg, join(row.sig, []byte{byte(id)}))
		}
		add(row.msg, join(row.sig, []byte{byte(4 + r.IntN(252))}))
	}
	// Add rows with s·R = z·G, where z is the hash as a number. For them the recovered key would be
	// infinity.
	for _, k := range smallSecrets() {
		R := curve.ScalarMult(k, curve.G)
		z := inOrder(reference.RandInt(r))
		if z.Sign() == 0 {
			continue
		}
		s := inOrder(new(big.Int).Mul(z, new(big.Int).ModInverse(k, curve.Order)))
		for id := range 2 {
			add(bytes32(z), join(bytes32(inOrder(R.X)), bytes32(s), []byte{byte(id)}))
		}
	}
	// Add rows with an r so small that r + n is below p. For some of them no point has the x
	// coordinate r or r + n.
	for x := int64(1); x < 20; x++ {
		for id := range 4 {
			add(random(r, 32), join(bytes32(num(x)), bytes32(num(x)), []byte{byte(id)}))
		}
	}
	shuffle(r, rows)
	return rows
})

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// each runs a test once with each implementation: with the code that processes eight rows at a time
// in vector lanes, with the best code without lanes, and without assembly.
func each(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	without := cputest.AVX512F
	if !cpu.Has(cpu.AVX512F) {
		without = cputest.ADX
	}
	cputest.Run(t, test, append(cputest.AllLanes(), cputest.Portable, without)...)
}

// sizes returns batch sizes up to limit: all sizes near the number of lanes and the size of blocks,
// and some random ones.
func sizes(r *rand.Rand, limit int) (list []int) {
	if !cputest.Deep() {
		return []int{1, 2, 3, 7, 8, 9, 16, 17, 33, 65, 129}
	}
	for n := range 33 {
		list = append(list, n+1)
	}
	list = append(list, 63, 64, 65, 127, 128, 129, 257, limit)
	for range 4 {
		list = append(list, 1+r.IntN(limit-1))
	}
	return list
}

var workers = []*batch.Options{nil, {}, {Workers: 1}, {Workers: 2}, {Workers: 3}, {Workers: 16},
	{Workers: -1}}

// rule returns LowS if lowS is set, and AnyS otherwise.
func rule(lowS bool) batch.SRule {
	if lowS {
		return batch.LowS
	}
	return batch.AnyS
}

// An adder has the methods that both accumulators, Schnorr and ECDSA, have.
type adder interface {
	Len() int
	Reset()
	Verify(context.Context, []batch.Verdict) (int, error)
	VerifyAll(context.Context) (bool, error)
}

// verifyAll calls VerifyAll without cancellation. For an empty accumulator VerifyAll must return an
// error; verifyAll then returns true, since no row is invalid.
func verifyAll(b adder) bool {
	good, err := b.VerifyAll(context.Background())
	if b.Len() == 0 {
		return !good && err != nil
	}
	if err != nil {
		panic(err)
	}
	return good
}

// verify calls Verify without cancellation and returns the verdicts. It uses the memory of verdicts
// if that is large enough.
func verify(b adder, verdicts []batch.Verdict) []batch.Verdict {
	verdicts = slices.Grow(verdicts[:0], b.Len())[:b.Len()]
	valid, err := b.Verify(context.Background(), verdicts)
	for _, v := range verdicts {
		if v == batch.Valid {
			valid--
		}
	}
	if err != nil || valid != 0 {
		panic(fmt.Sprint(valid, " too many are valid, ", err))
	}
	return verdicts
}

// spread returns the values, which have the same width, as a column. Between two values there are
// as many random bytes as gap says. The data ends at a random offset after the last value.
func spread(r *rand.Rand, gap int, values [][]byte) batch.Column {
	width := len(values[0])
	var data []byte
	for _, v := range values {
		data = append(append(data, v...), random(r, gap)...)
	}
	data = data[:len(data)-r.IntN(gap+1)]
	if gap == 0 {
		return batch.Packed(data, width)
	}
	return batch.Strided(data, width, width+gap)
}

func column(r *rand.Rand, rows []row, field func(row) []byte) batch.Column {
	values := make([][]byte, len(rows))
	for i := range rows {
		values[i] = field(rows[i])
	}
	return spread(r, []int{0, 0, 1, 7, 100}[r.IntN(5)], values)
}

// pick returns n consecutive rows from a random start. After the last row it continues at the
// first.
func pick[T any](r *rand.Rand, rows []T, n int) []T {
	out := make([]T, n)
	start := r.IntN(len(rows))
	for i := range out {
		out[i] = rows[(start+i)%len(rows)]
	}
	return out
}
