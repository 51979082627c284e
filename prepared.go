package koblitz

import (
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A PreparedKey is a public key with a table of its multiples, for keys that sign often. With it
// ecdsa.VerifyPrepared and schnorr.VerifyPrepared return the verdicts of the functions without a
// table, but sooner. A PreparedKey does not change, and any number of goroutines may use it at the
// same time. The zero value is no key.
type PreparedKey keys.Prepared

// Prepare returns k with the largest table that takes at most maxBytes of memory, or nil if there
// is no key. There are six sizes. The table gives, for portable Go on amd64 with 64 keys in use,
// the factor by which verification is faster, and how many verifications without a table take as
// long as Prepare:
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
// A table that is in no cache of the CPU is little slower, because all entries that a verification
// reads are loaded at the same time: with 4096 keys in turn, and so more than 100 MB of tables, the
// largest size is still the fastest.
//
// The time depends on k. While it runs, Prepare takes three to four times the memory of the table.
//
//ct:public takes a public key, which it or its caller publishes
func (k *PublicKey) Prepare(maxBytes int) *PreparedKey {
	a := k.affine()
	if a == nil {
		return nil
	}
	return (*PreparedKey)(keys.NewPrepared(a, vartime.NewSplitTable(a, maxBytes)))
}

// Prepare is PublicKey.Prepare for the point that k represents.
//
//ct:public takes a public key, which it or its caller publishes
func (k *XOnlyPublicKey) Prepare(maxBytes int) *PreparedKey {
	return k.PublicKey().Prepare(maxBytes)
}

// PublicKey returns the key that was prepared, or nil if there is no key. If that was an x-only
// key, PublicKey returns the point that it stands for.
//
//ct:public takes a public key, which it or its caller publishes
func (k *PreparedKey) PublicKey() *PublicKey {
	a := (*keys.Prepared)(k).Affine()
	if a == nil {
		return nil
	}
	return newPublicKey(a)
}

// IsZero reports whether k holds no key: it is nil or a zero value.
//
//ct:public takes a public key, which it or its caller publishes
func (k *PreparedKey) IsZero() bool { return (*keys.Prepared)(k).Affine() == nil }

// Size returns the size of k's table in bytes, 0 if it has none.
//
//ct:public takes a public key, which it or its caller publishes
func (k *PreparedKey) Size() int {
	c := (*keys.Prepared)(k).Table()
	if c == nil {
		return 0
	}
	return c.Size()
}

// String returns the compressed encoding of the key in hexadecimal.
//
//ct:public takes a public key, which it or its caller publishes
func (k PreparedKey) String() string {
	if k.IsZero() {
		return "koblitz.PreparedKey(zero)"
	}
	return k.PublicKey().String()
}
