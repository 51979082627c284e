package halfagg

import (
	"crypto/sha256"
	"fmt"
	"hash"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A Statement is a public key, and the message that was signed under it.
type Statement struct {
	Key     [32]byte // x coordinate, big-endian, as for koblitz.ParseXOnlyPublicKey
	Message [32]byte
}

// Aggregate returns the aggregate of signatures[i] on statements[i] (Aggregate of BIP-458). It has
// 32·(u + 1) bytes for u signatures: the first half of each signature, and the weighted sum of the
// second halves. The aggregate of no signatures is 32 zero bytes.
//
// Aggregate does not verify the signatures. It returns an error if the numbers of statements and
// signatures differ, or if the second half of a signature is not below n.
func Aggregate(statements []Statement, signatures [][64]byte) ([]byte, error) {
	return IncAggregate(make([]byte, 32), nil, statements, signatures)
}

// IncAggregate returns the aggregate of the signatures in an aggregate of the statements
// aggregated, and of signatures[i] on added[i] (IncAggregate of BIP-458). The result is that of a
// single Aggregate for all statements in this order. The arguments keep their contents.
//
// IncAggregate verifies neither the aggregate nor the signatures. It returns an error if the
// aggregate does not have 32 bytes more than 32 for each statement, if its sum or the second half
// of a signature is not below n, or if the numbers of added statements and signatures differ.
func IncAggregate(
	aggregate []byte, aggregated, added []Statement, signatures [][64]byte,
) ([]byte, error) {
	if len(added) != len(signatures) {
		return nil, fmt.Errorf("halfagg: %d signatures for %d statements", len(signatures), len(added))
	}
	sum, err := parseSum(aggregate, len(aggregated))
	if err != nil {
		return nil, err
	}
	nonces := make([]byte, 0, 32*(len(aggregated)+len(added)+1))
	factors := newRandomizers()
	for i := range aggregated {
		nonces = append(nonces, factors.add(nonce(aggregate, i), aggregated[i])[:32]...)
	}
	for i := range added {
		var s, z group.Scalar
		if _, err := s.SetBytes(signatures[i][32:]); err != nil {
			return nil, fmt.Errorf("halfagg: signature %d: s: %w", i, err)
		}
		nonces = append(nonces, factors.add(signatures[i][:32], added[i])[:32]...)
		sum.Add(sum, s.Mul(&s, factors.current(&z)))
	}
	return sum.AppendBytes(nonces), nil
}

// parseSum returns the last 32 bytes of an aggregate of the given number of statements as a number.
func parseSum(aggregate []byte, statements int) (*group.Scalar, error) {
	if len(aggregate)%32 != 0 || len(aggregate)/32 != statements+1 {
		return nil, fmt.Errorf("halfagg: aggregate: %d bytes for %d statements, want 32 for each and 32",
			len(aggregate), statements)
	}
	s, err := new(group.Scalar).SetBytes(aggregate[32*statements:])
	if err != nil {
		return nil, fmt.Errorf("halfagg: aggregate: s: %w", err)
	}
	return s, nil
}

// nonce returns the first half of signature i of an aggregate: the x coordinate of its nonce point.
func nonce(aggregate []byte, i int) []byte { return aggregate[32*i : 32*i+32] }

// randomizers computes the factors of the signatures in an aggregate. Factor i is the tagged hash
// of nonces, keys and messages 0 to i. Factor 0 is 1, which saves a multiplication and is as secure
// (ePrint 2022/222).
type randomizers struct {
	state hash.Hash // after the nonces, keys and messages so far
	count int       // number of signatures in state
	last  [96]byte  // the last nonce, key and message
}

func newRandomizers() *randomizers {
	z := &randomizers{state: sha256.New()}
	tag := sha256.Sum256([]byte("HalfAgg/randomizer"))
	z.state.Write(tag[:])
	z.state.Write(tag[:])
	return z
}

// add appends a signature's nonce and statement to the input of the hash. It returns a copy of
// them, which is valid until the next call. Callers use the copy, because the memory of their own
// callers may change after it was hashed.
func (z *randomizers) add(nonce []byte, s Statement) *[96]byte {
	copy(z.last[:], nonce)
	copy(z.last[32:], s.Key[:])
	copy(z.last[64:], s.Message[:])
	z.state.Write(z.last[:])
	z.count++
	return &z.last
}

// current sets f to the factor of the signature that was added last, and returns f.
func (z *randomizers) current(f *group.Scalar) *group.Scalar {
	if z.count == 1 {
		return f.SetUint64(1)
	}
	var digest [32]byte
	return modn.Reduce(f, (*[32]byte)(z.state.Sum(digest[:0])))
}
