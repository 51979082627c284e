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

// mixedRecords returns records of all sorts, and the reason that each of them must get under the
// rule of low s. If ids is set, all ECDSA records with a signature have recovery ids.
func mixedRecords(r *rand.Rand, kind Kind, ids bool) (b *Records, reasons []Reason) {
	const sorts = 19
	b = schnorrRecords(r, 2*sorts, someKeys(r, 1), evenY)
	b.Reset() // new records are in the memory of valid ones
	isECDSA := kind == ECDSA
	for i := range 2 * sorts {
		key, nonce, msg, why := reference.Secret(r), reference.Secret(r), reference.Bytes(r, 32), NoReason
		sort, p, wide, row := i%sorts, multipleOfG(key), uncompressed(key), b.Add()
		if kind == Schnorr && sort == 0 {
			msg = reference.Bytes(r, 40)
		}
		sig, _ := reference.SignBIP340(key, msg, bytes32(nonce)[:])
		// For the message or the challenge zero, (r/s)·P = R for r = s and R = P, and s·G = R for R
		// = P.
		forged := bytes64(new(big.Int).SetBytes(wide[1:33]), new(big.Int).SetBytes(wide[1:33]))
		if rr, ss, id, _ := reference.SignECDSA(key, msg, nonce); isECDSA {
			ss, id = reference.LowS(ss, id)
			sig = append(bytes64(rr, ss)[:], byte(id))
		} else if copy(forged[32:], bytes32(key)[:]); p.Y.IsOdd().Bool() {
			copy(forged[32:], bytes32(new(big.Int).Sub(curve.Order, key))[:])
		}
		if sort < 9 || sort > 10 {
			row.SetKey(&p)
		}
		switch sort {
		case 1:
			row.SetEncodedKey(wide[:])
		case 2:
			wide[40] ^= 1
			row.SetEncodedKey(wide[:])
			why = KeyNotOnCurve
		case 3: // the key is judged before the signature
			row.SetEncodedKey(wide[:64])
			sig, why = sig[:20], KeyEncoding
		case 4:
			row.SetKeyX(wide[1:32])
			why = KeyEncoding
		case 5:
			row.SetKeyX(slices.Repeat([]byte{0xff}, 32))
			why = KeyRange
		case 6: // the first byte of another encoding
			row.SetEncodedKey(append([]byte{2}, wide[1:]...))
			why = KeyEncoding
		case 7:
			row.SetEncodedKey(append([]byte{4}, wide[1:33]...))
			why = KeyEncoding
		case 8:
			row.SetKey(nil)
			why = KeyMissing
		case 9:
			why = KeyMissing
		case 10, 11: // nothing is set, or setting the signature panicked
			*row.sig() = *forged
			why = KeyMissing
		case 12:
			sig, why = sig[:63], SignatureLength
		case 13:
			copy(sig, slices.Repeat([]byte{0xff}, 32))
			why = RRange
		case 14:
			msg[7] ^= 1
			why = WrongSignature
		case 15:
			if isECDSA {
				msg, sig, why = make([]byte, 19), append(forged[:], 0), HashLength
			}
		case 16:
			if isECDSA && ids {
				sig[64], why = 4, RecoveryIDRange
			}
		case 17, 18: // no point has the x coordinate 5, which is found before s is judged
			if sort == 17 {
				row.SetKeyX(bytes32(big.NewInt(5))[:])
				why = KeyNotOnCurve
			}
			if isECDSA {
				s := new(big.Int).SetBytes(sig[32:64])
				copy(sig[32:], bytes32(s.Sub(curve.Order, s))[:])
				if sig[64] ^= 1; sort == 18 {
					why = HighS
				}
			}
		}
		if isECDSA && (sort == 12 || sort == 13) {
			msg = msg[:19] // the signature is judged before the length of the hash
		}
		switch {
		case sort == 10 || sort == 11:
		case isECDSA && (ids || i%2 == 0):
			row.SetECDSARecoverable(msg, sig)
		case isECDSA:
			row.SetECDSA(msg, sig[:min(64, len(sig))])
		case sort == 1:
			challenge := reference.TaggedHash("BIP0340/challenge", sig[:32], wide[1:33], msg)
			row.SetSchnorr(msg, sig, nil)
			*row.hash() = [32]byte(challenge)
			row[recordState] |= isChallenge
		default:
			row.SetSchnorr(msg, sig, nil)
		}
		reasons = append(reasons, why)
	}
	return b, reasons
}

// TestRecords checks the reasons of records of all sorts, including records that were only partly
// set because a panic, from which the caller has recovered, interrupted the method. It also checks
// whether each record is valid without the others.
func TestRecords(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(43))
		for _, kind := range []Kind{Schnorr, ECDSA} {
			for _, ids := range []bool{false, true} {
				b, want := mixedRecords(r, kind, ids)
				got, verdicts := make([]Reason, len(want)), make([]Verdict, len(want))
				for _, o := range []Options{{Workers: 1}, {Workers: 2, Exact: true}} {
					o.Reasons = got
					_, err := b.Verify(context.Background(), kind, device.LowS, verdicts, o)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%v, %v: %v, %v, want %v", kind, o.Exact, got, err, want)
					}
				}
				for i, why := range want {
					record := (*Record)(b.bytes[i*recordSize:])
					if ok := record.IsValid(kind, device.LowS); ok != (why == NoReason) {
						t.Errorf("%v, record %d without others: %v, want %v", kind, i, ok, why)
					}
				}
			}
		}
	})
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

// TestHoldTogether checks that HoldTogether finds a signature that is not valid, that no later call
// uses the memory in which it was parsed, and that Wipe clears the records.
func TestHoldTogether(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	b := schnorrRecords(r, 300, someKeys(r, 300), xOnly)
	if !b.HoldTogether(Schnorr, 0) {
		t.Error("valid signatures do not hold")
	}
	b.bytes[recordSize+recordSig+63] ^= 1
	for chunks.Get() != nil {
	}
	if b.HoldTogether(Schnorr, 0) || chunks.Get() != nil {
		t.Error("a wrong signature holds, or a later call uses its memory")
	}
	memory := b.bytes
	if b.Wipe(); b.Len() > 0 || slices.Max(memory) > 0 {
		t.Error("records are left")
	}
}
