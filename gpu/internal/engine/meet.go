package engine

import (
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/device"
)

// Rows that meet an exception. For a product k·G the kernels add a point for each window of k, in
// odd digits (gpu/kernels/point.h). With k = 1 that of the last window, number i of w bits, is t·G
// for t = 2^(w·i), and the others come to (1 − t)·G. So if b·P is (2t − 1)·G, what is summed is t·G
// when t·G is added to it. In BIP-340 b is the opposite of a hash, and k is of one's choice. The
// formula of additions leaves zeros of two equal points, and a kernel that does not see this takes
// any r for the abscissa of the sum. Whoever makes rows can have them meet it: so it is asked about
// when a device is opened.

// meets returns whether row i of a sample is one of those that meet makes.
func meets(i int) bool { return i%16 == 12 || i%16 == 14 }

// meet makes rows out of good ones that meet an exception with a table of G for windows of so many
// bits: of ECDSA and BIP-340, prepared keys too, those with i%16 = 14, which are Invalid, and of
// Recover, RecoverAddress and PublicKeys those with i%16 = 12, which have keys.
func (s *sample) meet(bits int) error {
	top := new(group.Scalar).SetUint64(1) // t
	two := new(group.Scalar).SetUint64(2)
	power := new(group.Scalar).SetUint64(1) // 2^256
	for i := range 256 {
		if i == bits*((255)/bits) {
			top.Set(power)
		}
		power.Mul(power, two)
	}
	double := new(group.Scalar).Mul(top, two)
	odd := new(group.Scalar).Sub(double, new(group.Scalar).SetUint64(1)) // 2t − 1
	inverse := new(group.Scalar).Invert(odd)
	for i := range len(s.hashes) / 32 {
		if !meets(i) {
			continue
		}
		var failure error
		scalar := func(b []byte) *group.Scalar {
			k, err := new(group.Scalar).SetBytes(b)
			if err != nil {
				failure = err
				return new(group.Scalar)
			}
			return k
		}
		hash, sig65, sig := s.hashes[32*i:][:32], s.sigs65[65*i:][:65], s.schnorr[64*i:][:64]
		d, r := scalar(s.scalars[32*i:][:32]), scalar(sig65[:32])
		z := new(group.Scalar)
		if i%16 == 12 {
			// R = k·G, and with z = −r and s = r·(2t − 1)/k the key is 1·G + (2t − 1)/k·R.
			k := new(group.Scalar).Mul(r, d)
			k.Add(k, scalar(hash)).Mul(k, new(group.Scalar).Invert(scalar(sig65[32:64])))
			copy(sig65[32:], z.Mul(r, odd).Mul(z, k.Invert(k)).Bytes())
			z.Neg(r)
			// In windows of odd digits this is t·(2^(256−w·i) − 1), the last, twice.
			public := new(group.Scalar).Sub(power, top)
			copy(s.scalars[32*i:], public.Mul(public, two).Bytes())
		} else {
			// u1 = z/s = 1, and u2 = r/s = (2t − 1)/d.
			z.Mul(r, d).Mul(z, inverse)
			copy(sig65[32:], z.Bytes())
			set := s.setSigs64[64*i:][:64]
			other := new(group.Scalar).Invert(scalar(setSecret(i % sampleKeys)))
			copy(set, other.Mul(other, odd).Mul(other, z).Bytes())
			copy(set[32:], z.Bytes())
		}
		copy(hash, z.Bytes())
		copy(s.challenges[32*i:], challenge(sig[:32], s.xonly[32*i:][:32], hash))
		if i%16 == 14 {
			number := i % sampleKeys
			public := s.set[device.PointSize*number:][:device.PointSize]
			set, setSig := scalar(setSecret(number)), s.setSchnorr[64*i:][:64]
			e := challenge(setSig[:32], public[:32], hash)
			copy(setSig[32:], meetLast(scalar(e), set, public[63]&1 == 1, bits))
			e = s.challenges[32*i:][:32]
			copy(sig[32:], meetLast(scalar(e), d, s.keys[33*i] == 3, bits))
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}

// meetLast returns an s for which −e·P, to which all windows of s but the last are added, equals
// the last one. P is d·G, or −d·G if that is odd, which says that its ordinate is.
func meetLast(e, d *group.Scalar, odd bool, bits int) []byte {
	sum := new(group.Scalar).Mul(e, d)
	if !odd {
		sum.Neg(sum)
	}
	// The odd one of what is summed and its opposite modulo n, as a number x. The windows but the
	// last come to any odd number between −t and t, so the last is the odd multiple of t that is
	// nearest to x, and they are what is missing.
	opposite := sum.Bytes()[31]&1 == 0
	if opposite {
		sum.Neg(sum)
	}
	last := sum.Bytes()
	at := bits * (255 / bits)
	end := 31 - at/8
	last[end] = last[end]>>(at%8)<<(at%8) | 1<<(at%8)
	clear(last[end+1:])
	s, err := new(group.Scalar).SetBytes(last)
	if err != nil {
		return last // above n, which the host calls malformed
	}
	s.Add(s, s).Sub(s, sum)
	if opposite {
		s.Neg(s)
	}
	return s.Bytes()
}
