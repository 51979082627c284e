//ct:public takes public keys

package koblitz

import (
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A PreparedKey is a public key with a table of its multiples, for keys that sign often. With a
// PreparedKey, ecdsa.VerifyPrepared and schnorr.VerifyPrepared return the verdicts of the functions
// without a table in less time. A PreparedKey does not change, and any number of goroutines may use
// it at the same time. The zero value holds no key.
type PreparedKey keys.Prepared

// Prepare returns k with the largest table that takes at most maxBytes of memory, or nil if k holds
// no key. There are six sizes. In the list below, "faster" is the factor by which verification gets
// faster, and "preparing" is the time of Prepare in verifications without a table. It was measured
// with portable Go on amd64 and 64 keys in use:
//
//	bytes           faster  preparing
//	1024   (1 KiB)    1.5      0.8
//	2048   (2 KiB)    1.7      1
//	4096   (4 KiB)    1.8      1.2
//	8192   (8 KiB)    1.9      1.7
//	13312 (13 KiB)    2.1      2.1
//	26624 (26 KiB)    2.2      3.4
//
// The key takes some 150 bytes more. If maxBytes is below 1024, there is no table, and verification
// is no faster than without one.
//
// Even a table that is in no cache of the CPU is only a little slower, because all entries that a
// verification reads are loaded at the same time: with 4096 keys used in turn, and so more than 100
// MB of tables, the largest size is still the fastest.
//
// The time depends on k. While it runs, Prepare takes three to four times the memory of the table.
func (k *PublicKey) Prepare(maxBytes int) *PreparedKey {
	a := k.affine()
	if a == nil {
		return nil
	}
	return (*PreparedKey)(keys.NewPrepared(a, vartime.NewSplitTable(a, maxBytes)))
}

// Prepare does the work of PublicKey.Prepare for the point with the x coordinate k and an even y.
func (k *XOnlyPublicKey) Prepare(maxBytes int) *PreparedKey {
	return k.PublicKey().Prepare(maxBytes)
}

// PublicKey returns the key that was prepared, or nil if k holds no key. If an x-only key was
// prepared, PublicKey returns the point with that x coordinate and an even y.
func (k *PreparedKey) PublicKey() *PublicKey {
	a := (*keys.Prepared)(k).Affine()
	if a == nil {
		return nil
	}
	return newPublicKey(a)
}

// IsZero reports whether k holds no key: it is nil or a zero value.
func (k *PreparedKey) IsZero() bool { return (*keys.Prepared)(k).Affine() == nil }

// Size returns the size of k's table in bytes, or 0 if k has no table.
func (k *PreparedKey) Size() int {
	c := (*keys.Prepared)(k).Table()
	if c == nil {
		return 0
	}
	return c.Size()
}

// String returns the compressed encoding of the key in hexadecimal.
func (k PreparedKey) String() string {
	if k.IsZero() {
		return "koblitz.PreparedKey(zero)"
	}
	return k.PublicKey().String()
}
