// BIP-340, "Verification".

#ifndef KOBLITZ_SCHNORR_H
#define KOBLITZ_SCHNORR_H

#include "sha256.h"
#include "verdict.h"

// schnorr_challenge sets e to the challenge: what msg encodes if the flags say so, and otherwise
// the hash of the canonical r and x and the message.
DEVICE void schnorr_challenge(sc *e, u32 flags, GLOBAL const u8 *msg, const fe *r, const fe *x)
{
	u32 m[8];
	if (flags & HASHED) {
		sc_load_be_reduced(e, msg);
		return;
	}
	UNROLL
	for (int i = 0; i < 8; i++) m[i] = load_be32(msg + 28 - 4 * i);
	sha256_challenge(e->v, r->v, x->v, m);
	sc_reduce(e, e, 0);
}

// schnorr_load sets p to the key, s, and e to the negative of the challenge, and returns 1 if the
// row is well formed.
OUTLINE u32 schnorr_load(ge *p, sc *s, sc *e, u32 flags, GLOBAL const u8 *msg,
	GLOBAL const u8 *key, GLOBAL const u8 *sig)
{
	fe x, r;
	u32 good = fe_load_be(&x, key);
	good &= fe_load_be(&r, sig);
	good &= sc_load_be(s, sig + 32);
	if (!good || !ge_lift_x(p, &x, 0)) return 0;
	schnorr_challenge(e, flags, msg, &r, &x);
	sc_neg(e, e);
	return 1;
}

// schnorr_r_is returns 1 if the signature's r is the x coordinate of a.
OUTLINE u32 schnorr_r_is(const xyzz *a, GLOBAL const u8 *sig)
{
	fe r;
	fe_load_be(&r, sig);
	return xyzz_has_x(a, &r);
}

// schnorr_store writes the verdicts of a group's rows, those that exist. All work items of the
// group call it. What a verdict of VALID still lacks is that the ordinate of a is even.
DEVICE void schnorr_store(GLOBAL u8 *verdicts, const xyzz *a, u8 verdict, u32 exists,
	SHARED u32 *tree, u32 item)
{
	fe y;
	fe_set_int(&y, 0);
	if (verdict == VALID) y = a->zzz;
	fe_inv_group(&y, &y, tree, item);
	if (verdict == VALID) {
		xyzz_y(&y, a, &y);
		if (y.v[0] & 1) verdict = INVALID;
	}
	if (exists) *verdicts = verdict;
}

// k_schnorr verifies n signatures. The columns have 32, 32 and 64 bytes a row.
KERNEL void k_schnorr(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *msgs,
	GLOBAL const u8 *keys, GLOBAL const u8 *sigs, GLOBAL u8 *verdicts, GLOBAL const u32 *gtable)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	KEPT u32 row = ROW;
	u64 i = row;
	ge p;
	xyzz a;
	sc s, e;
	u8 verdict = MALFORMED;
	if (i < n && schnorr_load(&p, &s, &e, flags, msgs + 32 * i, keys + 32 * i, sigs + 64 * i)) {
		verdict = UNCHECKED;
		// R = s·G − e·P.
		if (mul_double(&a, &s, &e, &p, gtable))
			verdict = schnorr_r_is(&a, sigs + 64 * (u64)row) ? VALID : INVALID;
	}
	i = row;
	schnorr_store(verdicts + i, &a, verdict, i < n, tree, i % GROUP);
}

#endif
