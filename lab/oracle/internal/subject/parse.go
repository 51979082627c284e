package subject

import (
	"bytes"
	"errors"
	"io"

	"github.com/btcsuite/btcd/btcec/v2"
	btcecdsa "github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	dcr "github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
	erigon "github.com/erigontech/secp256k1"
)

// parsers holds calls of every function that parses bytes.
var parsers = []func(r *record, b []byte){
	func(r *record, b []byte) { r.write(secp256k1.ParsePubKey(b)) },
	func(r *record, b []byte) { r.write(btcec.ParsePubKey(b)) },
	func(r *record, b []byte) { r.write(dcr.ParsePubKey(b)) },
	func(r *record, b []byte) {
		k, err := schnorr.ParsePubKey(b)
		r.write(k, err)
		if k != nil {
			r.write(schnorr.SerializePubKey(k))
		}
	},
	func(r *record, b []byte) {
		p, err := btcec.ParseJacobian(b)
		r.write(btcec.IsCompressedPubKey(b), err, p, &p.Z)
	},
	func(r *record, b []byte) { r.write(erigon.DecompressPubkey(b)) },
	func(r *record, b []byte) {
		x, y := erigon.S256().Unmarshal(b)
		r.write(x, y, erigon.CompressPubkey(x, y))
	},
	func(r *record, b []byte) {
		k, p := btcec.PrivKeyFromBytes(b)
		r.write(&k.Key, p)
	},
	func(r *record, b []byte) { r.write(ecdsa.ParseDERSignature(b)) },
	func(r *record, b []byte) { r.write(btcecdsa.ParseSignature(b)) },
	func(r *record, b []byte) { r.write(btcecdsa.ParseDERSignature(b)) },
	func(r *record, b []byte) { r.write(btcecdsa.VerifyLowS(b)) },
	func(r *record, b []byte) { r.write(btcecdsa.RecoverCompact(b, make([]byte, 32))) },
	func(r *record, b []byte) { r.output(erigon.RecoverPubkey(make([]byte, 32), b)) },
	func(r *record, b []byte) { r.write(schnorr.ParseSignature(b)) },
	func(r *record, b []byte) { r.write(dcr.ParseSignature(b)) },
	func(r *record, b []byte) { decode(r, bytes.NewReader(b)) },
	func(r *record, b []byte) {
		t := tape(b)
		decode(r, &reader{tape: &t, left: b, err: errors.New("broken")})
	},
}

// decode decodes a partial signature, and writes how many bytes it has not read.
func decode(r *record, from io.Reader) {
	var p musig2.PartialSignature
	err := p.Decode(from)
	left, _ := io.ReadAll(from)
	r.write(err, p.S, p.R, len(left))
}

// parseBytes has every parser parse all bytes of the tape.
func parseBytes(t *tape, r *record) {
	for _, parse := range parsers {
		r.try(func() { parse(r, *t) })
	}
}

// parse parses an encoding, often with faults.
func parse(t *tape, r *record) {
	b := tape(t.encoding())
	if t.byte() < 100 {
		b = t.mutate(b)
	}
	parseBytes(&b, r)
}

// prefixes parses an encoding, all its prefixes, and the encoding with bytes appended. Many of the
// encoded numbers are near the limits of what is accepted.
func prefixes(t *tape, r *record) {
	b := append(t.encoding(), t.bytes(3)...)
	for n := range len(b) + 1 {
		prefix := tape(b[:n:n])
		parseBytes(&prefix, r)
	}
}

// encoding returns an encoded key or signature, often with faults.
func (t *tape) encoding() []byte {
	switch t.below(6) {
	case 0:
		return t.slice()
	case 1:
		return append(t.number()[:], t.number()[:]...)
	case 2:
		b := append([]byte{byte(24 + t.below(16))}, t.number()[:]...)
		return append(b, t.number()[:]...)
	case 3:
		return t.encodedKey()
	default:
		return t.signatureDER()
	}
}

// encodedKey returns an encoded public key, compressed, uncompressed or hybrid, often with faults.
func (t *tape) encodedKey() []byte {
	switch kind := t.byte(); {
	case kind < 60:
		return t.key().SerializeCompressed()
	case kind < 120:
		return t.key().SerializeUncompressed()
	case kind < 160:
		k := t.key()
		b := k.SerializeUncompressed()
		b[0] = 6 | k.SerializeCompressed()[0]&1
		return b
	case kind < 200:
		return append([]byte{byte(t.below(9))}, t.number()[:]...)
	case kind < 240:
		b := append([]byte{byte(t.below(9))}, t.number()[:]...)
		return append(b, t.number()[:]...)
	default:
		return t.bytes(t.below(80))
	}
}

// integerDER returns the DER encoding of an integer, often with faults.
func (t *tape) integerDER() []byte {
	var b []byte
	switch kind := t.byte(); {
	case kind < 150:
		b = t.number()[:]
	case kind < 200: // a short integer: the highest bit of its first byte is set in half of the cases
		b = t.bytes(1 + t.below(3))
	default:
		b = t.slice()
	}
	if t.byte() < 230 {
		for len(b) > 1 && b[0] == 0 {
			b = b[1:]
		}
	}
	if len(b) > 0 && b[0] >= 0x80 && t.byte() < 230 {
		b = append([]byte{0}, b...)
	}
	b = append([]byte{2, byte(len(b))}, b...)
	if t.byte() < 15 {
		b[0] = t.byte()
	}
	if t.byte() < 15 {
		b[1] += byte(t.below(5)) - 2
	}
	return b
}

// signatureDER returns the DER encoding of two integers, often with faults.
func (t *tape) signatureDER() []byte {
	b := append(t.integerDER(), t.integerDER()...)
	b = append([]byte{0x30, byte(len(b))}, b...)
	if t.byte() < 15 {
		b[t.below(2)] += byte(t.below(5)) - 2
	}
	if t.byte() < 20 {
		b = append(b, t.bytes(t.below(256))...)
	}
	return b
}

// mutate returns b, often with one or more changes.
func (t *tape) mutate(b []byte) []byte {
	for t.byte() >= 140 && len(b) > 0 {
		i := t.below(len(b))
		switch t.below(8) {
		case 0:
			b[i] ^= 1 << t.below(8)
		case 1:
			b[i] = t.byte()
		case 2:
			b[i] += byte(t.below(5)) - 2
		case 3:
			b = append(b[:i], b[i+1:]...)
		case 4:
			b = append(b[:i], append([]byte{0}, b[i:]...)...)
		case 5:
			b = b[:i]
		case 6:
			b = append(b, t.bytes(t.below(4))...)
		case 7:
			b[i&3%len(b)] ^= 1 << t.below(8)
		}
	}
	return b
}
