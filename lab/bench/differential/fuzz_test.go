package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	dcr "github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// opened is libsecp256k1, with a generator whose pool all inputs use.
var opened = sync.OnceValues(func() (*generator, error) {
	lib, err := peer.OpenLibsecp("../rust")
	if err != nil {
		return nil, err
	}
	return newGenerator(1, lib), nil
})

var seed sync.Once // OSS-Fuzz calls FuzzAll for each input

// resized has the index of the field that may have any length, for operations with such a field.
var resized = map[string]int{"ECDSA verify": 0, "ECDSA verify, low s": 0, "ECDSA verify, DER": 2,
	"BIP-340 verify": 1, "parse and decompress": 0, "ECDH": 1, "key + tweak·G": 0}

// FuzzAll checks that koblitz, libsecp256k1 and dcrec accept and refuse the same cases of all
// operations, with the same results. The first byte of an input chooses the operation, the second
// one the lengths of fields and koblitz's function, and the third one the number of changes of the
// case, which follow. All further bytes are the tape that the generator of cases reads.
func FuzzAll(f *testing.F) {
	shared, err := opened()
	if err != nil {
		f.Skipf("without libsecp256k1: %v", err)
	}
	all := operations()
	seed.Do(func() {
		random := rand.NewChaCha8([32]byte{})
		for i := range 40 * len(all) {
			in := make([]byte, 150)
			random.Read(in)
			in[0] = byte(i % len(all))
			f.Add(in)
		}
	})
	f.Fuzz(func(t *testing.T, in []byte) {
		in = slices.Concat(in, make([]byte, 16)) // for short inputs
		o, mode, read := all[int(in[0])%len(all)], in[1], tape(in[15:])
		g := generator{rand.New(&read), shared.lib, shared.pool,
			block{width: 33 + 32*int(mode&1), cut: mode&2 != 0, bip340: 32}}
		if mode&4 != 0 {
			g.bip340 = int(mode)
		}
		c := o.next(&g)
		free, some := resized[o.name]
		together, length := mode&8 != 0, len(c[free])
		for change := range slices.Chunk(in[3:][:4*max(int(in[2]%8)-4, 0)], 4) { // most have none
			i, remove, insert := int(change[0])%len(c), 1, 1
			if some && i == free {
				remove, insert = int(change[1]&1), int(change[1]>>1&1)
			}
			at := int(change[2]) % max(len(c[i])+1-remove, 1)
			c[i] = slices.Replace(c[i], at, min(at+remove, len(c[i])), change[3:3+insert]...)
		}
		if key := c[free]; some && len(key) == 65 && key[0]|1 == 7 {
			return // the others accept hybrid encodings of keys
		}
		ours, _ := o.compute([][][]byte{c}, together && len(c[free]) == length, mode&16 != 0)
		answers := [][]byte{ours[0], o.theirs(shared.lib, c)}
		if f := dcrec[o.name]; f != nil && (o.name != "BIP-340 verify" || len(c[1]) == 32) {
			answers = append(answers, f(c))
		}
		for _, answer := range answers[1:] {
			if !bytes.Equal(answer, answers[0]) {
				t.Fatalf("%s %x: %x by koblitz, libsecp256k1, dcrec", o.name, c, answers)
			}
		}
	})
}

// A tape is a source of random numbers, two bytes each. After its end it repeats a pattern.
type tape []byte

func (t *tape) Uint64() uint64 {
	if len(*t) < 2 {
		*t = append(*t, 0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233)
	}
	x := binary.BigEndian.Uint16(*t)
	*t = (*t)[2:]
	return uint64(x) * 0x9e3779b97f4a7c15 // both bytes reach the bits that callers use
}

// dcrec has the operations of dcrec, and of btcec, which calls dcrec.
var dcrec = map[string]func(c [][]byte) []byte{
	"ECDSA verify":        dcrVerify(dcrSignature, false),
	"ECDSA verify, low s": dcrVerify(dcrSignature, true),
	"ECDSA verify, DER":   dcrVerify(ecdsa.ParseDERSignature, true),
	"BIP-340 verify": with(schnorr.ParsePubKey, func(k *dcr.PublicKey, c [][]byte) ([]byte, error) {
		sig, err := schnorr.ParseSignature(c[1])
		return yes(err == nil && sig.Verify(c[0], k)), nil
	}),
	"recover": func(c [][]byte) []byte {
		k, _, err := ecdsa.RecoverCompact(slices.Concat([]byte{31 + c[1][64]}, c[1][:64]), c[0])
		if err != nil || c[1][64] > 3 {
			return nil
		}
		return k.SerializeCompressed()
	},
	"parse and decompress": with(dcr.ParsePubKey, func(k *dcr.PublicKey, _ [][]byte) ([]byte, error) {
		return k.SerializeUncompressed(), nil
	}),
	"key + tweak·G": with(dcr.ParsePubKey, func(k *dcr.PublicKey, c [][]byte) ([]byte, error) {
		var tweak dcr.ModNScalar
		var p, q dcr.JacobianPoint
		overflow := tweak.SetByteSlice(c[0])
		dcr.ScalarBaseMultNonConst(&tweak, &q)
		k.AsJacobian(&p)
		dcr.AddNonConst(&p, &q, &q)
		if q.ToAffine(); overflow || q.X.IsZero() && q.Y.IsZero() {
			return nil, nil
		}
		return dcr.NewPublicKey(&q.X, &q.Y).SerializeCompressed(), nil
	}),
}

func dcrVerify(parse func([]byte) (*ecdsa.Signature, error), low bool) func(c [][]byte) []byte {
	return with(dcr.ParsePubKey, func(k *dcr.PublicKey, c [][]byte) ([]byte, error) {
		sig, err := parse(c[1])
		if err != nil {
			return nil, err
		}
		s := sig.S()
		return yes(sig.Verify(c[0], k) && !(low && s.IsOverHalfOrder())), nil
	})
}

func dcrSignature(b []byte) (*ecdsa.Signature, error) {
	var r, s dcr.ModNScalar
	if r.SetByteSlice(b[:32]) || s.SetByteSlice(b[32:]) {
		return nil, errors.New("not below n")
	}
	return ecdsa.NewSignature(&r, &s), nil
}
