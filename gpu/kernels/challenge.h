// The challenge of BIP-340.

#ifndef KOBLITZ_CHALLENGE_H
#define KOBLITZ_CHALLENGE_H

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

#endif
