package engine

import "github.com/koblitz-go/koblitz/group"

// Rows that meet an exception. For a product k·G the kernels add a point for each window of k, in
// odd digits (gpu/kernels/point.h). With k = 1 that of the last window, number i of w bits, is t·G
// for t = 2^(w·i), and the others come to (1 − t)·G. So if b·P is (2t − 1)·G, what is summed is t·G
// when t·G is added to it. The formula of additions leaves zeros of two equal points, and a kernel
// that does not see this takes any r for the abscissa of the sum. Whoever makes rows can have them
// meet it: so it is asked about when a device is opened.

// meets returns whether row i of a sample is one of those that meet makes.
func meets(i int) bool { return i%16 == 12 || i%16 == 14 }

// meet makes rows out of good ones that meet an exception with a table of G for windows of so many
// bits: of ECDSA, prepared keys too, and of BIP-340 with challenges those with i%16 = 14, which are
// Invalid, and of Recover, RecoverAddress and PublicKeys those with i%16 = 12, which have keys.
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
			// s = 1, and −e·P = (2t − 1)·G for the P with an even ordinate.
			if s.keys[33*i] == 2 {
				d.Neg(d)
			}
			copy(s.challenges[32*i:], d.Invert(d).Mul(d, odd).Bytes())
			clear(sig[32:])
			sig[63] = 1
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}
