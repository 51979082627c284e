package engine

import (
	"context"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// mixedRecords returns records of all sorts, and the reason that each of them must get. Some have
// signatures that would be valid for the hash or challenge zero, which was not set. If ids is set,
// all ECDSA records with a signature have recovery ids.
func mixedRecords(r *rand.Rand, kind Kind, ids bool) (*Records, []Reason) {
	const sorts = 18
	b := schnorrRecords(r, 2*sorts, someKeys(r, 1), evenY)
	b.Reset() // new records are in the memory of valid ones
	var reasons []Reason
	for i := range 2 * sorts {
		key, nonce, msg, why := reference.Secret(r), reference.Secret(r), reference.Bytes(r, 32), NoReason
		if kind == Schnorr && i%sorts == 6 {
			msg = reference.Bytes(r, 40)
		}
		var sig []byte
		if kind == Schnorr {
			sig, _ = reference.SignBIP340(key, msg, nonce.FillBytes(make([]byte, 32)))
		} else {
			rr, ss, id, _ := reference.SignECDSA(key, msg, nonce)
			sig = append(bytes64(rr, ss)[:], byte(id))
		}
		p, wide, row := multipleOfG(key), uncompressed(key)[:], b.Add()
		forged := [64]byte(append(slices.Clone(wide[1:33]), wide[1:33]...)) // r·P/s = R for r = s, R = P
		if kind == Schnorr {                                                // s·G = R for R = P
			q := curve.ScalarMult(key, curve.G)
			if forged = *bytes64(q.X, key); q.Y.Bit(0) == 1 {
				forged = *bytes64(q.X, new(big.Int).Sub(curve.Order, key))
			}
		}
		row.SetKey(&p)
		whole := true // the signature is set
		switch i % sorts {
		case 1:
			row.SetEncodedKey(wide)
		case 2:
			wide[40] ^= 1
			row.SetEncodedKey(wide)
			why = KeyNotOnCurve
		case 3:
			row.SetEncodedKey(wide[:64])
			sig[0], sig, why = 0xff, sig[:20], KeyEncoding // the key is judged before the signature
		case 4:
			row.SetKeyX(wide[1:32])
			why = KeyEncoding
		case 5:
			row.SetKey(nil)
			why = KeyMissing
		case 6:
			if kind == ECDSA {
				msg, sig, why = make([]byte, 19), append(forged[:], 0), HashLength
			}
		case 7:
			if kind == ECDSA && ids {
				sig[64], why = 4, RecoveryIDRange
			}
		case 8, 9:
			*row.sig(), whole, why = forged, false, KeyMissing // as if setting the signature panicked
			if i%sorts == 8 {
				*row = Record{}
			}
		case 10:
			*row = Record{}
			why = KeyMissing
		case 11:
			row.SetEncodedKey(slices.Repeat([]byte{0xff}, 33))
			why = KeyEncoding
		case 12:
			row.SetKeyX(slices.Repeat([]byte{0xff}, 32))
			why = KeyRange
		case 13:
			if sig, why = sig[:63], SignatureLength; kind == ECDSA {
				msg = msg[:19] // the length of the signature is judged before that of the hash
			}
		case 14:
			if copy(sig, slices.Repeat([]byte{0xff}, 32)); kind == ECDSA {
				msg = msg[:19]
			}
			why = RRange
		case 15:
			msg[7] ^= 1
			why = WrongSignature
		case 16:
			row.SetEncodedKey(append([]byte{2}, wide[1:]...)) // the first byte of another encoding
			why = KeyEncoding
		}
		switch {
		case !whole:
		case kind == Schnorr && i%sorts == 7:
			challenge := reference.TaggedHash("BIP0340/challenge", sig[:32], wide[1:33], msg)
			row.SetSchnorrHashed((*[32]byte)(challenge), (*[64]byte)(sig))
		case kind == Schnorr:
			row.SetSchnorr(msg, sig)
		case ids || i%2 == 0:
			row.SetECDSARecoverable(msg, sig)
		default:
			row.SetECDSA(msg, sig[:min(64, len(sig))])
		}
		reasons = append(reasons, why)
	}
	return b, reasons
}

// TestRecords checks the reasons of records of all sorts, also of those that are not set as a whole
// because a panic, from which the caller has recovered, ended their setting.
func TestRecords(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(43))
		for _, kind := range []Kind{Schnorr, ECDSA} {
			for _, ids := range []bool{false, true} {
				b, want := mixedRecords(r, kind, ids)
				got, verdicts := make([]Reason, len(want)), make([]Verdict, len(want))
				for _, o := range []Options{{Workers: 1}, {Workers: 2, Exact: true}} {
					o.Reasons = got
					_, err := b.Verify(context.Background(), kind, 0, verdicts, o)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%v, %v: %v, %v, want %v", kind, o.Exact, got, err, want)
					}
				}
			}
		}
	})
}

// TestRecordsAndCalls checks that records have the verdicts and reasons of the rows of a call with
// the same bytes, many of which are at the limits of their range.
func TestRecordsAndCalls(t *testing.T) {
	r := rand.New(rand.NewSource(32))
	const n = 3000
	edges := []*big.Int{reference.P(), reference.N(), new(big.Int).Rsh(reference.N(), 1)}
	number := func(b []byte) {
		switch r.Intn(8) {
		case 0:
			clear(b)
		case 1, 2:
			x := new(big.Int).Add(edges[r.Intn(3)], big.NewInt(int64(r.Intn(3)-1)))
			x.FillBytes(b)
		case 3:
			r.Read(b)
		}
	}
	for _, rules := range []device.Rules{0, device.Uncompressed, device.LowS, device.Hashed} {
		for _, kind := range []Kind{Schnorr, ECDSA} {
			if kind == ECDSA && rules == device.Hashed || kind == Schnorr && rules == device.Uncompressed {
				continue
			}
			c := newCall(r, kind, rules, n/20)
			for k := range c.Columns {
				c.Columns[k].Data = slices.Repeat(c.Columns[k].Data, 20)
			}
			c.Rows, c.Verdicts = n, make([]Verdict, n)
			for i := range n {
				sig := c.Columns[2].Data[64*i:][:64]
				key := c.Columns[1].Data[i*c.Columns[1].Stride:][:c.Columns[1].Stride]
				number(sig[:32])
				number(sig[32:])
				if number(key[len(key)%2:][:32]); kind == ECDSA && r.Intn(9) == 0 {
					key[0] = byte(r.Intn(6))
					c.Columns[3].Data[i] = byte(r.Intn(6))
				}
			}
			b, got, want := recordsOf(c), make([]Reason, n), make([]Reason, n)
			verdicts := make([]Verdict, n)
			valid, err := Do(context.Background(), c, Options{Exact: true, Reasons: want})
			if err != nil || valid == 0 {
				t.Fatal(valid, err)
			}
			_, err = b.Verify(context.Background(), kind, rules, verdicts, Options{Reasons: got})
			for i := range n {
				if err != nil || verdicts[i] != c.Verdicts[i] || got[i] != want[i] {
					t.Fatalf("%v, rules %v, row %d: %v %v, %v, want %v %v", kind, rules, i, verdicts[i], got[i],
						err, c.Verdicts[i], want[i])
				}
			}
		}
	}
}

// TestReadOnce checks that keys are compressed for a device from bytes that are read once.
func TestReadOnce(t *testing.T) {
	for i := range int64(2) { // keys of both parities
		wide, other := uncompressed(big.NewInt(5+i)), uncompressed(big.NewInt(6-i))
		want := append([]byte{2 | wide[64]&1}, wide[1:33]...)
		changing.Each(t, wide[:], other[:], func(b []byte) {
			call := &device.Call{Kind: ECDSA, Rules: device.Uncompressed, Rows: 1}
			call.Columns[1] = device.Column{Data: b, Stride: 65}
			o := Options{Device: &enginetest.Fake{Accept: compressedOnly}, Workers: 1}
			got, ok := newColumns(call, o).forDevice(ECDSA)
			if !ok || !slices.Equal(got.Columns[1].Data, want) {
				t.Errorf("for a device: %x, want %x", got.Columns[1].Data, want)
			}
		})
	}
}
