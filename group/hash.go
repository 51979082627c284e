package group

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/sswu"
)

// This file hashes messages to scalars and points, as RFC 9380 specifies. All its functions take a
// domain separation tag, which names the application, its version and the use of the hash (section
// 3.1). Hashes of one message with different tags are independent of each other. A tag has at least
// one byte, and should have 16 or more. A tag of more than 255 bytes is hashed first (section
// 5.3.3).

var errNoTag = errors.New("group: hash: empty domain separation tag")

// HashToScalar sets s to the hash of msg, modulo n, with the domain separation tag dst, and returns
// s. It is hash_to_field of RFC 9380, section 5.2, for the modulus n, with one element,
// expand_message_xmd, SHA-256 and L = 48. RFC 9591, section 6.5, hashes in this way for FROST. If
// msg is unpredictable, s is uniform, with a bias of at most 2⁻¹²⁸. s may be 0, with a probability
// that is negligible.
//
// If dst is empty, there is an error, and s keeps its value. The time depends only on the lengths.
func (s *Scalar) HashToScalar(msg, dst []byte) (*Scalar, error) {
	if len(dst) == 0 {
		return nil, errNoTag
	}
	secret.Do(func() {
		var wide [64]byte
		hash.ExpandXMD(wide[16:], msg, dst)
		s.value().SetWideBytes(&wide)
		ct.Wipe(wide[:])
	})
	return s, nil
}

// HashToCurve sets p to the hash of msg with the domain separation tag dst, and returns p. It is
// hash_to_curve of RFC 9380, section 3, with the suite secp256k1_XMD:SHA-256_SSWU_RO_ (section
// 8.7). Protocols may treat it as a random oracle. No one knows the discrete logarithm of p. p may
// be the identity, with a probability that is negligible.
//
// If dst is empty, there is an error, and p keeps its value. The time depends only on the lengths.
func (p *Point) HashToCurve(msg, dst []byte) (*Point, error) {
	if len(dst) == 0 {
		return nil, errNoTag
	}
	secret.DoDeep(func() { sswu.Hash(p.value(), msg, dst) })
	p.group().Changed()
	return p, nil
}

// EncodeToCurve sets p to the encoding of msg with the domain separation tag dst, and returns p. It
// is encode_to_curve of RFC 9380, section 3, with the suite secp256k1_XMD:SHA-256_SSWU_NU_ (section
// 8.7), and takes about half of the time of HashToCurve. p is never the identity.
//
// The result is not uniform: about five eighths of the points are never results. Use HashToCurve,
// unless the proof of security of a protocol allows EncodeToCurve.
//
// If dst is empty, there is an error, and p keeps its value. The time depends only on the lengths.
func (p *Point) EncodeToCurve(msg, dst []byte) (*Point, error) {
	if len(dst) == 0 {
		return nil, errNoTag
	}
	secret.DoDeep(func() { sswu.Encode(p.value(), msg, dst) })
	p.group().Changed()
	return p, nil
}

// BatchHashToCurve sets points[i] to the hash of msgs[i] with the domain separation tag dst, as
// HashToCurve does, for every i. The denominators of the points are 1, as after BatchNormalize.
// CPUs with vector instructions that suit the field hash eight messages at a time.
//
// If the lengths of points and msgs differ, or dst is empty, there is an error, and the points keep
// their values. The time depends only on the lengths and the number of messages.
func BatchHashToCurve(points []Point, msgs [][]byte, dst []byte) error {
	if len(points) != len(msgs) {
		return fmt.Errorf("group: hash: %d points for %d messages", len(points), len(msgs))
	}
	if len(dst) == 0 {
		return errNoTag
	}
	dst = bytes.Clone(dst) // each message gets the same tag, even if the caller's dst changes
	m := sswu.NewMany()
	defer m.Wipe() // also if a message is in mapped memory that faults, and the caller recovers
	scratch := make([]point.Affine, min(len(points), sswu.MaxRows))
	for len(points) > 0 {
		block := points[:min(len(points), len(scratch))]
		secret.DoDeep(func() {
			rows := scratch[:len(block)]
			m.Hash(rows, msgs[:len(block)], dst)
			for i := range rows {
				infinite := rows[i].X.IsZero() & rows[i].Y.IsZero()
				block[i].setAffine(&rows[i], infinite.Not())
				rows[i].Wipe()
			}
		})
		points, msgs = points[len(block):], msgs[len(block):]
	}
	return nil
}
