package launch

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/group"
)

// This file makes rows whose sum a·G + b·P meets an exception of the incomplete addition
// (gpu/kernels/point.h, xyzz_add_ge). The kernels begin with b·P and add a table point for each
// window of a, whose signed digits are odd. The last of the windows of w bits, window i, adds an
// odd multiple of t = 2^(w·i). If the sum before it equals that point, the addition has equal
// operands and leaves zeros in all coordinates, which compare equal to any r. A kernel that does
// not report this accepts forgeries, so the known answers at Open contain such rows.
//
//   - ECDSA and recovery: a = 1. The last window is t·G and the other windows add up to (1 − t)·G,
//     so with b·P = (2t − 1)·G the sum before the last addition is t·G.
//   - Public keys: b = 0 and a = 2·(2^256 − t). The last window is (2^256 − t)·G, and the other
//     windows add up to the same point.
//   - BIP-340: b·P is −e·P, where e is a hash of r, the key and the message. The signer solves for
//     a = s: see meetLast.

// meets reports whether meet changes row i of a sample.
func meets(i int) bool { return i%16 == 12 || i%16 == 14 }

// meet changes some valid rows so that they reach an exception of the addition formulas if the
// table of G has windows of the given size in bits. Row i of ECDSA and BIP-340, with prepared keys
// or without, reaches it if i%16 = 14, and is Invalid. Row i of Recover, RecoverAddress and
// PublicKeys reaches it if i%16 = 12, and is Valid.
func (s *Sample) meet(bits int) {
	top := power2(lastWindow(bits)) // t
	odd := new(group.Scalar).Add(top, top)
	odd.Sub(odd, power2(0)) // 2t − 1
	for i := range len(s.hashes) / 32 {
		hash, sig65 := s.hashes[32*i:][:32], s.sigs65[65*i:][:65]
		d, r, z := scalarOf(s.scalars[32*i:][:32]), scalarOf(sig65[:32]), new(group.Scalar)
		switch i % 16 {
		case 12:
			// R = k·G is the nonce point, and t is the power of two described at the top of this
			// file. With z = −r and s = r·(2t − 1)/k, the recovered key is 1·G + (2t − 1)/k·R, so
			// the scalar of G is 1.
			k := new(group.Scalar).Mul(r, d)
			k.Add(k, scalarOf(hash)).Mul(k, new(group.Scalar).Invert(scalarOf(sig65[32:64])))
			copy(sig65[32:], z.Mul(r, odd).Mul(z, k.Invert(k)).Bytes())
			copy(hash, z.Negate(r).Bytes())
			// With t as at the top of this file, the last window of this scalar is 2^256 − t. The
			// other windows add up to the same number modulo n, so the scalar is 2·(2^256 − t).
			public := new(group.Scalar).Sub(power2(256), top)
			copy(s.scalars[32*i:], public.Add(public, public).Bytes())
		case 14:
			// With the private key d, and t as at the top of this file, the scalar of G is u1 = z/s
			// = 1, and the scalar of the key is u2 = r/s = (2t − 1)/d.
			z.Mul(r, d).Mul(z, new(group.Scalar).Invert(odd))
			copy(sig65[32:], z.Bytes())
			copy(hash, z.Bytes())
			number := i % sampleKeys
			prepared := scalarOf(setSecret(number))
			sig := s.setSigs64[64*i:][:64]
			r.Invert(prepared).Mul(r, odd).Mul(r, z)
			copy(sig, r.Bytes())
			copy(sig[32:], z.Bytes())

			meetSchnorr(s.schnorr[64*i:][:64], s.xonly[32*i:][:32], hash, d, s.keys[33*i] == 3, bits)
			key := s.set[device.PointSize*number:][:device.PointSize]
			meetSchnorr(s.setSchnorr[64*i:][:64], key[:32], hash, prepared, key[63]&1 == 1, bits)
		}
	}
}

// meetSchnorr changes the s of a BIP-340 signature so that verifying it reaches the exception: see
// meetLast. key is the x coordinate of d·G.
func meetSchnorr(sig, key, message []byte, d *group.Scalar, isOdd bool, bits int) {
	copy(sig[32:], meetLast(scalarOf(challenge(sig[:32], key, message)), d, isOdd, bits).Bytes())
}

// lastWindow returns the index of the lowest bit of the last window.
func lastWindow(bits int) int { return bits * (255 / bits) }

// power2 returns 2^n.
func power2(n int) *group.Scalar {
	k := new(group.Scalar).SetUint64(1)
	for range n {
		k.Add(k, k)
	}
	return k
}

// scalarOf returns the scalar of 32 bytes, reduced modulo n.
func scalarOf(b []byte) *group.Scalar {
	k := new(group.Scalar)
	_, _ = k.SetBytesReduced(b) // fails only for another number of bytes
	return k
}

// meetLast returns the s for which the last addition has equal operands: −e·P plus all windows of s
// except the last equals the last window. Windows have the given size in bits. isOdd says that the
// y of d·G is odd. P is the one of the points d·G and −d·G that has an even y, as in BIP-340.
func meetLast(e, d *group.Scalar, isOdd bool, bits int) *group.Scalar {
	sum := new(group.Scalar).Mul(e, d)
	if !isOdd {
		sum.Negate(sum)
	}
	// The kernels take the windows of an odd x, which is s or −s modulo n. Compute x from sum, the
	// scalar of −e·P, if sum is odd, otherwise from its opposite, n − sum, which is then odd. Let
	// last be the odd multiple of t nearest to sum. The windows below the last represent every odd
	// number between −t and t, so they can represent last − sum, and x = last + (last − sum). last
	// is at most 2^256 − t, which is below n.
	opposite := sum.Bytes()[31]&1 == 0
	if opposite {
		sum.Negate(sum)
	}
	last := sum.Bytes()
	at := lastWindow(bits) // t = 2^at
	end := 31 - at/8
	last[end] = last[end]>>(at%8)<<(at%8) | 1<<(at%8)
	clear(last[end+1:])
	s := scalarOf(last)
	s.Add(s, s).Sub(s, sum)
	if opposite {
		s.Negate(s)
	}
	return s
}
