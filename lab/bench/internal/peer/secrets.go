package peer

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
)

// The families of operations on many secrets. pubkeys computes the public keys of the rows'
// secrets. ecdhPairs computes the x coordinate of each secret's product with the key of another
// row, and ecdhOne that of one secret's product with the key of each row.
const (
	pubkeys   = "pubkeys-batch"
	ecdhPairs = "ecdh-batch-pairs"
	ecdhOne   = "ecdh-batch-one"
)

// peerKey returns the key with which row i's secret is multiplied in the family ecdhPairs: the key
// of the next row.
func (m *ManyRows) peerKey(i int) []byte { return m.Key[(i+1)%len(m.Key)] }

// sharedX returns the x coordinate of the product of a secret and a key of 33 bytes, by koblitz's
// function for one secret and one key.
func sharedX(secret, key []byte) []byte {
	return must(ecdh.SharedX(must(koblitz.ParsePrivateKey(secret)), must(koblitz.ParsePublicKey(key))))
}

// secretsOnOneThread limits koblitz's batch functions on secrets to one thread, as oneThread limits
// those on public data.
var secretsOnOneThread = &batch.SecretOptions{Workers: 1}

func (b *batches) pubkeys(n int) Driver {
	rows := batch.SecretRows{Secrets: b.secrets(n)}
	return b.values(n, 33, func(dst []byte) (int, error) {
		return rows.PublicKeys(context.Background(), dst, b.verdicts[:n], secretsOnOneThread)
	})
}

func (b *batches) ecdhPairs(n int) Driver {
	var keys []byte
	for i := range n {
		keys = append(keys, b.in.peerKey(i)...)
	}
	return b.shared(n, batch.ECDHRows{Secrets: b.secrets(n), Keys: packed(keys, 33, n)})
}

func (b *batches) ecdhOne(n int) Driver {
	return b.shared(n, batch.ECDHRows{Secrets: batch.Same(b.secret), Keys: packed(b.key, 33, n)})
}

func (b *batches) shared(n int, rows batch.ECDHRows) Driver {
	return b.values(n, 32, func(dst []byte) (int, error) {
		return rows.SharedX(context.Background(), dst, b.verdicts[:n], secretsOnOneThread)
	})
}

// secrets returns the column of the secrets of the first n rows.
func (b *batches) secrets(n int) batch.Column {
	return batch.Packed(slices.Concat(b.in.Secret[:n]...), 32)
}

// values returns the driver for an operation on secrets that stores n values of the given size in
// dst.
func (b *batches) values(n, size int, find func(dst []byte) (int, error)) Driver {
	dst := make([]byte, n*size)
	do := func(int) { accept(must(find(dst)) == n) }
	return stores(Constant, do, func() []byte { return slices.Clone(dst) })
}

// constantRows works like the function rowByRow, for operations in constant time.
func constantRows(
	in *Inputs, drivers map[string]Driver, family, note string, run func(i int), encode func() []byte,
) {
	d := map[string]Driver{}
	rowByRow(in, d, family, note, run, encode)
	for id, driver := range d {
		driver.Timing = Constant
		drivers[id] = driver
	}
}

// secretRows adds to d the drivers that process one secret after another with koblitz's functions
// for one secret.
func secretRows(in *Inputs, d map[string]Driver) {
	var (
		m      = &in.Many
		one    = must(koblitz.ParsePrivateKey(in.Secret[0]))
		last   = make([]byte, 0, 33)
		result = func() []byte { return slices.Clone(last) }
	)
	constantRows(in, d, pubkeys, "one by one", func(i int) {
		last = must(koblitz.ParsePrivateKey(m.Secret[i])).PublicKey().AppendBytes(last[:0])
	}, result)
	constantRows(in, d, ecdhPairs, "one by one", func(i int) {
		secret := must(koblitz.ParsePrivateKey(m.Secret[i]))
		last = must(ecdh.AppendSharedX(last[:0], secret, must(koblitz.ParsePublicKey(m.peerKey(i)))))
	}, result)
	constantRows(in, d, ecdhOne, "one by one", func(i int) {
		last = must(ecdh.AppendSharedX(last[:0], one, must(koblitz.ParsePublicKey(m.Key[i]))))
	}, result)
}
