// BIP-340, "Verification".

#ifndef KOBLITZ_SCHNORR_H
#define KOBLITZ_SCHNORR_H

#include "sha256.h"
#include "verdict.h"

DEVICE u8 schnorr_row(u32 flags, GLOBAL const u8 *msg, GLOBAL const u8 *key, GLOBAL const u8 *sig,
	GLOBAL const u32 *gtable)
{
	fe x, r;
	ge p, R;
	xyzz a;
	sc s, e;
	u32 good = fe_load_be(&x, key);
	good &= fe_load_be(&r, sig);
	good &= sc_load_be(&s, sig + 32);
	if (!good || !ge_lift_x(&p, &x, 0)) return MALFORMED;
	if (flags & HASHED) {
		sc_load_be_reduced(&e, msg);
	} else {
		u32 m[8];
		UNROLL
		for (int i = 0; i < 8; i++) m[i] = load_be32(msg + 28 - 4 * i);
		sha256_challenge(e.v, r.v, x.v, m);
		sc_reduce(&e, &e, 0);
	}
	// R = s·G − e·P.
	sc_neg(&e, &e);
	if (!mul_double(&a, &s, &e, &p, gtable)) return UNCHECKED;
	if (!xyzz_has_x(&a, &r)) return INVALID;
	xyzz_to_ge(&R, &a);
	return fe_is_odd(&R.y) ? INVALID : VALID;
}

// k_schnorr verifies n signatures. The columns have 32, 32 and 64 bytes a row.
KERNEL void k_schnorr(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *msgs,
	GLOBAL const u8 *keys, GLOBAL const u8 *sigs, GLOBAL u8 *verdicts, GLOBAL const u32 *gtable)
{
	u32 row = ROW;
	if (row >= n) return;
	u64 i = row;
	verdicts[i] = schnorr_row(flags, msgs + 32 * i, keys + 32 * i, sigs + 64 * i, gtable);
}

#endif
