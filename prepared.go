package koblitz

import (
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A PreparedKey is a public key with a table of its multiples, for a key that
// verifies often: ecdsa.VerifyPrepared and schnorr.VerifyPrepared come to the
// verdicts of the functions without a table, sooner. It does not change, and
// may be used from any number of goroutines. The zero value is no key.
type PreparedKey keys.Prepared

// Prepare returns k with the largest table that takes at most maxBytes of
// memory, or nil if there is no key. There are six sizes. In portable Go on
// amd64, with 64 keys in use, verification is faster by the first factor, and
// preparing takes the time of so many verifications without a table:
//
//	bytes           faster  preparing
//	1024   (1 KiB)    1.5      0.8
//	2048   (2 KiB)    1.7      1
//	4096   (4 KiB)    1.8      1.2
//	8192   (8 KiB)    1.9      1.7
//	13312 (13 KiB)    2.1      2.1
//	26624 (26 KiB)    2.2      3.4
//
// The key itself takes some 150 bytes more. Below 1024 bytes there is no table,
// and the key verifies like one that was not prepared.
//
// A table that is in no cache costs little, because all that is read of it is
// asked for at once: with 4096 keys in turn, more than 100 MB of tables, the
// largest size is still the fastest.
//
// The time depends on k. While it runs, preparing takes three to four times the
// memory of the table.
//
//ct:public takes a public key, which it or its caller publishes
func (k *PublicKey) Prepare(maxBytes int) *PreparedKey {
	a := k.affine()
	if a == nil {
		return nil
	}
	return (*PreparedKey)(keys.NewPrepared(a, vartime.NewSplitTable(a, maxBytes)))
}

// Prepare is PublicKey.Prepare for the point that k stands for.
//
//ct:public takes a public key, which it or its caller publishes
func (k *XOnlyPublicKey) Prepare(maxBytes int) *PreparedKey {
	return k.PublicKey().Prepare(maxBytes)
}

// PublicKey returns the key that was prepared, or nil if there is none. For an
// x-only key that is the point with an even y coordinate.
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

// Size returns how many bytes the table of k takes, 0 if it has none.
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
