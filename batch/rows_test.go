package batch_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/schnorr"
)

// This file makes rows of all kinds, and says what a call must answer for them.

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func num(x int64) *big.Int { return big.NewInt(x) }

func integer(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

// inOrder returns x mod n, the order of the group.
func inOrder(x *big.Int) *big.Int { return new(big.Int).Mod(x, curve.Order) }

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// A source makes rows from bytes: random bytes, or those of a fuzzer. After the last byte it
// continues with zeros.
type source struct{ data []byte }

// forging returns a source from which the methods schnorr and ecdsa make row i of the case how, one
// of the constants below.
func forging(i, how byte) *source { return &source{[]byte{0, i % 16, 6, 0, i, 0, 3, how}} }

// Cases of rows that are forged: they would be good if a zero key were the point at infinity, or if
// the equation of the other signature scheme were the right one.
const (
	zeroKey      = 2
	ecdsaForged  = 3 // a BIP-340 row
	bip340Forged = 4 // an ECDSA row
)

func (s *source) next() int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b)
}

// scalar returns a number in [1, n), mostly a number that occurs in tables and partial sums.
func (s *source) scalar() *big.Int {
	kind, x := s.next(), num(int64(1+s.next()%16))
	switch kind % 8 {
	case 1:
		x.Neg(x)
	case 2:
		x.Mul(x, reference.Lambda())
	case 3:
		x.Mul(x, reference.Lambda()).Mul(x, reference.Lambda())
	case 4:
		x.Lsh(num(1), uint(s.next()))
	case 5:
		x.Lsh(num(1), uint(s.next())).Neg(x)
	case 6:
		digest := sha256.Sum256([]byte{byte(s.next())})
		x.SetBytes(digest[:])
	case 7:
		x.Add(x, new(big.Int).Mul(reference.Lambda(), num(int64(s.next()%16))))
	}
	if x = inOrder(x); x.Sign() == 0 {
		x.SetInt64(1)
	}
	return x
}

// number returns 32 bytes: a number at an edge of a range, such as 0 or n, or x with one bit
// changed.
func (s *source) number(x []byte) []byte {
	switch kind := s.next(); kind % 8 {
	case 0:
		return bytes32(num(int64(s.next())))
	case 1:
		return bytes32(new(big.Int).Sub(curve.Order, num(int64(s.next()-8))))
	case 2:
		return bytes32(new(big.Int).Sub(reference.P(), num(int64(s.next()-8))))
	case 3:
		return bytes32(curve.G.X)
	case 4:
		return bytes32(inOrder(new(big.Int).Neg(integer(x))))
	case 5:
		return bytes.Repeat([]byte{0xff}, 32)
	}
	x = bytes.Clone(x)
	x[s.next()%len(x)] ^= 1 << (s.next() % 8)
	return x
}

// spoil changes one of the parts of a row, or none. A part that is not a number of 32 bytes gets
// another first byte.
func (s *source) spoil(parts ...[]byte) {
	if s.next()%2 == 0 {
		return
	}
	if part := parts[s.next()%len(parts)]; len(part) == 32 {
		copy(part, s.number(part))
	} else if len(part) > 0 {
		part[0] ^= byte(s.next() % 16)
	}
}

// encode returns the uncompressed encoding of k·G, or zeros if k is 0.
func encode(k *big.Int) []byte {
	b := make([]byte, 65)
	if k = inOrder(k); k.Sign() == 0 {
		return b
	}
	var s scalar.Scalar
	s.SetBytes((*[32]byte)(bytes32(k)))
	var j point.Jacobian
	vartime.ScalarBaseMult(&j, &s)
	var p point.Affine
	p.SetJacobianVartime(&j)
	b[0] = 4
	p.X.PutBytes((*[32]byte)(b[1:]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
	return b
}

// even returns the x coordinate of k·G, and k or −k: the one whose multiple of G has an even y.
func even(k *big.Int) ([]byte, *big.Int) {
	p := encode(k)
	if p[64]&1 != 0 {
		k = new(big.Int).Sub(curve.Order, k)
	}
	return p[1:33], k
}

// challenge returns the challenge e of BIP-340, mod n.
func challenge(rx, px, msg []byte) *big.Int {
	return inOrder(integer(reference.TaggedHash("BIP0340/challenge", rx, px, msg)))
}

// schnorr returns the message, the x-only key and the signature of a BIP-340 row, with a message of
// one of the lengths.
func (s *source) schnorr(lengths ...int) [][]byte {
	key, d := even(s.scalar())
	rx, k := even(s.scalar())
	msg := bytes.Repeat([]byte{byte(s.next())}, lengths[s.next()%len(lengths)])
	factor := num(1) // The signature has s = factor·e·d + k.
	switch s.next() % 16 {
	case 0, 1: // R = s·G − e·P is infinity, or a sum of equal or opposite points.
		k, factor = num(0), num(int64(s.next()%5-1))
		rx = [][]byte{rx, bytes32(curve.G.X), bytes.Clone(key), bytes32(num(0)),
			bytes32(num(1))}[s.next()%5]
	case zeroKey:
		key, d = bytes32(num(0)), num(0)
	case ecdsaForged: // The equation of ECDSA holds: (s·G + r·P)/(−e) = R, so that s = −e·k − r·d.
		e := challenge(rx, key, msg)
		d = new(big.Int).Mul(integer(rx), new(big.Int).Neg(d))
		return [][]byte{msg, key, join(rx, bytes32(inOrder(d.Sub(d, e.Mul(e, k)))))}
	}
	e := challenge(rx, key, msg)
	e.Mul(e, d).Mul(e, factor)
	sig := join(rx, bytes32(inOrder(e.Add(e, k))))
	s.spoil(key, msg, sig[:32], sig[32:])
	return [][]byte{msg, key, sig}
}

// signatureOf returns the hash and the signature, r, s and the recovery id, for which verification
// computes u1 and u2 and the point R, which is encoded in 65 bytes. u2 must not be 0.
func signatureOf(R []byte, u1, u2 *big.Int) (hash, sig []byte) {
	x, id := integer(R[1:33]), R[64]&1
	if x.Cmp(curve.Order) >= 0 {
		id |= 2
	}
	r := inOrder(x)
	s := inOrder(new(big.Int).Mul(r, new(big.Int).ModInverse(u2, curve.Order)))
	return bytes32(inOrder(new(big.Int).Mul(u1, s))), join(bytes32(r), bytes32(s), []byte{id})
}

// negateS replaces s by n - s in an ECDSA signature with a recovery id.
func negateS(sig []byte) {
	copy(sig[32:], bytes32(inOrder(new(big.Int).Neg(integer(sig[32:64])))))
	sig[64] ^= 1
}

func isHigh(s []byte) bool {
	return integer(s).Cmp(new(big.Int).Rsh(curve.Order, 1)) > 0
}

// wrappedRows returns hashes, keys and signatures of ECDSA with r = x(R) − n.
var wrappedRows = sync.OnceValue(func() (rows [][3][]byte) {
	u1, u2 := num(5), num(7)
	for x := new(big.Int).Set(curve.Order); len(rows) < 8; x.Add(x, num(1)) {
		if R, ok := curve.LiftX(x, x.Bit(3) == 1); ok {
			Q := curve.Add(R, curve.Neg(curve.ScalarMult(u1, curve.G)))
			Q = curve.ScalarMult(new(big.Int).ModInverse(u2, curve.Order), Q)
			hash, sig := signatureOf(join([]byte{4}, bytes32(R.X), bytes32(R.Y)), u1, u2)
			rows = append(rows, [3][]byte{hash, join([]byte{4}, bytes32(Q.X), bytes32(Q.Y)), sig})
		}
	}
	return rows
})

// ecdsa returns the hash, the key in 65 bytes and the signature with its recovery id of an ECDSA
// row. It chooses u1, u2 and the key Q = d·G. From them it computes R = u1·G + u2·Q, the signature
// and the hash.
func (s *source) ecdsa() (hash, key, sig []byte) {
	d, u1, u2 := s.scalar(), s.scalar(), s.scalar()
	how := s.next() % 16
	switch how {
	case 0, 1: // R is a sum of equal points, or infinity, or u1 is 0.
		u1.Mul(u2, d).Mul(u1, num(int64(s.next()%3-1)))
	case zeroKey:
		d = num(0)
	}
	R := encode(new(big.Int).Add(u1, new(big.Int).Mul(u2, d)))
	if R[0] == 0 {
		R[32] = 1 // r = 1 stands for the missing x coordinate.
	}
	key = encode(d)
	hash, sig = signatureOf(R, u1, u2)
	switch how {
	case 3:
		w := wrappedRows()[s.next()%len(wrappedRows())]
		hash, key, sig = bytes.Clone(w[0]), bytes.Clone(w[1]), bytes.Clone(w[2])
	case bip340Forged: // The equation of BIP-340 holds: R = z·G + s·P, with an even y.
		if R[64]&1 != 0 {
			u1.Neg(u1)
			u2.Neg(u2)
		}
		sig = join(bytes32(inOrder(integer(R[1:33]))), bytes32(inOrder(u2)), []byte{0})
		return bytes32(inOrder(u1)), key, sig
	}
	if isHigh(sig[32:64]) && s.next()%4 > 0 {
		negateS(sig)
	}
	s.spoil(key[:1], key[1:33], key[33:], hash, sig[:32], sig[32:64], sig[64:])
	return hash, key, sig
}

// encoded returns a key of 65 bytes in the given number of bytes.
func encoded(key []byte, width int) []byte {
	switch width {
	case 32:
		return key[1:33]
	case 33: // The first byte is 2 or 3 if that of key is 4.
		return join([]byte{key[0] ^ 6 | key[64]&1}, key[1:33])
	}
	return key
}

// ecdsaRow returns a function that makes the fields of a row with keys of the given width.
func ecdsaRow(width int, withID bool) func(s *source) [][]byte {
	return func(s *source) [][]byte {
		hash, key, sig := s.ecdsa()
		row := [][]byte{hash, encoded(key, width), sig[:64]}
		if withID {
			row = append(row, sig[64:])
		}
		return row
	}
}

// recoverable returns the hash and the signature of a row of RecoverRows.
func (s *source) recoverable() [][]byte {
	hash, _, sig := s.ecdsa()
	switch s.next() % 8 {
	case 0: // The recovered key would be infinity, because s·R = z·G.
		k := s.scalar()
		hash, sig = signatureOf(encode(k), s.scalar(), num(1))
		copy(sig[32:], bytes32(inOrder(k.Mul(integer(hash), k.ModInverse(k, curve.Order)))))
	case 1: // r + n is below p. For some r no point has this x coordinate.
		copy(sig, bytes32(num(int64(1+s.next()%32))))
		sig[64] = byte(s.next() % 4)
	}
	return [][]byte{hash, sig}
}

// ofAnyLength returns a function that makes the rows of make, some of them with a field of another
// length. Accumulators and queues take such rows.
func ofAnyLength(make func(s *source) [][]byte) func(s *source) [][]byte {
	return func(s *source) [][]byte {
		row := slices.Clone(make(s))
		switch i := s.next() % len(row); s.next() % 16 {
		case 1:
			row[i] = row[i][:len(row[i])-min(1, len(row[i]))]
		case 2:
			row[i] = append(bytes.Clone(row[i]), byte(s.next()))
		case 3:
			row[0] = row[0][:min(len(row[0]), 19+s.next()%2)]
		}
		return row
	}
}

// tweak returns the tweak, the key of the given width, and the output and its parity.
func (s *source) tweak(width int) [][]byte {
	k := s.scalar()
	if width == 32 {
		_, k = even(k)
	}
	t := s.scalar()
	switch s.next() % 8 {
	case 0:
		t = num(0)
	case 1: // a sum of equal points
		t = k
	case 2: // infinity
		t = inOrder(new(big.Int).Neg(k))
	case 3:
		t = inOrder(t.Mul(k, reference.Lambda()))
	case 4:
		t = integer(s.number(bytes32(t)))
	}
	tweak, key, sum := bytes32(t), encode(k), encode(new(big.Int).Add(k, t))
	output, parity := sum[1:33], []byte{sum[64] & 1}
	s.spoil(tweak, key[:1], key[1:33], key[33:], output, parity)
	return [][]byte{tweak, encoded(key, width), output, parity}
}

// ellswift returns an encoding. Some have u³ + 7 = −t², which is a special case of the decoding.
func (s *source) ellswift() [][]byte {
	u, t := s.number(bytes32(s.scalar())), s.number(bytes32(s.scalar()))
	square := new(big.Int).Exp(integer(u), big.NewInt(3), reference.P())
	square.Add(square, big.NewInt(7)).Neg(square).Mod(square, reference.P())
	if s.next()%4 == 0 && big.Jacobi(square, reference.P()) >= 0 {
		t = bytes32(square.ModSqrt(square, reference.P()))
	}
	return [][]byte{join(u, t)}
}

// secret returns a private key, and 32 bytes for each other field of a row.
func (s *source) secret(others int) [][]byte {
	row := [][]byte{bytes32(s.scalar())}
	s.spoil(row[0])
	for range others {
		row = append(row, s.number(bytes32(s.scalar())))
	}
	return row
}

// ecdh returns a private key, and a public key of the given width.
func (s *source) ecdh(width int) [][]byte {
	key := encode(s.scalar())
	s.spoil(key[:1], key[1:33])
	return append(s.secret(0), encoded(key, width))
}

// prepared is the set of prepared keys of all rows that have such keys. The first two entries hold
// no key.
var prepared = struct {
	sync.Mutex
	keys  []*koblitz.PreparedKey
	index map[string]uint32
}{keys: []*koblitz.PreparedKey{nil, {}}, index: map[string]uint32{}}

// tableSizes are sizes of the tables of prepared keys.
var tableSizes = []int{26 << 10, 0, 1 << 10, 13 << 10, 2 << 10, 8 << 10, 4 << 10}

// underPrepared returns a copy of the row with an index instead of the key. The set prepared has
// the key at this index. An x-only key becomes a key of either parity. A key that cannot be parsed
// gets an index at which the set holds no key.
func underPrepared(s *source, row [][]byte) [][]byte {
	prepared.Lock()
	defer prepared.Unlock()
	key := row[1]
	index, ok := prepared.index[string(key)]
	if !ok {
		k, err := koblitz.ParsePublicKey(key)
		if len(key) == 32 {
			var x *koblitz.XOnlyPublicKey
			if x, err = koblitz.ParseXOnlyPublicKey(key); err == nil {
				if k = x.PublicKey(); len(prepared.keys)%2 == 0 {
					k = k.Negate()
				}
			}
		}
		if index = uint32(len(prepared.keys)); err == nil {
			prepared.keys = append(prepared.keys, k.Prepare(tableSizes[index%7]))
			prepared.index[string(key)] = index
		} else {
			index = []uint32{0, 1, 1 << 31, 1<<32 - 1}[s.next()%4]
		}
	}
	return [][]byte{row[0], binary.LittleEndian.AppendUint32(nil, index), row[2]}
}

// preparedKeys returns the set of prepared keys, and the indices of the rows' keys.
func preparedKeys(rows []record) ([]*koblitz.PreparedKey, []uint32) {
	prepared.Lock()
	defer prepared.Unlock()
	indices := make([]uint32, len(rows))
	for i, row := range rows {
		indices[i] = binary.LittleEndian.Uint32(row.values[1])
	}
	return prepared.keys[:len(prepared.keys):len(prepared.keys)], indices
}

// An answer is what a call must answer for a row.
type answer struct {
	verdict batch.Verdict
	why     batch.Reason
	result  []byte // nil if the row is not valid
}

// decide returns the answer with the first of the given reasons that is not NoReason. If all of
// them are NoReason, the row is valid if good is true, and otherwise it has the reason other.
func decide(good bool, other batch.Reason, reasons ...batch.Reason) (a answer) {
	for _, why := range reasons {
		if a.why == batch.NoReason {
			a.why = why
		}
	}
	switch {
	case a.why != batch.NoReason && good:
		panic("the function for one row accepts a row with a reason")
	case a.why == batch.NoReason && !good:
		a.why = other
	}
	switch {
	case a.why == batch.NoReason:
		a.verdict = batch.Valid
	case a.why < batch.HighS:
		a.verdict = batch.Malformed
	default:
		a.verdict = batch.Invalid
	}
	return a
}

// unless returns NoReason if ok, and why otherwise.
func unless(ok bool, why batch.Reason) batch.Reason {
	if ok {
		return batch.NoReason
	}
	return why
}

func below(b []byte, limit *big.Int) bool { return integer(b).Cmp(limit) < 0 }

// within reports whether b is in [1, n).
func within(b []byte) bool { return below(b, curve.Order) && integer(b).Sign() > 0 }

// whyKey returns the reason why an encoded key, which must have one of the widths, cannot be
// decoded. The reason is early, or late if only lifting the x coordinate finds it.
func whyKey(key []byte, widths ...int) (early, late batch.Reason) {
	if !slices.Contains(widths, len(key)) {
		return batch.KeyEncoding, 0
	}
	even := key
	switch {
	case len(key) == 32:
		even = join([]byte{2}, key)
	case len(key) == 33 && key[0]&^1 != 2, len(key) == 65 && key[0] != 4:
		return batch.KeyEncoding, 0
	}
	for coordinate := range slices.Chunk(even[1:], 32) {
		if !below(coordinate, reference.P()) {
			return batch.KeyRange, 0
		}
	}
	if _, err := koblitz.ParsePublicKey(even); err != nil && len(key) == 65 {
		return batch.KeyNotOnCurve, 0
	} else if err != nil {
		return 0, batch.KeyNotOnCurve
	}
	return 0, 0
}

// judgeSchnorr returns the answer for a message, an x-only key and a BIP-340 signature.
func judgeSchnorr(row [][]byte) answer {
	msg, key, sig := row[0], row[1], row[2]
	early, late := whyKey(key, 32)
	if len(sig) != 64 {
		return decide(false, batch.SignatureLength, early)
	}
	k, err := koblitz.ParseXOnlyPublicKey(key)
	return decide(err == nil && schnorr.Verify(k, msg, sig), batch.WrongSignature, early,
		unless(below(sig[:32], reference.P()), batch.RRange),
		unless(below(sig[32:], curve.Order), batch.SRange), late)
}

// judgeECDSA returns a function that returns the answer for a hash, a key of one of the widths and
// an ECDSA signature of the given length. If the length is 65, the last byte is the recovery id.
// Otherwise the id is a fourth field, or missing.
func judgeECDSA(lowS bool, length int, widths ...int) func(row [][]byte) answer {
	return func(row [][]byte) answer {
		hash, key, sig := row[0], row[1], row[2]
		early, late := whyKey(key, widths...)
		if len(sig) != length {
			return decide(false, batch.SignatureLength, early)
		}
		id := join(join(row[3:]...), sig[64:])
		soundID := len(id) == 0 || id[0] <= 3
		k, err := koblitz.ParsePublicKey(key)
		parsed, err2 := ecdsa.ParseSignature(sig[:64])
		good := err == nil && err2 == nil && soundID && ecdsa.Verify(k, hash, parsed)
		if lowS {
			good = good && ecdsa.VerifyLowS(k, hash, parsed)
		}
		return decide(good, batch.WrongSignature, early, unless(within(sig[:32]), batch.RRange),
			unless(within(sig[32:64]), batch.SRange), unless(len(hash) >= 20, batch.HashLength),
			unless(soundID, batch.RecoveryIDRange), late,
			unless(!lowS || !isHigh(sig[32:64]), batch.HighS))
	}
}

// judgePrepared returns a function that returns the answer for a row with the index of a prepared
// key. It calls judge with the encoding of that key in place of the index.
func judgePrepared(
	judge func(row [][]byte) answer, key func(k *koblitz.PublicKey) []byte,
) func(row [][]byte) answer {
	return func(row [][]byte) answer {
		keys, indices := preparedKeys([]record{{values: row}})
		if i := indices[0]; int64(i) < int64(len(keys)) && !keys[i].IsZero() {
			return judge([][]byte{row[0], key(keys[i].PublicKey()), row[2]})
		}
		return answer{verdict: batch.Malformed, why: batch.KeyMissing}
	}
}

// judgeRecover returns a function that returns the answer for a row of RecoverRows. The result is a
// key, or if size is 20, an address.
func judgeRecover(lowS bool, size int) func(row [][]byte) answer {
	return func(row [][]byte) answer {
		hash, sig := row[0], row[1]
		key, err := ecdsa.Recover(hash, sig)
		x := integer(sig[:32])
		if sig[64]&2 != 0 {
			x.Add(x, curve.Order)
		}
		other := batch.NoncePoint
		if x.Cmp(reference.P()) < 0 {
			if _, err := koblitz.ParsePublicKey(join([]byte{2}, bytes32(x))); err == nil {
				other = batch.Infinity
			}
		}
		high := lowS && isHigh(sig[32:64])
		a := decide(err == nil && !high, other, unless(within(sig[:32]), batch.RRange),
			unless(within(sig[32:64]), batch.SRange), unless(sig[64] <= 3, batch.RecoveryIDRange),
			unless(!high, batch.HighS))
		if a.verdict == batch.Valid {
			if a.result = key.UncompressedBytes(); size == 20 {
				a.result = reference.Keccak256(a.result[1:], 1)[12:]
			}
		}
		return a
	}
}

func judgeKey(row [][]byte) answer {
	early, late := whyKey(row[0], 33)
	k, err := koblitz.ParsePublicKey(row[0])
	a := decide(err == nil, 0, early, late)
	if err == nil {
		a.result = k.UncompressedBytes()
	}
	return a
}

// judgeSecret returns a function that returns the answer for a row that begins with a private key.
// The result is that of the function single. If that is nil, the row is Malformed.
func judgeSecret(single func(k *koblitz.PrivateKey, row [][]byte) []byte) func([][]byte) answer {
	return func(row [][]byte) answer {
		k, err := koblitz.ParsePrivateKey(row[0])
		a := decide(err == nil, 0, unless(within(row[0]), batch.ScalarRange))
		if err != nil {
			return a
		}
		if a.result = single(k, row); a.result == nil {
			a = answer{verdict: batch.Malformed}
		}
		return a
	}
}

// sumOf returns key + tweak·G. It returns nil if there is no sum, or if an argument cannot be
// decoded.
func sumOf(key, tweak []byte) *koblitz.PublicKey {
	if len(key) == 32 {
		if k, err := koblitz.ParseXOnlyPublicKey(key); err == nil {
			k, _ := k.TweakAdd(tweak)
			return k
		}
	} else if k, err := koblitz.ParsePublicKey(key); err == nil {
		k, _ := k.TweakAdd(tweak)
		return k
	}
	return nil
}

func judgeTweak(row [][]byte) answer {
	early, late := whyKey(row[1], len(row[1]))
	sum := sumOf(row[1], row[0])
	a := decide(sum != nil, batch.Infinity, early,
		unless(below(row[0], curve.Order), batch.ScalarRange), late)
	if sum != nil {
		a.result = sum.UncompressedBytes()
	}
	return a
}

func judgeTweakCheck(row [][]byte) answer {
	tweak, key, output, parity := row[0], row[1], row[2], row[3]
	early, late := whyKey(key, 32)
	sum := sumOf(key, tweak)
	good := sum != nil && bytes.Equal(sum.Bytes(), join([]byte{2 | parity[0]}, output))
	return decide(good && parity[0] <= 1, batch.WrongOutput, early,
		unless(below(tweak, curve.Order), batch.ScalarRange),
		unless(below(output, reference.P()) && parity[0] <= 1, batch.OutputRange), late)
}

func judgeEllswift(row [][]byte) answer {
	key := reference.Must(ellswift.Decode(row[0]))
	return answer{verdict: batch.Valid, result: key.XOnlyPublicKey().Bytes()}
}

// sharedX returns the shared x coordinate of a row of ECDHRows, or nil if the key cannot be
// decoded.
func sharedX(k *koblitz.PrivateKey, row [][]byte) []byte {
	key := row[1]
	if len(key) == 32 {
		key = join([]byte{2}, key)
	}
	p, err := koblitz.ParsePublicKey(key)
	if err != nil {
		return nil
	}
	return reference.Must(ecdh.SharedX(k, p))
}
