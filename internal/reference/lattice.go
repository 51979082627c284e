package reference

import "math/big"

// ShortVectors returns the two shortest pairs (u, v) with u + v·λ ≡ 0 mod n that generate all such
// pairs. It runs the extended Euclidean algorithm on n and λ, and stops at the first remainder
// below the square root of n, as in the paper of Gallant, Lambert and Vanstone.
func ShortVectors() (a, b [2]*big.Int) {
	root := new(big.Int).Sqrt(N())
	r0, r1 := N(), Lambda()
	t0, t1 := new(big.Int), big.NewInt(1)
	for {
		q, r2 := new(big.Int).DivMod(r0, r1, new(big.Int))
		t2 := q.Sub(t0, q.Mul(q, t1))
		if r1.Cmp(root) < 0 {
			return [2]*big.Int{r1, new(big.Int).Neg(t1)}, [2]*big.Int{r0, new(big.Int).Neg(t0)}
		}
		r0, r1, t0, t1 = r1, r2, t1, t2
	}
}

// SplitCorners returns scalars u + v·λ with extreme halves u and v. The pairs (u, v) that a split
// into halves can give, and those that a split into odd halves can give, form a parallelogram each.
// The scalars belong to the pairs near its corners, at most near away in both directions, and to
// pairs that are somewhat farther inside.
func SplitCorners(near int64) (scalars []*big.Int) {
	a, b := ShortVectors()
	for corner := range 16 {
		var half [2]*big.Int
		for i := range half {
			half[i] = new(big.Int).Add(a[i], b[i])
			if corner&1 == 1 {
				half[i].Sub(a[i], b[i])
			}
			if corner&2 == 2 {
				half[i].Neg(half[i])
			}
			if corner&4 == 4 { // not an odd half
				half[i].Quo(half[i], big.NewInt(2))
			}
			if corner&8 == 8 {
				half[i].Sub(half[i], new(big.Int).Quo(half[i], big.NewInt(1<<55)))
			}
		}
		for du := -near; du <= near; du++ {
			for dv := -near; dv <= near; dv++ {
				k := new(big.Int).Add(half[1], big.NewInt(dv))
				k.Mul(k, Lambda()).Add(k, half[0]).Add(k, big.NewInt(du))
				scalars = append(scalars, k.Mod(k, N()))
			}
		}
	}
	return scalars
}

// SplitSides returns scalars k for which a quotient of a split, k·c/n for a coordinate c of a short
// vector, is near an integer or halfway between two integers. Some have extreme lowest words.
func SplitSides(r Source, count int) (scalars []*big.Int) {
	a, b := ShortVectors()
	add := func(k *big.Int) { scalars = append(scalars, new(big.Int).Mod(k, N())) }
	for i := range count {
		c := []*big.Int{a[0], a[1], b[0], b[1]}[i/2%4]
		c = new(big.Int).Abs(c)
		at := new(big.Int).Mul(big.NewInt(int64(i%2)), new(big.Int).Rsh(N(), 1)) // 0 or n/2
		near := new(big.Int).Add(at, big.NewInt(int64(r.Uint64()%600)-300))
		add(near.Mul(near, new(big.Int).ModInverse(c, N())))
		k := new(big.Int).Mod(RandInt(r), c)
		k.Mul(k, N()).Add(k, at).Div(k, c).Add(k, big.NewInt(int64(r.Uint64()%5)-2))
		add(k)
		k.Rsh(k, 64).Lsh(k, 64)
		add(k)
		add(k.Add(k, new(big.Int).SetUint64(^uint64(0))))
	}
	return scalars
}
