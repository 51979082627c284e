package engine

import (
	"math/big"
	"math/rand"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// The forms of a key of BIP-340: the x coordinate alone, or a point whose y is odd or even.
const (
	xOnly = iota
	oddY
	evenY
)

// setSchnorr sets a record to a valid one for a random message, with the key x·G and the nonce
// point k·G or their negatives.
func setSchnorr(b *Record, r *rand.Rand, x, k *big.Int, form int) {
	pub, sig, msg := signSchnorr(r, x, k)
	if form == xOnly {
		b.SetKeyX(pub)
	} else {
		p := multipleOfG(x)
		if p.Y.IsOdd().Bool() != (form == oddY) {
			p.Y.Neg(&p.Y).Normalize()
		}
		b.SetKey(&p)
	}
	b.SetSchnorr(msg, sig, nil)
}

// signSchnorr returns a signature on a random message as BIP-340 specifies it, with the key x and
// the nonce k.
func signSchnorr(r *rand.Rand, x, k *big.Int) (pub, sig, msg []byte) {
	msg = reference.Bytes(r, 32)
	// even returns k or −k, the one whose multiple of G has an even y, and the x coordinate.
	even := func(k *big.Int) (*scalar.Scalar, []byte) {
		p, s := multipleOfG(k), vartimetest.Scalar(k)
		if p.Y.IsOdd() == 1 {
			s.Neg(s)
		}
		return s, uncompressed(k)[1:33]
	}
	nonce, rx := even(k)
	secret, pub := even(x)
	challenge := reference.TaggedHash("BIP0340/challenge", rx, pub, msg)
	e := vartimetest.Scalar(new(big.Int).SetBytes(challenge))
	var s [32]byte
	e.Mul(e, secret).Add(e, nonce).PutBytes(&s)
	return pub, append(rx, s[:]...), msg
}

// schnorrRecords returns n valid records. Record i has the key keys[i % len(keys)] in the form
// forms[i % len(forms)].
func schnorrRecords(r *rand.Rand, n int, keys []*big.Int, forms ...int) *Records {
	b := new(Records)
	for i := range n {
		setSchnorr(b.Add(), r, keys[i%len(keys)], reference.Secret(r), forms[i%len(forms)])
	}
	return b
}

// ecdsaRecords returns n valid records with their recovery ids. Record i has the key
// keys[i % len(keys)], compressed.
func ecdsaRecords(r *rand.Rand, n int, keys []*big.Int) *Records {
	b := new(Records)
	for i := range n {
		key, hash := keys[i%len(keys)], reference.Bytes(r, 32)
		rr, ss, id, ok := reference.SignECDSA(key, hash, reference.Secret(r))
		if !ok {
			panic("no signature")
		}
		wide, record := uncompressed(key), b.Add()
		record.SetEncodedKey(append([]byte{2 | wide[64]&1}, wide[1:33]...))
		record.SetECDSARecoverable(hash, append(bytes64(rr, ss)[:], byte(id)))
	}
	return b
}

// parsed returns the parsed rows of records.
func parsed(b *Records, kind Kind) []*row {
	rows := make([]row, b.Len())
	if len(rows) > 0 {
		b.columns(kind, 0, Options{}).parse(rows, 0)
	}
	return pointers(rows)
}

// pointers returns pointers to the rows.
func pointers(rows []row) []*row {
	list := make([]*row, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return list
}

func schnorrRows(r *rand.Rand, n int, keys []*big.Int, forms ...int) []*row {
	return parsed(schnorrRecords(r, n, keys, forms...), Schnorr)
}

func ecdsaRows(r *rand.Rand, n int, keys []*big.Int) []*row {
	return parsed(ecdsaRecords(r, n, keys), ECDSA)
}

// copies returns n rows: copies of all rows, in turns.
func copies(rows []*row, n int) []*row {
	out := make([]row, n)
	for i := range out {
		out[i] = *rows[i%len(rows)]
	}
	return pointers(out)
}

// newCall returns a call of kind Schnorr or ECDSA with n valid rows. ECDSA rows have recovery ids.
func newCall(r *rand.Rand, kind Kind, rules device.Rules, n int) *device.Call {
	keys, widths, b := someKeys(r, n), [4]int{32, 33, 64, 1}, (*Records)(nil)
	if kind == Schnorr {
		widths, b = [4]int{32, 32, 64, 0}, schnorrRecords(r, n, keys, xOnly)
	} else {
		b = ecdsaRecords(r, n, keys)
	}
	from := b.columns(kind, rules, Options{})
	c := &device.Call{Kind: kind, Rules: rules, Rows: n, Verdicts: make([]Verdict, n)}
	for k, width := range widths {
		for i := 0; i < n && width > 0; i++ {
			field := from.Columns[k].Data[i*recordSize:]
			switch {
			case k == 1 && kind == Schnorr:
				field = field[1:]
			case k == 1 && rules&device.Uncompressed != 0:
				field, width = uncompressed(keys[i])[:], 65
			case k == 0 && rules&device.Hashed != 0:
				field = new([32]byte)[:]
				from.record(i).challenge((*[32]byte)(field))
			}
			c.Columns[k].Data = append(c.Columns[k].Data, field[:width]...)
			c.Columns[k].Stride = width
		}
	}
	return c
}

func multipleOfG(k *big.Int) (p point.Affine) {
	var j point.Jacobian
	vartime.ScalarBaseMult(&j, vartimetest.Scalar(k))
	p.SetJacobianVartime(&j)
	return p
}

func uncompressed(key *big.Int) *[65]byte {
	p := multipleOfG(key)
	out := new([65]byte)
	putUncompressed(out, &p)
	return out
}

func someKeys(r *rand.Rand, n int) []*big.Int {
	keys := make([]*big.Int, n)
	for i := range keys {
		keys[i] = reference.Secret(r)
	}
	return keys
}

func bytes32(x *big.Int) *[32]byte { return (*[32]byte)(x.FillBytes(make([]byte, 32))) }

func bytes64(x, y *big.Int) *[64]byte {
	return (*[64]byte)(append(bytes32(x)[:], bytes32(y)[:]...))
}
