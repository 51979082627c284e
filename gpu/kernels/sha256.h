// The challenge of BIP-340 by SHA-256 (FIPS 180-4), for messages of 32 bytes.

#ifndef KOBLITZ_SHA256_H
#define KOBLITZ_SHA256_H

#include "vendor.h"

DEVICE u32 sha256_rotr(u32 x, int n) { return x >> n | x << (32 - n); }

// sha256_schedule replaces word t − 16 of the message schedule, which is w[t mod 16], by word t
// (section 6.2.2, step 1).
DEVICE void sha256_schedule(u32 *w, int t)
{
	u32 x = w[(t + 1) & 15], y = w[(t + 14) & 15];
	w[t & 15] += w[(t + 9) & 15] + (sha256_rotr(x, 7) ^ sha256_rotr(x, 18) ^ x >> 3) +
		(sha256_rotr(y, 17) ^ sha256_rotr(y, 19) ^ y >> 10);
}

// sha256_round does one round on the working variables s with the word w of the schedule and
// the constant k (section 6.2.2, step 3).
DEVICE void sha256_round(u32 *s, u32 w, u32 k)
{
	u32 a = s[0], b = s[1], c = s[2], e = s[4], f = s[5], g = s[6];
	u32 t = s[7] + ((e & f) ^ (~e & g)) + k + w +
		(sha256_rotr(e, 6) ^ sha256_rotr(e, 11) ^ sha256_rotr(e, 25));
	UNROLL
	for (int i = 7; i > 0; i--) s[i] = s[i - 1];
	s[4] += t;
	s[0] = t + ((a & b) ^ (a & c) ^ (b & c)) +
		(sha256_rotr(a, 2) ^ sha256_rotr(a, 13) ^ sha256_rotr(a, 22));
}

// sha256_block takes the block w of sixteen words into the chaining value h. It destroys w.
// With all rounds unrolled the constants are immediate operands, and nothing moves.
DEVICE void sha256_block(u32 *h, u32 *w)
{
	const u32 k[64] = { // section 4.2.2
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
		0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
		0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
		0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
	};
	u32 s[8];
	UNROLL
	for (int i = 0; i < 8; i++) s[i] = h[i];
	UNROLL
	for (int t = 0; t < 64; t++) {
		if (t >= 16) sha256_schedule(w, t);
		sha256_round(s, w[t & 15], k[t]);
	}
	UNROLL
	for (int i = 0; i < 8; i++) h[i] += s[i];
}

// sha256_challenge sets e to the tagged hash "BIP0340/challenge" of r, x and m. Each is a number
// of 32 bytes in eight limbs, the least significant first, so limb 7 − i is word i of its
// encoding. e is not reduced.
DEVICE void sha256_challenge(u32 *e, const u32 *r, const u32 *x, const u32 *m)
{
	// The chaining value after two hashes of the tag.
	u32 h[8] = {
		0x9cecba11, 0x23925381, 0x11679112, 0xd1627e0f,
		0x97c87550, 0x003cc765, 0x90f61164, 0x33e9b66a,
	};
	u32 w[16], last[16];
	UNROLL
	for (int i = 0; i < 8; i++) {
		w[i] = r[7 - i];
		w[8 + i] = x[7 - i];
		last[i] = m[7 - i];
		last[8 + i] = 0;
	}
	last[8] = 0x80000000;
	last[15] = 8 * (64 + 3 * 32); // the length in bits
	ROLLED
	for (int block = 0; block < 2; block++) {
		sha256_block(h, w);
		UNROLL
		for (int i = 0; i < 16; i++) w[i] = last[i];
	}
	UNROLL
	for (int i = 0; i < 8; i++) e[i] = h[7 - i];
}

#endif
