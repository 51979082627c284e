package peer

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ellswift"
)

// The operations of BIP-324. ellswiftEncode draws a random encoding of a parsed key. Peers draw
// different ones, so results are decoded before they are compared. ellswiftDecode returns the key
// of an encoding, and ellswiftECDH the secret that a key of row i shares with the owner of row i +
// 1. ellswiftMany decodes many encodings.
const (
	ellswiftEncode = "ellswift-encode"
	ellswiftDecode = "ellswift-decode"
	ellswiftECDH   = "ellswift-ecdh"
	ellswiftMany   = "ellswift-decode-batch"
)

// encoding returns an encoding of a key of 33 bytes.
func encoding(key, aux []byte) []byte {
	return must(ellswift.Encode(must(koblitz.ParsePublicKey(key)), aux))
}

// ellswiftDrivers adds to d the operations of BIP-324.
func ellswiftDrivers(in *Inputs, d map[string]Driver) {
	var (
		keys   [Rows]*koblitz.PrivateKey
		public [Rows]*koblitz.PublicKey
		last   []byte
		key    *koblitz.PublicKey
		buf    = make([]byte, 0, 32)
	)
	for i := range Rows {
		keys[i] = must(koblitz.ParsePrivateKey(in.Secret[i]))
		public[i] = keys[i].PublicKey()
	}
	d[ellswiftEncode] = stores(Public, func(i int) {
		last = must(ellswift.Encode(public[i], in.Aux[i]))
	}, func() []byte { return must(ellswift.Decode(last)).Bytes() })
	d[ellswiftDecode] = stores(Public, func(i int) {
		key = must(ellswift.Decode(in.Ellswift[i]))
	}, func() []byte { return key.Bytes() })
	d[ellswiftECDH] = returns(Constant, func(i int) []byte {
		theirs := in.Ellswift[(i+1)%Rows]
		return must(ellswift.AppendSharedSecret(buf, keys[i], in.Ellswift[i], theirs, i%2 == 0))
	})
}

// ellswiftRows adds to d the drivers that decode one encoding after another.
func ellswiftRows(in *Inputs, d map[string]Driver) {
	var last *koblitz.PublicKey
	rowByRow(in, d, ellswiftMany, "one by one", func(i int) {
		last = must(ellswift.Decode(in.Many.Ellswift[i]))
	}, func() []byte { return last.Bytes()[1:] })
}

// decodes returns the driver that decodes the first n encodings in one call.
func (b *batches) decodes(n int) Driver {
	x, encodings := make([]byte, 32*n), slices.Concat(b.in.Ellswift[:n]...)
	rows := batch.EllswiftRows{Encodings: batch.Packed(encodings, 64)}
	return stores(Public, func(int) {
		accept(must(rows.XOnlyPublicKeys(context.Background(), x, b.verdicts[:n], oneThread)) == n)
	}, func() []byte { return slices.Clone(x) })
}

// koblitzEllswift sets the functions of BIP-324 in f.
func koblitzEllswift(f *Functions) {
	f.EllswiftX = func(b []byte) []byte { return must(ellswift.Decode(b)).XOnlyPublicKey().Bytes() }
	f.EllswiftSecret = func(secret, ours, theirs []byte, initiating bool) []byte {
		key := must(koblitz.ParsePrivateKey(secret))
		return must(ellswift.SharedSecret(key, ours, theirs, initiating))
	}
}
