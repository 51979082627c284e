package engine

import (
	"math/big"
	"math/rand"

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

// setSchnorr sets a row to a valid one for a random message, with the key x·G and the nonce point
// k·G or their negatives.
func setSchnorr(row Row, r *rand.Rand, x, k *big.Int, form int) {
	pub, sig, msg := signSchnorr(r, x, k)
	if form == xOnly {
		row.SetKeyX(pub)
	} else {
		p := multipleOfG(x)
		if p.Y.IsOdd().Bool() != (form == oddY) {
			p.Y.Neg(&p.Y).Normalize()
		}
		row.SetKey(&p, nil)
	}
	row.SetSchnorr(msg, sig)
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

// schnorrRows returns n valid rows. Row i has the key keys[i % len(keys)] in the form
// forms[i % len(forms)].
func schnorrRows(r *rand.Rand, n int, keys []*big.Int, forms ...int) *Rows {
	rows := newRows(n)
	for i := range n {
		k := reference.Secret(r)
		setSchnorr(Row{&rows, i}, r, keys[i%len(keys)], k, forms[i%len(forms)])
	}
	return &rows
}

// ecdsaRows returns n valid rows with their recovery ids. Row i has the key keys[i % len(keys)].
func ecdsaRows(r *rand.Rand, n int, keys []*big.Int) *Rows {
	rows := new(Rows)
	for i := range n {
		key, hash := keys[i%len(keys)], reference.Bytes(r, 32)
		rr, ss, id, ok := reference.SignECDSA(key, hash, reference.Secret(r))
		if !ok {
			panic("no signature")
		}
		row := next(rows)
		row.SetEncodedKey(uncompressed(key)[:])
		row.SetECDSARecoverable(hash, append(bytes64(rr, ss)[:], byte(id)), false)
	}
	return rows
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
