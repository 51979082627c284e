package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A unitBatch is a batch with the given reading.Units.
type unitBatch []reading.Unit

func (b unitBatch) Size() int64            { return 1 }
func (b unitBatch) Consumed() int64        { return 0 }
func (b unitBatch) Place() *reading.Place  { return nil }
func (b unitBatch) Blocks() reading.Blocks { return reading.Blocks{} }

// Expand reuses the unit and its bytes, as readers are allowed to do.
func (b unitBatch) Expand(emit func(*reading.Unit)) {
	for _, u := range b {
		u.Signatures, u.Keys, u.Sender = slices.Clone(u.Signatures), slices.Clone(u.Keys),
			slices.Clone(u.Sender)
		for i := range u.Signatures {
			u.Signatures[i].Sig = slices.Clone(u.Signatures[i].Sig)
		}
		for i := range u.Keys {
			u.Keys[i] = slices.Clone(u.Keys[i])
		}
		emit(&u)
		for i := range u.Signatures {
			clear(u.Signatures[i].Digest[:])
			clear(u.Signatures[i].Sig)
		}
		for _, k := range u.Keys {
			clear(k)
		}
		clear(u.Sender)
	}
}

var (
	// p = 2²⁵⁶ − 2³² − 977 (SEC 2, 2.4.1), big-endian.
	fieldPrime = []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xfc\x2f")
	// n, the order of the group (SEC 2, 2.4.1), big-endian.
	groupOrder = []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe" +
		"\xba\xae\xdc\xe6\xaf\x48\xa0\x3b\xbf\xd2\x5e\x8c\xd0\x36\x41\x41")
)

// generatorX is the x coordinate of the generator G, whose y is even.
const generatorX = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

// everyUnit returns a reading.Unit of every form that readers produce, good and bad. inBlocks is
// the number of these units that can be rows of a block.
func everyUnit() (units []reading.Unit, inBlocks int) {
	digest := sha256.Sum256([]byte("message"))
	key, other := testKey(1), testKey(2)
	sig := ecdsaSignature(1, digest)
	high := must(ecdsa.ParseSignature(highS(sig.Bytes())))
	b340 := must(schnorr.Sign(key, digest[:], &schnorr.SignOptions{Aux: make([]byte, 32)}))
	sig65 := must(ecdsa.SignRecoverable(key, digest[:], nil))
	from := address(key.PublicKey().UncompressedBytes())
	add := func(row bool, u reading.Unit, sig []byte, keys ...[]byte) {
		u.Where = reading.In("f")
		u.Signatures = append(u.Signatures, reading.Signature{Digest: digest, Sig: sig})
		u.Keys = keys
		units = append(units, u)
		if row {
			inBlocks++
		}
	}
	pub, long, x := key.PublicKey().Bytes(), key.PublicKey().UncompressedBytes(),
		key.PublicKey().XOnlyPublicKey().Bytes()
	otherPub := other.PublicKey().Bytes()
	wrongY := slices.Clone(long)
	wrongY[64] ^= 1
	hybrid := slices.Clone(long)
	hybrid[0] = 6 + long[64]&1
	compact, der, lax := reading.Unit{Scheme: reading.ECDSA, Compact: true},
		reading.Unit{Scheme: reading.ECDSA},
		reading.Unit{Scheme: reading.ECDSA, LaxDER: true}
	low := reading.Unit{Scheme: reading.ECDSA, LowS: true}
	noPoint := append(make([]byte, 31), 5) // not the x coordinate of a point
	keys := [][]byte{pub, long, otherPub, other.PublicKey().UncompressedBytes(),
		append([]byte{2}, fieldPrime...), append([]byte{2}, noPoint...), append([]byte{5}, pub[1:]...),
		wrongY, hybrid, append([]byte{2}, long[1:]...)}
	for _, u := range []struct {
		unit reading.Unit
		sig  []byte
	}{{compact, sig.Bytes()}, {compact, high.Bytes()}, {der, sig.DER()}, {der, high.DER()},
		{lax, append(sig.DER(), 0)}, {low, sig.DER()}} {
		for _, key := range keys {
			add(true, u.unit, u.sig, key)
		}
		add(false, u.unit, u.sig, nil)
		add(false, u.unit, u.sig[:len(u.sig)-8], pub)
	}
	add(true, low, high.DER(), pub)
	add(false, der, append(sig.DER(), 0), pub)
	add(true, compact, make([]byte, 64), pub)
	// r and s are zero: the signature parses but never verifies.
	add(false, lax, []byte{0x30, 6, 2, 1, 0, 2, 1, 0}, pub)

	b := reading.Unit{Scheme: reading.Schnorr}
	bad := slices.Clone(b340)
	bad[40] ^= 1
	add(true, b, b340, x)
	add(true, b, bad, x)
	add(true, b, b340, other.PublicKey().XOnlyPublicKey().Bytes())
	add(true, b, append(slices.Clone(fieldPrime), b340[32:]...), x)
	add(true, b, append(slices.Clone(b340[:32]), groupOrder...), x)
	add(true, b, b340, fieldPrime)
	add(true, b, b340, noPoint)
	// This signature has two faults. Single and batch verification must report the same one.
	add(true, b, append(slices.Clone(fieldPrime), b340[32:]...), noPoint)
	add(true, b, append(slices.Clone(b340[:32]), groupOrder...), fieldPrime)
	add(false, b, b340[:63], x)

	// Commitments. The first is true. In each of the others, one part is wrong. In the last row, the
	// commitment is true and the signature is wrong.
	tweak := sha256.Sum256([]byte("tweak"))
	out := must(key.XOnlyPublicKey().TweakAdd(tweak[:]))
	claim := reading.Commitment{Key: x, Output: out.XOnlyPublicKey().Bytes(), Tweak: tweak,
		Odd: !out.HasEvenY()}
	for _, change := range []func(c *reading.Commitment){func(*reading.Commitment) {},
		func(c *reading.Commitment) { c.Odd = !c.Odd }, func(c *reading.Commitment) { c.Tweak[31] ^= 1 },
		func(c *reading.Commitment) { c.Output = x },
		func(c *reading.Commitment) { c.Key = otherPub[1:] },
		func(c *reading.Commitment) { c.Key = noPoint },
		func(c *reading.Commitment) { c.Output = fieldPrime },
		func(c *reading.Commitment) { copy(c.Tweak[:], groupOrder) }} {
		u := b
		u.Commitment = claim
		change(&u.Commitment)
		add(true, u, b340, x)
	}
	b.Commitment = claim
	add(true, b, bad, x)
	b.Commitment.Key = nil
	add(false, b, b340, pub)
	add(false, reading.Unit{}, b340, x)

	r := reading.Unit{Scheme: reading.Recover}
	known, wrong, lowR := r, r, r
	known.Sender, wrong.Sender, lowR.LowS = from[:], make([]byte, 20), true
	for _, u := range []reading.Unit{r, known, wrong, lowR} {
		add(true, u, sig65)
		add(true, u, append(slices.Clone(sig65[:64]), sig65[64]^1))
		add(true, u, append(slices.Clone(sig65[:64]), 3))
		add(true, u, append(slices.Clone(sig65[:64]), 200))
		add(true, u, append(high.Bytes(), sig65[64]^1))
		add(true, u, slices.Concat(noPoint, sig65[32:64], []byte{0}))
		// With a small r, r + n (n is the group order) is below the field prime, so it may be an x
		// coordinate. 1 + n is not the x coordinate of a point; 2 + n and 3 + n are.
		for r := range byte(5) {
			add(true, u, slices.Concat(make([]byte, 31), []byte{r + 1}, sig65[32:64], []byte{2}))
		}
		// With the nonce point R = -G (the negated generator) and s = n-z, where n is the group
		// order and z the digest, the recovered key would be the point at infinity.
		if digest[0] < 0x80 {
			panic("n minus the hash is no low s")
		}
		add(true, u, append(highS(append(must(hex.DecodeString(generatorX)), digest[:]...)), 1))
		add(true, u, make([]byte, 65))
		add(false, u, sig65[:64])
	}

	multi := der
	multi.Signatures = []reading.Signature{{Digest: digest, Sig: sig.DER()}}
	add(false, multi, ecdsaSignature(2, digest).DER(), pub, otherPub)
	add(false, multi, []byte{0x30}, pub, otherPub)
	for v := reading.Invalid; v <= reading.PassedOver; v++ {
		u := reading.Unit{Where: reading.In("f"), Decided: v, Reason: "because",
			Signatures: make([]reading.Signature, v)}
		units = append(units, u)
	}
	return units, inBlocks
}

// goodBIP340 returns a valid unit of BIP-340 without a commitment.
func goodBIP340() reading.Unit {
	every, _ := everyUnit()
	return every[slices.IndexFunc(every, func(u reading.Unit) bool {
		return u.Scheme == reading.Schnorr
	})]
}

// A counting is a batch verifier that counts the rows that it verifies. If lie is set, it then
// replaces the verdict of rows that are Valid by lie, or every verdict if lie is Valid.
type counting struct {
	n     atomic.Int64
	calls atomic.Int64
	lie   batch.Verdict
}

func (m *counting) verify(ctx context.Context, c *block) {
	c.verify(ctx, batch.Options{Workers: 1})
	m.n.Add(int64(c.n))
	m.calls.Add(1)
	for i, v := range c.verdicts {
		if m.lie == batch.Valid || m.lie != batch.Unchecked && v == batch.Valid {
			c.verdicts[i] = m.lie
		}
	}
}

// keepAll is a Config.Keep for all rows.
func keepAll(*Row) bool { return true }

// A fullLog is a Reporter that records everything it gets.
type fullLog struct {
	log
	rows   []Row
	faults []error
}

func (l *fullLog) Row(r *Row) {
	l.rows = append(l.rows, *r)
	l.lines = append(l.lines, fmt.Sprintf("%+v", *r))
}
func (l *fullLog) Fault(err error) { l.faults = append(l.faults, err) }

// unitReader returns a reader that returns the given reading.Units in batches of varying sizes.
func unitReader(units []reading.Unit) reading.Reader {
	size := 0
	return readerFunc(func() (reading.Batch, error) {
		if len(units) == 0 {
			return nil, io.EOF
		}
		size = size*2%701 + 1
		n := min(size, len(units))
		b := unitBatch(units[:n])
		units = units[n:]
		return b, nil
	})
}

// TestBlocks checks that a reading.Unit gets the same report in any order and number of units,
// whether verified alone or with others. Reports must come in input order.
func TestBlocks(t *testing.T) {
	every, inBlocks := everyUnit()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 8, 9, 33, len(every), 2000} {
		var units []reading.Unit
		count, expected := 0, 0
		for len(units) < n {
			for i := range every {
				k := r.IntN(len(every))
				if n == len(every) {
					k = i
				}
				u := every[k]
				u.Where.Line = len(units) + 1
				units = append(units, u)
			}
		}
		if n != len(every) {
			units = units[:n]
		} else {
			expected = inBlocks
		}
		var want fullLog
		totals := Run(t.Context(), Config{Workers: 1, Keep: keepAll, OneByOne: true},
			only(unitReader(units)), &want)
		rows := Counts{PassedOver: totals.PassedOver, UnsignedData: totals.UnsignedData}
		for _, r := range want.rows {
			rows.add(r.Verdict, int64(r.Count))
		}
		if rows != totals || n == len(every) && totals.PassedOver != int64(reading.PassedOver) {
			t.Errorf("%d units: rows %+v, totals %+v", n, rows, totals)
		}
		for _, m := range []*counting{
			{}, {lie: batch.Invalid}, {lie: batch.Malformed}, {lie: batch.Valid},
		} {
			for _, workers := range []int{1, 3} {
				m.n.Store(0)
				var got fullLog
				all := Run(t.Context(), Config{Workers: workers, Keep: keepAll,
					verifyBlock: m.verify},
					only(unitReader(units)), &got)
				if all != totals || !slices.Equal(got.lines, want.lines) {
					t.Fatalf("%d units, %d workers: %+v, want %+v\n%s\nwant\n%s", n, workers, all, totals,
						strings.Join(got.lines, "\n"), strings.Join(want.lines, "\n"))
				}
				if m.lie == batch.Unchecked {
					count = int(m.n.Load())
				}
				// A batch verifier with wrong verdicts causes one fault. There is no fault if the
				// units are so few that no wrong verdict was noticed.
				switch faults := len(got.faults); {
				case m.lie == batch.Unchecked && faults != 0,
					m.lie != batch.Unchecked && n >= len(every) && faults != 1,
					faults > 1:
					t.Fatalf("%d units, %d workers, saying %v: %v", n, workers, m.lie, got.faults)
				}
			}
		}
		if expected != 0 && count != expected {
			t.Errorf("%d rows went into blocks, want %d of %d", count, expected, n)
		}
	}
}

// TestBlockSize checks that a worker takes several batches at once if they are available, and
// otherwise does not wait for more.
func TestBlockSize(t *testing.T) {
	every, _ := everyUnit()
	good := slices.Repeat([]reading.Unit{every[0]}, 64)
	const n = 80
	for _, workers := range []int{1, 2} {
		given := 0
		r := readerFunc(func() (reading.Batch, error) {
			if given == n {
				return nil, io.EOF
			}
			given++
			return unitBatch(good), nil
		})
		m := new(counting)
		totals := Run(t.Context(),
			Config{Workers: workers, verifyBlock: m.verify}, only(r), &fullLog{})
		calls := m.calls.Load()
		if totals.Valid != 64*n || m.n.Load() != 64*n || calls < n/blockJobs || calls > n/2 {
			t.Errorf("%d workers: %+v in %d calls for %d batches", workers, totals, calls, n)
		}
	}
}

// TestCancelBlock checks that rows left unverified by a cancellation are not counted.
func TestCancelBlock(t *testing.T) {
	every, _ := everyUnit()
	ctx, cancel := context.WithCancel(t.Context())
	calls, verified := 0, int64(0)
	verify := func(_ context.Context, c *block) {
		c.prepare()
		calls++
		for i := range c.verdicts {
			if calls == 2 && i == c.n/2 {
				cancel()
				return
			}
			c.verdicts[i] = batch.Valid
			verified++
		}
	}
	totals := Run(ctx, Config{Workers: 1, verifyBlock: verify},
		only(unitReader(slices.Repeat([]reading.Unit{every[0]}, 500))), &fullLog{})
	if totals.Rows != totals.Valid || totals.Valid != verified {
		t.Errorf("%+v, want %d valid", totals, verified)
	}
}
